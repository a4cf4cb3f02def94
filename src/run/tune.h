/* tune: the kernel of a run that looks at all data, from its posterior. Some chains of it are sampled in memory, tuned
 * together; what they come to is written down as numbers, so that the run's own chains are of a fixed kernel, do not
 * depend on each other, and can be repeated from run.json. */
#ifndef RUN_TUNE_H
#define RUN_TUNE_H

#include "run/fields.h"
#include "run/room.h"

/* Asked now and then; false: stop, with KELVIN_ESTOP. */
typedef bool kelvin_tune_watch(void *context);

struct kelvin_tuner {
    const kelvin_data *data;
    kelvin_config_said *said; /* which fields stay as they are; NULL: none does */
    const void *whose;
    size_t threads; /* 0: one per CPU; no number depends on it */
    kelvin_tune_watch *watch;
    void *context;
};

/* What was found, beside the numbers in a configuration. */
struct kelvin_tuned {
    char scale[KELVIN_RAW]; /* the text that config->scale is then */
    size_t chains;          /* by which it was found */
    double acceptance;      /* of what has it, afterwards; not a number: nothing is rejected */
    double draws;           /* that are worth one independent one, by what networks say of training rows */
};

/* Fills in what is open of step size, steps, jitter, length and scale; iterations and warm-up, so that there are
 * hundreds of independent draws. Everything else of the configuration is as it will be. Does nothing for samplers that
 * look at batches. KELVIN_EDIVERGED, with what helps, if chains get nowhere. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_tune(kelvin_run_config *config, struct kelvin_tuned *tuned,
                                                const struct kelvin_tuner *how);

#endif
