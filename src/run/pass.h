/* pass: the network of a run forward over plain inputs, whatever their labels.
 *
 *     struct kelvin_pass pass;
 *     kelvin_status st = kelvin_pass_create(&pass, run, threads);
 *     if (!st) st = kelvin_pass_see(&pass, x, n);                        // at most pass.batch inputs
 *     if (!st) kelvin_pass_logits(&pass, logits, theta);                 // for each theta
 *     kelvin_pass_destroy(&pass);
 */
#ifndef RUN_PASS_H
#define RUN_PASS_H

#include "run/room.h"

#include <kelvin/target.h>

struct kelvin_pass {
    kelvin_posterior *posterior;
    size_t batch; /* inputs at a time, at most */
    int32_t *y;   /* (batch), 0: nobody looks at them */
};

/* On so many threads; the bits do not depend on them. */
KELVIN_MUST_CHECK kelvin_status kelvin_pass_create(struct kelvin_pass *pass, const kelvin_run *run, size_t threads);

/* The inputs that come next, (n, inputs); they stay where they are until the first logits. */
KELVIN_MUST_CHECK kelvin_status kelvin_pass_see(struct kelvin_pass *pass, const float *x, size_t n);

/* Their logits at theta, (n, classes). */
void kelvin_pass_logits(struct kelvin_pass *pass, float *logits, const float *theta);

/* Fine on one whose creation failed. */
void kelvin_pass_destroy(struct kelvin_pass *pass);

#endif
