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
    .info = {.name = "log_likelihood",
             .title = "log-likelihood, sum",
             .about = "sum over observations of log p(label)",
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
    .info = {.name = "mean_log_likelihood",
             .title = "log-likelihood, mean",
             .about = "mean over observations of log p(label)",
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
