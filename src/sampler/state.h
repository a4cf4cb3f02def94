/* state: a chain as a sampler's own file sees it. */
#ifndef SAMPLER_STATE_H
#define SAMPLER_STATE_H

#include "base/random.h"
#include "kernels/kernels.h"
#include "sampler/sampler.h"

struct kelvin_sampler {
    const kelvin_sampler_type *type;
    const struct kelvin_kernels *kernels;
    kelvin_target target;
    size_t n;
    double setting[KELVIN_SETTINGS];
    double observations;
    uint64_t seed;
    uint32_t chain;
    const size_t *group_end;

    /* All that the next step needs. */
    float *theta;                        /* (n) */
    float *vector[KELVIN_STATE_VECTORS]; /* (n) each */
    double number[KELVIN_STATE_NUMBERS];
    float *known[KELVIN_SCALE_VECTORS]; /* (n) each, where scales are tuned (tune.h); of given ones the first alone */

    kelvin_step_info last;            /* of the last step */
    float *work[KELVIN_WORK_VECTORS]; /* (n) each: what follows from it, and what steps work in */
};

/* The random numbers of a step, for one purpose. */
static inline kelvin_random kelvin_sampler_random(const kelvin_sampler *s, uint32_t step, uint32_t stream)
{
    return (kelvin_random){s->seed, s->chain, step, stream};
}

static inline void kelvin_sampler_swap(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

/* A step of each chain, without what they learn from it: see kelvin_sampler_advance_all. */
void kelvin_sampler_step_all(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment,
                             const kelvin_lanes *lanes, float *work);

/* Log-density and gradient at a place; either may be NULL. */
static inline void kelvin_sampler_eval(const kelvin_sampler *s, double *logp, float *grad, const float *theta)
{
    s->target.eval(s->target.context, logp, grad, theta);
}

/* The same in units of scales: x is theta / scale, and its gradient scale times that in theta. */
static inline void kelvin_sampler_scaled_eval(const kelvin_sampler *s, double *logp, float *grad, const float *theta)
{
    const float *scale = kelvin_sampler_scale(s);
    kelvin_sampler_eval(s, logp, grad, theta);
    if (scale && grad) s->kernels->multiply(grad, scale, s->n);
}

#endif
