/* helpers: other ranks that compute logits of new inputs for the first, which reads the inputs: nobody else has to find
 * them, and they may come out of a pipe. A rank that helps opens the samples of the run that it is asked about. */
#ifndef POSTERIOR_HELPERS_H
#define POSTERIOR_HELPERS_H

#include "run/run.h"

enum { KELVIN_MOST_HELPERS = 31 }; /* each has inputs and logits in the memory of the first */

/* How many ranks compute for samples, this one among them; 1: nobody helps. */
size_t kelvin_helpers_count(const kelvin_samples *samples);

/* Asks a rank, 1 .. count - 1, for the logits of all samples at x (n, inputs); and gets them, z (samples, n, classes).
 */
KELVIN_MUST_CHECK kelvin_status kelvin_helper_ask(size_t rank, const kelvin_samples *samples, const float *x, size_t n);
KELVIN_MUST_CHECK kelvin_status kelvin_helper_get(float *z, size_t rank, const kelvin_samples *samples, size_t n);

/* Of logits_computed.c: logits of inputs that somebody else has read. */
struct kelvin_logits;
KELVIN_MUST_CHECK kelvin_status kelvin_logits_without_inputs(struct kelvin_logits **logits, kelvin_samples *samples,
                                                             size_t threads);
KELVIN_MUST_CHECK kelvin_status kelvin_logits_at_inputs(struct kelvin_logits *logits, const float **z, const float *x,
                                                        size_t n);

#endif
