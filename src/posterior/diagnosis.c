/* Whether to believe a run: everything that is looked at, and the advice that follows from it. */
#include "posterior/diagnosis.h"
#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"

#include "posterior/advice.h"
#include "posterior/convergence.h"
#include "posterior/evaluate.h"
#include "posterior/predictions.h"
#include "run/room.h"

#include <math.h>
#include <string.h>

/* ---- samplers ---- */

static kelvin_status look_at_sampler(kelvin_diagnosis *d, const kelvin_samples *samples)
{
    for (uint32_t i = 0; i < samples->run->config.chains; i++) d->diverged += samples->diverged[i] != NULL;
    for (size_t i = 0; i < samples->n; i++) d->kept += samples->diverged[samples->chain[i]] != NULL;
    d->starts_cold = kelvin_starts_cold(samples->run);
    return kelvin_histories_read(d, samples);
}

/* ---- predictions ---- */

/* Logits that are to be evaluated as well, in the same pass, if one of the diagnosis goes through them. */
struct given {
    kelvin_logits *logits;
    kelvin_side side; /* that they are of; or */
    bool other;       /* of other data */
    const kelvin_evaluate_options *options;
    kelvin_metrics *metrics;
    bool done;
};

static kelvin_status evaluate(void *context, kelvin_logits *logits, const struct kelvin_reader *reader)
{
    struct given *given = context;
    given->done = true;
    return kelvin_evaluate_into(given->metrics, logits, given->options, reader);
}

static bool are_of(const struct given *given, kelvin_side side)
{
    return given && !given->other && given->side == side;
}

/* Those that are given, or others, which must be closed. */
static kelvin_status open_side(kelvin_logits **logits, const struct given *given, kelvin_side side,
                               kelvin_samples *samples, size_t threads)
{
    if (!are_of(given, side)) return kelvin_logits_of_side(logits, samples, side, threads);
    *logits = given->logits;
    return KELVIN_OK;
}

/* What a run has to test with; its training data where that is neither kept nor can be computed any more. */
static kelvin_status open_best(kelvin_logits **logits, kelvin_side *side, const struct given *given,
                               kelvin_samples *samples, size_t threads)
{
    bool kept;
    *side = samples->run->data->test.n > 0 ? KELVIN_TEST : KELVIN_TRAIN;
    KELVIN_TRY(kelvin_logits_are_kept(&kept, samples, *side));
    const kelvin_status status = open_side(logits, given, *side, samples, threads);
    if (!status || kept || status == KELVIN_ENOMEM || *side == KELVIN_TRAIN) return status;
    *side = KELVIN_TRAIN;
    return open_side(logits, given, *side, samples, threads);
}

static kelvin_status look_at_side(kelvin_diagnosis *d, kelvin_samples *samples, const struct kelvin_lineup *lineup,
                                  kelvin_pool *pool, struct given *given)
{
    const kelvin_data *data = samples->run->data;
    kelvin_logits *logits;
    KELVIN_TRY(open_best(&logits, &d->side, given, samples, kelvin_pool_threads(pool)));
    const bool theirs = are_of(given, d->side);
    const kelvin_status status =
        kelvin_predictions_diagnose(d, logits, kelvin_data_part(data, d->side)->n, samples, lineup, pool,
                                    theirs ? evaluate : kelvin_logits_go_through, given);
    if (!theirs) kelvin_logits_close(logits);
    return status;
}

/* From the saved logits, where they are. Those of a run in memory are computed. */
static kelvin_status look_at_training(kelvin_diagnosis *d, kelvin_samples *samples, kelvin_pool *pool,
                                      struct given *given)
{
    const bool theirs = are_of(given, KELVIN_TRAIN);
    kelvin_logits *logits;
    bool kept;
    if (d->side == KELVIN_TRAIN) return KELVIN_OK;
    KELVIN_TRY(kelvin_logits_are_kept(&kept, samples, KELVIN_TRAIN));
    const bool open = !samples->run->folder || kelvin_run_inside(samples->run)->partly;
    if (!theirs && !kept && !open) return KELVIN_OK;
    KELVIN_TRY(open_side(&logits, given, KELVIN_TRAIN, samples, kelvin_pool_threads(pool)));
    const kelvin_status status = kelvin_training_diagnose(d, logits, samples->run->data->train.n, samples, pool,
                                                          theirs ? evaluate : kelvin_logits_go_through, given);
    if (!theirs) kelvin_logits_close(logits);
    return status;
}

/* What samples say of the data is in the logits: nothing is wrong where their files have been taken away. */
static kelvin_status look_at_parameters(kelvin_diagnosis *d, kelvin_samples *samples,
                                        const struct kelvin_lineup *lineup, kelvin_pool *pool)
{
    bool there;
    KELVIN_TRY(kelvin_samples_are_there(&there, samples));
    return there ? kelvin_converge_parameters(&d->parameters, samples, lineup, pool) : KELVIN_OK;
}

static kelvin_status look_at_samples(kelvin_diagnosis *d, kelvin_samples *samples, kelvin_pool *pool,
                                     struct given *given, bool briefly)
{
    struct kelvin_lineup lineup;
    KELVIN_TRY(kelvin_lineup_find(&lineup, samples->chain, samples->n, d->owned));
    if (!briefly) KELVIN_TRY(look_at_parameters(d, samples, &lineup, pool));
    KELVIN_TRY(look_at_side(d, samples, &lineup, pool, given));
    KELVIN_TRY(look_at_training(d, samples, pool, given));
    return given && !given->done ? evaluate(given, given->logits, NULL) : KELVIN_OK;
}

/* ---- advice ---- */

static kelvin_status keep(const kelvin_advice **out, size_t *n, const struct kelvin_advice_list *advice,
                          kelvin_arena *arena)
{
    kelvin_advice *kept = kelvin_arena_alloc(arena, advice->n, sizeof *kept);
    if (!kept) return KELVIN_ENOMEM;
    for (size_t i = 0; i < advice->n; i++) {
        char text[KELVIN_RAW];
        const char *raw = advice->raw[i];
        kelvin_words_say(text, sizeof text, raw, NULL, NULL);
        kept[i] = (kelvin_advice){advice->code[i], kelvin_arena_text(arena, text, strlen(text)),
                                  kelvin_arena_text(arena, raw, strlen(raw)), advice->grade[i]};
        if (!kept[i].text || !kept[i].raw) return KELVIN_ENOMEM;
    }
    *out = kept;
    *n = advice->n;
    return KELVIN_OK;
}

/* Histories that are not whole. */
static kelvin_status look_for_lost(struct kelvin_facts *facts, char first[KELVIN_LOST], const kelvin_samples *samples)
{
    for (uint32_t i = 0; i < samples->run->config.chains; i++) {
        char lost[KELVIN_LOST];
        KELVIN_TRY(kelvin_history_lost(lost, samples, i));
        if (*lost && facts->n_lost++ == 0) facts->lost = strcpy(first, lost);
    }
    return KELVIN_OK;
}

/* Who looks briefly reads no notes: what is missing would make what is left look sound. */
static kelvin_status expect_files(const struct kelvin_facts *facts, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    bool kept = true;
    if (!run->folder || kelvin_run_is_old(run) || samples->n == 0) return KELVIN_OK; /* nothing can be made again */
    if (kelvin_run_inside(run)->partly) return KELVIN_OK;                            /* or is not made yet */
    if (facts->lost) return kelvin_fail(KELVIN_EIO, KELVIN_SAID, facts->lost);
    if (facts->no_training) KELVIN_TRY(kelvin_logits_are_kept(&kept, samples, KELVIN_TRAIN));
    if (kept) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO,
                       "%s: has no logits of its training data; " KELVIN_REFER(RESUME, "%s") " makes them again",
                       samples->folder, samples->folder);
}

static kelvin_status advise(kelvin_diagnosis *d, const kelvin_samples *samples, bool briefly)
{
    struct kelvin_advice_list advice;
    char lost[KELVIN_LOST], verdict[KELVIN_VERDICT];
    struct kelvin_facts facts = {.run = samples->run,
                                 .found = d,
                                 .samples = samples->n,
                                 .diverged = samples->diverged,
                                 .partly = kelvin_run_inside(samples->run)->partly,
                                 .waiting = samples->n_waiting};
    KELVIN_TRY(look_for_lost(&facts, lost, samples));
    facts.no_training = samples->run->folder && !facts.partly && d->side == KELVIN_TEST && isnan(d->training_accuracy);
    if (briefly) KELVIN_TRY(expect_files(&facts, samples));
    kelvin_advise(&advice, &facts);
    d->grade = kelvin_conclude_verdict(verdict, &facts, &advice);
    if (!(d->verdict = kelvin_arena_text(d->owned, verdict, strlen(verdict)))) return KELVIN_ENOMEM;
    KELVIN_TRY(keep(&d->advice, &d->n_advice, &advice, d->owned));
    kelvin_annotate(&advice, &facts);
    return keep(&d->notes, &d->n_notes, &advice, d->owned);
}

/* ---- all of it ---- */

static kelvin_status create(kelvin_diagnosis **out)
{
    kelvin_arena *arena;
    *out = NULL;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_diagnosis *d = kelvin_arena_alloc(arena, 1, sizeof *d);
    if (!d) {
        kelvin_arena_destroy(arena);
        return KELVIN_ENOMEM;
    }
    *d = kelvin_nothing_found();
    d->owned = arena;
    *out = d;
    return KELVIN_OK;
}

void kelvin_diagnosis_free(kelvin_diagnosis *d)
{
    if (d) kelvin_arena_destroy(d->owned);
}

static kelvin_status finish(kelvin_diagnosis **d, kelvin_status status)
{
    if (status) {
        kelvin_diagnosis_free(*d);
        *d = NULL;
    }
    return status;
}

static kelvin_status diagnose(kelvin_diagnosis **out, kelvin_samples *samples, size_t threads, struct given *given,
                              bool briefly)
{
    kelvin_pool *pool;
    KELVIN_TRY(create(out));
    kelvin_status status = look_at_sampler(*out, samples);
    if (!status) status = kelvin_pool_create(&pool, threads);
    if (!status) {
        status = look_at_samples(*out, samples, pool, given, briefly);
        kelvin_pool_destroy(pool);
    }
    if (!status) status = advise(*out, samples, briefly);
    return finish(out, status);
}

kelvin_status kelvin_diagnose(kelvin_diagnosis **out, kelvin_samples *samples, size_t threads)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(samples);
    return diagnose(out, samples, threads, NULL, false);
}

kelvin_status kelvin_review(kelvin_metrics **metrics, kelvin_diagnosis **out, kelvin_samples *samples,
                            kelvin_logits *logits, const char *on, const kelvin_evaluate_options *options)
{
    const bool test = strcmp(on, "test") == 0;
    struct given given = {.logits = logits,
                          .side = test ? KELVIN_TEST : KELVIN_TRAIN,
                          .other = !test && strcmp(on, "train") != 0,
                          .options = options};
    *out = NULL;
    *metrics = given.metrics = kelvin_alloc(1, sizeof **metrics);
    if (!given.metrics) return KELVIN_ENOMEM;
    const kelvin_status status = diagnose(out, samples, options->threads, &given, false);
    if (!status) return KELVIN_OK;
    kelvin_metrics_free(*metrics);
    *metrics = NULL;
    return status;
}

kelvin_status kelvin_diagnose_briefly(kelvin_diagnosis **out, kelvin_samples *samples, size_t threads)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(samples);
    return diagnose(out, samples, threads, NULL, true);
}
