/* surface: how good the networks of a plane are, and what distributions say of them: sums over the training data,
 * estimated from some images.
 *
 *     struct surface surface = {.plane = &plane, .images = &images};
 *     kelvin_status status = kelvin_surface_densities(&surface, 0.7, -50);
 *     if (!status) status = kelvin_surface_compute(&surface, options);      // options->grid points on each side
 *     ... surface.point[row * options->grid + column].value[SURFACE_COLD] ...
 *     kelvin_free(surface.point);
 */
#ifndef FIGURES_SURFACE_H
#define FIGURES_SURFACE_H

#include "figures/figure.h"
#include "figures/lattice.h"
#include "figures/looked_at.h"
#include "figures/plane.h"
#include "figures/tempered.h"

enum {
    SURFACE_ACCURACY,
    SURFACE_CATEGORICAL, /* log-densities, from here on */
    SURFACE_COLD,
    SURFACE_CONFIDENCE,
    SURFACE_DIRCLIP,
    SURFACE_VALUES
};

struct surface_point {
    double value[SURFACE_VALUES];
};

struct surface {
    const struct plane *plane;
    const struct looked_at *images;
    struct tempered density[SURFACE_VALUES]; /* but of SURFACE_ACCURACY */
    struct lattice lattice;                  /* columns are x, rows are y */
    struct surface_point *point;             /* (n, n) */
};

KELVIN_MUST_CHECK kelvin_status kelvin_surface_densities(struct surface *surface, double alpha, double clip);

/* Around the three networks of the plane. Of the options grid, threads and watch count; the numbers are the same bits
 * for any number of threads. */
KELVIN_MUST_CHECK kelvin_status kelvin_surface_compute(struct surface *surface, const struct figure_options *options);

#endif
