/* mass: how much of a density over the simplex lies where the true class has a probability below one half.
 *
 *     const double share = mass_below_half(&posterior, 0.01);     // 0.0136 for dirichlet:0.01 and the likelihood
 */
#ifndef FIGURES_MASS_H
#define FIGURES_MASS_H

#include <kelvin/density.h>

/* The concentrations that it works for: to 1e-10 from 1e-3 to 1e3; below that to about 1e-13 / alpha. */
#define MASS_LEAST 1e-9
#define MASS_MOST  1e3

/* `density` is as high as p^(alpha - 1) or lower where any p goes to zero. NaN unless MASS_LEAST <= alpha <= MASS_MOST:
 * for alpha <= 0 the integral is not finite. */
double mass_below_half(const kelvin_density *density, double alpha);

#endif
