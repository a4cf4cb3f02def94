/* Expected calibration error: sum over bins of |hits - sum of confidences| / n, by bins of equal width, (a, b] and the
 * first [0, b], and by bins of equally many observations, where equal confidences share a bin. */
#include "posterior/metric.h"

static double by_width(const struct kelvin_score *score)
{
    return kelvin_calibration_error(score->width, score->bins, score->n);
}

static double by_mass(const struct kelvin_score *score)
{
    return kelvin_calibration_error(score->mass, score->bins, score->n);
}

const struct kelvin_metric_type kelvin_ece_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("ece", "expected calibration error, bins of equal width"),
             .title = "calibration error",
             .unit = "%",
             .scale = 100,
             .digits = 2,
             .better = -1,
             .least = 0,
             .most = 1,
             .shown = KELVIN_SHOWN_FIRST | KELVIN_SHOWN_CHART | KELVIN_SHOWN_ENSEMBLE},
    .of_all = by_width,
};

const struct kelvin_metric_type kelvin_ece_mass_metric = {
    .info = {.member = KELVIN_PLAIN_MEMBER("ece_mass", "expected calibration error, bins of equally many observations"),
             .title = "calibration error, by mass",
             .unit = "%",
             .scale = 100,
             .digits = 2,
             .better = -1,
             .least = 0,
             .most = 1},
    .of_all = by_mass,
};
