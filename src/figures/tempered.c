/* The library's densities with two classes, the first of which is the true one. */
#include "figures/tempered.h"

#include <math.h>

kelvin_status kelvin_tempered_cold(struct tempered *tempered, double T)
{
    tempered->power = 1.0 / T;
    return kelvin_density_parse(&tempered->density, "categorical");
}

kelvin_status kelvin_tempered_upper(struct tempered *tempered, double T)
{
    tempered->power = 1.0;
    KELVIN_TRY(kelvin_density_parse(&tempered->density, "confidence:1"));
    tempered->density.param[0] = T;
    return KELVIN_OK;
}

void kelvin_tempered_logits(double z[2], double p)
{
    /* exp(-800) is 0 in double, so this is as good as minus infinity, but not a number times 0 */
    z[0] = fmax(log(p), -800.0);
    z[1] = fmax(log1p(-p), -800.0);
}

double kelvin_tempered_eval(const struct tempered *tempered, double *slope, const double z[2])
{
    double grad[2];
    const double value = kelvin_density_eval(&tempered->density, slope ? grad : NULL, z, 2, 0);
    if (slope) *slope = tempered->power * grad[0];
    return tempered->power * value;
}
