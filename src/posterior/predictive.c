/* The posterior predictive, p(y | x) = mean over draws of softmax(logits), and the accuracy of single draws. */
#include <kelvin/posterior.h>

#include "posterior/stats.h"
#include "run/room.h"

#include <math.h>
#include <string.h>

double kelvin_log_sum_exp(const float *z, size_t classes)
{
    float largest = z[0];
    double sum = 0.0;
    for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
    for (size_t k = 0; k < classes; k++) sum += exp((double)z[k] - (double)largest);
    return (double)largest + log(sum);
}

kelvin_status kelvin_predictive(double *p, const float *logits, size_t samples, size_t n, size_t classes)
{
    if (samples == 0) return kelvin_fail(KELVIN_EUSAGE, "a posterior predictive needs at least one sample");
    memset(p, 0, n * classes * sizeof *p);
    for (size_t row = 0; row < samples * n; row++) {
        const float *z = logits + row * classes;
        const double normaliser = kelvin_log_sum_exp(z, classes);
        double *mean = p + row % n * classes;
        for (size_t k = 0; k < classes; k++) mean[k] += exp((double)z[k] - normaliser) / (double)samples;
    }
    return KELVIN_OK;
}

double kelvin_mean_accuracy(const float *logits, const int32_t *y, size_t samples, size_t n, size_t classes)
{
    size_t hits = 0;
    for (size_t s = 0; s < samples; s++) hits += kelvin_hits(logits + s * n * classes, y, n, classes);
    return (double)hits / (double)(samples * n);
}
