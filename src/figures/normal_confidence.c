/* normal-confidence: figure 2 of the paper. A normal prior's scale says how sure networks drawn from it are of their
 * predictions, and next to nothing of how sure posterior samples are: that is up to the temperature. */
#include "figures/grid.h"
#include "figures/normal_confidence_gp.h"
#include "figures/prior_confidence.h"

#include <math.h>

enum { SCALES = 50 };

static const double smallest = 0.02, largest = 10; /* of the scales, which are in equal ratios */

/* What the published curve says of its scales: read off the picture. */
static const struct published {
    double scale, confidence;
} published[] = {{0.02, 0.10}, {0.1, 0.16}, {0.5, 0.85}, {1, 0.963}, {2, 0.99}, {10, 0.9996}};

struct picture {
    struct looked_at images;
    struct prior_confidence prior[SCALES];
    struct figure_cells cells;
    double *confidence; /* of the cells; not a number of those that are not there */
    size_t there;
};

/* ---- the numbers ---- */

static kelvin_status compute_prior(struct picture *picture, const struct figure_options *options)
{
    KELVIN_TRY(kelvin_looked_at_open(&picture->images, options->data, options->model));
    KELVIN_TRY(kelvin_looked_at_take(&picture->images, 0, options->images));
    for (size_t i = 0; i < SCALES; i++)
        picture->prior[i].scale = smallest * pow(largest / smallest, (double)i / (SCALES - 1));
    return kelvin_prior_confidence(picture->prior, SCALES, options->draws / SCALES, &picture->images, options);
}

/* Of each sample alone on the training data, averaged over samples. */
static kelvin_status evaluate(double *confidence, kelvin_samples *samples, size_t threads)
{
    kelvin_logits *logits;
    kelvin_metrics *metrics = NULL;
    const char *found;
    KELVIN_TRY(kelvin_logits_on(&logits, &found, samples, "train", threads));
    const kelvin_status status = kelvin_evaluate(&metrics, logits, &(kelvin_evaluate_options){.threads = threads});
    if (!status) *confidence = kelvin_metrics_single(metrics, kelvin_metric_find("confidence")).mean;
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status look_at_cell(struct picture *picture, size_t i, const struct figure_options *options)
{
    kelvin_samples *samples;
    picture->confidence[i] = NAN;
    KELVIN_TRY(kelvin_figure_piece(options->watch));
    KELVIN_TRY(kelvin_cell_open(&samples, &picture->cells.cell[i], options));
    if (!samples) return KELVIN_OK;
    const kelvin_status status = evaluate(&picture->confidence[i], samples, options->threads);
    kelvin_samples_close(samples);
    picture->there++;
    return status;
}

static kelvin_status compute_posteriors(struct picture *picture, const struct figure_options *options)
{
    const kelvin_figure_watch *watch = options->watch;
    KELVIN_TRY(kelvin_grid_cells(&picture->cells, options));
    picture->confidence = kelvin_alloc(picture->cells.n, sizeof *picture->confidence);
    if (!picture->confidence) return KELVIN_ENOMEM;
    kelvin_status status = KELVIN_OK;
    watch->start(watch->context, "evaluating", picture->cells.n);
    for (size_t i = 0; i < picture->cells.n && !status; i++) status = look_at_cell(picture, i, options);
    watch->end(watch->context);
    return status;
}

static void release(struct picture *picture)
{
    kelvin_free(picture->confidence);
    kelvin_cells_free(&picture->cells);
    kelvin_looked_at_close(&picture->images);
}

/* ---- the files ---- */

static kelvin_status write_prior(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(
        &table, &kelvin_normal_confidence_figure, options, ".csv", "scale,low,confidence,high",
        "# Confidence of networks drawn from the prior: the mean, and a standard error less and more.\n"));
    for (const struct prior_confidence *at = picture->prior; at < picture->prior + SCALES; at++)
        fprintf(table.file, "%.8g,%.8g,%.8g,%.8g\n", at->scale, at->low, at->mean, at->high);
    return kelvin_output_close(&table, KELVIN_OK);
}

static kelvin_status write_posteriors(const struct figure_options *options, const struct picture *picture)
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_normal_confidence_figure, options, "-posteriors.csv",
                                   "scale,temperature,confidence",
                                   "# Confidence of posterior samples on the training data: the mean over samples.\n"));
    for (size_t i = 0; i < picture->cells.n; i++)
        fprintf(table.file, "%.8g,%.8g,%.8g\n", picture->cells.cell[i].prior, picture->cells.cell[i].temperature,
                picture->confidence[i]);
    return kelvin_output_close(&table, KELVIN_OK);
}

/* ---- what is printed ---- */

static const struct prior_confidence *nearest(const struct picture *picture, double scale)
{
    const struct prior_confidence *best = picture->prior;
    for (const struct prior_confidence *at = picture->prior; at < picture->prior + SCALES; at++)
        if (fabs(log(at->scale / scale)) < fabs(log(best->scale / scale))) best = at;
    return best;
}

static void print_numbers(const struct figure_options *options, const struct picture *picture)
{
    FILE *out = options->out;
    fprintf(out, "%-24s%12s%12s\n", "confidence of the prior", "here", "published");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        fprintf(out, "  scale %-16.3g%10.2f %%%10.2f %%\n", published[i].scale,
                100 * nearest(picture, published[i].scale)->mean, 100 * published[i].confidence);
    fprintf(out,
            "\n%zu networks at each of %d scales, %zu training images (published: 1600, 50 and 5000); %zu "
            "posteriors of %zu\n",
            options->draws / SCALES, SCALES, picture->images.n, picture->there, picture->cells.n);
}

static kelvin_status run(const struct figure_options *options)
{
    struct picture picture = {0};
    kelvin_status status = compute_prior(&picture, options);
    if (!status) status = compute_posteriors(&picture, options);
    if (!status) status = write_prior(options, &picture);
    if (!status) status = write_posteriors(options, &picture);
    if (!status) kelvin_figure_parameter(options, "classes", (double)picture.images.data->classes);
    if (!status) print_numbers(options, &picture);
    release(&picture);
    return status;
}

/* Few images and many networks: one that is drawn from the prior says nearly the same of every image (ResNet20's logits
 * vary some hundred times as much from network to network as from image to image), so that it takes many networks, and
 * not many images, to know a mean. */
static void adjust(struct figure_options *options)
{
    static const size_t draws[] = {
        [FIGURE_SMOKE] = 40, [FIGURE_LAPTOP] = 200, [FIGURE_WEEKEND] = 200, [FIGURE_PAPER] = 1600};
    static const size_t images[] = {
        [FIGURE_SMOKE] = 40, [FIGURE_LAPTOP] = 80, [FIGURE_WEEKEND] = 80, [FIGURE_PAPER] = 5000};
    options->draws = SCALES * draws[options->scale];
    options->images = images[options->scale];
    kelvin_grid_usual(options);
}

const struct figure kelvin_normal_confidence_figure = {
    .member = KELVIN_PLAIN_MEMBER("normal-confidence",
                                  "confidence of networks under a normal prior and of its posteriors, over its scale"),
    .options = {{"draws", 2 * SCALES, 1e6, "networks drawn from priors, a fiftieth of them at each scale"},
                {.name = "images"},
                FIGURE_CELL_OPTIONS},
    .adjust = adjust,
    .tables = {".csv", "-posteriors.csv"},
    .script = normal_confidence_gp,
    .samples = true,
    .cells = kelvin_grid_cells,
    .run = run,
};
