/* One chain by Hamiltonian Monte Carlo over a few points of the plane, and the sums of what its draws predict.
 *
 * The posterior is that of the library with all points as one batch, the sampler that of a run by `hmc`: begun at
 * random, a chain has the bits of a run with the same seed. */
#include "web/c/explorer.h"

#include "figures/lattice.h"
#include "figures/points.h"
#include "sampler/sampler.h"
#include "target/target.h"

#include <math.h>
#include <string.h>

enum { ACCEPTANCE = 1 }; /* which of HMC's statistics it is */
enum { INPUTS = 2, CLASSES = 2, MOST_POINTS = 2000, MOST_SIDE = 1000 };

struct explorer_chain {
    kelvin_model *model;
    kelvin_posterior *posterior;
    kelvin_sampler *sampler;
    double temperature;
    uint32_t iteration, warmup, steps;

    size_t n;            /* points */
    float *x;            /* (n, 2): the posterior looks at it until its first evaluation */
    struct points seen;  /* the same, to predict their classes; it has no model where there are none */
    double *predictions; /* (n) */
    double log_posterior;
    double acceptance, accuracy; /* sums over `counted` iterations */
    size_t counted;

    size_t side;
    double box[4];
    struct points lattice;
    double *map, *entropy; /* (side, side) each */
    size_t summed;
};

const char *explorer_error(void)
{
    return kelvin_error();
}

const char *explorer_version(void)
{
    return kelvin_version();
}

void *explorer_alloc(size_t bytes)
{
    return kelvin_alloc(bytes, 1);
}

void explorer_free(void *p)
{
    kelvin_free(p);
}

/* ---- the map ---- */

static void forget_map(struct explorer_chain *c)
{
    const size_t points = c->side * c->side;
    if (c->map) memset(c->map, 0, points * sizeof *c->map);
    if (c->entropy) memset(c->entropy, 0, points * sizeof *c->entropy);
    c->summed = 0;
}

static kelvin_status make_lattice(struct explorer_chain *c)
{
    const struct lattice lattice = {c->side, {c->box[0], c->box[1]}, {c->box[2], c->box[3]}};
    const size_t n = c->side;
    kelvin_points_destroy(&c->lattice);
    if (!c->model || n == 0) return KELVIN_OK;
    float *x = kelvin_alloc(n * n * INPUTS, sizeof *x);
    if (!x) return KELVIN_ENOMEM;
    for (size_t row = 0; row < n; row++) kelvin_lattice_row(x + row * n * INPUTS, &lattice, row);
    const kelvin_status status = kelvin_points_create(&c->lattice, c->model, x, n * n);
    kelvin_free(x);
    return status;
}

static kelvin_status set_lattice(struct explorer_chain *c, size_t side, const double *box)
{
    if (side < 2 || side > MOST_SIDE)
        return kelvin_fail(KELVIN_EUSAGE, "a lattice of %zu x %zu points; expected 2 to %d", side, side, MOST_SIDE);
    kelvin_free(c->map);
    kelvin_free(c->entropy);
    c->side = side;
    memcpy(c->box, box, sizeof c->box);
    c->map = kelvin_alloc(side * side, sizeof *c->map);
    c->entropy = kelvin_alloc(side * side, sizeof *c->entropy);
    if (!c->map || !c->entropy) return KELVIN_ENOMEM;
    forget_map(c);
    return make_lattice(c);
}

bool explorer_chain_lattice(struct explorer_chain *c, size_t side, const double *box)
{
    return set_lattice(c, side, box) == KELVIN_OK;
}

/* ---- the posterior ---- */

static kelvin_status check_points(const float *x, const int32_t *y, size_t n)
{
    if (n < 1 || n > MOST_POINTS) return kelvin_fail(KELVIN_EUSAGE, "%zu points; expected 1 to %d", n, MOST_POINTS);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[INPUTS * i]) || !isfinite(x[INPUTS * i + 1]) || y[i] < 0 || y[i] >= CLASSES)
            return kelvin_fail(KELVIN_EUSAGE, "point %zu is (%g, %g) with label %d; expected numbers, and 0 or 1", i,
                               (double)x[INPUTS * i], (double)x[INPUTS * i + 1], (int)y[i]);
    return KELVIN_OK;
}

static kelvin_status make_posterior(struct explorer_chain *c, const struct explorer_posterior *how, const int32_t *y)
{
    kelvin_density density;
    kelvin_prior prior;
    const kelvin_posterior_options options = {.batch = c->n, .total = c->n};
    KELVIN_TRY(kelvin_density_parse(&density, how->density));
    KELVIN_TRY(kelvin_prior_parse(&prior, how->prior));
    if (!(how->temperature > 0) || !isfinite(how->temperature))
        return kelvin_fail(KELVIN_EUSAGE, "temperature is %g; expected a number above 0", how->temperature);
    KELVIN_TRY(kelvin_posterior_make(&c->posterior, c->model, &density, &prior, NULL, &options));
    return kelvin_posterior_set_batch(c->posterior, c->x, y, c->n);
}

static kelvin_status make_sampler(struct explorer_chain *c, const struct explorer_posterior *how)
{
    const kelvin_sampler_type *type;
    const kelvin_target target = kelvin_posterior_target(c->posterior);
    const kelvin_sampler_options options = {
        .observations = (double)c->n, .seed = (uint64_t)how->seed, .chain = (uint32_t)how->chain};
    KELVIN_TRY(kelvin_sampler_find(&type, "hmc"));
    KELVIN_TRY(kelvin_sampler_make(&c->sampler, type, &target, &options));
    KELVIN_TRY(kelvin_sampler_set(c->sampler, "step_size", how->step_size));
    KELVIN_TRY(kelvin_sampler_set(c->sampler, "steps", how->steps));
    return kelvin_sampler_set(c->sampler, "jitter", 0);
}

/* As a run by this sampler begins (src/run/start.c). */
static kelvin_status start_at_random(struct explorer_chain *c, const struct explorer_posterior *how)
{
    const kelvin_random where = {
        .seed = (uint64_t)how->seed, .chain = (uint32_t)how->chain, .stream = KELVIN_STREAM_INIT};
    float *theta = kelvin_alloc(c->model->n_params, sizeof *theta);
    if (!theta) return KELVIN_ENOMEM;
    c->seen.kernels->normals(theta, c->model->n_params, where);
    kelvin_sampler_start(c->sampler, theta);
    kelvin_free(theta);
    return KELVIN_OK;
}

static void forget_posterior(struct explorer_chain *c)
{
    kelvin_sampler_destroy(c->sampler);
    kelvin_posterior_destroy(c->posterior);
    kelvin_points_destroy(&c->seen);
    kelvin_free(c->x);
    kelvin_free(c->predictions);
    c->sampler = NULL;
    c->posterior = NULL;
    c->x = NULL;
    c->predictions = NULL;
}

static kelvin_status change_model(struct explorer_chain *c, const char *spec)
{
    static const kelvin_shape shape = {INPUTS, 1, 1};
    if (c->model && strcmp(c->model->spec, spec) == 0) return KELVIN_OK;
    kelvin_points_destroy(&c->lattice);
    kelvin_model_destroy(c->model);
    c->model = NULL;
    KELVIN_TRY(kelvin_model_create(&c->model, spec, shape, CLASSES));
    return make_lattice(c);
}

static void forget_means(struct explorer_chain *c)
{
    c->acceptance = c->accuracy = 0;
    c->counted = 0;
}

/* `theta`: where to begin; NULL: at random. */
static kelvin_status begin(struct explorer_chain *c, const struct explorer_posterior *how, const float *x,
                           const int32_t *y, size_t n, const float *theta)
{
    c->n = n;
    c->temperature = how->temperature;
    c->iteration = 0;
    c->warmup = (uint32_t)how->warmup;
    c->steps = (uint32_t)how->steps;
    c->log_posterior = 0;
    forget_means(c);
    forget_map(c);
    c->x = kelvin_alloc(n * INPUTS, sizeof *c->x);
    c->predictions = kelvin_alloc(n, sizeof *c->predictions);
    if (!c->x || !c->predictions) return KELVIN_ENOMEM;
    memcpy(c->x, x, n * INPUTS * sizeof *x);
    KELVIN_TRY(kelvin_points_create(&c->seen, c->model, x, n));
    KELVIN_TRY(make_posterior(c, how, y));
    KELVIN_TRY(make_sampler(c, how));
    if (!theta) return start_at_random(c, how);
    kelvin_sampler_start(c->sampler, theta);
    return KELVIN_OK;
}

static kelvin_status begin_from(struct explorer_chain *c, const struct explorer_posterior *how, const float *x,
                                const int32_t *y, size_t n, bool stay)
{
    float *theta = NULL;
    KELVIN_TRY(check_points(x, y, n));
    if (stay && c->sampler && strcmp(c->model->spec, how->model) == 0) {
        theta = kelvin_alloc(c->model->n_params, sizeof *theta);
        if (!theta) return KELVIN_ENOMEM;
        memcpy(theta, kelvin_sampler_theta(c->sampler), c->model->n_params * sizeof *theta);
    }
    forget_posterior(c);
    kelvin_status status = change_model(c, how->model);
    if (!status) status = begin(c, how, x, y, n, theta);
    kelvin_free(theta);
    if (status) forget_posterior(c);
    return status;
}

bool explorer_chain_begin(struct explorer_chain *c, const struct explorer_posterior *how, const float *x,
                          const int32_t *y, size_t n, bool stay)
{
    return begin_from(c, how, x, y, n, stay) == KELVIN_OK;
}

bool explorer_chain_begin_with(struct explorer_chain *c, const char *model, const char *density, const char *prior,
                               double temperature, double step_size, double steps, double warmup, double seed,
                               double number, const float *x, const int32_t *y, size_t n, bool stay)
{
    const struct explorer_posterior how = {.model = model,
                                           .density = density,
                                           .prior = prior,
                                           .temperature = temperature,
                                           .step_size = step_size,
                                           .steps = steps,
                                           .warmup = warmup,
                                           .seed = seed,
                                           .chain = number};
    return explorer_chain_begin(c, &how, x, y, n, stay);
}

struct explorer_chain *explorer_chain_create(void)
{
    return kelvin_alloc(1, sizeof(struct explorer_chain));
}

void explorer_chain_destroy(struct explorer_chain *c)
{
    if (!c) return;
    forget_posterior(c);
    kelvin_points_destroy(&c->lattice);
    kelvin_model_destroy(c->model);
    kelvin_free(c->map);
    kelvin_free(c->entropy);
    kelvin_free(c);
}

/* ---- steps ---- */

/* In its warm-up a chain forgets at every doubling of its length, so that what is shown is never old; at the end of the
 * warm-up all of it. */
static bool forgets_now(const struct explorer_chain *c)
{
    if (c->iteration > c->warmup) return false;
    return c->iteration == c->warmup || (c->iteration & (c->iteration - 1)) == 0;
}

static void add_draw(struct explorer_chain *c)
{
    const float *theta = kelvin_sampler_theta(c->sampler);
    memset(c->predictions, 0, c->n * sizeof *c->predictions);
    kelvin_points_add(&c->seen, c->predictions, NULL, theta);
    const kelvin_outputs outputs = kelvin_posterior_look(c->posterior, theta);
    c->accuracy += (double)outputs.hits / (double)outputs.n;
    if (c->lattice.model) kelvin_points_add(&c->lattice, c->map, c->entropy, theta);
    c->summed += c->lattice.model != NULL;
}

bool explorer_chain_step(struct explorer_chain *c)
{
    if (!c->sampler) {
        kelvin_fail(KELVIN_EUSAGE, "a step of a chain that has not begun");
        return false;
    }
    const kelvin_moment moment = {.step = c->iteration, .warmup = c->warmup, .rate = 1, .temperature = c->temperature};
    if (forgets_now(c)) {
        forget_map(c);
        forget_means(c);
    }
    const char *name;
    c->log_posterior = kelvin_sampler_step(c->sampler, &moment);
    c->acceptance += kelvin_sampler_statistic(c->sampler, ACCEPTANCE, &name);
    c->iteration++;
    c->counted++;
    add_draw(c);
    return true;
}

/* ---- what there is to see ---- */

size_t explorer_chain_iteration(const struct explorer_chain *c)
{
    return c->iteration;
}

size_t explorer_chain_draws(const struct explorer_chain *c)
{
    return c->iteration > c->warmup ? c->iteration - c->warmup : 0;
}

size_t explorer_chain_summed(const struct explorer_chain *c)
{
    return c->summed;
}

const double *explorer_chain_map(const struct explorer_chain *c)
{
    return c->map;
}

const double *explorer_chain_entropy(const struct explorer_chain *c)
{
    return c->entropy;
}

const double *explorer_chain_predictions(const struct explorer_chain *c)
{
    return c->predictions;
}

const float *explorer_chain_theta(const struct explorer_chain *c)
{
    return kelvin_sampler_theta(c->sampler);
}

void explorer_chain_logits(const struct explorer_chain *c, float *z)
{
    kelvin_posterior_logits(c->posterior, z, kelvin_sampler_theta(c->sampler));
}

size_t explorer_chain_parameters(const struct explorer_chain *c)
{
    return c->model->n_params;
}

double explorer_chain_accuracy(const struct explorer_chain *c)
{
    return c->accuracy / (double)c->counted;
}

double explorer_chain_log_posterior(const struct explorer_chain *c)
{
    return c->log_posterior;
}

double explorer_chain_acceptance(const struct explorer_chain *c)
{
    return c->acceptance / (double)c->counted;
}

double explorer_chain_step_size(const struct explorer_chain *c)
{
    return kelvin_sampler_get(c->sampler, "step_size");
}

double explorer_chain_gradients(const struct explorer_chain *c)
{
    return (double)c->iteration * (double)c->steps;
}
