/* Schedules against their formulas in long double, and against values that need no computer; cycles against counting.
 */
#include "check.h"

#include "sampler/sampler.h"

#include <float.h>
#include <string.h>

static const double third = 1.0 / 3.0;

static const kelvin_schedule *named(const char *name)
{
    const kelvin_schedule *schedule;
    assert_ok(kelvin_schedule_parse(&schedule, name));
    return schedule;
}

/* pi (1 - x) has a relative error of 1.5 units, and sin no larger condition than pi/2 there; 3 x - 1 has 2 units. */
static const double close = 4 * DBL_EPSILON;

static long double formula_rate(long double x)
{
    return x > 0.5L ? sinl(acosl(-1.0L) * x) : 1.0L;
}

static long double formula_temperature(long double x)
{
    const long double t = 3.0L * x - 1.0L;
    return t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t;
}

static long double formula_fall(long double x)
{
    return (1 + cosl(acosl(-1.0L) * x)) / 2;
}

static long double formula_rise(long double x)
{
    return (1 - cosl(acosl(-1.0L) * x)) / 2;
}

static long double formula_early(long double x)
{
    return x < 0.125L ? 0 : x > 0.25L ? 1 : (x - 0.125L) / 0.125L;
}

static long double formula_one(long double x)
{
    (void)x;
    return 1;
}

static const struct {
    const char *name;
    long double (*rate)(long double), (*temperature)(long double);
    bool repeats, samples_on_the_way;
    double rise; /* of the temperature, at its steepest */
} formulas[] = {
    {"paper", formula_rate, formula_temperature, false, false, 3},
    {"constant", formula_one, formula_one, false, true, 0},
    {"cosine", formula_fall, formula_rise, false, false, 1.5708},
    {"cyclical", formula_fall, formula_temperature, true, true, 3},
    {"steady", formula_one, formula_early, false, true, 8},
};
enum { SCHEDULES = sizeof formulas / sizeof *formulas };

static void the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEDULES; i++) {
        const kelvin_schedule *s = named(formulas[i].name);
        assert_string_equal(s->member.name, formulas[i].name);
        assert_int_equal(s->repeats, formulas[i].repeats);
        assert_int_equal(s->samples_on_the_way, formulas[i].samples_on_the_way);
    }
    static const char *const wrong[][2] = {{"Paper", "did you mean 'paper'?"},
                                           {"cos", "did you mean 'cosine'?"},
                                           {"rising", "expected one of: "},
                                           {"cosines", "did you mean 'cosine'?"}};
    const kelvin_schedule *s;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(kelvin_schedule_parse(&s, wrong[i][0]), KELVIN_EUSAGE);
        assert_null(s);
        assert_non_null(strstr(kelvin_error(), wrong[i][0]));
        assert_non_null(strstr(kelvin_error(), wrong[i][1]));
    }
    assert_int_equal(kelvin_schedule_parse(&s, ""), KELVIN_EUSAGE);
    for (size_t k = 0; k < SCHEDULES; k++) assert_non_null(strstr(kelvin_error(), formulas[k].name));
}

/* Whatever a schedule is, steps are never larger than the learning rate, nor hotter than the temperature. */
static void every_schedule_is_a_share(void **state)
{
    (void)state;
    const kelvin_schedule *s;
    for (size_t k = 0; (s = kelvin_schedule_info(k)); k++)
        for (int i = 0; i <= 1000; i++) {
            const double rate = s->rate(i / 1000.0), temperature = s->temperature(i / 1000.0);
            assert_true(rate >= 0 && rate <= 1 && temperature >= 0 && temperature <= 1);
        }
}

static void every_epoch_follows_the_formulas(void **state)
{
    (void)state;
    static const uint32_t epochs[] = {1, 2, 3, 7, 1000, 10000};
    for (size_t k = 0; k < SCHEDULES; k++)
        for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++)
            for (uint32_t e = 0; e <= epochs[i]; e++) {
                const double x = (double)e / epochs[i];
                const kelvin_schedule *s = named(formulas[k].name);
                assert_near(s->rate(x), (double)formulas[k].rate((long double)x), close);
                assert_near(s->temperature(x), (double)formulas[k].temperature((long double)x), close);
                if (!s->repeats) assert_true(kelvin_schedule_progress(s, e, epochs[i], 3) == x);
            }
}

static void known_values(void **state)
{
    (void)state;
    static const struct {
        double x, rate, temperature;
    } known[] = {{0.25, 1, 0},
                 {1.0 / 3, 1, 0},
                 {0.4, 1, 0.2},
                 {0.5, 1, 0.5},
                 {2.0 / 3, 0.866025403784438647, 1},
                 {0.75, 0.707106781186547524, 1},
                 {5.0 / 6, 0.5, 1},
                 {11.0 / 12, 0.258819045102520762, 1}};
    const kelvin_schedule *s = named("paper");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_near(s->rate(known[i].x), known[i].rate, close);
        assert_near(s->temperature(known[i].x), known[i].temperature, close);
    }
    const kelvin_schedule *cosine = named("cosine"), *cyclical = named("cyclical");
    assert_near(cosine->rate(third), 0.75, close);
    assert_near(cosine->temperature(third), 0.25, close);
    assert_near(cyclical->rate(2 * third), 0.25, close);
    assert_near(cyclical->temperature(0.5), 0.5, close);
}

/* SGHMC must stand still at the end, and plain descent must have no noise at all. */
static void the_ends_are_exact(void **state)
{
    (void)state;
    static const char *const names[] = {"paper", "cosine", "cyclical"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const kelvin_schedule *s = named(names[i]);
        assert_true(s->rate(0) == 1 && s->temperature(0) == 0);
        assert_true(s->rate(1) == 0 && s->temperature(1) == 1);
        assert_true(s->rate(nextafter(1, 0)) > 0);
    }
    const kelvin_schedule *paper = named("paper");
    assert_true(paper->rate(0.5) == 1);
    assert_true(paper->temperature(third) == 0 && paper->temperature(2 * third) == 1);
}

struct slopes {
    double rate, temperature;
};

static struct slopes between(double from, double to)
{
    const kelvin_schedule *s = named("paper");
    return (struct slopes){(s->rate(to) - s->rate(from)) / (to - from),
                           (s->temperature(to) - s->temperature(from)) / (to - from)};
}

/* Slopes over h to both sides of a corner. rate: within pi^2 h of the derivative; rounding adds 2 close / h. */
static void corners(void **state)
{
    (void)state;
    const double h = 1e-6, off = 10 * h + 2 * close / h, pi = acos(-1);
    const double at[] = {third, 0.5, 2 * third};
    const struct slopes left[] = {{0, 0}, {0, 3}, {pi * cos(2 * pi * third), 3}};
    const struct slopes right[] = {{0, 3}, {0, 3}, {pi * cos(2 * pi * third), 0}};
    for (int i = 0; i < 3; i++) {
        const struct slopes before = between(at[i] - h, at[i]), after = between(at[i], at[i] + h);
        assert_near(before.rate, left[i].rate, off);
        assert_near(before.temperature, left[i].temperature, off);
        assert_near(after.rate, right[i].rate, off);
        assert_near(after.temperature, right[i].temperature, off);
    }
    /* the half is a corner of the second derivative: 0 before, -pi^2 after */
    const double bend = 1e-3, fall = 1 - named("paper")->rate(0.5 + bend);
    assert_true(named("paper")->rate(0.5 - bend) == 1);
    assert_near(fall / (bend * bend), pi * pi / 2, 1e-5); /* pi^4 bend^2 / 24 = 4e-6 */
}

/* No jumps: neighbours differ by at most the steepest slope; the rate never rises, the temperature never falls. */
static void continuous_and_monotone(void **state)
{
    (void)state;
    const int n = 100000;
    for (size_t k = 0; k < SCHEDULES; k++) {
        const kelvin_schedule *s = named(formulas[k].name);
        double rate = s->rate(0), temperature = s->temperature(0);
        for (int i = 1; i <= n; i++) {
            const double x = (double)i / n, fall = rate - s->rate(x), rise = s->temperature(x) - temperature;
            assert_true(fall >= 0 && fall <= 3.1416 / n + close && rise >= 0 && rise <= formulas[k].rise / n + close);
            assert_true(s->rate(x) >= 0 && s->temperature(x) <= 1);
            rate = s->rate(x);
            temperature = s->temperature(x);
        }
    }
}

/* Every epoch belongs to one cycle; cycles differ by one epoch at most, and the last one ends with the run. */
static void cycles_are_as_equal_as_can_be(void **state)
{
    (void)state;
    static const uint32_t runs[][2] = {{10, 1}, {10, 3}, {7, 7}, {1000, 7}, {10000, 30}, {4294967295u, 4096}, {3, 5}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const uint32_t epochs = runs[i][0], cycles = runs[i][1];
        assert_int_equal(kelvin_cycle_begin(0, cycles, epochs), 0);
        assert_int_equal(kelvin_cycle_begin(cycles, cycles, epochs), epochs);
        for (uint32_t c = 0; c < cycles; c++) {
            const uint32_t begin = kelvin_cycle_begin(c, cycles, epochs),
                           end = kelvin_cycle_begin(c + 1, cycles, epochs);
            assert_true(end - begin == epochs / cycles || end - begin == epochs / cycles + (epochs % cycles > 0));
        }
    }
}

/* Progress counted by hand: 0 at the first epoch of a cycle, then by equal steps, never 1. */
static void progress_counts_epochs_of_a_cycle(void **state)
{
    (void)state;
    static const uint32_t runs[][2] = {{10, 1}, {10, 3}, {7, 7}, {1000, 7}, {10000, 30}, {3, 5}};
    const kelvin_schedule *s = named("cyclical");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const uint32_t epochs = runs[i][0], cycles = runs[i][1];
        uint32_t epoch = 0;
        for (uint32_t c = 0; c < cycles; c++) {
            const uint32_t end = kelvin_cycle_begin(c + 1, cycles, epochs), length = end - epoch;
            for (uint32_t k = 0; k < length; k++, epoch++) {
                const double progress = kelvin_schedule_progress(s, epoch, epochs, cycles);
                assert_true(progress == (double)k / length && progress < 1);
                assert_true(kelvin_schedule_progress(named("paper"), epoch, epochs, cycles) < 1);
            }
        }
        assert_int_equal(epoch, epochs);
    }
    /* 10 epochs in 3 cycles begin at 0, 3 and 6 */
    assert_true(kelvin_schedule_progress(s, 2, 10, 3) == 2.0 / 3 && kelvin_schedule_progress(s, 3, 10, 3) == 0);
    assert_true(kelvin_schedule_progress(s, 6, 10, 3) == 0 && kelvin_schedule_progress(s, 9, 10, 3) == 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test(every_schedule_is_a_share),
        cmocka_unit_test(every_epoch_follows_the_formulas),
        cmocka_unit_test(known_values),
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(corners),
        cmocka_unit_test(continuous_and_monotone),
        cmocka_unit_test(cycles_are_as_equal_as_can_be),
        cmocka_unit_test(progress_counts_epochs_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
