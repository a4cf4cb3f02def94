/* p(class 0 | x, data) = 1/S sum_s softmax(f(x; theta_s))_0 over the S draws that were kept, for every lattice point x.
 * A row of the lattice is a task; its sums are over the draws in their order, so threads do not change them. */
#include "figures/lattice.h"

#include "kernels/kernels.h"

struct job {
    double *p;
    const struct lattice *lattice;
    const kelvin_run *run;
    const struct kelvin_kernels *kernels;
    const struct figure_watch *watch;
};

struct lattice lattice_around(const kelvin_data *data, double margin, size_t n)
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

double lattice_at(const struct lattice *lattice, size_t axis, double index)
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
        points->x[2 * i] = (float)lattice_at(lattice, 0, (double)i);
        points->x[2 * i + 1] = (float)lattice_at(lattice, 1, (double)row);
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
    const kelvin_run *run = job->run;
    const size_t n = job->lattice->n, n_params = run->model->n_params;
    const uint32_t chains = run->config.chains, iterations = run->config.iterations, warmup = run->config.warmup;
    KELVIN_TRY(figure_piece(job->watch));

    struct points points = {.model = run->model};
    double *p = job->p + index * n;
    const kelvin_status status = points_create(&points, job->lattice, index);
    if (!status) {
        for (size_t chain = 0; chain < chains; chain++)
            for (size_t draw = warmup; draw < iterations; draw++)
                add_draw(p, &points, job->kernels, run->draws + (chain * iterations + draw) * n_params);
        for (size_t i = 0; i < n; i++) p[i] /= (double)chains * (double)(iterations - warmup);
    }
    points_destroy(&points);
    return status;
}

kelvin_status lattice_predictive(double *p, const struct lattice *lattice, const kelvin_run *run, size_t threads,
                                 const struct figure_watch *watch)
{
    struct job job = {p, lattice, run, NULL, watch};
    kelvin_pool *pool;
    for (size_t i = 0; i < lattice->n * lattice->n; i++) p[i] = 0;
    KELVIN_TRY(kelvin_kernels_get(&job.kernels));
    KELVIN_TRY(kelvin_pool_create(&pool, threads));
    const kelvin_status status = kelvin_pool_run(pool, row, &job, lattice->n);
    kelvin_pool_destroy(pool);
    return status;
}
