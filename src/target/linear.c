/* Softmax regression, fitted by L-BFGS over the posterior of a network without hidden layers: its log-likelihood and
 * gradient are those of any other model, with weights of rows, on any number of threads, to the same bits.
 *
 * The strength: for each fold, a fifth of the rows of each class in turn, strengths go from the largest down, each fit
 * begins where the one before it ended, and what counts is the log-likelihood of the rows that were left out. Of large
 * data one fold is enough. */
#include "target/linear.h"

#include "target/minimise.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5, MANY = 1 << 20, STRENGTHS = 5, STEPS = 200, FEW_STEPS = 40 };

static const double strengths[STRENGTHS] = {1e4, 1e3, 1e2, 1e1, 1}; /* from the strongest on: warm starts */

/* Biases are as good as free, but that of a class without rows must end somewhere. */
static const double bias_strength = 1e-3;

/* No derivative of the mean over rows is larger at the end. Floats have it to about 1e-6. */
static const double flat = 1e-5;

/* ---- rows ---- */

/* Some rows as a data set of their own. */
struct rows {
    kelvin_data data;
    float *x, *weight; /* weight: NULL: all 1 */
    int32_t *y;
};

static void free_rows(struct rows *rows)
{
    kelvin_free(rows->x);
    kelvin_free(rows->y);
    kelvin_free(rows->weight);
    *rows = (struct rows){0};
}

static kelvin_status take_rows(struct rows *out, const kelvin_data *like, const kelvin_part *from,
                               const uint32_t *index, size_t n)
{
    *out = (struct rows){.data = {.name = like->name, .inputs = like->inputs, .classes = like->classes}};
    out->x = kelvin_alloc(n * like->inputs + 1, sizeof *out->x);
    out->y = kelvin_alloc(n + 1, sizeof *out->y);
    if (from->weight) out->weight = kelvin_alloc(n + 1, sizeof *out->weight);
    if (!out->x || !out->y || (from->weight && !out->weight)) {
        free_rows(out);
        return KELVIN_ENOMEM;
    }
    kelvin_data_gather(like, from, out->x, out->y, index, n, NULL);
    for (size_t i = 0; i < n && from->weight; i++) out->weight[i] = from->weight[index[i]];
    out->data.train = (kelvin_part){.n = n, .x = out->x, .y = out->y, .weight = out->weight};
    return KELVIN_OK;
}

/* All, or as many as are enough, at equal distances. */
static kelvin_status take_some(struct rows *out, const kelvin_data *data)
{
    const size_t all = data->train.n, most = KELVIN_LINEAR_NUMBERS / data->inputs + 1, n = all < most ? all : most;
    uint32_t *index = kelvin_alloc(n, sizeof *index);
    if (!index) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) index[i] = (uint32_t)(i * all / n);
    const kelvin_status status = take_rows(out, data, &data->train, index, n);
    kelvin_free(index);
    return status;
}

/* Those of a fold, or the others: of each class, one of FOLDS in the order in which they come. */
static kelvin_status take_fold(struct rows *out, const struct rows *from, size_t fold, bool left_out)
{
    const kelvin_part *part = &from->data.train;
    uint32_t *index = kelvin_alloc(part->n, sizeof *index), *seen = kelvin_alloc(from->data.classes, sizeof *seen);
    size_t n = 0;
    kelvin_status status = index && seen ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < part->n && !status; i++)
        if ((seen[part->y[i]]++ % FOLDS == fold) == left_out) index[n++] = (uint32_t)i;
    if (!status) status = take_rows(out, &from->data, part, index, n);
    kelvin_free(index);
    kelvin_free(seen);
    return status;
}

/* ---- one fit ---- */

struct fit {
    kelvin_posterior *posterior;
    size_t n, weights;       /* parameters; of them, weights of inputs */
    double strength, total;  /* total: what the rows count */
    float *theta, *gradient; /* (n) */
};

static double slope(void *context, double *gradient, const double *x)
{
    struct fit *fit = context;
    const kelvin_target target = kelvin_posterior_target(fit->posterior);
    double logp, value;
    for (size_t i = 0; i < fit->n; i++) fit->theta[i] = (float)x[i];
    target.eval(target.context, &logp, fit->gradient, fit->theta);
    value = -logp;
    for (size_t i = 0; i < fit->n; i++) {
        const double strength = i < fit->weights ? fit->strength : bias_strength;
        value += strength / 2 * x[i] * x[i];
        gradient[i] = (strength * x[i] - (double)fit->gradient[i]) / fit->total;
    }
    return value / fit->total;
}

static kelvin_status make_fit(struct fit *fit, const kelvin_model *model, const struct rows *rows, size_t threads)
{
    kelvin_density density;
    *fit = (struct fit){.n = model->n_params,
                        .weights = model->n_params - model->classes,
                        .total = kelvin_part_total(&rows->data.train)};
    KELVIN_TRY(kelvin_density_parse(&density, "categorical"));
    fit->theta = kelvin_alloc(fit->n, sizeof *fit->theta);
    fit->gradient = kelvin_alloc(fit->n, sizeof *fit->gradient);
    if (!fit->theta || !fit->gradient) return KELVIN_ENOMEM;
    const kelvin_posterior_options options = {.threads = threads};
    return kelvin_posterior_make(&fit->posterior, model, &density, NULL, &rows->data, &options);
}

static void free_fit(struct fit *fit)
{
    kelvin_posterior_destroy(fit->posterior);
    kelvin_free(fit->theta);
    kelvin_free(fit->gradient);
}

static kelvin_status descend(struct fit *fit, double *x, double strength, size_t steps)
{
    fit->strength = strength;
    return kelvin_minimise(x, &(struct kelvin_descent){fit->n, slope, fit, flat, steps});
}

/* ---- the strength ---- */

/* Adds the log-likelihoods of what is left out to log_p (STRENGTHS). */
static kelvin_status try_strengths(double *log_p, struct fit *fit, struct fit *out, double *x, size_t steps)
{
    const kelvin_target target = kelvin_posterior_target(out->posterior);
    for (size_t k = 0; k < STRENGTHS; k++) {
        double logp;
        KELVIN_TRY(descend(fit, x, strengths[k], steps));
        for (size_t i = 0; i < fit->n; i++) out->theta[i] = (float)x[i];
        target.eval(target.context, &logp, NULL, out->theta);
        log_p[k] += logp;
    }
    return KELVIN_OK;
}

static kelvin_status try_fold(double *log_p, const kelvin_model *model, const struct rows *rows, size_t fold,
                              size_t threads)
{
    struct rows in = {0}, out = {0};
    struct fit fit = {0}, held = {0};
    double *x = kelvin_alloc(model->n_params, sizeof *x);
    kelvin_status status = x ? take_fold(&in, rows, fold, false) : KELVIN_ENOMEM;
    if (!status) status = take_fold(&out, rows, fold, true);
    if (!status && in.data.train.n > 0 && out.data.train.n > 0) {
        status = make_fit(&fit, model, &in, threads);
        if (!status) status = make_fit(&held, model, &out, threads);
        if (!status) status = try_strengths(log_p, &fit, &held, x, FEW_STEPS);
    }
    free_fit(&fit);
    free_fit(&held);
    free_rows(&in);
    free_rows(&out);
    kelvin_free(x);
    return status;
}

/* Of equal ones the weakest: where nothing can be left out, that is as others have it. */
static kelvin_status choose_strength(double *strength, const kelvin_model *model, const struct rows *rows,
                                     size_t threads)
{
    const size_t folds = rows->data.train.n * rows->data.inputs < MANY ? FOLDS : 1;
    double log_p[STRENGTHS] = {0};
    size_t best = 0;
    for (size_t fold = 0; fold < folds; fold++) KELVIN_TRY(try_fold(log_p, model, rows, fold, threads));
    for (size_t k = 1; k < STRENGTHS; k++)
        if (log_p[k] >= log_p[best]) best = k;
    *strength = strengths[best];
    return KELVIN_OK;
}

/* ---- all of it ---- */

static kelvin_status fit_rows(struct kelvin_linear *out, const struct rows *rows, size_t threads)
{
    struct fit fit = {0};
    double *x = kelvin_alloc(out->model->n_params, sizeof *x);
    kelvin_status status = x ? make_fit(&fit, out->model, rows, threads) : KELVIN_ENOMEM;
    if (!status)
        status = descend(&fit, x, out->strength, rows->data.train.n * rows->data.inputs < MANY ? STEPS : 2 * FEW_STEPS);
    for (size_t i = 0; i < out->model->n_params && !status; i++) out->theta[i] = (float)x[i];
    out->rows = rows->data.train.n;
    free_fit(&fit);
    kelvin_free(x);
    return status;
}

static kelvin_status fit(struct kelvin_linear *out, const kelvin_data *data, double strength, size_t threads)
{
    struct rows rows = {0};
    *out = (struct kelvin_linear){.strength = strength};
    kelvin_status status = kelvin_model_create(&out->model, "mlp", (kelvin_shape){data->inputs, 1, 1}, data->classes);
    if (!status && !(out->theta = kelvin_alloc(out->model->n_params, sizeof *out->theta))) status = KELVIN_ENOMEM;
    if (!status) status = take_some(&rows, data);
    if (!status && !(strength > 0)) status = choose_strength(&out->strength, out->model, &rows, threads);
    if (!status) status = fit_rows(out, &rows, threads);
    free_rows(&rows);
    if (status) kelvin_linear_free(out);
    return status;
}

kelvin_status kelvin_linear_fit(struct kelvin_linear *out, const kelvin_data *data, size_t threads)
{
    return fit(out, data, 0, threads);
}

kelvin_status kelvin_linear_fit_with(struct kelvin_linear *out, const kelvin_data *data, double strength,
                                     size_t threads)
{
    return fit(out, data, strength, threads);
}

void kelvin_linear_free(struct kelvin_linear *linear)
{
    kelvin_model_destroy(linear->model);
    kelvin_free(linear->theta);
    *linear = (struct kelvin_linear){0};
}
