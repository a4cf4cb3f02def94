/* Inside of the posterior room: what predictions were worth, added up over observations. */
#ifndef POSTERIOR_SCORE_H
#define POSTERIOR_SCORE_H

#include <kelvin/posterior.h>

/* What one sample, or several together, say of one observation. */
struct kelvin_prediction {
    const double *p;                      /* (classes) */
    double log_p;                         /* of the label, also where p is 0 in doubles; not looked at without one */
    double entropy, aleatoric, epistemic; /* epistemic: the difference, but never below 0 */
};

/* What was said of the observations so far. */
struct kelvin_score {
    size_t hits;
    double log_likelihood, brier, confidence, entropy, aleatoric, epistemic; /* sums */
    kelvin_bin *width; /* (bins), of equal width; their confidences are sums */
    double ece_mass;   /* filled in at the end */
};

/* The most likely class; of equal ones the first. */
size_t kelvin_most_likely(const double *p, size_t classes);

/* Adds an observation. Returns its key for kelvin_mass_bins. */
uint64_t kelvin_score_add(struct kelvin_score *score, const struct kelvin_prediction *prediction, size_t label,
                          size_t classes, size_t bins);

/* All metrics, of n observations. */
void kelvin_score_values(double values[KELVIN_METRICS], const struct kelvin_score *score, size_t n, size_t bins);

/* ---- keys ----
 * A confidence and whether it was right, as a number that sorts by confidence: doubles that are not negative are in the
 * order of their bits, and the sign bit is free. */
uint64_t kelvin_calibration_key(double confidence, bool hit);

/* ---- calibration; confidences of bins are sums, until kelvin_bins_mean ---- */

/* Which of `bins` bins of equal width has this confidence: (a, b], and 0 is in the first. */
size_t kelvin_width_bin(double confidence, size_t bins);

/* Bins of equal mass, from the keys of all n > 0 observations, which it sorts; scratch (n). An observation is in bin
 * floor(bins r / n), where r others have strictly smaller confidences. Sums are in the order of confidences, whatever
 * the order of observations. */
void kelvin_mass_bins(kelvin_bin *mass, uint64_t *keys, uint64_t *scratch, size_t n, size_t bins);

/* sum over bins of |hits - sum of confidences| / n */
double kelvin_calibration_error(const kelvin_bin *sums, size_t bins, size_t n);

/* Sums become means: not a number of none. */
void kelvin_bins_mean(kelvin_bin *bins, size_t n);

#endif
