/* The paper's closed forms, with numerator and denominator divided by 2^(1/T), which would overflow below T = 1e-3.
 * With q = 2^(-1/T),
 *
 *     F_cold(z)  = z^(1 + 1/T)
 *     F_upper(z) = (T - (1 - z)^(1/T) (T + z)) / ((1 - q) (1 + T))     for z <= 1/2,
 *                  (T - q (1 + T) + z^(1 + 1/T)) / ((1 - q) (1 + T))   for z > 1/2.  */
#include "figures/calculus.h"
#include "figures/tempered.h"

#include <math.h>

double kelvin_cdf_cold(double z, double T)
{
    return pow(z, 1.0 + 1.0 / T);
}

/* log(1 + x) - x for x >= -1/2, to nearly all digits: with r = x / (2 + x), log(1 + x) = 2 (r + r^3/3 + r^5/5 + ...)
 * and x - 2 r = r x. */
static double log1p_minus(double x)
{
    if (x > 1.0) return log1p(x) - x;
    const double r = x / (2.0 + x), square = r * r;
    double series = 0.0;
    for (int k = 33; k >= 3; k -= 2) series = (series + 1.0 / k) * square; /* 3^-32 is below 1e-15 */
    return 2.0 * r * series - r * x;
}

double kelvin_cdf_upper(double z, double T)
{
    /* The total is the upper numerator at z = 1, in the same order, so that the quotient is never above 1. */
    const double from_half = T - exp2(-1.0 / T) * (1.0 + T), total = from_half + 1.0;
    if (z > 0.5) return (from_half + kelvin_cdf_cold(z, T)) / total;
    /* (1 - z)^(1/T) (T + z) / T = exp(log1p(-z) / T + log1p(z / T)), whose two terms all but cancel where z is small
     * beside T: -z/T and z/T are left out of them. */
    return 0.0 - T * expm1(log1p_minus(-z) / T + log1p_minus(z / T)) / total; /* 0 at 0, not -0 */
}

static double gap(double z, const void *T)
{
    return fabs(kelvin_cdf_cold(z, *(const double *)T) - kelvin_cdf_upper(z, *(const double *)T));
}

double kelvin_cdf_distance(double T)
{
    return kelvin_integral_unit(gap, &T, T);
}
