/* simulation: distribution functions by random draws, from densities alone.
 *
 *     struct tempered target[2];                                      // unnormalised densities on [0, 1]
 *     struct simulated *of = kelvin_alloc(2 * n, sizeof *of);
 *     status = kelvin_simulate_cdf(of, target, 2, z, n, options);
 *     of[k * n + i].cdf                                               // of target k at z[i], +- .error
 */
#ifndef FIGURES_SIMULATION_H
#define FIGURES_SIMULATION_H

#include "base/random.h"
#include "figures/figure.h"
#include "figures/tempered.h"

/* Draw i is kelvin_uniform of this stream at index i. */
enum { SIMULATION_STREAM = KELVIN_STREAM_USER + 40 };

struct simulated {
    double cdf, error; /* P(Z <= z), and its standard error */
    double count; /* how many draws of equal weight those on the poorer side of z are worth: the error wants many */
};

/* `of` (targets, points) gets the estimates for the densities target[k] at z[i], which must rise from 0 to 1. Of the
 * options draws, seed, threads and watch count; the results are the same bits for any number of threads. */
KELVIN_MUST_CHECK kelvin_status kelvin_simulate_cdf(struct simulated *of, const struct tempered *target, size_t targets,
                                                    const double *z, size_t points,
                                                    const struct figure_options *options);

/* Standard errors between the estimate and the exact value; -1 where too few draws count to tell. */
double kelvin_simulated_deviation(const struct simulated *simulated, double exact);

#endif
