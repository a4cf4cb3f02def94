/* Quantiles of the standard normal: a start good to 5e-4 (Abramowitz and Stegun, 26.2.23), and two of Halley's steps on
 * Phi(z) - p, each of which cubes the error. erfc keeps its relative precision in the tail, and so does z. */
#include "posterior/stats.h"

#include <math.h>

double kelvin_normal_quantile(double p)
{
    if (p > 0.5) return -kelvin_normal_quantile(1.0 - p); /* exact: 1 - p needs no rounding here */
    const double t = sqrt(-2.0 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int step = 0; step < 2; step++) {
        const double density = exp(-0.5 * z * z) * 0.3989422804014327;
        const double error = (0.5 * erfc(-z * 0.7071067811865476) - p) / density;
        z -= error / (1.0 + 0.5 * z * error);
    }
    return z;
}
