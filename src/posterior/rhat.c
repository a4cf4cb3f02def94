/* R-hat as the paper computes it (its figure 1; Gelman and Rubin, 1992):
 * W = mean over chains of the variance within, V = variance of the chain means, R = sqrt(((N-1)/N W + V) / W). */
#include <kelvin/posterior.h>

#include "posterior/stats.h"

#include <math.h>

double kelvin_mean(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] - x[0]; /* from x[0]: equal numbers have exactly that mean */
    return x[0] + sum / (double)n;
}

static double variance(const double *x, size_t n, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)(n - 1);
}

kelvin_average kelvin_averaged(const double *x, size_t n)
{
    const double mean = n > 0 ? kelvin_mean(x, n) : (double)NAN;
    return (kelvin_average){.mean = mean, .error = n > 1 ? sqrt(variance(x, n, mean) / (double)n) : (double)NAN};
}

void kelvin_spread(double *within, double *total, const double *x, size_t chains, size_t n)
{
    double mean_of_means = 0.0, squares = 0.0;
    *within = 0.0;
    for (size_t m = 0; m < chains; m++) { /* the variance of the means as they come, by Welford's recurrence */
        const double mean = kelvin_mean(x + m * n, n), delta = mean - mean_of_means;
        mean_of_means += delta / (double)(m + 1);
        squares += delta * delta * (double)m / (double)(m + 1);
        *within += variance(x + m * n, n, mean) / (double)chains;
    }
    const double between = chains > 1 ? squares / (double)(chains - 1) : 0.0;
    *total = (double)(n - 1) / (double)n * *within + between;
}

double kelvin_rhat(const double *x, size_t chains, size_t draws)
{
    if (chains < 2 || draws < 2) return NAN;
    double within, total;
    kelvin_spread(&within, &total, x, chains, draws);
    if (within == 0.0) return total == 0.0 ? 1.0 : INFINITY;
    return sqrt(total / within);
}
