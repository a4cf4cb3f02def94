/* R-hat, effective sample sizes and accuracy against hand-made numbers, an independent program, identities and what
 * theory says of chains whose answer is known. */
#include <kelvin/kelvin.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "logits_in_memory.h"
#include "posterior/predictions.h"
#include "posterior/stats.h"

#include <stdlib.h>
#include <string.h>

static void close_to(double is, double should, double relative)
{
    if (!(fabs(is - should) <= relative * fabs(should))) fail_msg("is %.17g, should be %.17g", is, should);
}

static void between(double lowest, double x, double highest)
{
    if (!(lowest <= x && x <= highest)) fail_msg("%.17g is not within %.17g .. %.17g", x, lowest, highest);
}

struct rank {
    double rhat, bulk, tail;
};

static struct rank diagnose(const double *x, size_t chains, size_t draws)
{
    struct rank r;
    assert_int_equal(kelvin_rank_diagnostics(&r.rhat, &r.bulk, &r.tail, x, chains, draws), KELVIN_OK);
    return r;
}

/* x_i = rho x_(i-1) + normal, from its stationary law. */
static double *autoregressive(size_t chains, size_t draws, double rho, uint64_t seed)
{
    double *x = malloc(chains * draws * sizeof *x);
    assert_non_null(x);
    for (size_t m = 0; m < chains; m++) {
        const kelvin_random where = {.seed = seed, .chain = (uint32_t)m, .stream = KELVIN_STREAM_USER};
        double last = kelvin_normal(where, 0) / sqrt(1 - rho * rho);
        for (size_t i = 0; i < draws; i++) x[m * draws + i] = last = rho * last + kelvin_normal(where, i + 1);
    }
    return x;
}

/* ---- by hand ---- */

/* Chain means 2.5 and 5, variances 5/3 and 20/3: W = 25/6. The means' variance is 3.125.
 * 3/4 W + 3.125 = 6.25, and 6.25 / (25/6) = 1.5. */
static void rhat_by_hand(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 2, 4, 6, 8};
    close_to(kelvin_rhat(x, 2, 4), sqrt(1.5), 1e-15);
    assert_true(isnan(kelvin_rhat(x, 1, 8)));
    assert_true(isnan(kelvin_rhat(x, 8, 1)));
}

/* Five steps between six numbers: 0.3 is 1.5 steps, half-way from 0.25 to 2. */
static void quantile_by_hand(void **state)
{
    (void)state;
    const double x[] = {-1.5, 0.25, 2, 2, 7, INFINITY};
    close_to(kelvin_quantile(x, 6, 0.3), 1.125, 1e-15);
    assert_true(kelvin_quantile(x, 6, 0.5) == 2);
    assert_true(kelvin_quantile(x, 6, 0) == -1.5);
    assert_true(kelvin_quantile(x, 6, 0.8) == 7);
    assert_true(isinf(kelvin_quantile(x, 6, 1)));
}

/* The values are Newton's iterations in 400 digits on Phi's power series (on Mill's ratio as a continued fraction for
 * 1e-300), by Python's decimal; then Phi of the quantile, by libm's erfc, must be p again: an error of 1e-15 in z at z
 * = -37 changes Phi by 37 x 1e-15 of itself, and erfc's own argument is rounded to 2^-53 of 37, which is 37^2 x 1e-16.
 */
static void normal_quantiles(void **state)
{
    (void)state;
    const double known[][2] = {{0.975, 1.9599639845400538556},  {0.005, -2.5758293035489007538},
                               {0.3, -0.5244005127080408160},   {0.84, 0.9944578832097530400},
                               {1e-10, -6.3613409024040561991}, {1e-300, -37.047096299361199237},
                               {0.5001, 0.00025066283008800749}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double z = kelvin_normal_quantile(known[i][0]);
        between(known[i][1] - 1e-15 * fmax(1, fabs(z)), z, known[i][1] + 1e-15 * fmax(1, fabs(z)));
    }
    for (double p = 1e-300; p < 0.5; p *= 3.7) close_to(0.5 * erfc(-kelvin_normal_quantile(p) * sqrt(0.5)), p, 3e-13);
    between(-1e-16, kelvin_normal_quantile(0.5), 1e-16);
}

/* ---- an independent program ---- */

/* The same in C: u from a linear congruential generator, logistic e = log(u / (1 - u)), x_i = rho x_(i-1) + e_i; the
 * first chain becomes scale x + shift; then everything is rounded down to a grid (ties). */
struct series {
    uint64_t seed;
    size_t chains, draws;
    double rho, shift, scale, grid;
    double expected[4]; /* R-hat of the paper; rank R-hat, bulk ESS, tail ESS */
};

static void make_series(double *x, const struct series *s)
{
    uint64_t state = s->seed;
    for (size_t m = 0; m < s->chains; m++) {
        double last = 0;
        for (size_t i = 0; i < s->draws; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const double u = ((double)(state >> 11) + 0.5) * 0x1p-53;
            x[m * s->draws + i] = last = s->rho * last + log(u / (1 - u));
        }
    }
    for (size_t i = 0; i < s->draws; i++) x[i] = x[i] * s->scale + s->shift;
    for (size_t i = 0; s->grid > 0 && i < s->chains * s->draws; i++) x[i] = floor(x[i] / s->grid) * s->grid;
}

/* Made with a program in plain NumPy that was written from the paper, not from the C: ranks by counting smaller and
 * equal numbers, all autocovariances at once with numpy.correlate, scores by statistics.NormalDist().inv_cdf, the
 * monotone sequence by numpy.minimum.accumulate, quantiles by numpy.quantile, distances from the median in exact
 * fractions. Numbers are O(1) and sums have up to 1050 terms: 1050 x 2^-53 = 1.2e-13 times the condition of tau,
 * below 10. Odd numbers of draws lose their middle one. */
static void against_numpy(void **state)
{
    (void)state;
    static const struct series table[] = {
        {11, 3, 50, 0.6, 0, 1, 0, {1.01414665039626, 1.05277083268392, 53.2463428076468, 32.0454470679842}},
        {12, 4, 41, -0.7, 0, 1, 0, {0.995094685723298, 1.0092564507056, 352.659197224948, 143.172054231362}},
        {13, 2, 64, 0.3, 1.7, 1, 0.5, {1.28144411517621, 1.19736475771002, 8.16343507959295, 72.2975959510754}},
        {14, 4, 90, 0, 0, 4, 0, {0.997540593308568, 1.18284142423195, 458.586868680329, 37.6224835757131}},
        {15, 1, 33, 0.9, 0, 1, 0, {NAN, 1.06285929757271, 8.00136543482292, 20.5622489959839}},
        {16, 3, 350, 0.95, 0.4, 1.3, 0, {1.06647808899238, 1.19676681380973, 11.3751952298106, 33.9820497372486}},
        {17, 2, 200, -0.3, 0, 1, 2, {0.999592750104143, 0.998812314249178, 762.187097723087, 410.555960739172}},
    };
    double x[1050];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct series *s = &table[i];
        make_series(x, s);
        if (s->chains > 1) close_to(kelvin_rhat(x, s->chains, s->draws), s->expected[0], 1.2e-12);
        const struct rank r = diagnose(x, s->chains, s->draws);
        close_to(r.rhat, s->expected[1], 1.2e-12);
        close_to(r.bulk, s->expected[2], 1.2e-12);
        close_to(r.tail, s->expected[3], 1.2e-12);
    }
}

/* ---- identities ---- */

static void invariances(void **state)
{
    (void)state;
    enum { M = 3, N = 240 };
    double *x = autoregressive(M, N, 0.4, 5), y[M * N];
    for (size_t i = 0; i < N; i++) x[i] += 2.3; /* so that the rank R-hat is that of the location, which is a rank's */
    const struct rank r = diagnose(x, M, N);

    for (size_t i = 0; i < M * N; i++) y[i] = -2.385 * x[i] + 17.1;
    close_to(kelvin_rhat(y, M, N), kelvin_rhat(x, M, N), 1e-13);
    const struct rank turned = diagnose(y, M, N);
    close_to(turned.rhat, r.rhat, 1e-12);
    close_to(turned.bulk, r.bulk, 1e-12);

    for (size_t i = 0; i < M * N; i++) y[i] = exp(1.7 * x[i]); /* ranks are what they were: the same bits */
    const struct rank bent = diagnose(y, M, N);
    assert_true(bent.rhat == r.rhat && bent.bulk == r.bulk && bent.tail == r.tail);
    assert_true(fabs(kelvin_rhat(y, M, N) - kelvin_rhat(x, M, N)) > 0.01);

    memcpy(y, x + N, 2 * N * sizeof *y); /* chains in another order */
    memcpy(y + 2 * N, x, N * sizeof *y);
    close_to(kelvin_rhat(y, M, N), kelvin_rhat(x, M, N), 1e-13);
    close_to(diagnose(y, M, N).bulk, r.bulk, 1e-12);
    free(x);
}

/* ---- chains whose answer is known ---- */

/* Independent draws. N (R^2 - 1) + 1 is chi2 with M-1 degrees of freedom over M-1: 99.99 % of chi2_3 are below 21.1,
 * and of chi2_7 (halves of 4 chains) below 29.9. The estimate of tau = 1 is a sum of pairs of autocorrelations, each
 * N(0, 1/S), doubled; ten lags have the standard deviation 2 sqrt(10 / S) = 0.032, of which four are allowed. */
static void independent_draws(void **state)
{
    (void)state;
    enum { M = 4, N = 10000 };
    double *x = autoregressive(M, N, 0, 6);
    between(sqrt(1 - 1.0 / N), kelvin_rhat(x, M, N), sqrt(1 + (21.1 / 3 - 1) / N));
    const struct rank r = diagnose(x, M, N);
    between(sqrt(1 - 2.0 / N), r.rhat, sqrt(1 + (29.9 / 7 - 1) * 2 / N));
    between(M * N / 1.13, r.bulk, M * N / 0.87);
    between(M * N / 1.13, r.tail, M * N / 0.87);
    free(x);
}

/* tau = (1 + rho) / (1 - rho). Summed to lag L its relative variance is 2 (2L + 1) / S (Sokal); pairs fall below their
 * noise before lag 20, so that one standard deviation is below sqrt(82 / 40000) = 0.045; four are allowed. */
static void autoregressive_chains(void **state)
{
    (void)state;
    enum { M = 4, N = 10000 };
    const double rhos[] = {0.7, -0.4, 0.25};
    for (uint64_t i = 0; i < 3; i++) {
        double *x = autoregressive(M, N, rhos[i], 7 + i);
        close_to(diagnose(x, M, N).bulk, M * N * (1 - rhos[i]) / (1 + rhos[i]), 0.18);
        free(x);
    }
}

/* Perfectly anticorrelated: tau would be 0, and the bound S log10 S holds. */
static void anticorrelated(void **state)
{
    (void)state;
    double x[200];
    for (size_t i = 0; i < 200; i++) x[i] = i % 2 == 0 ? 1.25 : -1.25;
    close_to(diagnose(x, 2, 100).bulk, 200 * log10(200), 1e-12);
}

/* One of four chains moved by d = 2: the means' variance is d^2 / 4 = 1, R = sqrt(2). The standard deviation of that
 * variance is 0.0365 and of W 0.022, that of R 0.015; four are allowed. */
static void shifted_chain(void **state)
{
    (void)state;
    enum { M = 4, N = 1000 };
    double *x = autoregressive(M, N, 0, 9);
    for (size_t i = 2 * N; i < 3 * N; i++) x[i] += 2;
    between(sqrt(2) - 0.06, kelvin_rhat(x, M, N), sqrt(2) + 0.06);
    assert_true(diagnose(x, M, N).rhat > 1.2);
    free(x);
}

/* One of four chains is five times as wide: the paper's R-hat sees nothing (variance of the means over W is that of
 * independent draws, chi2_3-like, dominated by the wide chain: below (25 chi2_1 / 4) / (7 N), 15.1 at 99.99 %). */
static void folding_finds_scale(void **state)
{
    (void)state;
    enum { M = 4, N = 1000 };
    double *x = autoregressive(M, N, 0, 10);
    for (size_t i = 0; i < N; i++) x[i] *= 5;
    between(0.999, kelvin_rhat(x, M, N), sqrt(1 + 25 * 15.1 / 4 / 7 / N));
    assert_true(diagnose(x, M, N).rhat > 1.2);
    free(x);
}

/* Chains that drift together: means agree, halves do not. */
static void splitting_finds_drift(void **state)
{
    (void)state;
    enum { M = 2, N = 500 };
    double *x = autoregressive(M, N, 0, 11);
    for (size_t i = 0; i < M * N; i++) x[i] += 4.0 * (double)(i % N) / N;
    assert_true(kelvin_rhat(x, M, N) < 1.01);
    assert_true(diagnose(x, M, N).rhat > 1.2);
    free(x);
}

/* ---- draws that say nothing ---- */

static void constant_draws(void **state)
{
    (void)state;
    enum { M = 3, N = 37 };
    double x[M * N];
    for (size_t i = 0; i < M * N; i++) x[i] = 0.1; /* 37 x 0.1 / 37 is not 0.1 in doubles */
    assert_true(kelvin_rhat(x, M, N) == 1);
    const struct rank r = diagnose(x, M, N);
    assert_true(isnan(r.rhat) && isnan(r.bulk) && isnan(r.tail));
    for (size_t i = 0; i < N; i++) x[i] = 0.3;
    assert_true(isinf(kelvin_rhat(x, M, N)) && kelvin_rhat(x, M, N) > 0);
    /* Chains that sit still in different places are worth as many draws as there are chains, or fewer. */
    between(0, diagnose(x, M, N).bulk, 2 * M);
    assert_true(isnan(diagnose(x, M, 3).rhat));
    assert_true(isnan(diagnose(x, 0, N).rhat));
}

/* 96 % of the draws share the largest value: nothing is above the 95 % quantile, and the lower tail decides. */
static void one_sided_ties(void **state)
{
    (void)state;
    enum { M = 2, N = 100 };
    double x[M * N];
    for (size_t i = 0; i < M * N; i++) x[i] = i % 25 == 24 ? 0.5 + 1e-3 * (double)i : 1.0 + 1;
    const struct rank r = diagnose(x, M, N);
    assert_true(isfinite(r.rhat) && isfinite(r.bulk));
    assert_true(isnan(r.tail)); /* the 5 % quantile is the largest value too */
    for (size_t i = 0; i < M * N; i++) x[i] = i % 8 == 0 ? 0.5 + 1e-3 * (double)i : 2.0;
    assert_true(isfinite(diagnose(x, M, N).tail));
}

static void not_numbers(void **state)
{
    (void)state;
    enum { M = 2, N = 20 };
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double *x = autoregressive(M, N, 0, 12);
    for (size_t i = 0; i < 3; i++) {
        x[13] = bad[i];
        const struct rank r = diagnose(x, M, N);
        assert_true(isnan(kelvin_rhat(x, M, N)));
        assert_true(isnan(r.rhat) && isnan(r.bulk) && isnan(r.tail));
    }
    free(x);
}

static void no_memory(void **state)
{
    (void)state;
    double *x = autoregressive(2, 20, 0, 12), r[3];
    for (size_t n = 1; n <= 2; n++) {
        kelvin_alloc_fail_at(n);
        assert_int_equal(kelvin_rank_diagnostics(&r[0], &r[1], &r[2], x, 2, 20), KELVIN_ENOMEM);
    }
    kelvin_alloc_fail_at(0);
    free(x);
}

/* ---- predictions ---- */

/* Three samples of four observations: hits 3 (a tie goes to the first), 2, 1. Their logarithms and confidences by hand
 * are those of differences d of two logits: log p = -log(1 + exp(-d)). */
static void accuracy(void **state)
{
    (void)state;
    const int32_t y[] = {0, 1, 0, 1};
    const uint32_t chain[] = {0, 1, 2};
    const float z[] = {1, 0,  -2, -1, 7, 7, 3, 3, /* tie: label 0 hit, label 1 not */
                       5, 6,  0,  1,  1, 0, 1, 0, /* */
                       1, -1, 1,  0,  0, 1, 4, 1};
    const double lead[] = {1, 1, 0, 0, -1, 1, 1, -1, 2, -1, -1, -3}; /* of the label's logit over the other */
    double log_likelihood = 0, confidence = 0;
    for (size_t i = 0; i < 12; i++) {
        log_likelihood -= log1p(exp(-lead[i])) / 12;
        confidence += 1 / (1 + exp(-fabs(lead[i]))) / 12;
    }
    for (size_t most = 1; most <= 4; most++) {
        kelvin_logits *logits;
        kelvin_diagnosis d = {0};
        kelvin_pool *pool;
        assert_ok(logits_in_memory(&logits, z, y, chain, (const size_t[]){3, 4, 2}, most));
        assert_ok(kelvin_arena_create(&d.owned));
        assert_ok(kelvin_pool_create(&pool, 2));
        assert_ok(kelvin_training_diagnose(&d, logits, 4, NULL, pool, kelvin_logits_go_through, NULL));
        kelvin_pool_destroy(pool);
        kelvin_arena_destroy(d.owned);
        kelvin_logits_close(logits);
        close_to(d.training_accuracy, 6 / 12., 1e-15);
        close_to(d.training_log_likelihood, log_likelihood, 1e-14);
        close_to(d.training_confidence, confidence, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rhat_by_hand),
        cmocka_unit_test(quantile_by_hand),
        cmocka_unit_test(normal_quantiles),
        cmocka_unit_test(against_numpy),
        cmocka_unit_test(invariances),
        cmocka_unit_test(independent_draws),
        cmocka_unit_test(autoregressive_chains),
        cmocka_unit_test(anticorrelated),
        cmocka_unit_test(shifted_chain),
        cmocka_unit_test(folding_finds_scale),
        cmocka_unit_test(splitting_finds_drift),
        cmocka_unit_test(constant_draws),
        cmocka_unit_test(one_sided_ties),
        cmocka_unit_test(not_numbers),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
