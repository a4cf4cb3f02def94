/* What predictions were worth: accuracy, log-likelihood, Brier score, confidence, entropies, added up. */
#include "posterior/score.h"

#include <math.h>

size_t kelvin_most_likely(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

/* sum over classes of (p - 1[class is the label])^2, without a difference of large numbers. */
static double brier(const double *p, size_t label, size_t classes)
{
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
        const double off = p[k] - (k == label);
        sum += off * off;
    }
    return sum;
}

uint64_t kelvin_score_add(struct kelvin_score *score, const struct kelvin_prediction *prediction, size_t label,
                          size_t classes, size_t bins)
{
    const size_t best = kelvin_most_likely(prediction->p, classes);
    const double confidence = prediction->p[best];
    const bool hit = best == label;
    kelvin_bin *bin = &score->width[kelvin_width_bin(confidence, bins)];
    score->hits += hit;
    score->log_likelihood += prediction->log_p;
    score->brier += brier(prediction->p, label, classes);
    score->confidence += confidence;
    score->entropy += prediction->entropy;
    score->aleatoric += prediction->aleatoric;
    score->epistemic += prediction->epistemic;
    bin->n++;
    bin->hits += hit;
    bin->confidence += confidence;
    return kelvin_calibration_key(confidence, hit);
}

void kelvin_score_values(double values[KELVIN_METRICS], const struct kelvin_score *score, size_t n, size_t bins)
{
    const double count = (double)n;
    values[KELVIN_ACCURACY] = (double)score->hits / count;
    values[KELVIN_LOG_LIKELIHOOD] = score->log_likelihood;
    values[KELVIN_MEAN_LOG_LIKELIHOOD] = score->log_likelihood / count;
    values[KELVIN_BRIER] = score->brier / count;
    values[KELVIN_ECE] = kelvin_calibration_error(score->width, bins, n);
    values[KELVIN_ECE_MASS] = score->ece_mass;
    values[KELVIN_CONFIDENCE] = score->confidence / count;
    values[KELVIN_ENTROPY] = score->entropy / count;
    values[KELVIN_ALEATORIC] = score->aleatoric / count;
    values[KELVIN_EPISTEMIC] = score->epistemic / count;
}

static const kelvin_metric_info about[KELVIN_METRICS] = {
    [KELVIN_ACCURACY] = {"accuracy", "accuracy", "%", 100, 2, 1},
    [KELVIN_LOG_LIKELIHOOD] = {"log_likelihood", "log-likelihood, sum", "", 1, 1, 1},
    [KELVIN_MEAN_LOG_LIKELIHOOD] = {"mean_log_likelihood", "log-likelihood, mean", "", 1, 4, 1},
    [KELVIN_BRIER] = {"brier", "Brier score", "", 1, 4, -1},
    [KELVIN_ECE] = {"ece", "calibration error", "%", 100, 2, -1},
    [KELVIN_ECE_MASS] = {"ece_mass", "calibration error, by mass", "%", 100, 2, -1},
    [KELVIN_CONFIDENCE] = {"confidence", "confidence", "%", 100, 2, 0},
    [KELVIN_ENTROPY] = {"entropy", "entropy", "nats", 1, 4, 0},
    [KELVIN_ALEATORIC] = {"aleatoric", "aleatoric: in the data", "nats", 1, 4, 0},
    [KELVIN_EPISTEMIC] = {"epistemic", "epistemic: in the model", "nats", 1, 4, 0},
};

const kelvin_metric_info *kelvin_metric_about(kelvin_metric metric)
{
    return (unsigned)metric < KELVIN_METRICS ? &about[metric] : NULL;
}
