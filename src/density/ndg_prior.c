/* ndg-prior(alpha): -1/2 sum_k (l_k - mean_0)^2 / variance_0, the prior that ndg-logprobs implies: every class is taken
 * for a wrong one. */
#include "density/ndg.h"

INLINE struct term term(struct class_view v, const real *c)
{
    return normal_term(v.x, c[0], c[1]);
}

static void add(const block *b, const double *param)
{
    const struct ndg d = ndg_of(param[0]);
    const real c[] = {(real)d.gap, (real)(1.0 / d.variance[0])};
    each_class(b, term, c);
}

DENSITY(ndg_prior, .member = {"ndg-prior", "ndg-prior:alpha", "-1/2 sum_k (l_k - mu_0)^2 / s2_0",
                              KELVIN_PARAMETERS(POSITIVE("alpha"))});
