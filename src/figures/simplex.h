/* simplex: predictions over three classes as points of a triangle with sides of length 1. The true class is class 0 and
 * has the upper corner, class 1 the left one, class 2 the right one. Paper: figure "dirichlet-gradients".
 *
 *     double p[SIMPLEX] = {0.2, 0.5, 0.3}, z[SIMPLEX];
 *     const struct place at = simplex_place(p);           // (0.4, 0.2 * SIMPLEX_HEIGHT)
 *     simplex_logits(z, p);
 *     const struct place to = simplex_move(&density, z);  // where the gradient in the logits leads
 */
#ifndef FIGURES_SIMPLEX_H
#define FIGURES_SIMPLEX_H

#include <kelvin/density.h>

enum { SIMPLEX = 3, SIMPLEX_LABEL = 0 };

#define SIMPLEX_HEIGHT 0.86602540378443864676 /* sqrt(3)/2 */

struct place {
    double x, y;
};

struct place simplex_place(const double p[SIMPLEX]);

/* The reverse; some probabilities are negative where `at` is outside the triangle. */
void simplex_prediction(double p[SIMPLEX], struct place at);

/* Moves p, if need be, to the nearest prediction whose probabilities are all at least `least` (below 1/3). */
void simplex_confine(double p[SIMPLEX], double least);

/* z = log p, finite for p > 0; and back. */
void simplex_logits(double z[SIMPLEX], const double p[SIMPLEX]);
void simplex_probabilities(double p[SIMPLEX], const double z[SIMPLEX]);

/* d place / d epsilon as the logits take a small step z + epsilon * gradient of the log-density. */
struct place simplex_move(const kelvin_density *density, const double z[SIMPLEX]);

/* Prediction `index` of those that `seed` spreads evenly over the simplex. */
void simplex_uniform(double p[SIMPLEX], uint64_t seed, uint64_t index);

/* ---- mass.c ---- */

/* The concentrations that it works for: to 1e-10 from 1e-3 to 1e3; below that to about 1e-13 / alpha. */
#define MASS_LEAST 1e-9
#define MASS_MOST  1e3

/* How much of a density lies where the true class has a probability below one half: 0.0136 for dirichlet:0.01 and the
 * likelihood. `density` is as high as p^(alpha - 1) or lower where any p goes to zero. NaN unless MASS_LEAST <= alpha
 * <= MASS_MOST: for alpha <= 0 the integral is not finite. */
double mass_below_half(const kelvin_density *density, double alpha);

#endif
