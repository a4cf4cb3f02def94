/* tune: what samplers that tune themselves have in common: the parts of a warm-up, and scales.
 *
 * A warm-up has three equal parts. In the first a chain finds its place, and scales are learned in windows, each twice
 * as long as the one before; in the second and the third the rest is tuned in units of these scales, which stay. */
#ifndef SAMPLER_TUNE_H
#define SAMPLER_TUNE_H

#include "sampler/state.h"

enum { KELVIN_FIND, KELVIN_MEASURE, KELVIN_SETTLE, KELVIN_WARM };

/* Which part a step is in; KELVIN_WARM after the last. */
int kelvin_stage(const kelvin_moment *moment);

/* Whether it is the last step of its part; of a window of the first part. */
bool kelvin_stage_ends(const kelvin_moment *moment);
bool kelvin_window_ends(const kelvin_moment *moment);

/* ---- scales ----
 * Of a Gaussian of width s the gradient has the width 1 / s, also where only a small part of it has been seen: the
 * scale is the root of the width of theta over that of the gradient, of all chains and of all parameters of a group. */
enum { KELVIN_SCALE, KELVIN_SPREAD, KELVIN_SLOPE, KELVIN_SLOPE_SPREAD };

static inline bool kelvin_scale_is_tuned(const kelvin_sampler *s)
{
    return s->known[KELVIN_SPREAD];
}

/* Of a new chain: all are 1, unless they are given. */
void kelvin_scale_start(kelvin_sampler *sampler);

/* Adds where the chain is to the running mean (n) of its window, of `count` places; where scales are tuned also to what
 * is known of them. `grad` is in units of scales. */
void kelvin_window_add(kelvin_sampler *sampler, float *mean, double *count, const float *grad);
void kelvin_window_begin(kelvin_sampler *sampler, float *mean, double *count);

/* The scales that the windows of all chains tell, for all of them. */
void kelvin_scale_learn(kelvin_sampler *const *chains, size_t n, double temperature);

#endif
