/* ndg-ridgeline: the normals that the NDG posterior puts on the logits of the classes. The library knows their sum of
 * log-densities; since that of a normal N(m, s2) has the slope g(z) = (m - z) / s2, two slopes of each class tell
 *
 *     s2 = 1 / (g(0) - g(1)),   m = s2 g(0),   density(z) = exp(value(z) - value(m)) / sqrt(2 pi s2),
 *
 * where value changes with the logit of that class alone. Paper: appendix "Factorization of NDG posterior". It prints
 * log(1 / alpha + 1) as a standard deviation; its picture, and the library, take it for the variance. */
#include "base/words.h"
#include "figures/figure.h"
#include "figures/ndg_ridgeline_gp.h"

#include "density/density.h"

#include <math.h>
#include <string.h>

struct normal {
    double mean, variance;
};

/* What is asked about, and the answers. */
struct ridges {
    kelvin_density density;
    size_t classes, label;
    double z[FIGURE_CLASSES]; /* where the logits are of which none is asked about */
    struct normal normal[FIGURE_CLASSES];
};

/* The log-density with the logit of one class at x; the slope in that logit goes to *slope. */
static double ask(const struct ridges *r, double *slope, size_t class, double x)
{
    double z[FIGURE_CLASSES], grad[FIGURE_CLASSES];
    memcpy(z, r->z, r->classes * sizeof *z);
    z[class] = x;
    const double value = kelvin_density_eval(&r->density, grad, z, r->classes, r->label);
    *slope = grad[class];
    return value;
}

static struct normal normal_of(const struct ridges *r, size_t class)
{
    double at_0, at_1;
    (void)ask(r, &at_0, class, 0);
    (void)ask(r, &at_1, class, 1);
    const double variance = 1 / (at_0 - at_1);
    return (struct normal){variance * at_0, variance};
}

/* Finds all normals and leaves the logits at their means, where the sum of the log-densities is 0: differences from
 * there keep their digits. */
static void find_normals(struct ridges *r)
{
    for (size_t k = 0; k < r->classes; k++) r->normal[k] = normal_of(r, k);
    for (size_t k = 0; k < r->classes; k++) r->z[k] = r->normal[k].mean;
}

static double density_at(const struct ridges *r, size_t class, double x)
{
    double slope;
    const struct normal *normal = &r->normal[class];
    const double difference = ask(r, &slope, class, x) - ask(r, &slope, class, normal->mean);
    return exp(difference) / sqrt(2 * 3.14159265358979323846 * normal->variance);
}

/* A class that is not the true one; there are at least two. */
static size_t wrong_class(const struct ridges *r)
{
    return r->label == 0;
}

/* From 3.5 standard deviations below a mean to 4.5 above, for both kinds of class, and on to round numbers: for the
 * paper's alpha that gives its axis, -9 to 4. */
static void find_range(double *low, double *high, const struct ridges *r)
{
    const size_t class[2] = {wrong_class(r), r->label};
    *low = INFINITY, *high = -INFINITY;
    for (size_t i = 0; i < 2; i++) {
        const struct normal *normal = &r->normal[class[i]];
        *low = fmin(*low, normal->mean - 3.5 * sqrt(normal->variance));
        *high = fmax(*high, normal->mean + 4.5 * sqrt(normal->variance));
    }
    const double step = pow(10, floor(log10(*high - *low)) - 1);
    *low = floor(*low / step) * step;
    *high = ceil(*high / step) * step;
}

static kelvin_status write_curves(const struct figure_options *options, const struct ridges *r)
{
    double low, high;
    struct output_file table;
    find_range(&low, &high, r);
    KELVIN_TRY(
        kelvin_figure_table(&table, &kelvin_ndg_ridgeline_figure, options, ".csv", "x,wrong,true",
                            "# Densities of the logit of a wrong class (all have the same) and of the true one.\n"));
    for (size_t i = 0; i < options->grid; i++) {
        const double x = low + (high - low) * ((double)i / (double)(options->grid - 1));
        fprintf(table.file, "%.10g,%.10g,%.10g\n", x, density_at(r, wrong_class(r), x), density_at(r, r->label, x));
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_classes(const struct figure_options *options, const struct ridges *r)
{
    struct output_file table;
    KELVIN_TRY(
        kelvin_figure_table(&table, &kelvin_ndg_ridgeline_figure, options, "-classes.csv", "class,mean,variance", ""));
    for (size_t k = 0; k < r->classes; k++)
        fprintf(table.file, "%zu,%.10g,%.10g\n", k, r->normal[k].mean, r->normal[k].variance);
    return kelvin_output_close(&table, KELVIN_OK);
}

static void print_kind(const struct figure_options *options, const char *kind, const struct normal *normal,
                       const char *published)
{
    fprintf(options->out, "%-14s mean %8.4g   standard deviation %8.4g", kind, normal->mean, sqrt(normal->variance));
    if (options->alpha == kelvin_ndg_ridgeline_figure.defaults.alpha)
        fprintf(options->out, "   published: mean %s", published);
    fputc('\n', options->out);
}

static kelvin_status run(const struct figure_options *options)
{
    struct ridges r = {.classes = options->classes, .label = options->label};
    char text[64];
    if (r.label >= r.classes)
        return kelvin_fail(KELVIN_EUSAGE,
                           KELVIN_REFER(OPTION, "label") " must be below the number of classes, which is %zu, not %zu",
                           r.classes, r.label);
    snprintf(text, sizeof text, "ndg-logits:%.17g", options->alpha);
    KELVIN_TRY(kelvin_density_parse(&r.density, text));
    find_normals(&r);
    KELVIN_TRY(write_curves(options, &r));
    KELVIN_TRY(write_classes(options, &r));
    print_kind(options, "wrong classes", &r.normal[wrong_class(&r)], "-3.5");
    print_kind(options, "true class", &r.normal[r.label], "-0.23");
    return KELVIN_OK;
}

const struct figure kelvin_ndg_ridgeline_figure = {
    .member = KELVIN_PLAIN_MEMBER("ndg-ridgeline", "the normals that NDG puts on the logits of the classes"),
    .options = {{"alpha", 1e-15, 1e6, NULL},
                {.name = "classes"},
                {.name = "label"},
                {"grid", 20, 5000, "points along a curve"}},
    .defaults = {.alpha = 0.1,
                 .classes = 10,
                 .label = 3,
                 .grid = 521}, /* 40 points from one whole number to the next */
    .tables = {".csv", "-classes.csv"},
    .script = ndg_ridgeline_gp,
    .run = run,
};
