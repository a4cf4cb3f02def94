/* Which prior predicts rows that were held out best, at the largest learning rate at which chains are still at their
 * temperature. Candidates that are clearly worse on the first rows that were held out are given up there. */
#include "run/choose.h"

#include <math.h>

/* A thermometer may be too high by so much, and no more: in short runs, and in the last one, which tells more. */
static const double close = 0.05, closer = 0.04;

/* Learning rates are halved so often at most: 0.1 becomes 1e-4. */
enum { HALVINGS = 10 };

struct state {
    const struct kelvin_search *search;
    struct kelvin_found *found;
    struct kelvin_fold fold;
    size_t first, held; /* of all held-out rows, where those of this fold begin; and how many there were up to now */
    double lr[KELVIN_CANDIDATES], configurational[KELVIN_CANDIDATES];
    double *log_p[KELVIN_CANDIDATES]; /* (training rows): of each row that was held out */
    double *weight;
    bool open[KELVIN_CANDIDATES]; /* not given up */
    uint32_t epochs;              /* of short runs */
    double too_high[KELVIN_CANDIDATES];
    char density[KELVIN_CANDIDATES][KELVIN_PLAN_TEXT], prior[KELVIN_CANDIDATES][KELVIN_PLAN_TEXT];
};

/* As many draws as there are epochs for after a chain has settled, if those that were planned are more. */
static kelvin_status fit_samples(kelvin_run_config *c)
{
    const kelvin_schedule *schedule;
    KELVIN_TRY(kelvin_schedule_parse(&schedule, c->schedule));
    const uint32_t room = c->epochs - kelvin_schedule_settling(schedule, c->epochs);
    if (c->samples > c->chains * room) c->samples = c->chains * room;
    return KELVIN_OK;
}

static kelvin_status set_trial(struct kelvin_trial *trial, const struct state *s, size_t i)
{
    const kelvin_run_config *c = &s->search->config;
    *trial = (struct kelvin_trial){.config = *c, .fold = &s->fold, .log_p = s->log_p[i] + s->first};
    trial->config.data = s->fold.data.name;
    trial->config.setting[0] = s->lr[i];
    trial->config.epochs = s->epochs;
    if (trial->config.batch > s->fold.data.train.n) trial->config.batch = (uint32_t)s->fold.data.train.n;
    if (*s->density[i]) trial->config.density = s->density[i];
    if (*s->prior[i]) trial->config.prior = s->prior[i];
    return fit_samples(&trial->config);
}

/* Steps that are too large make both temperatures too high, by as much, and half the learning rate by half of it. That
 * of parameters is off as well, and by more, while they have not settled, which is no fault of the learning rate: that
 * of momenta decides. Where they are heated by parameters on their way smaller steps are no cure: they make it longer.
 * `too_high` is what was found at twice the rate, and then what was now. */
static bool is_small_enough(const struct kelvin_trial *trial, double within, double *too_high)
{
    const double cure = 0.9, before = *too_high;
    *too_high = trial->diverged ? INFINITY : trial->kinetic - 1;
    return *too_high <= within || (isfinite(*too_high) && *too_high > cure * before);
}

/* One round over the candidates that are still looked for a learning rate for; true in `again` of those that are not
 * at their temperature. */
static kelvin_status one_round(struct state *s, bool again[KELVIN_CANDIDATES], bool halve)
{
    struct kelvin_trial trials[KELVIN_CANDIDATES];
    size_t which[KELVIN_CANDIDATES], n = 0;
    for (size_t i = 0; i < s->search->plan->candidates; i++)
        if (again[i]) {
            KELVIN_TRY(set_trial(&trials[n], s, i));
            which[n++] = i;
        }
    KELVIN_TRY(kelvin_trials_run(trials, n, s->search->threads, s->search->tell, s->search->context));
    for (size_t k = 0; k < n; k++) {
        const size_t i = which[k];
        s->configurational[i] = trials[k].diverged ? NAN : trials[k].configurational;
        again[i] = halve && !is_small_enough(&trials[k], close, &s->too_high[i]);
        if (again[i]) s->lr[i] /= 2;
        if (!halve && trials[k].diverged) s->open[i] = false;
    }
    return KELVIN_OK;
}

static bool any(const bool *flags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (flags[i]) return true;
    return false;
}

static kelvin_status rounds(struct state *s, bool again[KELVIN_CANDIDATES], bool halve)
{
    for (size_t i = 0; i < KELVIN_CANDIDATES; i++) s->too_high[i] = INFINITY;
    for (int round = 0; any(again, s->search->plan->candidates); round++)
        KELVIN_TRY(one_round(s, again, halve && round < HALVINGS));
    return KELVIN_OK;
}

/* Where to begin: momenta are at their temperature long before parameters are, so that runs of a quarter will do for
 * the first candidate; narrower priors may allow for larger steps. */
static kelvin_status first_rates(struct state *s)
{
    enum { SHORTER = 4, STEPS = 200 };
    const struct kelvin_plan *plan = s->search->plan;
    const size_t steps = s->fold.data.train.n / s->search->config.batch; /* of an epoch */
    const uint32_t epochs = s->search->config.epochs, fewest = (uint32_t)(STEPS / (steps ? steps : 1)) + 1;
    bool again[KELVIN_CANDIDATES] = {true};
    s->epochs = epochs / SHORTER > fewest ? epochs / SHORTER : fewest < epochs ? fewest : epochs;
    KELVIN_TRY(rounds(s, again, true));
    s->epochs = epochs;
    s->open[0] = true;
    for (size_t i = 1; i < plan->candidates; i++)
        s->lr[i] = plan->candidate[i].scale < plan->candidate[0].scale ? 2 * s->lr[0] : s->lr[0];
    return KELVIN_OK;
}

/* The first fold finds learning rates, too. */
static kelvin_status try_fold(struct state *s, bool first)
{
    const bool halve = first && !s->search->lr_is_said;
    bool again[KELVIN_CANDIDATES];
    if (halve) KELVIN_TRY(first_rates(s));
    memcpy(again, s->open, sizeof again);
    return rounds(s, again, halve);
}

static double mean_nll(const struct state *s, size_t i)
{
    double sum = 0, total = 0;
    for (size_t r = 0; r < s->held; r++) {
        sum -= s->weight[r] * s->log_p[i][r];
        total += s->weight[r];
    }
    return sum / total;
}

/* The standard error of the difference between two candidates, row by row. */
static double difference_error(const struct state *s, size_t a, size_t b)
{
    double mean = 0, squares = 0;
    const double n = (double)s->held;
    for (size_t r = 0; r < s->held; r++) mean += (s->log_p[a][r] - s->log_p[b][r]) / n;
    for (size_t r = 0; r < s->held; r++) squares += pow(s->log_p[a][r] - s->log_p[b][r] - mean, 2);
    return n > 1 ? sqrt(squares / (n - 1) / n) : (double)INFINITY;
}

/* Where nothing predicts, the first candidate is what is left; and where others are better by no more than chance. */
static void rank(struct state *s)
{
    const size_t n = s->search->plan->candidates;
    struct kelvin_found *found = s->found;
    const double chance = 1; /* standard errors */
    double best = INFINITY;
    for (size_t i = 0; i < n; i++) {
        found->nll[i] = s->open[i] ? mean_nll(s, i) : (double)NAN;
        if (found->nll[i] < best) {
            best = found->nll[i];
            found->best = i;
        }
    }
    if (s->open[0] && found->nll[0] - best < chance * difference_error(s, 0, found->best)) found->best = 0;
    found->lr = s->lr[found->best];
    found->configurational = s->configurational[found->best];
    found->held = s->held;
}

/* Only what is far behind: of few rows the cautious ones are a little worse, and right. */
static void give_up(struct state *s)
{
    const double errors = 2, far = 0.05;
    const size_t best = s->found->best;
    for (size_t i = 0; i < s->search->plan->candidates; i++) {
        const double behind = s->found->nll[i] - s->found->nll[best];
        if (s->open[i] && behind > far && behind > errors * difference_error(s, i, best)) s->open[i] = false;
    }
}

static kelvin_status hold_out(struct state *s, size_t fold)
{
    KELVIN_TRY(kelvin_fold_create(&s->fold, s->search->data, fold, s->search->config.seed));
    s->first = s->held;
    s->held += s->fold.held;
    for (size_t r = 0; r < s->fold.held; r++) s->weight[s->first + r] = s->fold.weight ? (double)s->fold.weight[r] : 1;
    const kelvin_status status = try_fold(s, fold == 0);
    if (!status) rank(s);
    if (!status && fold == 0) give_up(s);
    kelvin_fold_free(&s->fold);
    return status;
}

/* The rate of the best is looked at once more, in a longer run on all rows: short ones may not have come to where steps
 * are too large. What they lack of their temperature tells how long the run itself must be. */
static kelvin_status settle(struct state *s)
{
    enum { LONGER = 2 };
    const size_t best = s->found->best;
    const bool halve = !s->search->lr_is_said;
    struct kelvin_trial trial;
    double too_high = INFINITY;
    KELVIN_TRY(kelvin_fold_create(&s->fold, s->search->data, KELVIN_NO_FOLD, s->search->config.seed));
    s->epochs = LONGER * s->search->config.epochs;
    kelvin_status status = KELVIN_OK;
    for (int round = 0; !status && round <= HALVINGS; round++) {
        status = set_trial(&trial, s, best);
        trial.log_p = NULL;
        if (!status) status = kelvin_trials_run(&trial, 1, s->search->threads, s->search->tell, s->search->context);
        if (status || !halve || is_small_enough(&trial, closer, &too_high)) break;
        s->lr[best] /= 2;
    }
    kelvin_fold_free(&s->fold);
    if (status) return status;
    s->found->lr = s->lr[best];
    s->found->configurational = trial.diverged ? (double)NAN : trial.configurational;
    s->found->epochs = s->epochs;
    return KELVIN_OK;
}

static kelvin_status search(struct state *s)
{
    const struct kelvin_plan *plan = s->search->plan;
    const size_t n = KELVIN_DEALS * s->search->data->train.n;
    if (!(s->weight = kelvin_alloc(n, sizeof *s->weight))) return KELVIN_ENOMEM;
    s->epochs = s->search->config.epochs;
    for (size_t i = 0; i < plan->candidates; i++) {
        const struct kelvin_candidate *c = &plan->candidate[i];
        s->open[i] = true;
        s->lr[i] = s->search->lr_is_said ? s->search->config.setting[0] : plan->lr;
        if (!(s->log_p[i] = kelvin_alloc(n, sizeof *s->log_p[i]))) return KELVIN_ENOMEM;
        kelvin_candidate_texts(s->density[i], s->prior[i], c);
    }
    const size_t folds = plan->candidates > 1 ? plan->folds : 1; /* one finds the learning rate */
    for (size_t fold = 0; fold < folds; fold++) KELVIN_TRY(hold_out(s, fold));
    return settle(s);
}

kelvin_status kelvin_search_run(struct kelvin_found *found, const struct kelvin_search *what)
{
    struct state *s = kelvin_alloc(1, sizeof *s);
    if (!s) return KELVIN_ENOMEM;
    *found = (struct kelvin_found){0};
    *s = (struct state){.search = what, .found = found};
    const kelvin_status status = search(s);
    for (size_t i = 0; i < KELVIN_CANDIDATES; i++) kelvin_free(s->log_p[i]);
    kelvin_free(s->weight);
    kelvin_free(s);
    return status;
}
