/* laplace(s): -|theta| / s. At 0, where there is no slope, 0 is taken: the middle of those at both sides. */
#include "base/random.h"
#include "density/member.h"

INLINE double value(double x, const double *param)
{
    return -fabs(x) / param[0];
}

INLINE real slope(real x, const real *c)
{
    return (x > 0 ? -c[0] : 0) + (x < 0 ? c[0] : 0);
}

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    const real c[] = {(real)(1.0 / param[0])};
    each_parameter(logp, grad, theta, n, value, param, slope, c);
}

/* The inverse of the distribution function, from the nearer end. */
ONCE double draw(const double *param, kelvin_random where, uint64_t i)
{
    const double u = kelvin_uniform(where, i);
    return param[0] * (u < 0.5 ? log(2 * u) : -log(2 * (1 - u)));
}

PRIOR(laplace, .member = {"laplace", "laplace:s", "-|theta| / s", KELVIN_PARAMETERS(POSITIVE("s"))}, .draw = draw);
