/* Calibration: whether of all predictions with confidence c a share of c is right. In bins of equal width, (a, b] but
 * for the first, which has 0 as well; and in bins of equal mass, where bin floor(bins r / n) has the observations that
 * r others lie strictly below: equal confidences share a bin.
 *
 *     error = sum over bins of |hits - sum of confidences| / n */
#include "posterior/score.h"

#include <math.h>
#include <string.h>

enum { KEY_BITS = 64, DIGIT = 12, VALUES = 1 << DIGIT };

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
    const bool low = (key >>= 1) < kelvin_half_bits;
    double rest;
    if (!low) key = 2 * kelvin_half_bits - key;
    memcpy(&rest, &key, sizeof rest);
    return low ? rest : 1 - rest;
}

/* ---- order ---- */

/* By digits from bit `lowest` on, the lowest first. */
static void sort_digits(uint64_t *keys, uint64_t *scratch, size_t n, int lowest)
{
    uint64_t *from = keys, *to = scratch;
    for (int shift = lowest; shift < KEY_BITS; shift += DIGIT) {
        size_t at[VALUES] = {0};
        for (size_t i = 0; i < n; i++) at[from[i] >> shift & (VALUES - 1)]++;
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

/* By insertion. Gives up if keys are not nearly in order. */
static bool settle(uint64_t *keys, size_t n)
{
    size_t patience = 8 * n;
    for (size_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
        if (i - at > patience) return false;
        patience -= i - at;
    }
    return true;
}

/* Two digits leave little to do, unless very many confidences are nearly the same. */
void kelvin_sort_keys(uint64_t *keys, uint64_t *scratch, size_t n)
{
    sort_digits(keys, scratch, n, KEY_BITS - 2 * DIGIT);
    if (!settle(keys, n)) sort_digits(keys, scratch, n, 0);
}

/* ---- bins ---- */

static void put(kelvin_bin *bin, uint64_t key)
{
    bin->n++;
    bin->hits += key & 1;
    bin->confidence += confidence_of(key);
}

void kelvin_width_bins(kelvin_bin *width, const uint64_t *keys, size_t n, size_t bins)
{
    for (size_t b = 0; b < bins; b++)
        width[b] = (kelvin_bin){.from = (double)b / (double)bins, .to = (double)(b + 1) / (double)bins};
    for (size_t i = 0, b = 0; i < n; i++) {
        if (confidence_of(keys[i]) > width[b].to) b = kelvin_width_bin(confidence_of(keys[i]), bins);
        put(&width[b], keys[i]);
    }
}

void kelvin_mass_bins(kelvin_bin *mass, const uint64_t *keys, size_t n, size_t bins)
{
    for (size_t b = 0; b < bins; b++) mass[b] = (kelvin_bin){.from = (double)NAN, .to = (double)NAN};
    for (size_t i = 0, end; i < n; i = end) {
        kelvin_bin *bin = &mass[bins * i / n];
        if (bin->n == 0) bin->from = confidence_of(keys[i]);
        bin->to = confidence_of(keys[i]);
        for (end = i; end < n && keys[end] >> 1 == keys[i] >> 1; end++) put(bin, keys[end]);
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
