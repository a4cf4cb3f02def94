/* Log-sum-exp of logits. */
#include "posterior/stats.h"

#include <math.h>

double kelvin_log_sum_exp(const float *z, size_t classes)
{
    float largest = z[0];
    double sum = 0.0;
    for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
    for (size_t k = 0; k < classes; k++) sum += exp((double)z[k] - (double)largest);
    return (double)largest + log(sum);
}
