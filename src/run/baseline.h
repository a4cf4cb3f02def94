/* baseline: what the plainest models say of the data of a run, to which it is compared: the frequencies of classes in
 * the training part, and a linear model (target/linear.h). RUN/baseline.safetensors has them, with the linear model's
 * logits at all data, so that they can be asked without the data. */
#ifndef RUN_BASELINE_H
#define RUN_BASELINE_H

#include "run/room.h"
#include "target/linear.h"

#define KELVIN_BASELINE_FILE "baseline.safetensors"

struct kelvin_baseline {
    struct kelvin_linear linear;
    float *frequency;            /* (classes) logarithms; a class without a row counts as half a row */
    size_t n[KELVIN_PARTS];      /* rows of each part, */
    float *logits[KELVIN_PARTS]; /* and what the linear model says of them, (n, classes); NULL of no rows */
};

/* Fitted to data that have their rows. kelvin_baseline_free it. */
KELVIN_MUST_CHECK kelvin_status kelvin_baseline_make(struct kelvin_baseline **baseline, const kelvin_data *data,
                                                     size_t threads);
void kelvin_baseline_free(struct kelvin_baseline *baseline); /* NULL is fine */

/* RUN/baseline.safetensors, where it is not there yet. */
KELVIN_MUST_CHECK kelvin_status kelvin_baseline_write(const kelvin_run *run, size_t threads);

/* That of a run: from its folder, else fitted to its data, which are opened for it. It is the run's own. NULL, and what
 * kelvin_error() says, if the data cannot be had any more. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_baseline(const struct kelvin_baseline **baseline, kelvin_run *run,
                                                    size_t threads);

/* z (n, classes): what the linear model says of n rows x (n, inputs), as they are normalised. `pass`: from
 * kelvin_baseline_pass; kelvin_posterior_destroy it. */
KELVIN_MUST_CHECK kelvin_status kelvin_baseline_pass(kelvin_posterior **pass, const struct kelvin_baseline *baseline,
                                                     size_t threads);
KELVIN_MUST_CHECK kelvin_status kelvin_baseline_look(const struct kelvin_baseline *baseline, kelvin_posterior *pass,
                                                     float *z, const float *x, size_t n);

#endif
