/* A scale is a task. What the networks of one need is made once: to ask for the memory again for each of them would
 * take as long as to run it on a few images. */
#include "figures/prior_confidence.h"
#include "density/density.h"
#include "posterior/stats.h"

#include <math.h>

struct job {
    struct prior_confidence *of;
    size_t draws; /* of each */
    const struct looked_at *images;
    const struct figure_options *options;
};

static kelvin_status look(double *confidence, struct viewer *viewer, const struct job *job, size_t scale)
{
    kelvin_prior prior;
    char text[40];
    snprintf(text, sizeof text, "normal:%.17g", job->of[scale].scale);
    KELVIN_TRY(kelvin_prior_parse(&prior, text));
    for (size_t d = 0; d < job->draws; d++) {
        const kelvin_random where = {job->options->seed, (uint32_t)scale, (uint32_t)d, PRIOR_CONFIDENCE_STREAM};
        kelvin_prior_draw_at(&prior, viewer->theta, job->images->model->n_params, where);
        const kelvin_outputs outputs = kelvin_viewer_look(viewer);
        confidence[d] = outputs.confidence / (double)outputs.n;
        KELVIN_TRY(kelvin_figure_piece(job->options->watch));
    }
    return KELVIN_OK;
}

static void sum_up(struct prior_confidence *of, const double *confidence, size_t draws)
{
    const kelvin_average average = kelvin_averaged(confidence, draws);
    of->mean = average.mean;
    of->low = fmax(0, average.mean - average.error);
    of->high = fmin(1, average.mean + average.error);
}

static kelvin_status compute(void *context, size_t scale)
{
    const struct job *job = context;
    struct viewer viewer = {0};
    double *confidence = kelvin_alloc(job->draws, sizeof *confidence);
    kelvin_status status = confidence ? kelvin_viewer_create(&viewer, job->images) : KELVIN_ENOMEM;
    if (!status) status = look(confidence, &viewer, job, scale);
    if (!status) sum_up(&job->of[scale], confidence, job->draws);
    kelvin_viewer_destroy(&viewer);
    kelvin_free(confidence);
    return status;
}

kelvin_status kelvin_prior_confidence(struct prior_confidence *of, size_t n, size_t draws,
                                      const struct looked_at *images, const struct figure_options *options)
{
    struct job job = {of, draws, images, options};
    return kelvin_figure_tasks(options, "drawing", n * draws, compute, &job, n);
}
