/* dirichlet-gradients: categorical likelihood, Dirichlet prior and their product over the predictions of three classes:
 * how high they are, and where their gradients lead. Gradients are those in logit space, seen on the simplex,
 *
 *     dp_k = p_k (g_k - sum_j p_j g_j),   g_j = d log f / d z_j.
 *
 * Paper: section "Training stability".
 *
 * Colours: the logarithm of a density divided by its mean over the simplex, from black at 1/26 of the mean to white at
 * 26 times the mean, the same for all three. (Measured in the published picture: in each panel the colour is linear in
 * the log-density over 6.49, 6.50 and 6.49 units, and the mean over 500 x 500 points is within 0.02 of the middle.)
 * For alpha < 1 the mean depends on how near to the corners one looks: it is taken over 500 x 500 points. */
#include "figures/dirichlet_gradients_gp.h"
#include "figures/simplex.h"

#include <math.h>

enum { PANELS = 3, RASTER = 280, MARGIN = 5 };

static kelvin_status parse_panels(kelvin_density panel[PANELS], double alpha)
{
    KELVIN_TRY(kelvin_density_parse(&panel[0], "categorical"));
    KELVIN_TRY(kelvin_density_parse(&panel[2], "dirichlet:1"));
    panel[2].param[0] = alpha;
    panel[1] = panel[2];
    panel[1].likelihood = false;
    return KELVIN_OK;
}

static kelvin_status write_raster(const struct figure_options *options, const kelvin_density panel[PANELS])
{
    struct output_file table;
    const double width = 1.0 / RASTER;
    double mean[PANELS];
    for (size_t i = 0; i < PANELS; i++) mean[i] = kelvin_simplex_log_mean(&panel[i]);
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_dirichlet_gradients_figure, options, ".csv",
                                   "x,y,likelihood,prior,posterior", ""));
    fprintf(table.file, "# Logarithms of the densities, each divided by its mean over %d x %d points.\n", SIMPLEX_MEAN,
            SIMPLEX_MEAN);
    fputs("# Outside the triangle: at the nearest prediction inside.\n", table.file);
    for (int row = -MARGIN; row <= (int)ceil(SIMPLEX_HEIGHT * RASTER) + MARGIN; row++)
        for (int column = -MARGIN; column <= RASTER + MARGIN; column++) {
            const struct place at = {column * width, row * width};
            double p[SIMPLEX];
            kelvin_simplex_prediction(p, at);
            kelvin_simplex_confine(p, SIMPLEX_EDGE);
            fprintf(table.file, "%.6g,%.6g", at.x, at.y);
            for (size_t i = 0; i < PANELS; i++)
                fprintf(table.file, ",%.6g", kelvin_simplex_log_density(&panel[i], p) - mean[i]);
            fputc('\n', table.file);
        }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_field(const struct figure_options *options, const kelvin_density panel[PANELS])
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_dirichlet_gradients_figure, options, "-field.csv", "panel,x,y,dx,dy",
        "# Panels: 0 likelihood, 1 prior, 2 posterior. (dx, dy) for a gradient step of length 1.\n"));
    for (size_t i = 0; i < PANELS; i++) {
        if (i) fputs("\n\n", table.file);
        for (size_t point = 0; point < options->grid * options->grid; point++) {
            double p[SIMPLEX], z[SIMPLEX];
            if (!kelvin_simplex_lattice(p, point % options->grid, point / options->grid, options->grid)) continue;
            kelvin_simplex_logits(z, p);
            const struct place at = kelvin_simplex_place(p), d = kelvin_simplex_move(&panel[i], z);
            fprintf(table.file, "%zu,%.10g,%.10g,%.10g,%.10g\n", i, at.x, at.y, d.x, d.y);
        }
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

struct way {
    FILE *file;
    size_t panel, particle;
};

static void write_stay(void *context, struct place at, size_t from, size_t until)
{
    const struct way *way = context;
    fprintf(way->file, "%zu,%zu,%zu,%zu,%.6g,%.6g\n", way->panel, way->particle + 1, from, until, at.x, at.y);
}

static kelvin_status write_ways(FILE *file, const struct figure_options *options, const kelvin_density panel[PANELS])
{
    for (size_t i = 0; i < PANELS; i++) {
        const struct ascent ascent = {&panel[i], options->rate, options->steps};
        if (i) fputs("\n\n", file);
        for (size_t particle = 0; particle < options->particles; particle++) {
            struct way way = {file, i, particle};
            double p[SIMPLEX];
            KELVIN_TRY(kelvin_figure_piece(options->watch));
            if (particle) fputc('\n', file);
            kelvin_simplex_uniform(p, options->seed, particle);
            kelvin_ascent_follow(&ascent, p, write_stay, &way);
        }
    }
    return KELVIN_OK;
}

static kelvin_status write_particles(const struct figure_options *options, const kelvin_density panel[PANELS])
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_dirichlet_gradients_figure, options, "-particles.csv", "panel,particle,step,until,x,y",
        "# Panels: 0 likelihood, 1 prior, 2 posterior. From `step` to `until` a particle stays within 0.015 of (x, "
        "y);\n"
        "# of one that jumps to and fro without end, the rest is left out after a way of 4 and the last place "
        "follows.\n"));
    options->watch->start(options->watch->context, "following", PANELS * options->particles);
    const kelvin_status status = write_ways(table.file, options, panel);
    options->watch->end(options->watch->context);
    return kelvin_output_close(&table, status);
}

static void print_numbers(const struct figure_options *options, double wrong, double mass)
{
    static const char *const what[] = {"particles that end at a wrong class", "mass where the true class is below 1/2"};
    FILE *out = options->out;
    const bool published = options->alpha == kelvin_dirichlet_gradients_figure.defaults.alpha;
    fprintf(out, "%-40s    here%s\n", "the posterior", published ? "   published" : "");
    fprintf(out, "%-40s %5.3g %%   %s(%zu starts, %zu steps)\n", what[0], 100.0 * wrong,
            published ? "around 30 %   " : "", options->draws, options->steps);
    if (options->alpha <= 0.0)
        fprintf(out, "%-40s not defined: the integral is infinite for alpha <= 0\n", what[1]);
    else if (isnan(mass))
        fprintf(out, "%-40s only computed for alpha from %g to %g\n", what[1], MASS_LEAST, MASS_MOST);
    else
        fprintf(out, "%-40s %5.3g %%   %s\n", what[1], 100.0 * mass, published ? "only 1 %" : "exact");
}

static kelvin_status run(const struct figure_options *options)
{
    kelvin_density panel[PANELS];
    double wrong;
    KELVIN_TRY(parse_panels(panel, options->alpha));
    const struct ascent ascent = {&panel[2], options->rate, options->steps};
    KELVIN_TRY(kelvin_ascent_wrong_share(&wrong, &ascent, options));
    KELVIN_TRY(write_raster(options, panel));
    KELVIN_TRY(write_field(options, panel));
    KELVIN_TRY(write_particles(options, panel));
    print_numbers(options, wrong, kelvin_mass_below_half(&panel[2], options->alpha));
    return KELVIN_OK;
}

const struct figure kelvin_dirichlet_gradients_figure = {
    .member =
        KELVIN_PLAIN_MEMBER("dirichlet-gradients", "density and gradients of a Dirichlet posterior over three classes"),
    .options = {{.name = "alpha"},
                {"grid", 3, 100, "points along a side of the lattice at which arrows stand"},
                {.name = "particles"},
                {"draws", 0, 0, "particles behind the share that ends at a wrong class"},
                {"steps", 1, 1000000, "gradient steps of a particle"},
                {.name = "rate"},
                {.name = "seed"}},
    .defaults = {.alpha = 0.01, .grid = 25, .particles = 50, .draws = 10000, .steps = 1000, .rate = 0.05},
    .tables = {".csv", "-field.csv", "-particles.csv"},
    .script = dirichlet_gradients_gp,
    .moves = true,
    .run = run,
};
