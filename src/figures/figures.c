/* The table of figures as a family. */
#include "figures/figure.h"

const char *const kelvin_figure_scales[] = {
    [FIGURE_SMOKE] = "smoke", [FIGURE_LAPTOP] = "laptop", [FIGURE_WEEKEND] = "weekend", [FIGURE_PAPER] = "paper", NULL};

#define ADDRESS(name) &kelvin_##name##_figure,
const struct figure *const kelvin_figures[] = {FIGURES(ADDRESS) NULL};

static const kelvin_member *at(size_t i)
{
    return i < sizeof kelvin_figures / sizeof *kelvin_figures && kelvin_figures[i] ? &kelvin_figures[i]->member : NULL;
}

const kelvin_family kelvin_figure_family = {"figures", "figure", "figures", NULL, at};
