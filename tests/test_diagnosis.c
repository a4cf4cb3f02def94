/* Convergence of many quantities, agreement of chains, predictions in pieces: against closed forms and plain loops.
 * Diagnoses of whole runs are in test_diagnosed_runs.c. */
#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "base/random.h"
#include "base/threads.h"
#include "logits_in_memory.h"
#include "posterior/agreement.h"
#include "posterior/convergence.h"
#include "posterior/predictions.h"
#include "posterior/stats.h"

#include <float.h>

static kelvin_pool *pool_of(size_t threads)
{
    kelvin_pool *pool;
    assert_ok(kelvin_pool_create(&pool, threads));
    return pool;
}

/* x (quantities, chains, draws), `block` of them at a time. */
static kelvin_convergence converge(const double *x, size_t quantities, size_t chains, size_t draws, size_t block,
                                   size_t threads)
{
    kelvin_pool *pool = pool_of(threads);
    struct kelvin_converging *c;
    kelvin_convergence out;
    assert_ok(kelvin_converging_create(&c, quantities, chains, draws, pool));
    for (size_t i = 0, n; i < quantities && c->block > 0; i += n) {
        n = quantities - i < block ? quantities - i : block;
        if (n > c->block - c->waiting) n = c->block - c->waiting;
        memcpy(kelvin_converging_next(c), x + i * chains * draws, n * chains * draws * sizeof *x);
        assert_ok(kelvin_converging_add(c, n));
    }
    assert_true((c->block > 0) == (draws > 1));
    fails(kelvin_converging_add(c, quantities + 1), KELVIN_EUSAGE, "", "more quantities than were promised");
    kelvin_converging_result(&out, c);
    kelvin_converging_destroy(c);
    kelvin_pool_destroy(pool);
    return out;
}

static double *numbers(size_t n)
{
    double *x = kelvin_alloc(n, sizeof *x);
    assert_non_null(x);
    return x;
}

static double normal(uint32_t seed, size_t i)
{
    return kelvin_normal((kelvin_random){.seed = seed, .stream = KELVIN_STREAM_USER}, i);
}

/* Autoregressive chains x_i = phi x_(i-1) + sqrt(1 - phi^2) e_i, of variance 1. */
static void fill_autoregressive(double *x, size_t chains, size_t draws, double phi, uint32_t seed)
{
    for (size_t i = 0; i < chains * draws; i++) {
        const double e = normal(seed, i);
        x[i] = i % draws == 0 ? e : phi * x[i - 1] + sqrt(1 - phi * phi) * e;
    }
}

/* ---- convergence ---- */

/* The effective sample size of an autoregressive process is S (1 - phi) / (1 + phi). Of one series the estimate of tau
 * scatters by a relative sqrt(2 (2 L + 1) / S) if summed to lag L (Sokal); where phi^L falls to the noise, L is 20 / (1
 * - phi) at most: 200 for 0.9, a relative 0.14 of S = 40,000 draws, 0.05 for the others. The median of 15 series is
 * better by sqrt(pi / 2 / 15) = 0.32; four of its deviations are 0.18 and 0.064. Rank scores of a Gaussian process are
 * the process. */
static void autoregressive(void **state)
{
    (void)state;
    enum { Q = 15, M = 4, N = 10000 };
    static const struct {
        double phi, tolerance;
    } table[] = {{0.9, 0.18}, {0.5, 0.064}, {0, 0.064}, {-0.5, 0.064}};
    double *x = numbers((size_t)Q * M * N);
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        const double phi = table[t].phi, should = M * N * (1 - phi) / (1 + phi);
        for (uint32_t q = 0; q < Q; q++) fill_autoregressive(x + (size_t)q * M * N, M, N, phi, 100 * (uint32_t)t + q);
        const kelvin_convergence c = converge(x, Q, M, N, 4, 2);
        assert_near(c.ess_bulk_median / should, 1, table[t].tolerance);
        assert_true(c.ess_bulk_min <= c.ess_bulk_median);
        /* R^2 - 1 is var of the means / W - 1/N = (tau - 1) / N: below 0.002. */
        assert_near(c.rhat_mean, 1, 2e-3);
        assert_near(c.rank_rhat_median, 1, 4e-3);
    }
    kelvin_free(x);
}

/* Two chains of variance 1 with means +- d: the variance of the means is 2 d^2, R = sqrt((N - 1) / N + 2 d^2). Draws
 * are made to have exactly that variance and mean. */
static void shifted(void **state)
{
    (void)state;
    enum { Q = 3, N = 50 };
    const double d[Q] = {0, 0.385, 2.5};
    double x[Q * 2 * N], should[Q];
    for (size_t q = 0; q < Q; q++) {
        for (size_t i = 0; i < 2 * N; i++) /* +-s, in turn: variance s^2 N / (N - 1) */
            x[q * 2 * N + i] = (i < N ? d[q] : -d[q]) + (i % 2 ? 1 : -1) * sqrt((N - 1.) / N);
        should[q] = sqrt((N - 1.) / N + 2 * d[q] * d[q]);
    }
    const kelvin_convergence c = converge(x, Q, 2, N, 2, 1);
    assert_near(c.rhat_mean, (should[0] + should[1] + should[2]) / 3, 1e-14);
    assert_near(c.rhat_max, should[2], 1e-14);
    assert_true(c.quantities == Q && c.chains == 2 && c.draws == N);
}

/* Every number by itself, with public functions; some quantities stay put, and one is constant within each chain. */
static void one_by_one(void **state)
{
    (void)state;
    enum { Q = 23, M = 3, N = 31 };
    double x[Q * M * N], rank[Q], bulk[Q], tail[Q], mean = 0;
    size_t moving = 0;
    for (size_t q = 0; q < Q; q++) {
        double *y = x + q * M * N;
        fill_autoregressive(y, M, N, 0.4, 7 + (uint32_t)q);
        for (size_t i = 0; i < M * N; i++) y[i] = q % 7 == 3 ? 0.7 : y[i] + (double)(q * (i / N)) / 40;
        mean += kelvin_rhat(y, M, N) / Q;
        double r, b, t;
        assert_ok(kelvin_rank_diagnostics(&r, &b, &t, y, M, N));
        if (q % 7 != 3) rank[moving] = r, bulk[moving] = b, tail[moving++] = t;
    }
    kelvin_sort(rank, moving);
    kelvin_sort(bulk, moving);
    kelvin_sort(tail, moving);
    for (size_t threads = 1; threads <= 3; threads++) {
        const kelvin_convergence c = converge(x, Q, M, N, 5 + threads, threads);
        assert_true(c.rhat_mean == mean); /* the same sum, to the bit */
        assert_true(c.rank_rhat_max == rank[moving - 1] && c.ess_bulk_min == bulk[0] && c.ess_tail_min == tail[0]);
        assert_true(c.rank_rhat_median == kelvin_quantile(rank, moving, 0.5));
        assert_true(c.ess_bulk_median == kelvin_quantile(bulk, moving, 0.5));
    }
    for (size_t i = 0; i < M * N; i++) x[i] = (double)(i / N);
    assert_true(isinf(converge(x, Q, M, N, Q, 1).rhat_max));
    x[5] = NAN;
    assert_true(isnan(converge(x, Q, M, N, Q, 1).rhat_max) && isnan(converge(x, Q, M, N, Q, 1).rhat_mean));
}

/* Of few draws only what can be told. */
static void few_draws(void **state)
{
    (void)state;
    double x[4 * 3 * 12];
    fill_autoregressive(x, 4 * 3, 12, 0.3, 5);
    kelvin_convergence c = converge(x, 4, 3, 1, 4, 1);
    assert_true(isnan(c.rhat_mean) && isnan(c.rank_rhat_max) && isnan(c.ess_bulk_min));
    c = converge(x, 4, 3, 3, 4, 1);
    assert_true(isfinite(c.rhat_mean) && isnan(c.rank_rhat_max) && isnan(c.ess_tail_min));
    c = converge(x, 4, 3, 9, 4, 1);
    assert_true(isfinite(c.rank_rhat_max) && isnan(c.ess_bulk_median));
    c = converge(x, 4, 3, 10, 4, 1);
    assert_true(isfinite(c.ess_bulk_median) && isfinite(c.ess_tail_min));
    c = converge(x, 4, 1, 12, 4, 1);
    assert_true(isnan(c.rhat_mean) && isfinite(c.rank_rhat_max));
}

/* ---- who is compared ---- */

static void lineup(void **state)
{
    (void)state;
    const uint32_t chain[] = {0, 0, 2, 3, 3, 3, 5, 5, 5};
    struct kelvin_lineup l;
    kelvin_arena *arena;
    assert_ok(kelvin_arena_create(&arena));
    assert_ok(kelvin_lineup_find(&l, chain, 9, arena));
    assert_true(l.chains == 2 && l.draws == 3);
    for (size_t i = 0; i < 6; i++) assert_int_equal(kelvin_lineup_sample(&l, i), 3 + i);
    kelvin_arena_destroy(arena);
}

struct gaps {
    kelvin_arena *arena;
    kelvin_agreement a;
};

/* `block` observations at a time, and as many samples. */
static struct gaps agree(const double *p, const uint32_t *chain, size_t samples, size_t n, size_t classes, size_t block,
                         size_t threads)
{
    struct gaps g;
    struct kelvin_agreeing *a;
    kelvin_pool *pool = pool_of(threads);
    double *part = numbers(block * block * classes);
    assert_ok(kelvin_arena_create(&g.arena));
    assert_ok(kelvin_agreeing_create(&a, chain, samples, classes, pool, g.arena));
    for (size_t first = 0; first < n; first += block) {
        const size_t m = n - first < block ? n - first : block;
        for (size_t from = 0; from < samples; from += block) {
            const kelvin_piece piece = {
                .n = m, .first_sample = from, .samples = samples - from < block ? samples - from : block};
            for (size_t s = 0; s < piece.samples; s++)
                memcpy(part + s * m * classes, p + ((from + s) * n + first) * classes, m * classes * sizeof *p);
            assert_ok(kelvin_agreeing_add(a, &piece, part));
        }
    }
    kelvin_agreeing_result(&g.a, a);
    kelvin_agreeing_end(a);
    kelvin_pool_destroy(pool);
    kelvin_free(part);
    return g;
}

/* Chains 1 (samples a, b) and 4 (c), two observations, three classes.
 *     a (.6 .3 .1) (.2 .2 .6)   b (.2 .7 .1) (.2 .4 .4)   c (.5 .4 .1) (.0 .5 .5)
 * Chain 1 says (.4 .5 .1) (.2 .3 .5). Against c: class 1 and 0; 2 and, of equal ones the first, 1: both differ; total
 * variations .1 and .2, mean .15. Within: a and b differ at the first (0, 1) and the second (2, 1); .4 and .2: .3. */
static void agreement_by_hand(void **state)
{
    (void)state;
    const double p[] = {0.6, 0.3, 0.1, 0.2, 0.2, 0.6, 0.2, 0.7, 0.1, 0.2, 0.4, 0.4, 0.5, 0.4, 0.1, 0, 0.5, 0.5};
    const uint32_t chain[] = {1, 1, 4};
    struct gaps g = agree(p, chain, 3, 2, 3, 1, 2);
    assert_true(g.a.chains == 2 && g.a.observations == 2 && g.a.number[0] == 1 && g.a.number[1] == 4);
    assert_near(g.a.disagreement_mean, 1, 0);
    assert_near(g.a.variation_mean, 0.15, 4 * DBL_EPSILON);
    assert_near(g.a.within_disagreement, 1, 0);
    assert_near(g.a.within_variation, 0.3, 4 * DBL_EPSILON);
    assert_true(g.a.variation[0] == 0 && g.a.variation[1] == g.a.variation[2] && g.a.variation[1] == g.a.variation_max);
    kelvin_arena_destroy(g.arena);

    g = agree(p, chain, 2, 2, 3, 2, 1); /* one chain */
    assert_true(isnan(g.a.disagreement_mean) && isnan(g.a.variation_max) && g.a.within_disagreement == 1);
    kelvin_arena_destroy(g.arena);
    g = agree(p, (const uint32_t[]){0, 1, 2}, 3, 2, 3, 2, 1); /* nothing within */
    assert_true(isnan(g.a.within_variation) && g.a.chains == 3);
    assert_near(g.a.variation[1], 0.3, 4 * DBL_EPSILON);
    kelvin_arena_destroy(g.arena);
}

/* 100 chains of one sample: 64 of them, at equal distances. The same numbers however they come. */
static void many_chains(void **state)
{
    (void)state;
    enum { S = 100, N = 7, K = 2 };
    double p[S * N * K];
    uint32_t chain[S];
    for (size_t i = 0; i < S * N; i++) {
        p[2 * i] = 1 / (1 + exp(normal(3, i)));
        p[2 * i + 1] = 1 - p[2 * i];
        chain[i / N] = (uint32_t)(i / N) + 10;
    }
    struct gaps a = agree(p, chain, S, N, K, N, 1), b = agree(p, chain, S, N, K, 3, 3);
    assert_int_equal(a.a.chains, 64);
    assert_int_equal(a.a.number[63], 10 + 63 * S / 64);
    assert_memory_equal(a.a.variation, b.a.variation, 64 * 64 * sizeof(double));
    double sum = 0;
    for (size_t i = 0; i < N; i++) sum += fabs(p[(5 * S / 64 * N + i) * K] - p[(9 * S / 64 * N + i) * K]);
    assert_near(a.a.variation[5 * 64 + 9], sum / N, 16 * DBL_EPSILON);
    kelvin_arena_destroy(a.arena);
    kelvin_arena_destroy(b.arena);
}

/* ---- predictions ---- */

enum { DRAWN = 2500, CLASSES = 3, CHAINS = 2, DRAWS = 6, SAMPLES = CHAINS * DRAWS };

/* Of 2,500 observations 1,000 are looked at, those at floor(2.5 i), however many come at a time. */
static kelvin_convergence plain_predictions(const float *z)
{
    double *x = numbers((size_t)KELVIN_MOST_OBSERVED * CLASSES * SAMPLES);
    for (size_t i = 0; i < KELVIN_MOST_OBSERVED; i++)
        for (size_t s = 0; s < SAMPLES; s++) {
            const float *at = z + (s * DRAWN + i * 5 / 2) * CLASSES;
            for (size_t k = 0; k < CLASSES; k++)
                x[(i * CLASSES + k) * SAMPLES + s] = exp((double)at[k] - kelvin_log_sum_exp(at, CLASSES));
        }
    const size_t n = (size_t)KELVIN_MOST_OBSERVED * CLASSES;
    const kelvin_convergence out = converge(x, n, CHAINS, DRAWS, n, 1);
    kelvin_free(x);
    return out;
}

static kelvin_diagnosis predict_in_pieces(const float *z, const int32_t *y, const uint32_t *chain, size_t most,
                                          size_t block)
{
    kelvin_diagnosis d = {.side = KELVIN_TRAIN};
    struct kelvin_lineup lineup;
    kelvin_logits *logits;
    kelvin_arena *arena;
    kelvin_pool *pool = pool_of(2);
    assert_ok(kelvin_arena_create(&arena));
    d.owned = arena;
    assert_ok(kelvin_lineup_find(&lineup, chain, SAMPLES, arena));
    const size_t shape[] = {SAMPLES, DRAWN, CLASSES};
    assert_ok(logits_in_blocks(&logits, z, y, chain, shape, most, block));
    assert_ok(kelvin_predictions_diagnose(&d, logits, DRAWN, NULL, &lineup, pool, kelvin_logits_go_through, NULL));
    kelvin_logits_close(logits);
    kelvin_pool_destroy(pool);
    kelvin_arena_destroy(arena);
    return d;
}

static void predictions_in_pieces(void **state)
{
    (void)state;
    float *z = kelvin_alloc((size_t)SAMPLES * DRAWN * CLASSES, sizeof *z);
    int32_t *y = kelvin_alloc(DRAWN, sizeof *y);
    uint32_t chain[SAMPLES];
    size_t hits = 0;
    for (size_t i = 0; i < (size_t)SAMPLES * DRAWN * CLASSES; i++) z[i] = (float)normal(11, i);
    for (size_t s = 0; s < SAMPLES; s++) {
        chain[s] = (uint32_t)(s / DRAWS);
        for (size_t i = 0; i < DRAWN; i++) {
            const float *at = z + (s * DRAWN + i) * CLASSES;
            hits += at[0] >= at[1] && at[0] >= at[2]; /* all labels are 0 */
        }
    }
    const kelvin_convergence should = plain_predictions(z);
    static const size_t most[] = {DRAWN, 1, 2, 7, 999, 1250}, block[] = {SAMPLES, 5, 1};
    for (size_t i = 0; i < 3 * sizeof most / sizeof *most; i++) {
        const kelvin_diagnosis d = predict_in_pieces(z, y, chain, most[i / 3], block[i % 3]);
        assert_true(d.observations == KELVIN_MOST_OBSERVED && d.predictions.quantities == should.quantities);
        assert_true(d.predictions.rhat_mean == should.rhat_mean && d.predictions.rhat_max == should.rhat_max);
        assert_true(d.predictions.rank_rhat_median == should.rank_rhat_median);
        assert_true(d.training_accuracy == (double)hits / ((double)SAMPLES * DRAWN));
    }
    kelvin_free(z);
    kelvin_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(autoregressive), cmocka_unit_test(shifted),
        cmocka_unit_test(one_by_one),     cmocka_unit_test(few_draws),
        cmocka_unit_test(lineup),         cmocka_unit_test(agreement_by_hand),
        cmocka_unit_test(many_chains),    cmocka_unit_test(predictions_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
