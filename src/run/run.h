/* run: what is behind the handles of kelvin/run.h, for the rooms that look inside. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/config.h"

struct kelvin_run {
    kelvin_run_config config; /* texts are the run's own */
    const kelvin_sampler_type *sampler;
    const kelvin_data *data;
    kelvin_model *model;
    const char *folder; /* NULL: it lives in memory */
    double seconds;     /* that kelvin_run_sample took */
    void *owned;
};

struct kelvin_samples {
    kelvin_run *run;
    const char *folder;          /* or what to call a run that has none */
    size_t n;                    /* samples, chain after chain, warm-up left out */
    const uint32_t *chain;       /* (n): which chain each is of */
    const uint32_t *draw;        /* (n): which of that chain's, from 0 */
    const char *const *diverged; /* (run->config.chains): a sentence of those that did, NULL of the others */
    const uint32_t *left_at;     /* (run->config.chains): the step to which each came, */
    const bool *waiting;         /* and whether it goes on from there: it has no samples yet */
    uint32_t n_waiting;
    void *owned;
};

struct kelvin_history {
    size_t rows, columns;
    const char *const *names; /* (columns); the first counts rows */
    double *values;           /* (rows, columns) */
};

/* As kelvin_history_open and _close, into memory of the caller's. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_read(kelvin_history *history, const kelvin_samples *samples,
                                                    uint32_t chain);
void kelvin_history_free(kelvin_history *history);

/* All columns at once; returns how many. */
enum { KELVIN_COLUMNS = 8 + KELVIN_STATISTICS };
size_t kelvin_run_list_columns(const kelvin_statistic *columns[KELVIN_COLUMNS], const kelvin_run *run);

#endif
