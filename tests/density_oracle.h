/* Densities of predictions as the paper writes them, class by class in long double: test_density.c compares with it. */
#ifndef DENSITY_ORACLE_H
#define DENSITY_ORACLE_H

#include "density/density.h"

#include <math.h>

typedef long double real;
typedef real class_term(real x, bool label, bool top, const double *param);

static real ndg_variance(double a, bool label)
{
    return logl(1.0L / ((real)a + label) + 1.0L);
}

static real ndg_mean(double a, bool label)
{
    return logl((real)a + label) - ndg_variance(a, label) / 2.0L;
}

static real normal(real x, real mean, real variance)
{
    return -0.5L * (x - mean) * (x - mean) / variance;
}

static real categorical(real l, bool label, bool top, const double *param)
{
    (void)top, (void)param;
    return label ? l : 0.0L;
}

static real dirichlet(real l, bool label, bool top, const double *param)
{
    (void)label, (void)top;
    return ((real)param[0] - 1.0L) * l;
}

static real dirclip(real l, bool label, bool top, const double *param)
{
    (void)label, (void)top;
    return ((real)param[0] - 1.0L) * fmaxl(l, param[1]);
}

static real ndg_logits(real z, bool label, bool top, const double *param)
{
    (void)top;
    return normal(z, ndg_mean(param[0], label), ndg_variance(param[0], label));
}

static real ndg_logprobs(real l, bool label, bool top, const double *param)
{
    (void)top;
    const real mean = ndg_mean(param[0], label) - ndg_mean(param[0], true);
    return normal(l, mean, ndg_variance(param[0], label));
}

static real ndg_prior(real l, bool label, bool top, const double *param)
{
    (void)label;
    return ndg_logprobs(l, false, top, param);
}

static real ndg_likelihood(real l, bool label, bool top, const double *param)
{
    (void)top;
    const real s0 = ndg_variance(param[0], false), s1 = ndg_variance(param[0], true);
    const real mu0 = ndg_mean(param[0], false) - ndg_mean(param[0], true), mu1 = 0.0L;
    const real A = (s0 * mu1 - s1 * mu0) / (s0 * s1), B = (s1 - s0) / (2.0L * s0 * s1);
    return label ? A * l + B * l * l : 0.0L;
}

static real confidence(real l, bool label, bool top, const double *param)
{
    (void)label;
    return top ? (1.0L / (real)param[0] - 1.0L) * l : 0.0L;
}

static const struct member {
    const char *text;
    class_term *term;
    bool on_logits;
} members[] = {
    {"categorical", categorical, false},
    {"dirichlet:0.37", dirichlet, false},
    {"dirichlet:-0.52", dirichlet, false},
    {"dirichlet:2.6", dirichlet, false},
    {"dirclip:0.85,-50", dirclip, false},
    {"dirclip:-0.5,-3.71", dirclip, false},
    {"dirclip:1.4,-2.23", dirclip, false},
    {"ndg-logits:0.013", ndg_logits, true},
    {"ndg-logprobs:0.013", ndg_logprobs, false},
    {"ndg-prior:0.013", ndg_prior, false},
    {"ndg-likelihood:0.013", ndg_likelihood, false},
    {"ndg-likelihood:3.3", ndg_likelihood, false},
    {"confidence:0.1", confidence, false},
    {"confidence:2.3", confidence, false},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* Value at z, and what its rounding errors depend on: sums over classes of |term|, |slope|, |curvature| */
struct expected {
    real value, size, slope, curvature;
    real range; /* the largest |l| or |z| */
};

static struct expected oracle(const struct member *m, const kelvin_density *d, const real *z, size_t K, size_t y)
{
    size_t top = 0;
    real sum = 0.0L;
    for (size_t k = 0; k < K; k++)
        if (z[k] > z[top]) top = k;
    for (size_t k = 0; k < K; k++) sum += expl(z[k] - z[top]);
    struct expected e = {0};
    for (size_t k = 0; k < K; k++) {
        const real l = z[k] - z[top] - logl(sum), step = 1e-3L;
        real t[3];
        for (int i = 0; i < 3; i++) {
            const real move = step * (i - 1);
            t[i] = m->term((m->on_logits ? z[k] : l) + move, k == y, k == top, d->param);
            if (d->likelihood) t[i] += categorical(l + move, k == y, false, NULL);
        }
        e.value += t[1];
        e.size += fabsl(t[1]);
        e.slope += fabsl(t[2] - t[0]) / (2.0L * step);
        e.curvature += fabsl(t[2] - 2.0L * t[1] + t[0]) / (step * step);
        e.range = fmaxl(e.range, fmaxl(fabsl(l), fabsl(z[k])));
    }
    return e;
}

/* With l_k off by a few units u in the last place of its range, the value is off by u * (slope * range + size), and the
 * gradient by u * (slope + curvature * range); K u of the former for sums over classes. */
static real value_error(const struct expected *e, size_t K, real u)
{
    return 4.0L * u * (e->slope * (e->range + 1.0L) + (real)K * e->size);
}

static real gradient_error(const struct expected *e, size_t K, real u)
{
    return 4.0L * u * (e->slope * ((real)K + e->range) + e->curvature * (e->range + 10.0L));
}

#endif
