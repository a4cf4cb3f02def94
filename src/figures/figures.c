/* The table of figures, in the order of the paper. */
#include "figures/figure.h"

const char *const figure_scales[] = {
    [FIGURE_SMOKE] = "smoke", [FIGURE_LAPTOP] = "laptop", [FIGURE_PAPER] = "paper", NULL};

const struct figure *const figures[] = {
    &decision_boundary_figure,
    &distribution_slices_figure,
    &dirichlet_gradients_figure,
    &phase_diagram_figure,
    &confidence_density_figure,
    &ndg_ridgeline_figure,
    &wasserstein_figure,
    &cdf_validation_figure,
    &critical_alpha_figure,
    &schedule_figure,
    NULL,
};
