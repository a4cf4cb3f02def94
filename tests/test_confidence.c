/* The distributions of cold likelihoods and confidence priors: closed forms against quadrature of the densities in long
 * double and against the paper's own formula; the simulation against the closed forms, and its errors against the
 * spread of repeated simulations; the distance against a difference of means. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "figures/calculus.h"
#include "figures/figure.h"
#include "figures/simulation.h"

#include <stdlib.h>
#include <string.h>

typedef double cdf(double z, double T);
typedef long double density(long double t, long double T);

static const double temperatures[] = {1.0,  1 / 1.7, 1.0 / 3, 1 / 5.5, 1.0 / 12, 1.0 / 30,
                                      0.01, 1e-3,    1e-4,    1e-5,    3e-7,     1e-7};
enum { TEMPERATURES = sizeof temperatures / sizeof *temperatures, DEFAULTS = 8 };

/* ---- the densities and their integrals once more, in long double ---- */

static long double density_cold(long double t, long double T)
{
    return powl(t, 1 / T);
}

static long double density_upper(long double t, long double T)
{
    return powl(fmaxl(t, 1 - t), 1 / T - 1) * t;
}

/* Simpson's rule with n = 1024 intervals. On a panel whose length is k times the length T over which the density
 * changes, its relative error is about (k/n)^4 / 180 = 5e-15 k^4; panels have k <= 1 or a density of exp(-k/2). */
static long double simpson(density *f, long double T, long double from, long double to, int moment)
{
    const int n = 1024;
    const long double h = (to - from) / n;
    long double sum = 0;
    for (int i = 0; i <= n; i++) {
        const long double t = from + h * i, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight * f(t, T) * (moment ? 1 - t : 1);
    }
    return sum * h / 3;
}

enum { MOST = 256 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted points of [0, 1] with both ends and 1/2; neighbours are never further apart than half of their distance to the
 * nearer end, or than T/8. */
static size_t panels(double *z, double T)
{
    size_t n = 0;
    for (double step = 0.5; step > T / 16; step /= 1.5) {
        z[n++] = step;
        if (step < 0.5) z[n++] = 1 - step;
    }
    z[n++] = 0;
    z[n++] = 1;
    for (double x = 0.01; x < 1; x += 0.0707) z[n++] = x;
    assert_true(n <= MOST);
    qsort(z, n, sizeof *z, by_size);
    return n;
}

static void closed_forms_are_integrals_of_the_densities(void **state)
{
    (void)state;
    static cdf *const closed[] = {kelvin_cdf_cold, kelvin_cdf_upper};
    static density *const plain[] = {density_cold, density_upper};
    for (size_t k = 0; k < TEMPERATURES; k++)
        for (size_t kind = 0; kind < 2; kind++) {
            const double T = temperatures[k];
            double z[MOST];
            long double below[MOST] = {0};
            const size_t n = panels(z, T);
            for (size_t i = 1; i < n; i++) below[i] = below[i - 1] + simpson(plain[kind], T, z[i - 1], z[i], 0);
            for (size_t i = 0; i < n; i++) {
                const double F = (double)(below[i] / below[n - 1]);
                /* relative: of the quadrature, and of a power of up to 700 / e; absolute: two roundings near 1 */
                assert_near(closed[kind](z[i], T), F, 1e-12 * F + 1e-15);
            }
        }
}

/* Equation eq_cdf_conf as it is printed. */
static long double printed(long double z, long double T)
{
    const long double a = powl(2, 1 / T);
    if (z <= 0.5L) return a * (T - powl(1 - z, 1 / T) * (T + z)) / ((a - 1) * (T + 1));
    return (2 * T + 1 / (1 - a)) / (2 * (T + 1)) + (powl(2 * z, 1 / T + 1) - 1) / (2 * (a - 1) * (T + 1));
}

static void upper_is_what_the_paper_prints(void **state)
{
    (void)state;
    for (size_t k = 0; k < TEMPERATURES; k++) {
        const double T = temperatures[k];
        if (T < 1e-3) continue; /* 2^(1/T) must not overflow, also where a long double is a double */
        for (int i = 0; i <= 1000; i++) {
            const double z = i / 1000.0;
            /* printed: terms of size 1 cancel to differences that are divided by T at most */
            assert_near(kelvin_cdf_upper(z, T), (double)printed(z, T), 1e-14);
        }
    }
}

static void check_rise(cdf *F, double T, double *last, double z)
{
    const double value = F(z, T);
    assert_true(isfinite(value) && value >= 0 && value <= 1);
    /* the two halves of kelvin_cdf_upper are rounded differently, by a few units in the last place */
    assert_true(value >= *last * (1 - 2e-15));
    *last = value;
}

static void closed_forms_rise_from_0_to_1(void **state)
{
    (void)state;
    static cdf *const closed[] = {kelvin_cdf_cold, kelvin_cdf_upper};
    for (size_t k = 0; k < TEMPERATURES; k++)
        for (size_t kind = 0; kind < 2; kind++) {
            const double T = temperatures[k];
            double last = 0;
            assert_true(closed[kind](0, T) == 0);
            assert_true(closed[kind](1, T) == 1);
            for (double z = 1e-300; z < 0.5; z *= 1.07) check_rise(closed[kind], T, &last, z);
            for (double left = 0.5; left > 1e-16; left /= 1.01) check_rise(closed[kind], T, &last, 1 - left);
            check_rise(closed[kind], T, &last, 1);
        }
}

static void known_values(void **state)
{
    (void)state;
    assert_near(kelvin_cdf_upper(0.5, 3e-7), 3e-7, 1e-12);
    for (int i = 0; i <= 100; i++) {
        const double z = i / 100.0;
        assert_near(kelvin_cdf_cold(z, 1), z * z, 2e-16);
        assert_near(kelvin_cdf_upper(z, 1), z * z, 5e-16);
    }
    for (size_t k = 0; k < TEMPERATURES; k++) {
        const double after = nextafter(0.5, 1), T = temperatures[k];
        assert_near(kelvin_cdf_upper(after, T), kelvin_cdf_upper(0.5, T),
                    5e-16 * kelvin_cdf_upper(0.5, T) + (after - 0.5) * 4);
    }
}

/* ---- quadrature and the distance ---- */

static double power(double x, const void *n)
{
    return pow(x, *(const int *)n);
}

static double corner(double x, const void *nothing)
{
    (void)nothing;
    return fabs(x - 0.5);
}

static double decay(double x, const void *length)
{
    return exp(-x / *(const double *)length) / *(const double *)length;
}

static double climb(double x, const void *length)
{
    return decay(1 - x, length);
}

/* Ten points integrate polynomials up to degree 19 exactly, whatever the panels are. */
static void quadrature_is_exact_where_it_must_be(void **state)
{
    (void)state;
    for (int n = 0; n < 20; n++) {
        assert_near(kelvin_integral_unit(power, &n, 1), 1.0 / (n + 1), 4e-16);
        assert_near(kelvin_integral_unit(power, &n, 1e-7), 1.0 / (n + 1), 4e-16);
    }
    assert_near(kelvin_integral_unit(corner, NULL, 1), 0.25, 1e-16);
    for (double length = 1; length > 1e-12; length /= 7) {
        /* the largest error of ten points, on a panel of length k: k^20 (10!)^4 / (21 (20!)^3) exp(-k) k, is 5e-12 */
        assert_near(kelvin_integral_unit(decay, &length, length), -expm1(-1 / length), 1e-11);
        /* 1 - x is rounded to 1e-16 */
        assert_near(kelvin_integral_unit(climb, &length, length), -expm1(-1 / length), 1e-11 + 1e-16 / length);
    }
}

/* F_upper is nowhere below F_cold, so the distance is the difference of the means of 1 - z. */
static void the_distance_is_a_difference_of_means(void **state)
{
    (void)state;
    for (size_t k = 0; k < TEMPERATURES; k++) {
        const double T = temperatures[k];
        const long double cold = (long double)T / (1 + 2 * (long double)T);
        long double mean = 0, mass = 0;
        double z[MOST];
        const size_t n = panels(z, T);
        for (size_t i = 0; i < n; i++) assert_true(kelvin_cdf_upper(z[i], T) >= kelvin_cdf_cold(z[i], T) * (1 - 1e-15));
        for (size_t i = 1; i < n; i++) {
            mean += simpson(density_upper, T, z[i - 1], z[i], 1);
            mass += simpson(density_upper, T, z[i - 1], z[i], 0);
        }
        assert_near(kelvin_cdf_distance(T), (double)(mean / mass - cold), 1e-12 * T + 1e-16);
    }
    assert_near(kelvin_cdf_distance(1), 0, 1e-15);
}

static void the_distance_peaks_near_a_fifth(void **state)
{
    (void)state;
    double best = 0, at = 0;
    for (double T = 1e-3; T < 1; T *= 1.005) {
        const double distance = kelvin_cdf_distance(T);
        if (distance > best) best = distance, at = T;
    }
    assert_near(at, 0.214, 0.003);
    assert_near(best, 0.0878, 0.0001); /* read off the published picture: 0.088 */
}

/* ---- densities from the library ---- */

static void tempered_densities_are_the_plain_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < TEMPERATURES; k++) {
        const double T = temperatures[k];
        struct tempered cold, upper;
        double z[2];
        assert_ok(kelvin_tempered_cold(&cold, T));
        assert_ok(kelvin_tempered_upper(&upper, T));
        for (int i = 0; i <= 50; i++) {
            const double p = i / 50.0;
            kelvin_tempered_logits(z, p);
            /* exp of x in double: relative error of a few |x| 1e-16, and x exp(x) is below 0.4 in size */
            assert_near(exp(kelvin_tempered_eval(&cold, NULL, z)), (double)density_cold(p, T), 1e-15);
            assert_near(exp(kelvin_tempered_eval(&upper, NULL, z)), (double)density_upper(p, T), 1e-15);
        }
    }
}

static void the_slope_changes_sign_at_the_maximum(void **state)
{
    (void)state;
    struct tempered upper;
    double z[2], slope;
    assert_ok(kelvin_tempered_upper(&upper, 0.2));
    kelvin_tempered_logits(z, 0.2 - 1e-9);
    kelvin_tempered_eval(&upper, &slope, z);
    assert_true(slope > 0 && slope < 1e-7);
    kelvin_tempered_logits(z, 0.2 + 1e-9);
    kelvin_tempered_eval(&upper, &slope, z);
    assert_true(slope < 0 && slope > -1e-7);
}

/* ---- simulation ---- */

static void watch_start(void *context, const char *what, uint64_t total)
{
    (void)what;
    if (context) *(uint64_t *)context = total;
}

static bool watch_piece(void *context)
{
    (void)context;
    return true;
}

static bool watch_stop(void *context)
{
    (void)context;
    return false;
}

static void watch_end(void *context)
{
    (void)context;
}

static const kelvin_figure_watch watch = {.start = watch_start, .piece = watch_piece, .end = watch_end};

/* n temperatures: all cold, then all upper */
static void fill_targets(struct tempered *target, const double *T, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        assert_ok(kelvin_tempered_cold(&target[k], T[k]));
        assert_ok(kelvin_tempered_upper(&target[n + k], T[k]));
    }
}

/* 401 points, and more up to 2e-5 below 1, where 200 of 10^7 draws are left */
enum { GRID = 401, POINTS = GRID + 30 };

static void fill_points(double z[POINTS])
{
    for (int i = 0; i < GRID - 1; i++) z[i] = i / (GRID - 1.0);
    for (int i = 0; i <= 29; i++) z[GRID - 1 + i] = 1 - 0.0025 * pow(2e-5 / 0.0025, (i + 1) / 30.0);
    z[POINTS - 1] = 1;
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

static void the_simulation_agrees_with_the_closed_forms(void **state)
{
    (void)state;
    static struct simulated of[2 * DEFAULTS][POINTS];
    struct tempered target[2 * DEFAULTS];
    const struct figure_options how = {.draws = 10000000, .seed = 1, .watch = &watch};
    double z[POINTS], far = 0, told = 0;
    fill_points(z);
    fill_targets(target, temperatures, DEFAULTS);
    assert_ok(kelvin_simulate_cdf(of[0], target, 2 * DEFAULTS, z, POINTS, &how));
    for (size_t k = 0; k < DEFAULTS; k++)
        for (size_t i = 0; i < POINTS; i++) {
            const double exact[2] = {kelvin_cdf_cold(z[i], temperatures[k]), kelvin_cdf_upper(z[i], temperatures[k])};
            for (size_t kind = 0; kind < 2; kind++) {
                const struct simulated *s = &of[kind * DEFAULTS + k][i];
                const double deviation = kelvin_simulated_deviation(s, exact[kind]);
                /* 431 dependent points and 16 curves: five errors are passed once in 10^4 seeds. Below 1e-100 squares
                 * of weights vanish, and so does the error. */
                assert_near(s->cdf, exact[kind], 5 * s->error + 1e-100);
                assert_true(deviation < 5);
                far = largest(far, deviation);
                told += deviation >= 0;
            }
        }
    assert_true(far > 1.5);                        /* errors that are far too large would hide everything */
    assert_true(told > 0.9 * 16 * (double)POINTS); /* and hardly any point may stay unsaid */
    for (size_t k = 0; k < 2 * DEFAULTS; k++) {
        assert_true(of[k][0].cdf == 0 && of[k][POINTS - 1].cdf == 1);
        assert_true(of[k][0].error == 0 && of[k][POINTS - 1].error == 0);
    }
}

/* One loop over the draws for each sum, as the formulas are written. */
static struct simulated plain_simulation(density *f, double T, double z, uint64_t draws, uint64_t seed)
{
    const kelvin_random where = {.seed = seed, .stream = SIMULATION_STREAM};
    long double all = 0, part[2] = {0}, part_square[2] = {0}, error = 0;
    for (uint64_t i = 0; i < draws; i++) {
        const double u = kelvin_uniform(where, i);
        const long double w = f(u, T);
        all += w;
        part[u <= z] += w;
        part_square[u <= z] += w * w;
    }
    const long double F = part[1] / all;
    for (uint64_t i = 0; i < draws; i++) {
        const double u = kelvin_uniform(where, i);
        const long double distance = f(u, T) * ((u <= z) - F);
        error += distance * distance;
    }
    return (struct simulated){
        .cdf = (double)F,
        .error = (double)(sqrtl(error) / all),
        .count = (double)fminl(part[0] * part[0] / part_square[0], part[1] * part[1] / part_square[1])};
}

/* At T = 1/300 the largest weights of two pieces of six draws each are many powers of ten apart, but none vanishes. */
static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    enum { WHERE = 5, DRAWS = 200 };
    static const double T[] = {1, 0.1, 1.0 / 300}, z[WHERE] = {0, 0.2, 0.5, 0.98, 1};
    static density *const plain[] = {density_cold, density_upper};
    struct simulated of[6][WHERE];
    struct tempered target[6];
    const struct figure_options how = {.draws = DRAWS, .seed = 11, .watch = &watch};
    fill_targets(target, T, 3);
    assert_ok(kelvin_simulate_cdf(of[0], target, 6, z, WHERE, &how));
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 1; i < WHERE - 1; i++) {
            const struct simulated expected = plain_simulation(plain[k / 3], T[k % 3], z[i], DRAWS, 11);
            /* log-weights of up to 300 * log 200 = 1600 in size have errors of 4e-13 */
            assert_near(of[k][i].cdf, expected.cdf, 1e-11 * expected.cdf);
            if (expected.cdf < 1e-100) continue; /* squares of weights vanish */
            assert_near(of[k][i].error, expected.error, 1e-11 * expected.error);
            assert_near(of[k][i].count, expected.count, 1e-11 * expected.count);
        }
}

/* Mean square of many independent deviations in units of their errors is 1 if the errors are right: chi-square with n
 * degrees of freedom over n, whose standard deviation is sqrt(2/n). */
static void the_errors_are_the_spread(void **state)
{
    (void)state;
    enum { SEEDS = 400, WHERE = 6 };
    static const double T[] = {0.1}, z[WHERE] = {0, 0.1, 0.5, 0.9, 0.97, 1};
    struct tempered target[2];
    double square[2][WHERE] = {{0}};
    fill_targets(target, T, 1);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulated of[2][WHERE];
        const struct figure_options how = {.draws = 10000, .seed = seed, .threads = 1, .watch = &watch};
        assert_ok(kelvin_simulate_cdf(of[0], target, 2, z, WHERE, &how));
        for (size_t i = 1; i < WHERE - 1; i++) {
            square[0][i] += pow((of[0][i].cdf - kelvin_cdf_cold(z[i], T[0])) / of[0][i].error, 2) / SEEDS;
            square[1][i] += pow((of[1][i].cdf - kelvin_cdf_upper(z[i], T[0])) / of[1][i].error, 2) / SEEDS;
        }
    }
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t i = 1; i < WHERE - 1; i++) {
            if (kind == 0 && i == 1) continue; /* F_cold(0.1) = 1e-11: some hundred draws matter, not thousands */
            assert_near(square[kind][i], 1, 5 * sqrt(2.0 / SEEDS));
        }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static struct simulated of[4][4][POINTS];
    static const double T[] = {1, 1e-3};
    struct tempered target[4];
    double z[POINTS];
    fill_points(z);
    fill_targets(target, T, 2);
    for (size_t threads = 1; threads <= 3; threads++) {
        const struct figure_options how = {.draws = 100003, .seed = 7, .threads = threads, .watch = &watch};
        assert_ok(kelvin_simulate_cdf(of[threads][0], target, 4, z, POINTS, &how));
        assert_memory_equal(of[threads], of[1], sizeof of[1]);
    }
    const struct figure_options other = {.draws = 100003, .seed = 8, .threads = 1, .watch = &watch};
    assert_ok(kelvin_simulate_cdf(of[0][0], target, 4, z, POINTS, &other));
    assert_true(memcmp(of[0], of[1], sizeof of[1]));
}

/* The weights of all draws are below the smallest double, if not taken relative to each other. */
static void few_draws_and_low_temperatures_are_no_trouble(void **state)
{
    (void)state;
    static const double T[] = {1e-7, 1e-12};
    static struct simulated of[4][POINTS];
    struct tempered target[4];
    double z[POINTS];
    fill_points(z);
    fill_targets(target, T, 2);
    for (uint64_t draws = 1; draws < 5000; draws = draws * 3 + 1) {
        const struct figure_options how = {.draws = draws, .seed = 3, .watch = &watch};
        assert_ok(kelvin_simulate_cdf(of[0], target, 4, z, POINTS, &how));
        for (size_t k = 0; k < 4; k++)
            for (size_t i = 0; i < POINTS; i++) {
                assert_true(of[k][i].cdf >= 0 && of[k][i].cdf <= 1);
                assert_true(isfinite(of[k][i].error) && isfinite(of[k][i].count));
                assert_true(kelvin_simulated_deviation(&of[k][i], 0.5) == -1); /* too few to tell */
            }
        assert_true(of[0][0].cdf == 0 && of[0][POINTS - 1].cdf == 1);
    }
}

static void a_simulation_can_stop_and_can_fail(void **state)
{
    (void)state;
    static const double T[] = {0.5}, z[] = {0, 0.5, 1};
    uint64_t total = 0;
    const kelvin_figure_watch stop = {.context = &total, .start = watch_start, .piece = watch_stop, .end = watch_end};
    const struct figure_options stopped = {.draws = 3200000, .watch = &stop}, how = {.draws = 10, .watch = &watch};
    struct tempered target[2];
    struct simulated of[6];
    fill_targets(target, T, 1);
    assert_int_equal(kelvin_simulate_cdf(of, target, 2, z, 3, &stopped), KELVIN_ESTOP);
    assert_int_equal(total, 32 * 2); /* pieces of 100,000 draws, that is 65,536 and the rest */
    for (size_t n = 1; n <= 3; n++) {
        kelvin_alloc_fail_at(n);
        assert_int_equal(kelvin_simulate_cdf(of, target, 2, z, 3, &how), KELVIN_ENOMEM);
    }
    kelvin_alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_integrals_of_the_densities),
        cmocka_unit_test(upper_is_what_the_paper_prints),
        cmocka_unit_test(closed_forms_rise_from_0_to_1),
        cmocka_unit_test(known_values),
        cmocka_unit_test(quadrature_is_exact_where_it_must_be),
        cmocka_unit_test(the_distance_is_a_difference_of_means),
        cmocka_unit_test(the_distance_peaks_near_a_fifth),
        cmocka_unit_test(tempered_densities_are_the_plain_ones),
        cmocka_unit_test(the_slope_changes_sign_at_the_maximum),
        cmocka_unit_test(the_simulation_agrees_with_the_closed_forms),
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(the_errors_are_the_spread),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(few_draws_and_low_temperatures_are_no_trouble),
        cmocka_unit_test(a_simulation_can_stop_and_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
