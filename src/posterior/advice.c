/* What is off with a run, and what to do about it. Limits of HMC: R-hat 1.01 and 100 effective draws per chain as in
 * Vehtari et al. (2021); an acceptance between 60 % and 99 % is where it is neither stuck nor wasting its steps. */
#include "posterior/advice.h"

#include "run/room.h"

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

/* ---- HMC ---- */

static bool stuck(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (!(f->found->acceptance < 0.6)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "%.1f %% of the proposals were accepted, fewer than 60 %%: make --step-size smaller.",
             100 * f->found->acceptance);
    return true;
}

static bool timid(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (!(f->found->acceptance > 0.99)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "%.1f %% of the proposals were accepted, more than 99 %%: a larger --step-size would explore more for the "
             "same work.",
             100 * f->found->acceptance);
    return true;
}

static bool not_mixed(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (!(f->found->predictions.rank_rhat_max > 1.01)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The chains, or their halves, disagree about the predictions (rank-normalised R-hat up to %.3f; 1.01 is "
             "fine): run them longer, with more --iterations.",
             f->found->predictions.rank_rhat_max);
    return true;
}

static bool few_effective(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const double ess = fmin(p->ess_bulk_min, p->ess_tail_min), enough = 100.0 * (double)p->chains;
    if (!(ess < enough) && !(isnan(ess) && !isnan(p->rank_rhat_max))) return false; /* too few to tell */
    char found[32] = "too few to tell how many";
    if (!isnan(ess)) snprintf(found, sizeof found, "%.0f of %.0f", ess, enough);
    snprintf(out, KELVIN_SENTENCES,
             "Fewer than 100 effective draws per chain in function space (%s): means are rough, and tails more so.",
             found);
    return true;
}

static bool few_chains(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->found->predictions.chains < 2 || f->found->predictions.chains > 3) return false;
    snprintf(out, KELVIN_SENTENCES,
             "With fewer than four chains R-hat can miss a mode that no chain has found: use --chains 4 or more.");
    return true;
}

/* Unless nobody has looked. */
static bool few_draws(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->found->predictions.chains == 0 || !isnan(f->found->predictions.rank_rhat_max)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "R-hat and effective sample sizes need at least four draws after the warm-up, and draws that move.");
    return true;
}

static kelvin_adviser *const hmc[] = {stuck, timid, not_mixed, few_effective, few_chains, few_draws};

static size_t advise_hmc(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof hmc / sizeof *hmc; i++) n += hmc[i](out[n], f);
    return n;
}

/* ---- all of them ---- */

static bool is_alone(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->run->config.chains > 1 || f->run->config.temperature == 0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "One chain has nothing to be compared with: use --chains 4 or more to see whether others find the same.");
    return true;
}

size_t kelvin_advise(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = kelvin_run_is_hmc(f->run) ? advise_hmc(out, f) : kelvin_advise_sghmc(out, f);
    n += kelvin_advise_untaught(out[n], f, n > 0);
    n += is_alone(out[n], f);
    return n;
}

/* ---- notes ---- */

static bool is_trained(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->run->config.temperature != 0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "At temperature 0 chains are trained, not sampled: each ends in an optimum of its own, and R-hat and "
             "effective sample sizes say nothing of a posterior.");
    return true;
}

static bool has_one_draw(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->found->predictions.draws != 1 || f->run->config.chains == 1) return false;
    snprintf(out, KELVIN_SENTENCES,
             "With one sample per chain, as in the paper, R-hat and effective sample sizes are not defined: the "
             "agreement of the chains is what there is. For R-hat use --schedule cyclical and several --samples for "
             "each of the --chains.");
    return true;
}

static bool has_few_draws(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const size_t draws = f->found->predictions.draws;
    if (draws < 2 || draws > 9) return false;
    snprintf(out, KELVIN_SENTENCES, "%s at least %s samples per chain; here are %zu.",
             draws < 4 ? "The rank-normalised R-hat needs" : "Effective sample sizes need", draws < 4 ? "four" : "ten",
             draws);
    return true;
}

/* Units of a layer can change places, and signs, and the network is the same function. */
static bool is_symmetric(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_diagnosis *d = f->found;
    if (!(d->parameters.rhat_mean > 1.1 && d->predictions.rhat_mean <= 1.1)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The parameters have an R-hat of %.2f while predictions agree. This is expected of networks, whose units "
             "can change places without changing the function: it is the predictions that count.",
             d->parameters.rhat_mean);
    return true;
}

static bool has_lost_samples(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->found->parameters.quantities > 0 || f->found->predictions.quantities == 0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "Files of samples are not in the folder any more: nothing is told of the parameters.");
    return true;
}

static bool has_stopped_early(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const size_t used = f->found->predictions.chains * f->found->predictions.draws;
    if (used == f->samples || f->found->predictions.draws < 2) return false;
    snprintf(out, KELVIN_SENTENCES,
             "R-hat and effective sample sizes are of the %zu chain%s with %zu samples; the others have fewer.",
             f->found->predictions.chains, f->found->predictions.chains == 1 ? "" : "s", f->found->predictions.draws);
    return true;
}

static bool has_few_samples(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (kelvin_run_is_hmc(f->run) || f->samples > 8) return false;
    snprintf(out, KELVIN_SENTENCES, "Error bars of ensembles need more than 8 samples; here %s %zu.",
             f->samples == 1 ? "is" : "are", f->samples);
    return true;
}

static bool has_lost_histories(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->n_lost == 0) return false;
    const int used = snprintf(out, KELVIN_SENTENCES, "%s.", f->lost);
    if (f->n_lost > 1 && used >= 0 && used < KELVIN_SENTENCES)
        snprintf(out + used, KELVIN_SENTENCES - (size_t)used, " %zu more chain%s no whole history either.",
                 f->n_lost - 1, f->n_lost == 2 ? " has" : "s have");
    return true;
}

static kelvin_adviser *const notes[] = {has_lost_histories, is_trained,       has_one_draw,      has_few_draws,
                                        is_symmetric,       has_lost_samples, has_stopped_early, has_few_samples};
_Static_assert(sizeof notes / sizeof *notes <= KELVIN_ADVICE, "all of them fit");

size_t kelvin_annotate(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) n += notes[i](out[n], f);
    return n;
}
