/* Opens runs, evaluates and diagnoses them, and keeps the cases that are worth a look. */
#include "base/words.h"
#include "posterior/rows_on.h"
#include "report/page.h"
#include "run/room.h"

#include <string.h>

enum { NAME_LETTERS = 18 };

/* ---- cases ---- */

/* Lists go from the largest to the smallest; of equal ones the first stays first. */
static struct report_case to_case(const kelvin_verdict *v, size_t classes)
{
    struct report_case c = {.index = v->index,
                            .label = v->label,
                            .predicted = v->predicted,
                            .entropy = v->entropy,
                            .confidence = v->confidence};
    for (size_t k = 0; k < classes; k++) {
        size_t at = c.n_top;
        while (at > 0 && v->p[k] > c.p[at - 1]) at--;
        if (at == REPORT_TOP) continue;
        if (c.n_top < REPORT_TOP) c.n_top++;
        for (size_t i = c.n_top - 1; i > at; i--) c.p[i] = c.p[i - 1], c.top[i] = c.top[i - 1];
        c.p[at] = v->p[k];
        c.top[at] = (int32_t)k;
    }
    return c;
}

static void keep(struct report_cases *cases, const kelvin_verdict *v, size_t classes, double score)
{
    size_t at = cases->n;
    while (at > 0 && score > cases->list[at - 1].score) at--;
    if (at == REPORT_CASES) return;
    if (cases->n < REPORT_CASES) cases->n++;
    memmove(&cases->list[at + 1], &cases->list[at], (cases->n - 1 - at) * sizeof *cases->list);
    cases->list[at] = to_case(v, classes);
    cases->list[at].score = score;
}

/* Mistakes by confidence, doubts by entropy. */
static kelvin_status look(void *context, const kelvin_verdict *v)
{
    struct report_run *run = context;
    const size_t classes = run->samples->run->data->classes;
    if (v->predicted != v->label) keep(&run->mistakes, v, classes, v->confidence);
    keep(&run->doubts, v, classes, v->entropy);
    return run->confusion ? kelvin_confusion_add(run->confusion, v) : KELVIN_OK;
}

/* ---- their inputs ---- */

/* Where the inputs of cases come from, and what their rows are called. */
struct case_rows {
    kelvin_inputs *inputs;
    const char *const *id; /* of a part of the run's own data, by row; or NULL */
    kelvin_arena *arena;
    size_t width;
};

/* Another data set hands its column of names on, if it has one. */
static kelvin_status take_name(struct report_case *c, const struct case_rows *from)
{
    const char *name = from->id                                   ? from->id[c->index]
                       : kelvin_inputs_kept_name(from->inputs, 0) ? kelvin_inputs_kept(from->inputs, c->index, 0)
                                                                  : NULL;
    if (name && !(c->name = kelvin_arena_text(from->arena, name, strlen(name)))) return KELVIN_ENOMEM;
    return KELVIN_OK;
}

/* The inputs of those cases that are among the rows; *left is how many are still missing. */
static kelvin_status take_rows(struct report_cases *cases, size_t *left, const struct case_rows *from,
                               const kelvin_rows *rows)
{
    for (size_t i = 0; i < cases->n; i++) {
        struct report_case *c = &cases->list[i];
        if (c->index < rows->first || c->index >= rows->first + rows->n) continue;
        float *x = kelvin_arena_alloc(from->arena, from->width, sizeof *x);
        if (!x) return KELVIN_ENOMEM;
        memcpy(x, rows->x + (c->index - rows->first) * from->width, from->width * sizeof *x);
        c->x = x;
        KELVIN_TRY(take_name(c, from));
        --*left;
    }
    return KELVIN_OK;
}

static kelvin_status walk(struct report_run *run, const struct case_rows *from)
{
    enum { ROWS = 1000 };
    size_t left = run->mistakes.n + run->doubts.n;
    kelvin_rows rows;
    while (left > 0) {
        KELVIN_TRY(kelvin_inputs_next(from->inputs, &rows, ROWS));
        if (rows.n == 0) return kelvin_fail(KELVIN_EFORMAT, "%s: has fewer rows than before", run->on);
        KELVIN_TRY(take_rows(&run->mistakes, &left, from, &rows));
        KELVIN_TRY(take_rows(&run->doubts, &left, from, &rows));
    }
    return KELVIN_OK;
}

/* Where the data are gone, or have changed, the page says so and does without. */
static kelvin_status do_without(const char **why, kelvin_arena *arena, kelvin_status status)
{
    if (!status || status == KELVIN_ENOMEM) return status;
    *why = kelvin_arena_text(arena, kelvin_error_raw(), strlen(kelvin_error_raw()));
    return *why ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status find_inputs(struct report_run *run, kelvin_arena *arena)
{
    struct case_rows from = {.arena = arena, .width = run->samples->run->data->inputs};
    kelvin_run *own = NULL;
    kelvin_status status = kelvin_rows_on(&from.inputs, &own, run->samples, run->on);
    if (!status && own)
        from.id = kelvin_data_part(own->data, strcmp(run->on, "test") == 0 ? KELVIN_TEST : KELVIN_TRAIN)->id;
    if (!status) status = walk(run, &from);
    status = do_without(&run->without_data, arena, status);
    kelvin_inputs_close(from.inputs);
    kelvin_run_close(own);
    return status;
}

/* ---- what the plainest models make of the same rows ---- */

static kelvin_status find_baselines(struct report_run *run, size_t threads)
{
    const kelvin_evaluate_options how = {.threads = threads};
    for (size_t i = 0; i < REPORT_BASELINES; i++)
        KELVIN_TRY(kelvin_baseline_metrics(&run->baseline[i], run->samples, (kelvin_baseline_kind)i, run->on, &how));
    return KELVIN_OK;
}

/* ---- columns ---- */

static kelvin_status find_effects(struct report_run *run, kelvin_arena *arena, size_t threads)
{
    if (run->samples->run->data->channels) return KELVIN_OK;
    return do_without(&run->without_effects, arena, kelvin_effects_find(&run->effects, run->samples, run->on, threads));
}

/* ---- runs ---- */

/* Metrics, classes, cases and diagnosis in one pass. */
static kelvin_status review(struct report_run *run, const kelvin_report_options *options)
{
    const size_t classes = run->samples->run->data->classes;
    kelvin_logits *logits;
    if (classes <= KELVIN_CONFUSION_CLASSES) KELVIN_TRY(kelvin_confusion_create(&run->confusion, classes));
    KELVIN_TRY(kelvin_logits_on(&logits, &run->on, run->samples, options->on, options->threads));
    for (size_t i = 0; options->note && kelvin_logits_note(logits, i); i++)
        options->note(options->context, kelvin_logits_note(logits, i));
    const kelvin_evaluate_options how = {.threads = options->threads, .sizes = true, .watch = look, .context = run};
    const kelvin_status status = kelvin_review(&run->metrics, &run->diagnosis, run->samples, logits, run->on, &how);
    kelvin_logits_close(logits);
    return !status && run->confusion ? kelvin_confusion_conclude(run->confusion) : status;
}

static kelvin_status gather_run(struct report_run *run, kelvin_arena *arena, const kelvin_report_options *options)
{
    KELVIN_TRY(kelvin_samples_open_partly(&run->samples, run->folder));
    if (options->opened) options->opened(run->samples);
    const kelvin_run *about = run->samples->run;
    run->histories = kelvin_arena_alloc(arena, about->config.chains, sizeof *run->histories);
    if (!run->histories) return KELVIN_ENOMEM;
    for (uint32_t i = 0; i < about->config.chains; i++) {
        char lost[KELVIN_LOST];
        if (run->samples->waiting[i]) continue;
        KELVIN_TRY(kelvin_history_lost(lost, run->samples, i));
        if (!*lost) KELVIN_TRY(kelvin_history_read(&run->histories[i], run->samples, i)); /* else a note says so */
    }
    KELVIN_TRY(review(run, options));
    KELVIN_TRY(find_baselines(run, options->threads));
    KELVIN_TRY(find_effects(run, arena, options->threads));
    return find_inputs(run, arena);
}

kelvin_status kelvin_page_gather_runs(struct report_run *runs, kelvin_arena *arena, const char *const *folders,
                                      size_t n, const kelvin_report_options *options)
{
    if (options->on && strcmp(options->on, "-") == 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           KELVIN_REFER(OPTION, "on") " -: expected a file, for its rows are read twice");
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    if (!names) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_short_names(names, arena, folders, n, NAME_LETTERS));
    for (size_t i = 0; i < n; i++) {
        runs[i].folder = folders[i];
        runs[i].name = names[i];
        KELVIN_TRY(gather_run(&runs[i], arena, options));
    }
    return KELVIN_OK;
}

void kelvin_page_gather_release(struct report_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct report_run *run = &runs[i];
        for (uint32_t k = 0; run->histories && k < run->samples->run->config.chains; k++)
            kelvin_history_free(&run->histories[k]);
        kelvin_diagnosis_free(run->diagnosis);
        for (size_t k = 0; k < REPORT_BASELINES; k++) kelvin_metrics_free(run->baseline[k]);
        kelvin_confusion_free(run->confusion);
        kelvin_effects_free(run->effects);
        kelvin_metrics_free(run->metrics);
        kelvin_samples_close(run->samples);
    }
}
