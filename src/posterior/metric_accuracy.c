/* Accuracy: hits / n. */
#include "posterior/metric.h"

static double of_all(const struct kelvin_score *score)
{
    return (double)score->hits / (double)score->n;
}

const struct kelvin_metric_type kelvin_accuracy_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER(
                 "accuracy", "share of observations whose label is most likely; of equal ones the first counts"),
             .title = "accuracy",
             .unit = "%",
             .scale = 100,
             .digits = 2,
             .better = 1,
             .least = 0,
             .most = 1,
             .shown = KELVIN_SHOWN_FIRST | KELVIN_SHOWN_CHART | KELVIN_SHOWN_SIZES | KELVIN_SHOWN_SINGLE |
                      KELVIN_SHOWN_ENSEMBLE | KELVIN_SHOWN_SUBSETS},
    .of_all = of_all,
};
