/* Probabilities and scores in double against plain loops in long double, under every instruction set. */
#include "check.h"

#include "kernels/doubles.h"
#include "kernels/kernels.h"

#include <float.h>

enum { T = KELVIN_TILE, K = 7 };

static double noise(uint32_t stream, size_t i)
{
    return kelvin_normal((kelvin_random){.seed = 77, .step = stream, .stream = KELVIN_STREAM_USER}, i);
}

/* ---- exp and log, compiled for the baseline here ---- */

static double ulps(double found, long double expected)
{
    const double near = fabs((double)expected), unit = nextafter(near, INFINITY) - near;
    return (double)(fabsl((long double)found - expected) / (long double)unit);
}

static void elementary_functions(void **state)
{
    (void)state;
    double worst[3] = {0};
    for (size_t i = 0; i < 400000; i += DOUBLES) {
        double x[DOUBLES], y[DOUBLES], e[DOUBLES], l[DOUBLES], near[DOUBLES];
        for (size_t j = 0; j < DOUBLES; j++) {
            x[j] = -708 * (double)(i + j) / 400000;
            y[j] = exp(x[j]);
            near[j] = 1 - (double)(i + j) / 800000;
        }
        doubles_store(e, doubles_exp(doubles_load(x)));
        doubles_store(l, doubles_log(doubles_load(y)));
        doubles_store(near, doubles_log(doubles_load(near)));
        for (size_t j = 0; j < DOUBLES; j++) {
            worst[0] = fmax(worst[0], ulps(e[j], expl((long double)x[j])));
            worst[1] = fmax(worst[1], ulps(l[j], logl((long double)y[j])));
            worst[2] = fmax(worst[2], ulps(near[j], logl((long double)(1 - (double)(i + j) / 800000))));
        }
    }
    /* units in the last place: about one, and a little more without FMA */
    assert_below(worst[0], 1.5);
    assert_below(worst[1], 1.5);
    assert_below(worst[2], 1.5);

    static const double below[] = {0, -0.0, -1e-300, -708.0001, -745, -746, -6e38, -DBL_MAX};
    static const double expected[] = {1, 1, 1, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < 8; i++) {
        double found[DOUBLES];
        doubles_store(found, doubles_exp(doubles_set(below[i])));
        assert_true(found[0] == expected[i]);
    }
    double found[DOUBLES];
    doubles_store(found, doubles_log(doubles_set(1)));
    assert_true(found[0] == 0);
}

/* ---- kernels ---- */

/* All instruction sets with FMA must agree. */
static void assert_same_bits(const struct kelvin_kernels *kernels, double *first, const double *found, size_t n)
{
    if (!kernels->fma) return;
    if (isnan(first[0])) memcpy(first, found, n * sizeof *found);
    assert_memory_equal(first, found, n * sizeof *found);
}

/* Row i: ties, differences beyond what exp and float can hold, a class that has all, large offsets. */
static float logit(size_t i, size_t k)
{
    const double z = 3 * noise(1, i * K + k);
    switch (i % 6) {
    case 0:
        return (float)floor(z);
    case 1:
        return k == 3 ? 3e38f : k == 4 ? -3e38f : (float)z;
    case 2:
        return (float)(k == 0 ? z - 745 : z + 30000);
    case 3:
        return (float)(k == 5 ? z + 90 : z);
    case 4:
        return 1.5f; /* all alike */
    default:
        return (float)z;
    }
}

static void check_softmax(const struct kelvin_kernels *kernels, size_t n, double *first)
{
    float z[T * K];
    double p[K * T], log_sum[T], h[T];
    for (size_t i = 0; i < n * K; i++) z[i] = logit(i / K, i % K);
    kernels->softmax_double(p, log_sum, h, z, n, K);
    for (size_t i = 0; i < T; i++) {
        const float *row = z + (i < n ? i : n - 1) * K;
        long double most = row[0], sum = 0, entropy = 0;
        for (size_t k = 1; k < K; k++) most = fmaxl(most, row[k]);
        for (size_t k = 0; k < K; k++) sum += expl(row[k] - most);
        for (size_t k = 0; k < K; k++) {
            const long double l = row[k] - most - logl(sum), e = expl(l);
            if (e > 0) entropy -= e * l;
            /* half an epsilon for each of K - 1 sums, the inverse and the product; three for exp */
            if (l > -707) assert_true(fabsl(p[k * T + i] - e) <= (K + 4) * e * DBL_EPSILON / 2);
            if (l < -709) assert_true(p[k * T + i] == 0);
            for (size_t j = 0; j < k; j++) assert_true(row[j] != row[k] || p[j * T + i] == p[k * T + i]);
        }
        assert_near(log_sum[i], (double)(most + logl(sum)), 4 * DBL_EPSILON * (1 + fabs((double)most)));
        assert_near(h[i], (double)entropy, 16 * DBL_EPSILON);
        assert_true(h[i] >= 0);
        if (i % 6 == 1 && i < n) assert_true(p[3 * T + i] == 1 && h[i] == 0);
    }
    assert_same_bits(kernels, first, p, K * T);
}

static void probabilities(void **state)
{
    (void)state;
    for (size_t n = 1; n <= T; n += 3) {
        double first[K * T] = {(double)NAN};
        for (kelvin_isa isa = 0; isa < KELVIN_ISA_COUNT; isa++)
            if (kelvin_kernels_for(isa) && kelvin_isa_supported(isa)) check_softmax(kelvin_kernels_for(isa), n, first);
    }
}

static void check_appraisal(const struct kelvin_kernels *kernels, size_t m, double first[5 * T])
{
    enum { ROWS = 5 };
    static const uint32_t which[] = {4, 1, 1};
    double rows[ROWS * K * T], sum[K * T] = {0}, label[T];
    struct appraisal a;
    memset(&a, 0, sizeof a);
    for (size_t i = 0; i < ROWS * K * T; i++) rows[i] = i % 11 == 0 ? 1e-290 : fabs(noise(2, i)) / K;
    for (size_t i = 0; i < T; i++) label[i] = (double)(i % K);
    for (size_t k = 0; k < K; k++) rows[4 * K * T + k * T + 2] = rows[K * T + k * T + 2] = k == 2 || k == 5; /* a tie */
    kernels->add_rows(sum, rows, which, m, K * T);
    for (size_t i = 0; i < K * T; i++) {
        double plain = 0;
        for (size_t j = 0; j < m; j++) plain += rows[which[j] * K * T + i];
        assert_true(sum[i] == plain);
    }
    kernels->appraise(&a, sum, m, label, K);
    for (size_t i = 0; i < T; i++) {
        long double brier = 0, entropy = 0, log_p = 0;
        size_t best = 0;
        for (size_t k = 0; k < K; k++) {
            const double p = sum[k * T + i] / (double)m;
            const long double off = (long double)p - (k == i % K), l = p > KELVIN_LEAST_P ? logl(p) : 0;
            if (sum[k * T + i] > sum[best * T + i]) best = k;
            brier += off * off;
            entropy -= p * l;
            if (k == i % K) log_p = l;
        }
        assert_true(a.top[i] == (double)best && a.confidence[i] == sum[best * T + i] / (double)m);
        assert_near(a.brier[i], (double)brier, 8 * DBL_EPSILON);
        assert_near(a.entropy[i], m > 1 ? (double)fmaxl(entropy, 0) : 0, 16 * DBL_EPSILON);
        assert_near(a.log_p[i], m > 1 ? (double)log_p : 0, 2 * DBL_EPSILON * fabs((double)log_p));
    }
    assert_same_bits(kernels, first, a.top, 5 * T);
}

static void appraisals(void **state)
{
    (void)state;
    for (size_t m = 1; m <= 3; m++) {
        double first[5 * T] = {(double)NAN};
        for (kelvin_isa isa = 0; isa < KELVIN_ISA_COUNT; isa++)
            if (kelvin_kernels_for(isa) && kelvin_isa_supported(isa))
                check_appraisal(kelvin_kernels_for(isa), m, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_functions),
        cmocka_unit_test(probabilities),
        cmocka_unit_test(appraisals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
