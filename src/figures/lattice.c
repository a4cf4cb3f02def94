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

/* Adds the probabilities that one draw gives to the points of a row. */
static void add_draw(double *p, kelvin_net *net, const struct kelvin_kernels *kernels, const float *theta,
                     float *scratch, size_t classes)
{
    float *z = scratch, *log_prob = z + classes * KELVIN_BLOCK, *prob = log_prob + classes * KELVIN_BLOCK,
          *rest = prob + classes * KELVIN_BLOCK;
    for (size_t block = 0; block < kelvin_net_blocks(net); block++) {
        kelvin_net_forward(net, z, theta, block);
        kernels->softmax(log_prob, prob, rest, z, classes);
        for (size_t i = 0; i < kelvin_net_count(net, block); i++) p[block * KELVIN_BLOCK + i] += (double)prob[i];
    }
}

static kelvin_status row(void *context, size_t index)
{
    const struct job *job = context;
    const kelvin_run *run = job->run;
    const size_t n = job->lattice->n, classes = run->model->classes, n_params = run->model->n_params;
    const uint32_t chains = run->config.chains, iterations = run->config.iterations, warmup = run->config.warmup;
    KELVIN_TRY(figure_piece(job->watch));

    kelvin_status status = KELVIN_ENOMEM;
    kelvin_net *net = NULL;
    double *p = job->p + index * n;
    float *x = kelvin_alloc(2 * n, sizeof *x);
    float *scratch = kelvin_alloc(4 * classes * KELVIN_BLOCK, sizeof *scratch);
    if (!x || !scratch) goto done;
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = (float)lattice_at(job->lattice, 0, (double)i);
        x[2 * i + 1] = (float)lattice_at(job->lattice, 1, (double)index);
    }
    status = kelvin_net_create(&net, run->model, x, n);
    if (status) goto done;
    for (size_t chain = 0; chain < chains; chain++)
        for (size_t draw = warmup; draw < iterations; draw++)
            add_draw(p, net, job->kernels, run->draws + (chain * iterations + draw) * n_params, scratch, classes);
    for (size_t i = 0; i < n; i++) p[i] /= (double)chains * (double)(iterations - warmup);
done:
    kelvin_net_destroy(net);
    kelvin_free(scratch);
    kelvin_free(x);
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
