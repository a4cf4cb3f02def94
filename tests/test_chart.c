/* Charts: ticks and ranges over awkward numbers, texts that try to break out of the markup, SVG that is well-formed
 * and has its points where they belong, tables and scripts for gnuplot. */
#include "chart_helpers.h"

#include "base/process.h"
#include "base/random.h"

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
        const char *labels;
    } cases[] = {
        {{0, 87, false}, 5, "0 20 40 60 80"},
        {{-0.35, 0.1, false},
         6,
         "\xe2\x88\x92"
         "0.3 \xe2\x88\x92"
         "0.2 \xe2\x88\x92"
         "0.1 0.0 0.1"},
        {{1, 200, true}, 8, "1 2 5 10 20 50 100 200"},
        {{1, 200, true}, 5, "1 3 10 30 100"},
        {{0.5, 3e6, true}, 8, "1 10 100 1000 10000 100000 1e6"},
        {{2e6, 4e6, false}, 5, "2.0e6 2.5e6 3.0e6 3.5e6 4.0e6"},
        {{0, 3e-6, false}, 4, "0 1e-6 2e-6 3e-6"},
        {{30, 40, true}, 4, "30 35 40"}, /* less than a decade */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chart_tick ticks[CHART_TICKS];
        char all[256] = "";
        const size_t n = kelvin_chart_ticks(ticks, &cases[i].range, cases[i].most);
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
        const size_t n = kelvin_chart_ticks(ticks, &range, most);
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
    struct chart_range r = kelvin_chart_range(&plain, INFINITY, -INFINITY); /* nothing */
    assert_true(r.low < r.high && r.low <= 0 && r.high >= 1);
    r = kelvin_chart_range(&plain, 3, 3); /* one value */
    assert_true(r.low < 3 && r.high > 3);
    r = kelvin_chart_range(&plain, 0, 0);
    assert_true(r.low < 0 && r.high > 0);
    r = kelvin_chart_range(&plain, 1e300, INFINITY); /* beyond what is shown */
    assert_true(isfinite(r.low) && isfinite(r.high) && r.low < r.high);
    r = kelvin_chart_range(&set, -1e9, 1e9);
    assert_true(r.low == 0 && r.high == 100);
    r = kelvin_chart_range(&above, 1, 2); /* all of it below what was set */
    assert_true(r.low < r.high && isfinite(r.high));
    r = kelvin_chart_range(&log, -3, 10);
    assert_true(r.low > 0 && r.high > r.low);
    r = kelvin_chart_range(&log, 10, 10);
    assert_true(r.low > 0 && r.low < 10 && r.high > 10);
    r = kelvin_chart_range(&named, 0, 0);
    assert_true(r.low == -0.5 && r.high == 2.5);
    /* Nothing is right more often than always, and hardly any difference is not drawn as a large one. */
    const struct chart_axis share = {.low = NAN, .high = NAN, .floor = 0, .ceiling = 100, .span = 0.1};
    r = kelvin_chart_range(&share, 100, 100);
    assert_true(r.low < 99.91 && r.low > 99.8 && r.high > 100 && r.high < 100.02);
    r = kelvin_chart_range(&share, 0, 1e-19);
    assert_true(r.low > -0.02 && r.low < 0 && r.high > 0.09);
    r = kelvin_chart_range(&share, 40, 60);
    assert_true(r.low > 38 && r.high < 62);
    assert_true(kelvin_chart_possible(&share, 100) && !kelvin_chart_possible(&share, 110) &&
                kelvin_chart_possible(&plain, 110));
    assert_near(kelvin_chart_share(&(struct chart_range){1, 100, true}, 10), 0.5, 1e-15);
    assert_near(kelvin_chart_share(&(struct chart_range){-1, 3, false}, 0), 0.25, 1e-15);
    assert_true(isnan(kelvin_chart_share(&(struct chart_range){1, 100, true}, 0)));
    assert_true(isnan(kelvin_chart_share(&(struct chart_range){1, 100, false}, INFINITY)));
}

/* ---- markup ---- */

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
        kelvin_markup_text(&out, pairs[i][0]);
        char *found = finish(&out, "text");
        assert_string_equal(found, pairs[i][1]);
        kelvin_free(found);
    }
    char *many = malloc(5001);
    memset(many, 'x', 5000);
    many[5000] = '\0';
    struct markup out = begin("text");
    kelvin_markup_put(&out, "%s", many); /* longer than what is formatted without asking for memory */
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
    assert_string_equal(kelvin_markup_shorten(arena, "short", 5), "short");
    assert_string_equal(kelvin_markup_shorten(arena, "a longer name", 7), "a ..ame");
    assert_string_equal(kelvin_markup_shorten(arena, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 4),
                        "\xc3\xa4..\xc3\xbc");
    assert_int_equal(kelvin_markup_letters("\xc3\xa4z\xff"), 3);
    kelvin_arena_destroy(arena);
}

/* ---- SVG ---- */

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
    kelvin_chart_begin(chart, arena, "awkward", "Title with <tags> & 'quotes' {_^}");
    chart->subtitle = "a \"subtitle\"";
    chart->x.label = "x < y";
    chart->x.log = log;
    for (enum chart_kind kind = CHART_LINE; kind <= CHART_HEAT; kind++) {
        if (kind != CHART_POINTS && kind != CHART_HEAT) kelvin_chart_panel(chart, "y > z", 60)->y.log = log;
        struct chart_series *s = kelvin_chart_add(chart, kind, "na<me", kind, n);
        assert_non_null(s);
        fill(s, shift + kind);
        s->hollow = s->joined = s->across = shift % 2;
        s->light = s->dashed = s->thin = shift % 3 == 0;
        s->tall = kind == CHART_BAND && shift % 3 == 1;
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
    kelvin_chart_begin(&empty, arena, "empty", "empty");
    kelvin_chart_panel(&empty, NULL, 100);
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
        kelvin_chart_begin(&chart, arena, "diagonal", "diagonal");
        chart.x = (struct chart_axis){.low = 2, .high = 8, .log = log};
        struct chart_panel *panel = kelvin_chart_panel(&chart, "y", 90);
        panel->y.low = -10;
        panel->y.high = 30;
        struct chart_series *line = kelvin_chart_add(&chart, CHART_LINE, NULL, 0, 3);
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

/* A band goes there along its high edge, and back along the low one. */
static void bands(void **state)
{
    (void)state;
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_begin(&chart, arena, "band", "band");
    chart.x = (struct chart_axis){.low = 0, .high = 1};
    struct chart_panel *panel = kelvin_chart_panel(&chart, "y", 100);
    panel->y.low = 0;
    panel->y.high = 1;
    struct chart_series *band = kelvin_chart_add(&chart, CHART_BAND, NULL, 0, 2);
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

/* A tall band fills its panel, whose axis is ruled by the line alone. */
static void tall_chart(struct chart *chart, kelvin_arena *arena)
{
    kelvin_chart_begin(chart, arena, "tall", "tall");
    chart->x = (struct chart_axis){.low = 0, .high = 4};
    kelvin_chart_panel(chart, "y", 100);
    struct chart_series *line = kelvin_chart_add(chart, CHART_LINE, "line", 0, 2);
    line->points[0] = (struct chart_point){.x = 0, .y = 50};
    line->points[1] = (struct chart_point){.x = 4, .y = 60};
    struct chart_series *band = kelvin_chart_add(chart, CHART_BAND, "veil", CHART_GREY, 2);
    band->tall = true;
    band->points[1].x = 1;
}

static void tall_bands(void **state)
{
    (void)state;
    kelvin_arena *arena;
    struct chart chart;
    struct chart_layout layout;
    assert_ok(kelvin_arena_create(&arena));
    tall_chart(&chart, arena);
    kelvin_chart_layout(&layout, &chart, 0, 0.62); /* as kelvin_chart_svg has it */
    const struct chart_frame *f = &layout.frame[0];
    assert_true(f->y.low > 45 && f->y.high < 65);
    char *svg = svg_of(&chart);
    const char *path = strstr(svg, "<g class=\"c7\"><path class=\"b\" d=\"");
    double x[4], y[4];
    assert_non_null(path);
    assert_int_equal(sscanf(path, "<g class=\"c7\"><path class=\"b\" d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lfZ", &x[0],
                            &y[0], &x[1], &y[1], &x[2], &y[2], &x[3], &y[3]),
                     8);
    for (int i = 0; i < 4; i++) { /* each is rounded to a tenth */
        assert_near(x[i], kelvin_chart_across(f, i == 1 || i == 2), 0.06);
        assert_near(y[i], i < 2 ? f->top : f->bottom, 0.06);
    }
    kelvin_free(svg);
    kelvin_arena_destroy(arena);
}

/* ---- files ---- */

static bool has_gnuplot(void)
{
    char name[] = "gnuplot", version[] = "--version";
    char *argv[] = {name, version, NULL};
    return kelvin_process_run(argv, in_base("gnuplot.log"), NULL, NULL) == 0;
}

static bool is_there(const char *name)
{
    struct stat about;
    return stat(in_base(name), &about) == 0 && about.st_size > 0;
}

/* kelvin_chart_files, and whether its list has the files of that name that must be there, and no picture that is not.
 */
static kelvin_status files_of(const struct chart *chart, const char *folder, bool drawn)
{
    FILE *list = fopen(in_base("list"), "w");
    assert_non_null(list);
    const kelvin_status status = kelvin_chart_files(list, chart, folder);
    assert_int_equal(fclose(list), 0);
    char expected[4096], *text = text_in("list");
    size_t used = 0;
    static const char *const suffixes[] = {".csv", ".gp", ".png", ".svg", ".pdf"};
    for (size_t i = 0; i < (drawn ? 5 : 2); i++)
        used +=
            (size_t)snprintf(expected + used, sizeof expected - used, "%s/%s%s\n", folder, chart->name, suffixes[i]);
    assert_string_equal(text, expected);
    kelvin_free(text);
    return status;
}

static void numbers_without_gnuplot(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH"));
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    kelvin_chart_begin(&chart, arena, "bare", "two\nlines");
    kelvin_chart_panel(&chart, "y", 90);
    struct chart_series *s = kelvin_chart_add(&chart, CHART_POINTS, "name\n\"of\" two lines", 0, 2);
    s->points[0] = (struct chart_point){0.1, -2.385, NAN, INFINITY, 0};
    s->points[1] = (struct chart_point){1.0 / 3, 4, 3, 5, 0};
    setenv("PATH", "/nonexistent", 1);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", in_base("bare"));
    assert_int_equal(files_of(&chart, folder, false), KELVIN_EIO);
    setenv("PATH", path, 1);
    assert_non_null(strstr(kelvin_error(), "gnuplot is missing"));
    char *table = text_in("bare/bare.csv");
    assert_string_equal(table,
                        "series,x,y,low,high,to,panel,name\n0,0.1,-2.385,,,,\"y\",\"name \"\"of\"\" two lines\"\n"
                        "0,0.3333333333,4,3,5,,\"y\",\"name \"\"of\"\" two lines\"\n");
    assert_true(is_there("bare/bare.gp"));
    kelvin_free(table);
    free(path);
    kelvin_arena_destroy(arena);
}

/* Its table has no heights; its script takes those of the panel. */
static void tall_files(void **state)
{
    (void)state;
    kelvin_arena *arena;
    struct chart chart;
    assert_ok(kelvin_arena_create(&arena));
    tall_chart(&chart, arena);
    char folder[512];
    snprintf(folder, sizeof folder, "%s", in_base("tall"));
    const bool drawn = has_gnuplot();
    assert_int_equal(files_of(&chart, folder, drawn), drawn ? KELVIN_OK : KELVIN_EIO);
    char *table = text_in("tall/tall.csv"), *script = text_in("tall/tall.gp");
    assert_non_null(strstr(table, "\n1,0,,,,,\"y\",\"veil\"\n1,1,,,,,\"y\",\"veil\"\n"));
    assert_non_null(strstr(script, "using ($2):(panel_y0):(panel_y1) with filledcurves"));
    kelvin_free(table);
    kelvin_free(script);
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
        assert_ok(kelvin_arena_create(&arena));
        awkward_chart(&chart, arena, i == 3 ? 0 : AWKWARD, i, i & 1, i & 2);
        char folder[512];
        snprintf(folder, sizeof folder, "%s/it's %zu", base, i);
        assert_ok(files_of(&chart, folder, true));
        kelvin_arena_destroy(arena);
    }
    assert_true(is_there("it's 0/awkward.png") && is_there("it's 0/awkward.svg") && is_there("it's 0/awkward.pdf"));
    char *svg = text_in("it's 0/awkward.svg"); /* words are there as they are: gnuplot's own markup has no effect */
    assert_non_null(strstr(svg, "{_^}"));
    assert_true(access("ran", F_OK) != 0 && !is_there("it's 2/ran")); /* names are no commands */
    kelvin_free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ticks),   cmocka_unit_test(any_ticks),        cmocka_unit_test(ranges),
        cmocka_unit_test(escaping),      cmocka_unit_test(shortening),       cmocka_unit_test(well_formed),
        cmocka_unit_test(awkward_files), cmocka_unit_test(corner_to_corner), cmocka_unit_test(numbers_without_gnuplot),
        cmocka_unit_test(bands),         cmocka_unit_test(tall_bands),       cmocka_unit_test(tall_files),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
