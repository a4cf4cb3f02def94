/* How far chains are. All that is known is the last news of each; the whole is added up from them.
 *
 *     left = (work of all chains - done) / (done in this session / seconds of this session)
 *
 * The work of a chain that diverged is what it had done. */
#include "cli/chains_progress.h"

#include "cli/amounts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRM = 2 }; /* statements that matter more than a bar */

static const double newest = 0.1; /* its weight in what is smoothed: with ten news a second that is about a second */

kelvin_status chains_progress_start(struct chains_progress *p, const kelvin_run *run)
{
    const uint32_t chains = kelvin_run_chains(run);
    const size_t lines = (size_t)chains + 1;
    *p = (struct chains_progress){.run = run, .chains = chains, .columns = kelvin_run_columns(run)};
    progress_start(&p->whole, "all", 1);
    p->seen = kelvin_alloc(chains, sizeof *p->seen);
    p->values = kelvin_alloc(chains * p->columns, sizeof *p->values);
    p->bars = kelvin_alloc(lines, sizeof *p->bars);
    p->screen = kelvin_alloc(lines, BAR_LINE);
    if (!p->seen || !p->values || !p->bars || !p->screen) return KELVIN_ENOMEM;
    for (uint32_t i = 0; i < chains; i++) p->seen[i].value = p->values + i * p->columns;
    return KELVIN_OK;
}

void chains_progress_end(struct chains_progress *p)
{
    progress_end(&p->whole);
    kelvin_free(p->seen);
    kelvin_free(p->values);
    kelvin_free(p->bars);
    kelvin_free(p->screen);
}

/* ---- what is known ---- */

static void add_up(struct chains_progress *p)
{
    struct progress *whole = &p->whole;
    whole->done = whole->total = whole->done_before = 0;
    for (uint32_t i = 0; i < p->chains; i++) {
        const struct chain_seen *seen = &p->seen[i];
        whole->done += seen->news.step;
        whole->done_before += seen->before;
        whole->total += seen->news.phase == KELVIN_CHAIN_DIVERGED ? seen->news.step : p->steps;
    }
    if (whole->total == 0) whole->total = 1; /* all diverged in their first step */
}

/* The first of them count alike, as in a mean; after that the newest has always the same weight. */
static void hear_values(const struct chains_progress *p, struct chain_seen *seen, const double *values)
{
    const double weight = fmax(newest, 1.0 / ++seen->told);
    for (size_t i = 0; i < p->columns; i++)
        if (isfinite(values[i]) && isfinite(seen->value[i]))
            seen->value[i] += weight * (values[i] - seen->value[i]);
        else
            seen->value[i] = values[i];
}

static void hear_chain(struct chains_progress *p, const kelvin_chain_news *news)
{
    if (news->chain >= p->chains) return;
    struct chain_seen *seen = &p->seen[news->chain];
    const bool moved = !seen->heard || news->step > seen->news.step;
    if (!seen->heard) seen->before = news->step;
    if (news->values && moved) hear_values(p, seen, news->values);
    seen->heard = true;
    seen->news = *news;
    seen->news.values = NULL; /* they are the chain's */
    seen->speed += (seen->speed > 0 ? newest : 1) * (news->steps_per_s - seen->speed);
    if (news->step > news->steps) seen->news.step = news->steps;
    if (seen->news.step < seen->before) seen->before = seen->news.step;
    p->steps = news->steps;
    add_up(p);
}

/* The logits of samples are work of another kind: rate and time left begin anew. */
static void hear_logits(struct chains_progress *p, const kelvin_chain_news *news, double now)
{
    if (!p->logits) {
        p->logits = true;
        p->whole.started = now;
        p->whole.done_before = news->step;
        p->whole.shown_tenths = 0;
    }
    p->whole.total = news->steps ? news->steps : 1;
    p->whole.done = news->step < p->whole.total ? news->step : p->whole.total;
}

/* ---- what is said ---- */

static int digits(uint32_t x)
{
    return snprintf(NULL, 0, "%" PRIu32, x);
}

static void say_values(struct bar *bar, const struct chains_progress *p, const struct chain_seen *seen, size_t from,
                       size_t to)
{
    for (size_t i = from; i < to; i++) {
        const kelvin_statistic *column = kelvin_run_column(p->run, i);
        const double scale = column->scale != 0 ? column->scale : 1;
        if (column->shown && isfinite(seen->value[i])) bar_say(bar, column->shown, scale * seen->value[i]);
    }
}

/* What its sampler alone tells comes first, for what comes last is left out where lines are short.
 * "chain 3", with room for the number of the last chain. */
static struct bar chain_bar(const struct chains_progress *p, const struct chain_seen *seen)
{
    const kelvin_chain_news *news = &seen->news;
    char name[BAR_NAME];
    snprintf(name, sizeof name, "chain %*" PRIu32, digits(p->chains - 1), news->chain);
    struct bar bar = bar_named(name, news->steps ? (double)news->step / (double)news->steps : 0, FIRM);
    bar_say(&bar, "%s %*" PRIu32 "/%" PRIu32, kelvin_run_row_name(p->run), digits(news->rows), news->row, news->rows);
    if (seen->told == 0) return bar;
    const size_t own = p->columns - kelvin_run_own_columns(p->run);
    say_values(&bar, p, seen, own, p->columns);
    say_values(&bar, p, seen, 0, own);
    return bar;
}

static uint32_t count_phase(const struct chains_progress *p, kelvin_chain_phase phase)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->chains; i++) n += p->seen[i].heard && p->seen[i].news.phase == phase;
    return n;
}

const char *observations_name(const kelvin_run *run)
{
    return kelvin_data_is_images(kelvin_run_data(run)) ? "images" : "rows";
}

/* A step is a batch of observations, or a whole iteration. */
static void say_speed(struct bar *bar, const struct chains_progress *p)
{
    const bool batches = kelvin_run_looks_at_batches(p->run);
    double sum = 0;
    for (uint32_t i = 0; i < p->chains; i++)
        if (p->seen[i].news.phase == KELVIN_CHAIN_SAMPLING) sum += p->seen[i].speed;
    if (!(sum > 0)) return;
    char text[AMOUNT];
    if (batches)
        amount_grouped(text, sum * kelvin_run_number(p->run, "batch"));
    else
        amount_rate(text, sum);
    bar_say(bar, "%s %s/s", text, batches ? observations_name(p->run) : "iterations");
}

static struct bar whole_bar(const struct chains_progress *p, double now)
{
    const struct progress *whole = &p->whole;
    const uint32_t done = count_phase(p, KELVIN_CHAIN_DONE), diverged = count_phase(p, KELVIN_CHAIN_DIVERGED);
    char name[BAR_NAME];
    snprintf(name, sizeof name, "%-*s", (int)strlen("chain ") + digits(p->chains - 1), p->logits ? "logits" : "all");
    struct bar bar = bar_named(whole->terminal ? name
                               : p->logits     ? "logits"
                                               : "sampling",
                               (double)whole->done / (double)whole->total, FIRM);
    progress_say_share(&bar, whole);
    progress_say_left(&bar, whole, now);
    if (!p->logits)
        bar_say(&bar, "%" PRIu32 " of %" PRIu32 " chain%s done", done, p->chains, p->chains == 1 ? "" : "s");
    if (diverged) bar_say(&bar, "%" PRIu32 " diverged", diverged);
    if (!p->logits) say_speed(&bar, p);
    return bar;
}

/* On a terminal the chains at work, as many as it has lines, and the whole. */
static void show(struct chains_progress *p, double now)
{
    const struct bar whole = whole_bar(p, now);
    size_t n = 0;
    for (size_t i = 0, rows = progress_rows_beside(&p->whole); i < p->chains && n < rows && !p->logits; i++)
        if (p->seen[i].news.phase == KELVIN_CHAIN_SAMPLING) p->bars[n++] = chain_bar(p, &p->seen[i]);
    progress_draw(&p->whole, p->screen, p->bars, n, &whole);
}

bool chains_progress_watch(void *progress, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)run;
    struct chains_progress *p = progress;
    const double now = kelvin_now();
    if (news->phase == KELVIN_CHAIN_LOGITS)
        hear_logits(p, news, now);
    else
        hear_chain(p, news);
    if (progress_due(&p->whole, now)) show(p, now);
    return !progress_stopped(&p->whole);
}
