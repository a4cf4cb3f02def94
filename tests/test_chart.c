/* Charts: ticks and ranges over awkward numbers, texts that try to break out of the markup, SVG that is well-formed
 * and has its points where they belong, tables and scripts for gnuplot, and what the charts of posteriors show. */
#include "check.h"

#include "base/process.h"
#include "figures/chart_layout.h"
#include "figures/posterior_charts.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/kelvin-test-XXXXXX";

static const char *in_home(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", home, name);
    return path;
}

static char *slurp(const char *path)
{
    char *text;
    size_t bytes;
    assert_ok(kelvin_file_read(&text, &bytes, path));
    return text;
}

/* ---- ticks ---- */

static double number_of(const char *label)
{
    const bool minus = strncmp(label, "\xe2\x88\x92", 3) == 0;
    char *end;
    const double value = strtod(label + (minus ? 3 : 0), &end);
    if (*end) fail_msg("the label %s is not a number", label);
    return minus ? -value : value;
}

static void known_ticks(void **state)
{
    (void)state;
    static const struct {
        struct chart_range range;
        size_t most;
        bool whole;
        const char *labels;
    } cases[] = {
        {{0, 87, false}, 5, false, "0 20 40 60 80"},
        {{-0.35, 0.1, false},
         6,
         false,
         "\xe2\x88\x92"
         "0.3 \xe2\x88\x92"
         "0.2 \xe2\x88\x92"
         "0.1 0.0 0.1"},
        {{1, 200, true}, 8, false, "1 2 5 10 20 50 100 200"},
        {{1, 200, true}, 5, false, "1 3 10 30 100"},
        {{0.5, 3e6, true}, 8, false, "1 10 100 1000 10000 100000 1e6"},
        {{1, 3, false}, 9, true, "1 2 3"},
        {{2e6, 4e6, false}, 5, false, "2.0e6 2.5e6 3.0e6 3.5e6 4.0e6"},
        {{0, 3e-6, false}, 4, false, "0 1e-6 2e-6 3e-6"},
        {{30, 40, true}, 4, false, "30 35 40"}, /* less than a decade */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chart_tick ticks[CHART_TICKS];
        char all[256] = "";
        const size_t n = chart_ticks(ticks, &cases[i].range, cases[i].most, cases[i].whole);
        for (size_t k = 0; k < n; k++) {
            strcat(all, k ? " " : "");
            strcat(all, ticks[k].label);
        }
        assert_string_equal(all, cases[i].labels);
    }
}

/* Ranges of all sizes: a few ticks, inside, in order, and each says where it is. */
static void any_ticks(void **state)
{
    (void)state;
    const kelvin_random where = {.seed = 7, .stream = KELVIN_STREAM_USER};
    for (uint64_t i = 0; i < 4000; i++) {
        const bool log = i % 4 == 3;
        const double size = pow(10, 24 * kelvin_uniform(where, 4 * i) - 12);
        const double span = pow(10, 12 * kelvin_uniform(where, 4 * i + 1) - 8);
        struct chart_range range = {size * (kelvin_uniform(where, 4 * i + 2) - 0.5), 0, log};
        if (log) range.low = size;
        range.high = log ? range.low * (1 + 1e-3 + span) : range.low + size * span;
        const size_t most = 2 + i % 9;
        struct chart_tick ticks[CHART_TICKS];
        const size_t n = chart_ticks(ticks, &range, most, false);
        assert_in_range(n, 1, most + 1);
        const double slack = 1e-6 * (range.high - range.low);
        for (size_t k = 0; k < n; k++) {
            assert_true(ticks[k].at >= range.low - slack && ticks[k].at <= range.high + slack);
            if (k > 0) assert_true(ticks[k].at > ticks[k - 1].at);
            if (k > 0) assert_string_not_equal(ticks[k].label, ticks[k - 1].label);
            /* Labels are exact: ticks are round numbers. */
            if (n > 1) assert_near(number_of(ticks[k].label), ticks[k].at, 1e-6 * (ticks[1].at - ticks[0].at));
        }
    }
}

static void ranges(void **state)
{
    (void)state;
    const struct chart_axis plain = {.low = NAN, .high = NAN}, set = {.low = 0, .high = 100},
                            above = {.low = 5, .high = NAN}, log = {.low = NAN, .high = NAN, .log = true};
    static const char *const names[] = {"a", "b", "c"};
    const struct chart_axis named = {.low = NAN, .high = NAN, .names = names, .n_names = 3};
    struct chart_range r = chart_range(&plain, INFINITY, -INFINITY); /* nothing */
    assert_true(r.low < r.high && r.low <= 0 && r.high >= 1);
    r = chart_range(&plain, 3, 3); /* one value */
    assert_true(r.low < 3 && r.high > 3);
    r = chart_range(&plain, 0, 0);
    assert_true(r.low < 0 && r.high > 0);
    r = chart_range(&plain, 1e300, INFINITY); /* beyond what is shown */
    assert_true(isfinite(r.low) && isfinite(r.high) && r.low < r.high);
    r = chart_range(&set, -1e9, 1e9);
    assert_true(r.low == 0 && r.high == 100);
    r = chart_range(&above, 1, 2); /* all of it below what was set */
    assert_true(r.low < r.high && isfinite(r.high));
    r = chart_range(&log, -3, 10);
    assert_true(r.low > 0 && r.high > r.low);
    r = chart_range(&log, 10, 10);
    assert_true(r.low > 0 && r.low < 10 && r.high > 10);
    r = chart_range(&named, 0, 0);
    assert_true(r.low == -0.5 && r.high == 2.5);
    /* Nothing is right more often than always, and hardly any difference is not drawn as a large one. */
    const struct chart_axis share = {.low = NAN, .high = NAN, .floor = 0, .ceiling = 100, .span = 0.1};
    r = chart_range(&share, 100, 100);
    assert_true(r.low < 99.91 && r.low > 99.8 && r.high > 100 && r.high < 100.02);
    r = chart_range(&share, 0, 1e-19);
    assert_true(r.low > -0.02 && r.low < 0 && r.high > 0.09);
    r = chart_range(&share, 40, 60);
    assert_true(r.low > 38 && r.high < 62);
    assert_true(chart_possible(&share, 100) && !chart_possible(&share, 110) && chart_possible(&plain, 110));
    assert_near(chart_share(&(struct chart_range){1, 100, true}, 10), 0.5, 1e-15);
    assert_near(chart_share(&(struct chart_range){-1, 3, false}, 0), 0.25, 1e-15);
    assert_true(isnan(chart_share(&(struct chart_range){1, 100, true}, 0)));
    assert_true(isnan(chart_share(&(struct chart_range){1, 100, false}, INFINITY)));
}

/* ---- markup ---- */

static struct kelvin_writer writer;

static struct markup begin(const char *name)
{
    assert_ok(kelvin_writer_open(&writer, in_home(name)));
    return (struct markup){.file = &writer};
}

static char *finish(struct markup *out, const char *name)
{
    assert_ok(kelvin_writer_close(&writer, out->status));
    return slurp(in_home(name));
}

static void escaping(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain", "plain"},
        {"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;"},
        {"\x01\x1f\x7f\t", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\t"},
        {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xff|\xc3|\xc0\x80|\xed\xa0\x80|\xf5\x80\x80\x80",
         "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct markup out = begin("text");
        markup_text(&out, pairs[i][0]);
        char *found = finish(&out, "text");
        assert_string_equal(found, pairs[i][1]);
        kelvin_free(found);
    }
    char *many = malloc(5001);
    memset(many, 'x', 5000);
    many[5000] = '\0';
    struct markup out = begin("text");
    markup_put(&out, "%s", many); /* longer than what is formatted without asking for memory */
    char *found = finish(&out, "text");
    assert_string_equal(found, many);
    kelvin_free(found);
    free(many);
}

static void shortening(void **state)
{
    (void)state;
    kelvin_arena *arena;
    assert_ok(kelvin_arena_create(&arena));
    assert_string_equal(markup_shorten(arena, "short", 5), "short");
    assert_string_equal(markup_shorten(arena, "a longer name", 7), "a ..ame");
    assert_string_equal(markup_shorten(arena, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 4),
                        "\xc3\xa4..\xc3\xbc");
    assert_int_equal(markup_letters("\xc3\xa4z\xff"), 3);
    kelvin_arena_destroy(arena);
}

/* ---- SVG ---- */

/* Every element ends where it must, attributes are in quotes, and no number is "nan" or "inf". */
static void check_markup(const char *text)
{
    char open[64][16];
    size_t depth = 0, elements = 0;
    for (const char *at = text; *at;) {
        if (*at == '&') {
            const char *end = strchr(at, ';');
            assert_true(end && end - at < 8);
        }
        if (*at != '<') {
            assert_true(*at != '>');
            at++;
            continue;
        }
        const bool closing = at[1] == '/';
        char name[16] = "";
        const char *start = at + 1 + closing;
        size_t length = 0;
        while (isalnum((unsigned char)start[length])) length++;
        assert_in_range(length, 1, sizeof name - 1);
        memcpy(name, start, length);
        const char *end = start + length;
        for (bool quoted = false; quoted || *end != '>'; end++) {
            if (!*end || *end == '<') fail_msg("<%s is not closed: %.80s", name, at);
            if (*end == '"') quoted = !quoted;
        }
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        }
        elements++;
        at = end + 1;
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 4);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

static char *svg_of(const struct chart *chart)
{
    struct markup out = begin("chart");
    assert_ok(chart_svg(&out, chart));
    return finish(&out, "chart");
}

/* Numbers with which a chart has its troubles. */
static const double awkward[] = {0, 1, NAN, -2.385, INFINITY, 1e300, -INFINITY, 1e-300, 7.25, -1e300, 3, 3};

enum { AWKWARD = sizeof awkward / sizeof *awkward };

static void fill(struct chart_series *s, size_t shift)
{
    for (size_t i = 0; s && i < s->n; i++)
        s->points[i] =
            (struct chart_point){awkward[(i + shift) % AWKWARD], awkward[(3 * i + 1 + shift) % AWKWARD],
                                 awkward[(5 * i + 2 + shift) % AWKWARD], awkward[(7 * i + 3 + shift) % AWKWARD],
                                 awkward[(11 * i + 5 + shift) % AWKWARD]};
}

static void awkward_chart(struct chart *chart, kelvin_arena *arena, size_t n, size_t shift, bool log, bool named)
{
    static const char *const names[] = {"<a>", "b & `touch ran`", "'d'"};
    chart_begin(chart, arena, "awkward", "Title with <tags> & 'quotes' {_^}");
    chart->subtitle = "a \"subtitle\"";
    chart->x.label = "x < y";
    chart->x.log = log;
    for (enum chart_kind kind = CHART_LINE; kind <= CHART_HEAT; kind++) {
        if (kind != CHART_POINTS && kind != CHART_HEAT) chart_panel(chart, "y > z", 60)->y.log = log;
        struct chart_series *s = chart_add(chart, kind, "na<me", kind, n);
        assert_non_null(s);
        fill(s, shift + kind);
        s->hollow = s->joined = s->across = shift % 2;
        s->light = s->dashed = s->thin = shift % 3 == 0;
    }
    if (named) chart->panel[0].y.names = chart->x.names = names, chart->panel[0].y.n_names = chart->x.n_names = 3;
}

static void well_formed(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, AWKWARD};
    for (size_t i = 0; i < 4 * AWKWARD * (sizeof sizes / sizeof *sizes); i++) {
        kelvin_arena *arena;
        struct chart chart;
        assert_ok(kelvin_arena_create(&arena));
        awkward_chart(&chart, arena, sizes[i / (4 * AWKWARD)], i / 4 % AWKWARD, i & 1, i & 2);
        char *svg = svg_of(&chart);
        check_markup(svg);
        assert_non_null(strstr(svg, "role=\"img\" aria-label=\"Title with &lt;tags&gt; &amp; &#39;quotes&#39; {_^}\""));
        assert_non_null(strstr(svg, "<desc>a &quot;subtitle&quot;</desc>"));
        kelvin_free(svg);
        kelvin_arena_destroy(arena);
    }
    struct chart empty;
    kelvin_arena *arena;
    assert_ok(kelvin_arena_create(&arena));
    chart_begin(&empty, arena, "empty", "empty");
    chart_panel(&empty, NULL, 100);
    char *svg = svg_of(&empty);
    check_markup(svg);
    kelvin_free(svg);
    kelvin_arena_destroy(arena);
}

/* From the lower left corner of the frame to the upper right one. */
static void corner_to_corner(void **state)
{
    (void)state;
    for (int log = 0; log <= 1; log++) {
        kelvin_arena *arena;
        struct chart chart;
        assert_ok(kelvin_arena_create(&arena));
        chart_begin(&chart, arena, "diagonal", "diagonal");
        chart.x = (struct chart_axis){.low = 2, .high = 8, .log = log};
        struct chart_panel *panel = chart_panel(&chart, "y", 90);
        panel->y.low = -10;
        panel->y.high = 30;
        struct chart_series *line = chart_add(&chart, CHART_LINE, NULL, 0, 3);
        line->points[0] = (struct chart_point){.x = 2, .y = -10};
        line->points[1] = (struct chart_point){.x = log ? 4 : 5, .y = 10}; /* the middle */
        line->points[2] = (struct chart_point){.x = 8, .y = 30};
        char *svg = svg_of(&chart);
        double x[3], y[3], left, top, width, height;
        const char *frame = strstr(svg, "<rect class=\"f\""), *path = strstr(svg, "<path class=\"l\" d=\"");
        assert_non_null(frame);
        assert_non_null(path);
        assert_int_equal(sscanf(frame, "<rect class=\"f\" x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &left,
                                &top, &width, &height),
                         4);
        assert_int_equal(
            sscanf(path, "<path class=\"l\" d=\"M%lf %lfL%lf %lfL%lf %lf\"", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]),
            6);
        for (int i = 0; i < 3; i++) { /* all of it is rounded to a tenth */
            assert_near(x[i], left + i * width / 2, 0.11);
            assert_near(y[i], top + height - i * height / 2, 0.11);
        }
        assert_near(height, 90, 1e-9);
        kelvin_free(svg);
        kelvin_arena_destroy(arena);
    }
}

/* ---- files ---- */

static bool has_gnuplot(void)
{
    char name[] = "gnuplot", version[] = "--version";
    char *argv[] = {name, version, NULL};
    return kelvin_process_run(argv, in_home("gnuplot.log"), NULL, NULL) == 0;
}

static bool is_there(const char *name)
{
    struct stat about;
    return stat(in_home(name), &about) == 0 && about.st_size > 0;
}

static void numbers_without_gnuplot(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH"));
    kelvin_arena *arena;
    struct chart chart;
    enum chart_made made;
    assert_ok(kelvin_arena_create(&arena));
    chart_begin(&chart, arena, "bare", "two\nlines");
    chart_panel(&chart, "y", 90);
    struct chart_series *s = chart_add(&chart, CHART_POINTS, "name\n\"of\" two lines", 0, 2);
    s->points[0] = (struct chart_point){0.1, -2.385, NAN, INFINITY, 0};
    s->points[1] = (struct chart_point){1.0 / 3, 4, 3, 5, 0};
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(chart_files(&made, &chart, in_home("bare")), KELVIN_EIO);
    setenv("PATH", path, 1);
    assert_non_null(strstr(kelvin_error(), "gnuplot is missing"));
    assert_int_equal(made, CHART_NUMBERS);
    char *table = slurp(in_home("bare/bare.csv"));
    assert_string_equal(table,
                        "series,x,y,low,high,to,panel,name\n0,0.1,-2.385,,,,\"y\",\"name \"\"of\"\" two lines\"\n"
                        "0,0.3333333333,4,3,5,,\"y\",\"name \"\"of\"\" two lines\"\n");
    assert_true(is_there("bare/bare.gp"));
    kelvin_free(table);
    free(path);
    kelvin_arena_destroy(arena);
}

static void awkward_files(void **state)
{
    (void)state;
    if (!has_gnuplot()) {
        print_message("skipped: gnuplot is not here\n");
        skip();
    }
    for (size_t i = 0; i < 4; i++) {
        kelvin_arena *arena;
        struct chart chart;
        enum chart_made made;
        assert_ok(kelvin_arena_create(&arena));
        awkward_chart(&chart, arena, i == 3 ? 0 : AWKWARD, i, i & 1, i & 2);
        char folder[512];
        snprintf(folder, sizeof folder, "%s/it's %zu", home, i);
        assert_ok(chart_files(&made, &chart, folder));
        assert_int_equal(made, CHART_PICTURES);
        kelvin_arena_destroy(arena);
    }
    assert_true(is_there("it's 0/awkward.png") && is_there("it's 0/awkward.svg") && is_there("it's 0/awkward.pdf"));
    char *svg =
        slurp(in_home("it's 0/awkward.svg")); /* words are there as they are: gnuplot's own markup has no effect */
    assert_non_null(strstr(svg, "{_^}"));
    assert_true(access("ran", F_OK) != 0 && !is_there("it's 2/ran")); /* names are no commands */
    kelvin_free(svg);
}

/* ---- charts of posteriors ---- */

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
    for (int k = 0; k < KELVIN_METRICS; k++) {
        m.ensemble[k] = 0.1 * (k + 1);
        m.single[k] = (kelvin_average){0.09 * (k + 1), 0.01};
        m.spread[k] = (kelvin_percentiles){0.08 * (k + 1), 0.095 * (k + 1), 0.11 * (k + 1)};
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
    chart_reliability(&chart, arena, runs, 1, false);
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
        chart_reliability(&chart, arena, runs, 2, mass);
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
    chart_reliability(&chart, arena, runs, 1, false);
    assert_near(series_of(&chart, 0, 0)->points[0].high, 0, 0);
    few = series_of(&chart, 0, 2);
    assert_true(few->name && few->hollow);
    assert_near(few->points[0].high, 100, 1e-9);
    chart_reliability(&chart, arena, runs, 2, false);
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
    static const kelvin_metric by_size[] = {KELVIN_ACCURACY, KELVIN_MEAN_LOG_LIKELIHOOD};
    const kelvin_metrics m = some_metrics();
    kelvin_diagnosis d = {.temperatures = {5, 8, 0.5, {1.02, 0.01}, {0.93, NAN}}};
    const struct charted runs[] = {{"one", &m, &d}, {"two", &m, NULL}, {"three", &m, &d}};
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    chart_confidence(&chart, arena, runs, 3);
    assert_near(series_of(&chart, 0, 0)->points[3].high, 47.5, 1e-9); /* 95 of 200 are right, */
    assert_near(series_of(&chart, 1, 0)->points[2].high, 15, 1e-9);   /* 30 of 200 wrong */
    assert_near(series_of(&chart, 1, 0)->points[3].high, 2.5, 1e-9);
    assert_true(chart_size(&chart, arena, by_size, 2, runs, 3));
    assert_near(series_of(&chart, 0, 1)->points[2].x, 12, 0);
    assert_near(series_of(&chart, 0, 1)->points[2].y, 70, 1e-9);
    assert_near(series_of(&chart, 0, 0)->points[1].low, 50, 1e-9);
    const kelvin_metrics none = {.n = 1, .bins = 1};
    assert_false(chart_size(&chart, arena, by_size, 2, &(struct charted){"none", &none, NULL}, 1));
    chart_metric(&chart, arena, KELVIN_ACCURACY, runs, 3);
    assert_near(series_of(&chart, 0, 0)->points[0].low, 8, 1e-9);  /* 9 % +- 1 % */
    assert_near(series_of(&chart, 0, 1)->points[0].x, 9.5, 1e-9);  /* median of ensembles of 8 */
    assert_near(series_of(&chart, 0, 2)->points[0].x, 10, 1e-9);   /* all */
    assert_near(series_of(&chart, 0, 2)->points[0].y, 1.75, 1e-9); /* the first run is on top */
    chart_uncertainty(&chart, arena, runs, 3);
    assert_near(series_of(&chart, 0, 1)->points[0].x, m.ensemble[KELVIN_ALEATORIC], 1e-12);
    assert_true(chart_temperatures(&chart, arena, runs, 3));
    assert_near(series_of(&chart, 0, 0)->points[0].x, 1.02 / 0.5, 1e-12); /* half of it was set */
    assert_near(series_of(&chart, 0, 0)->points[0].high, 1.03 / 0.5, 1e-12);
    assert_true(isnan(series_of(&chart, 0, 0)->points[1].x)); /* one that has none */
    assert_string_equal(chart.panel[0].y.names[2], "one");    /* the first is on top */
    assert_near(series_of(&chart, 0, 0)->points[0].y, 2.2, 1e-12);
    assert_false(chart.x.log);
    d.temperatures.kinetic.mean = 600; /* far off: the others are still to be seen */
    assert_true(chart_temperatures(&chart, arena, runs, 3) && chart.x.log);
    assert_false(chart_temperatures(&chart, arena, &runs[1], 1));
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
    chart_learning(&chart, arena, h, 2, 0);
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
    chart_learning(&chart, arena, h, 2, 0);
    /* The second chain ended half-way, far below: its mark is inside the panel. */
    const struct chart_series *ends = series_of(&chart, 2, 2);
    assert_string_equal(ends->name, "a chain ended");
    assert_int_equal(ends->n, 1);
    assert_near(ends->points[0].x, ROWS / 2 - 10.5, 1e-9); /* the mean of the last 20 epochs */
    assert_true(ends->points[0].y > chart.panel[2].y.low && ends->points[0].y < chart.panel[2].y.low + 0.2);
    /* What only the last panel has is named above it, beneath the others. */
    struct chart_layout layout;
    chart_layout(&layout, &chart, 0, 0.6);
    assert_int_equal(layout.n_keys, 4);
    assert_string_equal(layout.keys[0].series->name, "each chain");
    assert_string_equal(layout.keys[2].series->name, "lr / 0.001");
    assert_string_equal(layout.keys[3].series->name, "T / 0.5");
    assert_true(layout.keys[1].y < layout.frame[0].top);
    assert_true(layout.keys[3].y > layout.frame[2].bottom && layout.keys[3].y < layout.frame[3].top);
    assert_true(chart.panel[2].y.low > -102 && chart.panel[2].y.low < -99 && chart.panel[2].y.high < -98);
    assert_true(chart_heat(&chart, arena, h, 2, 0));
    char *svg = svg_of(&chart);
    check_markup(svg);
    kelvin_free(svg);
    h[1].rows = ROWS / 2 - 15; /* the last point is the mean of the five that are left */
    chart_learning(&chart, arena, h, 2, 0);
    line = series_of(&chart, 0, 1);
    assert_near(line->points[line->n - 1].x, ROWS / 2 - 18, 1e-9);
    assert_near(line->points[line->n - 1].y, 90, 1e-9);
    h[1].rows = ROWS / 2;
    h[0].rows = 0; /* a chain that diverged at once is not the measure of the others */
    chart_learning(&chart, arena, h, 2, 0);
    assert_int_equal(chart.n_panels, 4);
    assert_int_equal(series_of(&chart, 0, 0)->n, 0);
    assert_true(series_of(&chart, 3, 0)->n > 100);
    chart_learning(&chart, arena, h, 0, 0);
    assert_int_equal(chart.n_panels, 0);
    kelvin_arena_destroy(arena);
}

/* A band goes there along its high edge, and back along the low one. */
static void bands(void **state)
{
    (void)state;
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    chart_begin(&chart, arena, "band", "band");
    chart.x = (struct chart_axis){.low = 0, .high = 1};
    struct chart_panel *panel = chart_panel(&chart, "y", 100);
    panel->y.low = 0;
    panel->y.high = 1;
    struct chart_series *band = chart_add(&chart, CHART_BAND, NULL, 0, 2);
    band->points[0] = (struct chart_point){.x = 0, .low = 0.2, .high = 0.7};
    band->points[1] = (struct chart_point){.x = 1, .low = 0.4, .high = 0.9};
    char *svg = svg_of(&chart), closed = 0;
    double x[4], y[4];
    const char *path = strstr(svg, "<path class=\"b\" d=\"");
    assert_non_null(path);
    assert_int_equal(sscanf(path, "<path class=\"b\" d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lf%c", &x[0], &y[0], &x[1],
                            &y[1], &x[2], &y[2], &x[3], &y[3], &closed),
                     9);
    assert_true(closed == 'Z' && x[0] == x[3] && x[1] == x[2] && x[0] < x[1]);
    assert_near(y[0] - y[1], 20, 0.21); /* each is rounded to a tenth */
    assert_near(y[2] - y[1], 50, 0.21);
    assert_near(y[3] - y[0], 50, 0.21);
    kelvin_free(svg);
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
    assert_true(chart_agreement(
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
    assert_true(chart_agreement(&chart, arena, &many, 0, 0));
    struct chart_layout layout;
    chart_layout(&layout, &chart, 0, 0.5);
    assert_near(layout.darkest, 25, 1e-12);
    assert_string_equal(layout.heat_words, "25 % of observations");
    char *svg = svg_of(&chart);
    check_markup(svg);
    assert_non_null(strstr(svg, ">25 % of observations</text>"));
    kelvin_free(svg);
    assert_true(chart_agreement(&chart, arena, &many, 0.5, 2)); /* a scale that is shared with another run */
    chart_layout(&layout, &chart, 0, 0.5);
    assert_near(layout.darkest, 50, 1e-12);
    assert_int_equal(series_of(&chart, 0, 0)->n, 32 * 32); /* more are not legible */
    assert_near(series_of(&chart, 0, 0)->points[32].y, 25, 1e-12);
    assert_string_equal(chart.x.names[1], "2");
    assert_false(chart_agreement(&chart, arena, &one, 0, 0));
    kelvin_arena_destroy(arena);
}

static kelvin_status draw_all(void *context)
{
    static const kelvin_metric by_size[] = {KELVIN_ACCURACY};
    const struct charted *run = context;
    kelvin_arena *arena;
    struct chart charts[4];
    KELVIN_TRY(kelvin_arena_create(&arena));
    chart_reliability(&charts[0], arena, run, 1, false);
    chart_metric(&charts[1], arena, KELVIN_ECE, run, 1);
    chart_size(&charts[2], arena, by_size, 1, run, 1);
    chart_temperatures(&charts[3], arena, run, 1);
    struct markup out = begin("chart");
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < 4 && !status; i++) status = chart_svg(&out, &charts[i]);
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
    if (!mkdtemp(home)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ticks),
        cmocka_unit_test(any_ticks),
        cmocka_unit_test(ranges),
        cmocka_unit_test(escaping),
        cmocka_unit_test(shortening),
        cmocka_unit_test(well_formed),
        cmocka_unit_test(awkward_files),
        cmocka_unit_test(corner_to_corner),
        cmocka_unit_test(numbers_without_gnuplot),
        cmocka_unit_test(reliability),
        cmocka_unit_test(other_charts),
        cmocka_unit_test(learning),
        cmocka_unit_test(agreement),
        cmocka_unit_test(bands),
        cmocka_unit_test(dark_squares),
        cmocka_unit_test(memory),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char remove[600];
    snprintf(remove, sizeof remove, "rm -rf '%s'", home);
    return system(remove) || failed;
}
