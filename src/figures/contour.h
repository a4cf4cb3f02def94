/* contour: the curves on which a function, known on a lattice, has one value. */
#ifndef FIGURES_CONTOUR_H
#define FIGURES_CONTOUR_H

#include <kelvin/base.h>

/* A point of a curve in lattice units: column and row, 0 .. n-1. `first` starts a new curve. */
typedef void contour_visit(void *context, double column, double row, bool first);

/* Visits all curves of value `level` of f (n, n), n >= 2, each point in order along its curve; a closed curve ends
 * where it began. */
KELVIN_MUST_CHECK kelvin_status contour_trace(contour_visit *visit, void *context, const double *f, size_t n,
                                              double level);

#endif
