/* Logits for tests, and what is to be said of them: plain loops in long double. Included once per test program, before
 * anything else. */
#ifndef EVALUATE_HELPERS_H
#define EVALUATE_HELPERS_H

#include "folder_helpers.h"

#include "base/random.h"
#include "logits_in_memory.h"
#include "posterior/diagnosis.h"
#include "posterior/evaluate.h"

#include <float.h>

enum { N = 157, K = 7, MOST = 24, VERY_MANY = 2300, BINS = 15 };

/* Logits with everything that is awkward: ties within a sample (also of all samples: a tied ensemble), labels at -50
 * and far below what exp can hold, large offsets. */
static inline float logit(size_t s, size_t i, size_t k, int32_t label)
{
    const kelvin_random where = {.seed = 2385, .chain = (uint32_t)s, .step = (uint32_t)i, .stream = 7};
    const bool is_label = (int32_t)k == label;
    const double z = 3 * kelvin_normal(where, k);
    switch (i % 8) {
    case 0:
        return (float)floor(z); /* ties */
    case 1:
        return k == 2 || k == 5 ? 4.25f : (float)fmin(z, 4); /* 2 and 5 tie in every sample, and in the ensemble */
    case 2:
        return (float)(is_label ? z - 50 : z);
    case 3:
        return (float)(is_label ? z - 1300 - 100 * (double)s : z); /* no sample has a probability that is not 0 */
    case 4:
        return (float)(is_label && s > 0 ? z - 5000 : z); /* but the first */
    case 5:
        return (float)(z + 30000);
    case 6:
        return (float)(is_label ? z + 12 : z); /* sure and right */
    default:
        return (float)z;
    }
}

static inline void make(float *logits, int32_t *y, size_t samples)
{
    for (size_t i = 0; i < N; i++) y[i] = (int32_t)kelvin_uniform_int((kelvin_random){.seed = 11, .stream = 8}, i, K);
    for (size_t s = 0; s < samples; s++)
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < K; k++) logits[(s * N + i) * K + k] = logit(s, i, k, y[i]);
}

static inline kelvin_status evaluate_as(kelvin_metrics *m, const float *logits, const int32_t *y, const uint32_t *chain,
                                        const size_t shape[3], size_t most, const kelvin_evaluate_options *options)
{
    kelvin_logits *source;
    KELVIN_TRY(logits_in_memory(&source, logits, y, chain, shape, most));
    const kelvin_status status = kelvin_evaluate_into(m, source, options, NULL);
    kelvin_logits_close(source);
    return status;
}

/* ---- plain loops ---- */

struct row {
    double confidence;
    bool hit;
};

/* The observation's bin by counting those strictly below it. */
static inline size_t plain_mass_bin(const struct row *rows, size_t n, size_t i, size_t bins)
{
    size_t below = 0;
    for (size_t k = 0; k < n; k++) below += rows[k].confidence < rows[i].confidence;
    return bins * below / n;
}

/* (a, b], and 0. */
static inline size_t plain_width_bin(double confidence, size_t bins)
{
    size_t b = 0;
    while (b + 1 < bins && confidence > (double)(b + 1) / (double)bins) b++;
    return b;
}

static inline double plain_ece(const struct row *rows, size_t n, size_t bins, bool mass)
{
    long double gap[KELVIN_MOST_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t b = mass ? plain_mass_bin(rows, n, i, bins) : plain_width_bin(rows[i].confidence, bins);
        gap[b] += (long double)rows[i].hit - (long double)rows[i].confidence;
    }
    for (size_t b = 0; b < bins; b++) sum += fabsl(gap[b]);
    return (double)(sum / (long double)n);
}

static inline void plain_log_softmax(long double log_p[K], const float *z)
{
    long double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++) largest = fmaxl(largest, (long double)z[k]);
    for (size_t k = 0; k < K; k++) sum += expl((long double)z[k] - largest);
    for (size_t k = 0; k < K; k++) log_p[k] = (long double)z[k] - largest - logl(sum);
}

static inline long double plain_entropy(const long double log_p[K])
{
    long double h = 0;
    for (size_t k = 0; k < K; k++) h -= expl(log_p[k]) * log_p[k];
    return h;
}

/* What m samples say of one observation: the largest of m log-probabilities of a class is taken out. Returns the mean
 * of their entropies. */
static inline long double plain_mean(long double mean[K], const float *logits, const uint32_t *members, size_t m,
                                     size_t i)
{
    static long double log_p[VERY_MANY][K];
    long double h = 0;
    for (size_t s = 0; s < m; s++) {
        plain_log_softmax(log_p[s], logits + (members[s] * N + i) * K);
        h += plain_entropy(log_p[s]) / (long double)m;
    }
    for (size_t k = 0; k < K; k++) {
        long double largest = -INFINITY, sum = 0;
        for (size_t s = 0; s < m; s++) largest = fmaxl(largest, log_p[s][k]);
        for (size_t s = 0; s < m; s++) sum += expl(log_p[s][k] - largest);
        mean[k] = largest + logl(sum / (long double)m);
    }
    return h;
}

#endif
