/* simplex: predictions over three classes as points of a triangle, particles that climb a density there, and the phase
 * diagram of gradient steps. The true class is class 0, at the top; places are those of src/figures/simplex.h.
 *
 *     kelvin_density *density = explorer_simplex_create("dirichlet:0.01", EXPLORER_POSTERIOR);  // NULL:
 * explorer_error() explorer_simplex_scatter(z, 0, 0, 100); explorer_simplex_climb(density, z, 100, 1000); size_t wrong
 * = explorer_simplex_ended_wrong(density, 0, 0, 10000);                        // 3040
 *     explorer_simplex_destroy(density);
 */
#ifndef EXPLORER_SIMPLEX_H
#define EXPLORER_SIMPLEX_H

#include "web/c/explorer.h"

#include <kelvin/density.h>

/* The categorical likelihood; a density without the likelihood; with it. */
enum explorer_panel { EXPLORER_LIKELIHOOD, EXPLORER_PRIOR, EXPLORER_POSTERIOR };

EXPLORER kelvin_density *explorer_simplex_create(const char *text, enum explorer_panel panel);
EXPLORER void explorer_simplex_destroy(kelvin_density *density);

/* Whether the density is one of logits: then it is shown at z = log p, and there is no mass of predictions. */
EXPLORER bool explorer_simplex_of_logits(const kelvin_density *density);

/* The logarithm of the density divided by its mean, (rows, columns) from below, over the box around the triangle and
 * `margin` of its width on each side. */
EXPLORER void explorer_simplex_raster(const kelvin_density *density, float *out, size_t columns, size_t rows,
                                      double margin);
/* Black and white of the published picture: the logarithm of 26. */
EXPLORER double explorer_simplex_contrast(void);

/* Where a small gradient step leads, at those of grid x grid points that are inside: x, y, dx, dy of each; how many. */
EXPLORER size_t explorer_simplex_field(const kelvin_density *density, double *out, size_t grid);

/* Logits z (n, 3) of predictions `first` .. of those that `seed` spreads evenly; of the places (n, 2), or the nearest
 * inside; and the places of logits. */
EXPLORER void explorer_simplex_scatter(double *z, size_t seed, size_t first, size_t n);
EXPLORER void explorer_simplex_logits(double *z, const double *places, size_t n);
EXPLORER void explorer_simplex_places(double *places, const double *z, size_t n);

/* How a particle climbs: the length of a gradient step in its logits, and after how many it has ended. */
EXPLORER double explorer_simplex_rate(void);
EXPLORER size_t explorer_simplex_steps(void);
/* So many steps of each of n particles. */
EXPLORER void explorer_simplex_climb(const kelvin_density *density, double *z, size_t n, size_t steps);
/* Whether another class is at least as probable as the true one. */
EXPLORER bool explorer_simplex_is_wrong(const double *z);
/* How many of the particles `first` .. of `seed` are wrong after all steps. */
EXPLORER size_t explorer_simplex_ended_wrong(const kelvin_density *density, size_t seed, size_t first, size_t n);

/* The share of the density where the true class has less than one half. NaN if the integral is not finite (then
 * explorer_simplex_exponent is 0 or below) or takes too long. */
EXPLORER double explorer_simplex_mass(const kelvin_density *density);
EXPLORER double explorer_simplex_exponent(const kelvin_density *density);

/* ---- the phase diagram: one wrong class has 1 - rest, the others share the rest ---- */

EXPLORER size_t explorer_phase_most_classes(void);
/* Below that alpha a gradient step misleads where a prediction is wrong and sure of it. */
EXPLORER double explorer_phase_critical(size_t classes);
EXPLORER bool explorer_phase_misleads(const kelvin_density *density, size_t classes);
/* Change of the true class's log-probability per unit of step size; (rows, columns) of it from alpha = 0 upwards and
 * from rest = 1 (p_wrong = 0) on, at the centres of cells. */
EXPLORER double explorer_phase_change(size_t classes, double alpha, double rest);
EXPLORER bool explorer_phase_raster(float *out, size_t classes, size_t columns, size_t rows);
/* Where the change is 0: p_wrong and alpha of each point, from alpha = 0 on; how many, at most `most`; 0: nowhere. */
EXPLORER size_t explorer_phase_boundary(double *out, size_t classes, size_t most);

#endif
