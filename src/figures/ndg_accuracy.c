/* ndg-accuracy: training and test accuracy under NDG, the Gaussian approximation of a Dirichlet posterior, and under
 * its two halves: the prior and the likelihood that it consists of. Paper: section "Noisy Dirichlet Gaussian". */
#include "figures/accuracy.h"
#include "figures/accuracy_gp.h"
#include "figures/ndg_accuracy_gp.h"

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    KELVIN_TRY(kelvin_accuracy_yardsticks(list));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-logits", "ndg-logits:%g", s->ndg, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-logprobs", "ndg-logprobs:%g", s->ndg, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-likelihood", "ndg-likelihood:%g", s->ndg, false));
    return kelvin_accuracy_curve(list, "ndg-prior", "ndg-prior:%g", s->ndg_prior, false);
}

static kelvin_status run(const struct figure_options *options)
{
    return kelvin_accuracy_run(
        &kelvin_ndg_accuracy_figure, options,
        "T = 0 94.3 %, T = 1 89.3; NDG posterior 94.0, its likelihood alone 92.5, its prior alone "
        "at most 90.0");
}

const struct figure kelvin_ndg_accuracy_figure = {
    .member = KELVIN_PLAIN_MEMBER("ndg-accuracy", "accuracy under NDG, its prior and its likelihood, against alpha"),
    .options = {FIGURE_CELL_OPTIONS},
    .tables = {".csv"},
    .script = ndg_accuracy_gp,
    .rest = accuracy_gp,
    .samples = true,
    .tests = true,
    .cells = cells,
    .run = run,
};
