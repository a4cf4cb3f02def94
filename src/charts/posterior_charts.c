/* Charts of what posteriors predict. Shares are in per cent. */
#include "charts/posterior_charts.h"

#include <math.h>

enum { TALL = 190, MIDDLE = 130, LOW = 90 };

size_t kelvin_run_colour(size_t i)
{
    return i % CHART_COLOURS;
}

static double percent(size_t part, size_t whole)
{
    return 100 * (double)part / (double)whole;
}

/* In the unit of tables: "accuracy, %". */
static const char *metric_label(struct chart *chart, size_t metric)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    return *about->unit ? kelvin_chart_text(chart, "%s, %s", about->title, about->unit) : about->title;
}

size_t kelvin_metrics_shown(size_t metrics[KELVIN_METRICS], unsigned shown)
{
    size_t n = 0;
    for (size_t i = 0; i < KELVIN_METRICS; i++)
        if (kelvin_metric_at(i)->shown & shown) metrics[n++] = i;
    return n;
}

/* Differences below a tenth of a per cent, or a thousandth, are not worth an axis. */
static void limit(struct chart_axis *axis, size_t metric)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    axis->floor = about->scale * about->least;
    axis->ceiling = about->scale * about->most;
    axis->span = *about->unit == '%' ? 0.1 : 1e-3;
}

/* ---- calibration ---- */

/* Fewer observations than this say little about a share. */
enum { FEW = 10 };

static void set_interval(struct chart_point *p, const kelvin_bin *b)
{
    kelvin_bin_interval(&p->low, &p->high, b);
    p->low *= 100;
    p->high *= 100;
}

/* Accuracy as bars, the confidence that was claimed as a line across each; what a bar lacks of it is faint. */
static void reliability_bars(struct chart *chart, const kelvin_metrics *m)
{
    struct chart_series *right = kelvin_chart_add(chart, CHART_BARS, "accuracy", 0, m->bins);
    struct chart_series *less = kelvin_chart_add(chart, CHART_BARS, "less than claimed", 1, m->bins);
    struct chart_series *few = kelvin_chart_add(chart, CHART_BARS, NULL, 0, m->bins);
    struct chart_series *claimed = kelvin_chart_add(chart, CHART_LINE, "claimed", 1, 3 * m->bins);
    struct chart_series *range = kelvin_chart_add(chart, CHART_POINTS, NULL, CHART_INK, m->bins);
    if (!right || !less || !few || !claimed || !range) return;
    less->light = few->hollow = range->small = true;
    for (size_t i = 0; i < m->bins; i++) {
        const kelvin_bin *b = &m->width[i];
        const struct chart_point bar = {.x = 100 * b->from, .to = 100 * b->to};
        const double sure = b->n ? 100 * b->confidence : NAN, hit = b->n ? percent(b->hits, b->n) : 0;
        right->points[i] = less->points[i] = few->points[i] = bar;
        claimed->points[3 * i] = (struct chart_point){.x = bar.x, .y = sure};
        claimed->points[3 * i + 1] = (struct chart_point){.x = bar.to, .y = sure};
        claimed->points[3 * i + 2] = (struct chart_point){.x = bar.to, .y = NAN}; /* the line ends with its bin */
        range->points[i] = (struct chart_point){.x = 50 * (b->from + b->to), .y = NAN};
        if (!b->n) continue;
        range->points[i].y = hit;
        set_interval(&range->points[i], b);
        if (b->n < FEW) {
            few->points[i].high = hit;
            few->name = kelvin_chart_text(chart, "fewer than %d observations", FEW);
            continue;
        }
        right->points[i].high = less->points[i].low = hit;
        less->points[i].high = fmax(hit, sure);
    }
}

/* A line through the bins that have observations enough; the others are small open points by themselves. */
static void reliability_line(struct chart *chart, const struct charted *run, size_t colour, bool mass)
{
    const kelvin_metrics *m = run->metrics;
    struct chart_series *few = kelvin_chart_add(chart, CHART_POINTS, NULL, colour, m->bins);
    struct chart_series *many = kelvin_chart_add(chart, CHART_POINTS, run->name, colour, m->bins);
    if (!few || !many) return;
    few->hollow = few->small = few->thin = many->joined = true;
    few->n = many->n = 0;
    for (size_t i = 0; i < m->bins; i++) {
        const kelvin_bin *b = mass ? &m->mass[i] : &m->width[i];
        struct chart_series *s = b->n < FEW ? few : many;
        if (!b->n) continue;
        struct chart_point *p = &s->points[s->n++];
        *p = (struct chart_point){.x = 100 * b->confidence, .y = percent(b->hits, b->n)};
        set_interval(p, b);
    }
}

/* The least share that is shown: somewhat below that of one observation, so that this can be seen. */
static double count_floor(const struct charted *runs, size_t n)
{
    size_t most = 1;
    for (size_t r = 0; r < n; r++)
        if (runs[r].metrics->n > most) most = runs[r].metrics->n;
    return 0.6 * percent(1, most);
}

/* Bars of one run, steps of several. */
static void count_run(struct chart *chart, const struct charted *run, size_t colour, bool bars, double floor)
{
    const kelvin_metrics *m = run->metrics;
    struct chart_series *s = bars ? kelvin_chart_add(chart, CHART_BARS, NULL, CHART_GREY, m->bins)
                                  : kelvin_chart_add(chart, CHART_LINE, NULL, colour, 2 * m->bins);
    for (size_t i = 0; s && i < m->bins; i++) {
        const kelvin_bin *b = &m->width[i];
        const double share = b->n ? percent(b->n, m->n) : floor;
        if (bars) {
            s->points[i] = (struct chart_point){.x = 100 * b->from, .to = 100 * b->to, .low = floor, .high = share};
            continue;
        }
        s->points[2 * i] = (struct chart_point){.x = 100 * b->from, .y = share};
        s->points[2 * i + 1] = (struct chart_point){.x = 100 * b->to, .y = share};
    }
}

static void reliability_counts(struct chart *chart, const struct charted *runs, size_t n)
{
    struct chart_panel *panel = kelvin_chart_panel(chart, "observations, %", LOW);
    panel->y.log = true;
    panel->y.low = count_floor(runs, n);
    panel->y.high = 150;
    for (size_t r = 0; r < n; r++) count_run(chart, &runs[r], kelvin_run_colour(r), n == 1, panel->y.low);
}

/* Bins of equally many observations lie close together where a network is confident: the chart goes where they are. */
static double least_shown(const struct charted *runs, size_t n)
{
    double least = 100;
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < runs[r].metrics->bins; i++) {
            const kelvin_bin *b = &runs[r].metrics->mass[i];
            if (b->n) least = fmin(least, fmin(100 * b->confidence, percent(b->hits, b->n)));
        }
    const double room = fmax(100 - least, 0.5);
    return fmax(-0.02 * room, least - 0.15 * room);
}

static const char *calibration_words(struct chart *chart, const struct charted *runs, size_t n, bool mass)
{
    const size_t metric = mass ? KELVIN_ECE_MASS : KELVIN_ECE;
    const kelvin_metrics *m = runs[0].metrics;
    const char *bins = m->bins == 1 ? "bin" : "bins";
    if (n > 1)
        return kelvin_chart_text(chart, "%zu %s; bars: 10 .. 90 %% (Wilson); open: fewer than %d", m->bins, bins, FEW);
    return kelvin_chart_text(chart, "calibration error %.2f %%, %zu %s; bars: 10 .. 90 %% (Wilson)",
                             100 * m->ensemble[metric], m->bins, bins);
}

void kelvin_chart_reliability(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n, bool mass)
{
    kelvin_chart_begin(chart, arena, mass ? "reliability-mass" : "reliability",
                       mass ? "Reliability, bins of equal mass" : "Reliability, bins of equal width");
    chart->subtitle = calibration_words(chart, runs, n, mass);
    chart->about = kelvin_chart_text(chart, "Share of right predictions by their confidence; %s.", chart->subtitle);
    const bool bars = n == 1 && !mass; /* these end at 0 and 100; points get some room */
    const double low = mass ? least_shown(runs, n) : bars ? 0 : -2, high = bars ? 100 : 100 + 0.02 * (100 - low);
    chart->x = (struct chart_axis){.label = "confidence, %", .low = low, .high = high};
    struct chart_panel *panel = kelvin_chart_panel(chart, "accuracy, %", TALL);
    panel->y.low = low;
    panel->y.high = high;
    if (bars) reliability_bars(chart, runs[0].metrics);
    kelvin_chart_reference(chart, "as confident as right", fmax(low, 0), fmax(low, 0), 100, 100);
    for (size_t r = 0; r < n && !bars; r++) reliability_line(chart, &runs[r], kelvin_run_colour(r), mass);
    if (!mass) reliability_counts(chart, runs, n);
}

/* One logarithmic scale for right and wrong, and for all runs of as many observations: of a good network, few are
 * wrong. */
static void confidence_panel(struct chart *chart, const kelvin_metrics *m, bool right, size_t colour)
{
    const double share = right ? m->ensemble[KELVIN_ACCURACY] : 1 - m->ensemble[KELVIN_ACCURACY];
    const double floor = count_floor(&(struct charted){"", m, NULL}, 1);
    struct chart_panel *panel = kelvin_chart_panel(
        chart, kelvin_chart_text(chart, "%s: %.2f %% of observations", right ? "right" : "wrong", 100 * share), LOW);
    panel->y.log = true;
    panel->y.low = floor;
    panel->y.high = 150;
    struct chart_series *s = kelvin_chart_add(chart, CHART_BARS, NULL, colour, m->bins);
    if (s) s->light = !right;
    for (size_t i = 0; s && i < m->bins; i++) {
        const kelvin_bin *b = &m->width[i];
        const size_t n = right ? b->hits : b->n - b->hits;
        s->points[i] = (struct chart_point){
            .x = 100 * b->from, .to = 100 * b->to, .low = floor, .high = n ? percent(n, m->n) : floor};
    }
}

void kelvin_chart_confidence(struct chart *chart, kelvin_arena *arena, const struct charted *run, size_t colour)
{
    const kelvin_metrics *m = run->metrics;
    kelvin_chart_begin(chart, arena, "confidence", "Confidence of right and wrong predictions");
    chart->subtitle = kelvin_chart_text(chart, "%% of observations; mean confidence %.2f %%, accuracy %.2f %%",
                                        100 * m->ensemble[KELVIN_CONFIDENCE], 100 * m->ensemble[KELVIN_ACCURACY]);
    chart->about = kelvin_chart_text(chart, "Histograms of confidence, one of right, one of wrong predictions; %s.",
                                     chart->subtitle);
    chart->x = (struct chart_axis){.label = "confidence, %", .low = 0, .high = 100};
    confidence_panel(chart, m, true, colour);
    confidence_panel(chart, m, false, colour);
}

/* ---- posterior size ---- */

static void size_curve(struct chart *chart, const struct charted *run, size_t colour, size_t metric)
{
    const kelvin_metrics *m = run->metrics;
    const double scale = kelvin_metric_at(metric)->scale;
    struct chart_series *band = kelvin_chart_add(chart, CHART_BAND, NULL, colour, m->sizes);
    struct chart_series *line = kelvin_chart_add(chart, CHART_POINTS, run->name, colour, m->sizes);
    if (!band || !line) return;
    line->joined = true;
    for (size_t i = 0; i < m->sizes; i++) {
        const kelvin_by_size *s = &m->size[i].metric[metric];
        const double x = (double)m->size[i].samples;
        line->points[i] = (struct chart_point){.x = x, .y = scale * s->mean};
        band->points[i] = (struct chart_point){.x = x, .low = scale * s->low, .high = scale * s->high};
    }
}

bool kelvin_chart_size(struct chart *chart, kelvin_arena *arena, const size_t *metrics, size_t n_metrics,
                       const struct charted *runs, size_t n)
{
    size_t most = 0;
    for (size_t r = 0; r < n; r++)
        if (runs[r].metrics->sizes > most) most = runs[r].metrics->sizes;
    if (most < 2) return false;
    kelvin_chart_begin(chart, arena, "posterior-size", "Posterior size");
    chart->subtitle = "mean and 10 .. 90 % over random orders of samples";
    chart->about = "How good ensembles are by their number of samples.";
    chart->x = (struct chart_axis){.label = "samples in the ensemble", .low = NAN, .high = NAN, .log = true};
    for (size_t i = 0; i < n_metrics; i++) {
        limit(&kelvin_chart_panel(chart, metric_label(chart, metrics[i]), n_metrics == 1 ? TALL : MIDDLE)->y,
              metrics[i]);
        for (size_t r = 0; r < n; r++) size_curve(chart, &runs[r], kelvin_run_colour(r), metrics[i]);
    }
    return true;
}

/* ---- metrics ---- */

/* The names of runs as an axis, the first on top. */
static struct chart_axis axis_of_runs(struct chart *chart, const struct charted *runs, size_t n)
{
    const char **names = kelvin_arena_alloc(chart->arena, n, sizeof *names);
    if (!names) chart->status = KELVIN_ENOMEM;
    for (size_t r = 0; r < n && names; r++) names[n - 1 - r] = runs[r].name;
    return (struct chart_axis){.low = NAN, .high = NAN, .names = names, .n_names = n};
}

static double row_height(size_t n, double each)
{
    return n < 2 ? 1.3 * each : (double)n * each;
}

void kelvin_chart_metric(struct chart *chart, kelvin_arena *arena, size_t metric, const struct charted *runs, size_t n)
{
    static const char *const directions[] = {"less is better", NULL, "more is better"};
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    size_t subset = 0;
    kelvin_chart_begin(chart, arena, about->member.name, about->title);
    chart->subtitle = directions[about->better + 1];
    chart->about =
        kelvin_chart_text(chart, "%s of single samples, of small ensembles and of all samples.", about->title);
    chart->x.label = metric_label(chart, metric);
    limit(&chart->x, metric);
    for (size_t r = 0; r < n; r++)
        if (runs[r].metrics->subsets) subset = runs[r].metrics->subset;
    kelvin_chart_panel(chart, NULL, row_height(n, 44))->y = axis_of_runs(chart, runs, n);
    struct chart_series *single = kelvin_chart_add(chart, CHART_POINTS, "single \xc2\xb1 s.e.", CHART_GREY, n);
    struct chart_series *some =
        subset ? kelvin_chart_add(chart, CHART_POINTS,
                                  kelvin_chart_text(chart, "ensembles of %zu, 10 .. 90 %%", subset), 6, n)
               : NULL;
    struct chart_series *all = kelvin_chart_add(chart, CHART_POINTS, "all", CHART_INK, n);
    if (!single || !all || chart->status) return;
    single->across = all->across = single->hollow = single->thin = true;
    if (some) some->across = true;
    for (size_t r = 0; r < n; r++) {
        const kelvin_metrics *m = runs[r].metrics;
        const double row = (double)(n - 1 - r), scale = about->scale;
        const kelvin_average *one = &m->single[metric];
        const kelvin_percentiles *p = &m->spread[metric];
        single->points[r] = (struct chart_point){scale * one->mean, row + 0.25, scale * (one->mean - one->error),
                                                 scale * (one->mean + one->error), 0};
        all->points[r] = (struct chart_point){.x = scale * m->ensemble[metric], .y = row - 0.25};
        if (some)
            some->points[r] =
                (struct chart_point){m->subsets ? scale * p->median : NAN, row, scale * p->low, scale * p->high, 0};
    }
}

void kelvin_chart_uncertainty(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n)
{
    kelvin_chart_begin(chart, arena, "uncertainty", "Where the doubt is");
    chart->subtitle = "mean entropy of a prediction, in its two parts";
    chart->about = "Mean entropy of predictions as the sum of an aleatoric and an epistemic part.";
    chart->x = (struct chart_axis){.label = "entropy, nats", .low = 0, .high = NAN};
    limit(&chart->x, KELVIN_ENTROPY);
    kelvin_chart_panel(chart, NULL, row_height(n, 34))->y = axis_of_runs(chart, runs, n);
    struct chart_series *data = kelvin_chart_add(chart, CHART_BARS, "in the data (aleatoric)", 5, n);
    struct chart_series *model = kelvin_chart_add(chart, CHART_BARS, "in the model (epistemic)", 4, n);
    if (!data || !model) return;
    for (size_t r = 0; r < n; r++) {
        const double *e = runs[r].metrics->ensemble, row = (double)(n - 1 - r);
        data->points[r] = (struct chart_point){.x = 0, .to = e[KELVIN_ALEATORIC], .low = row - 0.3, .high = row + 0.3};
        model->points[r] = (struct chart_point){.x = e[KELVIN_ALEATORIC],
                                                .to = e[KELVIN_ALEATORIC] + e[KELVIN_EPISTEMIC],
                                                .low = row - 0.3,
                                                .high = row + 0.3};
    }
}

/* ---- temperatures ---- */

/* A temperature and its error relative to the one that was set; nowhere, if there is none. */
static struct chart_point relative(const kelvin_temperatures *t, const kelvin_average *measured, double row)
{
    const double x = measured->mean / t->set, error = measured->error / t->set;
    return (struct chart_point){isfinite(x) ? x : NAN, row, x - error, x + error, 0};
}

/* Most runs are near 1; one that is far off must not hide how near. */
static bool far_off(const struct chart_series *first)
{
    double least = 1, most = 1;
    for (const struct chart_series *s = first; s; s = s->next)
        for (size_t i = 0; i < s->n; i++)
            if (isfinite(s->points[i].x)) least = fmin(least, s->points[i].x), most = fmax(most, s->points[i].x);
    return least > 0 && most > 6 * least;
}

bool kelvin_chart_temperatures(struct chart *chart, kelvin_arena *arena, const struct charted *runs, size_t n)
{
    size_t known = 0;
    for (size_t r = 0; r < n; r++) known += runs[r].diagnosis && runs[r].diagnosis->temperatures.rows > 0;
    if (!known) return false;
    kelvin_chart_begin(chart, arena, "temperatures", "Temperatures at the end");
    chart->subtitle = "mean of chains \xc2\xb1 standard error";
    chart->about = "Kinetic and configurational temperature of each run, relative to the one that was set.";
    chart->x.label = "temperature / the one that was set";
    chart->x.span = 0.1;
    kelvin_chart_panel(chart, NULL, n < 2 ? 57 : 44 * (double)n)->y = axis_of_runs(chart, runs, n);
    struct chart_series *kinetic = kelvin_chart_add(chart, CHART_POINTS, "kinetic", 6, n);
    struct chart_series *other = kelvin_chart_add(chart, CHART_POINTS, "configurational", 3, n);
    kelvin_chart_reference(chart, "set", 1, -0.5, 1, (double)n - 0.5);
    if (!kinetic || !other || chart->status) return true;
    kinetic->across = other->across = true;
    for (size_t r = 0; r < n; r++) {
        const double row = (double)(n - 1 - r);
        const kelvin_temperatures *t = runs[r].diagnosis ? &runs[r].diagnosis->temperatures : NULL;
        kinetic->points[r] = other->points[r] = (struct chart_point){.x = NAN, .y = row};
        if (!t || t->rows == 0) continue;
        kinetic->points[r] = relative(t, &t->kinetic, row + 0.2);
        other->points[r] = relative(t, &t->configurational, row - 0.2);
    }
    chart->x.log = far_off(kinetic);
    return true;
}
