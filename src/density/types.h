/* types: what the tables of this room hold, and what their members are called with, in both precisions. */
#ifndef DENSITY_TYPES_H
#define DENSITY_TYPES_H

#include <kelvin/density.h>

/* ---- spec.c: the texts "name" and "name:value,value" by which densities and priors are asked for ---- */

/* The values that a parameter may have. */
enum spec_range { SPEC_ANY, SPEC_NEGATIVE, SPEC_POSITIVE, SPEC_FRACTION };

/* The part of a table's row that texts are about. */
struct spec {
    kelvin_member_info info;
    enum spec_range range[KELVIN_MAX_PARAMS];
};

/* The i-th row of a table, NULL after the last. */
typedef const struct spec *spec_at(size_t i);

/* Finds the row that `text` names and reads its parameters; `family` is what the table's members are called. */
KELVIN_MUST_CHECK kelvin_status kelvin_spec_parse(size_t *row, double param[KELVIN_MAX_PARAMS], const char *family,
                                                  spec_at *at, const char *text);

/* The text again, with as many digits as it takes to read back the same numbers. */
void kelvin_spec_format(char *out, size_t size, const struct spec *spec, const double param[KELVIN_MAX_PARAMS]);

/* ---- members ---- */

/* Observations that stand side by side: class k of observation i is at k * lanes + i. */
enum { LANES_float = KELVIN_BLOCK, LANES_double = 1 };

/* A density adds to `value` and to `g`, and sees the classes of an observation in one or several pieces (K of them). */
#define DENSITY_TYPES(real)                                                                                            \
    struct block_##real {                                                                                              \
        size_t K;                                                                                                      \
        const real *x;     /* (K, lanes) log-probabilities; logits if the density is one of logits */                  \
        const int32_t *y;  /* (lanes) the label, counted from the first class here; -1 if it is not here */            \
        const real *top;   /* (lanes) the largest x of the observation, and */                                         \
        const real *share; /* (lanes) 1 / number of classes that have it; only if `uses_top` */                        \
        real *value;       /* (lanes), or NULL */                                                                      \
        real *g;           /* (K, lanes) gradient in x */                                                              \
    };                                                                                                                 \
    typedef void density_add_##real(const struct block_##real *b, const double *param);                                \
    /* logp gets the sum, unless NULL; the gradient is added to grad, unless NULL */                                   \
    typedef void prior_add_##real(double *logp, real *grad, const real *theta, size_t n, const double *param)

DENSITY_TYPES(float);
DENSITY_TYPES(double);

/* A draw from a prior: number i is a function of (where, i) alone. */
typedef double prior_draw(const double *param, kelvin_random where, uint64_t i);

struct kelvin_density_type {
    struct spec spec;
    bool on_logits; /* a function of the logits themselves; such a density sees the label */
    bool uses_top;
    bool has_critical_alpha; /* its first parameter; see kelvin_density_misleads */
    density_add_float *add_float;
    density_add_double *add_double;
};

struct kelvin_prior_type {
    struct spec spec;
    bool linear; /* the gradient is a constant times theta, the value one times theta^2 */
    prior_add_float *add_float;
    prior_add_double *add_double;
    prior_draw *draw;
};

/* The likelihood, which the densities that do not see the label are combined with. */
density_add_float kelvin_density_categorical_float;
density_add_double kelvin_density_categorical_double;

static inline bool adds_likelihood(const kelvin_density *density)
{
    return density->likelihood && !density->type->spec.info.sees_label;
}

#endif
