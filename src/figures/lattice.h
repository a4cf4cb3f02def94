/* lattice: what a posterior predicts on a square lattice of points of the plane, and curves of one value in it. */
#ifndef FIGURES_LATTICE_H
#define FIGURES_LATTICE_H

#include "figures/figure.h"
#include "run/run.h"

struct lattice {
    size_t n; /* points per side, both ends included */
    double low[2], high[2];
};

/* The box of the data, wider by `margin` on each side. The data must have two inputs. */
struct lattice kelvin_lattice_around(const kelvin_data *data, double margin, size_t n);

/* Coordinate `axis` at position `index` in 0 .. n-1. */
double kelvin_lattice_at(const struct lattice *lattice, size_t axis, double index);

/* The points of one row: x (n, 2), as floats. */
void kelvin_lattice_row(float *x, const struct lattice *lattice, size_t row);

/* p (n, n), row by row of the second coordinate: the mean over all samples of the probability of class 0. Of
 * the options threads and watch count. */
KELVIN_MUST_CHECK kelvin_status kelvin_lattice_predictive(double *p, const struct lattice *lattice,
                                                          kelvin_samples *samples,
                                                          const struct figure_options *options);

/* ---- contour.c ---- */

/* A point of a curve in lattice units: column and row, 0 .. n-1. `first` starts a new curve. */
typedef void contour_visit(void *context, double column, double row, bool first);

/* Visits all curves of value `level` of f (n, n), n >= 2, each point in order along its curve; a closed curve ends
 * where it began. */
KELVIN_MUST_CHECK kelvin_status kelvin_contour_trace(contour_visit *visit, void *context, const double *f, size_t n,
                                                     double level);

#endif
