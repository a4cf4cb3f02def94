/* dirichlet(alpha): sum_k (alpha - 1) l_k. Paper: section "Dirichlet prior". Not bounded for alpha < 1, so that a
 * posterior over parameters is improper: it is here to show the divergence. */
#include "density/member.h"

INLINE struct term term(struct class_view v, const real *c)
{
    return (struct term){c[0] * v.x, c[0]};
}

static void add(const block *b, const double *param)
{
    const real c[] = {(real)(param[0] - 1.0)};
    each_class(b, term, c);
}

DENSITY(dirichlet, .member = {"dirichlet", "dirichlet:alpha", "sum_k (alpha - 1) l_k", KELVIN_PARAMETERS(ANY("alpha"))},
        .has_critical_alpha = true);
