/* What the charts of posteriors and of chains show: every number of them by hand, and no memory at any place. */
#include "chart_helpers.h"

#include "charts/posterior_charts.h"

static const struct chart_series *series_of(const struct chart *chart, size_t panel, size_t i)
{
    const struct chart_series *s = chart->panel[panel].series;
    while (s && i-- > 0) s = s->next;
    assert_non_null(s);
    return s;
}

static kelvin_metrics some_metrics(void)
{
    kelvin_metrics m = {.samples = 12, .chains = 4, .n = 200, .classes = 10, .bins = 4, .subsets = 100, .subset = 8};
    static const size_t n[] = {0, 40, 60, 100}, hits[] = {0, 30, 30, 95};
    for (size_t i = 0; i < 4; i++)
        m.width[i] = m.mass[i] = (kelvin_bin){0.25 * (double)i, 0.25 * (double)(i + 1), n[i], hits[i],
                                              n[i] ? 0.25 * (double)i + 0.125 : (double)NAN};
    for (size_t k = 0; k < KELVIN_METRICS; k++) {
        const double x = k == KELVIN_ACCURACY ? 0.1 : k == KELVIN_ECE ? 0.5 : 0.1 * (double)(k + 1);
        m.ensemble[k] = x;
        m.single[k] = (kelvin_average){0.9 * x, 0.01};
        m.spread[k] = (kelvin_percentiles){0.8 * x, 0.95 * x, 1.1 * x};
    }
    m.sizes = 3;
    for (size_t i = 0; i < 3; i++) {
        m.size[i].samples = (size_t[]){1, 4, 12}[i];
        m.size[i].metric[KELVIN_ACCURACY].mean = 0.5 + 0.1 * (double)i;
        m.size[i].metric[KELVIN_ACCURACY].low = 0.4 + 0.1 * (double)i;
        m.size[i].metric[KELVIN_ACCURACY].high = 0.6 + 0.1 * (double)i;
    }
    return m;
}

/* Against roots of (p - hits / n)^2 = z^2 p (1 - p) / n that SciPy's brentq found. */
static void check_interval(const struct chart_point *p, double low, double high)
{
    assert_near(p->low, low, 1e-8);
    assert_near(p->high, high, 1e-8);
}

static void reliability(void **state)
{
    (void)state;
    kelvin_metrics m = some_metrics();
    const struct charted runs[] = {{"one", &m, NULL}, {"two", &m, NULL}};
    kelvin_arena *arena;
    struct chart chart;
    const struct chart_series *few;
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_reliability(&chart, arena, runs, 1, false);
    assert_ok(chart.status);
    const struct chart_series *right = series_of(&chart, 0, 0), *less = series_of(&chart, 0, 1),
                              *claimed = series_of(&chart, 0, 3);
    /* 30 of 40 are right at a confidence of 37.5 %, 30 of 60 at 62.5 % */
    assert_near(right->points[1].high, 75, 1e-9);
    assert_near(claimed->points[3].y, 37.5, 1e-9);
    assert_near(claimed->points[3].x, 25, 1e-9);
    assert_near(claimed->points[4].x, 50, 1e-9);
    assert_true(isnan(claimed->points[5].y) && isnan(claimed->points[0].y));
    assert_near(less->points[1].high - less->points[1].low, 0, 1e-9);
    assert_near(right->points[2].high, 50, 1e-9);
    assert_near(less->points[2].low, 50, 1e-9);
    assert_near(less->points[2].high, 62.5, 1e-9);
    assert_near(right->points[0].high, 0, 0); /* an empty bin has no bar */
    assert_null(series_of(&chart, 0, 2)->name);
    assert_true(isnan(series_of(&chart, 0, 4)->points[0].y));
    check_interval(&series_of(&chart, 0, 4)->points[2], 41.83856717656182, 58.16143282343818);
    assert_near(series_of(&chart, 1, 0)->points[3].high, 50, 1e-9);
    /* One of 200 can be seen; none cannot. */
    assert_true(series_of(&chart, 1, 0)->points[0].high < 0.5 && chart.panel[1].y.low < 0.5);
    assert_non_null(strstr(chart.subtitle, "50.00 %")); /* ensemble[KELVIN_ECE] is 0.5 */
    for (int mass = 0; mass <= 1; mass++) {
        kelvin_chart_reliability(&chart, arena, runs, 2, mass);
        const struct chart_series *line = series_of(&chart, 0, 2); /* after the diagonal, and what is few */
        assert_int_equal(line->n, 3);                              /* empty bins are left out */
        assert_near(line->points[0].x, 37.5, 1e-9);
        assert_near(line->points[0].y, 75, 1e-9);
        check_interval(&line->points[0], 65.35824186346295, 82.66975913526043);
        check_interval(&line->points[2], 91.40862238543326, 97.1371249152026);
        char *svg = svg_of(&chart);
        check_markup(svg);
        kelvin_free(svg);
    }
    /* Two observations do not make a bar, nor a part of a line. */
    m.width[0] = (kelvin_bin){0, 0.25, 2, 2, 0.2};
    kelvin_chart_reliability(&chart, arena, runs, 1, false);
    assert_near(series_of(&chart, 0, 0)->points[0].high, 0, 0);
    few = series_of(&chart, 0, 2);
    assert_true(few->name && few->hollow);
    assert_near(few->points[0].high, 100, 1e-9);
    kelvin_chart_reliability(&chart, arena, runs, 2, false);
    few = series_of(&chart, 0, 1);
    assert_int_equal(few->n, 1);
    assert_true(few->hollow && few->small && !few->joined);
    check_interval(&few->points[0], 100 * 2 / (2 + 1.2815515655446004 * 1.2815515655446004), 100);
    assert_int_equal(series_of(&chart, 0, 2)->n, 3);
    assert_near(series_of(&chart, 1, 0)->points[1].y, 1, 1e-9); /* steps */
    assert_near(series_of(&chart, 1, 0)->points[1].x, series_of(&chart, 1, 0)->points[2].x, 0);
    kelvin_arena_destroy(arena);
}

static void other_charts(void **state)
{
    (void)state;
    static const size_t by_size[] = {KELVIN_ACCURACY, KELVIN_MEAN_LOG_LIKELIHOOD};
    const kelvin_metrics m = some_metrics();
    kelvin_diagnosis d = {.temperatures = {5, 8, 0.5, {1.02, 0.01}, {0.93, NAN}}};
    const struct charted runs[] = {{"one", &m, &d}, {"two", &m, NULL}, {"three", &m, &d}};
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_confidence(&chart, arena, runs, 3);
    assert_near(series_of(&chart, 0, 0)->points[3].high, 47.5, 1e-9); /* 95 of 200 are right, */
    assert_near(series_of(&chart, 1, 0)->points[2].high, 15, 1e-9);   /* 30 of 200 wrong */
    assert_near(series_of(&chart, 1, 0)->points[3].high, 2.5, 1e-9);
    assert_true(kelvin_chart_size(&chart, arena, by_size, 2, runs, 3));
    assert_near(series_of(&chart, 0, 1)->points[2].x, 12, 0);
    assert_near(series_of(&chart, 0, 1)->points[2].y, 70, 1e-9);
    assert_near(series_of(&chart, 0, 0)->points[1].low, 50, 1e-9);
    const kelvin_metrics none = {.n = 1, .bins = 1};
    assert_false(kelvin_chart_size(&chart, arena, by_size, 2, &(struct charted){"none", &none, NULL}, 1));
    kelvin_chart_metric(&chart, arena, KELVIN_ACCURACY, runs, 3);
    assert_near(series_of(&chart, 0, 0)->points[0].low, 8, 1e-9);  /* 9 % +- 1 % */
    assert_near(series_of(&chart, 0, 1)->points[0].x, 9.5, 1e-9);  /* median of ensembles of 8 */
    assert_near(series_of(&chart, 0, 2)->points[0].x, 10, 1e-9);   /* all */
    assert_near(series_of(&chart, 0, 2)->points[0].y, 1.75, 1e-9); /* the first run is on top */
    kelvin_chart_uncertainty(&chart, arena, runs, 3);
    assert_near(series_of(&chart, 0, 1)->points[0].x, m.ensemble[KELVIN_ALEATORIC], 1e-12);
    assert_true(kelvin_chart_temperatures(&chart, arena, runs, 3));
    assert_near(series_of(&chart, 0, 0)->points[0].x, 1.02 / 0.5, 1e-12); /* half of it was set */
    assert_near(series_of(&chart, 0, 0)->points[0].high, 1.03 / 0.5, 1e-12);
    assert_true(isnan(series_of(&chart, 0, 0)->points[1].x)); /* one that has none */
    assert_string_equal(chart.panel[0].y.names[2], "one");    /* the first is on top */
    assert_near(series_of(&chart, 0, 0)->points[0].y, 2.2, 1e-12);
    assert_false(chart.x.log);
    d.temperatures.kinetic.mean = 600; /* far off: the others are still to be seen */
    assert_true(kelvin_chart_temperatures(&chart, arena, runs, 3) && chart.x.log);
    assert_false(kelvin_chart_temperatures(&chart, arena, &runs[1], 1));
    kelvin_arena_destroy(arena);
}

/* Two chains of many epochs: points are means of some, and the axis is not ruled by the first of them. */
static void learning(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    static const char *const names[] = {"epoch",
                                        "lr",
                                        "temperature",
                                        "training_accuracy",
                                        "confidence",
                                        "log_posterior",
                                        "kinetic_temperature",
                                        "configurational_temperature"};
    enum { COLUMNS = sizeof names / sizeof *names };
    static double values[2][ROWS * COLUMNS];
    kelvin_history h[2];
    for (int c = 0; c < 2; c++) {
        for (size_t i = 0; i < ROWS; i++) {
            const double x = (double)i, row[COLUMNS] = {x, 1e-3, 0.5, 0.9, 0.8, i ? -100 : -1e9, 1, 1};
            memcpy(values[c] + i * COLUMNS, row, sizeof row);
        }
        h[c] = (kelvin_history){.rows = c ? ROWS / 2 : ROWS, .columns = COLUMNS, .names = names, .values = values[c]};
    }
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_learning(&chart, arena, h, 2, 0);
    assert_ok(chart.status);
    assert_int_equal(chart.n_panels, 4);
    const struct chart_series *line = series_of(&chart, 0, 0);
    assert_in_range(line->n, 100, 300);
    assert_near(line->points[0].x, 9.5, 1e-9); /* the mean of epochs 0 .. 19 */
    assert_near(line->points[7].y, 90, 1e-9);
    assert_int_equal(series_of(&chart, 0, 1)->n, line->n / 2);  /* a chain that stopped early */
    assert_near(series_of(&chart, 3, 1)->points[3].y, 1, 1e-9); /* the temperature, as a share of its largest */
    assert_non_null(strstr(chart.subtitle, "the mean of 20 epochs"));
    /* Neither the first epoch nor one that went astray rules the axis of the log-posterior. */
    for (size_t i = 1; i < ROWS; i++) values[0][i * COLUMNS + 5] = -100 + (double)(i % 40) / 40;
    values[1][(ROWS / 2 - 1) * COLUMNS + 5] = -1e12;
    kelvin_chart_learning(&chart, arena, h, 2, 0);
    /* The second chain ended half-way, far below: its mark is inside the panel. */
    const struct chart_series *ends = series_of(&chart, 2, 2);
    assert_string_equal(ends->name, "a chain ended");
    assert_int_equal(ends->n, 1);
    assert_near(ends->points[0].x, ROWS / 2 - 10.5, 1e-9); /* the mean of the last 20 epochs */
    assert_true(ends->points[0].y > chart.panel[2].y.low && ends->points[0].y < chart.panel[2].y.low + 0.2);
    /* What only the last panel has is named above it, beneath the others. */
    struct chart_layout layout;
    kelvin_chart_layout(&layout, &chart, 0, 0.6);
    assert_int_equal(layout.n_keys, 4);
    assert_string_equal(layout.keys[0].series->name, "each chain");
    assert_string_equal(layout.keys[2].series->name, "lr / 0.001");
    assert_string_equal(layout.keys[3].series->name, "T / 0.5");
    assert_true(layout.keys[1].y < layout.frame[0].top);
    assert_true(layout.keys[3].y > layout.frame[2].bottom && layout.keys[3].y < layout.frame[3].top);
    assert_true(chart.panel[2].y.low > -102 && chart.panel[2].y.low < -99 && chart.panel[2].y.high < -98);
    assert_true(kelvin_chart_heat(&chart, arena, h, 2, 0));
    char *svg = svg_of(&chart);
    check_markup(svg);
    kelvin_free(svg);
    h[1].rows = ROWS / 2 - 15; /* the last point is the mean of the five that are left */
    kelvin_chart_learning(&chart, arena, h, 2, 0);
    line = series_of(&chart, 0, 1);
    assert_near(line->points[line->n - 1].x, ROWS / 2 - 18, 1e-9);
    assert_near(line->points[line->n - 1].y, 90, 1e-9);
    h[1].rows = ROWS / 2;
    h[0].rows = 0; /* a chain that diverged at once is not the measure of the others */
    kelvin_chart_learning(&chart, arena, h, 2, 0);
    assert_int_equal(chart.n_panels, 4);
    assert_int_equal(series_of(&chart, 0, 0)->n, 0);
    assert_true(series_of(&chart, 3, 0)->n > 100);
    kelvin_chart_learning(&chart, arena, h, 0, 0);
    assert_int_equal(chart.n_panels, 0);
    kelvin_arena_destroy(arena);
}

/* The rows of warm-up are veiled in each panel, to half-way between their last and the first that counts. */
static void warmup(void **state)
{
    (void)state;
    enum { ROWS = 1000, COLUMNS = 7, WARM = 301 };
    static const char *const names[COLUMNS] = {
        "iteration", "warmup", "lr", "temperature", "confidence", "log_posterior", "configurational_temperature"};
    static double values[ROWS * COLUMNS];
    for (size_t i = 0; i < ROWS; i++) {
        const double row[COLUMNS] = {(double)i, i < WARM, 1, 1, 0.8, -100 - (double)(i % 7), 1 + 0.1 * (double)(i % 3)};
        memcpy(values + i * COLUMNS, row, sizeof row);
    }
    const kelvin_history h = {.rows = ROWS, .columns = COLUMNS, .names = names, .values = values};
    kelvin_arena *arena;
    struct chart charts[2];
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_learning(&charts[0], arena, &h, 1, 0);
    assert_true(kelvin_chart_heat(&charts[1], arena, &h, 1, 0));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(charts[i].status);
        assert_int_equal(charts[i].n_panels, i ? 1 : 3);
        assert_near(charts[i].x.low, -0.5, 0);
        for (size_t k = 0; k < charts[i].n_panels; k++) {
            const struct chart_series *veil = charts[i].panel[k].series;
            while (veil->next) veil = veil->next;
            assert_true(veil->kind == CHART_BAND && veil->tall && veil->n == 2);
            assert_near(veil->points[0].x, -0.5, 0);
            assert_near(veil->points[1].x, WARM - 0.5, 0);
        }
        char *svg = svg_of(&charts[i]);
        check_markup(svg);
        assert_non_null(strstr(svg, " Warm-up: 301 of 1000 iterations.</desc>"));
        const char *key = strstr(svg, ">warm-up, left out of every answer</text>");
        assert_true(key && !strstr(key + 2, "warm-up")); /* said once */
        kelvin_free(svg);
    }
    for (size_t i = 0; i < WARM; i++) values[i * COLUMNS + 1] = 0; /* none: nothing is marked */
    kelvin_chart_learning(&charts[0], arena, &h, 1, 0);
    assert_null(charts[0].panel[0].series->next);
    assert_true(isnan(charts[0].x.low));
    kelvin_arena_destroy(arena);
}

/* Numbers on dark squares are light. */
static void dark_squares(void **state)
{
    (void)state;
    const double apart[] = {0, 0.02, 0.2, 0};
    const uint32_t number[] = {0, 1};
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    assert_true(kelvin_chart_agreement(
        &chart, arena, &(kelvin_agreement){.chains = 2, .number = (uint32_t *)number, .disagreement = (double *)apart},
        0, 0));
    char *svg = svg_of(&chart);
    const char *dark = strstr(svg, ">20<"), *light = strstr(svg, ">2.0<");
    assert_true(dark && memcmp(dark - 5, "\"v i\"", 5) == 0);
    assert_true(light && memcmp(light - 3, "\"v\"", 3) == 0);
    kelvin_free(svg);
    kelvin_arena_destroy(arena);
}

static void agreement(void **state)
{
    (void)state;
    enum { CHAINS = 40 };
    static double apart[CHAINS * CHAINS];
    static uint32_t number[CHAINS];
    for (uint32_t i = 0; i < CHAINS; i++) number[i] = i + 1;
    apart[1] = apart[CHAINS] = 0.25;
    const kelvin_agreement many = {.chains = CHAINS, .number = number, .disagreement = apart}, one = {.chains = 1};
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    assert_true(kelvin_chart_agreement(&chart, arena, &many, 0, 0));
    struct chart_layout layout;
    kelvin_chart_layout(&layout, &chart, 0, 0.5);
    assert_near(layout.darkest, 25, 1e-12);
    assert_string_equal(layout.heat_words, "25 % of observations");
    char *svg = svg_of(&chart);
    check_markup(svg);
    assert_non_null(strstr(svg, ">25 % of observations</text>"));
    kelvin_free(svg);
    assert_true(kelvin_chart_agreement(&chart, arena, &many, 0.5, 2)); /* a scale that is shared with another run */
    kelvin_chart_layout(&layout, &chart, 0, 0.5);
    assert_near(layout.darkest, 50, 1e-12);
    assert_int_equal(series_of(&chart, 0, 0)->n, 32 * 32); /* more are not legible */
    assert_near(series_of(&chart, 0, 0)->points[32].y, 25, 1e-12);
    assert_string_equal(chart.x.names[1], "2");
    assert_false(kelvin_chart_agreement(&chart, arena, &one, 0, 0));
    kelvin_arena_destroy(arena);
}

static kelvin_status draw_all(void *context)
{
    static const size_t by_size[] = {KELVIN_ACCURACY};
    const struct charted *run = context;
    kelvin_arena *arena;
    struct chart charts[4];
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_chart_reliability(&charts[0], arena, run, 1, false);
    kelvin_chart_metric(&charts[1], arena, KELVIN_ECE, run, 1);
    kelvin_chart_size(&charts[2], arena, by_size, 1, run, 1);
    kelvin_chart_temperatures(&charts[3], arena, run, 1);
    struct markup out = begin("chart");
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < 4 && !status; i++) status = kelvin_chart_svg(&out, &charts[i]);
    kelvin_arena_destroy(arena);
    return kelvin_writer_close(&writer, status);
}

static void memory(void **state)
{
    (void)state;
    const kelvin_metrics m = some_metrics();
    const kelvin_diagnosis d = {.temperatures = {5, 8, 1, {1.02, 0.01}, {0.93, 0.02}}};
    struct charted run = {"one", &m, &d};
    assert_true(without_memory(draw_all, &run) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reliability), cmocka_unit_test(other_charts), cmocka_unit_test(learning),
        cmocka_unit_test(agreement),   cmocka_unit_test(dark_squares), cmocka_unit_test(memory),
        cmocka_unit_test(warmup),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
