/* What to know of the numbers of a run where nothing is wrong. */
#include "base/words.h"
#include "posterior/advice.h"

static void note_files(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    if (f->n_lost > 0) {
        char *text = kelvin_advice_new(out, KELVIN_HISTORY_LOST);
        kelvin_say(text, KELVIN_SAID ".", f->lost);
        if (f->n_lost > 1)
            kelvin_say(text, " %zu more chain%s no whole history either.", f->n_lost - 1,
                       f->n_lost == 2 ? " has" : "s have");
    }
    if (f->no_training)
        kelvin_say(kelvin_advice_new(out, KELVIN_TRAINING_LOGITS_MISSING),
                   "The logits of the training data are not in the folder any more: nothing is told of them.");
}

/* Where someone has looked. */
static void note_comparison(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const struct kelvin_quality *q = &f->found->quality;
    if (q->n > 0 && f->found->side == KELVIN_TRAIN)
        kelvin_say(kelvin_advice_new(out, KELVIN_NO_TEST_PART),
                   "There are no test rows to judge by: what is said of predictions is of the rows that they were "
                   "fitted to.");
}

static void note_draws(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const size_t draws = f->found->predictions.draws;
    if (f->run->config.temperature == 0)
        kelvin_say(kelvin_advice_new(out, KELVIN_TRAINED_NOT_SAMPLED),
                   "At temperature 0 chains are trained, not sampled: each ends in an optimum of its own, and R-hat "
                   "and effective sample sizes say nothing of a posterior.");
    if (f->run->sampler->batches && draws == 1 && f->run->config.chains != 1)
        kelvin_say(
            kelvin_advice_new(out, KELVIN_ONE_SAMPLE_PER_CHAIN),
            "With one sample per chain, as in the paper, R-hat and effective sample sizes are not defined: the "
            "agreement of the chains is what there is. For R-hat use " KELVIN_REFER(
                SETTING, "schedule=cyclical") " and several " KELVIN_REFER(FIELD,
                                                                           "samples") " "
                                                                                      "for each of the " KELVIN_REFER(
                                                                                          FIELD, "chains") ".");
    if (draws > 1 && draws < 10)
        kelvin_say(kelvin_advice_new(out, KELVIN_SAMPLES_PER_CHAIN_FEW),
                   "%s at least %s samples per chain; here are %zu.",
                   draws < 4 ? "The rank-normalised R-hat needs" : "Effective sample sizes need",
                   draws < 4 ? "four" : "ten", draws);
}

/* By every R-hat that is known. Of few draws the rank-normalised one is large by chance, since it takes halves of them:
 * of three chains with four independent draws each its median is 1.14. That is no reason for advice, but such
 * predictions cannot be said to agree. */
static bool predictions_agree(const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    return p->rhat_mean <= kelvin_apart && p->rhat_max <= kelvin_apart && !(p->rank_rhat_median > kelvin_apart) &&
           !(p->rank_rhat_max > kelvin_apart) && !kelvin_chains_unmixed(f);
}

static void note_numbers(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_convergence *parameters = &f->found->parameters, *predictions = &f->found->predictions;
    /* Units of a layer can change places, and signs, and the network is the same function. */
    if (parameters->rhat_mean > kelvin_apart && predictions_agree(f))
        kelvin_say(kelvin_advice_new(out, KELVIN_PARAMETERS_DIFFER),
                   "The parameters have an R-hat of %.2f while predictions agree. This is expected of networks, whose "
                   "units can change places without changing the function: it is the predictions that count.",
                   parameters->rhat_mean);
    if (parameters->quantities == 0 && predictions->quantities > 0)
        kelvin_say(kelvin_advice_new(out, KELVIN_SAMPLE_FILES_MISSING),
                   "Files of samples are not in the folder any more: nothing is told of the parameters.");
    if (predictions->chains * predictions->draws != f->samples && predictions->draws > 1)
        kelvin_say(kelvin_advice_new(out, KELVIN_CHAINS_UNEQUAL),
                   "R-hat and effective sample sizes are of the %zu chain%s with %zu samples; the others have fewer.",
                   predictions->chains, predictions->chains == 1 ? "" : "s", predictions->draws);
    if (f->samples <= 8)
        kelvin_say(kelvin_advice_new(out, KELVIN_NO_ERROR_BARS),
                   "Error bars of ensembles need more than 8 samples; here %s %zu.", f->samples == 1 ? "is" : "are",
                   f->samples);
}

void kelvin_annotate(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    out->n = 0;
    note_files(out, f);
    note_comparison(out, f);
    note_draws(out, f);
    note_numbers(out, f);
}
