/* Autocovariances of long series, effective sample sizes that need many of them, and the order of numbers: against
 * plain sums and loops. */
#include "check.h"

#include <kelvin/kelvin.h>

#include "base/random.h"
#include "base/threads.h"
#include "posterior/convergence.h"
#include "posterior/stats.h"

#include <float.h>
#include <string.h>

static void *room_for(size_t n, size_t size)
{
    void *x = kelvin_alloc(n, size);
    assert_non_null(x);
    return x;
}

static double normal(uint32_t seed, size_t i)
{
    return kelvin_normal((kelvin_random){.seed = seed, .stream = KELVIN_STREAM_USER}, i);
}

/* x_i = phi x_(i-1) + sqrt(1 - phi^2) e_i, of variance 1. */
static void fill_autoregressive(double *x, size_t chains, size_t n, double phi, uint32_t seed)
{
    for (size_t i = 0; i < chains * n; i++) {
        const double e = normal(seed, i);
        x[i] = i % n == 0 ? e : phi * x[i - 1] + sqrt(1 - phi * phi) * e;
    }
}

/* ---- autocovariances ---- */

static long double plain_sum(const double *x, size_t chains, size_t n, size_t lag)
{
    long double sum = 0;
    for (size_t m = 0; m < chains; m++)
        for (size_t i = 0; i + lag < n; i++) sum += (long double)x[m * n + i] * x[m * n + i + lag];
    return sum;
}

/* All lags if `step` is 1. A transform of N = 2^k numbers is off by a few roundings for each of its k steps, relative
 * to the norm of all; two follow each other, and the norm of the result is at most that at lag 0. */
static void same_sums(const double *x, size_t chains, size_t n, size_t step)
{
    struct kelvin_fourier *fourier;
    assert_ok(kelvin_fourier_create(&fourier, n));
    double *work = room_for(kelvin_fourier_room(n), sizeof *work);
    kelvin_autocovariances(fourier, work, x, chains);
    const double scale = (double)plain_sum(x, chains, n, 0),
                 tolerance = 2 * DBL_EPSILON * (log2((double)n) + 2) * scale;
    for (size_t lag = 0; lag < n; lag += lag + step < n || lag + 1 == n ? step : n - 1 - lag) /* and the last */
        assert_near(work[lag], (double)plain_sum(x, chains, n, lag), tolerance);
    assert_true(tolerance < 1e-12 * scale);
    kelvin_free(work);
    kelvin_free(fourier);
}

static void autocovariances(void **state)
{
    (void)state;
    static const struct {
        size_t n, step;
    } large[] = {{127, 1}, {128, 1}, {129, 1}, {1000, 1}, {2049, 1}, {16384, 1111}, {40001, 3333}, {100000, 9999}};
    double *x = room_for(3 * 100000, sizeof *x);
    fill_autoregressive(x, 1, 3 * 100000, 0.97, 1);
    for (size_t n = 1; n <= 70; n++)
        for (size_t chains = 1; chains <= 5; chains++) same_sums(x, chains, n, 1);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) same_sums(x, i % 3 + 1, large[i].n, large[i].step);
    kelvin_free(x);
}

/* An impulse at place p and one of another size q places later: 1 + s^2 at lag 0, s at lag q, 0 elsewhere. */
static void impulses(void **state)
{
    (void)state;
    enum { N = 300 };
    struct kelvin_fourier *fourier;
    assert_ok(kelvin_fourier_create(&fourier, N));
    double *work = room_for(kelvin_fourier_room(N), sizeof *work), x[N];
    for (size_t q = 1; q < N; q += 13) {
        memset(x, 0, sizeof x);
        x[(N - q) / 2] = 1;
        x[(N - q) / 2 + q] = -2.385;
        kelvin_autocovariances(fourier, work, x, 1);
        for (size_t lag = 0; lag < N; lag++)
            assert_near(work[lag], lag == 0 ? 1 + 2.385 * 2.385 : lag == q ? -2.385 : 0, 1e-14);
    }
    kelvin_free(work);
    kelvin_free(fourier);
}

/* ---- effective sample sizes ---- */

/* As the paper has it, every autocovariance by itself and in `real`; the mean is taken off as in the library. */
#define PLAIN_ESS(name, real)                                                                                          \
    static double name(const double *from, size_t chains, size_t n)                                                    \
    {                                                                                                                  \
        real *x = room_for(chains * n, sizeof *x), within, total, tau = -1, least = INFINITY, even = 1, odd = 0;       \
        double w, t;                                                                                                   \
        kelvin_spread(&w, &t, from, chains, n);                                                                        \
        within = (real)w, total = (real)t;                                                                             \
        for (size_t i = 0; i < chains * n; i++) x[i] = (real)(from[i] - kelvin_mean(from + i / n * n, n));             \
        for (size_t lag = 1;; lag++) {                                                                                 \
            real sum = 0;                                                                                              \
            for (size_t i = 0; i < chains * n; i++)                                                                    \
                if (i % n + lag < n) sum += x[i] * x[i + lag];                                                         \
            const real rho = 1 - (within - sum / (real)(chains * n)) / total;                                          \
            if (lag % 2 == 0) {                                                                                        \
                even = rho;                                                                                            \
                continue;                                                                                              \
            }                                                                                                          \
            odd = rho;                                                                                                 \
            if (even + odd <= 0 || lag + 3 >= n) break;                                                                \
            if (even + odd < least) least = even + odd;                                                                \
            tau += 2 * least;                                                                                          \
        }                                                                                                              \
        if (even > 0 || even + odd >= 0) tau += even;                                                                  \
        kelvin_free(x);                                                                                                \
        const double size = (double)(chains * n);                                                                      \
        return size / fmax((double)tau, 1 / log10(size));                                                              \
    }
PLAIN_ESS(plain_ess, double)
PLAIN_ESS(exact_ess, long double)
#undef PLAIN_ESS

static double ess(const double *x, size_t chains, size_t n, const struct kelvin_fourier *fourier, double *work)
{
    double *copy = room_for(chains * n, sizeof *x);
    memcpy(copy, x, chains * n * sizeof *x);
    const double out = kelvin_ess(copy, chains, n, fourier, work);
    kelvin_free(copy);
    return out;
}

/* Where few lags are needed no transform is, and lags that are summed together have the bits of those that are summed
 * alone. */
static void few_lags(void **state)
{
    (void)state;
    static const double phi[] = {-0.6, 0, 0.5, 0.8};
    double x[4 * 500];
    for (size_t n = 5; n <= 500; n += n < KELVIN_DIRECT_LAGS ? 1 : 217)
        for (size_t p = 0; p < sizeof phi / sizeof *phi && (phi[p] < 0.8 || n <= KELVIN_DIRECT_LAGS); p++) {
            fill_autoregressive(x, 4, n, phi[p], (uint32_t)(n + 1000 * p));
            for (size_t chains = 1; chains <= 4; chains += 3) {
                const double is = ess(x, chains, n, NULL, NULL), should = plain_ess(x, chains, n);
                if (is != should)
                    fail_msg("phi %g, %zu x %zu: is %.17g, should be %.17g", phi[p], chains, n, is, should);
            }
        }
}

/* Thousands of lags. The sum ends where a pair of autocorrelations falls to 0, which no rounding decides here. */
static void many_lags(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 20011}, {4, 9000}, {3, 777}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t chains = sizes[i][0], n = sizes[i][1];
        double *x = room_for(chains * n, sizeof *x);
        fill_autoregressive(x, chains, n, 0.999, 3 + (uint32_t)i);
        struct kelvin_fourier *fourier;
        assert_ok(kelvin_fourier_create(&fourier, n));
        double *work = room_for(kelvin_fourier_room(n), sizeof *work);
        const double is = ess(x, chains, n, fourier, work), should = exact_ess(x, chains, n);
        assert_near(is / should, 1, 1e-11);
        assert_true(is < (double)(chains * n) / 50); /* else it would have needed few */
        kelvin_free(fourier);
        kelvin_free(work);
        kelvin_free(x);
    }
}

/* S (1 - phi) / (1 + phi) with phi = 0.999: a draw in 1999 counts. Autocorrelations fall to their noise, sqrt(1999 / S)
 * = 0.07, within L = 2700 lags, up to which the relative error of tau is sqrt(2 (2 L + 1) / S) = 0.165 (Sokal); the
 * median of 9 series is better by sqrt(pi / 2 / 9) = 0.42; four of its deviations are 0.28. */
static void badly_mixing(void **state)
{
    (void)state;
    enum { Q = 9, M = 4, N = 100000 };
    const double phi = 0.999, should = M * N * (1 - phi) / (1 + phi);
    double *x = room_for((size_t)Q * M * N, sizeof *x);
    kelvin_convergence found[2];
    for (uint32_t q = 0; q < Q; q++) fill_autoregressive(x + (size_t)q * M * N, M, N, phi, 200 + q);
    for (size_t i = 0; i < 2; i++) { /* on one thread, and on several */
        kelvin_pool *pool;
        struct kelvin_converging *c;
        assert_ok(kelvin_pool_create(&pool, 1 + 2 * i));
        assert_ok(kelvin_converging_create(&c, Q, M, N, pool));
        for (size_t q = 0; q < Q; q++) {
            memcpy(kelvin_converging_next(c), x + q * M * N, M * N * sizeof *x);
            assert_ok(kelvin_converging_add(c, 1));
        }
        kelvin_converging_result(&found[i], c);
        kelvin_converging_destroy(c);
        kelvin_pool_destroy(pool);
    }
    assert_near(found[0].ess_bulk_median / should, 1, 0.28);
    assert_memory_equal(&found[0], &found[1], sizeof found[0]);
    kelvin_free(x);
}

/* ---- order ---- */

/* Numbers of all sizes and signs, some of them equal. */
static double some_number(size_t i)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 5e-324, -5e-324, 1, -1};
    const size_t which = (size_t)(fabs(normal(31, i)) * 1e6);
    if (which % 5 == 0) return special[which / 5 % (sizeof special / sizeof *special)];
    if (which % 5 == 1) return floor(4 * normal(32, i));
    if (which % 5 == 2) return (double)(float)normal(33, i);
    return normal(33, i) * exp(100 * normal(34, i));
}

static void order_of_numbers(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    double *x = room_for(MOST, sizeof *x);
    uint32_t *order = room_for(2 * MOST, sizeof *order);
    bool *seen = room_for(MOST, sizeof *seen);
    for (size_t i = 0; i < MOST; i++) x[i] = some_number(i);
    for (size_t n = 0; n <= MOST; n += n < 70 ? 1 : 493) {
        kelvin_sort_order(order, order + MOST, x, n);
        memset(seen, 0, MOST * sizeof *seen);
        for (size_t i = 0; i < n; i++) {
            assert_true(order[i] < n && !seen[order[i]]);
            seen[order[i]] = true;
            if (i == 0) continue;
            const double a = x[order[i - 1]], b = x[order[i]];
            assert_true(a < b || (a == b && order[i - 1] < order[i]));
        }
    }
    kelvin_free(x);
    kelvin_free(order);
    kelvin_free(seen);
}

/* Ranks by counting smaller and equal numbers, and R-hat of the normal scores of the halves. The folded part is smaller
 * where chains are shifted. */
static double plain_rank_rhat(const double *x, size_t chains, size_t n)
{
    double *z = room_for(2 * chains * n, sizeof *z);
    const size_t size = 2 * chains * n;
    for (size_t i = 0; i < size; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < size; j++) below += x[j] < x[i], equal += x[j] == x[i];
        z[i] = kelvin_normal_quantile(((double)below + 0.5 * (double)(equal + 1) - 0.375) / ((double)size + 0.25));
    }
    const double rhat = kelvin_rhat(z, 2 * chains, n);
    kelvin_free(z);
    return rhat;
}

/* Equal numbers share their mean rank, and -0 is 0. */
static void ties(void **state)
{
    (void)state;
    enum { M = 2, N = 120 };
    for (uint32_t seed = 0; seed < 6; seed++) {
        double x[M * N], flipped[M * N], rhat[2], bulk[2], tail[2];
        for (size_t i = 0; i < M * N; i++) {
            x[i] = floor((seed + 1) * (normal(50 + seed, i) + (i < N ? 0.5 : -0.5)));
            flipped[i] = x[i] == 0 && i % 3 == 0 ? -x[i] : x[i];
        }
        assert_ok(kelvin_rank_diagnostics(&rhat[0], &bulk[0], &tail[0], x, M, N));
        assert_ok(kelvin_rank_diagnostics(&rhat[1], &bulk[1], &tail[1], flipped, M, N));
        assert_true(rhat[0] == plain_rank_rhat(x, M, N / 2));
        assert_true(rhat[1] == rhat[0] && bulk[1] == bulk[0]);
        assert_true(tail[1] == tail[0] || (isnan(tail[0]) && isnan(tail[1])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(autocovariances),
        cmocka_unit_test(impulses),
        cmocka_unit_test(few_lags),
        cmocka_unit_test(many_lags),
        cmocka_unit_test(badly_mixing),
        cmocka_unit_test(order_of_numbers),
        cmocka_unit_test(ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
