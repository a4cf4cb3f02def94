/* ndg-logits(alpha): -1/2 sum_k (z_k - mean_k)^2 / variance_k. The NDG posterior over logits, prior and likelihood in
 * one. */
#include "density/ndg.h"

static void add(const block *b, const double *param)
{
    const struct ndg d = ndg_of(param[0]);
    const real c[] = {(real)d.mean[0], (real)d.mean[1], (real)(1.0 / d.variance[0]), (real)(1.0 / d.variance[1])};
    each_class(b, two_normals_term, c);
}

DENSITY(ndg_logits,
        .member = {"ndg-logits", "ndg-logits:alpha", "-1/2 sum_k (z_k - mu_k)^2 / s2_k",
                   KELVIN_PARAMETERS(POSITIVE("alpha"))},
        .sees_label = true, .on_logits = true);
