/* metric: what a metric is, and the table of them.
 *
 * To add one: a file metric_NAME.c with its kelvin_NAME_metric, a row ROW(NAME, name) in the table below, and the file
 * in meson.build. Tables, JSON, CSV, the page and `kelvin info` follow. Most metrics are the mean over observations of
 * something that is said of one, `of_one`:
 *
 *     static double margin(const struct kelvin_prediction *p) { ... p->p[k] ... }
 *
 *     const struct kelvin_metric_type kelvin_margin_metric = {
 *         .info = {KELVIN_PLAIN_MEMBER("margin", "p(label) less the largest other p"), "margin", "", 1, 4, 1, -1, 1},
 *         .of_one = margin,
 *     };
 *
 * Others are functions of all observations together, `of_all`: of what has been summed already, of bins, or of the
 * sorted confidences. */
#ifndef POSTERIOR_METRIC_H
#define POSTERIOR_METRIC_H

#include "base/family.h"
#include "posterior/score.h"

/* All of them, in the order of tables. */
#define KELVIN_METRIC_TABLE(ROW)                                                                                       \
    ROW(ACCURACY, accuracy)                                                                                            \
    ROW(LOG_LIKELIHOOD, log_likelihood)                                                                                \
    ROW(MEAN_LOG_LIKELIHOOD, mean_log_likelihood)                                                                      \
    ROW(BRIER, brier)                                                                                                  \
    ROW(ECE, ece)                                                                                                      \
    ROW(ECE_MASS, ece_mass)                                                                                            \
    ROW(CONFIDENCE, confidence)                                                                                        \
    ROW(ENTROPY, entropy)                                                                                              \
    ROW(ALEATORIC, aleatoric)                                                                                          \
    ROW(EPISTEMIC, epistemic)

/* What one sample says of one observation, or an ensemble of several. */
struct kelvin_prediction {
    size_t classes, label;
    const double *p;   /* (classes): probabilities, in which what doubles cannot hold is 0 */
    double log_p;      /* of the label; finite where its p is 0 */
    size_t predicted;  /* the most likely class; of equal ones the first */
    double confidence; /* its probability */
    double entropy;    /* in nats; and the mean of the samples' own: */
    double aleatoric;
};

struct kelvin_metric_type {
    kelvin_metric_info info; /* with its member first */
    /* Of one observation; called from several threads. The metric is the mean over observations, or what of_all makes
     * of their sum, score->own. NULL: it follows from what is summed anyway. */
    double (*of_one)(const struct kelvin_prediction *prediction);
    /* Of all observations; called from several threads. NULL: the mean. */
    double (*of_all)(const struct kelvin_score *score);
};

enum kelvin_metric {
#define ROW(NAME, name) KELVIN_##NAME,
    KELVIN_METRIC_TABLE(ROW)
#undef ROW
        KELVIN_METRICS
};

#define ROW(NAME, name) extern const struct kelvin_metric_type kelvin_##name##_metric;
KELVIN_METRIC_TABLE(ROW)
#undef ROW

extern const struct kelvin_metric_type *const kelvin_metric_types[KELVIN_METRICS];
extern const kelvin_family kelvin_metric_family;

/* What is found at the end. */
enum { KELVIN_MOST_SIZES = 64 };

struct kelvin_metrics {
    size_t samples, chains, n, classes, bins; /* n: observations */
    size_t singles;                           /* samples that were looked at one by one */
    kelvin_average single[KELVIN_METRICS];
    double ensemble[KELVIN_METRICS];
    size_t subsets, subset;
    kelvin_percentiles spread[KELVIN_METRICS], single_spread[KELVIN_METRICS];
    kelvin_bin width[KELVIN_MOST_BINS], mass[KELVIN_MOST_BINS]; /* (bins), of the ensemble */
    size_t sizes;
    struct {
        size_t samples;
        kelvin_by_size metric[KELVIN_METRICS];
    } size[KELVIN_MOST_SIZES];
};

#endif
