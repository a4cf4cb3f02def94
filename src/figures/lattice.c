/* p(class 0 | x, data) = 1/S sum_s softmax(f(x; theta_s))_0 over the S samples, for every lattice point x. A row of the
 * lattice is a task; its sums are over the samples in their order, so threads do not change them. */
#include "figures/lattice.h"
#include "base/threads.h"
#include "data/dataset.h"
#include "figures/points.h"

struct job {
    double *p;
    const struct lattice *lattice;
    const kelvin_model *model;
    const float *draws; /* (samples, n_params) */
    size_t samples;
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

void kelvin_lattice_row(float *x, const struct lattice *lattice, size_t row)
{
    for (size_t i = 0; i < lattice->n; i++) {
        x[2 * i] = (float)kelvin_lattice_at(lattice, 0, (double)i);
        x[2 * i + 1] = (float)kelvin_lattice_at(lattice, 1, (double)row);
    }
}

static kelvin_status make_row(struct points *points, const struct job *job, size_t row)
{
    float *x = kelvin_alloc(2 * job->lattice->n, sizeof *x);
    if (!x) return KELVIN_ENOMEM;
    kelvin_lattice_row(x, job->lattice, row);
    const kelvin_status status = kelvin_points_create(points, job->model, x, job->lattice->n);
    kelvin_free(x);
    return status;
}

static kelvin_status row(void *context, size_t index)
{
    const struct job *job = context;
    const size_t n = job->lattice->n;
    KELVIN_TRY(kelvin_figure_piece(job->watch));

    struct points points;
    double *p = job->p + index * n;
    KELVIN_TRY(make_row(&points, job, index));
    for (size_t s = 0; s < job->samples; s++)
        kelvin_points_add(&points, p, NULL, job->draws + s * job->model->n_params);
    for (size_t i = 0; i < n; i++) p[i] /= (double)job->samples;
    kelvin_points_destroy(&points);
    return KELVIN_OK;
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
