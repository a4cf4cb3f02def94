/* A configuration becomes a run: texts copied and parsed, data opened, the model built, everything checked. */
#include "run/fields.h"
#include "run/room.h"

#include <kelvin/target.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts the run's own copies where the caller's texts were; what is not copied, or does not count, becomes NULL. */
static kelvin_status copy_texts(kelvin_run_config *config)
{
    kelvin_run_config given = *config;
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
        const char **own = kelvin_config_text(config, &kelvin_config_fields[i]);
        if (own) *own = NULL;
    }
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
        const struct kelvin_config_field *field = &kelvin_config_fields[i];
        const char **own = kelvin_config_text(config, field);
        if (!own || !kelvin_config_field_counts(field, given.sampler)) continue;
        const char *text = *kelvin_config_text(&given, field);
        if (!text) return kelvin_fail(KELVIN_EUSAGE, "no %s is given", field->field.name);
        if (!(*own = kelvin_strdup(text))) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* ---- whole paths: the run is read again from elsewhere ---- */

static kelvin_status keep(const char **text, const char *instead)
{
    char *copy = kelvin_strdup(instead);
    if (!copy) return KELVIN_ENOMEM;
    kelvin_free((void *)*text);
    *text = copy;
    return KELVIN_OK;
}

/* Of a run's folder, or of FOLDER/i. False if there is no such folder. */
static bool find_run(kelvin_path whole, const char *path)
{
    _Static_assert(KELVIN_PATH_MAX >= PATH_MAX, "what realpath needs");
    if (realpath(path, whole)) return true;
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || !slash[1] || slash[1 + strspn(slash + 1, "0123456789")]) return false;
    kelvin_path folder, found;
    if (snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) >= (int)sizeof folder) return false;
    return realpath(folder, found) && !kelvin_path_join(whole, found, "%s", slash + 1);
}

/* What is there at a whole path is seen when chains begin: a run that began there can be read when it is gone. */
static kelvin_status keep_init(kelvin_run_config *config)
{
    kelvin_path whole;
    if (!config->init || strcmp(config->init, "none") == 0 || *config->init == '/') return KELVIN_OK;
    if (find_run(whole, config->init)) return keep(&config->init, whole);
    return kelvin_fail(KELVIN_EUSAGE, "init is \"%s\": there is no such run; expected a run's folder, or FOLDER/SAMPLE",
                       config->init);
}

/* ---- making ---- */

/* Only the data set that the file names: its checksums say nothing about another one. */
static kelvin_status check_mark(const kelvin_data *data, const kelvin_run_config *config)
{
    const kelvin_run_source *source = &config->source;
    if (!source->data || (strcmp(source->data, config->data) != 0 && strcmp(source->data, data->name) != 0))
        return KELVIN_OK;
    return kelvin_mark_compare(data, source->data_crc32, source->path,
                               "remove the field data_crc32 to sample the new data");
}

static kelvin_status parse_texts(kelvin_run *run)
{
    kelvin_run_config *config = &run->config;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    inside->has_prior = strcmp(config->prior, "none") != 0;
    KELVIN_TRY(kelvin_config_blame(config, "density", kelvin_density_parse(&inside->density, config->density)));
    if (inside->has_prior)
        KELVIN_TRY(kelvin_config_blame(config, "prior", kelvin_prior_parse(&inside->prior, config->prior)));
    KELVIN_TRY(kelvin_config_blame(config, "init", keep_init(config)));
    if (!run->data) KELVIN_TRY(kelvin_config_blame(config, "data", kelvin_data_open(&run->data, config->data)));
    KELVIN_TRY(check_mark(run->data, config));
    KELVIN_TRY(keep(&config->data, run->data->name));
    return kelvin_config_blame(
        config, "model",
        kelvin_model_create(&run->model, config->model, kelvin_data_shape(run->data), run->data->classes));
}

kelvin_status kelvin_run_prepare(kelvin_run **out, const kelvin_run_config *config)
{
    return kelvin_run_prepare_on(out, config, NULL);
}

kelvin_status kelvin_run_prepare_on(kelvin_run **out, const kelvin_run_config *config, kelvin_data *data)
{
    const struct kelvin_sampler_type *sampler;
    kelvin_run *run = kelvin_alloc(1, sizeof *run);
    *out = NULL;
    if (!run) {
        kelvin_data_close(data);
        return KELVIN_ENOMEM;
    }
    run->data = data;
    kelvin_status status = kelvin_sampler_find(&sampler, config->sampler);
    if (!status) {
        run->config = *config;
        status = copy_texts(&run->config);
    }
    if (!status && !(run->owned = kelvin_alloc(1, sizeof(struct kelvin_run_owned)))) status = KELVIN_ENOMEM;
    if (!status) status = sampler->check(run);
    if (!status) status = parse_texts(run);
    if (!status) status = sampler->fit(run);
    run->config.source = (kelvin_run_source){0}; /* its texts are not the run's */
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
    if (!kelvin_run_is_hmc(*run)) return KELVIN_OK;
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
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
        const char **text = kelvin_config_text(&run->config, &kelvin_config_fields[i]);
        if (text) kelvin_free((void *)*text);
    }
    kelvin_free(run);
}
