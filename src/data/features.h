/* Columns of a table as people have them, and the inputs of a network that are made of them: kelvin_feature. */
#ifndef DATA_FEATURES_H
#define DATA_FEATURES_H

#include "data/data.h"

/* ---- what a column is ---- */

/* A column of the training part: texts of its fields, in the order of the file. */
struct feature_texts {
    const char *const *text; /* (n) */
    size_t n;
    bool keep; /* it is an input, even if it looks as though it should be none */
};

/* Why a column cannot be an input, and the row where that is seen. */
enum feature_refusal { FEATURE_FITS, FEATURE_NO_NUMBER, FEATURE_IS_DATE, FEATURE_IS_PROSE, FEATURE_TOO_MANY };

/* Sets kind, values, inputs (but not the first of them), missing and why. What it points to is the arena's, or is a
 * text.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_feature_fit(kelvin_feature *feature, enum feature_refusal *refusal, size_t *row,
                                                   const struct feature_texts *texts, kelvin_arena *arena);

/* ---- what a field becomes ---- */

enum feature_finding {
    FEATURE_FOUND,
    FEATURE_NEW_MISSING, /* missing, as it never was in training */
    FEATURE_UNSEEN,      /* a value that was not seen in training: all its inputs are 0 */
    FEATURE_WRONG,       /* no number, or no yes or no: nothing is set */
};

/* The inputs of a feature, values[feature->first] and so on, before they are standardised; NaN: missing. */
enum feature_finding kelvin_feature_encode(double *values, const kelvin_feature *feature, const char *text);

/* The numbers of one row of a table, those of columns with long tails drawn in: what is standardised then. */
void kelvin_features_draw_in(double *values, const kelvin_data *like);

/* Which columns of numbers have long tails, by the training rows; `deviation` (inputs) is that of the numbers. */
KELVIN_MUST_CHECK kelvin_status kelvin_features_fit_tails(struct data_loader *loader, bool *found,
                                                          const double *deviation);

/* The number, as its file has it, of which an input was made: the first of a feature that is no category. */
double kelvin_feature_number(const kelvin_feature *feature, const kelvin_data *data, float x);

/* Whether an input is neither moved nor divided: one of a category, or of what is missing. */
bool kelvin_feature_is_plain_input(const kelvin_feature *feature, size_t input);

/* What inputs are called: "age", "sex=male", "age is missing". NULL if memory is short. */
const char *const *kelvin_feature_input_names(const kelvin_data *data, kelvin_arena *arena);

/* ---- features of whole tables ---- */

/* Of a table in which every column is a number and one input, with its label behind them. */
KELVIN_MUST_CHECK kelvin_status kelvin_features_plain(kelvin_data *data, kelvin_arena *arena);

/* Whether the features say no more than that: then they need not be kept. */
KELVIN_MUST_CHECK kelvin_status kelvin_features_are_plain(bool *plainly, const kelvin_data *data);

/* Copies of the features, notes and what they point to. False if memory is short. */
bool kelvin_features_copy(kelvin_data *data, kelvin_arena *arena);

#endif
