/* How a chart is put together. */
#include "charts/chart.h"

#include "base/texts.h"

#include <math.h>

void kelvin_chart_begin(struct chart *chart, kelvin_arena *arena, const char *name, const char *title)
{
    *chart = (struct chart){.name = name, .title = title, .arena = arena};
    chart->x.low = chart->x.high = NAN;
}

struct chart_panel *kelvin_chart_panel(struct chart *chart, const char *label, double height)
{
    struct chart_panel *panel = &chart->panel[chart->n_panels++];
    *panel = (struct chart_panel){.y = {.label = label, .low = NAN, .high = NAN}, .height = height};
    panel->end = &panel->series;
    return panel;
}

struct chart_series *kelvin_chart_add(struct chart *chart, enum chart_kind kind, const char *name, size_t colour,
                                      size_t n)
{
    struct chart_panel *panel = &chart->panel[chart->n_panels - 1];
    struct chart_series *series = kelvin_arena_alloc(chart->arena, 1, sizeof *series);
    struct chart_point *points = kelvin_arena_alloc(chart->arena, n + 1, sizeof *points);
    if (!series || !points) {
        chart->status = KELVIN_ENOMEM;
        return NULL;
    }
    *series = (struct chart_series){.kind = kind, .name = name, .colour = colour, .n = n, .points = points};
    *panel->end = series;
    panel->end = &series->next;
    return series;
}

void kelvin_chart_reference(struct chart *chart, const char *name, double x0, double y0, double x1, double y1)
{
    struct chart_series *line = kelvin_chart_add(chart, CHART_LINE, name, CHART_GREY, 2);
    if (!line) return;
    line->dashed = true;
    line->points[0] = (struct chart_point){.x = x0, .y = y0};
    line->points[1] = (struct chart_point){.x = x1, .y = y1};
}

const char *kelvin_chart_text(struct chart *chart, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = kelvin_arena_print(chart->arena, format, args);
    va_end(args);
    if (!text) chart->status = KELVIN_ENOMEM;
    return text ? text : "";
}
