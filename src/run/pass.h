/* pass: the network of a run forward over plain inputs, whatever their labels.
 *
 *     struct kelvin_pass pass;
 *     kelvin_status st = kelvin_pass_create(&pass, run, most, threads);
 *     if (!st) st = kelvin_pass_logits(&pass, logits, theta, x, n);      // for each theta
 *     kelvin_pass_destroy(&pass);
 */
#ifndef RUN_PASS_H
#define RUN_PASS_H

#include "run/room.h"

#include <kelvin/target.h>

struct kelvin_pass {
    kelvin_posterior *posterior;
    size_t inputs, classes, batch;
    int32_t *y; /* (batch), 0: nobody looks at them */
};

/* Goes over inputs a batch at a time, on so many threads; the bits do not depend on them. */
KELVIN_MUST_CHECK kelvin_status kelvin_pass_create(struct kelvin_pass *pass, const kelvin_run *run, size_t threads);

/* x (n, inputs) -> logits (n, classes) at theta. */
KELVIN_MUST_CHECK kelvin_status kelvin_pass_logits(struct kelvin_pass *pass, float *logits, const float *theta,
                                                   const float *x, size_t n);

/* Fine on one whose creation failed. */
void kelvin_pass_destroy(struct kelvin_pass *pass);

#endif
