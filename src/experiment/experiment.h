/* Inside of the experiment room: cells, and how their folders are called. */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "files/files.h"

#include <kelvin/experiment.h>

enum { KELVIN_CELL_KEY = 17 }; /* 16 hexadecimal digits */

struct kelvin_cell {
    char *name;
    kelvin_config *config;
    const kelvin_data *data;
    size_t from;                 /* the cell whose samples it starts from, or KELVIN_NO_CELL */
    size_t first;                /* the first cell that is the same: itself, mostly */
    char key[KELVIN_CELL_KEY];   /* of all that decides its bits */
    char trunk[KELVIN_CELL_KEY]; /* of all but the temperature */
    char *folder;
    double work;     /* observations that its chains look at: what it costs beside others of its kind */
    bool done, lost; /* lost: what it starts from has no samples */
    bool elsewhere;  /* it is not of the part that is sampled here (kelvin_experiment_part) */
};

struct kelvin_experiment {
    kelvin_path cache;
    size_t n, room;
    struct kelvin_cell *cell;
    struct kelvin_opened {
        char *spec;
        kelvin_data *data;
        struct kelvin_opened *next;
    } * opened; /* data sets, each once */
};

/* Texts that keys are made of: every field that counts, one in a line; the data by their checksums, the start by the
 * key of the cell that it is. `trunk`: without the temperature. */
KELVIN_MUST_CHECK kelvin_status kelvin_cell_name_folder(struct kelvin_cell *cell, const kelvin_experiment *experiment);

/* Where cells that differ in their temperature alone leave their cold beginning. */
KELVIN_MUST_CHECK kelvin_status kelvin_cell_trunk_folder(kelvin_path path, const kelvin_experiment *experiment,
                                                         const struct kelvin_cell *cell);

/* How many of the cells, those that have ended among them, have the cold beginning of this one. */
size_t kelvin_cell_siblings(const kelvin_experiment *experiment, const struct kelvin_cell *cell);

/* Whether its run is there and has come to its end. */
bool kelvin_cell_has_ended(const struct kelvin_cell *cell);

/* KELVIN_EFORMAT if a run that was found in its folder is another one. */
KELVIN_MUST_CHECK kelvin_status kelvin_cell_check_run(const struct kelvin_cell *cell, const kelvin_run *run);

/* The value of a field as one would type it; "" if its sampler has no such field. */
enum { KELVIN_CELL_VALUE = 4096 };
void kelvin_cell_value(char out[KELVIN_CELL_VALUE], const struct kelvin_cell *cell, const char *field);

#endif
