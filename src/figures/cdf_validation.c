/* cdf-validation: the closed forms of F_cold and F_upper (confidence_cdf.c) against distribution functions that are
 * simulated from the densities (simulation.c). Paper: appendix "Proof that confidence prior converges to a cold
 * likelihood", figure "CDF of the categorical likelihood tempered to various temperatures". */
#include "figures/cdf_validation_gp.h"
#include "figures/figure.h"
#include "figures/simulation.h"

#include <math.h>

typedef double cdf(double z, double T);

static cdf *const exact[] = {kelvin_cdf_cold, kelvin_cdf_upper};

enum { KINDS = 2 };

struct picture {
    struct temperatures list;
    struct tempered target[KINDS * MOST_TEMPERATURES]; /* all cold, then all upper */
    size_t points;
    double *z;
    struct simulated *simulated; /* (kinds, temperatures, points) */
};

static kelvin_status read_temperatures(struct picture *picture, const char *text)
{
    KELVIN_TRY(kelvin_temperatures_parse(&picture->list, text));
    for (size_t i = 0; i < picture->list.n; i++) {
        KELVIN_TRY(kelvin_tempered_cold(&picture->target[i], picture->list.T[i]));
        KELVIN_TRY(kelvin_tempered_upper(&picture->target[picture->list.n + i], picture->list.T[i]));
    }
    return KELVIN_OK;
}

/* Evenly spaced points, and in the last gap more, ever closer to 1: curves climb there within the lowest temperature.
 * They end where a hundredth of the climb is left. Without z, only their number. */
static size_t fill_points(double *z, size_t grid, const struct temperatures *list)
{
    const double last = (double)(grid - 1), closer = 0.84; /* about four points in each halving */
    double lowest = 1.0;
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) lowest = fmin(lowest, list->T[i]);
    for (size_t i = 0; i + 1 < grid; i++, n++)
        if (z) z[n] = (double)i / last;
    for (double left = closer / last; left > 0.01 * lowest; left *= closer, n++)
        if (z) z[n] = 1.0 - left;
    if (z) z[n] = 1.0;
    return n + 1;
}

static const struct simulated *simulated_at(const struct picture *picture, size_t kind, size_t T)
{
    return picture->simulated + (kind * picture->list.n + T) * picture->points;
}

static void write_rows(FILE *file, const struct picture *picture, size_t k)
{
    const double T = picture->list.T[k];
    for (size_t i = 0; i < picture->points; i++) {
        fprintf(file, "%.10g,%.15g", T, picture->z[i]);
        for (size_t kind = 0; kind < KINDS; kind++) {
            const struct simulated *s = simulated_at(picture, kind, k) + i;
            fprintf(file, ",%.10g,%.10g,%.10g", exact[kind](picture->z[i], T), s->cdf, s->error);
        }
        fputc('\n', file);
    }
}

static kelvin_status write_table(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_cdf_validation_figure, options, ".csv",
        "temperature,z,cold,cold_simulated,cold_error,upper,upper_simulated,upper_error",
        "# P(probability of the true class <= z) by closed form, by simulation, and the simulation's standard error.\n"
        "# One block for each temperature.\n"));
    for (size_t k = 0; k < picture->list.n; k++) {
        if (k) fputs("\n\n", table.file);
        write_rows(table.file, picture, k);
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static void print_deviation(FILE *out, const struct picture *picture, size_t kind, size_t k)
{
    double largest = -1.0;
    for (size_t i = 0; i < picture->points; i++)
        largest = fmax(largest, kelvin_simulated_deviation(simulated_at(picture, kind, k) + i,
                                                           exact[kind](picture->z[i], picture->list.T[k])));
    if (largest < 0.0)
        fprintf(out, "   %15s", "too few draws");
    else
        fprintf(out, "   %15.2f", largest);
}

static void print(const struct picture *picture, const struct figure_options *options)
{
    fprintf(options->out,
            "largest distance between closed form and simulation (%zu draws), in standard errors\n"
            "  temperature   cold likelihood       upper bound\n",
            options->draws);
    for (size_t k = 0; k < picture->list.n; k++) {
        fprintf(options->out, "  %-11.4g", picture->list.T[k]);
        for (size_t kind = 0; kind < KINDS; kind++) print_deviation(options->out, picture, kind, k);
        fputc('\n', options->out);
    }
}

static kelvin_status simulate(struct picture *picture, const struct figure_options *options)
{
    picture->points = fill_points(NULL, options->grid, &picture->list);
    picture->z = kelvin_alloc(picture->points, sizeof *picture->z);
    picture->simulated = kelvin_alloc(KINDS * picture->list.n * picture->points, sizeof *picture->simulated);
    if (!picture->z || !picture->simulated) return KELVIN_ENOMEM;
    fill_points(picture->z, options->grid, &picture->list);
    return kelvin_simulate_cdf(picture->simulated, picture->target, KINDS * picture->list.n, picture->z,
                               picture->points, options);
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture = {.points = 0};
    KELVIN_TRY(read_temperatures(&picture, options->temperatures));
    kelvin_status status = simulate(&picture, options);
    if (!status) status = write_table(options, &picture);
    if (!status) print(&picture, options);
    kelvin_free(picture.simulated);
    kelvin_free(picture.z);
    return status;
}

const struct figure kelvin_cdf_validation_figure = {
    .member = KELVIN_PLAIN_MEMBER(
        "cdf-validation",
        "distributions of the cold likelihood and of the confidence prior's bound, by formula and by simulation"),
    .options = {{.name = "temperatures"},
                {"grid", 20, 5000, "points along a curve"},
                {"draws", 0, 0, "uniform draws, weighted with each density"},
                {.name = "seed"}},
    .defaults = {.temperatures = "1,1/1.7,1/3,1/5.5,1/12,1/30,1/100,1/1000", .grid = 401, .draws = 10000000},
    .tables = {".csv"},
    .script = cdf_validation_gp,
    .run = run,
};
