/* kelvin_chart_layout: where everything of a chart stands, in units of which it is CHART_WIDTH wide, counted from the
 * top left. Both ways to draw a chart follow it. And where an axis has its numbers, and how they are written:
 *
 *     struct chart_range range = {0, 87, false};
 *     struct chart_tick ticks[CHART_TICKS];
 *     size_t n = kelvin_chart_ticks(ticks, &range, 5);       // 0, 20, 40, 60, 80
 */
#ifndef CHARTS_CHART_LAYOUT_H
#define CHARTS_CHART_LAYOUT_H

#include "charts/chart.h"

/* ---- chart_ticks.c ---- */

enum { CHART_TICKS = 16, CHART_TICK_LABEL = 24 };

/* What an axis covers. low < high, both finite; of a logarithmic axis both are positive. */
struct chart_range {
    double low, high;
    bool log;
};

struct chart_tick {
    double at;
    char label[CHART_TICK_LABEL];
};

/* The range of an axis over points whose least and largest value are these; if there are none, both are not finite. */
struct chart_range kelvin_chart_range(const struct chart_axis *axis, double least, double largest);

/* Room around values that are closer together than the axis' span, within what values can be. */
void kelvin_chart_widen(const struct chart_axis *axis, double *least, double *largest);

/* Whether a value can be at all. */
bool kelvin_chart_possible(const struct chart_axis *axis, double value);

/* Where a value is on the axis: 0 .. 1. Not a number if the axis cannot show it. */
double kelvin_chart_share(const struct chart_range *range, double value);

/* At most `most` (2 .. CHART_TICKS - 1) ticks, and one more if there were fewer than two; one at least: multiples of 1,
 * 2 or 5 times a power of ten (powers of ten, or 1, 2 and 5 times these, if the axis is logarithmic). */
size_t kelvin_chart_ticks(struct chart_tick ticks[CHART_TICKS], const struct chart_range *range, size_t most);

/* ---- chart_layout.c ---- */

enum { CHART_KEYS = 24, CHART_FONT = 12, CHART_SWATCH = 16, CHART_SHADES = 12, CHART_SHADE = 10 };

/* A panel: its inside, its axes. Its label stands above its left end. */
struct chart_frame {
    double left, right, top, bottom;
    struct chart_range x, y; /* x is that of all panels */
    size_t n_ticks;
    struct chart_tick ticks[CHART_TICKS];
};

/* An entry of the legend: a swatch from x to x + CHART_SWATCH, then the name. y is the middle of the line. */
struct chart_key {
    const struct chart_series *series;
    double x, y;
};

struct chart_layout {
    double height;
    double letter;
    size_t n_ticks;
    struct chart_tick ticks[CHART_TICKS];
    struct chart_frame frame[CHART_PANELS];
    size_t n_keys;
    struct chart_key keys[CHART_KEYS];
    double darkest;        /* the value of a heat map that is darkest; 0: there is no heat map */
    size_t heat_colour;    /* and its colour, */
    double heat_x, heat_y; /* the left end and the middle of its scale: CHART_SHADES squares of CHART_SHADE, */
    char heat_words[80];   /* from 0 to this */
};

/* `head` units are left free at the top. `letter` is the width of one, on average, as a share of the font's size. */
void kelvin_chart_layout(struct chart_layout *layout, const struct chart *chart, double head, double letter);

/* Where a point is. Not a number if an axis cannot show it. */
double kelvin_chart_across(const struct chart_frame *frame, double x);
double kelvin_chart_down(const struct chart_frame *frame, double y);

/* The names of an axis as ticks, or its numbers. */
const char *kelvin_chart_tick_name(const struct chart_axis *axis, const struct chart_tick *tick);

#endif
