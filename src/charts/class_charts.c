/* Charts by class. Shares are in per cent. */
#include "charts/class_charts.h"

#include "posterior/stats.h"

#include <math.h>

enum { SQUARE = 290, NAME = 20, WORST = 3, GRID = 101 };

/* ---- ROC ---- */

static const char *short_name(struct chart *chart, const char *name)
{
    const char *text = kelvin_markup_shorten(chart->arena, name, NAME);
    if (!text) chart->status = KELVIN_ENOMEM;
    return text ? text : "";
}

static void curve(struct chart *chart, const struct charted_classes *of, size_t label, size_t colour)
{
    const struct kelvin_roc *roc = &of->confusion->roc[label];
    if (roc->n == 0) return;
    const char *name = kelvin_chart_text(chart, "%s %.3f", short_name(chart, of->names[label]), roc->auc);
    struct chart_series *s = kelvin_chart_add(chart, CHART_LINE, name, colour, roc->n);
    for (size_t i = 0; s && i < roc->n; i++)
        s->points[i] = (struct chart_point){.x = 100 * roc->points[i].others, .y = 100 * roc->points[i].own};
}

/* x: room for all classes. Returns how many of them have a curve. */
static size_t own_shares(double *x, const kelvin_confusion *c, double others)
{
    size_t n = 0;
    for (size_t k = 0; k < c->classes; k++)
        if (c->roc[k].n > 0) x[n++] = kelvin_roc_at(&c->roc[k], others);
    return n;
}

static void mean_curve(struct chart *chart, const kelvin_confusion *c, size_t colour)
{
    struct chart_series *band = kelvin_chart_add(chart, CHART_BAND, "10 .. 90 % of classes", colour, GRID);
    struct chart_series *mean = kelvin_chart_add(
        chart, CHART_LINE, kelvin_chart_text(chart, "mean %.3f", kelvin_confusion_auc_mean(c)), colour, GRID);
    double *x = kelvin_arena_alloc(chart->arena, c->classes, sizeof *x);
    if (!x) chart->status = KELVIN_ENOMEM;
    if (!x || !band || !mean) return;
    for (size_t i = 0; i < GRID; i++) {
        const double others = (double)i / (GRID - 1);
        const size_t n = own_shares(x, c, others);
        mean->points[i] = (struct chart_point){.x = 100 * others, .y = 100 * kelvin_mean(x, n)};
        kelvin_sort(x, n);
        band->points[i] = (struct chart_point){
            .x = 100 * others, .low = 100 * kelvin_quantile(x, n, 0.1), .high = 100 * kelvin_quantile(x, n, 0.9)};
    }
}

static bool is_among(const size_t *list, size_t n, size_t label)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == label) return true;
    return false;
}

/* Those of the smallest area, of equal ones the first. */
static void worst_curves(struct chart *chart, const struct charted_classes *of, size_t colour)
{
    const kelvin_confusion *c = of->confusion;
    size_t taken[WORST];
    for (size_t i = 0; i < WORST; i++) {
        size_t worst = SIZE_MAX;
        for (size_t k = 0; k < c->classes; k++) {
            if (c->roc[k].n == 0 || is_among(taken, i, k)) continue;
            if (worst == SIZE_MAX || c->roc[k].auc < c->roc[worst].auc) worst = k;
        }
        if (worst == SIZE_MAX) return;
        taken[i] = worst;
        curve(chart, of, worst, (colour + 1 + i) % CHART_COLOURS);
    }
}

bool kelvin_chart_roc(struct chart *chart, kelvin_arena *arena, const struct charted_classes *of, size_t colour)
{
    const kelvin_confusion *c = of->confusion;
    const double mean = kelvin_confusion_auc_mean(c);
    if (isnan(mean)) return false;
    kelvin_chart_begin(chart, arena, "roc", "ROC curves");
    chart->subtitle = c->classes == 2
                          ? kelvin_chart_text(chart, "area under the curve %.4f", c->roc[1].auc)
                          : kelvin_chart_text(chart, "a class against the rest, and its area; mean %.4f", mean);
    chart->about = kelvin_chart_text(chart,
                                     "Share of a class that is found by the share of others that are taken for "
                                     "it; %s.",
                                     chart->subtitle);
    chart->x = (struct chart_axis){.label = "false positives: of others, taken for it, %", .low = -1, .high = 101, .ceiling = 100};
    struct chart_panel *panel = kelvin_chart_panel(chart, "true positives: of the class, found, %", SQUARE);
    panel->y = (struct chart_axis){.label = panel->y.label, .low = -1, .high = 101, .ceiling = 100};
    if (c->classes > CHART_COLOURS) {
        mean_curve(chart, c, colour);
        worst_curves(chart, of, colour);
    } else {
        for (size_t k = c->classes == 2; k < c->classes; k++)
            curve(chart, of, k, c->classes == 2 ? colour : k % CHART_COLOURS);
    }
    kelvin_chart_reference(chart, "chance", 0, 0, 100, 100);
    return true;
}

/* ---- mistakes ---- */

static size_t count_kinds(const kelvin_confusion *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->classes * c->classes; i++) n += c->count[i] > 0 && i / c->classes != i % c->classes;
    return n;
}

/* The first class is on top. */
static void set_names(struct chart *chart, struct chart_panel *panel, const struct charted_classes *of)
{
    const size_t n = of->confusion->classes;
    const char **across = kelvin_arena_alloc(chart->arena, n, sizeof *across);
    const char **down = kelvin_arena_alloc(chart->arena, n, sizeof *down);
    if (!across || !down) chart->status = KELVIN_ENOMEM;
    for (size_t k = 0; k < n && across && down; k++) across[k] = down[n - 1 - k] = short_name(chart, of->names[k]);
    chart->x.names = across;
    panel->y.names = down;
    chart->x.n_names = panel->y.n_names = n;
}

bool kelvin_chart_mistakes(struct chart *chart, kelvin_arena *arena, const struct charted_classes *of, size_t colour)
{
    const kelvin_confusion *c = of->confusion;
    const size_t kinds = count_kinds(c);
    if (kinds == 0) return false;
    kelvin_chart_begin(chart, arena, "mistakes", "What is taken for what");
    chart->subtitle = "mistakes alone: the share of a class that is taken for another";
    chart->about = "Share of each class that is taken for each other class.";
    chart->x.label = "predicted";
    chart->heat_label = "% of a class";
    struct chart_panel *panel = kelvin_chart_panel(chart, "is", SQUARE);
    set_names(chart, panel, of);
    struct chart_series *s = kelvin_chart_add(chart, CHART_HEAT, NULL, colour, kinds);
    for (size_t label = 0, i = 0; s && label < c->classes; label++) {
        const double each = 100 / (double)kelvin_confusion_observations(c, label);
        const double row = (double)(c->classes - 1 - label);
        for (size_t k = 0; k < c->classes; k++) {
            const size_t n = kelvin_confusion_count(c, label, k);
            if (k == label || n == 0) continue;
            s->points[i++] = (struct chart_point){.x = (double)k - 0.5,
                                                  .to = (double)k + 0.5,
                                                  .low = row - 0.5,
                                                  .high = row + 0.5,
                                                  .y = each * (double)n};
        }
    }
    return true;
}
