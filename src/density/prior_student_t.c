/* student-t(s, nu): -(nu + 1) / 2 log(1 + t^2 / nu) with t = theta / s. */
#include "base/random.h"
#include "density/member.h"

/* log(1 + u^2), also where u^2 overflows */
INLINE double log_1_square(double u)
{
    return u <= 1.0 ? log1p(u * u) : 2.0 * log(u) + log1p(1.0 / u / u);
}

INLINE double value(double x, const double *param)
{
    const double nu = param[1];
    return -0.5 * (nu + 1.0) * log_1_square(fabs(x / param[0]) / sqrt(nu));
}

/* t / (1 + t^2 / nu) as 1 / (1 / t + t / nu): right at 0 and at both ends of the range. */
INLINE real slope(real x, const real *c)
{
    const real t = x * c[0];
    return c[2] / (1 / t + t * c[1]);
}

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    const double s = param[0], nu = param[1];
    const real c[] = {(real)(1.0 / s), (real)(1.0 / nu), (real)(-(1.0 + 1.0 / nu) / s)};
    each_parameter(logp, grad, theta, n, value, param, slope, c);
}

/* As Box-Muller, with the radius of the bivariate t: P(R > r) = (1 + r^2 / nu)^(-nu / 2), for any nu > 0.
 * R. W. Bailey: "Polar generation of random variates with the t-distribution", Mathematics of Computation 62 (1994). */
ONCE double draw(const double *param, kelvin_random where, uint64_t i)
{
    const double s = param[0], nu = param[1];
    const double radius = sqrt(nu * expm1(-2 / nu * log(kelvin_uniform(where, 2 * i))));
    return s * radius * cos(6.283185307179586 * kelvin_uniform(where, 2 * i + 1));
}

PRIOR(student_t,
      .member = {"student-t", "student-t:s,nu", "-(nu + 1)/2 log(1 + theta^2 / (nu s^2))",
                 KELVIN_PARAMETERS(POSITIVE("s"), POSITIVE("nu"))},
      .draw = draw);
