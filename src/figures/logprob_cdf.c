/* logprob-cdf: how small the probabilities are that posterior samples give to classes on training data. DirClip's
 * samples put those of wrong classes where it clips. Paper: appendix "Further discussion of DirClip prior". */
#include "figures/distribution.h"
#include "figures/logprob_cdf_gp.h"

static void print_numbers(const struct figure_options *options, const struct distribution of[DISTRIBUTION_SERIES]);

static const struct distribution_picture picture = {
    .figure = &kelvin_logprob_cdf_figure,
    .kind = {.on = "train", .lowest = -70, .bound = -10},
    .series = {{"random", "DirClip, random start", .dirclip = true},
               {"tuned", "DirClip, fine-tuned", .dirclip = true, .tuned = true},
               {"tuned10", "DirClip(-10), fine-tuned", .dirclip = true, .tuned = true, .clip = -10},
               {"cold", "categorical, T = 0", .dirclip = false}},
    .print = print_numbers,
};

/* Of each series: the median, and the share that is less than the bound. Read off the picture. */
static const struct published {
    double median, below;
} published[DISTRIBUTION_SERIES] = {{-58.1, 0.9}, {-58.4, 0.9}, {-12.9, 0.84}, {-7.0, 0}};

static void print_numbers(const struct figure_options *options, const struct distribution of[DISTRIBUTION_SERIES])
{
    FILE *out = options->out;
    fprintf(out, "%-26s%24s%18s %.3g\n%-26s%12s%12s%12s%12s\n", "log-probabilities", "median", "less than",
            picture.kind.bound, "", "here", "published", "here", "published");
    for (size_t i = 0; i < DISTRIBUTION_SERIES; i++)
        fprintf(out, "%-26s%12.1f%12.1f%10.1f %%%10.0f %%\n", picture.series[i].title,
                kelvin_distribution_median(&of[i]), published[i].median, 100 * kelvin_distribution_below(&of[i]),
                100 * published[i].below);
}

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    return kelvin_distribution_cells(&picture, list, options);
}

static kelvin_status run(const struct figure_options *options)
{
    return kelvin_distribution_run(&picture, options);
}

const struct figure kelvin_logprob_cdf_figure = {
    .member = KELVIN_PLAIN_MEMBER("logprob-cdf", "distribution of predicted log-probabilities on training data"),
    .options = {{"alpha", 0, 0, "concentration of the DirClip prior"}, {.name = "clip"}, FIGURE_CELL_OPTIONS},
    .defaults = {.alpha = 0.85, .clip = -50},
    .tables = {".csv"},
    .script = logprob_cdf_gp,
    .samples = true,
    .cells = cells,
    .run = run,
};
