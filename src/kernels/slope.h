/* FRN's gradient, pixel by pixel, for those who make it where it is needed: struct frn_slope of kernels.h. */
#ifndef KERNELS_SLOPE_H
#define KERNELS_SLOPE_H

#include "kernels/kernels.h"
#include "kernels/wide.h"

/* Of one vector of channels of one image; least = max(tau, 0). */
struct slope {
    wide scale, pull, beta, least;
};

INLINE struct slope slope_load(const float *scale, const float *pull, const float *beta, const float *tau)
{
    return (struct slope){wide_load(scale), wide_load(pull), wide_load(beta), wide_max(wide_load(tau), (wide){0})};
}

/* u > max(tau, 0) */
INLINE wide_mask slope_passes(const struct slope *s, wide x)
{
    return wide_fma(s->scale, x, s->beta) > s->least;
}

/* dx = scale du + pull x */
INLINE wide slope_at(const struct slope *s, wide da, wide x)
{
    return wide_fma(s->pull, x, s->scale * wide_where(slope_passes(s, x), da));
}

#endif
