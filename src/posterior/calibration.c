/* Calibration: whether of all predictions with confidence c a share of c is right. In bins of equal width, (a, b] but
 * for the first, which has 0 as well; and in bins of equal mass, where bin floor(bins r / n) has the observations that
 * r others lie strictly below: equal confidences share a bin.
 *
 *     error = sum over bins of |hits - sum of confidences| / n */
#include "posterior/score.h"

#include <math.h>
#include <string.h>

enum { KEY_BITS = 64, DIGIT = 11, VALUES = 1 << DIGIT };

double kelvin_key_confidence(uint64_t key)
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

/* The upper digits, two or three, leave little to do, unless very many confidences are nearly the same. */
void kelvin_sort_keys(uint64_t *keys, uint64_t *scratch, size_t n)
{
    enum { MANY = 1 << 15 };
    sort_digits(keys, scratch, n, KEY_BITS - (n < MANY ? 2 : 3) * DIGIT);
    if (!settle(keys, n)) sort_digits(keys, scratch, n, 0);
}

/* ---- bins ---- */

/* Puts keys from `from` on into a bin: those before `end` that are at most `most`. Returns where it stopped. */
static size_t fill(kelvin_bin *bin, const uint64_t *keys, size_t from, size_t end, uint64_t most)
{
    kelvin_bin sum = *bin;
    for (; from + sum.n < end && keys[from + sum.n] <= most; sum.n++) {
        sum.hits += keys[from + sum.n] & 1;
        sum.confidence += kelvin_key_confidence(keys[from + sum.n]);
    }
    *bin = sum;
    return from + sum.n;
}

void kelvin_width_bins(kelvin_bin *width, const uint64_t *keys, size_t n, size_t bins)
{
    for (size_t b = 0, from = 0; b < bins; b++) {
        width[b] = (kelvin_bin){.from = (double)b / (double)bins, .to = (double)(b + 1) / (double)bins};
        from = fill(&width[b], keys, from, n, kelvin_calibration_key(width[b].to, true));
    }
}

void kelvin_mass_bins(kelvin_bin *mass, const uint64_t *keys, size_t n, size_t bins)
{
    for (size_t b = 0, from = 0, end; b < bins; b++, from = end) {
        mass[b] = (kelvin_bin){.from = (double)NAN, .to = (double)NAN};
        end = ((b + 1) * n + bins - 1) / bins;
        if (end <= from) end = from;
        while (end > from && end < n && keys[end] >> 1 == keys[end - 1] >> 1) end++;
        fill(&mass[b], keys, from, end, UINT64_MAX);
        if (end == from) continue;
        mass[b].from = kelvin_key_confidence(keys[from]);
        mass[b].to = kelvin_key_confidence(keys[end - 1]);
    }
}

double kelvin_calibration_error(const kelvin_bin *sums, size_t bins, size_t n)
{
    double sum = 0;
    for (size_t b = 0; b < bins; b++) sum += fabs((double)sums[b].hits - sums[b].confidence);
    return sum / (double)n;
}

/* Wilson (1927): the shares p for which |hits / n - p| <= z sqrt(p (1 - p) / n), with z the 90 % quantile of a normal
 * distribution. Unlike standard errors it has a width where all or none are right. */
void kelvin_bin_interval(double *low, double *high, const kelvin_bin *bin)
{
    static const double z = 1.2815515655446004;
    const double n = (double)bin->n, share = (double)bin->hits / n, w = z * z / n;
    const double half = z * sqrt(share * (1 - share) / n + w / (4 * n));
    *low = fmax(0, (share + w / 2 - half) / (1 + w));
    *high = fmin(1, (share + w / 2 + half) / (1 + w));
}
