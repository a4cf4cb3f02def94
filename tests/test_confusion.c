/* What is taken for what, and ROC curves: against plain loops over all pairs, with ties; the charts of them by hand. */
#include "chart_helpers.h"

#include "base/random.h"
#include "charts/class_charts.h"

enum { K = 4, N = 700 };

struct rows {
    size_t n, classes;
    int32_t y[N];
    double p[N * K];
};

/* Probabilities in eighths: most are tied with others. Class 3 has no observation. */
static void make_rows(struct rows *rows, bool ties)
{
    const kelvin_random where = {.seed = 5, .stream = KELVIN_STREAM_USER};
    *rows = (struct rows){.n = N, .classes = K};
    for (size_t i = 0; i < N; i++) {
        rows->y[i] = (int32_t)kelvin_uniform_int(where, i, K - 1);
        double left = 1;
        for (size_t k = 0; k < K; k++) {
            const bool own = (int32_t)k == rows->y[i];
            const double u = kelvin_uniform(where, N + i * K + k), share = own ? sqrt(u) : u / 2;
            rows->p[i * K + k] = k + 1 < K ? (ties ? floor(8 * share * left) / 8 : share * left) : left;
            left -= rows->p[i * K + k];
        }
    }
}

static size_t most_likely(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

static kelvin_status confuse(kelvin_confusion **c, const struct rows *rows)
{
    KELVIN_TRY(kelvin_confusion_create(c, rows->classes));
    for (size_t i = 0; i < rows->n; i++) {
        const double *p = rows->p + i * rows->classes;
        KELVIN_TRY(kelvin_confusion_add(
            *c, &(kelvin_verdict){
                    .index = i, .label = rows->y[i], .predicted = (int32_t)most_likely(p, rows->classes), .p = p}));
    }
    return kelvin_confusion_conclude(*c);
}

/* ---- against plain loops ---- */

static double plain_auc(const struct rows *rows, size_t label)
{
    double pairs = 0, n = 0;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < rows->n; j++) {
            if (rows->y[i] != (int32_t)label || rows->y[j] == (int32_t)label) continue;
            const double a = rows->p[i * K + label], b = rows->p[j * K + label];
            pairs += a > b ? 1 : a == b ? 0.5 : 0;
            n++;
        }
    return pairs / n;
}

static void check_counts(const kelvin_confusion *c, const struct rows *rows)
{
    size_t table[K][K] = {0};
    for (size_t i = 0; i < rows->n; i++) table[rows->y[i]][most_likely(rows->p + i * K, K)]++;
    for (size_t a = 0; a < K; a++) {
        size_t row = 0, column = 0;
        for (size_t b = 0; b < K; b++) {
            assert_int_equal(kelvin_confusion_count(c, a, b), table[a][b]);
            row += table[a][b];
            column += table[b][a];
        }
        assert_int_equal(kelvin_confusion_observations(c, a), row);
        if (row == 0)
            assert_true(isnan(kelvin_confusion_recall(c, a)));
        else
            assert_near(kelvin_confusion_recall(c, a), (double)table[a][a] / (double)row, 0);
        if (column == 0)
            assert_true(isnan(kelvin_confusion_precision(c, a)));
        else
            assert_near(kelvin_confusion_precision(c, a), (double)table[a][a] / (double)column, 0);
    }
}

/* Some point of the curve is as near as the curve is fine to what a threshold gives. */
static void check_threshold(const kelvin_roc_point *points, size_t n, const struct rows *rows, size_t label,
                            double threshold, double fine)
{
    double own = 0, others = 0, all_own = 0, all_others = 0, nearest = INFINITY;
    for (size_t i = 0; i < rows->n; i++) {
        const bool above = rows->p[i * K + label] >= threshold, of_it = rows->y[i] == (int32_t)label;
        *(of_it ? &all_own : &all_others) += 1;
        *(of_it ? &own : &others) += above;
    }
    /* the curve is made of straight pieces: the nearest place on any of them */
    for (size_t i = 0; i + 1 < n; i++)
        for (double t = 0; t <= 1; t += 1.0 / 64) {
            const double x = points[i].others + t * (points[i + 1].others - points[i].others);
            const double y = points[i].own + t * (points[i + 1].own - points[i].own);
            nearest = fmin(nearest, fmax(fabs(x - others / all_others), fabs(y - own / all_own)));
        }
    assert_below(nearest, fine);
}

static void check_curve(const kelvin_confusion *c, const struct rows *rows, size_t label)
{
    size_t n;
    const kelvin_roc_point *points = kelvin_confusion_roc(c, label, &n);
    double area = 0;
    assert_in_range(n, 2, KELVIN_ROC_POINTS);
    assert_true(points[0].others == 0 && points[0].own == 0 && points[n - 1].others == 1 && points[n - 1].own == 1);
    for (size_t i = 1; i < n; i++) {
        assert_true(points[i].others >= points[i - 1].others && points[i].own >= points[i - 1].own);
        area += (points[i].others - points[i - 1].others) * (points[i].own + points[i - 1].own) / 2;
    }
    /* Points that were left out lie within a step of the curve: its area is off by less than that. */
    assert_near(area, kelvin_confusion_auc(c, label), n < 200 ? 1e-12 : 1.0 / KELVIN_ROC_STEPS);
    for (double t = 0.05; t < 1; t += 0.1) check_threshold(points, n, rows, label, t, 1.0 / KELVIN_ROC_STEPS);
}

static void plain_loops(void **state)
{
    (void)state;
    static struct rows rows;
    for (int ties = 0; ties <= 1; ties++) {
        kelvin_confusion *c;
        double mean = 0;
        make_rows(&rows, ties);
        assert_ok(confuse(&c, &rows));
        check_counts(c, &rows);
        for (size_t k = 0; k + 1 < K; k++) {
            assert_near(kelvin_confusion_auc(c, k), plain_auc(&rows, k), 1e-12);
            mean += plain_auc(&rows, k) / (K - 1);
            check_curve(c, &rows, k);
        }
        assert_near(kelvin_confusion_auc_mean(c), mean, 1e-12);
        assert_true(isnan(kelvin_confusion_auc(c, K - 1))); /* no observation is of it */
        size_t n;
        assert_null(kelvin_confusion_roc(c, K - 1, &n));
        assert_int_equal(n, 0);
        kelvin_confusion_free(c);
    }
}

/* Two classes: the second one's curve is the first one's, turned round; labels that are missing do not count. */
static void two_classes(void **state)
{
    (void)state;
    static const double p[] = {0.875, 0.125, 0.75, 0.25, 0.25, 0.75, 0.5, 0.5, 0.5, 0.5, 0.125, 0.875};
    static const int32_t y[] = {0, 0, 0, 1, 0, 1};
    kelvin_confusion *c;
    size_t n;
    assert_ok(kelvin_confusion_create(&c, 2));
    for (size_t i = 0; i < 6; i++) {
        const kelvin_verdict v = {.label = y[i], .predicted = p[2 * i] < 0.5, .p = p + 2 * i};
        assert_ok(kelvin_confusion_add(c, &v));
        assert_ok(kelvin_confusion_add(c, &(kelvin_verdict){.label = -1, .p = p}));
    }
    assert_ok(kelvin_confusion_conclude(c));
    /* Of the second: 0.5 and 0.875; of the first: 0.125, 0.25, 0.75, 0.5: of 8 pairs 6 are right and one is equal. */
    assert_near(kelvin_confusion_auc(c, 1), 6.5 / 8, 1e-15);
    assert_near(kelvin_confusion_auc(c, 0), 6.5 / 8, 1e-15);
    const kelvin_roc_point *roc = kelvin_confusion_roc(c, 1, &n);
    static const kelvin_roc_point expected[] = {{0, 0}, {0, 0.5}, {0.25, 0.5}, {0.5, 1}, {1, 1}};
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) {
        assert_near(roc[i].others, expected[i].others, 1e-15);
        assert_near(roc[i].own, expected[i].own, 1e-15);
    }
    assert_near(kelvin_roc_at(&c->roc[1], 0), 0.5, 1e-15);
    assert_near(kelvin_roc_at(&c->roc[1], 0.3), 0.6, 1e-15);
    assert_near(kelvin_roc_at(&c->roc[1], 0.9), 1, 1e-15);
    assert_near(kelvin_roc_at(&c->roc[1], 1), 1, 1e-15);
    assert_int_equal(kelvin_confusion_count(c, 1, 0), 1); /* of equal ones the first is the prediction */
    assert_int_equal(kelvin_confusion_count(c, 0, 2), 0);
    kelvin_confusion_free(c);
    assert_int_equal(kelvin_confusion_create(&c, KELVIN_CONFUSION_CLASSES + 1), KELVIN_EUSAGE);
    assert_null(c);
}

/* ---- charts ---- */

static void charts(void **state)
{
    (void)state;
    static struct rows rows;
    static const char *const names[] = {"a", "b & b", "c", "d"};
    kelvin_confusion *c;
    kelvin_arena *arena;
    struct chart chart;
    make_rows(&rows, true);
    assert_ok(confuse(&c, &rows));
    assert_ok(kelvin_arena_create(&arena));
    const struct charted_classes of = {c, names};
    assert_true(kelvin_chart_roc(&chart, arena, &of, 0));
    assert_ok(chart.status);
    size_t curves = 0, n;
    const kelvin_roc_point *second = kelvin_confusion_roc(c, 1, &n);
    for (const struct chart_series *s = chart.panel[0].series; s; s = s->next, curves++)
        if (curves == 1)
            for (size_t i = 0; i < n; i++) assert_near(s->points[i].y, 100 * second[i].own, 1e-12);
    assert_int_equal(curves, 4); /* of three classes, and chance */
    char *svg = svg_of(&chart);
    check_markup(svg);
    kelvin_free(svg);

    assert_true(kelvin_chart_mistakes(&chart, arena, &of, 0));
    const struct chart_series *heat = chart.panel[0].series;
    double sum = 0;
    for (size_t i = 0; i < heat->n; i++) /* the first class is on top */
        if (heat->points[i].low == 2.5) sum += heat->points[i].y;
    assert_near(sum, 100 * (1 - kelvin_confusion_recall(c, 0)), 1e-9);
    svg = svg_of(&chart);
    check_markup(svg);
    kelvin_free(svg);
    kelvin_confusion_free(c);
    kelvin_arena_destroy(arena);
}

/* More classes than colours: their mean, where most are, and those of the smallest area. */
static void many_classes(void **state)
{
    (void)state;
    enum { MANY = 9 };
    static const char *const names[MANY] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    kelvin_confusion *c;
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_confusion_create(&c, MANY));
    for (int32_t k = 0; k < MANY; k++)
        for (int32_t i = 0; i < 20; i++) {
            double p[MANY] = {0};
            const int32_t other = k > 5 && i < 2 * k ? 0 : k; /* 6, 7 and 8 are taken for the first, each more often */
            p[other] = 1;
            assert_ok(kelvin_confusion_add(c, &(kelvin_verdict){.label = k, .predicted = other, .p = p}));
        }
    assert_ok(kelvin_confusion_conclude(c));
    assert_ok(kelvin_arena_create(&arena));
    assert_true(kelvin_chart_roc(&chart, arena, &(struct charted_classes){c, names}, 0));
    static const char *const expected[] = {"10 .. 90 % of classes", NULL, "8 0.600", "7 0.650", "6 0.700", "chance"};
    const struct chart_series *s = chart.panel[0].series;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++, s = s->next) {
        assert_non_null(s);
        if (expected[i]) assert_string_equal(s->name, expected[i]);
    }
    assert_null(s);
    kelvin_confusion_free(c);
    kelvin_arena_destroy(arena);
}

/* ---- memory ---- */

static kelvin_status make_all(void *context)
{
    kelvin_confusion *c = NULL;
    kelvin_arena *arena = NULL;
    struct chart chart;
    static const char *const names[] = {"a", "b", "c", "d"};
    kelvin_status status = confuse(&c, context);
    if (!status) status = kelvin_arena_create(&arena);
    for (int i = 0; i < 2 && !status; i++) {
        (i ? kelvin_chart_roc : kelvin_chart_mistakes)(&chart, arena, &(struct charted_classes){c, names}, 0);
        status = chart.status;
    }
    kelvin_confusion_free(c);
    kelvin_arena_destroy(arena);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    static struct rows rows;
    make_rows(&rows, true);
    assert_true(without_memory(make_all, &rows) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_loops), cmocka_unit_test(two_classes),
                                       cmocka_unit_test(charts), cmocka_unit_test(many_classes),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
