/* Brier score: sum over classes of (p - 1[class is the label])^2, by observation. */
#include "posterior/metric.h"

static double of_all(const struct kelvin_score *score)
{
    return score->sums.brier / (double)score->n;
}

const struct kelvin_metric_type kelvin_brier_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("brier", "mean of the sum over classes of (p - 1[class is the label])^2"),
             .title = "Brier score",
             .unit = "",
             .scale = 1,
             .digits = 4,
             .better = -1,
             .least = 0,
             .most = 2,
             .shown = KELVIN_SHOWN_CHART | KELVIN_SHOWN_ENSEMBLE},
    .of_all = of_all,
};
