/* Densities of predictions against the formulas of the paper in plain long double, finite differences of these (with
 * their sign), closed forms where a prediction is all but certain, and the identities that hold between densities. */
#include "density_oracle.h"

#include "density/block.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { K_MAX = 200 };

static kelvin_density density(const char *text, bool likelihood)
{
    kelvin_density d;
    if (kelvin_density_parse(&d, text)) fail_msg("%s", kelvin_error());
    d.likelihood = d.likelihood && likelihood;
    return d;
}

static double awkward(size_t i)
{
    return 2.385 * sin(1.7 + 3.31 * (double)i) + 0.71 * cos(0.37 * (double)(i * i));
}

static void check_near(real a, real b, real tolerance, const char *what, const char *text, size_t K, size_t k)
{
    if (!(fabsl(a - b) <= tolerance))
        fail_msg("%s: %s, K = %zu, class %zu: %.17Lg instead of %.17Lg (%.3Lg allowed)", text, what, K, k, a, b,
                 tolerance);
}

/* The value against the oracle, and the gradient against central differences of the oracle. The step h leaves
 * h^2/6 times the third derivative, at most 0.1 slope + 0.75 curvature (from l''' <= 0.1, l' <= 1, l'' <= 1/4). */
static void check_at(const struct member *m, const kelvin_density *d, const double *z, size_t K, size_t y)
{
    const real h = 4.0L * cbrtl(LDBL_EPSILON);
    real zl[K_MAX];
    double grad[K_MAX];
    for (size_t k = 0; k < K; k++) zl[k] = z[k];
    const struct expected e = oracle(m, d, zl, K, y);
    const double value = kelvin_density_eval(d, grad, z, K, y);
    check_near(value, e.value, value_error(&e, K, DBL_EPSILON), "value", m->text, K, y);
    assert_true(kelvin_density_eval(d, NULL, z, K, y) == value);
    const real tolerance = h * h / 6.0L * (0.1L * e.slope + 0.75L * e.curvature) +
                           value_error(&e, K, LDBL_EPSILON) / h + gradient_error(&e, K, DBL_EPSILON);
    for (size_t k = 0; k < K; k++) {
        zl[k] = z[k] + h;
        const real up = oracle(m, d, zl, K, y).value, zup = zl[k];
        zl[k] = z[k] - h;
        const real down = oracle(m, d, zl, K, y).value, zdown = zl[k];
        zl[k] = z[k];
        check_near(grad[k], (up - down) / (zup - zdown), tolerance, "gradient", m->text, K, k);
    }
}

/* Every density where predictions are vague, middling and all but certain. */
static void test_gradients(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 10, 100};
    static const double scales[] = {0.13, 1.0, 4.2, 23.0};
    double z[K_MAX];
    for (size_t m = 0; m < MEMBERS; m++)
        for (size_t s = 0; s < 4; s++)
            for (size_t j = 0; j < 4; j++)
                for (int likelihood = 0; likelihood < 2; likelihood++) {
                    const size_t K = sizes[s];
                    const kelvin_density d = density(members[m].text, likelihood);
                    for (size_t k = 0; k < K; k++) z[k] = scales[j] * awkward(k + 7 * j);
                    check_at(&members[m], &d, z, K, 0);
                    check_at(&members[m], &d, z, K, K - 1);
                }
}

static void test_near_the_clip(void **state)
{
    (void)state;
    static const struct member m = {"dirclip:-0.5,-3.71", dirclip, false};
    const kelvin_density d = density(m.text, false);
    double slope[2];
    for (int side = 0; side < 2; side++) {
        const double p1 = exp(-3.71 + (side ? 1e-4 : -1e-4)), z[3] = {log(0.6 - p1), log(p1), log(0.4)};
        double grad[3];
        check_at(&m, &d, z, 3, 2);
        kelvin_density_eval(&d, grad, z, 3, 2);
        slope[side] = grad[1];
    }
    assert_true(fabs(slope[1] - slope[0] - (-1.5) * (1.0 - exp(-3.71))) <
                1e-3); /* the clipped class lost its own part */

    /* exactly at the clip: p = (1/2, 1/4, 1/4) and clip = log(1/4), as it is computed */
    const double z[3] = {0.0, -M_LN2, -M_LN2};
    double grad[3];
    kelvin_density exact = density("dirclip:0.4,-1", false);
    exact.param[1] = -M_LN2 - log1p(2.0 * exp(-M_LN2));
    assert_true(kelvin_density_eval(&exact, grad, z, 3, 0) < 0.6 * 5.0 * M_LN2 + 1e-15);
    const double want[3] = {-0.6 * 0.5, 0.6 * 0.25, 0.6 * 0.25};
    for (int k = 0; k < 3; k++) assert_true(fabs(grad[k] - want[k]) < 4.0 * DBL_EPSILON);
}

/* Shared slopes at a tie: between two classes they are the central difference; among more they lie between the
 * differences to both sides. */
static void test_ties(void **state)
{
    (void)state;
    const double h = 1e-6, tolerance = 9.0 * (h + 8.0 * DBL_EPSILON / h); /* 9 = |1/T - 1| at most */
    for (int i = 0; i < 2; i++)
        for (size_t ties = 2; ties <= 4; ties++) {
            const kelvin_density d = density(i ? "confidence:0.1" : "confidence:2.3", false);
            double z[5] = {0.31, 0.31, 0.31, 0.31, -1.7}, grad[5];
            for (size_t k = ties; k < 4; k++) z[k] = -0.2 * (double)k;
            const double here = kelvin_density_eval(&d, grad, z, 5, 0);
            for (size_t k = 0; k < 5; k++) {
                const double at = z[k];
                z[k] = at + h;
                const double right = (kelvin_density_eval(&d, NULL, z, 5, 0) - here) / h;
                z[k] = at - h;
                const double left = (here - kelvin_density_eval(&d, NULL, z, 5, 0)) / h;
                z[k] = at;
                assert_true(grad[k] > fmin(left, right) - tolerance && grad[k] < fmax(left, right) + tolerance);
                if (ties == 2) assert_true(fabs(grad[k] - (left + right) / 2.0) < tolerance);
                if (k < ties) assert_true(fabs(grad[k] - grad[0]) < 8.0 * DBL_EPSILON);
            }
        }
}

static void check_relative(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fabs(b))) fail_msg("%.17g instead of %.17g", a, b);
}

/* Where the other classes share r = 1e-5 ... 1e-30, value and gradient have to be right to the last digits, not to
 * 1e-16. */
static void test_all_but_certain(void **state)
{
    (void)state;
    enum { K = 3 };
    const double h = 1e-5, fd = h * h + 8.0 * DBL_EPSILON / h, close = 16.0 * DBL_EPSILON;
    for (double r = 1e-5; r > 0.5e-30; r /= 10.0) {
        const double small = log(r), z[K] = {small, 0.0, small + 0.9};
        const double s = exp(z[0]) + exp(z[2]), norm = 1.0 + s;
        double grad[K], up[K], down[K];
        const char *const cold[] = {"categorical", "confidence:0.1"}; /* with the likelihood: l_y and l_y / T */
        for (int i = 0; i < 2; i++) {
            const kelvin_density d = density(cold[i], true);
            const double scale = i ? 10.0 : 1.0;
            check_relative(kelvin_density_eval(&d, grad, z, K, 1), -scale * log1p(s), close);
            check_relative(grad[1], scale * s / norm, close);
            check_relative(grad[0], -scale * exp(z[0]) / norm, close);
            for (int k = 0; k < K; k++) {
                memcpy(up, z, sizeof z);
                memcpy(down, z, sizeof z);
                up[k] += h;
                down[k] -= h;
                const double difference =
                    kelvin_density_eval(&d, NULL, up, K, 1) - kelvin_density_eval(&d, NULL, down, K, 1);
                check_relative(grad[k], difference / (up[k] - down[k]), 4.0 * fd);
            }
        }
        /* the label is one of the others: l_y = z_y - log1p(s), almost all of its gradient on two classes */
        const kelvin_density wrong = density("confidence:1e-10", true);
        kelvin_density_eval(&wrong, grad, z, K, 0);
        check_relative(grad[1], (1e10 - 1.0) * s / norm - 1.0 / norm, close);
        check_relative(grad[2], -1e10 * exp(z[2]) / norm, close);
        /* all but the largest are clipped: (a - 1) l_1 is left */
        const kelvin_density clipped = density("dirclip:-0.5,-3", false);
        kelvin_density_eval(&clipped, grad, z, K, 0);
        check_relative(grad[1], -1.5 * s / norm, close);
        check_relative(grad[2], 1.5 * exp(z[2]) / norm, close);
    }
}

static void test_known_numbers(void **state)
{
    (void)state;
    kelvin_density d = density("categorical", true);
    d.likelihood = true; /* it is the likelihood: not to be added twice */
    double grad[4];
    check_relative(kelvin_density_eval(&d, grad, (double[]){1.0, 2.0, 3.0}, 3, 0), -2.4076059644443806, 1e-15);
    check_relative(grad[2], -0.6652409557748219, 1e-15);
    check_relative(kelvin_density_eval(&d, grad, (double[]){0.7, 0.7}, 2, 1), -0.6931471805599453, 1e-15);
    check_relative(grad[1], 0.5, 1e-15);
    check_relative(kelvin_density_eval(&d, grad, (double[]){5.0, 5.0, 5.0, 5.0}, 4, 2), -1.3862943611198906, 1e-15);

    /* The examples of section "Confidence prior": the normalised posterior Dirichlet(a+1, a, a) at a = 0.01. */
    const kelvin_density dirichlet_001 = density("dirichlet:0.01", true);
    const double norm = lgamma(1.03) - lgamma(1.01) - 2.0 * lgamma(0.01);
    const double sure[3] = {log(0.99), log(0.005), log(0.005)}, unsure[3] = {0.0, 0.0, -15.0};
    const double a = exp(norm + kelvin_density_eval(&dirichlet_001, NULL, sure, 3, 0));
    const double b = exp(norm + kelvin_density_eval(&dirichlet_001, NULL, unsure, 3, 0));
    assert_true(fabs(a - 3.6) < 0.05);
    assert_true(b >= 1102.0 && b < 1103.0); /* 1102.84: the paper cuts where it could round */
}

static void test_identities(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 10, 100};
    for (size_t s = 0; s < 4; s++) {
        double first = NAN, z[K_MAX];
        for (size_t round = 0; round < 6; round++) {
            const size_t K = sizes[s];
            for (size_t k = 0; k < K; k++) z[k] = (double)(round + 1) * awkward(k + 13 * round);
            size_t top = 0;
            for (size_t k = 0; k < K; k++)
                if (z[k] > z[top]) top = k;

            /* ndg-logprobs = ndg-prior + ndg-likelihood + constant: the constant may not depend on z */
            const kelvin_density whole = density("ndg-logprobs:0.05", false), prior = density("ndg-prior:0.05", false);
            const kelvin_density likelihood = density("ndg-likelihood:0.05", false);
            const double w = kelvin_density_eval(&whole, NULL, z, K, 1), p = kelvin_density_eval(&prior, NULL, z, K, 1);
            const double constant = w - p - kelvin_density_eval(&likelihood, NULL, z, K, 1);
            if (round == 0) first = constant;
            assert_true(fabs(constant - first) < 4.0 * (double)K * DBL_EPSILON * (fabs(w) + fabs(p)));

            /* confidence(T) + l_y = l_y / T where y is the most probable class */
            const kelvin_density conf = density("confidence:0.03", true), cat = density("categorical", true);
            check_relative(kelvin_density_eval(&conf, NULL, z, K, top),
                           kelvin_density_eval(&cat, NULL, z, K, top) / 0.03, 8.0 * DBL_EPSILON);

            /* dirclip = dirichlet where nothing is clipped: the same bits */
            const kelvin_density clip = density("dirclip:0.6,-1000", true), dir = density("dirichlet:0.6", true);
            assert_true(kelvin_density_eval(&clip, NULL, z, K, 0) == kelvin_density_eval(&dir, NULL, z, K, 0));
        }
    }
}

/* Densities of log-probabilities do not feel a shift of all logits; so their gradient sums to 0. */
static void test_shift(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 10, 64, 65, 200};
    for (size_t m = 0; m < MEMBERS; m++)
        for (size_t s = 0; s < 5; s++) {
            if (members[m].on_logits) continue;
            const size_t K = sizes[s];
            const kelvin_density d = density(members[m].text, true);
            double z[K_MAX], moved[K_MAX], grad[K_MAX], sum = 0.0, size = 0.0;
            for (size_t k = 0; k < K; k++) {
                z[k] = round(1024.0 * 3.0 * awkward(k)) / 1024.0; /* the shift is exact, so the bits must not change */
                moved[k] = z[k] + 1234.5;
            }
            assert_true(kelvin_density_eval(&d, grad, z, K, 1) == kelvin_density_eval(&d, NULL, moved, K, 1));
            for (size_t k = 0; k < K; k++) {
                sum += grad[k];
                size += fabs(grad[k]);
            }
            assert_true(size > 0.01 && fabs(sum) < 4.0 * (double)K * DBL_EPSILON * size);
        }
}

/* ---- the block in float ---- */

static void check_block(const struct kelvin_kernels *kernels, const struct member *m, const kelvin_density *d, size_t K,
                        size_t n)
{
    enum { B = KELVIN_BLOCK };
    float z[10 * B], dz[10 * B], again[10 * B], scratch[4 * 10 * B];
    int32_t y[B];
    assert_true(kelvin_density_scratch(K, KELVIN_BLOCK) <= sizeof scratch / sizeof *scratch);
    for (size_t i = 0; i < B; i++) {
        y[i] = i < n ? (int32_t)(i % K) : INT32_MAX;
        for (size_t k = 0; k < K; k++) {
            const float beyond = i % 2 ? NAN : FLT_MAX;
            z[k * B + i] = i < n ? (float)((i % 4 == 3 ? 12.0 : 1.1) * awkward(k * B + i)) : beyond;
            if (i == 5) z[k * B + i] = k < 2 ? 0.3f : -1.1f; /* a tie */
            dz[k * B + i] = NAN;
        }
    }
    double logp, sum = 0.0;
    real allowed = 0.0L;
    kelvin_density_block(kernels, d, &logp, dz, z, y, NULL, K, n, scratch);
    kelvin_density_block(kernels, d, NULL, again, z, y, NULL, K, n, scratch);
    assert_memory_equal(dz, again, K * B * sizeof *dz);
    for (size_t i = 0; i < B; i++) {
        double lane[10], grad[10];
        real zl[10];
        for (size_t k = 0; k < K; k++) zl[k] = lane[k] = (double)z[k * B + i];
        if (i < n) {
            const struct expected e = oracle(m, d, zl, K, (size_t)y[i]);
            sum += kelvin_density_eval(d, grad, lane, K, (size_t)y[i]);
            allowed += value_error(&e, K, FLT_EPSILON);
            for (size_t k = 0; k < K; k++)
                check_near((real)dz[k * B + i], grad[k], gradient_error(&e, K, FLT_EPSILON), "float", m->text, K, k);
        } else {
            for (size_t k = 0; k < K; k++) assert_true(dz[k * B + i] == 0.0f);
        }
    }
    check_near(logp, sum, allowed, "float value", m->text, K, n);
}

static void test_block(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 10}, counts[] = {1, 8, 18, 24};
    for (int isa = 0; isa < KELVIN_ISA_COUNT; isa++) {
        const struct kelvin_kernels *kernels = kelvin_kernels_for((kelvin_isa)isa);
        if (!kernels || !kelvin_isa_supported((kelvin_isa)isa)) continue;
        for (size_t m = 0; m < MEMBERS; m++)
            for (size_t s = 0; s < 3; s++)
                for (size_t c = 0; c < 4; c++)
                    for (int likelihood = 0; likelihood < 2; likelihood++) {
                        const kelvin_density d = density(members[m].text, likelihood);
                        check_block(kernels, &members[m], &d, sizes[s], counts[c]);
                    }
    }
}

/* ---- texts ---- */

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* what the sentence must hold */
    } bad[] = {
        {"", "unknown density ''; expected one of: categorical, dirichlet"},
        {"dirclp:0.5,-3", "unknown density 'dirclp'"},
        {"Categorical", "unknown density"},
        {"normal:0.1", "unknown density"},
        {"none", "unknown density"},
        {"dirclip", "alpha is missing"},
        {"dirclip:", "alpha is missing"},
        {"dirclip:0.5", "clip is missing"},
        {"dirclip:0.5,", "clip is missing"},
        {"dirclip:,-3", "alpha is missing"},
        {"dirclip:0.5,3", "clip is '3'; expected a number above -1e+30 and below 0"},
        {"dirclip:0.5,0", "clip is '0'; expected a number above"},
        {"dirclip:0.5,-inf", "clip is '-inf'"},
        {"dirclip:nan,-3", "alpha is 'nan'"},
        {"dirclip:1e999,-3", "alpha is '1e999'"},
        {"dirclip:half,-3", "alpha is 'half'; expected a number above -1e+30 and below 1e+30"},
        {"dirclip:0.5x,-3", "alpha is '0.5x'"},
        {"dirclip: 0.5,-3", "alpha is ' 0.5'"},
        {"dirclip:0.5,-3,1", "',1' is too much; expected dirclip:alpha,clip"},
        {"dirclip:0.5,-3,", "is too much"},
        {"categorical:1", "':1' is too much"},
        {"categorical:", "is too much"},
        {"ndg-logits:0", "alpha is '0'; expected a number above 1e-15 and below 1e+15"},
        {"ndg-prior:-0.1", "alpha is '-0.1'"},
        {"confidence:0", "T is '0'; expected a number above 1e-15"},
        {"confidence:1e-300", "T is '1e-300'"},
        {"confidence:T=", "T is missing"},
        {"confidence:t=1", "':t=1' is too much; expected confidence:T"},
        {"dirclip:clip=-3", "alpha is missing"},
        {"dirclip:0.5,alpha=0.6,-3", "alpha is given twice"},
        {"dirclp:0.5,-3", "unknown density 'dirclp'; did you mean 'dirclip'?"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kelvin_density d;
        assert_int_equal(kelvin_density_parse(&d, bad[i].text), KELVIN_EUSAGE);
        if (!strstr(kelvin_error(), bad[i].says)) fail_msg("'%s' says: %s", bad[i].text, kelvin_error());
    }
    const kelvin_density d = density("dirclip:-0.5,-50", true);
    assert_true(d.param[0] == -0.5 && d.param[1] == -50.0 && d.likelihood);
    assert_true(density("dirclip:1.4,-1e-3", true).param[0] == 1.4);
    const kelvin_density by_name = density("dirclip:clip=-50,alpha=-0.5", true);
    assert_memory_equal(by_name.param, d.param, sizeof d.param);
}

/* Which densities of the paper are priors over predictions, to which the likelihood is added. */
static void test_likelihoods(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool sees_label;
    } expected[] = {
        {"categorical", true},      {"dirichlet:0.8", false}, {"dirclip:0.8,-5", false},    {"ndg-logits:0.1", true},
        {"ndg-logprobs:0.1", true}, {"ndg-prior:0.1", false}, {"ndg-likelihood:0.1", true}, {"confidence:0.4", false},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const kelvin_density d = density(expected[i].text, true);
        assert_int_equal(kelvin_density_sees_label(&d), expected[i].sees_label);
        assert_int_equal(d.likelihood, !expected[i].sees_label);
    }
}

/* The text that a density gives of itself is the one that it came from, with all its digits. */
static void test_format(void **state)
{
    (void)state;
    static const char *const texts[] = {"categorical", "dirichlet:0.10000000000000002",
                                        "dirclip:-1.2345678901234567e-101,-0.30000000000000004"};
    char text[96];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const kelvin_density d = density(texts[i], true);
        kelvin_density_format(text, sizeof text, &d);
        assert_string_equal(text, texts[i]);
    }
    const kelvin_density d = density("dirclip:8.50e-1,-050", true);
    kelvin_density_format(text, sizeof text, &d);
    assert_string_equal(text, "dirclip:0.85,-50");
    kelvin_density_format(text, 6, &d); /* cut, and ended */
    assert_string_equal(text, "dircl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),       cmocka_unit_test(test_near_the_clip), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_all_but_certain), cmocka_unit_test(test_known_numbers), cmocka_unit_test(test_identities),
        cmocka_unit_test(test_shift),           cmocka_unit_test(test_block),         cmocka_unit_test(test_parse),
        cmocka_unit_test(test_format),          cmocka_unit_test(test_likelihoods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
