/* Opens runs, evaluates and diagnoses them, and keeps the cases that are worth a look. */
#include "report/gather.h"

#include "figures/markup.h"
#include "run/room.h"

#include <string.h>

enum { NAME_LETTERS = 18 };

/* ---- cases ---- */

/* A score into a list from the largest to the smallest, of equal ones the first stays first; returns its place, or
 * `most` if it has none. */
static size_t find_place(const double *scores, size_t n, size_t most, double score)
{
    size_t at = n;
    while (at > 0 && score > scores[at - 1]) at--;
    return at < most ? at : most;
}

static struct report_case to_case(const kelvin_verdict *v, size_t classes)
{
    struct report_case c = {.index = v->index,
                            .label = v->label,
                            .predicted = v->predicted,
                            .entropy = v->entropy,
                            .epistemic = v->epistemic,
                            .confidence = v->confidence};
    for (size_t k = 0; k < classes; k++) {
        const size_t at = find_place(c.p, c.n_top, REPORT_TOP, v->p[k]);
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
    double scores[REPORT_CASES];
    for (size_t i = 0; i < cases->n; i++) scores[i] = cases->list[i].score;
    const size_t at = find_place(scores, cases->n, REPORT_CASES, score);
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
    return KELVIN_OK;
}

/* ---- names ---- */

/* The last part of a path. */
static const char *last_part(kelvin_arena *arena, const char *folder)
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && folder[start - 1] != '/') start--;
    if (start == end) start = 0; /* the root */
    return kelvin_arena_text(arena, folder + start, end - start);
}

static bool is_taken(const struct report_run *runs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(runs[i].name, name) == 0) return true;
    return false;
}

/* Different names of runs, short enough for an axis. A second run of a name gets a number. */
static kelvin_status set_name(struct report_run *runs, kelvin_arena *arena, size_t i)
{
    const char *part = last_part(arena, runs[i].folder);
    if (!part || !(runs[i].name = markup_shorten(arena, part, NAME_LETTERS))) return KELVIN_ENOMEM;
    for (size_t number = 2; is_taken(runs, i, runs[i].name); number++) {
        char numbered[8 * NAME_LETTERS];
        const char *shorter = markup_shorten(arena, part, NAME_LETTERS - 5);
        if (!shorter) return KELVIN_ENOMEM;
        const int length = snprintf(numbered, sizeof numbered, "%s (%zu)", shorter, number);
        runs[i].name = kelvin_arena_text(arena, numbered, (size_t)length);
        if (!runs[i].name) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

/* ---- runs ---- */

static kelvin_status choose_side(kelvin_side *side, const kelvin_data *data, const char *on, const char *folder)
{
    *side = on ? strcmp(on, "train") == 0 ? KELVIN_TRAIN : KELVIN_TEST : data->test.n ? KELVIN_TEST : KELVIN_TRAIN;
    if (*side == KELVIN_TRAIN || data->test.n) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: %s has no test data; --on train has the training data", folder, data->name);
}

static kelvin_status evaluate(struct report_run *run, const struct report_options *options)
{
    kelvin_logits *logits;
    KELVIN_TRY(kelvin_logits_of_side(&logits, run->samples, run->side, options->threads));
    const kelvin_evaluate_options how = {.threads = options->threads, .sizes = true, .watch = look, .context = run};
    const kelvin_status status = kelvin_evaluate(run->metrics, logits, &how);
    kelvin_logits_close(logits);
    return status;
}

/* Where the data are gone, or have changed, the page says so and does without. */
static kelvin_status open_data(struct report_run *run, kelvin_arena *arena)
{
    const kelvin_status status = kelvin_config_read(&run->whole, run->folder);
    if (status == KELVIN_ENOMEM || !status) return status;
    run->whole = NULL;
    run->without_data = kelvin_arena_text(arena, kelvin_error(), strlen(kelvin_error()));
    return run->without_data ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status gather(struct report_run *run, kelvin_arena *arena, const struct report_options *options)
{
    KELVIN_TRY(kelvin_samples_open(&run->samples, run->folder));
    const kelvin_run *about = run->samples->run;
    KELVIN_TRY(choose_side(&run->side, about->data, options->on, run->folder));
    run->metrics = kelvin_arena_alloc(arena, 1, sizeof *run->metrics);
    run->histories = kelvin_arena_alloc(arena, about->config.chains, sizeof *run->histories);
    if (!run->metrics || !run->histories) return KELVIN_ENOMEM;
    for (uint32_t i = 0; i < about->config.chains; i++)
        KELVIN_TRY(kelvin_history_open(&run->histories[i], run->samples, i));
    KELVIN_TRY(evaluate(run, options));
    KELVIN_TRY(kelvin_diagnose(&run->diagnosis, run->samples, options->threads));
    return open_data(run, arena);
}

kelvin_status gather_runs(struct report_run *runs, kelvin_arena *arena, const char *const *folders, size_t n,
                          const struct report_options *options)
{
    if (options->on && strcmp(options->on, "test") != 0 && strcmp(options->on, "train") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "--on is '%.200s'; expected test or train", options->on);
    for (size_t i = 0; i < n; i++) {
        runs[i].folder = folders[i];
        KELVIN_TRY(set_name(runs, arena, i));
        KELVIN_TRY(gather(&runs[i], arena, options));
    }
    return KELVIN_OK;
}

void gather_release(struct report_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct report_run *run = &runs[i];
        for (uint32_t k = 0; run->histories && k < run->samples->run->config.chains; k++)
            kelvin_history_close(&run->histories[k]);
        kelvin_diagnosis_free(run->diagnosis);
        kelvin_samples_close(run->samples);
        kelvin_run_close(run->whole);
    }
}
