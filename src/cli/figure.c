/* kelvin figure: a figure of the paper: its numbers as CSV, drawn as PNG, SVG and PDF. */
#include "figures/figure.h"
#include "cli/command.h"
#include "cli/families.h"
#include "cli/progress.h"
#include "cli/suggest.h"

#include <string.h>

struct settings {
    struct figure_options figure;
    const char *scale;
    bool list;
};

#define AT(field) offsetof(struct settings, field)

static const struct option options[] = {
    {"output", 'o', "DIR", OPTION_STRING, AT(figure.folder), "folder for the files (required); made if missing", NULL},
    {"scale", 0, "SCALE", OPTION_STRING, AT(scale),
     "smoke (a second), laptop (fewer iterations) or paper (as published)", NULL},
    {"chains", 0, "N", OPTION_UINT32, AT(figure.chains), "number of chains", "by scale"},
    {"iterations", 0, "N", OPTION_UINT32, AT(figure.iterations), "iterations per chain; 30 % are warm-up", "by scale"},
    {"steps", 0, "N", OPTION_UINT32, AT(figure.steps), "leapfrog steps per iteration", "by scale"},
    {"grid", 0, "N", OPTION_SIZE, AT(figure.grid), "points per side of the lattice", "by scale; 400 for paper"},
    {"seed", 0, "N", OPTION_UINT64, AT(figure.seed), "seed: same seed, same numbers", "by figure"},
    {"threads", 0, "N", OPTION_SIZE, AT(figure.threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"list", 0, NULL, OPTION_FLAG, AT(list), "list the figures and exit", NULL},
};

enum { N_OPTIONS = sizeof options / sizeof *options };

static void defaults(void *data)
{
    struct settings *settings = data;
    settings->scale = figure_scales[FIGURE_PAPER];
}

static kelvin_status print_list(void)
{
    struct member member;
    for (size_t i = 0; families[FIGURES].member(&member, i); i++) printf("%-24s %s\n", member.name, member.about);
    return KELVIN_OK;
}

static bool scale_name(char name[NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (figure_scales[i]) snprintf(name, NAME_SIZE, "%s", figure_scales[i]);
    return figure_scales[i];
}

static kelvin_status find_scale(enum figure_scale *scale, const char *text)
{
    for (size_t i = 0; figure_scales[i]; i++)
        if (strcmp(text, figure_scales[i]) == 0) {
            *scale = (enum figure_scale)i;
            return KELVIN_OK;
        }
    return fail_unknown("scale", text, scale_name, NULL);
}

/* Options that choose among figures or folders hold for all; of the others each figure heeds some. */
static bool heeds(const struct figure *figure, const char *option)
{
    static const char *const common[] = {"output", "scale", "list", NULL};
    for (size_t i = 0; common[i]; i++)
        if (strcmp(option, common[i]) == 0) return true;
    for (size_t i = 0; figure->options[i]; i++)
        if (strcmp(option, figure->options[i]) == 0) return true;
    return false;
}

static kelvin_status check_options(const struct figure *figure, const struct figure_options *o,
                                   const struct arguments *arguments)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (arguments->given >> i & 1 && !heeds(figure, options[i].name))
            return kelvin_fail(KELVIN_EUSAGE, "the figure %s has no option --%s", figure->name, options[i].name);
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"chains", o->chains}, {"iterations", o->iterations}, {"steps", o->steps}, {"grid", o->grid}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value == 0 && option_given(arguments, options, N_OPTIONS, counts[i].name))
            return kelvin_fail(KELVIN_EUSAGE, "--%s must be at least 1, not 0", counts[i].name);
    return KELVIN_OK;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct settings *settings = data;
    if (settings->list) return print_list();
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which figure? (see kelvin figure --list)");
    KELVIN_TRY(family_check(FIGURES, arguments->operand));
    size_t which = 0;
    while (strcmp(figures[which]->name, arguments->operand) != 0) which++;
    KELVIN_TRY(find_scale(&settings->figure.scale, settings->scale));
    KELVIN_TRY(check_options(figures[which], &settings->figure, arguments));
    if (!option_given(arguments, options, N_OPTIONS, "seed")) settings->figure.seed = figures[which]->seed;
    if (!settings->figure.folder)
        return kelvin_fail(KELVIN_EUSAGE, "no output folder: give -o DIR (see kelvin figure --help)");

    struct progress progress;
    const struct figure_watch watch = progress_watch(&progress);
    settings->figure.watch = &watch;
    settings->figure.out = stdout;
    progress_catch_signals();
    return figures[which]->run(&settings->figure);
}

const struct command figure_command = {
    .name = "figure",
    .synopsis = "NAME [OPTION]... -o DIR",
    .about = "Compute a figure of the paper and draw it",
    .details = "Writes DIR/NAME.csv (the numbers), DIR/NAME.gp (the gnuplot script) and DIR/NAME.png, .svg and .pdf "
               "(the picture), and\n"
               "prints our numbers beside the published ones. Files that are there already are replaced.",
    .operand = "NAME",
    .options = options,
    .n_options = N_OPTIONS,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};
