/* Charts of columns. Shares are in per cent. */
#include "charts/effect_charts.h"

#include <math.h>
#include <stdint.h>

enum { ROW = 20, MIDDLE = 150, NAME = 26, VALUE = 14, CHANGING = 4 };

static const char *short_name(struct chart *chart, const char *name, size_t letters)
{
    const char *text = kelvin_markup_shorten(chart->arena, name, letters);
    if (!text) chart->status = KELVIN_ENOMEM;
    return text ? text : "";
}

/* ---- importance ---- */

/* The most important is on top. */
void kelvin_chart_importance(struct chart *chart, kelvin_arena *arena, const kelvin_effects *effects, size_t colour)
{
    size_t n = 0;
    while (n < CHART_EFFECTS && kelvin_effects_at(effects, n)) n++;
    kelvin_chart_begin(chart, arena, "importance", "Columns by importance");
    chart->subtitle = "what is lost where a column is shuffled, \xc2\xb1 standard error";
    chart->about = "By how much predictions become worse where the values of a column are shuffled among rows.";
    chart->x.label = "nats of log-likelihood, per row";
    chart->x.span = 1e-3;
    struct chart_panel *panel = kelvin_chart_panel(chart, NULL, fmax(40, ROW * (double)n));
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    struct chart_series *bars = kelvin_chart_add(chart, CHART_BARS, NULL, colour, n);
    struct chart_series *points = kelvin_chart_add(chart, CHART_POINTS, NULL, CHART_INK, n);
    if (!names) chart->status = KELVIN_ENOMEM;
    if (!names || !bars || !points) return;
    bars->light = points->across = points->small = true;
    for (size_t i = 0; i < n; i++) {
        const kelvin_effect *e = kelvin_effects_at(effects, i);
        const double row = (double)(n - 1 - i), x = e->importance.mean, error = e->importance.error;
        names[n - 1 - i] = short_name(chart, e->name, NAME);
        bars->points[i] = (struct chart_point){.x = 0, .to = x, .low = row - 0.35, .high = row + 0.35};
        points->points[i] = (struct chart_point){.x = x, .y = row, .low = x - error, .high = x + error};
    }
    panel->y = (struct chart_axis){.names = names, .n_names = n};
}

/* ---- partial dependence ---- */

static bool has_names(const kelvin_effect *effect)
{
    return effect->point[0].name;
}

static void add_class(struct chart *chart, const kelvin_effect *effect, size_t k, const char *name, size_t colour)
{
    const bool named = has_names(effect);
    struct chart_series *band = named ? NULL : kelvin_chart_add(chart, CHART_BAND, NULL, colour, effect->n);
    struct chart_series *line = kelvin_chart_add(chart, named ? CHART_POINTS : CHART_LINE, name, colour, effect->n);
    if (!line || (!named && !band)) return;
    for (size_t i = 0; i < effect->n; i++) {
        const kelvin_effect_point *p = &effect->point[i];
        const struct chart_point at = {
            .x = p->value, .y = 100 * p->p[k].mean, .low = 100 * p->p[k].low, .high = 100 * p->p[k].high};
        line->points[i] = at;
        if (band) band->points[i] = at;
    }
}

static double change_of(const kelvin_effect *effect, size_t k)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < effect->n; i++) {
        least = fmin(least, effect->point[i].p[k].mean);
        most = fmax(most, effect->point[i].p[k].mean);
    }
    return most - least;
}

/* Those whose probability changes most, of equal ones the first. */
static void add_changing(struct chart *chart, const kelvin_effect *effect, const char *const *names, size_t classes)
{
    bool taken[CHANGING] = {false};
    size_t which[CHANGING];
    for (size_t c = 0; c < CHANGING; c++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < classes; k++) {
            bool is_taken = false;
            for (size_t i = 0; i < c; i++) is_taken |= taken[i] && which[i] == k;
            if (!is_taken && (best == SIZE_MAX || change_of(effect, k) > change_of(effect, best))) best = k;
        }
        which[c] = best;
        taken[c] = true;
        add_class(chart, effect, best, short_name(chart, names[best], VALUE), c);
    }
}

static void name_values(struct chart *chart, const kelvin_effect *effect)
{
    const char **names = kelvin_arena_alloc(chart->arena, effect->n, sizeof *names);
    if (!names) chart->status = KELVIN_ENOMEM;
    for (size_t i = 0; i < effect->n && names; i++) names[i] = short_name(chart, effect->point[i].name, VALUE);
    chart->x.names = names;
    chart->x.n_names = effect->n;
}

bool kelvin_chart_dependence(struct chart *chart, kelvin_arena *arena, const kelvin_effect *effect,
                             const char *const *names, size_t classes, size_t colour)
{
    if (effect->n == 0) return false;
    kelvin_chart_begin(chart, arena, "dependence", NULL);
    chart->title = kelvin_chart_text(chart, "By %s", effect->name);
    chart->about = kelvin_chart_text(chart, "Mean probability of classes by %s.", effect->name);
    if (has_names(effect)) name_values(chart, effect);
    const bool two = classes == 2;
    struct chart_panel *panel = kelvin_chart_panel(
        chart, two ? kelvin_chart_text(chart, "%s, %%", short_name(chart, names[1], NAME)) : "probability, %", MIDDLE);
    panel->y.floor = 0;
    panel->y.ceiling = 100;
    panel->y.span = 10;
    if (classes > CHART_COLOURS)
        add_changing(chart, effect, names, classes);
    else
        for (size_t k = two; k < classes; k++)
            add_class(chart, effect, k, two ? NULL : short_name(chart, names[k], VALUE), two ? colour : k);
    return true;
}
