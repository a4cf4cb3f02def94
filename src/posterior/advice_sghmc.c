/* What is wrong with a run by SGHMC. */
#include "posterior/advice.h"
#include "run/chain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- divergence ---- */

void kelvin_advise_stable(char out[KELVIN_SENTENCES], const kelvin_run_config *config)
{
    static const char unbounded[] = "dirichlet:";
    kelvin_run_config usual;
    const bool strict = !kelvin_run_defaults(&usual, config->sampler) && config->logit_limit < usual.logit_limit;
    if (strncmp(config->density, unbounded, strlen(unbounded)) == 0)
        snprintf(out, KELVIN_SENTENCES,
                 "use --density dirclip:%.40s,-50, for dirichlet has no bound; or make --lr smaller",
                 config->density + strlen(unbounded));
    else
        snprintf(out, KELVIN_SENTENCES, "%smake --lr smaller",
                 strict ? "leave --logit-limit as it is by default, or " : "");
}

/* "Chain 3", "Chains 1, 2, 7", and if they are many: "Chains 0, 1, ... and 14 more". */
static void name_diverged(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    enum { MOST = 12 };
    size_t used = (size_t)snprintf(out, KELVIN_SENTENCES, f->found->diverged == 1 ? "Chain" : "Chains");
    for (uint32_t c = 0, named = 0; c < f->run->config.chains && named < MOST; c++)
        if (f->diverged[c])
            used += (size_t)snprintf(out + used, KELVIN_SENTENCES - used, "%s %" PRIu32, named++ ? "," : "", c);
    if (f->found->diverged > MOST)
        snprintf(out + used, KELVIN_SENTENCES - used, " and %" PRIu32 " more", f->found->diverged - MOST);
}

static bool has_diverged(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    char names[KELVIN_SENTENCES], advice[KELVIN_SENTENCES];
    if (f->found->diverged == 0) return false;
    name_diverged(names, f);
    kelvin_advise_stable(advice, &f->run->config);
    if (f->kept > 0)
        snprintf(out, KELVIN_SENTENCES,
                 "%.200s diverged; of their samples the %zu from before are in the report: %.200s.", names, f->kept,
                 advice);
    else
        snprintf(out, KELVIN_SENTENCES, "%.200s diverged, and %s left out of the report: %.200s.", names,
                 f->found->diverged == 1 ? "is" : "are", advice);
    return true;
}

/* ---- temperatures ---- */

enum { CLOSE = 10, ERRORS = 3 }; /* percent that a temperature may be off, and standard errors */

static bool is_off(const kelvin_average *is, double set)
{
    if (!(set > 0) || !(fabs(is->mean / set - 1) > CLOSE / 100.0)) return false;
    return isnan(is->error) || fabs(is->mean - set) > ERRORS * is->error;
}

static bool too_hot(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    if (!is_off(&t->kinetic, t->set) || t->kinetic.mean < t->set) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The kinetic temperature is more than %d %% above the one that was set: steps are too large, or gradients "
             "too noisy. Make --lr smaller or --batch larger.",
             CLOSE);
    return true;
}

static bool too_cold(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    if (!is_off(&t->kinetic, t->set)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The kinetic temperature is more than %d %% below the one that was set: the momenta have not warmed up. "
             "Give them more --epochs.",
             CLOSE);
    return true;
}

static bool not_settled(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (!is_off(&f->found->temperatures.configurational, f->found->temperatures.set)) return false;
    snprintf(out, KELVIN_SENTENCES,
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

static bool cut_short(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const kelvin_schedule *schedule;
    if (!(c->temperature > 0) || kelvin_schedule_parse(&schedule, c->temperature_schedule)) return false;
    const double share = reached(schedule, c);
    if (share >= 1 - CLOSE / 100.0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The schedule reached temperature %.3g of %g: use --epochs %" PRIu32 " or more, or --%s constant.",
             share * c->temperature, c->temperature, enough_epochs(schedule, kelvin_cycles(c)),
             strcmp(c->schedule, c->temperature_schedule) == 0 ? "schedule" : "temperature-schedule");
    return true;
}

/* ---- chains and samples ---- */

enum { FEWEST = 4 }; /* draws per chain for an R-hat that means something */

static const double apart = 1.1, noticed = 1e-3; /* R-hat; total variation below which nobody cares */

static bool are_apart(const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    return p->draws >= FEWEST && p->rhat_mean > apart && !(f->found->agreement.variation_mean < noticed);
}

static void advise_apart(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const bool cyclical = strcmp(c->schedule, "cyclical") == 0;
    const bool cold = strcmp(c->schedule, "constant") == 0 && strcmp(c->init, "none") == 0;
    snprintf(out, KELVIN_SENTENCES,
             "The chains have not found the same predictions: they are farther apart than the samples of each let one "
             "expect (R-hat %.2f on average; chains that mix have 1). Give %s more --epochs%s; until then, many "
             "--chains say more than many samples of each.",
             f->found->predictions.rhat_mean, cyclical ? "each cycle" : "them",
             cold ? ", and a warm start with --init: the first samples are from before they had settled" : "");
}

static bool advise_alike(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const size_t all = p->chains * p->draws;
    if (!(p->ess_bulk_median < (double)all / 4)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The %zu samples are worth about %.0f independent ones (effective sample size, the median over "
             "predictions): neighbours in a chain are alike. Put more --epochs between them, or take fewer --samples.",
             all, p->ess_bulk_median);
    return true;
}

bool kelvin_advise_apart(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->run->config.temperature == 0) return false; /* trained, not sampled */
    if (!are_apart(f)) return advise_alike(out, f);
    advise_apart(out, f);
    return true;
}

/* ---- all of them ---- */

static kelvin_adviser *const causes[] = {has_diverged, cut_short, too_hot, too_cold, not_settled, kelvin_advise_apart};

bool kelvin_advise_cause(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i](out, f)) return true;
    return false;
}

/* Half again as often right as by chance, but of few classes not more than a tenth of the way to always. */
static double hardly(size_t classes)
{
    const double chance = 1 / (double)classes;
    return fmin(1.5 * chance, chance + (1 - chance) / 10);
}

bool kelvin_advise_untaught(char out[KELVIN_SENTENCES], const struct kelvin_facts *f, bool has_cause)
{
    if (!(f->found->training_accuracy < hardly(f->run->data->classes))) return false;
    snprintf(out, KELVIN_SENTENCES,
             "Single samples are hardly better than chance on their own training data: %sthe --density leads away from "
             "the labels, or the --prior is too strong for so few data.",
             has_cause ? "if the above does not help, " : "--lr is too large, --epochs are too few, ");
    return true;
}
