/* The plain pieces: means, variances, quantiles, and R-hat as the paper computes it (its figure 1; Gelman and Rubin,
 * 1992): W = mean over chains of the variance within, V = variance of the chain means,
 * R = sqrt(((N-1)/N W + V) / W). */
#include "posterior/stats.h"

#include <math.h>
#include <stdlib.h>

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

/* A start good to 5e-4 (Abramowitz and Stegun, 26.2.23), and two of Halley's steps on Phi(z) - p, each of which cubes
 * the error. erfc keeps its relative precision in the tail, and so does z. */
double kelvin_normal_quantile(double p)
{
    if (p > 0.5) return -kelvin_normal_quantile(1.0 - p); /* exact: 1 - p needs no rounding here */
    const double t = sqrt(-2.0 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int step = 0; step < 2; step++) {
        const double density = exp(-0.5 * z * z) * 0.3989422804014327;
        const double error = (0.5 * erfc(-z * 0.7071067811865476) - p) / density;
        z -= error / (1.0 + 0.5 * z * error);
    }
    return z;
}

double kelvin_log_sum_exp(const float *z, size_t classes)
{
    float largest = z[0];
    double sum = 0.0;
    for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
    for (size_t k = 0; k < classes; k++) sum += exp((double)z[k] - (double)largest);
    return (double)largest + log(sum);
}

/* As Mann and Whitney have it: the share of pairs in which the second score is the larger, equal ones as half. Both
 * lists are sorted and walked through together. */
double kelvin_auroc(double *in, size_t n_in, double *out, size_t n_out)
{
    if (n_in == 0 || n_out == 0) return NAN;
    kelvin_sort(in, n_in);
    kelvin_sort(out, n_out);
    double pairs = 0;
    for (size_t i = 0, below = 0, through = 0; i < n_out; i++) {
        while (below < n_in && in[below] < out[i]) below++;
        while (through < n_in && in[through] <= out[i]) through++;
        pairs += 0.5 * ((double)below + (double)through);
    }
    return pairs / ((double)n_in * (double)n_out);
}
