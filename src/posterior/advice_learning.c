/* Whether anything was learnt. Of the training data a sample could tell log K nats by observation, K classes: guessing
 * has a mean log-likelihood of -log K, and knowing has 0. Where less than a tenth of that is told, by predictions that
 * are not sure of anything either, the posterior is hardly more than its prior. A sample that is sure and wrong has a
 * log-likelihood as bad, but has learnt something: that it is not sure is asked for as well. */
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

/* Half again as often right as by chance, but of few classes not more than a tenth of the way to always. */
static bool is_wrong(const struct kelvin_facts *f)
{
    const double p = chance(f);
    return f->found->training_accuracy < fmin(1.5 * p, p + (1 - p) / 10);
}

static bool is_flat(const struct kelvin_facts *f)
{
    const double told = 1 - f->found->training_log_likelihood / log(chance(f));
    const double sure = (f->found->training_confidence - chance(f)) / (1 - chance(f));
    return told < told_at_least && sure < sure_at_least;
}

/* Guessing disagrees at 1 - 1/K of the observations; half of that is no agreement. Of chains that are
 * apart it has been said already. */
static bool is_scattered(const struct kelvin_facts *f)
{
    return f->found->agreement.disagreement_mean > (1 - chance(f)) / 2 && !kelvin_chains_apart(f);
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
                   d->training_log_likelihood, log(chance(f)), 100 * d->training_confidence, 100 * chance(f));
    if (is_scattered(f))
        kelvin_say(text,
                   "The chains hardly agree: two of them have another most likely class at %.1f %% of the "
                   "observations, on average; guessing would have %.1f %%. ",
                   100 * d->agreement.disagreement_mean, 100 * (1 - chance(f)));
}

static void say_what_helps(char *text, const struct kelvin_facts *f, bool others)
{
    static const char name[] = "normal:";
    const char *prior = f->run->config.prior;
    const bool narrow = strncmp(prior, name, strlen(name)) == 0 && strtod(prior + strlen(name), NULL) < 1;
    const bool widens = strcmp(prior, "none") != 0, batches = f->run->sampler->batches;
    if (widens)
        kelvin_say(text, "%s a wider prior" KELVIN_SAID " (%.60s is strong if %zu observations are few for this model)",
                   others ? "If the above does not help, try" : "Try",
                   narrow ? ", " KELVIN_REFER(SETTING, "prior=normal:1") : "", prior, f->run->data->train.n);
    /* Steps on batches are often far too small; with all data, what a step can be is known from how it went. */
    if (!others)
        kelvin_say(text, "%s more " KELVIN_FIELD,
                   !widens   ? "Try"
                   : batches ? ","
                             : ", or",
                   kelvin_rows_field(f->run).name);
    if (!others && batches) kelvin_say(text, ", or a larger " KELVIN_FIELD, kelvin_run_step_setting(f->run));
    const bool said = widens || !others;
    if (is_wrong(f))
        kelvin_say(text, "%s it is the " KELVIN_REFER(FIELD, "density") " that leads away from the labels",
                   said ? "; or" : "Perhaps");
    if (said || is_wrong(f)) kelvin_say(text, ".");
}

void kelvin_advise_on_learning(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const bool others = out->n > 0;
    if (!is_wrong(f) && !is_flat(f) && !is_scattered(f)) return;
    char *text = kelvin_advice_new(out, is_wrong(f) || is_flat(f) ? KELVIN_NOTHING_LEARNT : KELVIN_CHAINS_SCATTERED);
    describe(text, f);
    say_what_helps(text, f, others);
}
