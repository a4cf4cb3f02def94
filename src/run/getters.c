/* What runs and samples tell those who cannot look inside. */
#include "run/fields.h"
#include "run/folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- runs ---- */

const char *kelvin_run_folder(const kelvin_run *run)
{
    return run->folder;
}

const kelvin_data *kelvin_run_data(const kelvin_run *run)
{
    return run->data;
}

const kelvin_model *kelvin_run_model(const kelvin_run *run)
{
    return run->model;
}

uint32_t kelvin_run_chains(const kelvin_run *run)
{
    return run->config.chains;
}

double kelvin_run_seconds(const kelvin_run *run)
{
    return run->seconds;
}

size_t kelvin_run_samples_asked_for(const kelvin_run *run)
{
    return (size_t)run->config.chains * (kelvin_run_draws(run) - kelvin_run_warmup(run));
}

bool kelvin_run_looks_at_batches(const kelvin_run *run)
{
    return run->sampler->batches;
}

bool kelvin_run_has_checksums(const kelvin_run *run)
{
    return !kelvin_run_is_old(run);
}

bool kelvin_run_starts_at_file(const kelvin_run *run)
{
    return kelvin_start_is_file(run->config.init);
}

bool kelvin_run_starts_from(const kelvin_run *run, char *folder, size_t size, size_t *sample)
{
    const char *init = run->config.init;
    kelvin_path of;
    *sample = SIZE_MAX;
    if (strcmp(init, "none") == 0) return false;
    if (kelvin_run_starts_at_file(run)) *sample = 0;
    /* as a chain's start reads it: a folder that is there is one, whatever it is called */
    const bool one = !kelvin_is_folder(init) && kelvin_start_split(of, sample, init);
    snprintf(folder, size, "%s", one ? of : init);
    return true;
}

/* ---- their configurations ---- */

const char *kelvin_run_text(const kelvin_run *run, const char *name)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_field *field = kelvin_config_find_field(fields, run->sampler, name);
    const char *const *text = field ? kelvin_config_text((kelvin_run_config *)&run->config, field) : NULL;
    return text ? *text : NULL;
}

double kelvin_run_number(const kelvin_run *run, const char *name)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_field *field = kelvin_config_find_field(fields, run->sampler, name);
    return field ? kelvin_config_number(&run->config, field) : (double)NAN;
}

kelvin_status kelvin_run_get(const kelvin_run *run, const char *name, char *out, size_t size)
{
    const struct kelvin_config_record record = {.config = run->config, .version = KELVIN_VERSION};
    return kelvin_config_print(out, size, &record, run->sampler, name);
}

const kelvin_setting *kelvin_run_setting(const kelvin_run *run, size_t i)
{
    return i < kelvin_count_settings(run->sampler) ? &run->sampler->setting[i] : NULL;
}

char *kelvin_run_json(const kelvin_run *run)
{
    const struct kelvin_config_record record = {.config = run->config};
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    size_t n = 0;
    for (size_t i = 0, all = kelvin_config_fields_of(fields, run->sampler); i < all; i++)
        if (fields[i].offset < sizeof run->config && fields[i].kind != &kelvin_field_maybe) fields[n++] = fields[i];
    return kelvin_record_text(fields, n, &record);
}

/* ---- columns of histories ---- */

size_t kelvin_run_columns(const kelvin_run *run)
{
    return kelvin_run_width(run);
}

size_t kelvin_run_own_columns(const kelvin_run *run)
{
    return kelvin_count_statistics(run->sampler);
}

const kelvin_statistic *kelvin_run_column(const kelvin_run *run, size_t i)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    return i < kelvin_run_list_columns(columns, run) ? columns[i] : NULL;
}

/* ---- samples ---- */

size_t kelvin_samples_count(const kelvin_samples *samples)
{
    return samples->n;
}

uint32_t kelvin_samples_chain(const kelvin_samples *samples, size_t i)
{
    return samples->chain[i];
}

uint32_t kelvin_samples_draw(const kelvin_samples *samples, size_t i)
{
    return samples->draw[i];
}

const kelvin_run *kelvin_samples_run(const kelvin_samples *samples)
{
    return samples->run;
}

const char *kelvin_samples_folder(const kelvin_samples *samples)
{
    return samples->folder;
}

uint32_t kelvin_samples_waiting(const kelvin_samples *s)
{
    return s->n_waiting;
}

const char *kelvin_samples_diverged(const kelvin_samples *samples, uint32_t chain)
{
    return chain < samples->run->config.chains ? samples->diverged[chain] : NULL;
}
