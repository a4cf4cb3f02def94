/* Configurations for tests: defaults, and two of them compared. Included once per test program, before anything else.
 */
#ifndef CONFIG_HELPERS_H
#define CONFIG_HELPERS_H

#include "run_helpers.h"

static inline kelvin_run_config defaults(const char *sampler)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, sampler));
    return config;
}

static inline const kelvin_sampler_type *type_of(const kelvin_run_config *config)
{
    const kelvin_sampler_type *type;
    assert_ok(kelvin_sampler_find(&type, config->sampler));
    return type;
}

/* A setting of the sampler, by its name. */
static inline double setting_of(const kelvin_run_config *config, const char *name)
{
    const kelvin_sampler_type *type = type_of(config);
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        if (strcmp(type->setting[i].name, name) == 0) return config->setting[i];
    fail_msg("%s has no setting %s", config->sampler, name);
    return 0;
}

static inline void write_text(const char *path, const char *text)
{
    spill(path, text, strlen(text));
}

/* What a file comes to, by the sampler that it names, or else by the configuration's. Texts live until
 * kelvin_config_destroy(*owner), which is NULL if it fails; then the configuration is as it was. */
static inline kelvin_status take_file(kelvin_run_config *config, kelvin_config **owner, const char *path)
{
    size_t bytes;
    char *text = exists(path) ? slurp(path, &bytes) : NULL;
    const bool names = text && strstr(text, "\"sampler\"");
    kelvin_run_config resolved;
    kelvin_free(text);
    kelvin_status status = kelvin_config_create(owner);
    if (!status && !names) status = kelvin_config_set(*owner, "sampler", config->sampler);
    if (!status) status = kelvin_config_read(*owner, path);
    if (!status) status = kelvin_config_resolve(&resolved, *owner);
    if (!status) {
        *config = resolved;
        return KELVIN_OK;
    }
    kelvin_config_destroy(*owner);
    *owner = NULL;
    return status;
}

/* Field by field, by name here: another list than the table's. What is another sampler's does not count. */
static inline void same_config(const kelvin_run_config *a, const kelvin_run_config *b)
{
    const char *texts[][2] = {
        {a->sampler, b->sampler},   {a->data, b->data},       {a->model, b->model},
        {a->density, b->density},   {a->prior, b->prior},     {a->init, b->init},
        {a->schedule, b->schedule}, {a->augment, b->augment}, {a->temperature_schedule, b->temperature_schedule}};
    const kelvin_sampler_type *type = type_of(a);
    for (size_t i = 0; i < (type->batches ? 9 : 6); i++) assert_string_equal(texts[i][0], texts[i][1]);
    assert_true(a->seed == b->seed && a->chains == b->chains);
    assert_memory_equal(&a->temperature, &b->temperature, sizeof(double));
    assert_memory_equal(&a->logit_limit, &b->logit_limit, sizeof(double));
    assert_memory_equal(a->setting, b->setting, kelvin_count_settings(type) * sizeof(double));
    if (type->batches)
        assert_true(a->samples == b->samples && a->epochs == b->epochs && a->batch == b->batch);
    else
        assert_true(a->iterations == b->iterations && a->warmup == b->warmup);
}

#endif
