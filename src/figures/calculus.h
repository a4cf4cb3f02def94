/* calculus: where a condition ceases to hold, integrals over [0, 1], sums of exponentials.
 *
 *     double peak = kelvin_bisect(rises, &curve, 0, 1);
 *     double area = kelvin_integral_unit(f, &context, 1e-7);      // f changes within 1e-7 of 0 or of 1
 *     double cut = kelvin_integral_halving(f, &context, -4, 5, 1e-6);
 *     struct log_sum total = log_sum_zero;
 *     for (size_t i = 0; i < n; i++) log_sum_add(&total, log_term[i], weight[i]);
 *     double result = total.max + log(total.sum);
 */
#ifndef FIGURES_CALCULUS_H
#define FIGURES_CALCULUS_H

#include <math.h>
#include <stdbool.h>

typedef bool condition(double x, const void *context);
typedef double integrand(double x, const void *context);

/* The last number at or above `from` for which the condition holds, if it does at `from`, does not at `to`, and changes
 * once in between. `to` may be the lower one. To the last bit. */
double kelvin_bisect(condition *holds, const void *context, double from, double to);

/* Of functions that are smooth but for changes close to the ends. `finest` in (0, 1]: over which length f changes
 * there. At 1/2 there may be a corner. */
double kelvin_integral_unit(integrand *f, const void *context, double finest);

/* Of functions that may have corners anywhere, but no peaks that ten points between `from` and `to` would miss. The
 * interval is halved, and its halves, until a half adds what it added before to within `tolerance`. Not a number if
 * f is that anywhere: so a function can put an end to it. */
double kelvin_integral_halving(integrand *f, const void *context, double from, double to, double tolerance);

/* sum * exp(max), which neither overflows nor vanishes */
struct log_sum {
    double max, sum;
};

static const struct log_sum log_sum_zero = {-INFINITY, 0.0};

/* Adds weight * exp(log_term). */
static inline void log_sum_add(struct log_sum *total, double log_term, double weight)
{
    if (log_term > total->max) {
        total->sum *= exp(total->max - log_term);
        total->max = log_term;
    }
    total->sum += weight * exp(log_term - total->max);
}

#endif
