/* What is off with a run, and what to do about it: everything that can be off, the gravest first. Each adviser sees for
 * itself whether it has anything to say of a run's sampler. */
#include "posterior/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

kelvin_diagnosis kelvin_nothing_found(void)
{
    const kelvin_average unknown = {NAN, NAN};
    const kelvin_convergence nothing = {.rhat_mean = NAN,
                                        .rhat_max = NAN,
                                        .rank_rhat_median = NAN,
                                        .rank_rhat_max = NAN,
                                        .ess_bulk_median = NAN,
                                        .ess_bulk_min = NAN,
                                        .ess_tail_min = NAN};
    return (kelvin_diagnosis){
        .parameters = nothing,
        .predictions = nothing,
        .agreement = {.disagreement_mean = NAN,
                      .disagreement_max = NAN,
                      .variation_mean = NAN,
                      .variation_max = NAN,
                      .within_disagreement = NAN,
                      .within_variation = NAN},
        .temperatures = {.set = NAN, .kinetic = unknown, .configurational = unknown},
        .acceptance = NAN,
        .energy_error = NAN,
        .training_accuracy = NAN,
        .training_log_likelihood = NAN,
        .training_confidence = NAN,
    };
}

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
    kelvin_advise_stable(advice, f->run);
    if (f->kept > 0)
        snprintf(out, KELVIN_SENTENCES,
                 "%.200s diverged; of their samples the %zu from before are in the report: %.200s.", names, f->kept,
                 advice);
    else
        snprintf(out, KELVIN_SENTENCES, "%.200s diverged, and %s left out of the report: %.200s.", names,
                 f->found->diverged == 1 ? "is" : "are", advice);
    return true;
}

/* ---- chains that are alone ---- */

static bool is_alone(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->run->config.chains > 1 || f->run->config.temperature == 0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "One chain has nothing to be compared with: use --chains 4 or more to see whether others find the same.");
    return true;
}

/* ---- all of them ---- */

void kelvin_rows_option(char out[KELVIN_OPTION], const kelvin_run *run)
{
    snprintf(out, KELVIN_OPTION, "--%ss", kelvin_run_row_name(run));
}

void kelvin_step_option(char out[KELVIN_OPTION], const kelvin_run *run)
{
    kelvin_option_name(out, run->sampler->step_setting);
}

/* Of a group only the first that applies is told: the others follow from it, and what helps against them may be the
 * opposite. Where the schedule never came to the temperature nothing is at it, and where momenta are not, parameters
 * are not; samples of chains that are apart are worth few. */
enum { MOST = 4 };
static kelvin_adviser *const groups[][MOST] = {
    {has_diverged},
    {kelvin_advise_stuck, kelvin_advise_timid},
    {kelvin_advise_cut_short, kelvin_advise_hot, kelvin_advise_cold, kelvin_advise_unsettled},
    {kelvin_advise_apart, kelvin_advise_alike},
    {kelvin_advise_unmixed},
    {kelvin_advise_few_effective},
    {kelvin_advise_few_chains},
    {kelvin_advise_few_draws},
};
enum { GROUPS = sizeof groups / sizeof *groups };
_Static_assert(GROUPS + 2 <= KELVIN_ADVICE, "all of them fit, and the two below");

size_t kelvin_advise(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < GROUPS; i++) {
        bool told = false;
        for (size_t k = 0; k < MOST && groups[i][k] && !told; k++) told = groups[i][k](out[n], f);
        n += told;
    }
    n += kelvin_advise_untaught(out[n], f, n > 0);
    n += is_alone(out[n], f);
    return n;
}
