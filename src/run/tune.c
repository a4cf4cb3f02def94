/* The kernel of a run that looks at all data, from its posterior: see tune.h. */
#include "run/tune.h"

#include "base/c_locale.h"
#include "base/texts.h"
#include "base/threads.h"
#include "kernels/kernels.h"
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = KELVIN_TUNING_CHAIN, FEWEST = 4, MOST = 8 };
/* Of samplers that take several steps at once without tuning how many: so many. */
enum { AT_ONCE = 20 };
/* Rows of the training part that are looked at. */
enum { ROWS = KELVIN_TILE };

struct bench {
    const struct kelvin_tuner *how;
    kelvin_run_config config; /* with zeros for what is tuned */
    kelvin_run *run;
    kelvin_pool *pool;
    size_t n;              /* chains */
    uint32_t warmup, look; /* steps of the warm-up, and after it */
    size_t *group_end;
    float *theta;
    kelvin_posterior *posterior[MOST];
    kelvin_sampler *chain[MOST];

    const struct kelvin_kernels *kernels;
    kelvin_posterior *pass;
    size_t rows, outputs;
    float *logits;        /* (rows, classes) */
    double *p;            /* (classes, ROWS), as outputs */
    double *sum, *square; /* (n, outputs): of what chains say, over the steps after the warm-up */
    double acceptance;
};

static bool is_open(const struct kelvin_tuner *how, const char *field)
{
    return !how->said || !how->said(how->whose, field);
}

/* A size that someone said is of parameters as they are. */
static bool tunes_scale(const struct kelvin_tuner *how)
{
    return is_open(how, "scale") && is_open(how, "step_size");
}

/* Whether there is something to be found. */
static bool is_needed(const struct kelvin_tuner *how, const kelvin_sampler_type *type)
{
    bool needed = is_open(how, "iterations") || is_open(how, "warmup");
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        needed |= type->setting[i].zero && is_open(how, type->setting[i].name);
    return needed;
}

static const kelvin_sampler_type *type_of(const struct bench *b)
{
    return b->run->sampler;
}

/* ---- making ---- */

static void open_settings(struct bench *b, const kelvin_sampler_type *type)
{
    kelvin_run_config *c = &b->config;
    for (size_t i = 0; i < kelvin_count_settings(type); i++) {
        const kelvin_setting *setting = &type->setting[i];
        if (setting->zero && is_open(b->how, setting->name)) c->setting[i] = 0;
        if (!setting->zero && strcmp(setting->name, "steps") == 0 && is_open(b->how, "steps")) c->setting[i] = AT_ONCE;
    }
    if (is_open(b->how, "scale")) c->scale = "none";
    c->iterations = 2; /* a run is prepared, and not sampled */
    c->warmup = 1;
}

static kelvin_status make_groups(struct bench *b)
{
    const kelvin_model *model = b->run->model;
    if (!(b->group_end = kelvin_alloc(model->n_tensors, sizeof *b->group_end))) return KELVIN_ENOMEM;
    for (size_t t = 0; t < model->n_tensors; t++)
        b->group_end[t] = model->tensor[t].offset + kelvin_tensor_size(&model->tensor[t]);
    return KELVIN_OK;
}

static kelvin_status make_chain(struct bench *b, size_t i)
{
    const kelvin_run *run = b->run;
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    KELVIN_TRY(kelvin_posterior_make(&b->posterior[i], run->model, &inside->density,
                                     inside->has_prior ? &inside->prior : NULL, run->data,
                                     &(kelvin_posterior_options){.threads = 1}));
    const kelvin_target target = kelvin_posterior_target(b->posterior[i]);
    const kelvin_sampler_options options = {.setting = run->config.setting,
                                            .observations = kelvin_part_total(&run->data->train),
                                            .seed = run->config.seed,
                                            .chain = FIRST + (uint32_t)i,
                                            .scale = inside->scale,
                                            .tune_scale = tunes_scale(b->how),
                                            .group_end = b->group_end};
    KELVIN_TRY(kelvin_sampler_make(&b->chain[i], run->sampler, &target, &options));
    KELVIN_TRY(kelvin_start(b->theta, run, FIRST + (uint32_t)i));
    kelvin_sampler_start(b->chain[i], b->theta);
    return KELVIN_OK;
}

static kelvin_status make_look(struct bench *b)
{
    const kelvin_run *run = b->run;
    b->rows = run->data->train.n < ROWS ? run->data->train.n : ROWS;
    b->outputs = ROWS * run->data->classes;
    b->logits = kelvin_alloc(b->outputs, sizeof *b->logits);
    b->p = kelvin_alloc(b->outputs, sizeof *b->p);
    b->sum = kelvin_alloc(b->n * b->outputs, sizeof *b->sum);
    b->square = kelvin_alloc(b->n * b->outputs, sizeof *b->square);
    if (!b->logits || !b->p || !b->sum || !b->square) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_kernels_get(&b->kernels));
    return kelvin_pass_create(&b->pass, run, 1);
}

/* Where gradients are dear, less must do. */
static void set_extent(struct bench *b)
{
    const double dear = 3e7, cost = (double)b->run->model->n_params * (double)b->run->data->train.n;
    b->warmup = cost < dear ? 300 : 90;
    b->look = cost < dear ? 200 : 30;
}

static kelvin_status make(struct bench *b)
{
    KELVIN_TRY(kelvin_run_prepare(&b->run, &b->config, NULL, b->how->data));
    set_extent(b);
    b->n = b->config.chains < FEWEST ? FEWEST : b->config.chains < MOST ? b->config.chains : MOST;
    if (!(b->theta = kelvin_alloc(b->run->model->n_params, sizeof *b->theta))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_pool_create(&b->pool, b->how->threads));
    KELVIN_TRY(make_groups(b));
    for (size_t i = 0; i < b->n; i++) KELVIN_TRY(make_chain(b, i));
    return make_look(b);
}

static void destroy(struct bench *b)
{
    for (size_t i = 0; i < MOST; i++) {
        kelvin_sampler_destroy(b->chain[i]);
        kelvin_posterior_destroy(b->posterior[i]);
    }
    kelvin_posterior_destroy(b->pass);
    kelvin_pool_destroy(b->pool);
    kelvin_free(b->theta);
    kelvin_free(b->group_end);
    kelvin_free(b->logits);
    kelvin_free(b->p);
    kelvin_free(b->sum);
    kelvin_free(b->square);
    kelvin_run_close(b->run);
}

/* ---- sampling ---- */

static kelvin_status take_steps(struct bench *b, uint32_t begin, uint32_t end)
{
    const kelvin_moment moment = {.warmup = b->warmup, .rate = 1, .temperature = b->config.temperature};
    if (b->how->watch && !b->how->watch(b->how->context)) return kelvin_fail(KELVIN_ESTOP, "tuning was stopped");
    return kelvin_sampler_warm(b->chain, b->n, begin, end, &moment, b->pool);
}

/* What the network of a chain says of some training rows, as probabilities; where there are fewer rows, the last counts
 * more often. */
static kelvin_status look_at(struct bench *b, size_t chain)
{
    const kelvin_data *data = b->run->data;
    static const uint32_t index[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    double log_sum[ROWS], entropy[ROWS], *sum = b->sum + chain * b->outputs, *square = b->square + chain * b->outputs;
    const char *name;
    KELVIN_TRY(kelvin_posterior_set_part(b->pass, data, &data->train, index, b->rows, NULL));
    kelvin_posterior_logits(b->pass, b->logits, kelvin_sampler_theta(b->chain[chain]));
    b->kernels->softmax_double(b->p, log_sum, entropy, b->logits, b->rows, data->classes);
    for (size_t k = 0; k < b->outputs; k++) {
        sum[k] += b->p[k];
        square[k] += b->p[k] * b->p[k];
    }
    for (size_t i = 0; kelvin_sampler_statistic(b->chain[chain], i, &name), name; i++)
        if (strcmp(name, "acceptance") == 0)
            b->acceptance += kelvin_sampler_statistic(b->chain[chain], i, &name) / (double)(b->n * b->look);
    return KELVIN_OK;
}

/* Steps that are taken at once, without being tuned, are as many as the way asks for that a direction is kept on. */
static kelvin_status set_steps(struct bench *b)
{
    enum { MOST_STEPS = 1000 };
    if (isnan(kelvin_sampler_get(b->chain[0], "length")) || !is_open(b->how, "steps")) return KELVIN_OK;
    const double h = kelvin_sampler_get(b->chain[0], "step_size"), length = kelvin_sampler_get(b->chain[0], "length");
    const double steps = fmax(1, fmin(ceil(length / h), MOST_STEPS));
    for (size_t i = 0; i < b->n; i++) KELVIN_TRY(kelvin_sampler_set(b->chain[i], "steps", steps));
    return KELVIN_OK;
}

static kelvin_status sample(struct bench *b)
{
    enum { SLICE = 10 };
    for (uint32_t i = 0; i < b->warmup; i += SLICE) KELVIN_TRY(take_steps(b, i, i + SLICE));
    KELVIN_TRY(set_steps(b));
    for (uint32_t i = 0; i < b->look; i++) {
        KELVIN_TRY(take_steps(b, b->warmup + i, b->warmup + i + 1));
        for (size_t c = 0; c < b->n; c++) KELVIN_TRY(look_at(b, c));
    }
    return KELVIN_OK;
}

/* Draws that are worth one: the means of chains differ by as much as those of so many fewer independent draws would.
 * Of single outputs of few chains that is uncertain; it is the ratio of sums over all of them. */
static double draws_per_one(const struct bench *b)
{
    double between = 0, within = 0;
    for (size_t k = 0; k < b->outputs; k++) {
        double mean = 0, means = 0, spread = 0;
        for (size_t c = 0; c < b->n; c++) {
            const double own = b->sum[c * b->outputs + k] / b->look;
            mean += own / (double)b->n;
            means += own * own;
            spread += b->square[c * b->outputs + k] / b->look - own * own;
        }
        between += (means - (double)b->n * mean * mean) / (double)(b->n - 1);
        within += spread / (double)b->n;
    }
    return within > 0 ? fmin(fmax(b->look * between / within, 1), b->look) : b->look;
}

/* ---- in numbers ---- */

/* To four digits, as a text has it. */
static double rounded(double x)
{
    char text[32];
    locale_t c, before = enter_c_locale(&c);
    snprintf(text, sizeof text, "%.4g", x);
    const double value = strtod(text, NULL);
    leave_c_locale(c, before);
    return value;
}

static kelvin_status write_scales(struct kelvin_tuned *tuned, const struct bench *b)
{
    const kelvin_model *model = b->run->model;
    const float *scale = kelvin_sampler_scale(b->chain[0]);
    locale_t c, before = enter_c_locale(&c);
    *tuned->scale = '\0';
    for (size_t t = 0; t < model->n_tensors; t++)
        kelvin_append(tuned->scale, sizeof tuned->scale, "%s%.4g", t > 0 ? "," : "",
                      (double)scale[model->tensor[t].offset]);
    leave_c_locale(c, before);
    if (strlen(tuned->scale) + 1 < sizeof tuned->scale) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s has too many tensors to tune a scale of each", b->run->config.model);
}

static void write_settings(kelvin_run_config *config, const struct bench *b)
{
    const kelvin_sampler_type *type = type_of(b);
    const bool steps = is_open(b->how, "steps");
    for (size_t i = 0; i < kelvin_count_settings(type); i++) {
        const kelvin_setting *setting = &type->setting[i];
        if (!is_open(b->how, setting->name)) continue;
        if (strcmp(setting->name, "jitter") != 0 || steps)
            config->setting[i] = rounded(kelvin_sampler_get(b->chain[0], setting->name));
    }
}

/* A few hundred independent draws of each chain, as far as that is not too long. */
static void write_extent(kelvin_run_config *config, const struct kelvin_tuner *how, double draws)
{
    enum { FEW = 600, MANY = 4000, INDEPENDENT = 150 };
    const double asked = fmin(fmax(INDEPENDENT * draws, FEW), MANY);
    const uint32_t kept = (uint32_t)(ceil(asked / 100) * 100);
    const bool iterations = is_open(how, "iterations"), warmup = is_open(how, "warmup");
    if (iterations) config->iterations = (warmup ? kept / 2 : config->warmup) + kept;
    if (warmup) config->warmup = iterations ? kept / 2 : config->iterations * 3 / 10;
}

kelvin_status kelvin_run_tune(kelvin_run_config *config, struct kelvin_tuned *tuned, const struct kelvin_tuner *how)
{
    struct bench b = {.how = how, .config = *config};
    const kelvin_sampler_type *type;
    *tuned = (struct kelvin_tuned){.acceptance = NAN};
    KELVIN_TRY(kelvin_sampler_find(&type, config->sampler));
    if (type->batches || !is_needed(how, type)) return KELVIN_OK;
    open_settings(&b, type);
    kelvin_status status = make(&b);
    if (!status) status = sample(&b);
    if (!status && tunes_scale(how)) status = write_scales(tuned, &b);
    if (!status) {
        tuned->chains = b.n;
        tuned->draws = draws_per_one(&b);
        if (type->accepts) tuned->acceptance = b.acceptance;
        if (*tuned->scale) config->scale = tuned->scale;
        write_settings(config, &b);
        write_extent(config, how, tuned->draws);
    }
    destroy(&b);
    return status;
}
