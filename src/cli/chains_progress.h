/* chains_progress: how far the chains of a run are. On a terminal a line for each chain at work and one for the whole,
 * elsewhere now and then a line for the whole.
 *
 *     struct chains_progress progress;
 *     kelvin_status st = chains_progress_start(&progress, run);
 *     if (!st) st = kelvin_run_sample(&run, 1, &options, chains_progress_watch, &progress);
 *     chains_progress_end(&progress);
 *
 *     chain 3 [=======>        ] epoch  412/1000, train  97.4 %, confidence  91.2 %, log-posterior -1.23e+04
 *     chain 4 [====>           ] epoch  251/1000, train  96.8 %, confidence  90.3 %, log-posterior -1.31e+04
 *     all     [======>         ]  41 %, 1 min 20 s left, 2 of 8 chains done, 12,340 images/s
 *
 * What is said of a chain follows from the columns of its history (kelvin_statistic). What a chain had done when it was
 * heard of first is not work of this session: time left does not count it.
 */
#ifndef CLI_CHAINS_PROGRESS_H
#define CLI_CHAINS_PROGRESS_H

#include "cli/progress.h"

struct chain_seen {
    kelvin_chain_news news; /* the last */
    uint64_t before;        /* steps it had done when it was heard of first */
    double speed;           /* steps per second; this and values are smoothed: */
    double *value;          /* (columns): digits that change all the time cannot be read */
    uint32_t told;          /* news that had values */
    bool heard;
};

struct chains_progress {
    struct progress whole;
    const kelvin_run *run;
    size_t columns; /* of the run's histories */
    uint32_t chains;
    struct chain_seen *seen; /* (chains) */
    double *values;          /* (chains, columns) */
    uint64_t steps;          /* of one chain */
    bool logits;             /* the chains have ended; the whole is about samples now */
    struct bar *bars;        /* (chains + 1) */
    char *screen;            /* ((chains + 1) * BAR_LINE) */
};

KELVIN_MUST_CHECK kelvin_status chains_progress_start(struct chains_progress *progress, const kelvin_run *run);

/* What batches are of: "images", or of a table "rows". */
const char *observations_name(const kelvin_run *run);

/* A kelvin_run_watch: shows what there is to show; false if someone asked to stop. */
bool chains_progress_watch(void *progress, const kelvin_run *run, const kelvin_chain_news *news);

/* Clears the lines. Also after a start that failed. */
void chains_progress_end(struct chains_progress *progress);

#endif
