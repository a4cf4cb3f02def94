/* Draws from the priors of parameters against their exact distribution functions, for every member of the table. */
#include "check.h"

#include "base/random.h"
#include "density/density.h"

#include <stdlib.h>

enum { N = 200000 };

static double normal_cdf(double x, const double *param)
{
    return 0.5 * erfc(-x / param[0] / sqrt(2));
}

static double laplace_cdf(double x, const double *param)
{
    return x < 0 ? 0.5 * exp(x / param[0]) : 1 - 0.5 * exp(-x / param[0]);
}

static double logistic_cdf(double x, const double *param)
{
    return 1 / (1 + exp(-x / param[0]));
}

/* Closed forms, for whole nu: with a = atan(t / sqrt(nu)),
 *     odd nu:   1/2 + (a + sin a (cos a + 2/3 cos^3 a + (2 4)/(3 5) cos^5 a + ...)) / pi
 *     even nu:  1/2 + sin a (1 + 1/2 cos^2 a + (1 3)/(2 4) cos^4 a + ...) / 2
 * up to cos^(nu - 2); Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_t_cdf(double x, const double *param)
{
    const int nu = (int)param[1], odd = nu % 2;
    const double a = atan(x / param[0] / sqrt(param[1])), c = cos(a);
    double term = odd ? c : 1, sum = 0;
    for (int k = odd; k <= nu - 2; k += 2) {
        sum += term;
        term *= c * c * (k + 1) / (k + 2);
    }
    return odd ? 0.5 + (a + sin(a) * sum) / M_PI : 0.5 + 0.5 * sin(a) * sum;
}

static double mixture_cdf(double x, const double *param)
{
    return param[2] * normal_cdf(x, &param[0]) + (1 - param[2]) * normal_cdf(x, &param[1]);
}

static const struct row {
    const char *text;
    double (*cdf)(double x, const double *param);
} rows[] = {
    {"normal:0.1", normal_cdf},
    {"normal:2.385", normal_cdf},
    {"laplace:0.37", laplace_cdf},
    {"logistic:0.53", logistic_cdf},
    {"student-t:0.7,1", student_t_cdf},
    {"student-t:1.3,2", student_t_cdf},
    {"student-t:2.1,3", student_t_cdf},
    {"student-t:0.9,4", student_t_cdf},
    {"student-t:1.1,9", student_t_cdf},
    {"mixture:0.11,1.7,0.23", mixture_cdf},
    {"mixture:3.1,0.4,0.81", mixture_cdf},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const kelvin_random place = {.seed = 20240607, .chain = 3, .step = 11, .stream = KELVIN_STREAM_USER};

static kelvin_prior prior_of(const char *text)
{
    kelvin_prior prior;
    assert_ok(kelvin_prior_parse(&prior, text));
    return prior;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Largest distance between the distribution function of the n values in `u`, which are sorted here, and that of
 * uniform ones. */
static double distance(double *u, size_t n)
{
    double largest = 0;
    qsort(u, n, sizeof *u, ascending);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(u[i] - (double)i / (double)n));
        largest = fmax(largest, fabs(u[i] - (double)(i + 1) / (double)n));
    }
    return largest;
}

/* Of neighbours, and of those that share blocks of the generator. Of uniform numbers: those of heavy tails have none.
 */
static void check_independent(const double *u, size_t n, const char *text)
{
    static const size_t lags[] = {1, 2, 4, 8, 16, 24, 32};
    for (size_t l = 0; l < sizeof lags / sizeof *lags; l++) {
        double sum = 0;
        for (size_t i = 0; i + lags[l] < n; i++) sum += (u[i] - 0.5) * (u[i + lags[l]] - 0.5);
        const double correlation = 12 * sum / (double)n;
        if (!(fabs(correlation) < 4 / sqrt((double)n)))
            fail_msg("%s: correlation %g of draws %zu apart", text, correlation, lags[l]);
    }
}

/* Kolmogorov: the distance of N true draws is beyond 1.95 / sqrt(N) once in a thousand times. Every row in turn has
 * draws of its own. */
static void draws_follow_the_density(void **state)
{
    (void)state;
    float *theta = kelvin_alloc(N, sizeof *theta);
    double *u = kelvin_alloc(N, sizeof *u);
    for (size_t r = 0; r < ROWS; r++) {
        const kelvin_prior prior = prior_of(rows[r].text);
        kelvin_random where = place;
        where.chain += (uint32_t)r;
        kelvin_prior_draw_at(&prior, theta, N, where);
        for (size_t i = 0; i < N; i++) u[i] = rows[r].cdf((double)theta[i], prior.param);
        check_independent(u, N, rows[r].text);
        const double d = distance(u, N);
        if (!(d < 1.95 / sqrt(N))) fail_msg("%s: the distribution functions are apart by %g", rows[r].text, d);
    }
    kelvin_free(u);
    kelvin_free(theta);
}

/* Between whole nu: variance s^2 nu / (nu - 2), and that of squares, from kurtosis 3 + 6 / (nu - 4). Of squares the
 * eighth moment must be finite too: nu > 8. */
static void student_t_moments(void **state)
{
    (void)state;
    const kelvin_prior prior = prior_of("student-t:1.7,12.6");
    const double s = 1.7, nu = 12.6, variance = s * s * nu / (nu - 2), kurtosis = 3 + 6 / (nu - 4);
    float *theta = kelvin_alloc(N, sizeof *theta);
    double sum = 0, squares = 0;
    kelvin_prior_draw_at(&prior, theta, N, place);
    for (size_t i = 0; i < N; i++) {
        sum += (double)theta[i];
        squares += (double)theta[i] * (double)theta[i];
    }
    assert_near(sum / N, 0, 4 * sqrt(variance / N));
    assert_near(squares / N, variance, 4 * variance * sqrt((kurtosis - 1) / N));
    kelvin_free(theta);
}

/* A draw is a function of its place: not of how many are drawn with it. */
static void draws_are_functions_of_their_place(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        const kelvin_prior prior = prior_of(rows[r].text);
        float some[70], more[100], other[70];
        kelvin_random where = place;
        kelvin_prior_draw_at(&prior, some, 70, where);
        kelvin_prior_draw_at(&prior, more, 100, where);
        assert_memory_equal(some, more, sizeof some);
        for (int change = 0; change < 4; change++) {
            where = place;
            where.seed += change == 0;
            where.chain += change == 1;
            where.step += change == 2;
            where.stream += change == 3;
            kelvin_prior_draw_at(&prior, other, 70, where);
            for (size_t i = 0; i < 70; i++) assert_true(other[i] != some[i]);
        }
    }
}

/* At the ends of what parameters may be: finite numbers, of the right size. */
static void extremes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double size;
    } ends[] = {{"normal:1e14", 1e14},
                {"normal:1e-14", 1e-14},
                {"laplace:1e14", 1e14},
                {"logistic:1e-14", 1e-14},
                {"student-t:1,1e14", 1},
                {"student-t:1e14,1.5", 1e14},
                {"mixture:1e14,1e-14,0.999999", 1e14}};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        const kelvin_prior prior = prior_of(ends[e].text);
        float theta[1000];
        size_t inside = 0;
        kelvin_prior_draw_at(&prior, theta, 1000, place);
        for (size_t i = 0; i < 1000; i++) {
            assert_true(isfinite(theta[i]));
            inside += fabs((double)theta[i]) < 2 * ends[e].size && fabs((double)theta[i]) > 0.02 * ends[e].size;
        }
        if (inside < 650) fail_msg("%s: %zu of 1000 draws are of its size", ends[e].text, inside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_follow_the_density),
        cmocka_unit_test(student_t_moments),
        cmocka_unit_test(draws_are_functions_of_their_place),
        cmocka_unit_test(extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
