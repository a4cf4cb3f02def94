/* What all figures have in common: their options, and the way from numbers to files. */
#include "figures/figure.h"

#include "figures/output.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum kind { SIZE, REAL, TEXT, SEED };

static const struct option {
    const char *name;
    enum kind kind;
    size_t offset;
    double least, most;
} table[] = {
#define ROW(field, kind, metavar, least, most, help)                                                                   \
    {#field, kind, offsetof(struct figure_options, field), least, most},
    FIGURE_OPTIONS(ROW)
#undef ROW
};

enum { N_OPTIONS = sizeof table / sizeof *table };

/* The value of an option as text; "" where it is none. */
static void format(char *out, size_t size, const struct option *option, const struct figure_options *options)
{
    const void *at = (const char *)options + option->offset;
    switch (option->kind) {
    case SIZE:
        snprintf(out, size, "%zu", *(const size_t *)at);
        break;
    case REAL:
        snprintf(out, size, "%.15g", *(const double *)at);
        break;
    case TEXT:
        snprintf(out, size, "\"%s\"", *(const char *const *)at);
        break;
    case SEED:
        snprintf(out, size, "%" PRIu64, *(const uint64_t *)at);
        break;
    }
}

static kelvin_status check(const struct option *option, const struct figure_options *options)
{
    if (option->kind == TEXT || option->kind == SEED) return KELVIN_OK; /* read where it is used; any will do */
    const void *at = (const char *)options + option->offset;
    const double value = option->kind == SIZE ? (double)*(const size_t *)at : *(const double *)at;
    if (value >= option->least && value <= option->most) return KELVIN_OK;
    char text[64];
    format(text, sizeof text, option, options);
    return kelvin_fail(KELVIN_EUSAGE, "--%s must be from %.10g to %.10g, not %s", option->name, option->least,
                       option->most, text);
}

bool figure_heeds(const struct figure *figure, const char *option)
{
    for (size_t i = 0; figure->options[i]; i++)
        if (strcmp(option, figure->options[i]) == 0) return true;
    return false;
}

struct figure_options figure_defaults(const struct figure *figure, enum figure_scale scale)
{
    struct figure_options options = {.scale = scale};
    figure->defaults(&options);
    return options;
}

void figure_write_parameters(FILE *out, const char *prefix, const struct figure *figure,
                             const struct figure_options *options)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (!figure_heeds(figure, table[i].name)) continue;
        char text[256];
        format(text, sizeof text, &table[i], options);
        fprintf(out, "%s%s = %s\n", prefix, table[i].name, text);
    }
}

kelvin_status figure_compute(const struct figure *figure, const struct figure_options *options)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (figure_heeds(figure, table[i].name)) KELVIN_TRY(check(&table[i], options));
    KELVIN_TRY(figure->run(figure, options));
    return output_script(figure, options);
}

kelvin_status figure_draw(const struct figure *figure, const char *folder)
{
    return output_draw(folder, figure->name, figure->moves);
}

void figure_print_files(const struct figure *figure, const struct figure_options *options, bool drawn)
{
    fputc('\n', options->out);
    for (size_t i = 0; figure->tables[i]; i++)
        fprintf(options->out, "%s/%s%s\n", options->folder, figure->name, figure->tables[i]);
    fprintf(options->out, "%s/%s.gp\n", options->folder, figure->name);
    for (size_t i = 0; drawn && output_pictures[i]; i++)
        if (figure->moves || strcmp(output_pictures[i], ".gif") != 0)
            fprintf(options->out, "%s/%s%s\n", options->folder, figure->name, output_pictures[i]);
}
