/* kelvin figure: a figure of the paper: its numbers as CSV, drawn as PNG, SVG and PDF. */
#include <kelvin/family.h>
#include <kelvin/figures.h>

#include "cli/cells_progress.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/words.h"

#include <kelvin/ranks.h>

#include <string.h>

struct settings {
    const char *folder, *scale, *cache;
    size_t threads, ranks_per_chain, ranks_per_cell;
    bool list, dry_run, ready;
};

static const struct option common[] = {
    {"output", 'o', "DIR", OPTION_STRING, AT(folder), "folder for the files (required); made if missing", NULL},
    {"scale", 0, "smoke|laptop|weekend|paper", OPTION_STRING, AT(scale),
     "a minute on digits; 10,000 images of MNIST, an hour for all figures; ResNet20 on CIFAR-10 over a weekend; or as "
     "published",
     "smoke of figures that need many posteriors, paper of others"},
    {"cache", 0, "DIR", OPTION_STRING, AT(cache), "where the runs of all figures and experiments are",
     "runs in kelvin's cache"},
    {"dry-run", 0, NULL, OPTION_FLAG, AT(dry_run),
     "say how many posteriors there are, how long they take and how much disk, and make nothing", NULL},
    {"ready", 0, NULL, OPTION_FLAG, AT(ready), "draw the posteriors that are there, and sample none", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"ranks-per-cell", 0, "N", OPTION_SIZE, AT(ranks_per_cell),
     "ranks that take each cell together, under mpirun or srun, and deal its chains",
     "1, or more if there are fewer cells than ranks"},
    {"ranks-per-chain", 0, "N", OPTION_SIZE, AT(ranks_per_chain), RUN_RANKS_HELP, RUN_RANKS},
    {"list", 0, NULL, OPTION_FLAG, AT(list), "list the figures and exit", NULL},
};

enum { COMMON = sizeof common / sizeof *common, MOST_FIGURES = 64 };

static const char all[] = "all"; /* the name of every figure */

/* An option of figures: its text goes to the figure. */
static struct option figure_option(const kelvin_figure_option *option, const char *shown)
{
    return (struct option){option->name, 0, option->metavar, OPTION_KEPT, 0, option->about, shown};
}

/* Those that hold for every figure, then those of figures. */
static const struct option_table *build(void)
{
    static struct option options[OPTIONS];
    static struct option_table table = {.options = options};
    const kelvin_figure_option *option;
    memcpy(options, common, sizeof common);
    table.n = COMMON;
    for (size_t i = 0; (option = kelvin_figures_option(i)) && table.n < OPTIONS; i++)
        options[table.n++] = figure_option(option, "by figure");
    return &table;
}

static const kelvin_member *figure_at(size_t i)
{
    return kelvin_family_member(kelvin_family_of("figures"), i);
}

static bool figure_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    const kelvin_member *member = figure_at(i);
    const bool last = !member && (i == 0 || figure_at(i - 1));
    if (member || last) snprintf(name, KELVIN_NAME_SIZE, "%s", member ? member->name : all);
    return member || last;
}

static kelvin_status check_name(const char *name)
{
    char known[KELVIN_NAME_SIZE];
    for (size_t i = 0; figure_name(known, NULL, i); i++)
        if (strcmp(known, name) == 0) return KELVIN_OK;
    return kelvin_fail_unknown("figure", name, figure_name, NULL);
}

/* As the figure has it; NULL if it does not. */
static const kelvin_figure_option *own_option(const kelvin_figure *figure, const char *name)
{
    const kelvin_figure_option *option;
    for (size_t i = 0; (option = kelvin_figure_option_at(figure, i)); i++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

/* Options that were given, on top of a figure's own. One of several takes what means the same in each, and `taken`
 * counts it. */
static kelvin_status set_options(kelvin_figure *figure, const struct arguments *arguments, bool one, size_t *taken)
{
    const kelvin_figure_option *option;
    const char *figures_name = kelvin_figure_name(figure);
    for (size_t i = 0; (option = kelvin_figures_option(i)); i++) {
        const char *text = arguments->text[COMMON + i];
        const kelvin_figure_option *own = own_option(figure, option->name);
        if (!text) continue;
        if (one && !own)
            return kelvin_fail(KELVIN_EUSAGE, "the figure %s has no option --%s (see kelvin figure %s --help)",
                               figures_name, option->name, figures_name);
        if (!own || !(one || own->shared)) continue;
        KELVIN_TRY(kelvin_figure_set(figure, option->name, text));
        taken[i]++;
    }
    return KELVIN_OK;
}

/* None of several figures has taken it. */
static kelvin_status check_taken(const struct arguments *arguments, const size_t *taken)
{
    const kelvin_figure_option *option;
    for (size_t i = 0; (option = kelvin_figures_option(i)); i++)
        if (arguments->text[COMMON + i] && taken[i] == 0)
            return kelvin_fail(KELVIN_EUSAGE, "--%s means something else for each figure: give it to one of them",
                               option->name);
    return KELVIN_OK;
}

/* The figures that are made together. */
struct batch {
    size_t n;
    kelvin_figure *figure[MOST_FIGURES];
    bool drawn[MOST_FIGURES];
    kelvin_experiment *experiment;
    bool partly; /* some posteriors could not be sampled */
};

static bool is_asked_for(const struct arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->n_operands; i++)
        if (strcmp(arguments->operands[i], name) == 0) return true;
    return false;
}

/* Those that were named, or every one, in the order of the paper. */
static kelvin_status collect(struct batch *batch, const struct settings *settings, const struct arguments *arguments)
{
    const bool every = is_asked_for(arguments, all), one = !every && arguments->n_operands == 1;
    size_t taken[OPTIONS] = {0};
    const kelvin_member *member;
    for (size_t i = 0; (member = figure_at(i)) && batch->n < MOST_FIGURES; i++) {
        kelvin_figure *figure;
        if (!every && !is_asked_for(arguments, member->name)) continue;
        KELVIN_TRY(kelvin_figure_create(&figure, member->name, settings->scale));
        batch->figure[batch->n++] = figure;
        KELVIN_TRY(set_options(figure, arguments, one, taken));
    }
    return check_taken(arguments, taken);
}

/* How much of it the pictures will show. */
static void tell_ready(const kelvin_experiment *experiment)
{
    const size_t cells = kelvin_experiment_cells(experiment);
    size_t there = 0;
    for (size_t i = 0; i < cells; i++) there += kelvin_experiment_done(experiment, i);
    if (there > 0 && there < cells)
        fprintf(stderr, "note: %zu of %zu posteriors are there; the others are left out\n", there, cells);
}

/* The posteriors of all of them, each once, sampled or counted. */
static kelvin_status sample(struct batch *batch, const struct settings *settings)
{
    const kelvin_run_options how = {.threads = settings->threads,
                                    .checkpoint = RUN_CHECKPOINT,
                                    .ranks_per_chain = settings->ranks_per_chain,
                                    .ranks_per_cell = settings->ranks_per_cell};
    KELVIN_TRY(kelvin_experiment_create(&batch->experiment, settings->cache));
    for (size_t i = 0; i < batch->n; i++) KELVIN_TRY(kelvin_figure_cells(batch->figure[i], batch->experiment));
    if (settings->dry_run && kelvin_rank() > 0) return KELVIN_OK;
    if (settings->dry_run) return cells_print_plan(batch->experiment, settings->threads);
    if (settings->ready) tell_ready(batch->experiment);
    if (settings->ready || kelvin_experiment_cells(batch->experiment) == 0) return KELVIN_OK;
    const kelvin_status status = cells_sample(batch->experiment, &how);
    if (status != KELVIN_EDIVERGED) return status;
    fprintf(stderr, "kelvin figure: %s\n", kelvin_error()); /* the others are drawn */
    batch->partly = true;
    return KELVIN_OK;
}

/* Numbers first, then the pictures; without gnuplot the numbers are there, and the status says what is not. */
static kelvin_status make(struct batch *batch, const kelvin_figure_output *output)
{
    size_t kept = 0, failed = 0;
    for (size_t i = 0; i < batch->n; i++) {
        if (batch->n > 1) printf("%s%s\n", i ? "\n" : "", kelvin_figure_name(batch->figure[i]));
        const kelvin_status status = kelvin_figure_compute(batch->figure[i], output);
        /* what is wrong with one of several, and with it alone, keeps none of the others */
        if (status && !(status == KELVIN_EUSAGE && batch->n > 1)) return status;
        if (status) fprintf(stderr, "kelvin figure: %s: %s\n", kelvin_figure_name(batch->figure[i]), command_error());
        failed += status && !output->ready;
        kelvin_figure *const figure = batch->figure[i];
        batch->figure[i] = batch->figure[kept];
        batch->figure[kept] = figure;
        kept += !status;
    }
    if (kept == 0) return kelvin_fail(KELVIN_EUSAGE, "none of the figures has a posterior that is there yet");
    const kelvin_status status = kelvin_figures_draw(batch->figure, kept, batch->drawn, output);
    for (size_t i = 0; i < kept; i++) kelvin_figure_print_files(batch->figure[i], output, batch->drawn[i]);
    if (!status && failed) return kelvin_fail(KELVIN_EIO, "%zu of %zu figures could not be made", failed, batch->n);
    return status;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    const kelvin_member *member;
    for (size_t i = 0; settings->list && (member = figure_at(i)); i++)
        printf("%-24s %s\n", member->name, member->about);
    if (settings->list) return KELVIN_OK;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which figure? (see kelvin figure --list)");
    for (size_t i = 0; i < arguments->n_operands; i++) KELVIN_TRY(check_name(arguments->operands[i]));

    struct progress progress;
    const kelvin_figure_watch watch = {&progress,        progress_start, progress_piece,
                                       progress_stopped, progress_rows,  progress_end};
    kelvin_figure_output output = {.folder = settings->folder,
                                   .threads = settings->threads,
                                   .out = stdout,
                                   .watch = &watch,
                                   .ready = settings->ready};
    struct batch batch = {0};
    kelvin_status status = run_check_threads(settings->threads);
    if (!status) status = collect(&batch, settings, arguments);
    if (!status && !settings->folder && !settings->dry_run)
        status = kelvin_fail(KELVIN_EUSAGE, "no output folder: give -o DIR (see kelvin figure --help)");
    if (!status) status = sample(&batch, settings);
    output.experiment = batch.experiment;
    output.ready |= batch.partly;
    if (!status && !settings->dry_run && kelvin_rank() == 0) { /* of several ranks one draws */
        progress_catch_signals();
        status = make(&batch, &output);
    }
    kelvin_experiment_destroy(batch.experiment);
    for (size_t i = 0; i < batch.n; i++) kelvin_figure_destroy(batch.figure[i]);
    return status;
}

/* The options of one figure alone, with its own words and defaults. */
static void figure_help(FILE *out, const kelvin_figure *figure, const char *about, const void *settings)
{
    enum { VALUE = 128 };
    struct option own[OPTIONS];
    char name[KELVIN_NAME_SIZE], values[OPTIONS][VALUE];
    const kelvin_figure_option *option;
    size_t n = COMMON;
    memcpy(own, common, sizeof common);
    for (size_t i = 0; (option = kelvin_figure_option_at(figure, i)) && n < OPTIONS; i++, n++) {
        kelvin_figure_get(figure, option->name, values[n], VALUE);
        own[n] = figure_option(option, values[n]);
    }
    snprintf(name, sizeof name, "figure %s", kelvin_figure_name(figure));
    const struct command one = {.name = name, .synopsis = "[OPTION]... -o DIR", .about = about};
    command_help(out, &one, &(struct option_table){own, n, NULL}, settings);
}

/* kelvin figure NAME --help */
static kelvin_status help(FILE *out, const void *settings, const struct arguments *arguments)
{
    const char *name = arguments->operand;
    const kelvin_member *member;
    kelvin_figure *figure;
    if (name) KELVIN_TRY(check_name(name));
    if (!name || strcmp(name, all) == 0) {
        command_help(out, &figure_command, build(), settings);
        return KELVIN_OK;
    }
    KELVIN_TRY(kelvin_family_find(&member, kelvin_family_of("figures"), name));
    KELVIN_TRY(kelvin_figure_create(&figure, name, ((const struct settings *)settings)->scale));
    size_t taken[OPTIONS] = {0};
    const kelvin_status status = set_options(figure, arguments, true, taken);
    if (!status) figure_help(out, figure, member->about, settings);
    kelvin_figure_destroy(figure);
    return status;
}

static const struct example examples[] = {
    {"kelvin figure decision-boundary -o figures", "Compute and draw figure 1 of the paper."},
    {"kelvin figure phase-diagram --classes 100 -o figures", "Another figure, for 100 classes instead of 10."},
    {"kelvin figure dirclip-accuracy --scale laptop -o figures", "A figure of many posteriors, on MNIST."},
    {"kelvin figure all -o figures", "All figures; those that need posteriors on the data inside, in minutes."},
    {NULL, NULL},
};

const struct command figure_command = {
    .name = "figure",
    .synopsis = "NAME...|all [OPTION]... -o DIR",
    .about = "Compute figures of the paper and draw them",
    .details = "Writes DIR/NAME.csv (the numbers), DIR/NAME.gp (the gnuplot script) and DIR/NAME.png, .svg and .pdf "
               "(the picture), and prints our numbers beside the published ones. Files that are there already are "
               "replaced.\n"
               "kelvin figure --list names the figures, kelvin figure NAME --help says which options one has and "
               "what they are by default; kelvin figure all makes every one.\n"
               "Figures of many posteriors sample these first, as kelvin experiment does: each is a run under one "
               "cache, all figures share them, and what was stopped goes on with the next call. Scales: smoke, digits; "
               "laptop, 10,000 images of MNIST with the network cnn; weekend, ResNet20 on CIFAR-10 with fewer epochs, "
               "samples and points; "
               "paper, as published. --data, --model, --epochs and --samples change any of them.",
    .ranks = true,
    .operands = OPERANDS,
    .others = "FIGURE|all",
    .build = build,
    .settings_size = sizeof(struct settings),
    .examples = examples,
    .run = run,
    .help = help,
};
