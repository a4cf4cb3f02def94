/* critical-alpha: below which concentration alpha of the prior may a gradient step on the Dirichlet posterior lower the
 * probability of the true class, for K = 2, 3, ... classes? With g+ = K alpha - K + 1 the change is
 *
 *     d log p_y = 1 - p_y + g+ (sum_k p_k^2 - p_y),
 *
 * which at g+ = -1 is 1 - sum_k p_k^2: above 0, and as close to it as the prediction is to certain of one class. So the
 * worst that can happen is certainty of a wrong class, and alpha = (K - 2) / K is critical. Here it is found by
 * bisection from the change that the density itself gives at such a prediction. Paper: appendix "Dirichlet gradient
 * step direction", figure "critical value". */
#include "figures/boundary.h"
#include "figures/critical_alpha_gp.h"
#include "figures/figure.h"

#include <math.h>

static const double all_but_certain = 1e-15; /* moves the critical alpha by 2/K of that */

static kelvin_status write_rows(FILE *out, double *apart, size_t classes)
{
    for (size_t K = 2; K <= classes; K++) {
        const double formula = (double)(K - 2) / (double)K;
        double critical;
        struct boundary b;
        KELVIN_TRY(kelvin_boundary_make(&b, K));
        if (!kelvin_boundary_alpha(&b, &critical, -1, 1, all_but_certain))
            return kelvin_fail(KELVIN_EUSAGE, "%zu classes have no critical alpha in -1 .. 1", K);
        *apart = fmax(*apart, fabs(critical - formula));
        fprintf(out, "%zu,%.15g,%.15g\n", K, critical, formula);
    }
    return KELVIN_OK;
}

static kelvin_status run(const struct figure_options *options)
{
    double apart = 0;
    struct output_file table;
    KELVIN_TRY(
        kelvin_figure_table(&table, &kelvin_critical_alpha_figure, options, ".csv", "classes,critical,formula", ""));
    fprintf(table.file, "# Found by bisection at 1 - p_wrong = %g, and (classes - 2) / classes.\n", all_but_certain);
    const kelvin_status status = kelvin_output_close(&table, write_rows(table.file, &apart, options->classes));
    if (!status)
        fprintf(options->out, "critical alpha of 2 .. %zu classes: at most %.1e away from the published (K - 2) / K\n",
                options->classes, apart);
    return status;
}

const struct figure kelvin_critical_alpha_figure = {
    .member = KELVIN_PLAIN_MEMBER("critical-alpha",
                                  "the least alpha that never lowers the true class, by the number of classes"),
    .options = {{"classes", 0, 0, "the largest number of classes"}},
    .defaults = {.classes = 100},
    .tables = {".csv"},
    .script = critical_alpha_gp,
    .run = run,
};
