/* What predictions were worth: from sums to metrics. */
#include "posterior/score.h"

size_t kelvin_most_likely(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

void kelvin_sums_add(struct kelvin_sums *to, const struct kelvin_sums *from)
{
    to->log_likelihood += from->log_likelihood;
    to->brier += from->brier;
    to->entropy += from->entropy;
    to->aleatoric += from->aleatoric;
    to->epistemic += from->epistemic;
}

void kelvin_score_values(double values[KELVIN_METRICS], const struct kelvin_score *score, size_t n)
{
    const double count = (double)n;
    values[KELVIN_ACCURACY] = (double)score->hits / count;
    values[KELVIN_LOG_LIKELIHOOD] = score->sums.log_likelihood;
    values[KELVIN_MEAN_LOG_LIKELIHOOD] = score->sums.log_likelihood / count;
    values[KELVIN_BRIER] = score->sums.brier / count;
    values[KELVIN_ECE] = score->ece;
    values[KELVIN_ECE_MASS] = score->ece_mass;
    values[KELVIN_CONFIDENCE] = score->confidence / count;
    values[KELVIN_ENTROPY] = score->sums.entropy / count;
    values[KELVIN_ALEATORIC] = score->sums.aleatoric / count;
    values[KELVIN_EPISTEMIC] = score->sums.epistemic / count;
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
