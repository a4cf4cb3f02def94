/* What all figures have in common: their options, and the way from numbers to files. */
#include "figures/figure.h"
#include "base/threads.h"
#include "base/words.h"
#include "figures/cells.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { FIGURE_PARAMETERS = 1024 };

#define ROW(field, kind, metavar, least, most, help)                                                                   \
    {{#field, metavar, help, least, most, FIGURE_##kind == FIGURE_SEED},                                               \
     FIGURE_##kind,                                                                                                    \
     offsetof(struct figure_options, field)},
const struct figure_known kelvin_figure_known[FIGURE_KNOWN] = {FIGURE_OPTIONS(ROW)};
#undef ROW

static kelvin_status check(const struct figure_known *known, const struct figure *figure,
                           const struct figure_options *options)
{
    if (known->kind == FIGURE_TEXT || known->kind == FIGURE_SEED)
        return KELVIN_OK; /* read where it is used; any will do */
    const struct figure_option *own = kelvin_figure_heeds(figure, known->option.name);
    const bool narrower = own->least < own->most;
    const double least = narrower ? own->least : known->option.least, most = narrower ? own->most : known->option.most;
    const void *at = (const char *)options + known->offset;
    const double value = known->kind == FIGURE_SIZE ? (double)*(const size_t *)at : *(const double *)at;
    if (value >= least && value <= most) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, KELVIN_REFER(OPTION, "%s") " must be from %.10g to %.10g%s, not %.15g",
                       known->option.name, least, most, narrower ? " in this figure" : "", value);
}

const struct figure_option *kelvin_figure_heeds(const struct figure *figure, const char *name)
{
    for (const struct figure_option *option = figure->options; option->name; option++)
        if (strcmp(name, option->name) == 0) return option;
    return NULL;
}

struct figure_options kelvin_figure_defaults(const struct figure *figure, enum figure_scale scale)
{
    static const size_t fewer[] = {
        [FIGURE_SMOKE] = 100, [FIGURE_LAPTOP] = 10, [FIGURE_WEEKEND] = 1, [FIGURE_PAPER] = 1};
    struct figure_options options = figure->defaults;
    options.scale = scale;
    options.draws /= fewer[scale];
    if (figure->cells) kelvin_cells_usual(&options);
    if (figure->adjust) figure->adjust(&options);
    return options;
}

void kelvin_figure_value(char *out, size_t size, const struct figure_known *known, const struct figure_options *options)
{
    const void *at = (const char *)options + known->offset;
    if (known->kind == FIGURE_SIZE) snprintf(out, size, "%zu", *(const size_t *)at);
    if (known->kind == FIGURE_REAL) snprintf(out, size, "%.15g", *(const double *)at);
    if (known->kind == FIGURE_TEXT) snprintf(out, size, "%s", *(const char *const *)at);
    if (known->kind == FIGURE_SEED) snprintf(out, size, "%" PRIu64, *(const uint64_t *)at);
}

/* On one line. In single quotes gnuplot takes a text as it is; in double ones it would start programs that a file's name
 * has between backquotes. */
static void write_text(FILE *out, const char *text, char quote)
{
    fputc(quote, out);
    for (; *text; text++) {
        if (*text == quote) fputc(quote, out);
        fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
    fputc(quote, out);
}

/* The options that the figure has, as lines "PREFIXname = value": for readers of a table, or for gnuplot. */
static void write_parameters(FILE *out, const char *prefix, const struct figure *figure,
                             const struct figure_options *options)
{
    for (size_t i = 0; i < FIGURE_KNOWN; i++) {
        const struct figure_known *known = &kelvin_figure_known[i];
        char value[4096];
        if (!kelvin_figure_heeds(figure, known->option.name)) continue;
        kelvin_figure_value(value, sizeof value, known, options);
        fprintf(out, "%s%s = ", prefix, known->option.name);
        if (known->kind == FIGURE_TEXT)
            write_text(out, value, *prefix ? '"' : '\'');
        else
            fputs(value, out);
        fputc('\n', out);
    }
}

void kelvin_figure_parameter(const struct figure_options *options, const char *name, double value)
{
    const size_t used = strlen(options->parameters);
    snprintf(options->parameters + used, FIGURE_PARAMETERS - used, "%s = %.15g\n", name, value);
}

kelvin_status kelvin_figure_table(struct output_file *table, const struct figure *figure,
                                  const struct figure_options *options, const char *suffix, const char *columns,
                                  const char *note)
{
    KELVIN_TRY(kelvin_output_open(table, options->folder, figure->member.name, suffix));
    fprintf(table->file, "# %s\n", columns);
    write_parameters(table->file, "# ", figure, options);
    fputs(note, table->file);
    return KELVIN_OK;
}

kelvin_status kelvin_figure_piece(const kelvin_figure_watch *watch)
{
    return watch->piece(watch->context) ? KELVIN_OK : kelvin_fail(KELVIN_ESTOP, "stopped by a signal");
}

kelvin_status kelvin_figure_tasks(const struct figure_options *options, const char *what, uint64_t pieces,
                                  kelvin_task *task, void *context, size_t n)
{
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_pool_create(&pool, options->threads));
    options->watch->start(options->watch->context, what, pieces);
    const kelvin_status status = kelvin_pool_run(pool, task, context, n);
    options->watch->end(options->watch->context);
    kelvin_pool_destroy(pool);
    return status;
}

/* FOLDER/FIGURE.gp: what all scripts begin with, the parameters, and the figure's own lines. */
static kelvin_status write_script(const struct figure *figure, const struct figure_options *options)
{
    struct output_file script;
    KELVIN_TRY(kelvin_output_open(&script, options->folder, figure->member.name, ".gp"));
    kelvin_output_prelude(script.file);
    fputs("\n# ---- the parameters ----\n", script.file);
    write_parameters(script.file, "", figure, options);
    fputs(options->parameters, script.file);
    fputs("\n# ---- the picture ----\n", script.file);
    fputs(figure->script, script.file);
    if (figure->rest) fputs(figure->rest, script.file);
    return kelvin_output_close(&script, KELVIN_OK);
}

kelvin_status kelvin_figure_check(const struct figure *figure, const struct figure_options *options)
{
    for (size_t i = 0; i < FIGURE_KNOWN; i++)
        if (kelvin_figure_heeds(figure, kelvin_figure_known[i].option.name))
            KELVIN_TRY(check(&kelvin_figure_known[i], figure, options));
    return KELVIN_OK;
}

kelvin_status kelvin_figure_run(const struct figure *figure, const struct figure_options *options)
{
    KELVIN_TRY(kelvin_figure_check(figure, options));
    KELVIN_TRY(kelvin_output_check_folder(options->folder)); /* before the long work, not after it */
    char parameters[FIGURE_PARAMETERS] = "";
    struct figure_options with = *options;
    with.parameters = parameters;
    KELVIN_TRY(figure->run(&with));
    return write_script(figure, &with);
}

kelvin_status kelvin_figure_picture(const struct figure *figure, const struct figure_options *options)
{
    return kelvin_output_draw(options->folder, figure->member.name, figure->moves, options->watch->stopped,
                              options->watch->context);
}

void kelvin_figure_list_files(const struct figure *figure, const struct figure_options *options, bool drawn)
{
    fputc('\n', options->out);
    kelvin_output_print_files(options->out, options->folder, figure->member.name, figure->tables, drawn, figure->moves);
}
