/* Predictions over three classes in the plane. The corners are at (1/2, sqrt(3)/2), (0, 0) and (1, 0), so
 *
 *     x = p_0 / 2 + p_2,   y = sqrt(3)/2 p_0,   and   dp_k = p_k d log p_k   under a step in the logits. */
#include "figures/simplex.h"
#include "base/random.h"
#include "figures/calculus.h"

#include <math.h>

struct place kelvin_simplex_place(const double p[SIMPLEX])
{
    return (struct place){0.5 * p[0] + p[2], SIMPLEX_HEIGHT * p[0]};
}

void kelvin_simplex_prediction(double p[SIMPLEX], struct place at)
{
    p[0] = at.y / SIMPLEX_HEIGHT;
    p[2] = at.x - 0.5 * p[0];
    p[1] = 1.0 - p[0] - p[2];
}

/* The nearest point subtracts one amount from all probabilities above `least` and leaves the others there. Which others
 * is found by trying: first none, then those that came out too small. */
void kelvin_simplex_confine(double p[SIMPLEX], double least)
{
    bool held[SIMPLEX] = {false};
    for (int round = 0; round < SIMPLEX; round++) {
        double excess = -1.0;
        int free = 0;
        for (int k = 0; k < SIMPLEX; k++) {
            excess += held[k] ? least : p[k];
            free += !held[k];
        }
        for (int k = 0; k < SIMPLEX; k++) p[k] = held[k] ? least : p[k] - excess / free;
        for (int k = 0; k < SIMPLEX; k++) held[k] |= p[k] < least;
    }
}

void kelvin_simplex_logits(double z[SIMPLEX], const double p[SIMPLEX])
{
    for (int k = 0; k < SIMPLEX; k++) z[k] = log(p[k]);
}

void kelvin_simplex_probabilities(double p[SIMPLEX], const double z[SIMPLEX])
{
    const double max = fmax(z[0], fmax(z[1], z[2]));
    double total = 0.0;
    for (int k = 0; k < SIMPLEX; k++) total += p[k] = exp(z[k] - max);
    for (int k = 0; k < SIMPLEX; k++) p[k] /= total;
}

bool kelvin_simplex_lattice(double p[SIMPLEX], size_t column, size_t row, size_t n)
{
    const double last = (double)(n - 1);
    kelvin_simplex_prediction(p, (struct place){(double)column / last, SIMPLEX_HEIGHT * (double)row / last});
    return fmin(p[0], fmin(p[1], p[2])) > 1e-9;
}

double kelvin_simplex_log_density(const kelvin_density *density, const double p[SIMPLEX])
{
    double z[SIMPLEX];
    kelvin_simplex_logits(z, p);
    return kelvin_density_eval(density, NULL, z, SIMPLEX, SIMPLEX_LABEL);
}

double kelvin_simplex_log_mean(const kelvin_density *density)
{
    struct log_sum total = log_sum_zero;
    double p[SIMPLEX];
    size_t n = 0;
    for (size_t i = 0; i < (size_t)SIMPLEX_MEAN * SIMPLEX_MEAN; i++) {
        if (!kelvin_simplex_lattice(p, i % SIMPLEX_MEAN, i / SIMPLEX_MEAN, SIMPLEX_MEAN)) continue;
        log_sum_add(&total, kelvin_simplex_log_density(density, p), 1.0);
        n++;
    }
    return total.max + log(total.sum / (double)n);
}

struct place kelvin_simplex_move(const kelvin_density *density, const double z[SIMPLEX])
{
    double p[SIMPLEX], change[SIMPLEX];
    kelvin_simplex_probabilities(p, z);
    kelvin_density_step(density, change, z, SIMPLEX, SIMPLEX_LABEL);
    for (int k = 0; k < SIMPLEX; k++) change[k] *= p[k];
    return kelvin_simplex_place(change);
}

/* Exponential variates divided by their sum are Dirichlet(1, 1, 1), which is uniform. */
void kelvin_simplex_uniform(double p[SIMPLEX], uint64_t seed, uint64_t index)
{
    const kelvin_random where = {.seed = seed, .stream = KELVIN_STREAM_USER + 1};
    double total = 0.0;
    for (int k = 0; k < SIMPLEX; k++) total += p[k] = -log(kelvin_uniform(where, SIMPLEX * index + (uint64_t)k));
    for (int k = 0; k < SIMPLEX; k++) p[k] /= total;
}
