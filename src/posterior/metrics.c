/* The table of metrics, and what others may know of them and of their values. */
#include "posterior/metric.h"

#include <math.h>

const struct kelvin_metric_type *const kelvin_metric_types[KELVIN_METRICS] = {
#define ROW(NAME, name) [KELVIN_##NAME] = &kelvin_##name##_metric,
    KELVIN_METRIC_TABLE(ROW)
#undef ROW
};

size_t kelvin_metrics_count(void)
{
    return KELVIN_METRICS;
}

const kelvin_metric_info *kelvin_metric_at(size_t i)
{
    return i < KELVIN_METRICS ? &kelvin_metric_types[i]->info : NULL;
}

static const kelvin_member *member_at(size_t i)
{
    return i < KELVIN_METRICS ? &kelvin_metric_types[i]->info.member : NULL;
}

const kelvin_family kelvin_metric_family = {"metrics", "metric", "metrics", "as JSON and CSV name them", member_at};

size_t kelvin_metric_find(const char *name)
{
    size_t i = 0;
    while (i < KELVIN_METRICS && strcmp(kelvin_metric_types[i]->info.member.name, name) != 0) i++;
    return i;
}

/* ---- values ---- */

void kelvin_metrics_free(kelvin_metrics *m)
{
    kelvin_free(m);
}

kelvin_average kelvin_metrics_single(const kelvin_metrics *m, size_t i)
{
    return i < KELVIN_METRICS ? m->single[i] : (kelvin_average){(double)NAN, (double)NAN};
}

double kelvin_metrics_ensemble(const kelvin_metrics *m, size_t i)
{
    return i < KELVIN_METRICS ? m->ensemble[i] : (double)NAN;
}

static kelvin_percentiles percentiles_at(const kelvin_percentiles *list, size_t i)
{
    return i < KELVIN_METRICS ? list[i] : (kelvin_percentiles){(double)NAN, (double)NAN, (double)NAN};
}

kelvin_percentiles kelvin_metrics_spread(const kelvin_metrics *m, size_t i)
{
    return percentiles_at(m->spread, i);
}

kelvin_percentiles kelvin_metrics_single_spread(const kelvin_metrics *m, size_t i)
{
    return percentiles_at(m->single_spread, i);
}

size_t kelvin_metrics_samples(const kelvin_metrics *m)
{
    return m->samples;
}

size_t kelvin_metrics_chains(const kelvin_metrics *m)
{
    return m->chains;
}

size_t kelvin_metrics_observations(const kelvin_metrics *m)
{
    return m->n;
}

size_t kelvin_metrics_classes(const kelvin_metrics *m)
{
    return m->classes;
}

size_t kelvin_metrics_singles(const kelvin_metrics *m)
{
    return m->singles;
}

size_t kelvin_metrics_subsets(const kelvin_metrics *m)
{
    return m->subsets;
}

size_t kelvin_metrics_subset(const kelvin_metrics *m)
{
    return m->subset;
}

const kelvin_bin *kelvin_metrics_bins(const kelvin_metrics *m, bool mass, size_t *n)
{
    *n = m->bins;
    return mass ? m->mass : m->width;
}

size_t kelvin_metrics_sizes(const kelvin_metrics *m)
{
    return m->sizes;
}

size_t kelvin_metrics_size(const kelvin_metrics *m, size_t k)
{
    return k < m->sizes ? m->size[k].samples : 0;
}

kelvin_by_size kelvin_metrics_by_size(const kelvin_metrics *m, size_t k, size_t i)
{
    if (k < m->sizes && i < KELVIN_METRICS) return m->size[k].metric[i];
    return (kelvin_by_size){(double)NAN, (double)NAN, (double)NAN};
}
