/* Columns of a table as people have them, and the inputs of a network that are made of them: kelvin_feature. */
#ifndef DATA_FEATURES_H
#define DATA_FEATURES_H

#include "data/data.h"

/* Of a table in which every column is a number and one input, with its label behind them. */
KELVIN_MUST_CHECK kelvin_status kelvin_features_plain(kelvin_data *data, kelvin_arena *arena);

/* Whether the features say no more than that: then they need not be kept. */
bool kelvin_features_are_plain(const kelvin_data *data);

/* Copies of the features, notes and what they point to. False if memory is short. */
bool kelvin_features_copy(kelvin_data *data, kelvin_arena *arena);

#endif
