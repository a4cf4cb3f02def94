/* A figure with its options, as clients have it: values are texts, numbers are read here. */
#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"
#include "experiment/experiment.h"
#include "figures/cells.h"

#include <string.h>

struct kelvin_figure {
    const struct figure *type;
    struct figure_options options;
    char *text[FIGURE_KNOWN];                  /* of options that are texts, if they were set */
    kelvin_figure_option option[FIGURE_KNOWN]; /* those that it has, in its own words */
    size_t n;
};

/* ---- making ---- */

static bool scale_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    const char *scale = kelvin_figure_scale(i);
    if (scale) snprintf(name, KELVIN_NAME_SIZE, "%s", scale);
    return scale;
}

static kelvin_status find_scale(enum figure_scale *scale, const char *name)
{
    for (*scale = 0; kelvin_figure_scales[*scale]; ++*scale)
        if (strcmp(name, kelvin_figure_scales[*scale]) == 0) return KELVIN_OK;
    return kelvin_fail_unknown("scale", name, scale_at, NULL);
}

const char *kelvin_figure_scale(size_t i)
{
    size_t n = 0;
    while (kelvin_figure_scales[n]) n++;
    return i < n ? kelvin_figure_scales[i] : NULL;
}

/* The options that a figure has; what is narrower there than elsewhere is as it is there. */
static void list_options(kelvin_figure *f)
{
    for (size_t i = 0; i < FIGURE_KNOWN; i++) {
        const struct figure_option *own = kelvin_figure_heeds(f->type, kelvin_figure_known[i].option.name);
        if (!own) continue;
        kelvin_figure_option *option = &f->option[f->n++];
        *option = kelvin_figure_known[i].option;
        if (own->help) option->about = own->help;
        if (own->least < own->most) option->least = own->least, option->most = own->most;
        if (f->type->cells && kelvin_cells_share(option->name)) option->shared = true;
    }
}

kelvin_status kelvin_figure_create(kelvin_figure **out, const char *name, const char *scale)
{
    const kelvin_member *member;
    enum figure_scale size;
    *out = NULL;
    KELVIN_TRY(kelvin_family_find(&member, &kelvin_figure_family, name));
    const bool long_work = ((const struct figure *)member)->cells != NULL;
    KELVIN_TRY(find_scale(&size, scale ? scale : kelvin_figure_scales[long_work ? FIGURE_SMOKE : FIGURE_PAPER]));
    kelvin_figure *f = *out = kelvin_alloc(1, sizeof *f);
    if (!f) return KELVIN_ENOMEM;
    f->type = (const struct figure *)member;
    f->options = kelvin_figure_defaults(f->type, size);
    list_options(f);
    return KELVIN_OK;
}

void kelvin_figure_destroy(kelvin_figure *f)
{
    for (size_t i = 0; f && i < FIGURE_KNOWN; i++) kelvin_free(f->text[i]);
    kelvin_free(f);
}

const char *kelvin_figure_name(const kelvin_figure *f)
{
    return f->type->member.name;
}

bool kelvin_figure_samples(const kelvin_figure *f)
{
    return f->type->samples;
}

/* ---- options ---- */

const kelvin_figure_option *kelvin_figures_option(size_t i)
{
    return i < FIGURE_KNOWN ? &kelvin_figure_known[i].option : NULL;
}

const kelvin_figure_option *kelvin_figure_option_at(const kelvin_figure *f, size_t i)
{
    return i < f->n ? &f->option[i] : NULL;
}

static const struct figure_known *find_option(const kelvin_figure *f, const char *name)
{
    for (size_t i = 0; i < FIGURE_KNOWN && kelvin_figure_heeds(f->type, name); i++)
        if (strcmp(kelvin_figure_known[i].option.name, name) == 0) return &kelvin_figure_known[i];
    return NULL;
}

static kelvin_status read_value(kelvin_figure *f, const struct figure_known *k, const char *text)
{
    void *at = (char *)&f->options + k->offset;
    uint64_t whole = 0;
    if (k->kind == FIGURE_REAL) return kelvin_parse_real(at, "", text);
    if (k->kind == FIGURE_TEXT) {
        char *copy = kelvin_strdup(text);
        if (!copy) return KELVIN_ENOMEM;
        const size_t i = (size_t)(k - kelvin_figure_known);
        kelvin_free(f->text[i]);
        *(const char **)at = f->text[i] = copy;
        return KELVIN_OK;
    }
    KELVIN_TRY(kelvin_parse_whole(&whole, "", text, k->kind == FIGURE_SEED ? UINT64_MAX : SIZE_MAX));
    if (k->kind == FIGURE_SEED)
        *(uint64_t *)at = whole;
    else
        *(size_t *)at = (size_t)whole;
    return KELVIN_OK;
}

kelvin_status kelvin_figure_set(kelvin_figure *f, const char *name, const char *text)
{
    const struct figure_known *k = find_option(f, name);
    if (!k)
        return kelvin_fail(KELVIN_EUSAGE, "the figure %s has no option " KELVIN_REFER(OPTION, "%s"),
                           kelvin_figure_name(f), name);
    const kelvin_status status = read_value(f, k, text);
    if (status != KELVIN_EUSAGE) return status;
    return kelvin_fail(status, KELVIN_REFER(OPTION, "%s") KELVIN_SAID, name, kelvin_error_raw());
}

void kelvin_figure_get(const kelvin_figure *f, const char *name, char *out, size_t size)
{
    const struct figure_known *k = find_option(f, name);
    if (size > 0) *out = '\0';
    if (k) kelvin_figure_value(out, size, k, &f->options);
}

/* ---- numbers and pictures ---- */

static void nobody_starts(void *context, const char *what, uint64_t total)
{
    (void)context, (void)what, (void)total;
}

static bool nobody_stops(void *context)
{
    (void)context;
    return true;
}

static bool nobody_looks(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run, (void)news;
    return true;
}

static void nobody_ends(void *context)
{
    (void)context;
}

static struct figure_options with_output(const kelvin_figure *f, const kelvin_figure_output *output)
{
    static const kelvin_figure_watch nobody = {
        .start = nobody_starts, .piece = nobody_stops, .iteration = nobody_looks, .end = nobody_ends};
    struct figure_options options = f->options;
    options.folder = output->folder;
    options.threads = output->threads;
    options.out = output->out;
    options.watch = output->watch ? output->watch : &nobody;
    options.experiment = output->experiment;
    options.ready = output->ready;
    return options;
}

/* ---- posteriors ---- */

/* Before anything is sampled for it. */
static kelvin_status check_tests(const kelvin_figure *f, const kelvin_experiment *e)
{
    if (!f->type->tests || kelvin_data_rows(e->cell[e->n - 1].data, KELVIN_TEST) > 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the figure %s is about test data, and %s has none", f->type->member.name,
                       f->options.data);
}

kelvin_status kelvin_figure_cells(const kelvin_figure *f, kelvin_experiment *experiment)
{
    KELVIN_NEEDS(f);
    KELVIN_NEEDS(experiment);
    struct figure_cells list = {0};
    if (!f->type->cells) return KELVIN_OK;
    KELVIN_TRY(kelvin_figure_check(f->type, &f->options));
    kelvin_status status = f->type->cells(&list, &f->options);
    if (!status) status = kelvin_cells_put(experiment, &list, &f->options);
    kelvin_cells_free(&list);
    return status ? status : check_tests(f, experiment);
}

static bool goes_on(void *context, const kelvin_experiment *experiment, const kelvin_cell_news *news)
{
    const kelvin_figure_watch *watch = context;
    (void)experiment, (void)news;
    return !watch->stopped || !watch->stopped(watch->context);
}

/* Of a caller who has no experiment: its posteriors are sampled here, in the usual cache. */
static kelvin_status compute_alone(const kelvin_figure *f, struct figure_options *options)
{
    kelvin_experiment *experiment;
    const kelvin_run_options how = {.threads = options->threads, .checkpoint = 60};
    KELVIN_TRY(kelvin_experiment_create(&experiment, NULL));
    kelvin_status status = kelvin_figure_cells(f, experiment);
    if (!status && !options->ready)
        status = kelvin_experiment_sample(experiment, &how, goes_on, (void *)options->watch);
    options->experiment = experiment;
    if (!status) status = kelvin_figure_run(f->type, options);
    kelvin_experiment_destroy(experiment);
    return status;
}

kelvin_status kelvin_figure_compute(const kelvin_figure *f, const kelvin_figure_output *output)
{
    struct figure_options options = with_output(f, output);
    FILE *nowhere = options.out ? NULL : fopen("/dev/null", "w");
    if (!options.out && !(options.out = nowhere)) return kelvin_fail(KELVIN_EIO, "/dev/null: cannot be opened");
    const bool alone = f->type->cells && !options.experiment;
    const kelvin_status status = alone ? compute_alone(f, &options) : kelvin_figure_run(f->type, &options);
    if (nowhere) fclose(nowhere);
    return status;
}

struct drawing {
    kelvin_figure *const *figures;
    bool *drawn;
    const kelvin_figure_output *output;
};

static kelvin_status draw(void *context, size_t i)
{
    const struct drawing *d = context;
    const struct figure_options options = with_output(d->figures[i], d->output);
    KELVIN_TRY(kelvin_figure_picture(d->figures[i]->type, &options));
    d->drawn[i] = true;
    return KELVIN_OK;
}

/* gnuplot runs on one core: several at once. */
kelvin_status kelvin_figures_draw(kelvin_figure *const *figures, size_t n, bool *drawn,
                                  const kelvin_figure_output *output)
{
    struct drawing drawing = {figures, drawn, output};
    kelvin_pool *pool;
    size_t missing = 0;
    for (size_t i = 0; i < n; i++) drawn[i] = false;
    KELVIN_TRY(kelvin_pool_create(&pool, output->threads));
    const kelvin_status status = kelvin_pool_run(pool, draw, &drawing, n);
    kelvin_pool_destroy(pool);
    for (size_t i = 0; i < n; i++) missing += !drawn[i];
    if (missing < 2) return status;
    return kelvin_fail(status, KELVIN_SAID "; so for %zu figures", kelvin_error_raw(), missing);
}

void kelvin_figure_print_files(const kelvin_figure *f, const kelvin_figure_output *output, bool drawn)
{
    const struct figure_options options = with_output(f, output);
    if (output->out) kelvin_figure_list_files(f->type, &options, drawn);
}
