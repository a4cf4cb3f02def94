/* What to know of the numbers of a run where nothing is wrong. */
#include "posterior/advice.h"

#include <stdio.h>

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
    if (!f->run->sampler->batches || f->found->predictions.draws != 1 || f->run->config.chains == 1) return false;
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

/* Units of a layer can change places, and signs, and the network is the same function. Not where the advice says that
 * predictions do not agree. */
static bool is_symmetric(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_diagnosis *d = f->found;
    if (!(d->parameters.rhat_mean > 1.1 && d->predictions.rhat_mean <= 1.1)) return false;
    if (kelvin_advise_unmixed(out, f)) return false;
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
    if (f->samples > 8) return false;
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

static bool has_lost_training(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    if (!f->no_training) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The logits of the training data are not in the folder any more: nothing is told of them.");
    return true;
}

static kelvin_adviser *const notes[] = {has_lost_histories, has_lost_training, is_trained,
                                        has_one_draw,       has_few_draws,     is_symmetric,
                                        has_lost_samples,   has_stopped_early, has_few_samples};
_Static_assert(sizeof notes / sizeof *notes <= KELVIN_ADVICE, "all of them fit");

size_t kelvin_annotate(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) n += notes[i](out[n], f);
    return n;
}
