/* What is off with draws of all the data. Limits: R-hat 1.01 and 100 effective draws per chain as in Vehtari et al.
 * (2021); an acceptance between 60 % and 99 % is where a sampler is neither stuck nor wasting its steps. */
#include "posterior/advice.h"
#include "run/room.h"

#include <math.h>
#include <stdio.h>

/* ---- samplers that accept or reject ---- */

/* Those that follow an energy accept most of what they propose; a random walk would not. */
static bool follows_energy(const kelvin_run *run)
{
    return run->sampler->accepts && kelvin_run_column(run, "energy_error") != SIZE_MAX;
}

bool kelvin_advise_stuck(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    char step[KELVIN_OPTION];
    if (!follows_energy(f->run) || !(f->found->acceptance < 0.6)) return false;
    kelvin_step_option(step, f->run);
    snprintf(out, KELVIN_SENTENCES, "%.1f %% of the proposals were accepted, fewer than 60 %%: make %s smaller.",
             100 * f->found->acceptance, step);
    return true;
}

bool kelvin_advise_timid(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    char step[KELVIN_OPTION];
    if (!follows_energy(f->run) || !(f->found->acceptance > 0.99)) return false;
    kelvin_step_option(step, f->run);
    snprintf(out, KELVIN_SENTENCES,
             "%.1f %% of the proposals were accepted, more than 99 %%: a larger %s would explore more for the same "
             "work.",
             100 * f->found->acceptance, step);
    return true;
}

/* ---- samplers whose every iteration is a draw ---- */

bool kelvin_advise_unmixed(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (f->run->sampler->batches || !(f->found->predictions.rank_rhat_max > 1.01)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The chains, or their halves, disagree about the predictions (rank-normalised R-hat up to %.3f; 1.01 is "
             "fine): run them longer, with more --iterations.",
             f->found->predictions.rank_rhat_max);
    return true;
}

bool kelvin_advise_few_effective(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const double ess = fmin(p->ess_bulk_min, p->ess_tail_min), enough = 100.0 * (double)p->chains;
    const bool untold = isnan(ess) && !isnan(p->rank_rhat_max); /* too few to tell */
    if (f->run->sampler->batches || (!(ess < enough) && !untold)) return false;
    char found[32] = "too few to tell how many";
    if (!isnan(ess)) snprintf(found, sizeof found, "%.0f of %.0f", ess, enough);
    snprintf(out, KELVIN_SENTENCES,
             "Fewer than 100 effective draws per chain in function space (%s): means are rough, and tails more so.",
             found);
    return true;
}

bool kelvin_advise_few_chains(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const size_t chains = f->found->predictions.chains;
    if (f->run->sampler->batches || chains < 2 || chains > 3) return false;
    snprintf(out, KELVIN_SENTENCES,
             "With fewer than four chains R-hat can miss a mode that no chain has found: use --chains 4 or more.");
    return true;
}

/* Unless nobody has looked. */
bool kelvin_advise_few_draws(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    if (f->run->sampler->batches || p->chains == 0 || !isnan(p->rank_rhat_max)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "R-hat and effective sample sizes need at least four draws after the warm-up, and draws that move.");
    return true;
}
