/* dirichlet-diverges: one bias of a trained network's outputs moves, and the log-densities of the Dirichlet prior and
 * of its posterior grow without bound on both sides. Paper: appendix "Proof that Dirichlet diverges". */
#include "figures/cells.h"
#include "figures/dirichlet_diverges_gp.h"
#include "figures/moved_bias.h"
#include "run/run.h"

static const double lowest = -100, highest = 100; /* of the bias */

struct picture {
    kelvin_samples *samples;
    struct looked_at images;
    size_t image; /* which one it is */
    float *theta;
    struct moved_bias *curve; /* (grid) */
};

/* The first that is not of class 0: in the published picture the likelihood falls to the right. */
static size_t choose_image(const kelvin_part *train)
{
    for (size_t i = 0; i < train->n; i++)
        if (train->y[i] != 0) return i;
    return 0;
}

static kelvin_status compute(struct picture *picture, const struct figure_options *options)
{
    KELVIN_TRY(kelvin_cell_open(&picture->samples, &kelvin_trained_cell, options));
    if (!picture->samples) return kelvin_fail(KELVIN_EUSAGE, "the network whose bias moves has not been trained");
    const kelvin_run_config *config = &picture->samples->run->config;
    KELVIN_TRY(kelvin_looked_at_open(&picture->images, config->data, config->model));
    picture->image = choose_image(&picture->images.data->train);
    KELVIN_TRY(kelvin_looked_at_take(&picture->images, picture->image, 1));
    picture->theta = kelvin_alloc(picture->images.model->n_params, sizeof *picture->theta);
    picture->curve = kelvin_alloc(options->grid, sizeof *picture->curve);
    if (!picture->theta || !picture->curve) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_samples_read(picture->samples, picture->theta, 0));
    for (size_t i = 0; i < options->grid; i++)
        picture->curve[i].bias = lowest + (highest - lowest) * (double)i / (double)(options->grid - 1);
    return kelvin_move_bias(picture->curve, options->grid, &picture->images, picture->theta, options->alpha);
}

static void release(struct picture *picture)
{
    kelvin_free(picture->curve);
    kelvin_free(picture->theta);
    kelvin_looked_at_close(&picture->images);
    kelvin_samples_close(picture->samples);
}

static kelvin_status write_curve(const struct figure_options *options, const struct moved_bias *curve)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_dirichlet_diverges_figure, options, ".csv",
                                   "bias,prior,posterior,likelihood",
                                   "# Log-densities of one training image over the bias of the output for class 0.\n"));
    for (size_t i = 0; i < options->grid; i++)
        fprintf(table.file, "%.10g,%.8g,%.8g,%.8g\n", curve[i].bias, curve[i].prior, curve[i].posterior,
                curve[i].likelihood);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* At both ends; published: read off the picture. */
static void print_numbers(const struct figure_options *options, const struct picture *picture)
{
    const struct moved_bias *left = picture->curve, *right = left + options->grid - 1;
    const struct row {
        const char *title;
        double left, right, published_left, published_right;
    } rows[] = {{"Dirichlet prior", left->prior, right->prior, 109, 795},
                {"Dirichlet posterior", left->posterior, right->posterior, 109, 705},
                {"categorical likelihood", left->likelihood, right->likelihood, 0, -88}};
    fprintf(options->out, "%-24s%15s %4g%19s %4g\n%-24s%8s%12s%12s%12s\n", "log-density", "bias", lowest, "bias",
            highest, "", "here", "published", "here", "published");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(options->out, "%-24s%8.1f%12.0f%12.1f%12.0f\n", rows[i].title, rows[i].left, rows[i].published_left,
                rows[i].right, rows[i].published_right);
    fprintf(options->out, "\ntraining image %zu, of class %d\n", picture->image, (int)picture->images.y[0]);
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture = {0};
    kelvin_status status = compute(&picture, options);
    if (!status) status = write_curve(options, picture.curve);
    if (!status) print_numbers(options, &picture);
    release(&picture);
    return status;
}

const struct figure kelvin_dirichlet_diverges_figure = {
    .member = KELVIN_PLAIN_MEMBER(
        "dirichlet-diverges", "Dirichlet prior and posterior of a trained network as one bias of its outputs moves"),
    .options = {{"grid", 0, 0, "points along a curve"},
                {"alpha", 1e-9, 1e6, "concentration of the Dirichlet prior"},
                FIGURE_CELL_OPTIONS},
    .defaults = {.grid = 201, .alpha = 1e-4},
    .tables = {".csv"},
    .script = dirichlet_diverges_gp,
    .samples = true,
    .cells = kelvin_trained_cells,
    .run = run,
};
