/* The table of figures, in the order of the paper. */
#include "figures/figure.h"

const char *const kelvin_figure_scales[] = {
    [FIGURE_SMOKE] = "smoke", [FIGURE_LAPTOP] = "laptop", [FIGURE_PAPER] = "paper", NULL};

const struct figure *const kelvin_figures[] = {
    &kelvin_decision_boundary_figure,
    &kelvin_distribution_slices_figure,
    &kelvin_dirichlet_gradients_figure,
    &kelvin_phase_diagram_figure,
    &kelvin_confidence_density_figure,
    &kelvin_ndg_ridgeline_figure,
    &kelvin_wasserstein_figure,
    &kelvin_cdf_validation_figure,
    &kelvin_critical_alpha_figure,
    &kelvin_schedule_figure,
    NULL,
};

static const kelvin_member *at(size_t i)
{
    return i < sizeof kelvin_figures / sizeof *kelvin_figures && kelvin_figures[i] ? &kelvin_figures[i]->member : NULL;
}

const kelvin_family kelvin_figure_family = {"figures", "figure", "figures", NULL, at};
