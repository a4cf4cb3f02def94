/* Whether predictions are worth having: beside a linear model and class frequencies, by their confidence, and chain by
 * chain. What is a matter of chance with so few rows is not held against a run: limits are so many standard errors, and
 * a difference that nobody would notice besides. */
#include "base/words.h"
#include "data/dataset.h"
#include "posterior/advice.h"
#include "posterior/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double errors = 2.5, many_errors = 3; /* standard errors: of a difference between models; of calibration */

/* In nats by row: less is not noticed, more is a failure. On rows that a posterior has been fitted to it may be less
 * sure than a model that is fitted alone, so that more is allowed there. And shares of rows, for confidence. */
static const double noticed = 0.03, grave = 0.1;
static const double off = 0.05, far_off = 0.15;

static bool on_test(const struct kelvin_facts *f)
{
    return f->found->side == KELVIN_TEST;
}

static const char *rows_of(const struct kelvin_facts *f)
{
    return on_test(f) ? "test" : "training";
}

/* ---- chains ---- */

enum { MOST_NAMED = 12 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* What the better half of the chains is like: its median, and how far its own are apart. Changes the list. */
static void better_half(double *middle, double *apart, double *x, size_t n)
{
    const size_t half = (n + 1) / 2;
    qsort(x, n, sizeof *x, compare);
    *middle = half % 2 ? x[half / 2] : (x[half / 2 - 1] + x[half / 2]) / 2;
    *apart = x[0] - x[half - 1];
}

struct usual {
    double log_likelihood, least; /* of the better half; what others must have at least */
    double accuracy, fewest;
};

/* A chain stands out if it tells a quarter less of the training data than the better half of the chains does, more than
 * class frequencies do, and lies far outside of that half. */
static struct usual usual_of(const struct kelvin_quality *t, double *scratch)
{
    enum { FAR = 3 };
    struct usual u;
    double apart;
    for (size_t c = 0; c < t->chains; c++) scratch[c] = t->chain[c].log_likelihood;
    better_half(&u.log_likelihood, &apart, scratch, t->chains);
    const double told = u.log_likelihood - t->baseline[KELVIN_FREQUENCIES];
    u.least = u.log_likelihood - fmax(fmax(FAR * apart, told / 4), 0.1);
    for (size_t c = 0; c < t->chains; c++) scratch[c] = t->chain[c].accuracy;
    better_half(&u.accuracy, &apart, scratch, t->chains);
    u.fewest = u.accuracy - fmax(fmax(FAR * apart, (u.accuracy - t->majority) / 4), 0.05);
    return u;
}

static bool stands_out(const struct kelvin_chain_score *chain, const struct usual *u)
{
    return chain->log_likelihood < u->least && chain->accuracy < u->fewest;
}

/* How many do, and what they are like on average. */
static size_t find_standing_out(struct kelvin_chain_score *mean, struct usual *u, const struct kelvin_facts *f)
{
    const struct kelvin_quality *t = &f->found->training;
    enum { MOST = 4096 };
    double scratch[MOST];
    *mean = (struct kelvin_chain_score){0};
    if (t->chains < 2 || t->chains > MOST || isnan(t->baseline[KELVIN_FREQUENCIES])) return 0;
    *u = usual_of(t, scratch);
    for (size_t c = 0; c < t->chains; c++) {
        if (!stands_out(&t->chain[c], u)) continue;
        mean->n++;
        mean->accuracy += t->chain[c].accuracy;
        mean->log_likelihood += t->chain[c].log_likelihood;
    }
    mean->accuracy /= (double)mean->n;
    mean->log_likelihood /= (double)mean->n;
    return mean->n;
}

/* Of batches another prior needs steps of another size, too. */
static const char *with_steps(const struct kelvin_facts *f)
{
    return f->run->sampler->batches ? " and " KELVIN_REFER(SETTING, "lr=auto") : "";
}

static void advise_on_chains(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const struct kelvin_quality *t = &f->found->training;
    struct kelvin_chain_score mean;
    struct usual u;
    const size_t n = find_standing_out(&mean, &u, f);
    if (n == 0) return;
    char *text = kelvin_advice_new(out, KELVIN_CHAINS_STAND_OUT);
    if (4 * n >= t->chains) kelvin_advice_grade(out, KELVIN_FAILED);
    kelvin_say(text, n == 1 ? "Chain" : "Chains");
    for (size_t c = 0, named = 0; c < t->chains && named < MOST_NAMED; c++)
        if (stands_out(&t->chain[c], &u)) kelvin_say(text, "%s %" PRIu32, named++ ? "," : "", t->chain[c].number);
    if (n > MOST_NAMED) kelvin_say(text, " and %zu more", n - MOST_NAMED);
    kelvin_say(
        text,
        " of %zu stand%s out: on training data %.1f %% of what %s samples say is right, with a log-likelihood of "
        "%.3f, where the better half has %.1f %% and %.3f.",
        t->chains, n == 1 ? "s" : "", 100 * mean.accuracy, n == 1 ? "its" : "their", mean.log_likelihood,
        100 * u.accuracy, u.log_likelihood);
    kelvin_say(text,
               " %s stuck, and in every answer. Try another " KELVIN_REFER(FIELD, "seed") ", or " KELVIN_REFER(
                   SETTING, "prior=auto") KELVIN_SAID ".",
               n == 1 ? "It is" : "They are", with_steps(f));
}

/* ---- causes, and what helps ---- */

/* Neither can a linear model tell more than class frequencies. */
static bool is_hopeless(const struct kelvin_facts *f)
{
    const struct kelvin_quality *t = &f->found->training;
    return t->baseline[KELVIN_LINEAR] < t->baseline[KELVIN_FREQUENCIES] + noticed;
}

static void blame_prior(char *text, const struct kelvin_facts *f)
{
    kelvin_say(text,
               "It is most likely the prior, %.60s, that is too narrow for this model and %zu rows: use " KELVIN_REFER(
                   SETTING, "prior=auto") KELVIN_SAID ".",
               f->run->config.prior, f->run->data->train.n, with_steps(f));
}

void kelvin_say_what_helps(char *text, const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    struct kelvin_chain_score mean;
    struct usual u;
    if (*text && text[strlen(text) - 1] != ' ') kelvin_say(text, " ");
    if (find_standing_out(&mean, &u, f) > 0) {
        kelvin_say(text, "It may be what stands out among the chains.");
    } else if (kelvin_is_unsettled(f)) {
        kelvin_say(text, "Chains that have not settled may be the reason: ");
        kelvin_say_how_to_settle(text, f);
        kelvin_say(text, ".");
    } else if (strcmp(c->density, "categorical") != 0 || c->temperature != 1)
        kelvin_say(text,
                   "It may be the " KELVIN_REFER(FIELD, "density") " (%.60s) or the " KELVIN_REFER(
                       FIELD, "temperature") " (%g) that leads away from the labels; "
                                             "try " KELVIN_REFER(SETTING, "density=categorical") " at 1.",
                   c->density, c->temperature);
    else if (is_hopeless(f))
        kelvin_say(text, "Nor does a linear model tell more than class frequencies: perhaps there is nothing to learn "
                         "from these inputs.");
    else if (!(f->found->training.log_likelihood > f->found->training.baseline[KELVIN_LINEAR] - grave) &&
             strcmp(c->prior, "none") != 0)
        blame_prior(text, f);
    else
        kelvin_say(text, "Have the network and its prior chosen from the data: " KELVIN_REFER(
                             SETTING, "model=auto") ", " KELVIN_REFER(SETTING, "prior=auto") ".");
}

/* ---- beside the baselines ---- */

static double unnoticed(const struct kelvin_facts *f)
{
    return on_test(f) ? noticed : grave;
}

/* By more than chance. */
static bool is_worse(const struct kelvin_facts *f, kelvin_baseline_kind kind)
{
    const kelvin_average *beyond = &f->found->quality.beyond[kind];
    return beyond->mean < -unnoticed(f) && beyond->mean < -errors * beyond->error;
}

static bool is_better(const struct kelvin_facts *f, kelvin_baseline_kind kind)
{
    const kelvin_average *beyond = &f->found->quality.beyond[kind];
    return beyond->mean > errors * beyond->error || (beyond->mean > noticed && beyond->mean > beyond->error);
}

static void say_difference(char *text, const struct kelvin_facts *f, kelvin_baseline_kind kind)
{
    const struct kelvin_quality *q = &f->found->quality;
    kelvin_say(text,
               ": log-likelihoods of %zu %s row%s are %.3f on average, and %.3f here, a difference of %.3f +- %.3f.",
               q->n, rows_of(f), q->n == 1 ? "" : "s", q->baseline[kind], q->log_likelihood, q->beyond[kind].mean,
               q->beyond[kind].error);
}

/* Whether there was something to say. */
static bool advise_on_baselines(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    char *text;
    if (f->found->quality.n > 0 && isnan(f->found->quality.beyond[KELVIN_LINEAR].mean)) {
        kelvin_say(kelvin_advice_new(out, KELVIN_NO_BASELINES),
                   "There is no linear model to compare with: the folder has none, and the data are gone.");
        return false;
    }
    if (is_worse(f, KELVIN_LINEAR)) {
        text = kelvin_advice_new(out, KELVIN_WORSE_THAN_LINEAR);
        if (f->found->quality.beyond[KELVIN_LINEAR].mean > -grave) kelvin_advice_grade(out, KELVIN_CARE);
        kelvin_say(text, "A linear model that is fitted to the same rows predicts better");
        say_difference(text, f, KELVIN_LINEAR);
    } else if (is_worse(f, KELVIN_FREQUENCIES)) {
        text = kelvin_advice_new(out, KELVIN_WORSE_THAN_FREQUENCIES);
        kelvin_say(text, "Class frequencies, without a look at the inputs, predict better");
        say_difference(text, f, KELVIN_FREQUENCIES);
    } else if (f->found->quality.n > 0 && !isnan(f->found->quality.beyond[KELVIN_FREQUENCIES].mean) &&
               !is_better(f, KELVIN_FREQUENCIES)) {
        text = kelvin_advice_new(out, KELVIN_NOT_BETTER_THAN_FREQUENCIES);
        kelvin_say(text, "It cannot be told from guessing by class frequencies");
        say_difference(text, f, KELVIN_FREQUENCIES);
        if (f->found->quality.n < 100) kelvin_say(text, " More rows to test with would tell.");
    } else {
        return false;
    }
    kelvin_say_what_helps(text, f);
    return true;
}

/* ---- confidence ---- */

/* A single mistake among few rows is no reason: one hit more or less is allowed. */
static bool is_off(const struct kelvin_facts *f, double limit)
{
    const struct kelvin_quality *q = &f->found->quality;
    if (q->n == 0) return false;
    const double slack = 1 / (double)q->n, gap = fabs(q->accuracy - q->confidence);
    const bool by_gap = gap > limit && gap > many_errors * q->gap_by_chance + slack;
    const bool by_bins = q->ece > limit && q->ece > q->ece_by_chance + many_errors * q->ece_error + slack;
    return by_gap || by_bins;
}

/* On training rows small gaps are usual: doubt about new rows shows in them, too. helped: what helps has been said. */
static void advise_on_confidence(struct kelvin_advice_list *out, const struct kelvin_facts *f, bool helped)
{
    const struct kelvin_quality *q = &f->found->quality;
    const double gap = q->confidence - q->accuracy;
    if (!is_off(f, on_test(f) ? off : far_off)) return;
    char *text = kelvin_advice_new(out, KELVIN_CONFIDENCE_OFF);
    if (is_off(f, far_off)) kelvin_advice_grade(out, KELVIN_FAILED);
    kelvin_say(text,
               "Predictions are %s: of %zu %s rows %.1f %% are right, and the mean confidence is %.1f %% (calibration "
               "error %.1f %%; chance alone would make %.1f %%).",
               fabs(gap) < off ? "not calibrated"
               : gap < 0       ? "far less sure than they could be"
                               : "surer than they are right",
               q->n, rows_of(f), 100 * q->accuracy, 100 * q->confidence, 100 * q->ece, 100 * q->ece_by_chance);
    if (!helped) kelvin_say_what_helps(text, f);
}

/* ---- samples ---- */

enum { ENOUGH_SAMPLES = 8 };

static void advise_on_number(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    if (f->samples == 0 || f->samples >= ENOUGH_SAMPLES) return;
    kelvin_say(kelvin_advice_new(out, KELVIN_SAMPLES_FEW),
               "%zu sample%s few for an ensemble: use " KELVIN_REFER(SETTING, "samples=%d") " or more, and more than "
                                                                                            "that for error bars.",
               f->samples, f->samples == 1 ? " is" : "s are", (int)ENOUGH_SAMPLES);
}

/* ---- all of it ---- */

void kelvin_advise_on_quality(struct kelvin_advice_list *out, const struct kelvin_facts *f, bool learnt)
{
    advise_on_chains(out, f);
    if (learnt) advise_on_confidence(out, f, advise_on_baselines(out, f));
    advise_on_number(out, f);
}
