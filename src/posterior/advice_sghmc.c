/* What is wrong with a run by SGHMC. */
#include "posterior/advice.h"
#include "run/chain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- divergence ---- */

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
    char names[KELVIN_SENTENCES], advice[KELVIN_NOTE];
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
             "The kinetic temperature is %.3g where %.3g was set: steps are too large, or gradients too noisy. Make "
             "--lr smaller or --batch larger.",
             t->kinetic.mean, t->set);
    return true;
}

static bool too_cold(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    if (!is_off(&t->kinetic, t->set)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The kinetic temperature is %.3g where %.3g was set: the momenta have not warmed up. Give them more "
             "--epochs.",
             t->kinetic.mean, t->set);
    return true;
}

static bool not_settled(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    if (!is_off(&t->configurational, t->set)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The configurational temperature is %.3g where %.3g was set: the parameters have not settled. Give them "
             "more --epochs.",
             t->configurational.mean, t->set);
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

bool kelvin_chains_apart(const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    if (f->run->config.temperature == 0) return false; /* trained, not sampled */
    return p->draws >= FEWEST && p->rhat_mean > apart && !(f->found->agreement.variation_mean < noticed);
}

static bool advise_apart(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const bool cyclical = strcmp(c->schedule, "cyclical") == 0;
    const bool cold = strcmp(c->schedule, "constant") == 0 && strcmp(c->init, "none") == 0;
    if (!kelvin_chains_apart(f)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The chains have not found the same predictions: they are farther apart than the samples of each let one "
             "expect (R-hat %.2f on average; chains that mix have 1). Two of them have another most likely class at "
             "%.1f %% of the observations. Give %s more --epochs%s; until then, many --chains say more than many "
             "samples of each.",
             f->found->predictions.rhat_mean, 100 * f->found->agreement.disagreement_mean,
             cyclical ? "each cycle" : "them",
             cold ? ", and a warm start with --init: the first samples are from before they had settled" : "");
    return true;
}

static bool advise_alike(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const size_t all = p->chains * p->draws;
    if (f->run->config.temperature == 0 || !(p->ess_bulk_median < (double)all / 4)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The %zu samples are worth about %.0f independent ones (effective sample size, the median over "
             "predictions): neighbours in a chain are alike. Put more --epochs between them, or take fewer --samples.",
             all, p->ess_bulk_median);
    return true;
}

/* ---- all of them ---- */

/* One after the other, the gravest first. Of a group only the first that applies is told: the others follow from it,
 * and what helps against them may be the opposite. Where the schedule never came to the temperature nothing is at it,
 * and where momenta are not, parameters are not; samples of chains that are apart are worth few. */
enum { MOST = 4 };
static kelvin_adviser *const groups[][MOST] = {
    {has_diverged},
    {cut_short, too_hot, too_cold, not_settled},
    {advise_apart, advise_alike},
};

size_t kelvin_advise_sghmc(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        bool told = false;
        for (size_t k = 0; k < MOST && groups[i][k] && !told; k++) told = groups[i][k](out[n], f);
        n += told;
    }
    return n;
}
