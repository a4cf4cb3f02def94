/* Whether anything was learnt. Of the training data a sample could tell log K nats by observation, K classes: guessing
 * has a mean log-likelihood of -log K, and knowing has 0. Where less than a tenth of that is told, by predictions that
 * are not sure of anything either, the posterior is hardly more than its prior. A sample that is sure and wrong has a
 * log-likelihood as bad, but has learnt something: that it is not sure is asked for as well. And some data have little
 * to tell, as where most rows are of one class: who predicts as well as a linear model, and better than class
 * frequencies, has learnt what there is. */
#include "base/words.h"
#include "data/dataset.h"
#include "posterior/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double told_at_least = 0.1, sure_at_least = 1.0 / 3; /* of the way from guessing to certainty */

static double chance(const struct kelvin_facts *f)
{
    return 1 / (double)f->run->data->classes;
}

/* What guessing by class frequencies has: a log-likelihood, and a confidence; where they are not known, those of
 * classes that are equally frequent. */
static double guessed_log_p(const struct kelvin_facts *f)
{
    const double known = f->found->training.baseline[KELVIN_FREQUENCIES];
    return isnan(known) ? log(chance(f)) : known;
}

static double guessed_share(const struct kelvin_facts *f)
{
    const double known = f->found->training.majority;
    return isnan(known) ? chance(f) : known;
}

static bool knows_as_much(const struct kelvin_facts *f)
{
    const double unnoticed = 0.03; /* nats by observation */
    const kelvin_average *beyond = f->found->quality.beyond;
    return beyond[KELVIN_LINEAR].mean > -unnoticed && beyond[KELVIN_FREQUENCIES].mean > 0;
}

/* Half again as often right as by chance, but of few classes not more than a tenth of the way to always. */
static bool is_wrong(const struct kelvin_facts *f)
{
    const double p = chance(f);
    return !knows_as_much(f) && f->found->training_accuracy < fmin(1.5 * p, p + (1 - p) / 10);
}

static bool is_flat(const struct kelvin_facts *f)
{
    const double told = 1 - f->found->training_log_likelihood / guessed_log_p(f);
    const double sure = (f->found->training_confidence - guessed_share(f)) / (1 - guessed_share(f));
    return !knows_as_much(f) && told < told_at_least && sure < sure_at_least;
}

/* Guessing disagrees at 1 - 1/K of the observations; half of that is no agreement. Of chains that are apart it has been
 * said already; and where all of them together tell more than class frequencies do, it is what a posterior is to be
 * averaged for. */
static bool is_scattered(const struct kelvin_facts *f)
{
    const kelvin_average *beyond = &f->found->quality.beyond[KELVIN_FREQUENCIES];
    if (kelvin_chains_apart(f) || beyond->mean > 2 * beyond->error) return false;
    return f->found->agreement.disagreement_mean > (1 - chance(f)) / 2;
}

/* ---- sentences ---- */

static void describe(char *text, const struct kelvin_facts *f)
{
    const kelvin_diagnosis *d = f->found;
    if (is_wrong(f))
        kelvin_say(text,
                   "Single samples are hardly better than chance on their own training data: %.1f %% are right "
                   "(chance: %.1f %%). ",
                   100 * d->training_accuracy, 100 * chance(f));
    else if (is_flat(f))
        kelvin_say(text,
                   "The posterior has learnt next to nothing: on their own training data single samples have a mean "
                   "log-likelihood of %.3f (guessing: %.3f) and a confidence of %.1f %% (guessing: %.1f %%). ",
                   d->training_log_likelihood, guessed_log_p(f), 100 * d->training_confidence, 100 * guessed_share(f));
    if (is_scattered(f))
        kelvin_say(text,
                   "The chains hardly agree: two of them have another most likely class at %.1f %% of the "
                   "observations, on average; guessing would have %.1f %%. ",
                   100 * d->agreement.disagreement_mean, 100 * (1 - chance(f)));
}

bool kelvin_advise_on_learning(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    if (!is_wrong(f) && !is_flat(f) && !is_scattered(f)) return true;
    char *text = kelvin_advice_new(out, is_wrong(f) || is_flat(f) ? KELVIN_NOTHING_LEARNT : KELVIN_CHAINS_SCATTERED);
    describe(text, f);
    kelvin_say_what_helps(text, f);
    return !is_wrong(f) && !is_flat(f);
}
