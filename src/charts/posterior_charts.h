/* posterior_charts: what there is to see of posteriors. Each function describes one chart of one run or of several;
 * both the page of `kelvin report` and the files of `kelvin eval --plot` are drawn from it.
 *
 *     struct chart chart;
 *     kelvin_chart_reliability(&chart, arena, &(struct charted){"run", &metrics, NULL}, 1, false);
 */
#ifndef CHARTS_POSTERIOR_CHARTS_H
#define CHARTS_POSTERIOR_CHARTS_H

#include "charts/chart.h"
#include "posterior/diagnosis.h"
#include "posterior/metric.h"
#include "run/run.h"

/* A run as charts see it. What a chart does not show may be NULL. */
struct charted {
    const char *name; /* short */
    const kelvin_metrics *metrics;
    const kelvin_diagnosis *diagnosis;
};

/* The colour of a run in all charts. Those of kinds within a run are others: grey, ink, and the last colours. */
size_t kelvin_run_colour(size_t i);

/* Accuracy by confidence with its Wilson interval, 10 .. 90 %, and where the observations are. Of one run: bars, with
 * the confidence that was claimed; of several: lines. Bins with few observations are hollow. By `mass`, bins of equally
 * many observations: points, as near as they are to be seen. */
void kelvin_chart_reliability(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n,
                              bool mass);

/* How confident right and wrong predictions are, one above the other. */
void kelvin_chart_confidence(struct chart *chart, kelvin_arena *arena, const struct charted *run, size_t colour);

/* Metrics of ensembles of 1, 2, ... samples, one panel each. False if no run has two sizes. */
bool kelvin_chart_size(struct chart *chart, kelvin_arena *arena, const size_t *metrics, size_t n_metrics,
                       const struct charted *runs, size_t n);

/* Which metrics are shown so, in the order of their table: KELVIN_SHOWN_CHART, ... How many is returned. */
size_t kelvin_metrics_shown(size_t metrics[KELVIN_METRICS], unsigned shown);

/* One metric: single samples, ensembles of some, the ensemble of all. */
void kelvin_chart_metric(struct chart *chart, kelvin_arena *arena, size_t metric, const struct charted *runs, size_t n);

/* Entropy as the sum of its parts. */
void kelvin_chart_uncertainty(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n);

/* Temperatures at the end, relative to those that were set, run by run. False if none of them has any. */
bool kelvin_chart_temperatures(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n);

/* ---- of a run's chains ---- */

/* histories (chains). Chains beyond the first CHART_CHAINS are not drawn; of long chains, means of as many rows as make
 * a point. */
enum { CHART_CHAINS = 24 };
void kelvin_chart_learning(struct chart *chart, kelvin_arena *arena, const kelvin_history *histories, size_t chains,
                           size_t colour);

/* The kinetic and the configurational temperature and what they should be, row by row. False where histories have
 * neither. */
bool kelvin_chart_heat(struct chart *chart, kelvin_arena *arena, const kelvin_history *histories, size_t chains,
                       size_t colour);

/* How often two chains predict another class. `darkest` is the share that is darkest, so that charts can be compared;
 * 0: the largest. False of one chain. */
bool kelvin_chart_agreement(struct chart *chart, kelvin_arena *arena, const kelvin_agreement *agreement, double darkest,
                            size_t colour);

#endif
