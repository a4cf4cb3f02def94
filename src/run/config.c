/* A configuration becomes a run: texts copied and parsed, data opened, the model built, everything checked. */
#include "run/bundle.h"
#include "run/fields.h"
#include "run/room.h"

#include <kelvin/target.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts the run's own copies where the caller's texts were; what is not copied, or does not count, becomes NULL. */
static kelvin_status copy_texts(kelvin_run *run)
{
    kelvin_run_config given = run->config, *config = &run->config;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const size_t n = kelvin_config_fields_of(fields, run->sampler);
    config->schedule = config->temperature_schedule = config->augment = NULL; /* may be another sampler's */
    for (size_t i = 0; i < n; i++) {
        const char **own = kelvin_config_text(config, &fields[i]);
        if (own) *own = NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const char **own = kelvin_config_text(config, &fields[i]);
        if (!own) continue;
        const char *text = *kelvin_config_text(&given, &fields[i]);
        if (!text) return kelvin_fail(KELVIN_EUSAGE, "no %s is given", fields[i].name);
        if (!(*own = kelvin_strdup(text))) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

static void free_texts(kelvin_run *run)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    for (size_t i = 0, n = run->sampler ? kelvin_config_fields_of(fields, run->sampler) : 0; i < n; i++) {
        const char **text = kelvin_config_text(&run->config, &fields[i]);
        if (text) kelvin_free((void *)*text);
    }
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

static kelvin_status make(kelvin_run *run, const kelvin_run_config *config)
{
    KELVIN_TRY(kelvin_sampler_find(&run->sampler, config->sampler));
    run->config = *config;
    KELVIN_TRY(copy_texts(run));
    struct kelvin_run_owned *inside = run->owned = kelvin_alloc(1, sizeof *inside);
    if (!inside) return KELVIN_ENOMEM;
    inside->format = KELVIN_FORMAT;
    inside->lock.fd = -1;
    KELVIN_TRY(kelvin_config_check(run));
    KELVIN_TRY(parse_texts(run));
    KELVIN_TRY(kelvin_config_fit(run));
    return kelvin_config_mark(run);
}

kelvin_status kelvin_run_prepare(kelvin_run **out, const kelvin_run_config *config, kelvin_data *data)
{
    kelvin_run *run = kelvin_alloc(1, sizeof *run);
    *out = NULL;
    if (!run) {
        kelvin_data_close(data);
        return KELVIN_ENOMEM;
    }
    run->data = data;
    const kelvin_status status = make(run, config);
    run->config.source = (kelvin_run_source){0}; /* its texts are not the run's */
    if (status)
        kelvin_run_close(run);
    else
        *out = run;
    return status;
}

void kelvin_run_close(kelvin_run *run)
{
    if (!run) return;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (inside) {
        kelvin_lock_release(&inside->lock);
        kelvin_manifest_free(inside->manifest);
        kelvin_kept_free(inside->kept, run->config.chains);
        kelvin_free(inside->place);
        kelvin_free(inside);
    }
    kelvin_model_destroy(run->model);
    kelvin_data_close(run->data);
    free_texts(run);
    kelvin_free(run);
}
