/* work: cells that are being sampled: by one process (sample.c), or by ranks, to which they are dealt (deal.c). */
#ifndef EXPERIMENT_WORK_H
#define EXPERIMENT_WORK_H

#include "experiment/experiment.h"

#include <pthread.h>
#include <stdatomic.h>

enum { KELVIN_MOST_RUNS = 64 }; /* open at once: each has a file locked */

struct kelvin_work {
    kelvin_experiment *e;
    kelvin_run_options options;
    kelvin_experiment_watch *watch;
    void *context;
    pthread_mutex_t mutex; /* for the watch, and for what it is told */
    size_t n;
    size_t cell[KELVIN_MOST_RUNS];
    kelvin_run *run[KELVIN_MOST_RUNS];
    uint64_t *step[KELVIN_MOST_RUNS]; /* (chains) each: how far they are */
    double *share;                    /* (cells): of each the part that is done */
    double before;                    /* of all, when it was called */

    /* of several ranks */
    struct kelvin_dealer *dealer;
    void (*tell)(struct kelvin_work *work, size_t cell, const kelvin_chain_news *news); /* rank 0; NULL: nobody */
    atomic_bool stop; /* someone asked for it, or a rank failed */
    atomic_bool asked;
};

/* Whether a cell can be sampled now: nobody has, and what it starts from is there. */
bool kelvin_cell_waits(const kelvin_experiment *e, size_t i);

/* The cell that it starts from; NULL: none. */
struct kelvin_cell *kelvin_cell_start(const kelvin_experiment *e, const struct kelvin_cell *cell);

/* Whether a cell that has ended has any samples. */
bool kelvin_cell_has_samples(const struct kelvin_cell *cell);

/* Opens the run of a cell, or starts it. Closes all of them. */
KELVIN_MUST_CHECK kelvin_status kelvin_work_take(struct kelvin_work *work, size_t cell);
void kelvin_work_put_back(struct kelvin_work *work);

/* Cold beginnings that are not there yet, each by the first run that has it; all runs to their ends. */
KELVIN_MUST_CHECK kelvin_status kelvin_work_trunks(struct kelvin_work *work);
KELVIN_MUST_CHECK kelvin_status kelvin_work_runs(struct kelvin_work *work);

/* Tells the watch of news of a cell, from a run or from another rank (NULL). False if it wants to stop. */
bool kelvin_work_hear(struct kelvin_work *work, size_t cell, const kelvin_run *run, const kelvin_chain_news *news);

/* All cells, over all ranks. */
KELVIN_MUST_CHECK kelvin_status kelvin_work_deal(struct kelvin_work *work);

#endif
