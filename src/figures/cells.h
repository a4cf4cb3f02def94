/* cells: the posteriors that a figure needs. A figure lists them (.cells); whoever makes it samples those that are not
 * there yet, by an engine that knows nothing of figures (kelvin/experiment.h), and then the figure opens them by the
 * same list.
 *
 *     static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
 *     {
 *         KELVIN_TRY(kelvin_cells_add(list, &(struct figure_cell){"cold", 0, "categorical", .temperature = 0}));
 *         ...
 *     }
 *     static kelvin_status run(const struct figure_options *options)
 *     {
 *         struct figure_cells list = {0};
 *         kelvin_samples *samples;
 *         kelvin_status status = cells(&list, options);
 *         if (!status) status = kelvin_cell_open(&samples, &list.cell[0], options);
 *         ...
 *         kelvin_cells_free(&list);
 */
#ifndef FIGURES_CELLS_H
#define FIGURES_CELLS_H

#include "figures/figure.h"

#include <kelvin/posterior.h>

/* What makes a posterior of a figure differ from the others at its scale. */
struct figure_cell {
    const char *series; /* the curve that it is a point of: for tables and pictures */
    double value;       /* where on that curve: a concentration, or a temperature */
    char density[48];   /* "dirclip:0.85,-50" */
    double temperature; /* T */
    double prior;       /* deviation of the normal prior; 0: that of the scale */
    double lr;          /* 0: that of the scale */
    size_t epochs;      /* 0: those of the scale, as fits how it starts */
    size_t samples;     /* 0: those of the scale */
    bool many;          /* so many samples that their number can be studied */
    bool tuned;         /* from the samples of the categorical posterior at T = 0, at a constant rate */
};

struct figure_cells {
    struct figure_cell *cell;
    size_t n, room;
};

/* What the scale says of options that all figures with posteriors have: data, model, epochs, samples. */
#define FIGURE_CELL_OPTIONS                                                                                            \
    {.name = "data"}, {.name = "model"}, {"epochs", 0, 0, "epochs of a chain from a random start"},                    \
        {.name = "samples"},                                                                                           \
    {                                                                                                                  \
        .name = "seed"                                                                                                 \
    }
void kelvin_cells_usual(struct figure_options *options);

/* Whether an option is one of these: it means the same in all of these figures. */
bool kelvin_cells_share(const char *option);

/* One more, unless it is there already. */
KELVIN_MUST_CHECK kelvin_status kelvin_cells_add(struct figure_cells *list, const struct figure_cell *cell);
void kelvin_cells_free(struct figure_cells *list);

/* Trained networks, the categorical posterior at T = 0: all that some figures need. */
extern const struct figure_cell kelvin_trained_cell;
KELVIN_MUST_CHECK kelvin_status kelvin_trained_cells(struct figure_cells *list, const struct figure_options *options);

/* All of a list as cells of an experiment, those that others start from first. */
KELVIN_MUST_CHECK kelvin_status kelvin_cells_put(kelvin_experiment *experiment, const struct figure_cells *list,
                                                 const struct figure_options *options);

/* The samples of a cell, which has been sampled. NULL, and KELVIN_OK, if it was not, and only those that are there were
 * asked for (options->ready), or if all of its chains have diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_cell_open(kelvin_samples **samples, const struct figure_cell *cell,
                                                 const struct figure_options *options);

#endif
