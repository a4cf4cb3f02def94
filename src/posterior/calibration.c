/* Calibration: whether of all predictions with confidence c a share of c is right. In bins of equal width, (a, b] but
 * for the first, which has 0 as well; and in bins of equal mass, where bin floor(bins r / n) has the observations that
 * r others lie strictly below: equal confidences share a bin.
 *
 *     error = sum over bins of |hits - sum of confidences| / n */
#include "posterior/score.h"

#include <math.h>
#include <string.h>

enum { DIGIT = 8, VALUES = 1 << DIGIT, DIGITS = 64 / DIGIT };

uint64_t kelvin_calibration_key(double confidence, bool hit)
{
    uint64_t bits;
    memcpy(&bits, &confidence, sizeof bits);
    return bits << 1 | hit;
}

size_t kelvin_width_bin(double confidence, size_t bins)
{
    const double scaled = ceil(confidence * (double)bins);
    size_t bin = scaled < 1 ? 0 : (size_t)scaled - 1;
    if (bin >= bins) bin = bins - 1;
    /* the product is rounded: bins end where b / bins does */
    if (bin > 0 && confidence <= (double)bin / (double)bins) bin--;
    if (bin + 1 < bins && confidence > (double)(bin + 1) / (double)bins) bin++;
    return bin;
}

static double confidence_of(uint64_t key)
{
    double confidence;
    key >>= 1;
    memcpy(&confidence, &key, sizeof confidence);
    return confidence;
}

/* By digits, the lowest first; a digit that all keys share is passed over. Some 20 times as fast as qsort. */
static void sort(uint64_t *keys, uint64_t *scratch, size_t n)
{
    uint64_t *from = keys, *to = scratch;
    for (int shift = 0; shift < DIGITS * DIGIT; shift += DIGIT) {
        size_t at[VALUES] = {0};
        for (size_t i = 0; i < n; i++) at[from[i] >> shift & (VALUES - 1)]++;
        if (at[from[0] >> shift & (VALUES - 1)] == n) continue;
        for (size_t v = 0, sum = 0; v < VALUES; v++) {
            const size_t here = at[v];
            at[v] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++) to[at[from[i] >> shift & (VALUES - 1)]++] = from[i];
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) memcpy(keys, from, n * sizeof *keys);
}

static void begin(kelvin_bin *bins, size_t n)
{
    for (size_t b = 0; b < n; b++) bins[b] = (kelvin_bin){.from = NAN, .to = NAN};
}

void kelvin_mass_bins(kelvin_bin *mass, uint64_t *keys, uint64_t *scratch, size_t n, size_t bins)
{
    begin(mass, bins);
    sort(keys, scratch, n);
    for (size_t i = 0, below = 0; i < n; i++) {
        if (keys[i] >> 1 != keys[below] >> 1) below = i;
        const double confidence = confidence_of(keys[i]);
        kelvin_bin *bin = &mass[bins * below / n];
        if (bin->n++ == 0) bin->from = confidence;
        bin->to = confidence;
        bin->hits += keys[i] & 1;
        bin->confidence += confidence;
    }
}

double kelvin_calibration_error(const kelvin_bin *sums, size_t bins, size_t n)
{
    double sum = 0;
    for (size_t b = 0; b < bins; b++) sum += fabs((double)sums[b].hits - sums[b].confidence);
    return sum / (double)n;
}

void kelvin_bins_mean(kelvin_bin *bins, size_t n)
{
    for (size_t b = 0; b < n; b++) bins[b].confidence /= (double)bins[b].n;
}
