/* What must hold of a configuration before a run starts. */
#include "base/texts.h"
#include "base/words.h"
#include "run/fields.h"
#include "run/room.h"

/* What is wrong with a field: named with the file, if it is from one. */
#define WRONG(config, field, ...) kelvin_config_blame(config, field, kelvin_fail(KELVIN_EUSAGE, __VA_ARGS__))

/* Of two fields that do not go together: the one that was said last. */
static const char *later(const kelvin_run_config *config, const char *a, const char *b)
{
    return kelvin_config_overruled(config, a) ? a : b;
}

/* ---- of samplers that look at all data ---- */

static kelvin_status check_all_data(const kelvin_run_config *config)
{
    if (config->warmup < config->iterations) return KELVIN_OK;
    return WRONG(config, later(config, "iterations", "warmup"),
                 "warmup is %u of %u iterations; expected fewer, so that some are left", config->warmup,
                 config->iterations);
}

/* ---- of samplers that look at batches ---- */

/* The states at the ends of cycles are samples only where both schedules are where they are to be then. */
static kelvin_status check_cycles(const kelvin_run_config *config, const struct kelvin_run_owned *inside)
{
    const uint32_t cycles = config->samples / config->chains;
    if (cycles == 1) return KELVIN_OK;
    const kelvin_schedule *both[] = {inside->schedule, inside->temperature_schedule}, *other;
    char known[128] = ""; /* "constant or cyclical": those whose states on the way are worth keeping */
    for (size_t i = 0; (other = kelvin_schedule_info(i)); i++)
        if (other->samples_on_the_way) kelvin_append_name(known, sizeof known, other->member.name);
    for (int i = 0; i < 2; i++)
        if (!both[i]->samples_on_the_way)
            return WRONG(config, later(config, "samples", i ? "temperature_schedule" : "schedule"),
                         "the schedule %s%s gives one sample per chain, but samples is %u and chains is %u: use "
                         "as many chains as samples, or the schedule %s",
                         both[i]->member.name, i ? " of the temperature" : "", config->samples, config->chains, known);
    const uint32_t rate = kelvin_schedule_settling(both[0], config->epochs);
    const uint32_t temperature = kelvin_schedule_settling(both[1], config->epochs);
    const uint32_t left = config->epochs - (rate > temperature ? rate : temperature);
    if (cycles > left)
        return WRONG(config, later(config, "samples", "epochs"),
                     "each chain is to give %u samples in %u epochs%s; expected at least one epoch for each", cycles,
                     left, left < config->epochs ? " after it has settled" : "");
    return KELVIN_OK;
}

static kelvin_status check_batches(const kelvin_run_config *config, struct kelvin_run_owned *inside)
{
    if (config->samples % config->chains)
        return WRONG(config, later(config, "samples", "chains"),
                     "samples is %u and chains is %u; expected as many samples from each chain", config->samples,
                     config->chains);
    KELVIN_TRY(kelvin_config_blame(config, "schedule", kelvin_schedule_parse(&inside->schedule, config->schedule)));
    KELVIN_TRY(kelvin_config_blame(config, "temperature_schedule",
                                   kelvin_schedule_parse(&inside->temperature_schedule, config->temperature_schedule)));
    KELVIN_TRY(kelvin_config_blame(config, "augment", kelvin_augment_parse(&inside->augment, config->augment)));
    return check_cycles(config, inside);
}

kelvin_status kelvin_config_check(kelvin_run *run)
{
    const kelvin_run_config *config = &run->config;
    KELVIN_TRY(kelvin_config_names(config, run->sampler, !run->data)); /* before large files are read */
    KELVIN_TRY(kelvin_config_ranges(config, run->sampler));
    if (!run->sampler->anneals && config->temperature == 0)
        return WRONG(config, "temperature", "temperature is 0, at which %s cannot sample; expected a number above 0",
                     run->sampler->title);
    return run->sampler->batches ? check_batches(config, kelvin_run_inside(run)) : check_all_data(config);
}

/* ---- with the data ---- */

uint32_t kelvin_batch_of(uint32_t said, const kelvin_data *data)
{
    enum { PAPERS_BATCH = 125 };
    if (said > 0) return said;
    return data->train.n < PAPERS_BATCH ? (uint32_t)data->train.n : PAPERS_BATCH;
}

kelvin_status kelvin_config_fit(kelvin_run *run)
{
    kelvin_run_config *config = &run->config;
    const kelvin_data *data = run->data;
    if (!run->sampler->batches) return kelvin_scales_read(run);
    config->batch = kelvin_batch_of(config->batch, data);
    if (config->batch > data->train.n)
        return WRONG(
            config, "batch",
            "batch is %u, more than the %zu training observations of %s; expected at most as many (" KELVIN_FIELD ")",
            config->batch, data->train.n, data->name, "batch");
    if (kelvin_run_inside(run)->augment != KELVIN_AUGMENT_NONE && data->channels == 0)
        return WRONG(config, "augment", "augment is %s, which is for images; %s is a table (expected none)",
                     config->augment, data->name);
    const uint64_t steps = data->train.n / config->batch;
    if (steps > UINT32_MAX / config->epochs)
        return WRONG(config, later(config, "batch", "epochs"),
                     "%u epochs of %llu batches are too many steps; expected at most 4294967295 of them",
                     config->epochs, (unsigned long long)steps);
    return KELVIN_OK;
}
