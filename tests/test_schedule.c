/* The paper's schedule against its formulas (epoch e of E: sin(pi e/E) after the half, 3 e/E - 1 within 0 and 1) in
 * long double, and against values that need no computer. */
#include "check.h"

#include <kelvin/sampler.h>

#include <float.h>

static const double third = 1.0 / 3.0;

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

static void every_epoch_follows_the_formulas(void **state)
{
    (void)state;
    static const int epochs[] = {1, 2, 3, 7, 1000, 10000};
    for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++)
        for (int e = 0; e <= epochs[i]; e++) {
            const double x = (double)e / epochs[i];
            const kelvin_schedule s = kelvin_schedule_paper(x);
            assert_near(s.rate, (double)formula_rate((long double)x), close);
            assert_near(s.temperature, (double)formula_temperature((long double)x), close);
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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const kelvin_schedule s = kelvin_schedule_paper(known[i].x);
        assert_near(s.rate, known[i].rate, close);
        assert_near(s.temperature, known[i].temperature, close);
    }
}

/* SGHMC must stand still at the end, and plain descent must have no noise at all. */
static void the_ends_are_exact(void **state)
{
    (void)state;
    const kelvin_schedule begin = kelvin_schedule_paper(0), end = kelvin_schedule_paper(1);
    assert_true(begin.rate == 1 && begin.temperature == 0);
    assert_true(end.rate == 0 && end.temperature == 1);
    assert_true(kelvin_schedule_paper(third).temperature == 0);
    assert_true(kelvin_schedule_paper(0.5).rate == 1);
    assert_true(kelvin_schedule_paper(2 * third).temperature == 1);
    assert_true(kelvin_schedule_paper(nextafter(1, 0)).rate > 0);
}

struct slopes {
    double rate, temperature;
};

static struct slopes between(double from, double to)
{
    const kelvin_schedule a = kelvin_schedule_paper(from), b = kelvin_schedule_paper(to);
    return (struct slopes){(b.rate - a.rate) / (to - from), (b.temperature - a.temperature) / (to - from)};
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
    const double bend = 1e-3, fall = 1 - kelvin_schedule_paper(0.5 + bend).rate;
    assert_true(kelvin_schedule_paper(0.5 - bend).rate == 1);
    assert_near(fall / (bend * bend), pi * pi / 2, 1e-5); /* pi^4 bend^2 / 24 = 4e-6 */
}

/* No jumps: neighbours differ by at most the steepest slope; the rate never rises, the temperature never falls. */
static void continuous_and_monotone(void **state)
{
    (void)state;
    const int n = 100000;
    kelvin_schedule before = kelvin_schedule_paper(0);
    for (int i = 1; i <= n; i++) {
        const kelvin_schedule s = kelvin_schedule_paper((double)i / n);
        assert_true(s.rate <= before.rate && before.rate - s.rate <= 3.1416 / n + close);
        assert_true(s.temperature >= before.temperature && s.temperature - before.temperature <= 3.0 / n + close);
        assert_true(s.rate >= 0 && s.temperature <= 1);
        before = s;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_epoch_follows_the_formulas),
        cmocka_unit_test(known_values),
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(corners),
        cmocka_unit_test(continuous_and_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
