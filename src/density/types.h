/* types: what the tables of this room hold, and what their members are called with, in both precisions. */
#ifndef DENSITY_TYPES_H
#define DENSITY_TYPES_H

#include "base/block.h"
#include "base/random.h"
#include "density/density.h"

/* Observations that stand side by side: class k of observation i is at k * row + i, where a row is all of them, or more.
 */
enum { LANES_float = KELVIN_BLOCK, LANES_double = 1 };

/* A density adds to `value` and to `g`, and sees the classes of an observation in one or several pieces, each of K
 * classes that follow one another. What depends on how many classes there are must use `classes`, not K. */
#define DENSITY_TYPES(real)                                                                                            \
    struct block_##real {                                                                                              \
        size_t K;          /* classes that are here, of */                                                             \
        size_t classes;    /* so many of the observation */                                                            \
        size_t row;                                                                                                    \
        const real *x;     /* (K, row) log-probabilities; logits if the density is one of logits */                    \
        const int32_t *y;  /* (lanes) the label, counted from the first class here; -1 if it is not here */            \
        const real *top;   /* (lanes) the largest x of the observation, and */                                         \
        const real *share; /* (lanes) 1 / number of classes that have it; only if `uses_top` */                        \
        real *value;       /* (lanes), or NULL */                                                                      \
        real *g;           /* (K, row) gradient in x */                                                                \
    };                                                                                                                 \
    typedef void density_add_##real(const struct block_##real *b, const double *param);                                \
    /* logp gets the sum, unless NULL; the gradient is added to grad, unless NULL */                                   \
    typedef void prior_add_##real(double *logp, real *grad, const real *theta, size_t n, const double *param)

DENSITY_TYPES(float);
DENSITY_TYPES(double);

/* Of n groups of m weights, whose squares sum up to square[i]: adds their log-densities to *logp, unless that is NULL;
 * slope[i] is what each weight of a group is to be multiplied by for its gradient. */
typedef void prior_group(double *logp, float *slope, const double *square, size_t n, double m, const double *param);

/* A draw from a prior: number i is a function of (where, i) alone. */
typedef double prior_draw(const double *param, kelvin_random where, uint64_t i);

struct kelvin_density_type {
    kelvin_member member;
    bool sees_label; /* false for those that are priors over predictions */
    bool on_logits;  /* a function of the logits themselves; such a density sees the label */
    bool uses_top;
    bool has_critical_alpha; /* its first parameter; see kelvin_density_misleads */
    density_add_float *add_float;
    density_add_double *add_double;
};

struct kelvin_prior_type {
    kelvin_member member;
    bool linear;      /* the gradient is a constant times theta, the value one times theta^2 */
    size_t by_fan_in; /* so many of its first parameters are scales that depend on the inputs of a unit */
    prior_add_float *add_float;
    prior_add_double *add_double;
    prior_group *group; /* NULL, or what is added for all weights that read the same input of the network */
    prior_draw *draw;   /* NULL: there are none */
};

/* The likelihood, which the densities that do not see the label are combined with. */
extern const kelvin_density_type kelvin_density_categorical;

static inline bool adds_likelihood(const kelvin_density *density)
{
    return density->likelihood && !density->type->sees_label;
}

#endif
