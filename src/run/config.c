/* A configuration becomes a run: texts copied and parsed, data opened, the model built, everything checked. */
#include "run/baseline.h"
#include "run/bundle.h"
#include "run/fields.h"
#include "run/room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy that lives as long as the run. */
static kelvin_status keep(const char **own, const kelvin_run *run, const char *text)
{
    *own = kelvin_arena_text(kelvin_run_inside(run)->arena, text, strlen(text));
    return *own ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Puts the run's own copies where the caller's texts were; what does not count becomes NULL. */
static kelvin_status copy_texts(kelvin_run *run)
{
    kelvin_run_config *config = &run->config;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    if (!run->sampler->batches) config->schedule = config->temperature_schedule = config->augment = NULL;
    if (run->sampler->batches) config->scale = NULL;
    for (size_t i = 0, n = kelvin_config_fields_of(fields, run->sampler); i < n; i++) {
        const char **text = kelvin_config_text(config, &fields[i]);
        if (!text) continue;
        if (!*text) return kelvin_fail(KELVIN_EUSAGE, "no %s is given", fields[i].name);
        KELVIN_TRY(keep(text, run, *text));
    }
    return KELVIN_OK;
}

/* ---- whole paths: the run is read again from elsewhere ---- */

/* The last part of a path as it is, in the folder that the others lead to. */
static bool find_below(kelvin_path whole, const char *path)
{
    const char *slash = strrchr(path, '/');
    kelvin_path folder = ".", found;
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return realpath(folder, found) && !kelvin_path_join(whole, found, "%s", slash ? slash + 1 : path);
}

/* Of a run's folder, of FOLDER/i, or of a file, which keeps its name, should that be a link. False if there is no such
 * folder or file. */
static bool find_start(kelvin_path whole, const char *path)
{
    _Static_assert(KELVIN_PATH_MAX >= PATH_MAX, "what realpath needs");
    kelvin_path folder;
    size_t index;
    if (kelvin_start_is_file(path)) return access(path, F_OK) == 0 && find_below(whole, path);
    return realpath(path, whole) || (kelvin_start_split(folder, &index, path) && find_below(whole, path));
}

/* What is there at a whole path is seen when chains begin: a run that began there can be read when it is gone. */
static kelvin_status keep_init(kelvin_run *run)
{
    kelvin_run_config *config = &run->config;
    kelvin_path whole;
    if (!config->init || strcmp(config->init, "none") == 0 || *config->init == '/') return KELVIN_OK;
    if (find_start(whole, config->init)) return keep(&config->init, run, whole);
    return kelvin_fail(
        KELVIN_EUSAGE,
        "init is \"%s\": there is no such %s; expected a run's folder, FOLDER/SAMPLE, or FILE.safetensors",
        config->init, kelvin_start_is_file(config->init) ? "file" : "run");
}

/* ---- making ---- */

/* Only the data set that the file names: its checksums say nothing about another one. */
static kelvin_status check_mark(const kelvin_data *data, const kelvin_run_config *config)
{
    const kelvin_run_source *source = &config->source;
    if (!source->data || (strcmp(source->data, config->data) != 0 && strcmp(source->data, data->name) != 0))
        return KELVIN_OK;
    return kelvin_mark_compare(data, source->data_crc32, kelvin_config_origin(config, "data_crc32"),
                               "leave the field data_crc32 out of a copy of it to sample the new data");
}

/* Where chains must start, if that is where the file says: it is compared when they do. */
static void keep_starts(struct kelvin_run_owned *inside, const kelvin_run_config *config)
{
    const kelvin_run_source *source = &config->source;
    if (source->init && source->init_crc32 && strcmp(source->init, config->init) == 0)
        snprintf(inside->starts, sizeof inside->starts, "%s", source->init_crc32);
}

static kelvin_status parse_texts(kelvin_run *run)
{
    kelvin_run_config *config = &run->config;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    inside->has_prior = strcmp(config->prior, "none") != 0;
    KELVIN_TRY(kelvin_config_blame(config, "density", kelvin_density_parse(&inside->density, config->density)));
    if (inside->has_prior)
        KELVIN_TRY(kelvin_config_blame(config, "prior", kelvin_prior_parse(&inside->prior, config->prior)));
    KELVIN_TRY(kelvin_config_blame(config, "init", keep_init(run)));
    if (!run->data) {
        KELVIN_TRY(kelvin_config_blame(config, "data", kelvin_data_open(&inside->data, config->data)));
        run->data = inside->data;
    }
    KELVIN_TRY(check_mark(run->data, config));
    KELVIN_TRY(keep(&config->data, run, run->data->name));
    return kelvin_config_blame(
        config, "model",
        kelvin_model_create(&run->model, config->model, kelvin_data_shape(run->data), run->data->classes));
}

static kelvin_status make(kelvin_run *run, const kelvin_run_config *config)
{
    kelvin_isa isa;
    KELVIN_TRY(kelvin_isa_choose(&isa)); /* before anything is blamed on a field */
    KELVIN_TRY(kelvin_sampler_find(&run->sampler, config->sampler));
    run->config = *config;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    KELVIN_TRY(kelvin_arena_create(&inside->arena));
    KELVIN_TRY(copy_texts(run));
    keep_starts(inside, config);
    KELVIN_TRY(kelvin_config_check(run));
    KELVIN_TRY(parse_texts(run));
    KELVIN_TRY(kelvin_config_fit(run));
    return kelvin_config_mark(run);
}

kelvin_status kelvin_run_prepare(kelvin_run **out, const kelvin_run_config *config, kelvin_data *own,
                                 const kelvin_data *lent)
{
    kelvin_run *run = *out = kelvin_alloc(1, sizeof *run);
    struct kelvin_run_owned *inside = kelvin_alloc(1, sizeof *inside);
    if (!run || !inside) {
        kelvin_data_close(own);
        kelvin_free(inside);
        kelvin_free(run);
        *out = NULL;
        return KELVIN_ENOMEM;
    }
    run->owned = inside;
    run->data = lent ? lent : own;
    inside->data = own;
    inside->format = KELVIN_FORMAT;
    inside->lock.fd = -1;
    const kelvin_status status = make(run, config);
    run->config.source = (kelvin_run_source){0}; /* its texts are not the run's */
    if (status) {
        kelvin_run_close(run);
        *out = NULL;
    }
    return status;
}

void kelvin_run_close(kelvin_run *run)
{
    if (!run) return;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    kelvin_lock_release(&inside->lock);
    kelvin_manifest_free(inside->manifest);
    for (uint32_t i = 0; inside->kept && i < run->config.chains; i++) kelvin_bundle_free(&inside->kept[i]);
    kelvin_baseline_free(inside->baseline);
    kelvin_model_destroy(run->model);
    kelvin_data_close(inside->data);
    kelvin_arena_destroy(inside->arena);
    kelvin_free(inside);
    kelvin_free(run);
}
