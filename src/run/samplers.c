/* The samplers: their defaults, and what must hold before one starts. */
#include "run/fields.h"
#include "run/room.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is wrong with a field: named with the file, if it is from one. */
#define WRONG(config, field, ...) kelvin_config_blame(config, field, kelvin_fail(KELVIN_EUSAGE, __VA_ARGS__))

/* Of two fields that do not go together: the one that was said last. */
static const char *later(const kelvin_run_config *config, const char *a, const char *b)
{
    return kelvin_config_overruled(config, a) ? a : b;
}

static kelvin_status check_count(const kelvin_run_config *config, const char *field, uint32_t value)
{
    return value ? KELVIN_OK : WRONG(config, field, "%s is 0; expected at least 1", field);
}

static kelvin_status check_chains(const kelvin_run_config *config)
{
    return check_count(config, "chains", config->chains);
}

/* ---- hmc ---- */

kelvin_hmc_options kelvin_run_hmc_options(const kelvin_run_config *config)
{
    return (kelvin_hmc_options){
        .step_size = config->step_size, .steps = config->steps, .temperature = config->temperature};
}

/* Figure 1 of the paper with DirClip(1.4). */
static void hmc_defaults(kelvin_run_config *config)
{
    const kelvin_hmc_options options = kelvin_hmc_defaults();
    config->sampler = "hmc";
    config->data = "toy";
    config->model = "mlp:10,10,10,10,10";
    config->density = "dirclip:1.4,-50";
    config->prior = "normal:1";
    config->seed = 0;
    config->chains = 3;
    config->temperature = options.temperature;
    config->iterations = 500;
    config->warmup = 150;
    config->steps = options.steps;
    config->step_size = options.step_size;
}

static kelvin_status hmc_check(kelvin_run *run)
{
    const kelvin_run_config *config = &run->config;
    const kelvin_hmc_options options = kelvin_run_hmc_options(config);
    KELVIN_TRY(check_chains(config));
    KELVIN_TRY(check_count(config, "iterations", config->iterations));
    if (config->warmup >= config->iterations)
        return WRONG(config, later(config, "iterations", "warmup"),
                     "warmup is %u of %u iterations; expected fewer, so that some are left", config->warmup,
                     config->iterations);
    if (!(config->temperature > 0) || !isfinite(config->temperature))
        return kelvin_config_blame(config, "temperature", kelvin_hmc_check(&options));
    return kelvin_config_blame(config, config->steps ? "step_size" : "steps", kelvin_hmc_check(&options));
}

static kelvin_status hmc_fit(kelvin_run *run)
{
    (void)run;
    return KELVIN_OK;
}

/* ---- sghmc ---- */

/* The paper's settings, but for fewer epochs, on a data set that needs no download. */
static void sghmc_defaults(kelvin_run_config *config)
{
    config->sampler = "sghmc";
    config->data = "digits";
    config->model = "mlp:20,20,20,leak=0.01";
    config->density = "categorical";
    config->prior = "normal:0.1";
    config->seed = 0;
    config->chains = config->samples = 8;
    config->temperature = 1;
    config->epochs = 5000;
    config->batch = 0;
    config->lr = 1e-4;
    config->momentum = 0.98;
    config->schedule = config->temperature_schedule = "paper";
    config->augment = config->init = "none";
    config->logit_limit = 1e5; /* DirClip(-50) makes some of 5,000 and comes back */
}

static kelvin_status check_counts(const kelvin_run_config *config)
{
    KELVIN_TRY(check_chains(config));
    KELVIN_TRY(check_count(config, "samples", config->samples));
    KELVIN_TRY(check_count(config, "epochs", config->epochs));
    if (config->samples % config->chains)
        return WRONG(config, later(config, "samples", "chains"),
                     "samples is %u and chains is %u; expected as many samples from each chain", config->samples,
                     config->chains);
    return KELVIN_OK;
}

static kelvin_status check_reals(const kelvin_run_config *config)
{
    if (!(config->lr > 0) || !isfinite(config->lr))
        return WRONG(config, "lr", "lr is %g; expected a number above 0", config->lr);
    if (!(config->temperature >= 0) || !isfinite(config->temperature))
        return WRONG(config, "temperature", "temperature is %g; expected a number of at least 0 (0 is SGD)",
                     config->temperature);
    if (!(config->logit_limit > 0) || !isfinite(config->logit_limit))
        return WRONG(config, "logit_limit", "logit_limit is %g; expected a number above 0", config->logit_limit);
    return KELVIN_OK;
}

/* "cyclical or constant": those whose states on the way are worth keeping. */
static void name_those_on_the_way(char *out, size_t size)
{
    const kelvin_schedule *schedule;
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; (schedule = kelvin_schedule_info(i)); i++)
        if (schedule->samples_on_the_way && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " or " : "", schedule->name);
}

/* The states at the ends of cycles are samples only where both schedules are where they are to be then. */
static kelvin_status check_cycles(const kelvin_run_config *config, const struct kelvin_run_owned *inside)
{
    const uint32_t cycles = config->samples / config->chains;
    if (cycles == 1) return KELVIN_OK;
    const kelvin_schedule *both[] = {inside->schedule, inside->temperature_schedule};
    char known[128];
    name_those_on_the_way(known, sizeof known);
    for (int i = 0; i < 2; i++)
        if (!both[i]->samples_on_the_way)
            return WRONG(config, later(config, "samples", i ? "temperature_schedule" : "schedule"),
                         "the schedule %s%s gives one sample per chain, but samples is %u and chains is %u: use "
                         "as many chains as samples, or the schedule %s",
                         both[i]->name, i ? " of the temperature" : "", config->samples, config->chains, known);
    if (cycles > config->epochs)
        return WRONG(config, later(config, "samples", "epochs"),
                     "each chain is to give %u samples in %u epochs; expected at least one epoch for each", cycles,
                     config->epochs);
    return KELVIN_OK;
}

static kelvin_status sghmc_check(kelvin_run *run)
{
    const kelvin_run_config *config = &run->config;
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    KELVIN_TRY(check_counts(config));
    KELVIN_TRY(check_reals(config));
    KELVIN_TRY(kelvin_config_blame(config, "schedule", kelvin_schedule_parse(&inside->schedule, config->schedule)));
    KELVIN_TRY(kelvin_config_blame(config, "temperature_schedule",
                                   kelvin_schedule_parse(&inside->temperature_schedule, config->temperature_schedule)));
    KELVIN_TRY(kelvin_config_blame(config, "augment", kelvin_augment_parse(&inside->augment, config->augment)));
    return check_cycles(config, inside);
}

static kelvin_status sghmc_fit(kelvin_run *run)
{
    enum { PAPERS_BATCH = 125 };
    kelvin_run_config *config = &run->config;
    const kelvin_data *data = run->data;
    const kelvin_sghmc_options options = {.momentum = config->momentum, .observations = (double)data->train.n};
    KELVIN_TRY(kelvin_config_blame(config, "momentum", kelvin_sghmc_check(&options)));
    if (config->batch == 0) config->batch = data->train.n < PAPERS_BATCH ? (uint32_t)data->train.n : PAPERS_BATCH;
    if (config->batch > data->train.n)
        return WRONG(config, "batch",
                     "batch is %u, more than the %zu training observations of %s; expected at most as many (--batch)",
                     config->batch, data->train.n, data->name);
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

/* ---- the table ---- */

static const struct kelvin_sampler_type samplers[] = {
    {"sghmc", "stochastic-gradient Hamiltonian Monte Carlo: steps with friction and noise on batches of the data",
     sghmc_defaults, sghmc_check, sghmc_fit},
    {"hmc", "Hamiltonian Monte Carlo: leapfrog steps on all the data, then accept or reject", hmc_defaults, hmc_check,
     hmc_fit},
};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

bool kelvin_sampler_info(size_t i, const char **name, const char **about)
{
    if (i >= SAMPLERS) return false;
    *name = samplers[i].name;
    *about = samplers[i].about;
    return true;
}

kelvin_status kelvin_sampler_find(const struct kelvin_sampler_type **sampler, const char *name)
{
    char known[64] = "";
    for (size_t i = 0, used = 0; i < SAMPLERS; i++) {
        *sampler = &samplers[i];
        if (name && strcmp(name, samplers[i].name) == 0) return KELVIN_OK;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? " or " : "", samplers[i].name);
    }
    *sampler = NULL;
    return name ? kelvin_fail(KELVIN_EUSAGE, "sampler \"%s\" is not known; expected %s", name, known)
                : kelvin_fail(KELVIN_EUSAGE, "no sampler is given; expected %s", known);
}

kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler)
{
    const struct kelvin_sampler_type *chosen;
    *config = (kelvin_run_config){0};
    KELVIN_TRY(kelvin_sampler_find(&chosen, sampler));
    for (size_t i = 0; i < SAMPLERS; i++) samplers[i].defaults(config); /* fields of the others count for nothing */
    chosen->defaults(config);
    return KELVIN_OK;
}
