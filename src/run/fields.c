/* The table of fields, in the order in which run.json has them. */
#include "run/fields.h"

#include <stddef.h>
#include <string.h>

#define SGHMC "sghmc"
#define HMC   "hmc"
#define ROW(member, kind, sampler)                                                                                     \
    {                                                                                                                  \
        {#member, &kelvin_field_##kind, offsetof(kelvin_run_config, member)}, sampler                                  \
    }

const struct kelvin_config_field kelvin_config_fields[KELVIN_CONFIG_FIELDS] = {
    {{"kelvin", &kelvin_field_text, offsetof(struct kelvin_config_record, version)}, NULL},
    ROW(sampler, text, NULL),
    ROW(data, text, NULL),
    {{"data_crc32", &kelvin_field_maybe, offsetof(kelvin_run_config, source.data_crc32)}, NULL},
    ROW(model, text, NULL),
    ROW(density, text, NULL),
    ROW(prior, text, NULL),
    ROW(seed, seed, NULL),
    ROW(chains, count, NULL),
    ROW(iterations, count, HMC),
    ROW(warmup, count, HMC),
    ROW(step_size, float, HMC),
    ROW(steps, count, HMC),
    ROW(temperature, real, NULL),
    ROW(samples, count, SGHMC),
    ROW(epochs, count, SGHMC),
    ROW(batch, count, SGHMC),
    ROW(lr, real, SGHMC),
    ROW(momentum, real, SGHMC),
    ROW(schedule, text, SGHMC),
    ROW(temperature_schedule, text, SGHMC),
    ROW(augment, text, SGHMC),
    ROW(init, text, SGHMC),
    ROW(logit_limit, real, SGHMC),
};

bool kelvin_config_field_counts(const struct kelvin_config_field *field, const char *sampler)
{
    return !field->sampler || strcmp(field->sampler, sampler) == 0;
}

size_t kelvin_config_fields_of(struct kelvin_field fields[KELVIN_CONFIG_FIELDS], const char *sampler)
{
    size_t n = 0;
    for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++)
        if (kelvin_config_field_counts(&kelvin_config_fields[i], sampler)) fields[n++] = kelvin_config_fields[i].field;
    return n;
}

const char **kelvin_config_text(kelvin_run_config *config, const struct kelvin_config_field *field)
{
    const bool text = field->field.kind == &kelvin_field_text && field->field.offset < sizeof *config;
    return text ? (const char **)(void *)((char *)config + field->field.offset) : NULL;
}

/* ---- where fields come from ---- */

_Static_assert(KELVIN_CONFIG_FIELDS <= 64, "a bit for each field");

static uint64_t bit_of(const char *name)
{
    size_t i = 0;
    while (strcmp(kelvin_config_fields[i].field.name, name) != 0) i++;
    return UINT64_C(1) << i;
}

bool kelvin_config_overruled(const kelvin_run_config *config, const char *field)
{
    return config->source.overruled & bit_of(field);
}

void kelvin_config_overrule(kelvin_run_config *config, const char *field, bool overruled)
{
    const uint64_t bit = bit_of(field);
    config->source.overruled = overruled ? config->source.overruled | bit : config->source.overruled & ~bit;
}

kelvin_status kelvin_config_blame(const kelvin_run_config *config, const char *field, kelvin_status status)
{
    if (status != KELVIN_EUSAGE || !config->source.path || kelvin_config_overruled(config, field)) return status;
    return kelvin_fail(KELVIN_EFORMAT, "%s: %s", config->source.path, kelvin_error());
}

/* ---- fields that follow others ---- */

static void samples_follow(kelvin_run_config *config)
{
    config->samples = config->chains;
}

static void chains_follow(kelvin_run_config *config)
{
    config->chains = config->samples;
}

static void temperature_schedule_follows(kelvin_run_config *config)
{
    config->temperature_schedule = config->schedule;
}

static void warmup_follows(kelvin_run_config *config)
{
    config->warmup = (uint32_t)((uint64_t)config->iterations * 3 / 10);
}

static const struct {
    const char *said, *unsaid;
    void (*follow)(kelvin_run_config *config);
} followers[] = {
    {"chains", "samples", samples_follow},
    {"samples", "chains", chains_follow},
    {"schedule", "temperature_schedule", temperature_schedule_follows},
    {"iterations", "warmup", warmup_follows},
};

void kelvin_config_follow(kelvin_run_config *config, kelvin_config_said *said, const void *context)
{
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++)
        if (said(context, followers[i].said) && !said(context, followers[i].unsaid)) {
            followers[i].follow(config);
            kelvin_config_overrule(config, followers[i].unsaid, kelvin_config_overruled(config, followers[i].said));
        }
}
