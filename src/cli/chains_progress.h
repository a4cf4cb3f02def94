/* chains_progress: how far the chains of a run are. On a terminal a line for each chain at work and one for the whole,
 * elsewhere now and then a line for the whole.
 *
 *     struct chains_progress progress;
 *     kelvin_status st = chains_progress_start(&progress, run->config.chains);
 *     if (!st) st = kelvin_chains_run(chains, &options, chains_progress_watch, &progress);
 *     chains_progress_end(&progress);
 *
 *     chain 3 [=======>        ] epoch  412/1000, train  97.4 %, confidence  91.2 %, log-posterior -1.23e+04,
 * logits  31.2 chain 4 [====>           ] epoch  251/1000, train  96.8 %, confidence  90.3 %, log-posterior -1.31e+04,
 * logits  29.8 all     [======>         ]  41 %, 1 min 20 s left, 2 of 8 chains done, 12,340 images/s
 *
 * What a chain had done when it was heard of first is not work of this session: time left does not count it.
 */
#ifndef CLI_CHAINS_PROGRESS_H
#define CLI_CHAINS_PROGRESS_H

#include "cli/progress.h"

struct chain_seen {
    kelvin_chain_news news; /* the last */
    uint64_t before;        /* steps it had done when it was heard of first */
    double speed;           /* images per second, smoothed: digits that change all the time cannot be read */
    bool heard;
};

struct chains_progress {
    struct progress whole;
    uint32_t chains;
    struct chain_seen *seen; /* (chains) */
    uint64_t steps;          /* of one chain */
    bool logits;             /* the chains have ended; the whole is about samples now */
    double logits_per_s;     /* images */
    struct bar *bars;        /* (chains + 1) */
    char *screen;            /* ((chains + 1) * BAR_LINE) */
};

KELVIN_MUST_CHECK kelvin_status chains_progress_start(struct chains_progress *progress, uint32_t chains);

/* A kelvin_chains_watch: shows what there is to show; false if someone asked to stop. */
bool chains_progress_watch(void *progress, const kelvin_run *run, const kelvin_chain_news *news);

/* Clears the lines. Also after a start that failed. */
void chains_progress_end(struct chains_progress *progress);

#endif
