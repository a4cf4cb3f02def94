/* integral: over [0, 1], of functions that are smooth but for changes close to the ends.
 *
 *     double sum = integral_unit(f, &context, 1e-7);      // f changes within 1e-7 of 0 or of 1
 */
#ifndef FIGURES_INTEGRAL_H
#define FIGURES_INTEGRAL_H

typedef double integrand(double x, const void *context);

/* `finest` in (0, 1]: over which length f changes at the ends. At 1/2 there may be a corner. */
double integral_unit(integrand *f, const void *context, double finest);

#endif
