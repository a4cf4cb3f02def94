/* The table of figures. */
#include "figures/figure.h"

const char *const figure_scales[] = {
    [FIGURE_SMOKE] = "smoke", [FIGURE_LAPTOP] = "laptop", [FIGURE_PAPER] = "paper", NULL};

const struct figure *const figures[] = {&decision_boundary_figure, NULL};
