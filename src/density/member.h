/* member: what the files of single densities and priors share. Each is written for `real` and compiled twice, with
 * REAL=float (KELVIN_BLOCK observations side by side) and with REAL=double (one). All about a density is in its file:
 *
 *     // symmetric(alpha): sum_k (alpha / K - 1) l_k
 *     #include "density/member.h"
 *
 *     INLINE struct term term(struct class_view v, const real *c)             // of one class: value and slope
 *     {
 *         return (struct term){c[0] * v.x, c[0]};
 *     }
 *
 *     static void add(const block *b, const double *param)
 *     {
 *         const real c[] = {(real)(param[0] / (double)b->classes - 1.0)};     // what the formula needs
 *         each_class(b, term, c);
 *     }
 *
 *     DENSITY(symmetric, .member = {"symmetric", "symmetric:alpha", "sum_k (alpha / K - 1) l_k",
 *                                   KELVIN_PARAMETERS(POSITIVE("alpha"))});
 *
 * and the table in density.c (prior.c) has its row. types.h says what else a member can tell about itself. A formula
 * must do without branches: lanes choose, they do not jump.
 */
#ifndef DENSITY_MEMBER_H
#define DENSITY_MEMBER_H

#include "density/types.h"

#include <tgmath.h>

typedef REAL real;

#define NAME_3(name, type) name##_##type
#define NAME_2(name, type) NAME_3(name, type)
#define NAME(name)         NAME_2(name, REAL)
#define INLINE             static inline __attribute__((always_inline))

/* Of the two compilations one alone uses it. */
#define ONCE static __attribute__((unused))

enum { LANES = NAME(LANES) };

typedef struct NAME(block) block;

/* Parameters, by what they may be. The limits keep what is computed from them (squares, reciprocals) finite in float.
 */
#define ANY(name)                                                                                                      \
    {                                                                                                                  \
        name, -1e30, 1e30, .above = true, .below = true                                                                \
    }
#define NEGATIVE(name)                                                                                                 \
    {                                                                                                                  \
        name, -1e30, 0, .above = true, .below = true                                                                   \
    }
#define POSITIVE(name)                                                                                                 \
    {                                                                                                                  \
        name, 1e-15, 1e15, .above = true, .below = true                                                                \
    }
#define FRACTION(name)                                                                                                 \
    {                                                                                                                  \
        name, 0, 1, .above = true, .below = true                                                                       \
    }

/* What a file ends with: its function `add` in float, or in double with all that there is to say of the member. */
#define DENSITY NAME(DENSITY)
#define DENSITY_float(id, ...)                                                                                         \
    density_add_float kelvin_density_##id##_float;                                                                     \
    void kelvin_density_##id##_float(const block *b, const double *param)                                              \
    {                                                                                                                  \
        add(b, param);                                                                                                 \
    }                                                                                                                  \
    extern const kelvin_density_type kelvin_density_##id
#define DENSITY_double(id, ...)                                                                                        \
    density_add_float kelvin_density_##id##_float;                                                                     \
    extern const kelvin_density_type kelvin_density_##id;                                                              \
    const kelvin_density_type kelvin_density_##id = {                                                                  \
        .add_float = kelvin_density_##id##_float, .add_double = add, __VA_ARGS__}

#define PRIOR NAME(PRIOR)
#define PRIOR_float(id, ...)                                                                                           \
    prior_add_float kelvin_prior_##id##_float;                                                                         \
    void kelvin_prior_##id##_float(double *logp, real *grad, const real *theta, size_t n, const double *param)         \
    {                                                                                                                  \
        add(logp, grad, theta, n, param);                                                                              \
    }                                                                                                                  \
    extern const kelvin_prior_type kelvin_prior_##id
#define PRIOR_double(id, ...)                                                                                          \
    prior_add_float kelvin_prior_##id##_float;                                                                         \
    extern const kelvin_prior_type kelvin_prior_##id;                                                                  \
    const kelvin_prior_type kelvin_prior_##id = {.add_float = kelvin_prior_##id##_float, .add_double = add, __VA_ARGS__}

/* What a density may look at: one class of one observation. */
struct class_view {
    real x;         /* log-probability (or logit) */
    bool is_label;  /* the class is the true one */
    real top_share; /* 1 if it alone has the largest x, 1/n if n classes do, else 0 */
};

struct term {
    real value, slope;
};

typedef struct term term_function(struct class_view v, const real *c);

INLINE void add_terms(real *restrict value, real *restrict g, const block *b, size_t k, term_function *term,
                      const real *c)
{
    const real *x = b->x + k * b->row;
    for (size_t i = 0; i < LANES; i++) {
        const real share = b->share[i];
        const struct class_view v = {x[i], b->y[i] == (int32_t)k, x[i] == b->top[i] ? share : 0};
        const struct term t = term(v, c);
        if (value) value[i] += t.value;
        g[i] += t.slope;
    }
}

/* Adds the value and slope of every class. Inlined with and without values: samplers mostly want the gradient alone. */
INLINE void each_class(const block *b, term_function *term, const real *c)
{
    if (b->value)
        for (size_t k = 0; k < b->K; k++) add_terms(b->value, b->g + k * b->row, b, k, term, c);
    else
        for (size_t k = 0; k < b->K; k++) add_terms(NULL, b->g + k * b->row, b, k, term, c);
}

/* Parameter priors: terms are summed in double whatever the parameters are; slopes are as precise as these. */
INLINE void each_parameter(double *logp, real *restrict grad, const real *restrict theta, size_t n,
                           double (*value)(double x, const double *param), const double *param,
                           real (*slope)(real x, const real *c), const real *c)
{
    if (logp) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) sum += value((double)theta[i], param);
        *logp = sum;
    }
    if (grad)
        for (size_t i = 0; i < n; i++) grad[i] += slope(theta[i], c);
}

#endif
