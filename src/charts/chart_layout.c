/* From points to ranges, from ranges to ticks, from the widths of their labels to margins. */
#include "charts/chart_layout.h"

#include <math.h>
#include <string.h>

enum { LINE = 17, GAP = 8, RIGHT = 14, KEY_GAP = 14, TICK = 4 };

/* About as wide as most fonts have it. */
static double text_width(const struct chart_layout *layout, const char *text)
{
    double letters = (double)kelvin_markup_letters(text);
    for (; *text; text++)
        letters += strchr("ijl.,:'| ", *text) ? -0.48
                   : strchr("ftr", *text)     ? -0.33
                   : strchr("mwMW%", *text)   ? 0.45
                                              : 0;
    return layout->letter * CHART_FONT * letters;
}

/* ---- ranges ---- */

struct extent {
    double least, largest;
};

static void meet(struct extent *extent, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0)) return;
    extent->least = fmin(extent->least, value);
    extent->largest = fmax(extent->largest, value);
}

static const struct extent nothing = {INFINITY, -INFINITY};

static void meet_x(struct extent *extent, const struct chart_series *series, bool log)
{
    for (size_t i = 0; i < series->n; i++) {
        const struct chart_point *p = &series->points[i];
        meet(extent, p->x, log);
        if (series->kind == CHART_BARS || series->kind == CHART_HEAT) meet(extent, p->to, log);
        if (series->across && p->low < p->high) meet(extent, p->low, log), meet(extent, p->high, log);
    }
}

static void meet_y(struct extent *extent, const struct chart_series *series, bool log)
{
    const bool spans = series->kind == CHART_BAND || series->kind == CHART_BARS || series->kind == CHART_HEAT;
    for (size_t i = 0; i < series->n; i++) {
        const struct chart_point *p = &series->points[i];
        const bool bar = series->kind == CHART_POINTS && !series->across && p->low < p->high;
        if (!spans) meet(extent, p->y, log);
        if ((spans && !series->tall) || bar) meet(extent, p->low, log), meet(extent, p->high, log);
    }
}

/* ---- ticks ---- */

static size_t name_ticks(struct chart_tick ticks[CHART_TICKS], const struct chart_axis *axis, size_t most)
{
    size_t each = 1, n = 0;
    if (most > CHART_TICKS) most = CHART_TICKS;
    while (axis->n_names > each * most) each++;
    for (size_t i = 0; i < axis->n_names; i += each) ticks[n++].at = (double)i;
    return n;
}

const char *kelvin_chart_tick_name(const struct chart_axis *axis, const struct chart_tick *tick)
{
    return axis->names ? axis->names[(size_t)tick->at] : tick->label;
}

static double widest(const struct chart_layout *layout, const struct chart_axis *axis, const struct chart_tick *ticks,
                     size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, text_width(layout, kelvin_chart_tick_name(axis, &ticks[i])));
    return most;
}

static size_t fit(double space, double each)
{
    const double n = floor(space / each);
    return n < 2 ? 2 : n > CHART_TICKS ? CHART_TICKS : (size_t)n;
}

/* Ticks at values that can be. An axis keeps its last one: without a number it says nothing. */
static size_t number_ticks(struct chart_tick ticks[CHART_TICKS], const struct chart_axis *axis,
                           const struct chart_range *range, size_t most)
{
    const size_t all = kelvin_chart_ticks(ticks, range, most);
    size_t n = 0;
    for (size_t i = 0; i < all; i++)
        if (kelvin_chart_possible(axis, ticks[i].at) || (n == 0 && i + 1 == all)) ticks[n++] = ticks[i];
    return n;
}

/* As many as have room beside each other, which depends on what is written there. */
static void set_x_ticks(struct chart_layout *layout, const struct chart *chart)
{
    const double room = layout->frame[0].right - layout->frame[0].left;
    for (size_t most = chart->x.names ? CHART_TICKS : 8; most >= 2; most--) {
        layout->n_ticks = chart->x.names ? name_ticks(layout->ticks, &chart->x, most)
                                         : number_ticks(layout->ticks, &chart->x, &layout->frame[0].x, most);
        if (widest(layout, &chart->x, layout->ticks, layout->n_ticks) + 10 <= room / (double)layout->n_ticks) return;
    }
}

/* ---- the legend ---- */

static bool is_key(const struct chart_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->n_keys; i++)
        if (strcmp(layout->keys[i].series->name, name) == 0) return true;
    return false;
}

static void add_key(struct chart_layout *layout, const struct chart_series *s, double *x, double *y)
{
    const double width = CHART_SWATCH + 6 + text_width(layout, s->name);
    if (*x > 2 && *x + width > CHART_WIDTH) *x = 2, *y += LINE;
    layout->keys[layout->n_keys++] = (struct chart_key){s, *x, *y};
    *x += width + KEY_GAP;
}

/* Names of the first panel from left to right, in as many lines as it takes; returns where the next thing can stand. */
static double set_keys(struct chart_layout *layout, const struct chart *chart, double top)
{
    double x = 2, y = top + LINE / 2.0;
    for (const struct chart_series *s = chart->n_panels ? chart->panel[0].series : NULL; s; s = s->next)
        if (s->name && !is_key(layout, s->name) && layout->n_keys < CHART_KEYS) add_key(layout, s, &x, &y);
    return layout->n_keys ? y + LINE / 2.0 + 4 : top;
}

/* What only a later panel has stands in the line of that panel's label, or in lines of its own beneath; returns how
 * much more room that takes. */
static double set_later_keys(struct chart_layout *layout, const struct chart_panel *panel, double top)
{
    const double first = top + 3 + LINE / 2.0;
    double x = panel->y.label ? 2 + text_width(layout, panel->y.label) + KEY_GAP : 2, y = first;
    for (const struct chart_series *s = panel->series; s; s = s->next)
        if (s->name && !is_key(layout, s->name) && layout->n_keys < CHART_KEYS) add_key(layout, s, &x, &y);
    return y - first + (!panel->y.label && x > 2 ? LINE : 0);
}

/* "0", the scale, its largest value and what it is of, in a line of their own. */
static double set_scale(struct chart_layout *layout, const struct chart *chart, double top)
{
    for (size_t i = 0; i < chart->n_panels; i++)
        for (const struct chart_series *s = chart->panel[i].series; s; s = s->next) {
            if (s->kind != CHART_HEAT) continue;
            layout->heat_colour = s->colour;
            for (size_t k = 0; k < s->n && !(chart->darkest > 0); k++)
                if (isfinite(s->points[k].y)) layout->darkest = fmax(layout->darkest, s->points[k].y);
            if (chart->darkest > 0) layout->darkest = chart->darkest;
        }
    if (!(layout->darkest > 0)) return top;
    snprintf(layout->heat_words, sizeof layout->heat_words, "%.3g %.60s", layout->darkest,
             chart->heat_label ? chart->heat_label : "");
    layout->heat_x = 2 + text_width(layout, "0") + 6;
    layout->heat_y = top + LINE / 2.0;
    return top + LINE + 4;
}

/* ---- panels ---- */

static void set_frames(struct chart_layout *layout, const struct chart *chart, double top)
{
    double left = 0;
    for (size_t i = 0; i < chart->n_panels; i++) {
        const struct chart_panel *panel = &chart->panel[i];
        struct chart_frame *frame = &layout->frame[i];
        struct extent y = nothing;
        for (const struct chart_series *s = panel->series; s; s = s->next) meet_y(&y, s, panel->y.log);
        frame->y = kelvin_chart_range(&panel->y, y.least, y.largest);
        const size_t most = fit(panel->height, 22);
        frame->n_ticks = panel->y.names ? name_ticks(frame->ticks, &panel->y, CHART_TICKS)
                                        : number_ticks(frame->ticks, &panel->y, &frame->y, most);
        left = fmax(left, widest(layout, &panel->y, frame->ticks, frame->n_ticks) + TICK + 6);
        if (i > 0) top += set_later_keys(layout, panel, top);
        frame->top = top + (panel->y.label ? LINE + 6 : 4);
        frame->bottom = frame->top + panel->height;
        top = frame->bottom + GAP;
    }
    for (size_t i = 0; i < chart->n_panels; i++) {
        layout->frame[i].left = left;
        layout->frame[i].right = CHART_WIDTH - RIGHT;
    }
    layout->height = top - GAP + TICK + LINE + (chart->x.label ? LINE : 0) + 3;
}

void kelvin_chart_layout(struct chart_layout *layout, const struct chart *chart, double head, double letter)
{
    struct extent x = nothing;
    *layout = (struct chart_layout){.letter = letter};
    for (size_t i = 0; i < chart->n_panels; i++)
        for (const struct chart_series *s = chart->panel[i].series; s; s = s->next) meet_x(&x, s, chart->x.log);
    for (size_t i = 0; i < CHART_PANELS; i++) layout->frame[i].x = kelvin_chart_range(&chart->x, x.least, x.largest);
    set_frames(layout, chart, set_scale(layout, chart, set_keys(layout, chart, head)));
    set_x_ticks(layout, chart);
}

double kelvin_chart_across(const struct chart_frame *frame, double x)
{
    return frame->left + kelvin_chart_share(&frame->x, x) * (frame->right - frame->left);
}

double kelvin_chart_down(const struct chart_frame *frame, double y)
{
    return frame->bottom - kelvin_chart_share(&frame->y, y) * (frame->bottom - frame->top);
}
