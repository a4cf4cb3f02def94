/* How far cells are: of each the last news of any of its chains. */
#include "cli/cells_progress.h"

#include "cli/amounts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRM = 2, PARTS = 1000000, MOST_NAME = 32 };

static const double recent_seconds = 2; /* a cell of which nothing was heard for longer is not at work */

struct cell_seen {
    double heard; /* kelvin_now(); 0: never */
    double share;
    bool logits;
    uint32_t row, rows;
    const char *row_name;
    size_t said;
    struct value {
        const char *format;
        double value;
    } value[4];
};

kelvin_status cells_progress_start(struct cells_progress *p, const kelvin_experiment *experiment)
{
    const size_t cells = kelvin_experiment_cells(experiment);
    *p = (struct cells_progress){.cells = cells};
    progress_start(&p->whole, "all", PARTS);
    p->seen = kelvin_alloc(cells + 1, sizeof *p->seen);
    p->bars = kelvin_alloc(cells + 1, sizeof *p->bars);
    p->screen = kelvin_alloc(cells + 1, BAR_LINE);
    return p->seen && p->bars && p->screen ? KELVIN_OK : KELVIN_ENOMEM;
}

void cells_progress_end(struct cells_progress *p)
{
    progress_end(&p->whole);
    kelvin_free(p->seen);
    kelvin_free(p->bars);
    kelvin_free(p->screen);
}

/* ---- what is known ---- */

static void hear(struct cell_seen *seen, const kelvin_cell_news *news, double now)
{
    const kelvin_chain_news *chain = news->chain;
    seen->heard = now;
    seen->share = news->cell_share;
    seen->logits = chain->phase == KELVIN_CHAIN_LOGITS;
    if (chain->phase != KELVIN_CHAIN_SAMPLING) return;
    seen->row = chain->row;
    seen->rows = news->run ? chain->rows : 0;
    if (!news->run) return; /* another rank has it */
    seen->row_name = kelvin_run_row_name(news->run);
    if (!chain->values) return;
    seen->said = 0;
    for (size_t i = 0; i < kelvin_run_columns(news->run); i++) {
        const kelvin_statistic *column = kelvin_run_column(news->run, i);
        const double x = chain->values[i] * (column->scale != 0 ? column->scale : 1);
        if (column->shown && isfinite(x) && seen->said < sizeof seen->value / sizeof *seen->value)
            seen->value[seen->said++] = (struct value){column->shown, x};
    }
}

/* ---- what is shown ---- */

static struct bar cell_bar(const char *name, const struct cell_seen *seen)
{
    char short_name[BAR_NAME];
    const char *details = strstr(name, " ("); /* there is no room for them */
    const int length = details && details - name < MOST_NAME ? (int)(details - name) : MOST_NAME;
    snprintf(short_name, sizeof short_name, "%-*.*s", MOST_NAME, length, name);
    struct bar bar = bar_named(short_name, seen->share, FIRM);
    bar_say(&bar, "%3.0f %%", 100 * seen->share);
    if (seen->logits) bar_say(&bar, "logits");
    if (!seen->logits && seen->rows) bar_say(&bar, "%s %" PRIu32 "/%" PRIu32, seen->row_name, seen->row, seen->rows);
    for (size_t i = 0; i < seen->said && !seen->logits; i++) bar_say(&bar, seen->value[i].format, seen->value[i].value);
    return bar;
}

static struct bar whole_bar(const struct cells_progress *p, double now)
{
    const struct progress *whole = &p->whole;
    char name[BAR_NAME];
    snprintf(name, sizeof name, "%-*s", MOST_NAME, "all");
    struct bar bar = bar_named(whole->terminal ? name : "sampling", (double)whole->done / (double)whole->total, FIRM);
    progress_say_share(&bar, whole);
    progress_say_left(&bar, whole, now);
    bar_say(&bar, "%zu of %zu cells done", p->done, p->of);
    return bar;
}

static void show(struct cells_progress *p, const kelvin_experiment *experiment, double now)
{
    const struct bar whole = whole_bar(p, now);
    size_t n = 0;
    for (size_t i = 0, rows = progress_rows_beside(&p->whole); i < p->cells && n < rows; i++)
        if (p->seen[i].heard > 0 && now - p->seen[i].heard < recent_seconds)
            p->bars[n++] = cell_bar(kelvin_experiment_name(experiment, i), &p->seen[i]);
    progress_draw(&p->whole, p->screen, p->bars, n, &whole);
}

bool cells_progress_watch(void *progress, const kelvin_experiment *experiment, const kelvin_cell_news *news)
{
    struct cells_progress *p = progress;
    const double now = kelvin_now();
    const kelvin_chain_phase phase = news->chain->phase;
    if (phase == KELVIN_CHAIN_SAMPLING || phase == KELVIN_CHAIN_LOGITS) hear(&p->seen[news->cell], news, now);
    p->done = news->done;
    p->of = news->cells;
    p->whole.done = (uint64_t)(news->share * PARTS);
    p->whole.done_before = (uint64_t)(news->before * PARTS);
    if (progress_due(&p->whole, now)) show(p, experiment, now);
    return !progress_stopped(&p->whole);
}

/* ---- what it would cost ---- */

kelvin_status cells_print_plan(const kelvin_experiment *experiment, size_t threads)
{
    kelvin_experiment_plan plan;
    char note[160];
    const double cores = threads ? (double)threads : (double)kelvin_cpu_count();
    amount_of_one_rank();
    KELVIN_TRY(kelvin_experiment_estimate(&plan, experiment, threads));
    snprintf(note, sizeof note, "%zu of them have ended", plan.done);
    amount_row("cells", amount_grouped, (double)plan.cells, note);
    amount_row("chains", amount_grouped, (double)plan.chains, "of those that have not");
    snprintf(note, sizeof note, "of all chains; %.0f %% less than if temperatures shared nothing",
             plan.rows_apart > 0 ? 100 * (1 - plan.rows / plan.rows_apart) : 0);
    amount_row("epochs", amount_grouped, plan.rows, note);
    snprintf(note, sizeof note, "at the speed measured now, on %.0f thread%s: %.3g core-days", cores,
             cores > 1 ? "s" : "", plan.seconds * cores / 86400);
    amount_row("time", amount_seconds, plan.seconds, note);
    amount_row("disk", amount_bytes, plan.disk, "at most, beside what is there");
    amount_busy(plan.cpu_share, plan.seconds);
    return KELVIN_OK;
}

kelvin_status cells_sample(kelvin_experiment *experiment, const kelvin_run_options *options)
{
    struct cells_progress progress;
    progress_catch_signals();
    kelvin_status status = cells_progress_start(&progress, experiment);
    if (!status) status = kelvin_experiment_sample(experiment, options, cells_progress_watch, &progress);
    cells_progress_end(&progress);
    if (status == KELVIN_ESTOP)
        return kelvin_fail(status, "stopped; what is done is kept, and the same command goes on from there");
    return status;
}
