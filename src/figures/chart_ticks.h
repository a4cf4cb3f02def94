/* chart_ticks: where an axis has its numbers, and how they are written.
 *
 *     struct chart_range range = {0, 87, false};
 *     struct chart_tick ticks[CHART_TICKS];
 *     size_t n = chart_ticks(ticks, &range, 5, false);       // 0, 20, 40, 60, 80
 */
#ifndef FIGURES_CHART_TICKS_H
#define FIGURES_CHART_TICKS_H

#include "figures/chart.h"

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
struct chart_range chart_range(const struct chart_axis *axis, double least, double largest);

/* Room around values that are closer together than the axis' span, within what values can be. */
void chart_widen(const struct chart_axis *axis, double *least, double *largest);

/* Whether a value can be at all. */
bool chart_possible(const struct chart_axis *axis, double value);

/* Where a value is on the axis: 0 .. 1. Not a number if the axis cannot show it. */
double chart_share(const struct chart_range *range, double value);

/* At most `most` (2 .. CHART_TICKS - 1) ticks, and one more if there were fewer than two; one at least: multiples of 1,
 * 2 or 5 times a power of ten (powers of ten, or 1, 2 and 5 times these, if the axis is logarithmic). `whole`: integers
 * alone. */
size_t chart_ticks(struct chart_tick ticks[CHART_TICKS], const struct chart_range *range, size_t most, bool whole);

#endif
