/* The configuration of a run: its defaults, its checks, and the memory for its results.
 * The defaults are figure 1 of the paper with DirClip(1.4). */
#include "run/room.h"

#include <kelvin/target.h>

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} texts[] = {
    {"sampler", offsetof(kelvin_run_config, sampler)}, {"data", offsetof(kelvin_run_config, data)},
    {"model", offsetof(kelvin_run_config, model)},     {"density", offsetof(kelvin_run_config, density)},
    {"prior", offsetof(kelvin_run_config, prior)},
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(kelvin_run_config *config, size_t i)
{
    return (const char **)((char *)config + texts[i].offset);
}

kelvin_hmc_options kelvin_run_hmc_options(const kelvin_run_config *config)
{
    return (kelvin_hmc_options){
        .step_size = config->step_size, .steps = config->steps, .temperature = config->temperature};
}

kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler)
{
    const kelvin_hmc_options options = kelvin_hmc_defaults();
    if (strcmp(sampler, "hmc") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "sampler \"%s\" is not known; expected hmc", sampler);
    *config = (kelvin_run_config){
        .sampler = "hmc",
        .data = "toy",
        .model = "mlp:10,10,10,10,10",
        .density = "dirclip:1.4,-50",
        .prior = "normal:1",
        .seed = 0,
        .chains = 3,
        .iterations = 500,
        .warmup = 150,
        .steps = options.steps,
        .step_size = options.step_size,
        .temperature = options.temperature,
    };
    return KELVIN_OK;
}

static kelvin_status check_numbers(const kelvin_run_config *config)
{
    if (config->chains == 0) return kelvin_fail(KELVIN_EUSAGE, "chains is 0; expected at least 1");
    if (config->iterations == 0) return kelvin_fail(KELVIN_EUSAGE, "iterations is 0; expected at least 1");
    if (config->warmup >= config->iterations)
        return kelvin_fail(KELVIN_EUSAGE, "warmup is %u of %u iterations; expected fewer, so that some are left",
                           config->warmup, config->iterations);
    const kelvin_hmc_options options = kelvin_run_hmc_options(config);
    return kelvin_hmc_check(&options);
}

/* Puts the run's own copies where the caller's texts were; what is not copied becomes NULL. */
static kelvin_status copy_texts(kelvin_run_config *config)
{
    kelvin_run_config given = *config;
    for (size_t i = 0; i < N_TEXTS; i++) *text_of(config, i) = NULL;
    for (size_t i = 0; i < N_TEXTS; i++) {
        const char *text = *text_of(&given, i);
        if (!text) return kelvin_fail(KELVIN_EUSAGE, "no %s is given", texts[i].name);
        if (!(*text_of(config, i) = kelvin_strdup(text))) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* Files by their whole paths: the run is read again from elsewhere. */
static kelvin_status keep_name(kelvin_run_config *config, const char *name)
{
    char *copy = kelvin_strdup(name);
    if (!copy) return KELVIN_ENOMEM;
    kelvin_free((void *)config->data);
    config->data = copy;
    return KELVIN_OK;
}

static kelvin_status parse_texts(kelvin_run *run)
{
    const kelvin_run_config *config = &run->config;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (strcmp(config->sampler, "hmc") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "sampler \"%s\" is not known; expected hmc", config->sampler);
    inside->has_prior = strcmp(config->prior, "none") != 0;
    KELVIN_TRY(kelvin_density_parse(&inside->density, config->density));
    if (inside->has_prior) KELVIN_TRY(kelvin_prior_parse(&inside->prior, config->prior));
    KELVIN_TRY(kelvin_data_open(&run->data, config->data));
    KELVIN_TRY(keep_name(&run->config, run->data->name));
    return kelvin_model_create(&run->model, config->model, kelvin_data_shape(run->data), run->data->classes);
}

kelvin_status kelvin_run_prepare(kelvin_run **out, const kelvin_run_config *config)
{
    *out = NULL;
    kelvin_run *run = kelvin_alloc(1, sizeof *run);
    if (!run) return KELVIN_ENOMEM;
    run->config = *config;
    kelvin_status status = copy_texts(&run->config);
    if (!status && !(run->owned = kelvin_alloc(1, sizeof(struct kelvin_run_owned)))) status = KELVIN_ENOMEM;
    if (!status) status = check_numbers(config);
    if (!status) status = parse_texts(run);
    if (status)
        kelvin_run_close(run);
    else
        *out = run;
    return status;
}

kelvin_status kelvin_run_sizes(size_t *draws, size_t *logits, const kelvin_run *run)
{
    const size_t iterations = run->config.iterations, kept = iterations - run->config.warmup;
    size_t outputs, all;
    *draws = *logits = 0;
    if (__builtin_mul_overflow(iterations, run->model->n_params, draws) ||
        __builtin_mul_overflow(run->data->train.n, run->data->classes, &outputs) ||
        __builtin_mul_overflow(kept, outputs, logits) ||
        __builtin_mul_overflow(*draws, run->config.chains * sizeof(float), &all) ||
        __builtin_mul_overflow(*logits, run->config.chains * sizeof(float), &all))
        return kelvin_fail(KELVIN_ENOMEM, "out of memory: the draws of %u chains x %u iterations cannot be addressed",
                           run->config.chains, run->config.iterations);
    return KELVIN_OK;
}

kelvin_status kelvin_run_allocate(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    size_t draws, logits;
    KELVIN_TRY(kelvin_run_sizes(&draws, &logits, run));
    const size_t chains = run->config.chains, rows = chains * run->config.iterations;
    if (!(run->draws = kelvin_alloc(chains * draws, sizeof *run->draws)) ||
        !(run->info = kelvin_alloc(rows, sizeof *run->info)) ||
        !(run->logits = kelvin_alloc(chains * logits, sizeof *run->logits)) ||
        !(inside->accuracy = kelvin_alloc(rows, sizeof *inside->accuracy)))
        return KELVIN_ENOMEM;
    return KELVIN_OK;
}

kelvin_status kelvin_run_create(kelvin_run **run, const kelvin_run_config *config)
{
    KELVIN_TRY(kelvin_run_prepare(run, config));
    const kelvin_status status = kelvin_run_allocate(*run);
    if (status) {
        kelvin_run_close(*run);
        *run = NULL;
    }
    return status;
}

void kelvin_run_close(kelvin_run *run)
{
    if (!run) return;
    if (run->owned) kelvin_free(kelvin_run_inside(run)->accuracy);
    kelvin_free(run->owned);
    kelvin_free(run->logits);
    kelvin_free(run->info);
    kelvin_free(run->draws);
    kelvin_model_destroy(run->model);
    kelvin_data_close(run->data);
    for (size_t i = 0; i < N_TEXTS; i++) kelvin_free((void *)*text_of(&run->config, i));
    kelvin_free(run);
}
