/* landscapes: figure 9 of the paper. Training accuracy and four log-densities on the plane through three networks that
 * were trained without noise. */
#include "figures/cells.h"
#include "figures/landscapes_gp.h"
#include "figures/surface.h"
#include "run/run.h"

#include <math.h>

/* Where the published colours end: -3e5 for 50,000 images. */
static const double floor_per_image = -6;

struct picture {
    kelvin_samples *samples;
    struct looked_at images;
    float *theta[PLANE_MODELS];
    struct plane plane;
    struct surface surface;
};

/* Three networks are said to be needed before they are trained. */
static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    if (options->samples >= PLANE_MODELS) return kelvin_trained_cells(list, options);
    return kelvin_fail(KELVIN_EUSAGE, "the figure landscapes needs three networks: samples is %zu; expected 3 or more",
                       options->samples);
}

/* ---- the numbers ---- */

/* The first samples of three chains: those of one chain have a past in common. */
static kelvin_status read_models(struct picture *picture)
{
    const kelvin_samples *samples = picture->samples;
    size_t found = 0;
    for (size_t i = 0; i < samples->n && found < PLANE_MODELS; i++) {
        if (i > 0 && samples->chain[i] == samples->chain[i - 1]) continue;
        float *theta = picture->theta[found++] = kelvin_alloc(samples->run->model->n_params, sizeof *theta);
        if (!theta) return KELVIN_ENOMEM;
        KELVIN_TRY(kelvin_samples_read(picture->samples, theta, i));
    }
    if (found == PLANE_MODELS) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s: a plane goes through networks of three chains; there are samples of %zu",
                       samples->folder, found);
}

static kelvin_status compute(struct picture *picture, const struct figure_options *options)
{
    const float *const *theta = (const float *const *)picture->theta;
    KELVIN_TRY(kelvin_cell_open(&picture->samples, &kelvin_trained_cell, options));
    if (!picture->samples) return kelvin_fail(KELVIN_EUSAGE, "the networks that span the plane have not been trained");
    KELVIN_TRY(read_models(picture));
    const kelvin_run_config *config = &picture->samples->run->config;
    KELVIN_TRY(kelvin_looked_at_open(&picture->images, config->data, config->model));
    KELVIN_TRY(kelvin_looked_at_take(&picture->images, 0, options->images));
    KELVIN_TRY(kelvin_plane_through(&picture->plane, theta, picture->images.model->n_params));
    picture->surface.plane = &picture->plane;
    picture->surface.images = &picture->images;
    KELVIN_TRY(kelvin_surface_densities(&picture->surface, options->alpha, options->clip));
    return kelvin_surface_compute(&picture->surface, options);
}

static const struct surface_point *best_of(const struct surface *surface, size_t value)
{
    const struct surface_point *best = surface->point, *end = best + surface->lattice.n * surface->lattice.n;
    for (const struct surface_point *point = best; point < end; point++)
        if (point->value[value] > best->value[value] || isnan(best->value[value])) best = point;
    return best;
}

static void release(struct picture *picture)
{
    kelvin_free(picture->surface.point);
    kelvin_plane_free(&picture->plane);
    for (size_t i = 0; i < PLANE_MODELS; i++) kelvin_free(picture->theta[i]);
    kelvin_looked_at_close(&picture->images);
    kelvin_samples_close(picture->samples);
}

/* ---- the files ---- */

/* Each relative to the largest on the plane, as the published colours are: a log-density has no zero of its own. */
static kelvin_status write_surface(const struct figure_options *options, const struct surface *surface)
{
    const struct lattice *lattice = &surface->lattice;
    double zero[SURFACE_VALUES] = {0};
    struct output_file table;
    for (size_t v = SURFACE_CATEGORICAL; v < SURFACE_VALUES; v++) zero[v] = best_of(surface, v)->value[v];
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_landscapes_figure, options, ".csv", "x,y,accuracy,categorical,cold,confidence,dirclip",
        "# Training accuracy of networks on a plane through three, and their log-densities less the largest there.\n"
        "# Axes are at right angles, and have units of their own: two of the three are at (-1, 0) and (1, 0), the\n"
        "# third at a height of 1.\n"));
    for (size_t i = 0; i < lattice->n * lattice->n; i++) {
        fprintf(table.file, "%.6g,%.6g", kelvin_lattice_at(lattice, 0, (double)(i % lattice->n)),
                kelvin_lattice_at(lattice, 1, (double)(i / lattice->n)));
        for (size_t v = 0; v < SURFACE_VALUES; v++) fprintf(table.file, ",%.8g", surface->point[i].value[v] - zero[v]);
        fputc('\n', table.file);
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_points(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_landscapes_figure, options, "-points.csv", "x,y",
                                   "# The three networks.\n"));
    for (size_t i = 0; i < PLANE_MODELS; i++)
        fprintf(table.file, "%.6g,%.6g\n", picture->plane.x[i], picture->plane.y[i]);
    kelvin_figure_parameter(options, "floor", floor_per_image * (double)picture->images.data->train.n);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* ---- what is printed ---- */

/* The accuracy of the network that has the largest log-density: for the published picture as its text and colours say.
 */
static const struct row {
    const char *title;
    double published;
} rows[SURFACE_VALUES] = {
    [SURFACE_CATEGORICAL] = {"categorical likelihood", 1},
    [SURFACE_COLD] = {"cold likelihood", 1},
    [SURFACE_CONFIDENCE] = {"confidence prior", 1},
    [SURFACE_DIRCLIP] = {"DirClip prior", 0.1},
};

static void print_numbers(const struct figure_options *options, const struct picture *picture)
{
    const struct surface *surface = &picture->surface;
    const size_t n = surface->lattice.n;
    FILE *out = options->out;
    fprintf(out, "%-24s%16s%24s\n%-24s%16s%12s%12s\n", "on the plane", "largest", "training accuracy there", "",
            "log-density", "here", "published");
    for (size_t v = SURFACE_CATEGORICAL; v < SURFACE_VALUES; v++) {
        const struct surface_point *best = best_of(surface, v);
        fprintf(out, "%-24s%16.6g%10.1f %%%10.1f %%\n", rows[v].title, best->value[v],
                100 * best->value[SURFACE_ACCURACY], 100 * rows[v].published);
    }
    fprintf(out,
            "\n%zu x %zu networks, %zu training images (published: 400 x 400, 1200); from the first to the second "
            "%.4g, from there to the third %.4g\n",
            n, n, picture->images.n, 2 * kelvin_plane_unit(&picture->plane, picture->plane.along),
            hypot((picture->plane.x[2] - 1) * kelvin_plane_unit(&picture->plane, picture->plane.along),
                  kelvin_plane_unit(&picture->plane, picture->plane.across)));
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture = {0};
    kelvin_status status = compute(&picture, options);
    if (!status) status = write_surface(options, &picture.surface);
    if (!status) status = write_points(options, &picture);
    if (!status) print_numbers(options, &picture);
    release(&picture);
    return status;
}

static void adjust(struct figure_options *options)
{
    static const size_t grid[] = {
        [FIGURE_SMOKE] = 40, [FIGURE_LAPTOP] = 100, [FIGURE_WEEKEND] = 200, [FIGURE_PAPER] = 400};
    static const size_t images[] = {
        [FIGURE_SMOKE] = 300, [FIGURE_LAPTOP] = 600, [FIGURE_WEEKEND] = 1000, [FIGURE_PAPER] = 1200};
    options->grid = grid[options->scale];
    options->images = images[options->scale];
}

const struct figure kelvin_landscapes_figure = {
    .member = KELVIN_PLAIN_MEMBER(
        "landscapes", "training accuracy and four log-densities on the plane through three trained networks"),
    .options = {{"grid", 0, 0, "points per side of the lattice"},
                {.name = "images"},
                {"alpha", 0, 0, "concentration of the DirClip prior"},
                {.name = "clip"},
                FIGURE_CELL_OPTIONS},
    .defaults = {.alpha = 0.7, .clip = -50},
    .adjust = adjust,
    .tables = {".csv", "-points.csv"},
    .script = landscapes_gp,
    .samples = true,
    .cells = cells,
    .run = run,
};
