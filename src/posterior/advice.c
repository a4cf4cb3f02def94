/* What is off with a run, and what to do about it: everything that can be off, the gravest first. Of things that follow
 * from each other the first alone is told: what helps against the others may be the opposite.
 *
 * Limits: R-hat 1.01 and 100 effective draws per chain as in Vehtari et al. (2021); an acceptance between 60 % and 99 %
 * is where a sampler is neither stuck nor wasting its steps. */
#include "posterior/advice.h"
#include "base/words.h"
#include "posterior/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        .energy_variance = NAN,
        .energy_variance_mean = NAN,
        .training_accuracy = NAN,
        .training_log_likelihood = NAN,
        .training_confidence = NAN,
        .quality = kelvin_quality_unknown(),
        .training = kelvin_quality_unknown(),
    };
}

char *kelvin_advice_new(struct kelvin_advice_list *advice, enum kelvin_advice_code code)
{
    if (advice->n < KELVIN_ADVICE) advice->n++;
    advice->code[advice->n - 1] = kelvin_advice_about(code)->code;
    advice->grade[advice->n - 1] = kelvin_advice_usual_grade(code);
    char *text = advice->raw[advice->n - 1];
    *text = '\0';
    return text;
}

void kelvin_advice_grade(struct kelvin_advice_list *advice, kelvin_grade grade)
{
    advice->grade[advice->n - 1] = grade;
}

void kelvin_say(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    kelvin_compose_list(text + used, KELVIN_RAW - used, format, list);
    va_end(list);
}

struct kelvin_rows_field kelvin_rows_field(const kelvin_run *run)
{
    struct kelvin_rows_field field;
    snprintf(field.name, sizeof field.name, "%ss", kelvin_run_row_name(run));
    return field;
}

/* ---- runs that have not ended ---- */

static void advise_on_end(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const uint32_t chains = f->run->config.chains, ended = chains - f->waiting;
    if (!f->partly) return;
    char *text = kelvin_advice_new(out, KELVIN_NOT_ENDED);
    if (f->waiting > 0)
        kelvin_say(text, "%" PRIu32 " of %" PRIu32 " chains %s ended, and all numbers are of %s", ended, chains,
                   ended == 1 ? "has" : "have", ended == 1 ? "it" : "these");
    else
        kelvin_say(text, "All chains have ended, but not all of the run was written");
    kelvin_say(text, ": " KELVIN_REFER(GO_ON, "%s") ".", f->run->folder);
}

/* ---- chains that diverged ---- */

/* "Chain 3", "Chains 1, 2, 7", and if they are many: "Chains 0, 1, ... and 14 more". */
static void advise_on_divergence(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    enum { MOST = 12 };
    const uint32_t n = f->found->diverged;
    const size_t kept = f->found->kept;
    char advice[KELVIN_NOTE];
    if (n == 0) return;
    char *text = kelvin_advice_new(out, KELVIN_CHAINS_DIVERGED);
    if (2 * n > f->run->config.chains) kelvin_advice_grade(out, KELVIN_FAILED);
    kelvin_say(text, n == 1 ? "Chain" : "Chains");
    for (uint32_t c = 0, named = 0; c < f->run->config.chains && named < MOST; c++)
        if (f->diverged[c]) kelvin_say(text, "%s %" PRIu32, named++ ? "," : "", c);
    if (n > MOST) kelvin_say(text, " and %" PRIu32 " more", n - MOST);
    kelvin_advise_stable(advice, f->run);
    if (kept > 0)
        kelvin_say(text, " diverged; of %s samples the %zu from before %s in the report: " KELVIN_SAID ".",
                   n == 1 ? "its" : "their", kept, kept == 1 ? "is" : "are", advice);
    else
        kelvin_say(text, " diverged, and %s left out of the report: " KELVIN_SAID ".", n == 1 ? "is" : "are", advice);
}

/* ---- samplers that accept or reject ---- */

/* Where chains diverged steps are too large, however many of the others' are accepted.
 * Those that follow an energy accept most of what they propose; a random walk at its best accepts a quarter (Roberts,
 * Gelman and Gilks, 1997), and is not far from it between a tenth and seven. */
static void advise_on_acceptance(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const double accepted = f->found->acceptance;
    if (!f->run->sampler->accepts) return;
    const bool follows = kelvin_run_find_column(f->run, "energy_error") != SIZE_MAX;
    const double least = follows ? 0.6 : 0.1, most = follows ? 0.99 : 0.7;
    const char *step = kelvin_run_step_setting(f->run);
    if (accepted < least)
        kelvin_say(kelvin_advice_new(out, KELVIN_ACCEPTANCE_LOW),
                   "%.1f %% of the proposals were accepted, fewer than %.0f %%: make " KELVIN_FIELD " smaller.",
                   100 * accepted, 100 * least, step);
    else if (accepted > most && f->found->diverged == 0)
        kelvin_say(kelvin_advice_new(out, KELVIN_ACCEPTANCE_HIGH),
                   "%.1f %% of the proposals were accepted, more than %.0f %%: a larger " KELVIN_FIELD
                   " would explore more for the "
                   "same work.",
                   100 * accepted, 100 * most, step);
}

/* ---- samplers that are tuned by the error of their energy ---- */

/* The error goes with the third power of the size of steps, so what is tenfold is of steps half again as large as they
 * should be, at least: where a few steps in stiff regions make most of the mean, medians of tuned chains are a tenth of
 * what was asked for, and less. Such steps come however long the warm-up was, so it is not the mean that tells. */
static bool is_coarse(const struct kelvin_facts *f)
{
    enum { FAR = 10 };
    return f->found->energy_variance > FAR * kelvin_run_number(f->run, "energy_variance");
}

static void advise_on_energy(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    if (!is_coarse(f)) return;
    const bool given = kelvin_run_step_is_given(f->run);
    kelvin_say(kelvin_advice_new(out, KELVIN_ENERGY_VARIANCE_HIGH),
               "The energy variance is %.3g, far above the %g of " KELVIN_REFER(
                   FIELD, "energy_variance") ": steps are too large, and as none "
                                             "is rejected the draws are "
                                             "biased. " KELVIN_SAID ".",
               f->found->energy_variance, kelvin_run_number(f->run, "energy_variance"),
               given ? "Make " KELVIN_REFER(FIELD, "step_size") " smaller"
                     : "Steps are tuned in warm-up: give it a longer " KELVIN_REFER(FIELD, "warmup"));
}

/* ---- temperatures ---- */

enum { CLOSE = 10, ERRORS = 3 }; /* per cent, and standard errors whatever that is, by which a temperature may be off */

/* Of what is asked for: where samples are taken, at the coldest of them. */
static double reached(const kelvin_schedule *schedule, const kelvin_run *run)
{
    const uint32_t draws = kelvin_run_draws(run), epochs = kelvin_run_rows(run);
    double least = INFINITY;
    for (uint32_t draw = schedule->repeats ? 0 : draws - 1; draw < draws; draw++) {
        const uint32_t last = kelvin_run_draw_row(run, draw);
        least = fmin(least, schedule->temperature(kelvin_schedule_progress(schedule, last, epochs, draws)));
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

/* Where the schedule never came to the temperature nothing is at it. *share: of it, that it came to. */
static bool is_cut_short(double *share, const kelvin_schedule **schedule, const kelvin_run *run)
{
    const kelvin_run_config *c = &run->config;
    if (!run->sampler->batches || !(c->temperature > 0)) return false;
    if (kelvin_schedule_parse(schedule, c->temperature_schedule)) return false;
    *share = reached(*schedule, run);
    return *share < 1 - CLOSE / 100.0;
}

static bool advise_on_schedule(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const kelvin_schedule *schedule;
    double share;
    if (!is_cut_short(&share, &schedule, f->run)) return false;
    kelvin_say(kelvin_advice_new(out, KELVIN_SCHEDULE_CUT_SHORT),
               "The schedule reached temperature %.3g of %g: use " KELVIN_REFER(
                   SETTING, "epochs=%" PRIu32) " or more, or " KELVIN_REFER(SETTING, "%s=constant") ".",
               share * c->temperature, c->temperature, enough_epochs(schedule, kelvin_run_draws(f->run)),
               strcmp(c->schedule, c->temperature_schedule) == 0 ? "schedule" : "temperature_schedule");
    return true;
}

static bool is_off(const kelvin_average *is, double set)
{
    if (!(set > 0) || !(fabs(is->mean / set - 1) > CLOSE / 100.0)) return false;
    return isnan(is->error) || fabs(is->mean - set) > ERRORS * is->error;
}

/* So far off that predictions are those of another posterior, or of chains on their way. Momenta follow at once;
 * parameters that the data say little of are the last to settle, and predictions do not wait for them. */
static bool is_far_off(const kelvin_average *is, double set, double share)
{
    return is_off(is, set) && !(is->mean >= (1 - share) * set && is->mean <= (1 + share) * set);
}

static bool is_hot_or_cold(const kelvin_temperatures *t)
{
    return is_far_off(&t->kinetic, t->set, 0.2);
}

static bool is_on_its_way(const kelvin_temperatures *t)
{
    return is_far_off(&t->configurational, t->set, 0.3);
}

bool kelvin_is_unsettled(const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    return is_hot_or_cold(t) || is_on_its_way(t);
}

/* Parameters come to their temperature as 1 - exp(-rate t), and the rate goes with the size of steps: how much larger
 * steps would have come three times as far as it takes to come within e. From above it cannot be told how far they have
 * come. */
static double faster(const kelvin_temperatures *t)
{
    const double most = 100, usual = 10, way = t->configurational.mean / t->set;
    return way < 1 ? fmin(-3 / log1p(-fmax(way, 0.01)), most) : usual;
}

/* Larger steps, where they can be larger, are had for nothing; more of them are not. While momenta are at their
 * temperature steps are not too large. */
void kelvin_say_how_to_settle(char *text, const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    const char *step = kelvin_run_step_setting(f->run), *rows = kelvin_run_row_name(f->run);
    const bool batches = f->run->sampler->batches;
    const kelvin_schedule *schedule;
    double share;
    if (is_cut_short(&share, &schedule, f->run))
        kelvin_say(text, "give the schedule " KELVIN_REFER(SETTING, "epochs=%" PRIu32) " or more",
                   enough_epochs(schedule, kelvin_run_draws(f->run)));
    else if (batches && is_hot_or_cold(t) && t->kinetic.mean > t->set)
        kelvin_say(text, "make " KELVIN_FIELD " smaller, or " KELVIN_REFER(SETTING, "%s=auto"), step, step);
    else if (batches && t->kinetic.mean < 1.05 * t->set)
        kelvin_say(
            text,
            "steps can be larger, as momenta are at %.3g: " KELVIN_REFER(SETTING, "%s=%.1g") ", or " KELVIN_REFER(
                SETTING, "%s=auto") " to have it found, rather than more " KELVIN_REFER(FIELD, "%ss"),
            t->kinetic.mean, step, kelvin_run_number(f->run, step) * faster(t), step, rows);
    else
        kelvin_say(text, "give them more " KELVIN_REFER(FIELD, "%ss"), rows);
}

static void advise_on_parameters(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    const bool large = isnan(t->kinetic.mean) && !f->run->sampler->accepts;
    const bool far = is_on_its_way(t);
    char *text = kelvin_advice_new(out, KELVIN_CONFIGURATIONAL_TEMPERATURE_OFF);
    if (!far) kelvin_advice_grade(out, KELVIN_SOUND);
    kelvin_say(text,
               "The configurational temperature is %.3g where %.3g was set: the parameters have not %ssettled%s; ",
               t->configurational.mean, t->set, far ? "" : "quite ", large ? ", or steps are too large" : "");
    kelvin_say_how_to_settle(text, f);
    if (large) kelvin_say(text, ", or make " KELVIN_FIELD " smaller", kelvin_run_step_setting(f->run));
    kelvin_say(text, ".");
}

/* A sampler may have both temperatures, one or none. Where momenta are not at it, parameters are not; where there is a
 * kinetic temperature that is right, or proposals are rejected, steps are not too large. */
static void advise_on_temperatures(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    const struct kelvin_rows_field rows = kelvin_rows_field(f->run);
    const char *step = kelvin_run_step_setting(f->run);
    const bool batches = f->run->sampler->batches, hot = t->kinetic.mean >= t->set;
    if (is_coarse(f) || advise_on_schedule(out, f)) return; /* of which it follows */
    if (is_off(&t->kinetic, t->set) && hot)
        kelvin_say(kelvin_advice_new(out, KELVIN_KINETIC_TEMPERATURE_HIGH),
                   "The kinetic temperature is %.3g where %.3g was set: steps are too large%s. Make " KELVIN_FIELD
                   " smaller" KELVIN_SAID ".",
                   t->kinetic.mean, t->set, batches ? ", or gradients too noisy" : "", step,
                   batches ? " or " KELVIN_REFER(FIELD, "batch") " larger" : "");
    else if (is_off(&t->kinetic, t->set))
        kelvin_say(kelvin_advice_new(out, KELVIN_KINETIC_TEMPERATURE_LOW),
                   "The kinetic temperature is %.3g where %.3g was set: the momenta have not warmed up. Give them "
                   "more " KELVIN_FIELD ".",
                   t->kinetic.mean, t->set, rows.name);
    else if (is_off(&t->configurational, t->set))
        advise_on_parameters(out, f);
    if (is_off(&t->kinetic, t->set) && !is_hot_or_cold(t)) kelvin_advice_grade(out, KELVIN_SOUND);
}

/* ---- samples of batches ---- */

enum { FEWEST = 4 }; /* draws per chain for an R-hat that means something */
enum { ENOUGH = 8 }; /* independent samples for an ensemble */

static const double noticed = 1e-3; /* total variation below which nobody cares */

bool kelvin_chains_apart(const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    if (f->run->config.temperature == 0) return false; /* trained, not sampled */
    return p->draws >= FEWEST && p->rhat_mean > kelvin_apart && !(f->found->agreement.variation_mean < noticed);
}

/* Of the size of steps; NULL: it has none, as it does not look at batches. */
static const kelvin_schedule *schedule_of(const kelvin_run *run)
{
    const kelvin_schedule *schedule;
    if (!run->sampler->batches || kelvin_schedule_parse(&schedule, run->config.schedule)) return NULL;
    return schedule;
}

bool kelvin_starts_cold(const kelvin_run *run)
{
    const kelvin_schedule *schedule = schedule_of(run);
    return schedule && schedule->samples_on_the_way && !schedule->repeats && schedule->settles == 0 &&
           strcmp(run->config.init, "none") == 0;
}

/* Samples of chains that are apart are worth few. */
static void advise_on_samples(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const kelvin_convergence *p = &f->found->predictions;
    const size_t all = p->chains * p->draws;
    const kelvin_schedule *schedule = schedule_of(f->run);
    if (kelvin_chains_apart(f))
        kelvin_say(
            kelvin_advice_new(out, KELVIN_CHAINS_DISAGREE),
            "The chains have not found the same predictions: they are farther apart than the samples of each let one "
            "expect (R-hat %.2f on average; chains that mix have 1). Two of them have another most likely class at "
            "%.1f %% of the observations. Give %s more " KELVIN_REFER(
                FIELD, "epochs") "" KELVIN_SAID
                                 "; until then, many " KELVIN_REFER(FIELD, "chains") " say more than many "
                                                                                     "samples of each.",
            p->rhat_mean, 100 * f->found->agreement.disagreement_mean,
            schedule && schedule->repeats ? "each cycle" : "them",
            kelvin_starts_cold(f->run) ? ", and a warm start with " KELVIN_REFER(
                                             FIELD, "init") ": the first samples are from before they had settled"
                                       : "");
    else if (c->temperature != 0 && p->ess_bulk_median < (double)all / 4) {
        kelvin_say(kelvin_advice_new(out, KELVIN_SAMPLES_ALIKE),
                   "The %zu samples are worth about %.0f independent ones (effective sample size, the median over "
                   "predictions): neighbours in a chain are alike. Put more " KELVIN_REFER(
                       FIELD, "epochs") " between them, or take fewer " KELVIN_REFER(FIELD, "samples") ".",
                   all, p->ess_bulk_median);
        if (p->ess_bulk_median >= ENOUGH) kelvin_advice_grade(out, KELVIN_SOUND);
    }
}

/* ---- draws of all data ---- */

bool kelvin_chains_unmixed(const struct kelvin_facts *f)
{
    return !f->run->sampler->batches && f->found->predictions.rank_rhat_max > 1.01;
}

/* What is fine for moments to two digits is more than predictions need: the largest R-hat of hundreds of them, and the
 * smallest effective sample size. */
static const double mixed_enough = 1.05;
enum { MEAN_DRAWS = 50 };

static void advise_on_draws(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const double ess = fmin(p->ess_bulk_min, p->ess_tail_min), enough = 100.0 * (double)p->chains;
    char found[32] = "too few to tell how many";
    if (!isnan(ess)) snprintf(found, sizeof found, "%.0f of %.0f", ess, enough);
    if (kelvin_chains_unmixed(f)) {
        kelvin_say(kelvin_advice_new(out, KELVIN_CHAINS_DISAGREE),
                   "The chains, or their halves, disagree about the predictions (rank-normalised R-hat up to %.3f; "
                   "1.01 is fine): run them longer, with more " KELVIN_REFER(FIELD, "iterations") ".",
                   p->rank_rhat_max);
        if (p->rank_rhat_max <= mixed_enough) kelvin_advice_grade(out, KELVIN_SOUND);
    }
    if (ess < enough || (isnan(ess) && !isnan(p->rank_rhat_max))) {
        kelvin_say(kelvin_advice_new(out, KELVIN_EFFECTIVE_DRAWS_FEW),
                   "Fewer than 100 effective draws per chain in function space (%s): means are rough, and tails more "
                   "so.",
                   found);
        if (ess >= MEAN_DRAWS) kelvin_advice_grade(out, KELVIN_SOUND);
    }
    if (p->chains == 2 || p->chains == 3)
        kelvin_say(kelvin_advice_new(out, KELVIN_CHAINS_FEW),
                   "With fewer than four chains R-hat can miss a mode that no chain has found: "
                   "use " KELVIN_REFER(SETTING, "chains=4") " or more.");
    if (p->chains > 0 && isnan(p->rank_rhat_max)) /* else nobody has looked */
        kelvin_say(kelvin_advice_new(out, KELVIN_DRAWS_FEW),
                   "R-hat and effective sample sizes need at least four draws after the "
                   "warm-up, and draws that move.");
}

/* ---- all of it ---- */

static void copy_piece(struct kelvin_advice_list *to, const struct kelvin_advice_list *from, size_t i)
{
    to->code[to->n] = from->code[i];
    to->grade[to->n] = from->grade[i];
    memcpy(to->raw[to->n++], from->raw[i], sizeof from->raw[i]);
}

/* The gravest first, after what must be known before all others: the first `fixed`. Those of one grade stay in their
 * order. */
static void sort_by_grade(struct kelvin_advice_list *list, size_t fixed)
{
    struct kelvin_advice_list sorted = {0};
    for (size_t i = 0; i < fixed; i++) copy_piece(&sorted, list, i);
    for (int grade = KELVIN_FAILED; grade >= KELVIN_SOUND; grade--)
        for (size_t i = fixed; i < list->n; i++)
            if ((int)list->grade[i] == grade) copy_piece(&sorted, list, i);
    *list = sorted;
}

void kelvin_advise(struct kelvin_advice_list *out, const struct kelvin_facts *f)
{
    out->n = 0;
    advise_on_end(out, f);
    const size_t fixed = out->n;
    advise_on_divergence(out, f);
    advise_on_acceptance(out, f);
    advise_on_energy(out, f);
    advise_on_temperatures(out, f);
    if (f->run->sampler->batches)
        advise_on_samples(out, f);
    else
        advise_on_draws(out, f);
    kelvin_advise_on_quality(out, f, kelvin_advise_on_learning(out, f));
    if (f->run->config.chains == 1 && f->run->config.temperature != 0)
        kelvin_say(kelvin_advice_new(out, KELVIN_ONE_CHAIN),
                   "One chain has nothing to be compared with: use " KELVIN_REFER(
                       SETTING, "chains=4") " or more to see "
                                            "whether others find the same.");
    sort_by_grade(out, fixed);
}
