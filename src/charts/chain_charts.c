/* Charts of what chains did on their way, and of whether they agree. */
#include "charts/chart_layout.h"
#include "charts/posterior_charts.h"
#include "posterior/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of all lines of a panel together: more are not seen, and make a page heavy. */
enum { POINTS = 3000, MOST = 250, HEAT_CHAINS = 32 };

struct chains {
    struct chart *chart;
    const kelvin_history *histories;
    const kelvin_history *longest;
    size_t n, each; /* chains that are drawn; rows that make a point */
    bool thin;
    size_t warmup; /* the first rows, that are */
};

/* Not a number where a history has no such column: files of earlier versions may differ from chain to chain. */
static double value(const kelvin_history *h, size_t row, const char *column)
{
    const double *found = kelvin_history_at(h, row, column);
    return found ? *found : (double)NAN;
}

static bool has(const struct chains *c, const char *column)
{
    return c->longest && kelvin_history_at(c->longest, 0, column);
}

static struct chains begin(struct chart *chart, const kelvin_history *histories, size_t chains)
{
    struct chains c = {chart, histories, NULL, chains < CHART_CHAINS ? chains : CHART_CHAINS, 1, true, 0};
    for (size_t i = 0; i < c.n; i++)
        if (histories[i].rows > (c.longest ? c.longest->rows : 0)) c.longest = &histories[i];
    const size_t rows = c.longest ? c.longest->rows : 0;
    const size_t most = c.n && POINTS / c.n < MOST ? POINTS / c.n : MOST;
    c.each = (rows + most - 1) / most;
    if (c.each < 1) c.each = 1;
    while (c.warmup < rows && value(c.longest, c.warmup, "warmup") > 0) c.warmup++;
    return c;
}

/* The longest chain alone, where all have the same. */
static struct chains one_of(const struct chains *c)
{
    return (struct chains){c->chart, c->longest, c->longest, 1, c->each, false, c->warmup};
}

/* One line per chain; each point is the mean of `each` rows. */
static void add_lines(const struct chains *c, const char *column, const char *name, size_t colour, double scale)
{
    for (size_t i = 0; i < c->n; i++) {
        const kelvin_history *h = &c->histories[i];
        struct chart_series *s =
            kelvin_chart_add(c->chart, CHART_LINE, i ? NULL : name, colour, (h->rows + c->each - 1) / c->each);
        if (!s) return;
        s->thin = c->thin;
        for (size_t k = 0; k < s->n; k++) {
            const size_t from = k * c->each, until = from + c->each < h->rows ? from + c->each : h->rows;
            for (size_t row = from; row < until; row++) {
                s->points[k].x += value(h, row, h->names[0]) / (double)(until - from);
                s->points[k].y += scale * value(h, row, column) / (double)(until - from);
            }
        }
    }
}

/* The values of a panel after a share of its longest line, without those of lines that ended early: their chains have
 * diverged. Returns how many. */
static size_t later_values(double *values, const struct chart_panel *panel, double share)
{
    size_t longest = 0, n = 0;
    for (const struct chart_series *s = panel->series; s; s = s->next)
        if (s->n > longest) longest = s->n;
    for (const struct chart_series *s = panel->series; s; s = s->next)
        for (size_t k = (size_t)(share * (double)longest); 5 * s->n >= 4 * longest && k < s->n; k++)
            if (isfinite(s->points[k].y)) values[n++] = s->points[k].y;
    return n;
}

/* The range after the first rows, without what is far off from the rest: neither how a chain starts nor how one
 * diverges may hide how the others go on. Lines that leave the panel are cut at its edge. */
static void settle(struct chart *chart, struct chart_panel *panel)
{
    static const double first = 0.15, off = 0.005, far = 0.5;
    size_t room = 0;
    for (const struct chart_series *s = panel->series; s; s = s->next) room += s->n;
    double *values = kelvin_arena_alloc(chart->arena, room + 1, sizeof *values);
    if (!values) chart->status = KELVIN_ENOMEM;
    const size_t n = values ? later_values(values, panel, first) : 0;
    if (n < 2) return;
    kelvin_sort(values, n);
    const size_t cut = (size_t)ceil(off * (double)n);
    double least = values[cut < n / 2 ? cut : 0], most = values[cut < n / 2 ? n - 1 - cut : n - 1];
    const double span = far * (most - least);
    if (values[0] >= least - span) least = values[0];
    if (values[n - 1] <= most + span) most = values[n - 1];
    kelvin_chart_widen(&panel->y, &least, &most);
    if (!(least < most)) return;
    panel->y.low = least - 0.06 * (most - least);
    panel->y.high = most + 0.06 * (most - least);
}

/* Where chains ended before the others, for they have diverged: near the edge of the panel, if that is beyond it. */
static void mark_ends(const struct chains *c, struct chart_panel *panel)
{
    size_t n = 0;
    struct chart_series *last[CHART_CHAINS], *line = panel->series;
    for (size_t i = 0; i < c->n && line; i++, line = line->next)
        if (line->n && c->histories[i].rows < c->longest->rows) last[n++] = line;
    if (n == 0) return;
    struct chart_series *ends = kelvin_chart_add(c->chart, CHART_POINTS, "a chain ended", 1, n);
    if (!ends) return;
    ends->hollow = ends->small = true;
    for (size_t i = 0; i < n; i++) {
        const struct chart_point *p = &last[i]->points[last[i]->n - 1];
        const double room = 0.07 * (panel->y.high - panel->y.low); /* for the mark; not a number: the axis is free */
        double y = p->y;
        if (room > 0) y = fmin(fmax(y, panel->y.low + room), panel->y.high - room);
        ends->points[i] = (struct chart_point){.x = p->x, .y = y};
    }
}

/* A veil over the rows of warm-up, in the panel that was added last. A row reaches half-way to the next; the axis
 * begins with the first, so that no strip beside it seems to count. */
static void mark_warmup(const struct chains *c)
{
    const kelvin_history *h = c->longest;
    if (c->warmup == 0) return;
    struct chart_series *veil =
        kelvin_chart_add(c->chart, CHART_BAND, "warm-up, left out of every answer", CHART_GREY, 2);
    if (!veil) return;
    veil->tall = true;
    veil->points[0].x = c->chart->x.low = value(h, 0, h->names[0]) - 0.5;
    veil->points[1].x = value(h, c->warmup - 1, h->names[0]) + 0.5;
}

/* Learning rate and temperature as shares of their largest values: both start and end where the other does. */
static void add_schedule(const struct chains *c)
{
    static const struct {
        const char *column, *title;
        size_t colour;
    } shown[] = {{"lr", "lr", CHART_GREY}, {"temperature", "T", CHART_INK}};
    const struct chains one = one_of(c);
    struct chart_panel *panel = kelvin_chart_panel(c->chart, "schedule", 52);
    panel->y.low = -0.08;
    panel->y.high = 1.08;
    for (size_t i = 0; i < 2; i++) {
        double most = 0;
        for (size_t row = 0; row < c->longest->rows; row++) most = fmax(most, value(c->longest, row, shown[i].column));
        add_lines(&one, shown[i].column, kelvin_chart_text(c->chart, "%s / %.4g", shown[i].title, most > 0 ? most : 1),
                  shown[i].colour, most > 0 ? 1 / most : 1);
    }
    mark_warmup(c);
}

static void finish(const struct chains *c, size_t chains)
{
    struct chart *chart = c->chart;
    chart->x.label = c->longest ? c->longest->names[0] : "epoch";
    chart->subtitle = c->n < chains ? kelvin_chart_text(chart, "the first %zu of %zu chains", c->n, chains)
                      : chains == 1 ? "one chain"
                                    : kelvin_chart_text(chart, "%zu chains", chains);
    if (c->warmup > 0)
        chart->about = kelvin_chart_text(chart, "%s Warm-up: %zu of %zu %ss.", chart->about, c->warmup,
                                         c->longest->rows, chart->x.label);
    if (c->each > 1)
        chart->subtitle =
            kelvin_chart_text(chart, "%s; a point is the mean of %zu %ss", chart->subtitle, c->each, chart->x.label);
}

void kelvin_chart_learning(struct chart *chart, kelvin_arena *arena, const kelvin_history *histories, size_t chains,
                           size_t colour)
{
    static const struct {
        const char *column, *label;
        double scale;
    } panels[] = {
        {"training_accuracy", "training accuracy, %", 100},
        {"confidence", "confidence, %", 100},
        {"log_posterior", "log-posterior", 1},
        {"acceptance", "acceptance, %", 100},
    };
    kelvin_chart_begin(chart, arena, "learning", "Learning curves");
    chart->about = "How each chain went on: training accuracy, confidence and log-posterior.";
    const struct chains c = begin(chart, histories, chains);
    const bool schedule = has(&c, "lr") && has(&c, "temperature");
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        if (!has(&c, panels[i].column) || chart->n_panels + schedule == CHART_PANELS) continue;
        struct chart_panel *panel = kelvin_chart_panel(chart, panels[i].label, 90);
        if (panels[i].scale == 100) panel->y.ceiling = 100, panel->y.span = 0.1; /* shares */
        add_lines(&c, panels[i].column, "each chain", colour, panels[i].scale);
        settle(chart, panel);
        mark_ends(&c, panel);
        mark_warmup(&c);
    }
    if (schedule) add_schedule(&c);
    finish(&c, chains);
}

bool kelvin_chart_heat(struct chart *chart, kelvin_arena *arena, const kelvin_history *histories, size_t chains,
                       size_t colour)
{
    static const struct {
        const char *column, *label;
    } panels[] = {{"kinetic_temperature", "kinetic temperature"},
                  {"configurational_temperature", "configurational temperature"}};
    kelvin_chart_begin(chart, arena, "heat", "Temperatures on the way");
    chart->about = "Temperatures of each chain, as they were measured, against the one that was set.";
    const struct chains c = begin(chart, histories, chains), one = one_of(&c);
    for (size_t i = 0; i < 2; i++) {
        if (!has(&c, panels[i].column)) continue;
        struct chart_panel *panel = kelvin_chart_panel(chart, panels[i].label, 172);
        add_lines(&c, panels[i].column, "measured, each chain", colour, 1);
        if (has(&c, "temperature"))
            add_lines(&one, "temperature", "set", CHART_INK, 1); /* older ones may not have it */
        settle(chart, panel);
        mark_ends(&c, panel);
        mark_warmup(&c);
    }
    finish(&c, chains);
    return chart->n_panels > 0;
}

bool kelvin_chart_agreement(struct chart *chart, kelvin_arena *arena, const kelvin_agreement *agreement, double darkest,
                            size_t colour)
{
    const size_t n = agreement->chains < HEAT_CHAINS ? agreement->chains : HEAT_CHAINS;
    if (agreement->chains < 2) return false;
    kelvin_chart_begin(chart, arena, "agreement", "Disagreement of chains");
    chart->about = "Share of observations for which each two chains predict another class.";
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    struct chart_panel *panel = kelvin_chart_panel(chart, "chain", fmin(260, 26 * (double)n + 40));
    struct chart_series *s = kelvin_chart_add(chart, CHART_HEAT, NULL, colour, n * n);
    if (!names) chart->status = KELVIN_ENOMEM;
    if (!names || !s) return true;
    for (size_t i = 0; i < n * n; i++) {
        const size_t a = i / n, b = i % n;
        const double share = 100 * agreement->disagreement[a * agreement->chains + b];
        s->points[i] = (struct chart_point){(double)b - 0.5, share, (double)a - 0.5, (double)a + 0.5, (double)b + 0.5};
    }
    for (size_t i = 0; i < n; i++) names[i] = kelvin_chart_text(chart, "%u", agreement->number[i]);
    panel->y.names = chart->x.names = names;
    panel->y.n_names = chart->x.n_names = n;
    chart->x.label = n < agreement->chains
                         ? kelvin_chart_text(chart, "chain (%zu of %zu are shown)", n, agreement->chains)
                         : "chain";
    chart->subtitle = "how often two chains predict another class";
    chart->darkest = 100 * darkest;
    chart->heat_label = "% of observations";
    return true;
}
