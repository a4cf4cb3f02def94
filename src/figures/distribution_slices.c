/* distribution-slices: priors, likelihoods and posteriors of one prediction for two classes, over the predicted
 * probability p of the true class, and their local maxima. The densities are the library's, listed in slices.c:
 *
 *     value(t) = power * log f(z),  z = (t, 0),  t = log(p / (1 - p)).
 *
 * Paper: figure "Slices of various prior, likelihood, and posterior distributions". */
#include "figures/distribution_slices_gp.h"
#include "figures/figure.h"
#include "figures/slices.h"

#include <math.h>
#include <string.h>

/* What can be read off the published picture, where a pixel is 6 % of p: the maxima of each curve from left to right,
 * as p, or as p - 1 where p is nearly 1. */
static const struct published {
    enum slice_panel panel;
    const char *name;
    double maximum[2];
} published[] = {
    {SLICE_PRIOR, "NDG", {1.4e-9, -1.4e-9}},
    {SLICE_POSTERIOR, "conf. + categ.", {3e-7}},
    {SLICE_POSTERIOR, "NDG + categ.", {0.0015, -1.4e-9}},
};

static void write_row(FILE *out, const struct slice *slices, size_t index, double t, int digits)
{
    const double value = kelvin_slice_value(&slices[index], t);
    fprintf(out, "%d,%zu,%.*g,%.*g,%.*g,%.*g,%.10g,%.10g\n", (int)slices[index].panel, index, digits, t, digits,
            kelvin_slice_probability(t), digits, kelvin_slice_probability(-t), digits, kelvin_slice_axis(t), value,
            value + slices[index].shift);
}

static void describe(FILE *out, const struct slice *slices)
{
    for (size_t i = 0; i < SLICES; i++) {
        const struct slice *s = &slices[i];
        const kelvin_density *density = &s->tempered.density;
        char text[96];
        kelvin_density_format(text, sizeof text, density);
        fprintf(out, "# curve %zu, panel %d (%s): %s: ", i, (int)s->panel, kelvin_slice_panels[s->panel], s->name);
        if (s->tempered.power > 1) fprintf(out, "%.10g times ", s->tempered.power);
        fprintf(out, "%s%s, drawn higher by %.10g\n", text, density->likelihood ? " with likelihood" : "", s->shift);
    }
}

static const char columns[] = "panel,curve,logit,probability,complement,axis,value,drawn";

static kelvin_status write_curves(const struct figure_options *options, const struct slice *slices)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_distribution_slices_figure, options, ".csv", columns,
        "# Two classes; probability is that of the true class, complement that of the other; axis is where the\n"
        "# picture puts it: log(2 probability) below 1/2, -log(2 complement) above. value is the log-density without\n"
        "# constants, drawn is what the picture shows. A block is a curve:\n"));
    describe(table.file, slices);
    for (size_t i = 0; i < SLICES; i++) {
        if (i) fputs("\n\n", table.file);
        for (size_t k = 0; k < options->grid; k++)
            write_row(table.file, slices, i, kelvin_slice_logit(k, options->grid), 10);
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_maxima(const struct figure_options *options, const struct slice *slices)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_distribution_slices_figure, options, "-maxima.csv", columns,
        "# Local maxima between the ends of the axis, columns and curves as in the table of the curves.\n"));
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < slices[i].n_maxima; j++) write_row(table.file, slices, i, slices[i].maximum[j], 15);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* p, written as 1 - something where that says more. */
static void print_probability(char out[32], double p, double complement)
{
    if (p < 0.9)
        snprintf(out, 32, "%.3g", p);
    else
        snprintf(out, 32, "1 - %.3g", complement);
}

static void print_published(FILE *out, const struct slice *slice, size_t index)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *row = &published[i];
        if (row->panel != slice->panel || strcmp(row->name, slice->name) != 0 || index >= 2) continue;
        const double found = row->maximum[index];
        char text[32];
        print_probability(text, found > 0 ? found : 1, -found);
        if (found != 0) fprintf(out, "   published: %s", text);
    }
}

static bool is_paper(const struct figure_options *options)
{
    const struct figure_options *paper = &kelvin_distribution_slices_figure.defaults;
    return options->alpha == paper->alpha && options->clip == paper->clip &&
           strcmp(options->temperatures, paper->temperatures) == 0;
}

static void print(const struct figure_options *options, const struct slice *slices)
{
    bool any = false;
    for (size_t i = 0; i < SLICES; i++)
        for (size_t j = 0; j < slices[i].n_maxima; j++) {
            const double t = slices[i].maximum[j];
            char text[32];
            print_probability(text, kelvin_slice_probability(t), kelvin_slice_probability(-t));
            fprintf(options->out, "local maximum  %-10s %-15s p = %-14s", kelvin_slice_panels[slices[i].panel],
                    slices[i].name, text);
            if (is_paper(options)) print_published(options->out, &slices[i], j);
            fputc('\n', options->out);
            any = true;
        }
    if (!any) fputs("no local maxima between the ends of the axis\n", options->out);
}

static kelvin_status run(const struct figure_options *options)
{
    struct temperatures list;
    struct slice slices[SLICES];
    KELVIN_TRY(kelvin_temperatures_parse_n(&list, options->temperatures, 2,
                                           "of the confidence prior and the posteriors, and of the cold likelihood"));
    const struct slice_numbers numbers = {options->alpha, options->clip, {list.T[0], list.T[1]}};
    KELVIN_TRY(kelvin_slices_make(slices, &numbers));
    KELVIN_TRY(write_curves(options, slices));
    KELVIN_TRY(write_maxima(options, slices));
    print(options, slices);
    return KELVIN_OK;
}

const struct figure kelvin_distribution_slices_figure = {
    .member = KELVIN_PLAIN_MEMBER("distribution-slices",
                                  "priors, likelihoods and posteriors of a prediction for two classes"),
    .options = {{"alpha", 1e-15, 1e6, NULL},
                {.name = "clip"},
                {"temperatures", 0, 0,
                 "that of the confidence prior and the posteriors, and that of the cold likelihood"},
                {"grid", 20, 5000, "points along a curve"}},
    .defaults = {.alpha = SLICE_PAPER_ALPHA,
                 .clip = SLICE_PAPER_CLIP,
                 .temperatures = SLICE_PAPER_TEMPERATURES,
                 .grid = 801},
    .tables = {".csv", "-maxima.csv"},
    .script = distribution_slices_gp,
    .run = run,
};
