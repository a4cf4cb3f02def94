/* A chart as an <svg> element. Colours, fonts and widths of lines are classes of chart.css, so that a page can be
 * light, dark or printed. */
#include "charts/chart_layout.h"

#include <math.h>
#include <stdlib.h>

struct canvas {
    struct markup *out;
    const struct chart *chart;
    struct chart_layout layout;
    const struct chart_frame *frame; /* the panel that is being drawn */
};

struct number {
    char text[340]; /* there is room for any double, and some words */
};

/* A tenth of a unit is finer than any screen; whole ones are written without a point. */
static struct number number(double value)
{
    struct number number;
    const double tenths = rint(value * 10);
    const bool whole = fmod(tenths, 10) == 0;
    snprintf(number.text, sizeof number.text, whole ? "%.0f" : "%.1f", tenths == 0 ? 0 : tenths / 10);
    return number;
}

/* ---- text ---- */

static void label(struct canvas *c, double x, double y, const char *class, const char *words)
{
    kelvin_markup_put(c->out, "<text x=\"%s\" y=\"%s\" dy=\".35em\" class=\"%s\">", number(x).text, number(y).text,
                      class);
    kelvin_markup_text(c->out, words);
    kelvin_markup_put(c->out, "</text>");
}

static void stroke(struct canvas *c, const char *class, double x0, double y0, double x1, double y1)
{
    kelvin_markup_put(c->out, "<path class=\"%s\" d=\"M%s %sL%s %s\"/>", class, number(x0).text, number(y0).text,
                      number(x1).text, number(y1).text);
}

static void axes(struct canvas *c, const struct chart_panel *panel, bool last)
{
    const struct chart_frame *f = c->frame;
    const struct chart_layout *l = &c->layout;
    if (panel->y.label) label(c, 0, f->top - 14, "t", panel->y.label);
    for (size_t i = 0; i < f->n_ticks; i++) {
        const double y = kelvin_chart_down(f, f->ticks[i].at);
        if (!panel->y.names) stroke(c, "g", f->left, y, f->right, y);
        label(c, f->left - 6, y, "t e", kelvin_chart_tick_name(&panel->y, &f->ticks[i]));
    }
    for (size_t i = 0; i < l->n_ticks; i++) {
        const double x = kelvin_chart_across(f, l->ticks[i].at);
        if (panel->y.names && !c->chart->x.names) stroke(c, "g", x, f->top, x, f->bottom);
        stroke(c, "k", x, f->bottom, x, f->bottom + 4);
        if (last) label(c, x, f->bottom + 13, "t m", kelvin_chart_tick_name(&c->chart->x, &l->ticks[i]));
    }
    if (last && c->chart->x.label) label(c, (f->left + f->right) / 2, f->bottom + 30, "t m", c->chart->x.label);
}

/* ---- series ---- */

static void draw_line(struct canvas *c, const struct chart_series *s)
{
    const char *next = "M";
    kelvin_markup_put(c->out, "<path class=\"l%s%s\" d=\"", s->thin ? " n" : "", s->dashed ? " d" : "");
    for (size_t i = 0; i < s->n; i++) {
        const double x = kelvin_chart_across(c->frame, s->points[i].x), y = kelvin_chart_down(c->frame, s->points[i].y);
        if (!isfinite(x) || !isfinite(y)) {
            next = "M";
            continue;
        }
        kelvin_markup_put(c->out, "%s%s %s", next, number(x).text, number(y).text);
        next = "L";
    }
    kelvin_markup_put(c->out, "\"/>");
}

/* There along the high edge, back along the low one. */
static void draw_band(struct canvas *c, const struct chart_series *s)
{
    const char *next = "M";
    kelvin_markup_put(c->out, "<path class=\"b\" d=\"");
    for (size_t i = 0; i < 2 * s->n; i++) {
        const struct chart_point *p = &s->points[i < s->n ? i : 2 * s->n - 1 - i];
        const double x = kelvin_chart_across(c->frame, p->x);
        const double low = s->tall ? c->frame->bottom : kelvin_chart_down(c->frame, p->low);
        const double high = s->tall ? c->frame->top : kelvin_chart_down(c->frame, p->high);
        if (!isfinite(x) || !isfinite(low) || !isfinite(high)) continue;
        kelvin_markup_put(c->out, "%s%s %s", next, number(x).text, number(i < s->n ? high : low).text);
        next = "L";
    }
    kelvin_markup_put(c->out, "%s\"/>", *next == 'L' ? "Z" : "");
}

/* Circle, square, diamond, triangle, by the colour: those who do not see colours see shapes. */
static void mark(struct canvas *c, double x, double y, const struct chart_series *s)
{
    static const char *const shapes[2][4] = {
        {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-3.5-3.5h7v7h-7z", "m0-5l5 5l-5 5l-5-5z", "m0-4.8l4.6 8h-9.2z"},
        {"m-2.4 0a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0z", "m-2.1-2.1h4.2v4.2h-4.2z", "m0-3l3 3l-3 3l-3-3z",
         "m0-2.9l2.8 4.8h-5.6z"}};
    kelvin_markup_put(c->out, "<path class=\"p%s%s\" d=\"M%s %s%s\"/>", s->hollow ? " o" : "", s->small ? " s" : "",
                      number(x).text, number(y).text, shapes[s->small][s->colour % 4]);
}

static void draw_points(struct canvas *c, const struct chart_series *s)
{
    if (s->joined) draw_line(c, s);
    for (size_t i = 0; i < s->n; i++) {
        const struct chart_point *p = &s->points[i];
        const double x = kelvin_chart_across(c->frame, p->x), y = kelvin_chart_down(c->frame, p->y);
        if (!isfinite(x) || !isfinite(y)) continue;
        const double from = s->across ? kelvin_chart_across(c->frame, p->low) : kelvin_chart_down(c->frame, p->low);
        const double to = s->across ? kelvin_chart_across(c->frame, p->high) : kelvin_chart_down(c->frame, p->high);
        if (p->low < p->high && isfinite(from) && isfinite(to)) {
            const char *class = s->thin ? "w n" : "w";
            if (s->across)
                stroke(c, class, from, y, to, y);
            else
                stroke(c, class, x, from, x, to);
        }
        mark(c, x, y, s);
    }
}

/* `more`: what else the element says, and its end. */
static void box(struct canvas *c, const char *class, double x0, double y0, double x1, double y1, const char *more)
{
    kelvin_markup_put(c->out, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"%s/>", class,
                      number(fmin(x0, x1)).text, number(fmin(y0, y1)).text, number(fabs(x1 - x0)).text,
                      number(fabs(y1 - y0)).text, more);
}

/* A square of a heat map, as dark as that share says. */
static void shade(struct canvas *c, double x0, double y0, double x1, double y1, double share)
{
    struct number opacity;
    snprintf(opacity.text, sizeof opacity.text, " fill-opacity=\"%.3f\"", share);
    box(c, "q", x0, y0, x1, y1, opacity.text);
}

/* Where a bar is; false if it cannot be shown, or has no height. */
static bool find_box(const struct canvas *c, double at[4], const struct chart_point *p)
{
    at[0] = kelvin_chart_across(c->frame, p->x);
    at[1] = kelvin_chart_down(c->frame, p->low);
    at[2] = kelvin_chart_across(c->frame, p->to);
    at[3] = kelvin_chart_down(c->frame, p->high);
    for (size_t i = 0; i < 4; i++)
        if (!isfinite(at[i])) return false;
    return at[1] != at[3];
}

static const char *bar_class(const struct chart_series *s)
{
    return s->hollow ? "r x" : s->light ? "r h" : "r";
}

static void draw_bars(struct canvas *c, const struct chart_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        double at[4];
        if (!find_box(c, at, &s->points[i])) continue;
        box(c, bar_class(s), at[0], at[1], at[2], at[3], "");
    }
}

/* Large squares also have their number. */
static void draw_heat(struct canvas *c, const struct chart_series *s)
{
    const double most = c->layout.darkest > 0 ? c->layout.darkest : 1;
    for (size_t i = 0; i < s->n; i++) {
        const struct chart_point *p = &s->points[i];
        double at[4];
        if (!find_box(c, at, p) || !isfinite(p->y)) continue;
        shade(c, at[0], at[1], at[2], at[3], fmax(0, p->y / most));
        if (at[2] - at[0] < 30) continue;
        char value[32];
        snprintf(value, sizeof value, p->y < 9.95 ? "%.1f" : "%.0f", p->y);
        label(c, (at[0] + at[2]) / 2, (at[1] + at[3]) / 2, p->y > 0.55 * most ? "v i" : "v", value);
    }
}

static void (*const draw[])(struct canvas *c, const struct chart_series *s) = {
    [CHART_LINE] = draw_line, [CHART_BAND] = draw_band, [CHART_POINTS] = draw_points,
    [CHART_BARS] = draw_bars, [CHART_HEAT] = draw_heat,
};

static void draw_panel(struct canvas *c, size_t i)
{
    const struct chart_panel *panel = &c->chart->panel[i];
    const struct chart_frame *f = c->frame = &c->layout.frame[i];
    axes(c, panel, i + 1 == c->chart->n_panels);
    /* What lies beyond the axes is cut off by a view of its own. */
    const struct number x = number(f->left), y = number(f->top), width = number(f->right - f->left),
                        height = number(f->bottom - f->top);
    kelvin_markup_put(c->out, "<svg x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" viewBox=\"%s %s %s %s\">", x.text,
                      y.text, width.text, height.text, x.text, y.text, width.text, height.text);
    for (const struct chart_series *s = panel->series; s; s = s->next) {
        kelvin_markup_put(c->out, "<g class=\"c%zu\">", s->colour);
        draw[s->kind](c, s);
        kelvin_markup_put(c->out, "</g>\n");
    }
    kelvin_markup_put(c->out, "</svg>");
    box(c, "f", f->left, f->top, f->right, f->bottom, "");
    kelvin_markup_put(c->out, "\n");
}

static void draw_key(struct canvas *c, const struct chart_key *key)
{
    const struct chart_series *s = key->series;
    const double x = key->x, y = key->y, end = x + CHART_SWATCH;
    kelvin_markup_put(c->out, "<g class=\"c%zu\">", s->colour);
    if (s->kind == CHART_LINE) {
        stroke(c, s->dashed ? "l d" : "l", x, y, end, y);
    } else if (s->kind == CHART_POINTS) {
        stroke(c, "w", x, y, end, y);
        mark(c, x + CHART_SWATCH / 2.0, y, s);
    } else {
        box(c, s->kind == CHART_BAND ? "b" : bar_class(s), x, y - 5, end, y + 5, "");
    }
    kelvin_markup_put(c->out, "</g>");
    label(c, end + 6, y, "t", s->name);
}

static void draw_scale(struct canvas *c)
{
    const struct chart_layout *l = &c->layout;
    const double end = l->heat_x + CHART_SHADES * CHART_SHADE, half = CHART_SHADE / 2.0;
    if (!(l->darkest > 0)) return;
    label(c, 2, l->heat_y, "t", "0");
    kelvin_markup_put(c->out, "<g class=\"c%zu\">", l->heat_colour);
    for (int i = 0; i < CHART_SHADES; i++) {
        const double x = l->heat_x + CHART_SHADE * i;
        shade(c, x, l->heat_y - half, x + CHART_SHADE, l->heat_y + half, i / (CHART_SHADES - 1.0));
    }
    kelvin_markup_put(c->out, "</g>");
    box(c, "f", l->heat_x, l->heat_y - half, end, l->heat_y + half, "");
    label(c, end + 6, l->heat_y, "t", l->heat_words);
}

kelvin_status kelvin_chart_svg(struct markup *out, const struct chart *chart)
{
    struct canvas c = {.out = out, .chart = chart};
    KELVIN_TRY(chart->status);
    kelvin_chart_layout(&c.layout, chart, 0, 0.62); /* of most fonts that browsers take */
    kelvin_markup_put(out, "<svg class=\"chart\" viewBox=\"0 0 %d %.0f\" role=\"img\" ", CHART_WIDTH, c.layout.height);
    kelvin_markup_put(out, "aria-label=\"");
    kelvin_markup_text(out, chart->title);
    kelvin_markup_put(out, "\">\n<title>");
    kelvin_markup_text(out, chart->title);
    kelvin_markup_put(out, "</title>\n<desc>");
    kelvin_markup_text(out, chart->about ? chart->about : chart->subtitle ? chart->subtitle : chart->title);
    kelvin_markup_put(out, "</desc>\n");
    for (size_t i = 0; i < c.layout.n_keys; i++) draw_key(&c, &c.layout.keys[i]);
    draw_scale(&c);
    for (size_t i = 0; i < chart->n_panels; i++) draw_panel(&c, i);
    kelvin_markup_put(out, "</svg>\n");
    return out->status;
}
