/* simplex: predictions over three classes as points of a triangle with sides of length 1, and what a density does to
 * them. The true class is class 0 and has the upper corner, class 1 the left one, class 2 the right one. Paper: figure
 * "dirichlet-gradients".
 *
 *     double p[SIMPLEX] = {0.2, 0.5, 0.3}, z[SIMPLEX];
 *     const struct place at = kelvin_simplex_place(p);           // (0.4, 0.2 * SIMPLEX_HEIGHT)
 *     kelvin_simplex_logits(z, p);
 *     const struct place to = kelvin_simplex_move(&density, z);  // where the gradient in the logits leads
 */
#ifndef FIGURES_SIMPLEX_H
#define FIGURES_SIMPLEX_H

#include "figures/figure.h"

#include "density/density.h"

enum { SIMPLEX = 3, SIMPLEX_LABEL = 0 };

#define SIMPLEX_HEIGHT 0.86602540378443864676 /* sqrt(3)/2 */

struct place {
    double x, y;
};

struct place kelvin_simplex_place(const double p[SIMPLEX]);

/* The reverse; some probabilities are negative where `at` is outside the triangle. */
void kelvin_simplex_prediction(double p[SIMPLEX], struct place at);

/* Moves p, if need be, to the nearest prediction whose probabilities are all at least `least` (below 1/3). */
void kelvin_simplex_confine(double p[SIMPLEX], double least);

/* z = log p, finite for p > 0; and back. */
void kelvin_simplex_logits(double z[SIMPLEX], const double p[SIMPLEX]);
void kelvin_simplex_probabilities(double p[SIMPLEX], const double z[SIMPLEX]);

/* Point (column, row) of n x n over the box around the triangle; false if it is not inside. */
bool kelvin_simplex_lattice(double p[SIMPLEX], size_t column, size_t row, size_t n);

/* log f, and the logarithm of the mean of f over SIMPLEX_MEAN x SIMPLEX_MEAN points of that box, those that are inside.
 * (For alpha < 1 a mean depends on how near to the corners one looks.) Nearer than SIMPLEX_EDGE to an edge, half the
 * distance of these points, a picture need not look. */
enum { SIMPLEX_MEAN = 500 };
#define SIMPLEX_EDGE (0.5 / (SIMPLEX_MEAN - 1))
double kelvin_simplex_log_density(const kelvin_density *density, const double p[SIMPLEX]);
double kelvin_simplex_log_mean(const kelvin_density *density);

/* d place / d epsilon as the logits take a small step z + epsilon * gradient of the log-density. */
struct place kelvin_simplex_move(const kelvin_density *density, const double z[SIMPLEX]);

/* Prediction `index` of those that `seed` spreads evenly over the simplex. */
void kelvin_simplex_uniform(double p[SIMPLEX], uint64_t seed, uint64_t index);

/* ---- ascent.c: particles that climb a log-density by gradient steps of their logits ---- */

struct ascent {
    const kelvin_density *density;
    double rate;
    size_t steps;
};

/* z += rate * gradient */
void kelvin_ascent_step(const struct ascent *ascent, double z[SIMPLEX]);

/* Whether another class is at least as probable as the true one: here, and after all steps from p. */
bool kelvin_ascent_is_wrong(const double z[SIMPLEX]);
bool kelvin_ascent_ends_wrong(const struct ascent *ascent, const double p[SIMPLEX]);

/* A particle stays near `at` from step `from` to step `until`. */
typedef void ascent_stay(void *context, struct place at, size_t from, size_t until);

/* The way of the particle that starts at p, as stays that are 0.015 of the triangle's side apart or further, and the
 * place of its last step. Of a way that does not end, the first four sides' length. */
void kelvin_ascent_follow(const struct ascent *ascent, const double p[SIMPLEX], ascent_stay *stay, void *context);

/* The share of predictions 0 .. draws-1 of kelvin_simplex_uniform from which a particle ends at a wrong class. Of the
 * options draws, seed, threads and watch count. */
KELVIN_MUST_CHECK kelvin_status kelvin_ascent_wrong_share(double *share, const struct ascent *ascent,
                                                          const struct figure_options *options);

/* ---- mass.c ---- */

/* The concentrations that it works for: to 1e-10 from 1e-3 to 1e3; below that to about 1e-13 / alpha. */
#define MASS_LEAST 1e-9
#define MASS_MOST  1e3

/* How much of a density lies where the true class has a probability below one half: 0.0136 for dirichlet:0.01 and the
 * likelihood. `density` is as high as p^(alpha - 1) or lower where any p goes to zero. NaN unless MASS_LEAST <= alpha
 * <= MASS_MOST: for alpha <= 0 the integral is not finite. */
double kelvin_mass_below_half(const kelvin_density *density, double alpha);

/* The same for a density of which nothing is known, and which may have corners: panels are halved until each of them
 * changes by no more than `tolerance` of the whole. NaN if the integral is not finite, or takes too long. */
double kelvin_mass_below_half_to(const kelvin_density *density, double tolerance);

/* A density is as high as p^(exponent - 1) or lower where any p goes to zero; its integral is finite if the exponent is
 * above 0. At most 1. */
double kelvin_mass_exponent(const kelvin_density *density);

#endif
