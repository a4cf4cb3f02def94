/* minimise: the minimum of a smooth convex function, by L-BFGS (Liu and Nocedal, 1989). */
#ifndef TARGET_MINIMISE_H
#define TARGET_MINIMISE_H

#include <kelvin/base.h>

/* The value at x (n), and the gradient. */
typedef double kelvin_slope(void *context, double *gradient, const double *x);

struct kelvin_descent {
    size_t n;
    kelvin_slope *slope;
    void *context;
    double flat;  /* no number of the gradient is larger than this at the end */
    size_t steps; /* at most */
};

/* x (n): where to begin, and where it ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_minimise(double *x, const struct kelvin_descent *descent);

#endif
