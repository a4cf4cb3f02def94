/* effect_charts: which columns of a table predictions depend on, and how. */
#ifndef CHARTS_EFFECT_CHARTS_H
#define CHARTS_EFFECT_CHARTS_H

#include "charts/chart.h"

#include <kelvin/posterior.h>

enum { CHART_EFFECTS = 16 }; /* columns in the chart of importance, at most: an axis has no more names */

/* The most important columns, with error bars. */
void kelvin_chart_importance(struct chart *chart, kelvin_arena *arena, const kelvin_effects *effects, size_t colour);

/* Partial dependence of the i-th of them: of two classes the second alone, of more each, of many those that change
 * most. All columns have the same scale. names (classes). False where it has none. */
bool kelvin_chart_dependence(struct chart *chart, kelvin_arena *arena, const kelvin_effects *effects, size_t i,
                             const char *const *names, size_t classes, size_t colour);

#endif
