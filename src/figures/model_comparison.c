/* model-comparison: test accuracy and test likelihood against training accuracy, of all posteriors: what a posterior
 * makes of its training data says how accurate it is, but not how likely it finds the labels. Paper: section
 * "Results". */
#include "figures/accuracy.h"
#include "figures/model_comparison_gp.h"

static kelvin_status tempered(struct figure_cells *list, const struct figure_setting *s)
{
    for (size_t i = s->temperatures.n; i-- > 0;) {
        const double T = s->temperatures.x[i];
        KELVIN_TRY(kelvin_cells_add(list, &(struct figure_cell){"tempered", T, "categorical", .temperature = T}));
    }
    return KELVIN_OK;
}

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    KELVIN_TRY(kelvin_cells_add(list, &(struct figure_cell){"categorical-1", 1, "categorical", .temperature = 1}));
    KELVIN_TRY(tempered(list, s));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-logits", "ndg-logits:%g", s->ndg, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-logprobs", "ndg-logprobs:%g", s->ndg, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "ndg-likelihood", "ndg-likelihood:%g", s->ndg, false));
    KELVIN_TRY(kelvin_accuracy_curve(list, "dirclip-10", "dirclip:%g,-10", s->tuned_20, true));
    KELVIN_TRY(kelvin_accuracy_curve(list, "dirclip-20", "dirclip:%g,-20", s->tuned_20, true));
    return kelvin_accuracy_curve(list, "dirclip-50", "dirclip:%g,-50", s->random, false);
}

static kelvin_status run(const struct figure_options *options)
{
    return kelvin_accuracy_run(&kelvin_model_comparison_figure, options,
                               "accuracy rises with training accuracy along one line, from 89.3 % at T = 1 to 94.3 at "
                               "T = 0; the likelihood of DirClip(-50) falls with it, from -3,450 to -6,600");
}

const struct figure kelvin_model_comparison_figure = {
    .member = KELVIN_PLAIN_MEMBER("model-comparison",
                                  "test accuracy and likelihood against training accuracy, of all posteriors"),
    .options = {FIGURE_CELL_OPTIONS},
    .tables = {".csv"},
    .script = model_comparison_gp,
    .samples = true,
    .tests = true,
    .cells = cells,
    .run = run,
};
