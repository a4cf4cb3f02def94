/* ndg-likelihood(alpha): A l_y + B l_y^2, the likelihood that ndg-logprobs implies: what is left of it after ndg-prior.
 * With mean_1 = 0, A = -mean_0 / variance_0 and B = (1 / variance_0 - 1 / variance_1) / 2. */
#include "density/ndg.h"

INLINE struct term term(struct class_view v, const real *c)
{
    const struct term t = {(c[0] + c[1] * v.x) * v.x, c[0] + 2 * c[1] * v.x};
    return (struct term){v.is_label ? t.value : 0, v.is_label ? t.slope : 0};
}

static void add(const block *b, const double *param)
{
    const struct ndg d = ndg_of(param[0]);
    const real c[] = {(real)(-d.gap / d.variance[0]), (real)((1.0 / d.variance[0] - 1.0 / d.variance[1]) / 2.0)};
    each_class(b, term, c);
}

DENSITY(ndg_likelihood,
        .member = {"ndg-likelihood", "ndg-likelihood:alpha", "A l_y + B l_y^2", KELVIN_PARAMETERS(POSITIVE("alpha"))},
        .sees_label = true);
