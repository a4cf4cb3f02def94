/* The paper's closed forms, with numerator and denominator divided by 2^(1/T), which would overflow below T = 1e-3.
 * With q = 2^(-1/T),
 *
 *     F_cold(z)  = z^(1 + 1/T)
 *     F_upper(z) = (T - (1 - z)^(1/T) (T + z)) / ((1 - q) (1 + T))     for z <= 1/2,
 *                  (T - q (1 + T) + z^(1 + 1/T)) / ((1 - q) (1 + T))   for z > 1/2.  */
#include "figures/confidence_cdf.h"

#include <math.h>

double cdf_cold(double z, double T)
{
    return pow(z, 1.0 + 1.0 / T);
}

double cdf_upper(double z, double T)
{
    const double q = exp2(-1.0 / T), total = (1.0 - q) * (1.0 + T);
    if (z > 0.5) return (T - q * (1.0 + T) + cdf_cold(z, T)) / total;
    /* T - (1 - z)^(1/T) (T + z), without its cancellation where z is small beside T */
    return -T * expm1(log1p(-z) / T + log1p(z / T)) / total;
}
