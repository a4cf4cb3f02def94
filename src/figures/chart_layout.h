/* chart_layout: where everything of a chart stands, in units of which it is CHART_WIDTH wide, counted from the top
 * left. Both ways to draw a chart follow it. */
#ifndef FIGURES_CHART_LAYOUT_H
#define FIGURES_CHART_LAYOUT_H

#include "figures/chart_ticks.h"

enum { CHART_KEYS = 24, CHART_FONT = 12, CHART_SWATCH = 16, CHART_SHADES = 12, CHART_SHADE = 10 };

/* A panel: its inside, its vertical axis. Its label stands above its left end. */
struct chart_frame {
    double left, right, top, bottom;
    struct chart_range y;
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
    struct chart_range x;
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
void chart_layout(struct chart_layout *layout, const struct chart *chart, double head, double letter);

/* Where a point is. Not a number if an axis cannot show it. */
double chart_across(const struct chart_layout *layout, const struct chart_frame *frame, double x);
double chart_down(const struct chart_frame *frame, double y);

/* The names of an axis as ticks, or its numbers. */
const char *chart_tick_name(const struct chart_axis *axis, const struct chart_tick *tick);

#endif
