/* p(class 0 | x, data) = 1/S sum_s softmax(f(x; theta_s))_0 over the S samples, for every lattice point x. A row of the
 * lattice is a task; its sums are over the samples in their order, so threads do not change them. */
#include "figures/lattice.h"
#include "base/threads.h"
#include "data/dataset.h"

#include "kernels/kernels.h"
#include "nn/nn.h"

struct job {
    double *p;
    const struct lattice *lattice;
    const kelvin_model *model;
    const float *draws; /* (samples, n_params) */
    size_t samples;
    const struct kelvin_kernels *kernels;
    const kelvin_figure_watch *watch;
};

struct lattice kelvin_lattice_around(const kelvin_data *data, double margin, size_t n)
{
    struct lattice lattice = {.n = n};
    for (size_t axis = 0; axis < 2; axis++) {
        double low = data->train.x[axis], high = low;
        for (size_t i = 1; i < data->train.n; i++) {
            const double x = data->train.x[i * data->inputs + axis];
            if (x < low) low = x;
            if (x > high) high = x;
        }
        lattice.low[axis] = low - margin;
        lattice.high[axis] = high + margin;
    }
    return lattice;
}

double kelvin_lattice_at(const struct lattice *lattice, size_t axis, double index)
{
    return lattice->low[axis] + (lattice->high[axis] - lattice->low[axis]) * index / (double)(lattice->n - 1);
}

/* A row of the lattice, and the network that looks at it. */
struct points {
    const kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    size_t n;
    float *x, *packed, *scratch;
};

static void points_destroy(struct points *points)
{
    kelvin_free(points->scratch);
    kelvin_free(points->packed);
    kelvin_free(points->x);
    kelvin_net_destroy(points->net);
    kelvin_weights_destroy(points->weights);
}

static kelvin_status points_create(struct points *points, const struct lattice *lattice, size_t row)
{
    const kelvin_model *model = points->model;
    const size_t n = points->n = lattice->n;
    KELVIN_TRY(kelvin_weights_create(&points->weights, model));
    KELVIN_TRY(kelvin_net_create(&points->net, model));
    points->x = kelvin_alloc(2 * n, sizeof *points->x);
    points->packed = kelvin_alloc(kelvin_model_packed(model, n), sizeof *points->packed);
    points->scratch = kelvin_alloc(4 * model->classes * KELVIN_BLOCK, sizeof *points->scratch);
    if (!points->x || !points->packed || !points->scratch) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        points->x[2 * i] = (float)kelvin_lattice_at(lattice, 0, (double)i);
        points->x[2 * i + 1] = (float)kelvin_lattice_at(lattice, 1, (double)row);
    }
    kelvin_model_pack(model, points->packed, points->x, n);
    return KELVIN_OK;
}

/* Adds the probabilities that one draw gives to the points. */
static void add_draw(double *p, struct points *points, const struct kelvin_kernels *kernels, const float *theta)
{
    const kelvin_model *model = points->model;
    const size_t size = model->classes * KELVIN_BLOCK;
    float *z = points->scratch, *log_prob = z + size, *prob = log_prob + size, *rest = prob + size;
    kelvin_weights_set(points->weights, theta, false);
    for (size_t first = 0; first < points->n; first += model->block) {
        const kelvin_block block = kelvin_model_block(model, points->packed, points->n, first);
        kelvin_net_forward(points->net, z, points->weights, &block);
        kernels->softmax(log_prob, prob, rest, z, model->classes);
        for (size_t i = 0; i < block.n; i++) p[first + i] += (double)prob[i];
    }
}

static kelvin_status row(void *context, size_t index)
{
    const struct job *job = context;
    const size_t n = job->lattice->n;
    KELVIN_TRY(kelvin_figure_piece(job->watch));

    struct points points = {.model = job->model};
    double *p = job->p + index * n;
    const kelvin_status status = points_create(&points, job->lattice, index);
    if (!status) {
        for (size_t s = 0; s < job->samples; s++)
            add_draw(p, &points, job->kernels, job->draws + s * job->model->n_params);
        for (size_t i = 0; i < n; i++) p[i] /= (double)job->samples;
    }
    points_destroy(&points);
    return status;
}

/* All of them at once: one caller at a time may read samples, and every task needs each. */
static kelvin_status read_draws(float *draws, kelvin_samples *samples)
{
    for (size_t i = 0; i < samples->n; i++)
        KELVIN_TRY(kelvin_samples_read(samples, draws + i * samples->run->model->n_params, i));
    return KELVIN_OK;
}

static kelvin_status run_rows(struct job *job, size_t threads)
{
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_kernels_get(&job->kernels));
    KELVIN_TRY(kelvin_pool_create(&pool, threads));
    const kelvin_status status = kelvin_pool_run(pool, row, job, job->lattice->n);
    kelvin_pool_destroy(pool);
    return status;
}

kelvin_status kelvin_lattice_predictive(double *p, const struct lattice *lattice, kelvin_samples *samples,
                                        const struct figure_options *options)
{
    const kelvin_model *model = samples->run->model;
    float *draws = kelvin_alloc(samples->n * model->n_params, sizeof *draws);
    struct job job = {
        .p = p, .lattice = lattice, .model = model, .draws = draws, .samples = samples->n, .watch = options->watch};
    for (size_t i = 0; i < lattice->n * lattice->n; i++) p[i] = 0;
    kelvin_status status = draws ? read_draws(draws, samples) : KELVIN_ENOMEM;
    if (!status) status = run_rows(&job, options->threads);
    kelvin_free(draws);
    return status;
}
