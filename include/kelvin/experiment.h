/* experiment: many runs as one piece of work: a table of cells, each a configuration, sampled over the cores.
 *
 *     kelvin_experiment *e;
 *     size_t cold, tuned;
 *     kelvin_status st = kelvin_experiment_create(&e, NULL);
 *     if (!st) st = kelvin_experiment_add(e, &cold, "cold", config, KELVIN_NO_CELL);      // config is e's then
 *     if (!st) st = kelvin_experiment_add(e, &tuned, "tuned", other, cold);               // starts from its samples
 *     if (!st) st = kelvin_experiment_sample(e, NULL, NULL, NULL);
 *     if (!st) st = kelvin_experiment_write(e, "metrics.csv", 0);
 *     kelvin_experiment_destroy(e);
 *
 * A cell is a run like any other, in a folder of its own under one cache, whose name follows from its configuration and
 * its data: what was sampled once, for whatever experiment, is not sampled again, and what was stopped goes on. Cells
 * that differ in nothing but their temperature share the part of the schedule in which it is 0 (kelvin_run_branch).
 */
#ifndef KELVIN_EXPERIMENT_H
#define KELVIN_EXPERIMENT_H

#include <kelvin/base.h>
#include <kelvin/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_experiment kelvin_experiment;

#define KELVIN_NO_CELL SIZE_MAX

/* One without cells. `cache` is the folder of all cells, made when it is needed; NULL: "runs" beside the data sets that
 * were fetched ($KELVIN_DATA/runs, $XDG_CACHE_HOME/kelvin/runs or $HOME/.cache/kelvin/runs). */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_create(kelvin_experiment **experiment, const char *cache);
KELVIN_API void kelvin_experiment_destroy(kelvin_experiment *experiment);

/* One more cell, *cell of them. The configuration becomes the experiment's, also if it fails. `from`: the cell before
 * it whose samples it starts from, KELVIN_NO_CELL if it starts as its configuration says. Its data are opened, once for
 * all cells that have the same. Two cells may be the same: they are sampled once. KELVIN_EUSAGE if the name is taken.
 */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_add(kelvin_experiment *experiment, size_t *cell,
                                                                 const char *name, kelvin_config *config, size_t from);

/* The cells of a JSON file:
 *
 *     {"data": "digits", "model": "mlp:20,20", "chains": 8, "epochs": 300,          fields that all cells have
 *      "cells": [                                              a list in a cell: a cell for each of its values
 *        {"name": "cold {seed}", "density": "categorical", "temperature": 0, "seed": [0, 1]},
 *        {"density": ["dirclip:0.9,-50", "dirclip:0.7,-50"], "seed": [0, 1]},
 *        {"name": "tuned {seed}", "from": "cold {seed}", "density": "dirclip:0.7,-50", "seed": [0, 1]}]}
 *
 * Fields are those of run.json. {FIELD} in a name stands for the value of that field; a cell without a name is called
 * by the fields in which it differs. What nobody says is as in the paper, unless "preset" says "auto". KELVIN_EFORMAT
 * with the file and the field for what is wrong. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_read(kelvin_experiment *experiment, const char *path);

KELVIN_API size_t kelvin_experiment_cells(const kelvin_experiment *experiment);
KELVIN_API const char *kelvin_experiment_name(const kelvin_experiment *experiment, size_t cell);
KELVIN_API const char *kelvin_experiment_folder(const kelvin_experiment *experiment, size_t cell); /* of its run */
KELVIN_API size_t kelvin_experiment_find(const kelvin_experiment *experiment, const char *name); /* or KELVIN_NO_CELL */
/* A field of its configuration, as kelvin_config_get; "" if its sampler has none of that name. */
KELVIN_API void kelvin_experiment_get(const kelvin_experiment *experiment, size_t cell, const char *field, char *out,
                                      size_t size);
/* Whether its run has ended. */
KELVIN_API bool kelvin_experiment_done(const kelvin_experiment *experiment, size_t cell);

/* ---- what it will cost ---- */

typedef struct kelvin_experiment_plan {
    size_t cells, done;      /* all, and those whose runs have ended; cells that are the same count once */
    size_t chains;           /* of those that have not */
    double rows, rows_apart; /* epochs or iterations of all their chains; and if they shared nothing */
    double seconds;          /* on so many threads, at the speed that was measured now */
    double disk;             /* bytes, at most, beside what is there */
    double cpu_share;        /* of the time, that what was measured had its CPUs; less than 1 on a busy machine */
} kelvin_experiment_plan;

KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_estimate(kelvin_experiment_plan *plan,
                                                                      const kelvin_experiment *experiment,
                                                                      size_t threads);

/* ---- sampling ---- */

typedef struct kelvin_cell_news {
    size_t cell;                    /* whose they are */
    size_t done, cells;             /* cells that have ended, of all */
    double share, before;           /* of the work of all cells: done, and done before this call */
    double cell_share;              /* of the work of this one */
    const kelvin_run *run;          /* the run of the cell, NULL if another rank has it, */
    const kelvin_chain_news *chain; /* and what one of its chains does */
} kelvin_cell_news;

/* Called as a kelvin_run_watch. False to stop: KELVIN_ESTOP, and the next call goes on. */
typedef bool kelvin_experiment_watch(void *context, const kelvin_experiment *experiment, const kelvin_cell_news *news);

/* The i-th of n parts of the cells, 1 .. n, is sampled, and no others: for processes that know nothing of each other,
 * as the tasks of an array job. Cells that start from one another, or share a beginning, are in one part. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_part(kelvin_experiment *experiment, size_t i, size_t n);

/* All cells to their ends: some at a time, their chains over the threads; those that start from another's samples after
 * it. Of several ranks (kelvin/ranks.h) each takes a cell, and the next when it has ended. options NULL: one thread per
 * CPU, and a checkpoint a minute. Chains that diverge stop nobody; after all others, KELVIN_EDIVERGED if a cell could
 * not be sampled because the one that it starts from has no chain left. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_sample(kelvin_experiment *experiment,
                                                                    const kelvin_run_options *options,
                                                                    kelvin_experiment_watch *watch, void *context);

/* ---- what they say ---- */

/* A CSV file: a row for each cell: its name, its folder, the fields in which cells differ, samples, chains that
 * diverged, both temperatures at the end, and of training and test part each metric: of single samples (mean and
 * standard error over chains), of all together, and of ensembles of 8 (10 %, 50 %, 90 %). What is not there is nan.
 * Cells that have not ended are left out. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_experiment_write(const kelvin_experiment *experiment,
                                                                   const char *path, size_t threads);

#ifdef __cplusplus
}
#endif
#endif
