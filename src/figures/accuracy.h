/* accuracy: what the figures about accuracies have in common: a table with a row for each posterior, and the same in
 * words. */
#ifndef FIGURES_ACCURACY_H
#define FIGURES_ACCURACY_H

#include "figures/cells.h"
#include "figures/scales.h"

/* The categorical posteriors at T = 0 and 1, "categorical-0" and "categorical-1". */
KELVIN_MUST_CHECK kelvin_status kelvin_accuracy_yardsticks(struct figure_cells *list);

/* A point for each of a list of concentrations: `density` is formatted with it, "ndg-logits:%g". */
KELVIN_MUST_CHECK kelvin_status kelvin_accuracy_curve(struct figure_cells *list, const char *series,
                                                      const char *density, struct figure_list alphas, bool tuned);

/* Writes FIGURE.csv, and prints it with the published numbers, which are `published`, a text, below. */
KELVIN_MUST_CHECK kelvin_status kelvin_accuracy_run(const struct figure *figure, const struct figure_options *options,
                                                    const char *published);

#endif
