/* Where a gradient leads: against the paper's closed form and against steps of finite length, both in long double; and
 * the boundary between raising and lowering the true class against the root of the closed form, which is linear in
 * alpha. */
#include "check.h"

#include "base/random.h"
#include "density/density.h"
#include "figures/boundary.h"

#include <float.h>
#include <stdio.h>

enum { K_MAX = 100 };

typedef long double real;

/* ---- predictions ---- */

static struct kelvin_random source(uint32_t step)
{
    return (struct kelvin_random){.seed = 11, .step = step, .stream = KELVIN_STREAM_USER};
}

static void normal_logits(double *z, size_t K, double scale, uint32_t step)
{
    for (size_t k = 0; k < K; k++) z[k] = scale * kelvin_normal(source(step), k);
}

/* log of a Gamma(c) variate (Marsaglia and Tsang, 2000), in log space: for small c it is below e^-1000. */
static double log_gamma_variate(double c, struct kelvin_random where, uint64_t *index)
{
    if (c < 1) return log(kelvin_uniform(where, (*index)++)) / c + log_gamma_variate(c + 1, where, index);
    for (const double d = c - 1.0 / 3;;) {
        const double x = kelvin_normal(where, (*index)++), u = kelvin_uniform(where, (*index)++);
        const double v = pow(1 + x / sqrt(9 * d), 3);
        if (v > 0 && log(u) < x * x / 2 + d - d * v + d * log(v)) return log(d * v);
    }
}

/* Logits of a draw from Dirichlet(c, ..., c). Not farther apart than exp() can tell. */
static void dirichlet_logits(double *z, size_t K, double c, uint32_t step)
{
    uint64_t index = 0;
    double top = -INFINITY;
    for (size_t k = 0; k < K; k++) {
        z[k] = log_gamma_variate(c, source(step), &index);
        top = fmax(top, z[k]);
    }
    for (size_t k = 0; k < K; k++) z[k] = fmax(z[k] - top, -600);
}

static void log_softmax(real *l, const real *z, size_t K)
{
    real max = z[0], sum = 0;
    for (size_t k = 1; k < K; k++) max = fmaxl(max, z[k]);
    for (size_t k = 0; k < K; k++) sum += expl(z[k] - max);
    for (size_t k = 0; k < K; k++) l[k] = z[k] - max - logl(sum);
}

/* ---- the change ---- */

static kelvin_density dirichlet(double alpha)
{
    kelvin_density d;
    assert_ok(kelvin_density_parse(&d, "dirichlet:1"));
    d.param[0] = alpha;
    return d;
}

/* What rounding may do to the change: sums of K numbers of the size of g, times weights that sum to 1, one after the
 * other in eval and in step; 16 for exp, its argument and the rest. */
static double rounding(size_t K, double size)
{
    return 2 * (double)(K + 16) * DBL_EPSILON * size;
}

/* g_k - g+ p_k - p.g + g+ sum p^2 */
static void closed_form(void **state)
{
    (void)state;
    for (size_t K = 2; K <= K_MAX; K++)
        for (uint32_t i = 0; i < 40; i++) {
            const uint32_t step = (uint32_t)K * 100 + i;
            const double alpha = 4 * kelvin_uniform(source(step), 1000) - 2, scale = 0.1 * exp2(i % 8);
            const size_t y = i % K;
            double z[K_MAX], change[K_MAX];
            real zl[K_MAX], l[K_MAX], g[K_MAX], total = 0, pg = 0, pp = 0, size = 0;
            normal_logits(z, K, scale, step);
            const kelvin_density d = dirichlet(alpha);
            kelvin_density_step(&d, change, z, K, y);
            for (size_t k = 0; k < K; k++) zl[k] = z[k];
            log_softmax(l, zl, K);
            for (size_t k = 0; k < K; k++) {
                g[k] = (real)alpha - 1 + (k == y);
                total += g[k];
                pg += expl(l[k]) * g[k];
                pp += expl(2 * l[k]);
                size += fabsl(g[k]);
            }
            for (size_t k = 0; k < K; k++)
                assert_near(change[k], (double)(g[k] - total * expl(l[k]) - pg + total * pp),
                            rounding(K, (double)size));
        }
}

/* (logsoftmax(z + h g) - logsoftmax(z)) / h. Of second order there is h/2 times the variance of g under p, at most
 * h/8 range(g)^2; rounding leaves twice LDBL_EPSILON (|z| + |l|) / h. With h = 1e-8 / range and |z|, |l| < 64 both
 * together are below 1.6e-9 range + 3e-9 range, and the range is below 200: within the 1e-6 that is asked for. */
static void finite_steps(void **state)
{
    (void)state;
    static const char *const texts[] = {"dirichlet:0.01", "dirichlet:0.8",  "dirichlet:1.4",
                                        "dirclip:0.6,-5", "ndg-prior:0.01", "confidence:0.1",
                                        "categorical",    "ndg-logits:0.1", "ndg-logprobs:0.02"};
    static const size_t sizes[] = {2, 3, 10, 100};
    if (LDBL_EPSILON > 1.1e-19L) skip();
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (uint32_t i = 0; i < 400; i++) {
            const size_t K = sizes[i % 4], y = (i / 4) % K;
            double z[K_MAX], grad[K_MAX], change[K_MAX], low = INFINITY, high = -INFINITY;
            real from[K_MAX], to[K_MAX], l0[K_MAX], l1[K_MAX];
            kelvin_density d;
            assert_ok(kelvin_density_parse(&d, texts[t]));
            normal_logits(z, K, 0.3 + 0.05 * (i % 50), i);
            kelvin_density_eval(&d, grad, z, K, y);
            kelvin_density_step(&d, change, z, K, y);
            for (size_t k = 0; k < K; k++) low = fmin(low, grad[k]), high = fmax(high, grad[k]);
            const double range = high - low, tolerance = 4.6e-9 * range + rounding(K, (double)K * range);
            assert_below(range, 200);
            assert_below(tolerance, 1e-6);
            const real h = 1e-8L / range;
            for (size_t k = 0; k < K; k++) from[k] = z[k], to[k] = z[k] + h * grad[k];
            log_softmax(l0, from, K);
            log_softmax(l1, to, K);
            for (size_t k = 0; k < K; k++) assert_near(change[k], (double)((l1[k] - l0[k]) / h), tolerance);
        }
}

/* Where the true class has all but `r`, the likelihood's step changes log p_y by (1 - p_y)^2 + sum_{k != y} p_k^2:
 * right to the last digits, not to 1e-16. 16 units: six of them of exp, twice, the rest of the sums. */
static void all_but_certain(void **state)
{
    (void)state;
    kelvin_density d;
    assert_ok(kelvin_density_parse(&d, "categorical"));
    for (double r = 1e-3; r > 1e-100; r /= 10) {
        const double z[3] = {log(r), 0, log(r) - 0.9};
        const real s = expl(z[0]) + expl(z[2]), squares = expl(2 * (real)z[0]) + expl(2 * (real)z[2]);
        const double want = (double)((s * s + squares) / ((1 + s) * (1 + s)));
        double change[3];
        kelvin_density_step(&d, change, z, 3, 1);
        assert_near(change[1] / want, 1, 16 * DBL_EPSILON);
    }
}

static void probabilities_keep_their_sum(void **state)
{
    (void)state; /* sum_k p_k change_k = 0 */
    for (uint32_t i = 0; i < 200; i++) {
        const size_t K = 2 + i % 60;
        double z[K_MAX], change[K_MAX];
        real zl[K_MAX], l[K_MAX], sum = 0;
        kelvin_density d = dirichlet(0.03 * i - 2);
        normal_logits(z, K, 3, i);
        kelvin_density_step(&d, change, z, K, 1);
        for (size_t k = 0; k < K; k++) zl[k] = z[k];
        log_softmax(l, zl, K);
        for (size_t k = 0; k < K; k++) sum += expl(l[k]) * change[k];
        assert_near((double)sum, 0, rounding(K, (double)K * (fabs(d.param[0] - 1) + 1)));
    }
}

/* ---- the critical alpha ---- */

static void critical_alpha_of_every_number_of_classes(void **state)
{
    (void)state;
    for (size_t K = 2; K <= K_MAX; K++) {
        struct boundary b;
        double alpha = NAN;
        assert_ok(kelvin_boundary_make(&b, K));
        assert_true(kelvin_boundary_alpha(&b, &alpha, -1, 1, 1e-12));
        assert_near(alpha, (double)(K - 2) / (double)K, 1e-9);
    }
}

/* Above it a step raises the true class wherever it starts; below it does not where all is on a wrong class: there the
 * change is K (alpha - critical) + 2 rest. */
static void above_and_below(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 10, 100};
    static const double total[] = {0.1, 1, 10, 1000}; /* concentrations, summed over the classes */
    const double margin = 1e-9;
    for (size_t s = 0; s < 4; s++) {
        const size_t K = sizes[s];
        const double critical = (double)(K - 2) / (double)K;
        const kelvin_density d = dirichlet(critical + margin);
        size_t corners = 0;
        for (uint32_t i = 0; i < 10000; i++) {
            double z[K_MAX], change[K_MAX], others = 0;
            dirichlet_logits(z, K, total[i % 4] / (double)K, i);
            for (size_t k = 0; k < K; k++) others += z[k] < 0 ? exp(z[k]) : 0;
            corners += z[0] < 0 && others < 1e-12;
            kelvin_density_step(&d, change, z, K, 0);
            if (!(change[0] > 0)) fail_msg("K = %zu, prediction %u: change %g", K, i, change[0]);
        }
        assert_true(corners > 100); /* all but certain of a wrong class, where it is hardest */
        struct boundary b;
        assert_ok(kelvin_boundary_make(&b, K));
        assert_true(kelvin_boundary_change(&b, critical - margin, 1e-12) < 0);
        assert_near(kelvin_boundary_change(&b, critical - margin, 1e-12), -(double)K * margin + 2e-12,
                    1e-12 + rounding(K, (double)K));
    }
}

/* ---- the boundary ---- */

/* 1 - p_y + (K alpha - K + 1) (sum p^2 - p_y) = 0 */
static real root(size_t K, real rest)
{
    const real n = (real)(K - 1), p = 1 - rest, py = rest / n, pp = p * p + rest * rest / n;
    return (n - (1 - py) / (pp - py)) / (real)K;
}

static void published_boundary(void **state)
{
    (void)state;
    struct boundary b;
    double alpha;
    assert_ok(kelvin_boundary_make(&b, 10));
    assert_true(kelvin_boundary_alpha(&b, &alpha, 0, 1, 1e-7));
    assert_near(alpha, 0.79999998, 1e-13); /* 0.8 - 2e-8 + O(1e-14) */
}

/* The change has the slope K (sum p^2 - p_y) in alpha, by which its rounding is divided. */
static void boundary_is_the_root_and_rises(void **state)
{
    (void)state;
    static const size_t sizes[] = {3, 4, 10, 37, 100};
    for (size_t s = 0; s < 5; s++) {
        const size_t K = sizes[s];
        const double n = (double)(K - 1);
        struct boundary b;
        double before = 0;
        size_t met = 0;
        assert_ok(kelvin_boundary_make(&b, K));
        for (int i = 1; i < 1000; i++) {
            const double rest = i < 990 ? 1 - i / 1000.0 : pow(10, -(i - 987.0)), p = 1 - rest;
            double alpha = NAN;
            const real want = root(K, rest);
            const bool crossed = p * p + rest * rest / n > rest / n && want > 0; /* else the change is positive */
            if (fabsl(want) < 1e-9L) continue;
            assert_int_equal(kelvin_boundary_alpha(&b, &alpha, 0, 1, rest), crossed);
            if (!crossed) continue;
            const double slope = (double)K * (p * p + rest * rest / n - rest / n);
            assert_near(alpha, (double)want, rounding(K, (double)K) / slope);
            assert_true(alpha > before);
            before = alpha;
            met++;
        }
        assert_true(met > 100);
        /* where it leaves alpha = 0: (K - 1) K p^2 - K p - (K - 2) = 0 */
        const double k = (double)K, p0 = (k + sqrt(k * k + 4 * k * (k - 1) * (k - 2))) / (2 * k * (k - 1));
        double rest;
        assert_true(kelvin_boundary_rest(&b, &rest, 1e-12, 1 - 1e-12, 0));
        assert_near(1 - rest, p0, 1e-13);
    }
}

static void two_classes_have_none(void **state)
{
    (void)state;
    struct boundary b;
    double x;
    assert_ok(kelvin_boundary_make(&b, 2));
    for (int i = 1; i < 300; i++) assert_false(kelvin_boundary_alpha(&b, &x, 0, 1, pow(0.9, i)));
    assert_false(kelvin_boundary_rest(&b, &x, 1e-12, 1 - 1e-12, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_form),
        cmocka_unit_test(finite_steps),
        cmocka_unit_test(all_but_certain),
        cmocka_unit_test(probabilities_keep_their_sum),
        cmocka_unit_test(critical_alpha_of_every_number_of_classes),
        cmocka_unit_test(above_and_below),
        cmocka_unit_test(published_boundary),
        cmocka_unit_test(boundary_is_the_root_and_rises),
        cmocka_unit_test(two_classes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
