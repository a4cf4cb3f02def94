/* Each point of the lattice is a network of its own, which looks once at all images; its sums are over these in their
 * order. A row is a task, so that threads do not change a sum. */
#include "figures/surface.h"

#include <math.h>

static const double cold = 0.01; /* T */

/* Of the picture, around the three networks, in units of the plane's axes: measured in the published one, where the
 * base of the triangle is 190 of 438 pixels and its height 115 of 417. */
static const double margin = 1.3;

kelvin_status kelvin_surface_densities(struct surface *surface, double alpha, double clip)
{
    struct tempered *density = surface->density;
    char text[64];
    KELVIN_TRY(kelvin_tempered_cold(&density[SURFACE_CATEGORICAL], 1));
    KELVIN_TRY(kelvin_tempered_cold(&density[SURFACE_COLD], cold));
    KELVIN_TRY(kelvin_tempered_upper(&density[SURFACE_CONFIDENCE], cold));
    snprintf(text, sizeof text, "dirclip:%.10g,%.10g", alpha, clip);
    density[SURFACE_DIRCLIP].power = 1;
    return kelvin_density_parse(&density[SURFACE_DIRCLIP].density, text);
}

static struct lattice lattice_around(const struct plane *plane, size_t n)
{
    struct lattice lattice = {.n = n, .low = {plane->x[0], plane->y[0]}, .high = {plane->x[1], plane->y[2]}};
    for (size_t axis = 0; axis < 2; axis++) {
        lattice.low[axis] -= margin;
        lattice.high[axis] += margin;
    }
    return lattice;
}

static void add_image(struct surface_point *point, const struct tempered *density, const double *z, size_t K, size_t y)
{
    for (size_t v = SURFACE_CATEGORICAL; v < SURFACE_VALUES; v++)
        point->value[v] += density[v].power * kelvin_density_eval(&density[v].density, NULL, z, K, y);
}

static void compute_point(struct surface_point *point, const struct surface *surface, struct viewer *viewer)
{
    const struct looked_at *images = surface->images;
    const kelvin_outputs outputs = kelvin_viewer_look(viewer);
    *point = (struct surface_point){0};
    for (size_t i = 0; i < images->n; i++)
        add_image(point, surface->density, kelvin_viewer_logits(viewer, i), images->model->classes,
                  (size_t)images->y[i]);
    /* Densities are made for finite logits, and would take others for one. */
    const double all = isfinite(outputs.range) ? (double)images->data->train.n / (double)images->n : NAN;
    for (size_t v = SURFACE_CATEGORICAL; v < SURFACE_VALUES; v++) point->value[v] *= all;
    point->value[SURFACE_ACCURACY] = (double)outputs.hits / (double)outputs.n;
}

struct job {
    struct surface *surface;
    const struct figure_options *options;
};

static kelvin_status compute_row(void *context, size_t row)
{
    const struct job *job = context;
    const struct surface *surface = job->surface;
    const struct lattice *lattice = &surface->lattice;
    struct viewer viewer = {0};
    kelvin_status status = kelvin_viewer_create(&viewer, surface->images);
    for (size_t column = 0; column < lattice->n && !status; column++) {
        kelvin_plane_at(surface->plane, viewer.theta, kelvin_lattice_at(lattice, 0, (double)column),
                        kelvin_lattice_at(lattice, 1, (double)row));
        compute_point(&surface->point[row * lattice->n + column], surface, &viewer);
        status = kelvin_figure_piece(job->options->watch);
    }
    kelvin_viewer_destroy(&viewer);
    return status;
}

kelvin_status kelvin_surface_compute(struct surface *surface, const struct figure_options *options)
{
    const size_t n = options->grid;
    struct job job = {surface, options};
    surface->lattice = lattice_around(surface->plane, n);
    surface->point = kelvin_alloc(n * n, sizeof *surface->point);
    if (!surface->point) return KELVIN_ENOMEM;
    return kelvin_figure_tasks(options, "looking", (uint64_t)n * n, compute_row, &job, n);
}
