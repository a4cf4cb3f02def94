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

/* Of numbers a line with a band. */
static void add_line(struct chart *chart, const kelvin_effect *effect, size_t k, const char *name, size_t colour)
{
    struct chart_series *band = kelvin_chart_add(chart, CHART_BAND, NULL, colour, effect->n);
    struct chart_series *line = kelvin_chart_add(chart, CHART_LINE, name, colour, effect->n);
    for (size_t i = 0; i < effect->n && band && line; i++) {
        const kelvin_effect_point *p = &effect->point[i];
        line->points[i] = band->points[i] = (struct chart_point){
            .x = p->value, .y = 100 * p->p[k].mean, .low = 100 * p->p[k].low, .high = 100 * p->p[k].high};
    }
}

/* Of values that have names a row for each, the first on top; classes a little beneath each other. */
static void add_rows(struct chart *chart, const kelvin_effect *effect, size_t k, const char *name, size_t colour,
                     double shift)
{
    struct chart_series *s = kelvin_chart_add(chart, CHART_POINTS, name, colour, effect->n);
    if (s) s->across = true;
    for (size_t i = 0; i < effect->n && s; i++) {
        const kelvin_effect_spread *p = &effect->point[i].p[k];
        const double row = (double)(effect->n - 1 - i) + shift;
        s->points[i] = (struct chart_point){.x = 100 * p->mean, .y = row, .low = 100 * p->low, .high = 100 * p->high};
    }
}

static void add_class(struct chart *chart, const kelvin_effect *effect, size_t k, const char *name, size_t colour,
                      double shift)
{
    if (has_names(effect))
        add_rows(chart, effect, k, name, colour, shift);
    else
        add_line(chart, effect, k, name, colour);
}

/* Where the i-th of n stands in a row. */
static double shift_of(size_t i, size_t n)
{
    return 0.6 * (((double)n - 1) / 2 - (double)i) / (double)n;
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
        add_class(chart, effect, best, short_name(chart, names[best], VALUE), c, shift_of(c, CHANGING));
    }
}

/* Where the probabilities of all columns are, with some room: what matters less shall not look as if it did. */
static struct chart_axis axis_of_all(const kelvin_effects *effects, const char *label, size_t classes)
{
    const kelvin_effect *effect;
    double least = INFINITY, most = -INFINITY;
    for (size_t e = 0; (effect = kelvin_effects_at(effects, e)); e++)
        for (size_t i = 0; i < effect->n; i++)
            for (size_t k = classes == 2; k < classes; k++) {
                least = fmin(least, 100 * effect->point[i].p[k].low);
                most = fmax(most, 100 * effect->point[i].p[k].high);
            }
    const double room = fmax(0.04 * (most - least), 1);
    return (struct chart_axis){
        .label = label, .low = fmax(least - room, -2), .high = fmin(most + room, 102), .floor = 0, .ceiling = 100};
}

/* The axis of what is predicted, and that of the values. */
static void set_axes(struct chart *chart, const kelvin_effect *effect, struct chart_axis share)
{
    if (!has_names(effect)) {
        kelvin_chart_panel(chart, share.label, MIDDLE)->y = share;
        return;
    }
    const char **names = kelvin_arena_alloc(chart->arena, effect->n, sizeof *names);
    if (!names) chart->status = KELVIN_ENOMEM;
    for (size_t i = 0; i < effect->n && names; i++)
        names[effect->n - 1 - i] = short_name(chart, effect->point[i].name, NAME);
    chart->x = share;
    kelvin_chart_panel(chart, NULL, fmax(MIDDLE, ROW * (double)effect->n))->y =
        (struct chart_axis){.names = names, .n_names = names ? effect->n : 0};
}

bool kelvin_chart_dependence(struct chart *chart, kelvin_arena *arena, const kelvin_effects *effects, size_t i,
                             const char *const *names, size_t classes, size_t colour)
{
    const kelvin_effect *effect = kelvin_effects_at(effects, i);
    if (!effect || effect->n == 0) return false;
    kelvin_chart_begin(chart, arena, "dependence", NULL);
    chart->title = kelvin_chart_text(chart, "By %s", effect->name);
    chart->about = kelvin_chart_text(chart, "Mean probability of classes by %s.", effect->name);
    const bool two = classes == 2;
    const char *label = two ? kelvin_chart_text(chart, "%s, %%", short_name(chart, names[1], NAME)) : "probability, %";
    set_axes(chart, effect, axis_of_all(effects, label, classes));
    if (classes > CHART_COLOURS)
        add_changing(chart, effect, names, classes);
    else
        for (size_t k = two; k < classes; k++)
            add_class(chart, effect, k, two ? NULL : short_name(chart, names[k], VALUE), two ? colour : k,
                      two ? 0 : shift_of(k, classes));
    return true;
}
