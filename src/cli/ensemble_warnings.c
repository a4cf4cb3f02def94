/* What is wrong with a run by SGHMC, and what to do about it. Causes hide each other: a chain that diverges is at no
 * temperature, and where the schedule never came to the temperature nothing has settled there. So of the causes only
 * the first is told: what helps against the others may be the opposite. */
#include "cli/ensemble_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool warning(char out[WARNING], const struct facts *facts);

/* ---- divergence ---- */

void ensemble_stable(char out[WARNING], const kelvin_run_config *config)
{
    static const char unbounded[] = "dirichlet:";
    kelvin_run_config usual;
    const bool strict = !kelvin_run_defaults(&usual, config->sampler) && config->logit_limit < usual.logit_limit;
    if (strncmp(config->density, unbounded, strlen(unbounded)) == 0)
        snprintf(out, WARNING, "use --density dirclip:%.40s,-50, for dirichlet has no bound; or make --lr smaller",
                 config->density + strlen(unbounded));
    else
        snprintf(out, WARNING, "%smake --lr smaller", strict ? "leave --logit-limit as it is by default, or " : "");
}

/* "Chain 3", "Chains 1, 2, 7", and if they are many: "Chains 0, 1, ... and 14 more". */
static void name_diverged(char out[WARNING], const struct facts *f)
{
    enum { MOST = 12 };
    size_t used = (size_t)snprintf(out, WARNING, f->diverged == 1 ? "Chain" : "Chains");
    for (uint32_t c = 0, named = 0; c < f->run->config.chains && named < MOST; c++)
        if (f->chains[c].diverged[0])
            used += (size_t)snprintf(out + used, WARNING - used, "%s %" PRIu32, named++ ? "," : "", c);
    if (f->diverged > MOST) snprintf(out + used, WARNING - used, " and %" PRIu32 " more", f->diverged - MOST);
}

static bool has_diverged(char out[WARNING], const struct facts *f)
{
    char names[WARNING], advice[WARNING];
    uint32_t kept = 0;
    if (f->diverged == 0) return false;
    for (uint32_t c = 0; c < f->run->config.chains; c++)
        if (f->chains[c].diverged[0]) kept += f->chains[c].samples;
    name_diverged(names, f);
    ensemble_stable(advice, &f->run->config);
    if (kept > 0)
        snprintf(out, WARNING,
                 "%.200s diverged; of their samples the %" PRIu32 " from before are in the report: %.200s.", names,
                 kept, advice);
    else
        snprintf(out, WARNING, "%.200s diverged, and %s left out of the report: %.200s.", names,
                 f->diverged == 1 ? "is" : "are", advice);
    return true;
}

/* ---- temperatures ---- */

enum { CLOSE = 10, ERRORS = 3 }; /* percent that a temperature may be off, and standard errors */

static bool is_off(const kelvin_average *is, double set)
{
    if (!(set > 0) || !(fabs(is->mean / set - 1) > CLOSE / 100.0)) return false;
    return isnan(is->error) || fabs(is->mean - set) > ERRORS * is->error;
}

static bool too_hot(char out[WARNING], const struct facts *f)
{
    const kelvin_temperatures *t = &f->temperatures;
    if (!is_off(&t->kinetic, t->set) || t->kinetic.mean < t->set) return false;
    snprintf(out, WARNING,
             "The kinetic temperature is more than %d %% above the one that was set: steps are too large, or gradients "
             "too noisy. Make --lr smaller or --batch larger.",
             CLOSE);
    return true;
}

static bool too_cold(char out[WARNING], const struct facts *f)
{
    const kelvin_temperatures *t = &f->temperatures;
    if (!is_off(&t->kinetic, t->set)) return false;
    snprintf(out, WARNING,
             "The kinetic temperature is more than %d %% below the one that was set: the momenta have not warmed up. "
             "Give them more --epochs.",
             CLOSE);
    return true;
}

static bool not_settled(char out[WARNING], const struct facts *f)
{
    if (!is_off(&f->temperatures.configurational, f->temperatures.set)) return false;
    snprintf(out, WARNING,
             "The configurational temperature is more than %d %% off: the parameters have not settled. Give them more "
             "--epochs.",
             CLOSE);
    return true;
}

/* ---- schedules that are cut short ---- */

/* Of what is asked for: where samples are taken, at the coldest of them. */
static double reached(const kelvin_schedule *schedule, const kelvin_run_config *c)
{
    const uint32_t cycles = kelvin_cycles(c), first = schedule->repeats ? 1 : cycles;
    double least = INFINITY;
    for (uint32_t cycle = first; cycle <= cycles; cycle++) {
        const uint32_t last = kelvin_cycle_begin(cycle, cycles, c->epochs) - 1;
        least = fmin(least, schedule->temperature(kelvin_schedule_progress(schedule, last, c->epochs, cycles)));
    }
    return least;
}

/* So many that the last two epochs of each cycle are at the temperature. */
static uint32_t enough_epochs(const kelvin_schedule *schedule, uint32_t cycles)
{
    enum { MOST = 1000 };
    uint32_t n = 2;
    while (n < MOST && schedule->temperature((n - 2.0) / n) < 1 - CLOSE / 100.0) n++;
    return schedule->repeats ? n * cycles : n;
}

static bool cut_short(char out[WARNING], const struct facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const kelvin_schedule *schedule;
    if (!(c->temperature > 0) || kelvin_schedule_parse(&schedule, c->temperature_schedule)) return false;
    const double share = reached(schedule, c);
    if (share >= 1 - CLOSE / 100.0) return false;
    snprintf(out, WARNING,
             "The schedule reached temperature %.3g of %g: use --epochs %" PRIu32 " or more, or --%s constant.",
             share * c->temperature, c->temperature, enough_epochs(schedule, kelvin_cycles(c)),
             strcmp(c->schedule, c->temperature_schedule) == 0 ? "schedule" : "temperature-schedule");
    return true;
}

/* ---- all of them ---- */

static warning *const causes[] = {has_diverged, cut_short, too_hot, too_cold, not_settled};

static bool find_cause(char out[WARNING], const struct facts *f)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i](out, f)) return true;
    return false;
}

static bool knows_nothing(char out[WARNING], const struct facts *f, bool has_cause)
{
    if (f->train.n == 0 || !(f->train.single[KELVIN_ACCURACY].mean < 1.5 / (double)f->run->data->classes)) return false;
    snprintf(out, WARNING,
             "Single samples are hardly better than chance on their own training data: %sthe --density leads away from "
             "the labels, or the --prior is too strong for so few data.",
             has_cause ? "if the above does not help, " : "--lr is too large, --epochs are too few, ");
    return true;
}

size_t ensemble_warnings(char out[WARNINGS][WARNING], const struct facts *f)
{
    size_t n = 0;
    n += find_cause(out[n], f);
    n += knows_nothing(out[n], f, n > 0);
    return n;
}
