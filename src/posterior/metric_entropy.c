/* Entropy of predictions, in nats, and its two parts: aleatoric, the mean over samples of the entropy of each, and
 * epistemic, the rest: the mutual information of prediction and sample. */
#include "posterior/metric.h"

#include <math.h>

static double entropy(const struct kelvin_score *score)
{
    return score->sums.entropy / (double)score->n;
}

static double aleatoric(const struct kelvin_score *score)
{
    return score->sums.aleatoric / (double)score->n;
}

static double epistemic(const struct kelvin_score *score)
{
    return score->sums.epistemic / (double)score->n;
}

const struct kelvin_metric_type kelvin_entropy_metric = {
    .info = {.member =
                 KELVIN_PLAIN_MEMBER("entropy", "mean entropy of the prediction: the sum of aleatoric and epistemic"),
             .title = "entropy",
             .unit = "nats",
             .scale = 1,
             .digits = 4,
             .least = 0,
             .most = INFINITY},
    .of_all = entropy,
};

const struct kelvin_metric_type kelvin_aleatoric_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("aleatoric",
                                           "mean over samples of the entropy of each: doubt that is in the data"),
             .title = "aleatoric: in the data",
             .unit = "nats",
             .scale = 1,
             .digits = 4,
             .least = 0,
             .most = INFINITY},
    .of_all = aleatoric,
};

const struct kelvin_metric_type kelvin_epistemic_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("epistemic",
                                           "mutual information of prediction and sample: doubt that is in the model"),
             .title = "epistemic: in the model",
             .unit = "nats",
             .scale = 1,
             .digits = 4,
             .least = 0,
             .most = INFINITY,
             .together = true},
    .of_all = epistemic,
};
