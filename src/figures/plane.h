/* plane: the one through three networks, in the space of their parameters.
 *
 *     struct plane plane = {0};
 *     kelvin_status status = kelvin_plane_through(&plane, theta, n);     // theta[0], theta[1], theta[2], n numbers
 * each if (!status) kelvin_plane_at(&plane, point, 0.3, -1.2);            // point (n) kelvin_plane_free(&plane);
 *
 * Its axes are at right angles, and each has a unit of its own: the first network is at (-1, 0), the second at (1, 0),
 * the third at a height of 1, and near x = 0 if it is about as far from the one as from the other.
 */
#ifndef FIGURES_PLANE_H
#define FIGURES_PLANE_H

#include <kelvin/base.h>

enum { PLANE_MODELS = 3 };

struct plane {
    size_t n;
    double *origin, *along, *across; /* (n) each: the point (0, 0), and the two units */
    double x[PLANE_MODELS], y[PLANE_MODELS];
};

/* KELVIN_EUSAGE if they are in one line. Free it also after a failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_plane_through(struct plane *plane, const float *const theta[PLANE_MODELS],
                                                     size_t n);
void kelvin_plane_free(struct plane *plane);

/* Made in double, rounded once. */
void kelvin_plane_at(const struct plane *plane, float *theta, double x, double y);

/* How long a unit of an axis is. */
double kelvin_plane_unit(const struct plane *plane, const double *axis);

#endif
