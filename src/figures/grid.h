/* grid: the posteriors of prior scales and temperatures, which two figures show. */
#ifndef FIGURES_GRID_H
#define FIGURES_GRID_H

#include "figures/cells.h"

/* Scale by scale, T = 0 first. */
KELVIN_MUST_CHECK kelvin_status kelvin_grid_cells(struct figure_cells *list, const struct figure_options *options);

/* Their epochs and samples at a scale. */
void kelvin_grid_usual(struct figure_options *options);

#endif
