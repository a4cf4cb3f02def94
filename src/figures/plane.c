/* The origin is half-way between the first two networks; what leads from there to the third loses its part along the
 * first axis, as in Gram and Schmidt's method. */
#include "figures/plane.h"

#include <math.h>

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double kelvin_plane_unit(const struct plane *plane, const double *axis)
{
    return sqrt(dot(axis, axis, plane->n));
}

kelvin_status kelvin_plane_through(struct plane *plane, const float *const theta[PLANE_MODELS], size_t n)
{
    static const double flat = 1e-6; /* heights of this part of the base are those of roundings in floats */
    double *origin = plane->origin = kelvin_alloc(n, sizeof *origin);
    double *along = plane->along = kelvin_alloc(n, sizeof *along);
    double *across = plane->across = kelvin_alloc(n, sizeof *across);
    if (!origin || !along || !across) return KELVIN_ENOMEM;
    plane->n = n;
    for (size_t i = 0; i < n; i++) {
        const double a = (double)theta[0][i], b = (double)theta[1][i];
        origin[i] = (a + b) / 2;
        along[i] = (b - a) / 2;
        across[i] = (double)theta[2][i] - origin[i];
    }
    const double lean = dot(along, across, n) / dot(along, along, n);
    for (size_t i = 0; i < n; i++) across[i] -= lean * along[i];
    if (!(kelvin_plane_unit(plane, across) > flat * kelvin_plane_unit(plane, along)))
        return kelvin_fail(KELVIN_EUSAGE, "three networks that are in one line are in no single plane");
    plane->x[0] = -1, plane->x[1] = 1, plane->x[2] = lean;
    plane->y[0] = plane->y[1] = 0, plane->y[2] = 1;
    return KELVIN_OK;
}

void kelvin_plane_free(struct plane *plane)
{
    kelvin_free(plane->across);
    kelvin_free(plane->along);
    kelvin_free(plane->origin);
}

void kelvin_plane_at(const struct plane *plane, float *theta, double x, double y)
{
    for (size_t i = 0; i < plane->n; i++)
        theta[i] = (float)(plane->origin[i] + x * plane->along[i] + y * plane->across[i]);
}
