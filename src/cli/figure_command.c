/* kelvin figure: a figure of the paper: its numbers as CSV, drawn as PNG, SVG and PDF. */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/words.h"
#include "figures/figure.h"

#include <string.h>

struct settings {
    struct figure_options figure;
    const char *scale;
    bool list;
};

#define KIND_SIZE OPTION_SIZE
#define KIND_REAL OPTION_DOUBLE
#define KIND_TEXT OPTION_STRING
#define KIND_SEED OPTION_UINT64
#define ROW(field, kind, metavar, least, most, help)                                                                   \
    {#field, 0, metavar, KIND_##kind, AT(figure.field), help, "by figure"},

static const struct option options[] = {
    {"output", 'o', "DIR", OPTION_STRING, AT(figure.folder), "folder for the files (required); made if missing", NULL},
    {"scale", 0, "smoke|laptop|paper", OPTION_STRING, AT(scale),
     "a second, fewer iterations and draws, or as published", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(figure.threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"list", 0, NULL, OPTION_FLAG, AT(list), "list the figures and exit", NULL},
    FIGURE_OPTIONS(ROW)};

enum { N_OPTIONS = sizeof options / sizeof *options, COMMON = 4 }; /* the first hold for every figure */

enum { MOST_FIGURES = 64 };

static const char all[] = "all"; /* the name of every figure that samples nothing */

static bool scale_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (kelvin_figure_scales[i]) snprintf(name, KELVIN_NAME_SIZE, "%s", kelvin_figure_scales[i]);
    return kelvin_figure_scales[i];
}

static kelvin_status find_scale(enum figure_scale *scale, const char *text)
{
    for (*scale = 0; kelvin_figure_scales[*scale]; ++*scale)
        if (strcmp(text, kelvin_figure_scales[*scale]) == 0) return KELVIN_OK;
    return kelvin_fail_unknown("scale", text, scale_name, NULL);
}

static bool figure_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    size_t n = 0;
    while (kelvin_figures[n]) n++;
    if (i <= n) snprintf(name, KELVIN_NAME_SIZE, "%s", i < n ? kelvin_figures[i]->member.name : all);
    return i <= n;
}

/* NULL for all of them. */
static kelvin_status find_figure(const struct figure **figure, const char *name)
{
    *figure = NULL;
    if (strcmp(name, all) == 0) return KELVIN_OK;
    for (size_t i = 0; kelvin_figures[i] && !*figure; i++)
        if (strcmp(kelvin_figures[i]->member.name, name) == 0) *figure = kelvin_figures[i];
    return *figure ? KELVIN_OK : kelvin_fail_unknown("figure", name, figure_name, NULL);
}

/* Is every option that was given one of this figure? NULL: of all figures. */
static kelvin_status check_options(const struct figure *figure, const struct arguments *arguments)
{
    for (size_t i = COMMON; i < N_OPTIONS; i++) {
        if (!arguments->text[i]) continue;
        if (figure && !kelvin_figure_option(figure, options[i].name))
            return kelvin_fail(KELVIN_EUSAGE, "the figure %s has no option --%s (see kelvin figure %s --help)",
                               figure->member.name, options[i].name, figure->member.name);
        if (!figure && options[i].kind != OPTION_UINT64)
            return kelvin_fail(KELVIN_EUSAGE, "--%s means something else for each figure: give it to one of them",
                               options[i].name);
    }
    return KELVIN_OK;
}

/* The figure's own defaults, and over them the options that were given. */
static kelvin_status settle(struct settings *own, const struct settings *given, const struct arguments *arguments,
                            const struct figure *figure)
{
    *own = *given;
    own->figure = kelvin_figure_defaults(figure, given->figure.scale);
    own->figure.watch = given->figure.watch;
    own->figure.out = given->figure.out;
    return options_apply(arguments, own, &figure_command.options);
}

/* The figures that are made together. */
struct batch {
    size_t n;
    const struct figure *figure[MOST_FIGURES];
    bool drawn[MOST_FIGURES];
    const struct figure_options *options;
};

static kelvin_status draw(void *context, size_t i)
{
    struct batch *batch = context;
    KELVIN_TRY(kelvin_figure_draw(batch->figure[i], batch->options));
    batch->drawn[i] = true;
    return KELVIN_OK;
}

/* gnuplot runs on one core: several at once. */
static kelvin_status draw_all(struct batch *batch)
{
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_pool_create(&pool, batch->options->threads));
    const kelvin_status status = kelvin_pool_run(pool, draw, batch, batch->n);
    kelvin_pool_destroy(pool);
    size_t missing = 0;
    for (size_t i = 0; i < batch->n; i++) missing += !batch->drawn[i];
    if (missing < 2) return status;
    char first[1024];
    snprintf(first, sizeof first, "%s", command_error());
    return kelvin_fail(status, "%s; so for %zu figures", first, missing);
}

/* One figure, or every one that samples nothing (NULL). Numbers first, then the pictures; without gnuplot the numbers
 * are there, and the status says what is not. */
static kelvin_status make(const struct figure *only, const struct settings *settings, const struct arguments *arguments)
{
    struct batch batch = {.options = &settings->figure};
    for (size_t i = 0; kelvin_figures[i] && batch.n < MOST_FIGURES; i++) {
        if (only ? kelvin_figures[i] != only : kelvin_figures[i]->samples) continue;
        struct settings own;
        KELVIN_TRY(settle(&own, settings, arguments, kelvin_figures[i]));
        if (!only) printf("%s%s\n", batch.n ? "\n" : "", kelvin_figures[i]->member.name);
        KELVIN_TRY(kelvin_figure_compute(kelvin_figures[i], &own.figure));
        batch.figure[batch.n++] = kelvin_figures[i];
    }
    const kelvin_status status = draw_all(&batch);
    for (size_t i = 0; i < batch.n; i++) kelvin_figure_print_files(batch.figure[i], &settings->figure, batch.drawn[i]);
    return status;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct settings *settings = data;
    for (size_t i = 0; settings->list && kelvin_figures[i]; i++)
        printf("%-24s %s\n", kelvin_figures[i]->member.name, kelvin_figures[i]->member.about);
    if (settings->list) return KELVIN_OK;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which figure? (see kelvin figure --list)");
    const struct figure *figure;
    KELVIN_TRY(find_figure(&figure, arguments->operand));
    KELVIN_TRY(find_scale(&settings->figure.scale, settings->scale));
    KELVIN_TRY(check_options(figure, arguments));
    if (!settings->figure.folder)
        return kelvin_fail(KELVIN_EUSAGE, "no output folder: give -o DIR (see kelvin figure --help)");

    struct progress progress;
    const struct figure_watch watch = {&progress,        progress_start, progress_piece,
                                       progress_stopped, progress_rows,  progress_end};
    settings->figure.watch = &watch;
    settings->figure.out = stdout;
    progress_catch_signals();
    return make(figure, settings, arguments);
}

/* kelvin figure NAME --help: the options of that figure alone, with its own words and defaults. */
static kelvin_status help(FILE *out, const void *data, const struct arguments *arguments)
{
    const struct figure *figure = NULL;
    if (arguments->operand) KELVIN_TRY(find_figure(&figure, arguments->operand));
    if (!figure) {
        command_help(out, &figure_command, &figure_command.options, data);
        return KELVIN_OK;
    }
    struct option own[N_OPTIONS];
    struct settings settings = *(const struct settings *)data, shown;
    size_t n = 0;
    settings.figure.scale = FIGURE_PAPER;
    KELVIN_TRY(settle(&shown, &settings, arguments, figure));
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const struct figure_option *heeded = kelvin_figure_option(figure, options[i].name);
        if (i >= COMMON && !heeded) continue;
        own[n] = options[i];
        if (i >= COMMON) own[n].shown = NULL; /* the value itself */
        if (heeded && heeded->help) own[n].help = heeded->help;
        n++;
    }
    char name[KELVIN_NAME_SIZE];
    snprintf(name, sizeof name, "figure %s", figure->member.name);
    const struct command one = {.name = name, .synopsis = "[OPTION]... -o DIR", .about = figure->member.about};
    command_help(out, &one, &(struct option_table){own, n, NULL}, &shown);
    return KELVIN_OK;
}

static const struct example examples[] = {
    {"kelvin figure decision-boundary -o figures", "Compute and draw figure 1 of the paper."},
    {"kelvin figure phase-diagram --classes 100 -o figures", "Another figure, for 100 classes instead of 10."},
    {"kelvin figure all -o figures", "All figures that need no sampling."},
    {NULL, NULL},
};

const struct command figure_command = {
    .name = "figure",
    .synopsis = "NAME|all [OPTION]... -o DIR",
    .about = "Compute a figure of the paper and draw it",
    .details = "Writes DIR/NAME.csv (the numbers), DIR/NAME.gp (the gnuplot script) and DIR/NAME.png, .svg and .pdf "
               "(the picture), and prints our numbers beside the published ones. Files that are there already are "
               "replaced.\n"
               "kelvin figure --list names the figures, kelvin figure NAME --help says which options one has and "
               "what they are by default; kelvin figure all makes every one that needs no sampling.",
    .operands = 1,
    .others = "FIGURE|all",
    .options = {options, N_OPTIONS, NULL},
    .settings_size = sizeof(struct settings),
    .usual = &(const struct settings){.scale = "paper"},
    .examples = examples,
    .run = run,
    .help = help,
};
