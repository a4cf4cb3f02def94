/* dirclip-accuracy: training and test accuracy under a clipped Dirichlet prior, against its concentration: from random
 * starts, which lead to wrong labels below the critical value, and fine-tuned from networks that were trained before.
 * Paper: section "Dirichlet prior", figure "DirClip accuracy". */
#include "figures/accuracy.h"
#include "figures/accuracy_gp.h"
#include "figures/dirclip_accuracy_gp.h"

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    KELVIN_TRY(kelvin_accuracy_yardsticks(list));
    KELVIN_TRY(kelvin_accuracy_curve(list, "random-50", "dirclip:%g,-50", s->random, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "tuned-50", "dirclip:%g,-50", s->tuned_50, true));
    KELVIN_TRY(kelvin_accuracy_curve(list, "tuned-20", "dirclip:%g,-20", s->tuned_20, true));
    return kelvin_accuracy_curve(list, "tuned-10", "dirclip:%g,-10", s->tuned_20, true);
}

static kelvin_status run(const struct figure_options *options)
{
    return kelvin_accuracy_run(
        &kelvin_dirclip_accuracy_figure, options,
        "T = 0 94.3 % (train 100), T = 1 89.3 (87.8); DirClip(-50) at best 93.9 near 0.88 (99.3), "
        "10 below 0.8; fine-tuned at -0.5: DirClip(-20) 93.5 (99.1), DirClip(-10) 93.3 (97.8)");
}

const struct figure kelvin_dirclip_accuracy_figure = {
    .member = KELVIN_PLAIN_MEMBER("dirclip-accuracy",
                                  "accuracy under DirClip against alpha, from random starts and fine-tuned"),
    .options = {FIGURE_CELL_OPTIONS},
    .tables = {".csv"},
    .script = dirclip_accuracy_gp,
    .rest = accuracy_gp,
    .samples = true,
    .tests = true,
    .cells = cells,
    .run = run,
};
