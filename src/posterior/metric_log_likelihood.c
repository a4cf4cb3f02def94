/* Log-likelihood: log p(label), summed over observations, and by observation. */
#include "posterior/metric.h"

#include <math.h>

static double sum(const struct kelvin_score *score)
{
    return score->sums.log_likelihood;
}

static double mean(const struct kelvin_score *score)
{
    return score->sums.log_likelihood / (double)score->n;
}

const struct kelvin_metric_type kelvin_log_likelihood_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("log_likelihood", "sum over observations of log p(label)"),
             .title = "log-likelihood, sum",
             .unit = "",
             .scale = 1,
             .digits = 1,
             .better = 1,
             .least = -INFINITY,
             .most = 0,
             .shown = KELVIN_SHOWN_ENSEMBLE | KELVIN_SHOWN_SUBSETS},
    .of_all = sum,
};

const struct kelvin_metric_type kelvin_mean_log_likelihood_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("mean_log_likelihood", "mean over observations of log p(label)"),
             .title = "log-likelihood, mean",
             .unit = "",
             .scale = 1,
             .digits = 4,
             .better = 1,
             .least = -INFINITY,
             .most = 0,
             .shown = KELVIN_SHOWN_FIRST | KELVIN_SHOWN_CHART | KELVIN_SHOWN_SIZES | KELVIN_SHOWN_SINGLE |
                      KELVIN_SHOWN_ENSEMBLE},
    .of_all = mean,
};
