/* Priors of parameters against plain formulas in long double, finite differences of these (with their sign), their
 * integrals, and the limits in which one becomes another. */
#include "density/block.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef long double real;

static real normal(real x, const double *param)
{
    return -x * x / (2.0L * (real)param[0] * (real)param[0]);
}

static real laplace(real x, const double *param)
{
    return -fabsl(x) / (real)param[0];
}

static real logistic(real x, const double *param)
{
    return -fabsl(x / (real)param[0]) - 2.0L * logl(1.0L + expl(-fabsl(x / (real)param[0])));
}

static real student_t(real x, const double *param)
{
    return -((real)param[1] + 1.0L) / 2.0L * logl(1.0L + x * x / ((real)param[1] * (real)param[0] * (real)param[0]));
}

static real mixture(real x, const double *param)
{
    const real s1 = param[0], s2 = param[1], w = param[2], wide = fmaxl(s1, s2);
    const real shift = x * x / (2.0L * wide * wide); /* or both terms vanish */
    return logl(w / s1 * expl(shift - x * x / (2.0L * s1 * s1)) +
                (1.0L - w) / s2 * expl(shift - x * x / (2.0L * s2 * s2))) -
           shift;
}

/* log of what makes the integral 1 */
static double normal_norm(const double *param)
{
    return -log(param[0]) - 0.5 * log(2.0 * M_PI);
}

static double laplace_norm(const double *param)
{
    return -log(2.0 * param[0]);
}

static double logistic_norm(const double *param)
{
    return -log(param[0]);
}

static double student_t_norm(const double *param)
{
    const double nu = param[1];
    return lgamma((nu + 1.0) / 2.0) - lgamma(nu / 2.0) - 0.5 * log(nu * M_PI) - log(param[0]);
}

static double mixture_norm(const double *param)
{
    (void)param;
    return -0.5 * log(2.0 * M_PI);
}

static const struct member {
    const char *text;
    real (*log_density)(real x, const double *param);
    double (*log_norm)(const double *param);
    double narrow; /* the smallest scale */
} members[] = {
    {"normal:0.1", normal, normal_norm, 0.1},
    {"normal:2.385", normal, normal_norm, 2.385},
    {"laplace:0.37", laplace, laplace_norm, 0.37},
    {"logistic:0.53", logistic, logistic_norm, 0.53},
    {"student-t:0.7,2.6", student_t, student_t_norm, 0.7},
    {"student-t:1.9,0.8", student_t, student_t_norm, 1.9},
    {"mixture:0.11,1.7,0.23", mixture, mixture_norm, 0.11},
    {"mixture:3.1,0.4,0.81", mixture, mixture_norm, 0.4},
};
enum { MEMBERS = sizeof members / sizeof *members };

static kelvin_prior prior(const char *text)
{
    kelvin_prior p;
    if (kelvin_prior_parse(&p, text)) fail_msg("%s", kelvin_error());
    return p;
}

static void check_near(real a, real b, real tolerance, const char *what, const char *text, double x)
{
    if (!(fabsl(a - b) <= tolerance))
        fail_msg("%s: %s at %g: %.17Lg instead of %.17Lg (%.3Lg allowed)", text, what, x, a, b, tolerance);
}

/* Slope by central differences at h and 2 h: they differ by three times the error of the first, up to rounding. */
static real difference(real *error, const struct member *m, const double *param, double x)
{
    const real h = 4.0L * cbrtl(LDBL_EPSILON) * fmaxl(fabsl(x), m->narrow);
    real d[2];
    for (int i = 0; i < 2; i++) {
        const real up = x + h * (i + 1), down = x - h * (i + 1);
        d[i] = (m->log_density(up, param) - m->log_density(down, param)) / (up - down);
    }
    *error = fabsl(d[1] - d[0]) + 8.0L * LDBL_EPSILON * (1.0L + fabsl(m->log_density(x, param))) / h;
    return d[0];
}

/* Slopes are as exact as their arguments: in a mixture the weights of both slopes depend on theta^2 / narrow^2, so that
 * rounding is felt on the scale of the steeper one. */
static real slope_error(const struct member *m, double x, real slope, real u)
{
    const real steep = m->log_density == mixture ? fabsl(x) / (m->narrow * m->narrow) : fabsl(slope);
    return 16.0L * u * steep;
}

static const double points[] = {0.0,  1e-12, -1e-12, 0.0031, -0.0031, 0.237, -0.31, 0.71,  -1.13,
                                2.77, -5.9,  31.0,   -1e3,   1e6,     -1e12, 1e100, -1e100};
enum { POINTS = sizeof points / sizeof *points };

static void test_gradients(void **state)
{
    (void)state;
    for (size_t m = 0; m < MEMBERS; m++)
        for (size_t i = 0; i < POINTS; i++) {
            const kelvin_prior p = prior(members[m].text);
            const double x = points[i];
            double grad = NAN;
            real error;
            const double value = kelvin_prior_eval(&p, &grad, &x, 1);
            const real want = members[m].log_density(x, p.param);
            check_near(value, want, 16.0L * DBL_EPSILON * (1.0L + fabsl(want)), "value", members[m].text, x);
            assert_true(kelvin_prior_eval(&p, NULL, &x, 1) == value);
            if (members[m].log_density == laplace && fabs(x) < 1e-5) {
                assert_true(grad == (x > 0 ? -1 / 0.37 : x < 0 ? 1 / 0.37 : 0.0)); /* the kink */
                continue;
            }
            const real slope = difference(&error, &members[m], p.param, x);
            check_near(grad, slope, error + slope_error(&members[m], x, slope, DBL_EPSILON), "gradient",
                       members[m].text, x);
        }
}

static void check_relative(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fabs(b))) fail_msg("%.17g instead of %.17g", a, b);
}

static double slope_at(const char *text, double x)
{
    const kelvin_prior p = prior(text);
    double grad;
    const double value = kelvin_prior_eval(&p, &grad, &x, 1);
    assert_true(value == value); /* not NaN */
    return grad;
}

/* The first and the last digits of the range: leading terms, relative. */
static void test_extremes(void **state)
{
    (void)state;
    const double close = 8.0 * DBL_EPSILON, tiny = 1e-200, huge = 1e200;
    check_relative(slope_at("logistic:0.53", tiny), -tiny / (2.0 * 0.53 * 0.53), close);
    check_relative(slope_at("logistic:0.53", -huge), 1.0 / 0.53, close);
    check_relative(slope_at("student-t:0.7,2.6", -tiny), 3.6 / 2.6 * tiny / 0.49, close);
    check_relative(slope_at("student-t:0.7,2.6", huge), -3.6 / huge, close);
    check_relative(slope_at("mixture:0.11,1.7,0.23", huge), -huge / (1.7 * 1.7), close);
    check_relative(slope_at("mixture:1.7,1.7,0.23", -huge), huge / (1.7 * 1.7), close);
    const kelvin_prior t = prior("student-t:0.7,2.6");
    check_relative(kelvin_prior_eval(&t, NULL, &huge, 1), -1.8 * (2.0 * log(huge / 0.7) - log(2.6)), close);
}

/* The integral over the line, with theta = s sinh(u) to reach far tails by the trapezoidal rule. It is exact to
 * rounding for smooth densities; a kink at a point of the grid leaves h^2 / 12 times the jump in slope (here 1). */
static void test_integrals(void **state)
{
    (void)state;
    const int n = 100000;
    for (size_t m = 0; m < MEMBERS; m++) {
        const kelvin_prior p = prior(members[m].text);
        const double h = 60.0 / n, norm = members[m].log_norm(p.param);
        double sum = 0.0;
        for (int i = -n; i <= n; i++) {
            const double u = h * i, x = members[m].narrow * sinh(u);
            sum += h * members[m].narrow * cosh(u) * exp(norm + kelvin_prior_eval(&p, NULL, &x, 1));
        }
        check_near(sum, 1.0L, members[m].log_density == laplace ? h * h / 6.0 : 1e-12, "integral", members[m].text,
                   0.0);
    }
}

/* A mixture of equal normals is one; a Student-t of many degrees of freedom tends to one, as t^4 / nu. */
static void test_limits(void **state)
{
    (void)state;
    const kelvin_prior one = prior("normal:0.37"), same = prior("mixture:0.37,0.37,0.2");
    const kelvin_prior t = prior("student-t:0.37,1e9");
    for (double x = -2.9; x < 3.0; x += 0.113) {
        double g[3];
        const double a = kelvin_prior_eval(&one, &g[0], &x, 1), b = kelvin_prior_eval(&same, &g[1], &x, 1);
        const double c = kelvin_prior_eval(&t, &g[2], &x, 1), u = x / 0.37;
        assert_true(fabs(b + log(0.37) - a) < 8.0 * DBL_EPSILON * (1.0 + fabs(a)));
        check_relative(g[1], g[0], 8.0 * DBL_EPSILON);
        assert_true(fabs(c - a) < (u * u + u * u * u * u) / 1e9 && c != a);
        check_relative(g[2], g[0], (1.0 + u * u) / 1e9);
    }
}

/* Sums over parameters, and independence of them. */
static void test_sum(void **state)
{
    (void)state;
    for (size_t m = 0; m < MEMBERS; m++) {
        const kelvin_prior p = prior(members[m].text);
        double theta[13], grad[13], one, sum = 0.0;
        for (size_t i = 0; i < 13; i++) theta[i] = 1.37 * sin(1.0 + 2.3 * (double)i);
        const double all = kelvin_prior_eval(&p, grad, theta, 13);
        for (size_t i = 0; i < 13; i++) {
            sum += kelvin_prior_eval(&p, &one, &theta[i], 1);
            check_relative(grad[i], one, 2.0 * DBL_EPSILON);
        }
        check_relative(all, sum, 13.0 * DBL_EPSILON);
        assert_true(kelvin_prior_eval(&p, NULL, theta, 0) == 0.0);
    }
}

/* In float: the gradient is added to what is there, the value is that of the double formula. */
static void test_float(void **state)
{
    (void)state;
    enum { N = 493 };
    static const size_t counts[] = {1, 7, 16, N};
    float theta[N], grad[N];
    double wide[N], want[N];
    for (size_t i = 0; i < N; i++) {
        theta[i] = (float)(1.7 * sin(1.0 + 2.3 * (double)i) * (i % 5 == 0 ? 1e-6 : i % 7 == 0 ? 1e3 : 1.0));
        wide[i] = (double)theta[i];
    }
    for (int isa = 0; isa < KELVIN_ISA_COUNT; isa++) {
        const struct kelvin_kernels *kernels = kelvin_kernels_for((kelvin_isa)isa);
        if (!kernels || !kelvin_isa_supported((kelvin_isa)isa)) continue;
        for (size_t m = 0; m < MEMBERS; m++)
            for (size_t c = 0; c < 4; c++) {
                const kelvin_prior p = prior(members[m].text);
                const size_t n = counts[c];
                double logp, alone;
                for (size_t i = 0; i < N; i++) grad[i] = 0.3f * (float)(i % 3);
                kelvin_prior_add(kernels, &p, &logp, grad, theta, n);
                kelvin_prior_add(kernels, &p, &alone, NULL, theta, n);
                check_relative(logp, kelvin_prior_eval(&p, want, wide, n), 1e-14);
                assert_true(alone == logp);
                for (size_t i = 0; i < N; i++) {
                    const double before = (double)(0.3f * (float)(i % 3)), slope = i < n ? want[i] : 0.0;
                    check_near((real)grad[i], before + slope,
                               slope_error(&members[m], wide[i], slope, FLT_EPSILON) + FLT_EPSILON * before, "float",
                               members[m].text, wide[i]);
                }
            }
    }
}

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"gauss:1", "unknown prior 'gauss'; expected one of: none, fan-in, sparse"},
        {"lapalce:1", "unknown prior 'lapalce'; did you mean 'laplace'?"},
        {"none:1", "is too much; expected none"},
        {"normal", "s is missing; expected normal:s"},
        {"normal:0", "s is '0'; expected a number above 1e-15 and below 1e+15"},
        {"normal:-0.1", "s is '-0.1'"},
        {"normal:1e-30", "s is '1e-30'"},
        {"normal:inf", "s is 'inf'"},
        {"normal:0.1,2", "',2' is too much"},
        {"student-t:1", "nu is missing"},
        {"student-t:1,0", "nu is '0'"},
        {"mixture:1,2", "w is missing; expected mixture:s1,s2,w"},
        {"mixture:1,2,1", "w is '1'; expected a number above 0 and below 1"},
        {"mixture:1,2,0", "w is '0'"},
        {"mixture:1,-2,0.5", "s2 is '-2'"},
        {"mixture:1,2,0.5,", "is too much"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kelvin_prior p;
        assert_int_equal(kelvin_prior_parse(&p, bad[i].text), KELVIN_EUSAGE);
        if (!strstr(kelvin_error(), bad[i].says)) fail_msg("'%s' says: %s", bad[i].text, kelvin_error());
    }
    const kelvin_prior p = prior("mixture:1.2345678901234567e-14,1.0000000000000002e-14,0.00012345678901234567");
    assert_true(p.param[0] == 1.2345678901234567e-14 && p.param[1] == 1.0000000000000002e-14 &&
                p.param[2] == 0.00012345678901234567);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients), cmocka_unit_test(test_extremes), cmocka_unit_test(test_integrals),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_sum),      cmocka_unit_test(test_float),
        cmocka_unit_test(test_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
