/* none: a flat prior. It is no distribution, so that nothing can be drawn from it. */
#include "density/member.h"

static void add(double *logp, real *grad, const real *theta, size_t n, const double *param)
{
    (void)grad, (void)theta, (void)n, (void)param;
    if (logp) *logp = 0.0;
}

PRIOR(none, .member = KELVIN_PLAIN_MEMBER("none", "0: a flat prior"));
