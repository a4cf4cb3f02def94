/* cells_progress: how far the cells of an experiment are. On a terminal a line for each cell at work and one for the
 * whole, elsewhere now and then a line for the whole.
 *
 *     struct cells_progress progress;
 *     kelvin_status st = cells_progress_start(&progress, experiment);
 *     if (!st) st = kelvin_experiment_sample(experiment, &options, cells_progress_watch, &progress);
 *     cells_progress_end(&progress);
 *
 *     dirclip:0.9,-50       [=======>        ]  51 %, epoch  412/1000, train  97.4 %, confidence  91.2 %
 *     all                   [======>         ]  41 %, 1 min 20 s left, 2 of 8 cells done
 */
#ifndef CLI_CELLS_PROGRESS_H
#define CLI_CELLS_PROGRESS_H

#include "cli/progress.h"

#include <kelvin/experiment.h>

struct cells_progress {
    struct progress whole;
    size_t cells, done, of; /* all that were listed; ended, of those that are not the same */
    struct cell_seen *seen; /* (cells) */
    struct bar *bars;       /* (cells + 1) */
    char *screen;           /* ((cells + 1) * BAR_LINE) */
};

KELVIN_MUST_CHECK kelvin_status cells_progress_start(struct cells_progress *progress,
                                                     const kelvin_experiment *experiment);

/* A kelvin_experiment_watch: false if someone asked to stop. */
bool cells_progress_watch(void *progress, const kelvin_experiment *experiment, const kelvin_cell_news *news);

/* Clears the lines. Also after a start that failed. */
void cells_progress_end(struct cells_progress *progress);

/* What an experiment would cost, a line each, on standard output. */
KELVIN_MUST_CHECK kelvin_status cells_print_plan(const kelvin_experiment *experiment, size_t threads);

/* All of that: samples with progress on standard error, and stops where a signal asks for it. */
KELVIN_MUST_CHECK kelvin_status cells_sample(kelvin_experiment *experiment, const kelvin_run_options *options);

#endif
