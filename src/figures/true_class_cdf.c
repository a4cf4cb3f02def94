/* true-class-cdf: how small the probabilities are that posterior samples give to the true class of test images. Those
 * under DirClip are now and then sure of a wrong one. Paper: appendix "Further discussion of DirClip prior". */
#include "figures/distribution.h"
#include "figures/true_class_cdf_gp.h"

#include <inttypes.h>

static void print_numbers(const struct figure_options *options, const struct distribution of[DISTRIBUTION_SERIES]);

static const struct distribution_picture picture = {
    .figure = &kelvin_true_class_cdf_figure,
    .kind = {.on = "test", .label = true, .lowest = -100, .bound = -10},
    .series = {{"dirclip", "DirClip", .dirclip = true}, {"cold", "categorical, T = 0", .dirclip = false}},
    .print = print_numbers,
};

/* Pairs of a sample and a test image whose true class has a log-probability below the bound: 177,350 of 2,000,000, and
 * none. */
static const double published[DISTRIBUTION_SERIES] = {177350.0 / 2000000, 0};

static void print_numbers(const struct figure_options *options, const struct distribution of[DISTRIBUTION_SERIES])
{
    FILE *out = options->out;
    fprintf(out, "%-24s%12s%12s%28s\n", "true class below exp(-10)", "here", "published", "samples x test images");
    for (size_t i = 0; picture.series[i].name; i++)
        fprintf(out, "%-25s%10.2f %%%10.2f %%%21zu x %" PRIu64 "\n", picture.series[i].title,
                100 * kelvin_distribution_below(&of[i]), 100 * published[i], of[i].samples, of[i].values);
}

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    return kelvin_distribution_cells(&picture, list, options);
}

static kelvin_status run(const struct figure_options *options)
{
    return kelvin_distribution_run(&picture, options);
}

const struct figure kelvin_true_class_cdf_figure = {
    .member = KELVIN_PLAIN_MEMBER("true-class-cdf",
                                  "distribution of predicted log-probabilities of the true class on test data"),
    .options = {{"alpha", 0, 0, "concentration of the DirClip prior"}, {.name = "clip"}, FIGURE_CELL_OPTIONS},
    .defaults = {.alpha = 0.85, .clip = -50},
    .tables = {".csv"},
    .script = true_class_cdf_gp,
    .samples = true,
    .tests = true,
    .cells = cells,
    .run = run,
};
