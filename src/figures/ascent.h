/* ascent: particles on the simplex that climb a log-density by gradient steps of their logits.
 *
 *     const struct ascent ascent = {&density, 0.05, 1000};
 *     double p[SIMPLEX], share;
 *     simplex_uniform(p, seed, 0);
 *     ascent_follow(&ascent, p, draw_it, context);
 *     KELVIN_TRY(ascent_wrong_share(&share, &ascent, options));
 */
#ifndef FIGURES_ASCENT_H
#define FIGURES_ASCENT_H

#include "figures/figure.h"
#include "figures/simplex.h"

struct ascent {
    const kelvin_density *density;
    double rate;
    size_t steps;
};

/* z += rate * gradient */
void ascent_step(const struct ascent *ascent, double z[SIMPLEX]);

/* A particle stays near `at` from step `from` to step `until`. */
typedef void ascent_stay(void *context, struct place at, size_t from, size_t until);

/* The way of the particle that starts at p, as stays that are 0.015 of the triangle's side apart or further, and the
 * place of its last step. Of a way that does not end, the first four sides' length. */
void ascent_follow(const struct ascent *ascent, const double p[SIMPLEX], ascent_stay *stay, void *context);

/* The share of predictions 0 .. draws-1 of simplex_uniform from which a particle ends at a wrong class: another class
 * is at least as probable as the true one. Of the options draws, seed, threads and watch count. */
KELVIN_MUST_CHECK kelvin_status ascent_wrong_share(double *share, const struct ascent *ascent,
                                                   const struct figure_options *options);

#endif
