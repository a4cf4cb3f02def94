/* ndg-logprobs(alpha): -1/2 sum_k (l_k - (mean_k - mean_y))^2 / variance_k. The NDG posterior over log-probabilities:
 * means are moved so that the true class has mean 0. */
#include "density/ndg.h"

static void add(const block *b, const double *param)
{
    const struct ndg d = ndg_of(param[0]);
    const real c[] = {(real)d.gap, 0, (real)(1.0 / d.variance[0]), (real)(1.0 / d.variance[1])};
    each_class(b, two_normals_term, c);
}

DENSITY(ndg_logprobs,
        .member = {"ndg-logprobs", "ndg-logprobs:alpha", "-1/2 sum_k (l_k - (mu_k - mu_y))^2 / s2_k",
                   KELVIN_PARAMETERS(POSITIVE("alpha"))},
        .sees_label = true);
