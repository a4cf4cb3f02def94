/* Inside of the posterior room: what predictions were worth, added up over observations. */
#ifndef POSTERIOR_SCORE_H
#define POSTERIOR_SCORE_H

#include <kelvin/posterior.h>

#include <string.h>

/* Sums over observations. */
struct kelvin_sums {
    double log_likelihood, brier, entropy, aleatoric, epistemic; /* epistemic: the difference, but never below 0 */
};

/* What predictions of all observations were worth: all that a metric of them can be made of. */
struct kelvin_score {
    size_t n; /* observations */
    struct kelvin_sums sums;
    size_t hits;
    double confidence;              /* sum */
    double own;                     /* sum of what the metric itself says of each observation, if it does */
    size_t bins;                    /* of equal width, and of equal mass; their confidences are sums, not means: */
    const kelvin_bin *width, *mass; /* (bins) */
    const uint64_t *keys;           /* (n), sorted by confidence: kelvin_key_confidence, and in the last bit whether
                                       it was right */
};

/* ---- keys ----
 * A confidence c and whether it was right, as a number that sorts by confidence. Doubles that are not negative are in
 * the order of their bits, so those of c are the key up to 1/2; above it, where most are, it goes on with those of
 * 1 - c, which is exact, backwards: confidences near 1 differ early. The last bit is free. */
static const uint64_t kelvin_half_bits = UINT64_C(0x3fe0000000000000);

static inline uint64_t kelvin_calibration_key(double confidence, bool hit)
{
    const bool low = confidence < 0.5;
    const double rest = low ? confidence : 1 - confidence;
    uint64_t bits;
    memcpy(&bits, &rest, sizeof bits);
    return (low ? bits : 2 * kelvin_half_bits - bits) << 1 | hit;
}

double kelvin_key_confidence(uint64_t key);

/* ---- calibration; confidences of bins are sums ---- */

/* The keys of n observations in order; scratch (n). */
void kelvin_sort_keys(uint64_t *keys, uint64_t *scratch, size_t n);

/* ---- of n > 0 sorted keys: sums are in the order of confidences, whatever the order of observations ---- */

/* Bins of equal width: (a, b], and 0 is in the first. */
void kelvin_width_bins(kelvin_bin *width, const uint64_t *keys, size_t n, size_t bins);

/* Bins of equal mass: an observation is in bin floor(bins r / n), where r others have strictly smaller confidences. */
void kelvin_mass_bins(kelvin_bin *mass, const uint64_t *keys, size_t n, size_t bins);

/* sum over bins of |hits - sum of confidences| / n */
double kelvin_calibration_error(const kelvin_bin *sums, size_t bins, size_t n);

/* Between which shares of hits a bin with observations is believed to be, 10 .. 90 %: Wilson's interval. */
void kelvin_bin_interval(double *low, double *high, const kelvin_bin *bin);

#endif
