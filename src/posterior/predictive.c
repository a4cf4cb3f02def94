/* Log-sum-exp of logits, and the accuracy of single samples. */
#include <kelvin/posterior.h>

#include "posterior/stats.h"
#include "run/room.h"

#include <math.h>

double kelvin_log_sum_exp(const float *z, size_t classes)
{
    float largest = z[0];
    double sum = 0.0;
    for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
    for (size_t k = 0; k < classes; k++) sum += exp((double)z[k] - (double)largest);
    return (double)largest + log(sum);
}

double kelvin_mean_accuracy(const float *logits, const int32_t *y, size_t samples, size_t n, size_t classes)
{
    size_t hits = 0;
    for (size_t s = 0; s < samples; s++) hits += kelvin_hits(logits + s * n * classes, y, n, classes);
    return (double)hits / (double)(samples * n);
}
