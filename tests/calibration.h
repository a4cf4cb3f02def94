/* Simulation-based calibration (Talts et al. 2018), of any sampler. theta ~ N(0, 1) in 3 dimensions, five y_i ~ N(A
 * theta, 1) with a fixed A: the rank of the true theta among posterior draws is uniform if, and only if, the sampler
 * samples the posterior. */
#ifndef TESTS_CALIBRATION_H
#define TESTS_CALIBRATION_H

#include "sampler_helpers.h"

#include "base/random.h"

enum { SBC_DIM = 3, SBC_DATA = 5, RANKS = 16, REPEATS = 1600 };

/* Chi-square, 15 degrees of freedom: above it with probability 1e-4. */
#define CALIBRATED 44.3

struct calibration {
    const char *sampler;
    double setting[KELVIN_SETTINGS];
    uint32_t warmup, every; /* that many steps before a draw */
};

static const double design[SBC_DATA][SBC_DIM] = {
    {1.1, -0.4, 0.3}, {0.2, 0.9, -0.7}, {-0.6, 0.5, 1.2}, {0.8, 0.1, 0.4}, {-0.3, -1.0, 0.6}};

static inline void regression_eval(void *context, double *logp, float *grad, const float *theta)
{
    const double *y = context;
    double sum = 0, slope[SBC_DIM];
    for (int d = 0; d < SBC_DIM; d++) {
        sum -= 0.5 * (double)theta[d] * (double)theta[d];
        slope[d] = -(double)theta[d];
    }
    for (int i = 0; i < SBC_DATA; i++) {
        double rest = y[i];
        for (int d = 0; d < SBC_DIM; d++) rest -= design[i][d] * (double)theta[d];
        sum -= 0.5 * rest * rest;
        for (int d = 0; d < SBC_DIM; d++) slope[d] += rest * design[i][d];
    }
    if (logp) *logp = sum;
    for (int d = 0; grad && d < SBC_DIM; d++) grad[d] = (float)slope[d];
}

/* A truth and data that follow from it. */
static inline void simulate(double truth[SBC_DIM], double y[SBC_DATA], uint32_t repeat)
{
    const kelvin_random draw = {99, 0, repeat, KELVIN_STREAM_USER};
    for (uint64_t d = 0; d < SBC_DIM; d++) truth[d] = kelvin_normal(draw, d);
    for (uint64_t i = 0; i < SBC_DATA; i++) {
        y[i] = kelvin_normal(draw, 100 + i);
        for (int d = 0; d < SBC_DIM; d++) y[i] += design[i][d] * truth[d];
    }
}

static inline void rank_truth(size_t rank[SBC_DIM], const struct calibration *c, uint32_t repeat)
{
    double truth[SBC_DIM], y[SBC_DATA];
    const float start[SBC_DIM] = {0};
    const kelvin_target target = {SBC_DIM, regression_eval, y};
    simulate(truth, y, repeat);
    kelvin_sampler *chain = chain_of(c->sampler, &target, c->setting, 0, 7, repeat);
    kelvin_sampler_start(chain, start);
    memset(rank, 0, SBC_DIM * sizeof *rank);
    for (uint32_t i = 0; i < c->warmup + c->every * (RANKS - 1); i++) {
        kelvin_sampler_advance(chain, &(kelvin_moment){i, c->warmup, 1, 1});
        if (i < c->warmup || (i - c->warmup + 1) % c->every) continue;
        for (int d = 0; d < SBC_DIM; d++) rank[d] += (double)kelvin_sampler_theta(chain)[d] < truth[d];
    }
    kelvin_sampler_destroy(chain);
}

/* The largest chi-square of the parameters' ranks. */
static inline double calibrate(const struct calibration *c)
{
    size_t count[SBC_DIM][RANKS] = {{0}}, rank[SBC_DIM];
    double worst = 0;
    for (uint32_t r = 0; r < REPEATS; r++) {
        rank_truth(rank, c, r);
        for (int d = 0; d < SBC_DIM; d++) count[d][rank[d]]++;
    }
    for (int d = 0; d < SBC_DIM; d++) {
        double chi2 = 0;
        for (int k = 0; k < RANKS; k++) {
            const double off = (double)count[d][k] - (double)REPEATS / RANKS;
            chi2 += off * off / ((double)REPEATS / RANKS);
        }
        worst = fmax(worst, chi2);
    }
    return worst;
}

#endif
