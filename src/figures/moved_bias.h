/* moved_bias: what a Dirichlet prior and the likelihood of one image say of a network, as one bias of its outputs
 * moves.
 *
 *     status = kelvin_looked_at_take(&images, i, 1);
 *     of[0].bias = -100, of[1].bias = 100;
 *     if (!status) status = kelvin_move_bias(of, 2, &images, theta, 1e-4);
 */
#ifndef FIGURES_MOVED_BIAS_H
#define FIGURES_MOVED_BIAS_H

#include "figures/looked_at.h"

/* Log-densities with this bias of class 0. */
struct moved_bias {
    double bias; /* filled in by the caller */
    double prior, posterior, likelihood;
};

/* Of the first of the images; all other parameters are as in theta. */
KELVIN_MUST_CHECK kelvin_status kelvin_move_bias(struct moved_bias *of, size_t n, const struct looked_at *images,
                                                 const float *theta, double alpha);

#endif
