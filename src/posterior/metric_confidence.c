/* Confidence: the largest probability, by observation. */
#include "posterior/metric.h"

static double of_all(const struct kelvin_score *score)
{
    return score->confidence / (double)score->n;
}

const struct kelvin_metric_type kelvin_confidence_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("confidence", "mean of the largest probability"),
             .title = "confidence",
             .unit = "%",
             .scale = 100,
             .digits = 2,
             .least = 0,
             .most = 1,
             .shown = KELVIN_SHOWN_FIRST | KELVIN_SHOWN_SINGLE | KELVIN_SHOWN_ENSEMBLE},
    .of_all = of_all,
};
