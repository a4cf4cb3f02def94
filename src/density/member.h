/* member: what the files of single densities and priors share. Each is written for `real` and compiled twice, with
 * REAL=float (KELVIN_BLOCK observations side by side) and with REAL=double (one). A density's file holds its formula,
 *
 *     static inline struct term term(struct class_view v, const real *c)      // of one class: value and slope
 *     void NAME(kelvin_density_example)(const struct NAME(block) *b, const double *param)
 *     {
 *         const real c[] = {(real)param[0]};                                  // what the formula needs
 *         each_class(b, term, c);
 *     }
 *
 * and the table in density.c (prior.c) has its row. A formula must do without branches: lanes choose, they do not jump.
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

enum { LANES = NAME(LANES) };

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

INLINE void add_terms(real *restrict value, real *restrict g, const struct NAME(block) * b, size_t k,
                      term_function *term, const real *c)
{
    const real *x = b->x + k * LANES;
    for (size_t i = 0; i < LANES; i++) {
        const real share = b->share[i];
        const struct class_view v = {x[i], b->y[i] == (int32_t)k, x[i] == b->top[i] ? share : 0};
        const struct term t = term(v, c);
        if (value) value[i] += t.value;
        g[i] += t.slope;
    }
}

/* Adds the value and slope of every class. Inlined with and without values: samplers mostly want the gradient alone. */
INLINE void each_class(const struct NAME(block) * b, term_function *term, const real *c)
{
    if (b->value)
        for (size_t k = 0; k < b->K; k++) add_terms(b->value, b->g + k * LANES, b, k, term, c);
    else
        for (size_t k = 0; k < b->K; k++) add_terms(NULL, b->g + k * LANES, b, k, term, c);
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
