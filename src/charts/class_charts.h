/* class_charts: what is taken for what, and how well classes are told from each other.
 *
 *     struct chart chart;
 *     kelvin_chart_roc(&chart, arena, &(struct charted_classes){confusion, class_names}, 0);
 */
#ifndef CHARTS_CLASS_CHARTS_H
#define CHARTS_CLASS_CHARTS_H

#include "charts/chart.h"
#include "posterior/confusion.h"

struct charted_classes {
    const kelvin_confusion *confusion;
    const char *const *names; /* (classes) */
};

/* Of two classes one curve, that of the second; of some, one for each; of many, their mean, where most of them are, and
 * those of the smallest area. False where no class has one. */
bool kelvin_chart_roc(struct chart *chart, kelvin_arena *arena, const struct charted_classes *of, size_t colour);

/* Mistakes alone: which share of each class is taken for which other. False where there is none. */
bool kelvin_chart_mistakes(struct chart *chart, kelvin_arena *arena, const struct charted_classes *of, size_t colour);

#endif
