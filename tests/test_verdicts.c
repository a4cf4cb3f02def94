/* Verdicts on single observations against plain loops and numbers on paper; calibration and AUROC against their
 * definitions. */
#include "evaluate_helpers.h"

#include "base/random.h"

/* ---- calibration ---- */

/* Where one observation is. */
static size_t width_bin(double confidence, size_t bins)
{
    kelvin_bin width[KELVIN_MOST_BINS];
    const uint64_t key = kelvin_calibration_key(confidence, bins % 2);
    size_t found = bins;
    kelvin_width_bins(width, &key, 1, bins);
    for (size_t b = 0; b < bins; b++) {
        assert_true(width[b].n == 0 || (found == bins && width[b].confidence == confidence));
        assert_true(width[b].hits == width[b].n * (bins % 2));
        if (width[b].n > 0) found = b;
    }
    return found;
}

static void width_bins(void **state)
{
    (void)state;
    for (size_t bins = 1; bins <= KELVIN_MOST_BINS; bins++) {
        assert_int_equal(width_bin(0, bins), 0);
        assert_int_equal(width_bin(1, bins), bins - 1);
        for (size_t b = 1; b <= bins; b++) { /* edges belong to the bin below */
            const double edge = (double)b / (double)bins;
            assert_int_equal(width_bin(edge, bins), b - 1);
            assert_int_equal(width_bin(nextafter(edge, 0), bins), b - 1);
            if (b < bins) assert_int_equal(width_bin(nextafter(edge, 1), bins), b);
        }
    }
}

/* Confidences that differ only in their last digits, the largest first; and all the way down from 1. */
static void order_of_keys(void **state)
{
    (void)state;
    uint64_t keys[N], scratch[N];
    for (int far = 0; far < 2; far++) {
        for (size_t i = 0; i < N; i++)
            keys[i] = kelvin_calibration_key(far ? 1 - (double)i / N : 0.3 - 1e-12 * (double)i, i % 3 == 0);
        kelvin_sort_keys(keys, scratch, N);
        for (size_t i = 0; i < N; i++) {
            const size_t was = N - 1 - i;
            assert_true(keys[i] ==
                        kelvin_calibration_key(far ? 1 - (double)was / N : 0.3 - 1e-12 * (double)was, was % 3 == 0));
            assert_true(i == 0 || keys[i] > keys[i - 1]);
        }
    }
}

static void check_mass(const struct row *rows, size_t n, size_t bins)
{
    uint64_t keys[N], scratch[N];
    kelvin_bin mass[KELVIN_MOST_BINS];
    for (size_t i = 0; i < n; i++) keys[i] = kelvin_calibration_key(rows[i].confidence, rows[i].hit);
    kelvin_sort_keys(keys, scratch, n);
    kelvin_mass_bins(mass, keys, n, bins);
    assert_near(kelvin_calibration_error(mass, bins, n), plain_ece(rows, n, bins, true), 4 * N * DBL_EPSILON);
    for (size_t b = 0; b < bins; b++) {
        size_t count = 0, hits = 0;
        double from = INFINITY, to = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (plain_mass_bin(rows, n, i, bins) != b) continue;
            count++;
            hits += rows[i].hit;
            from = fmin(from, rows[i].confidence);
            to = fmax(to, rows[i].confidence);
        }
        assert_true(mass[b].n == count && mass[b].hits == hits);
        assert_true(count ? mass[b].from == from && mass[b].to == to : isnan(mass[b].from) && isnan(mass[b].to));
    }
}

static void mass_bins(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 14, 15, 16, 100, N};
    const kelvin_random where = {.seed = 3, .stream = KELVIN_STREAM_USER};
    struct row rows[N];
    for (int kind = 0; kind < 4; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t i = 0; i < counts[c]; i++) {
                const double u = kelvin_uniform(where, i);
                /* all apart; many ties; all equal; exactly 0 and 1 */
                const double confidence[] = {u, floor(8 * u) / 8, 0.73, u < 0.5 ? 0 : 1};
                rows[i] = (struct row){confidence[kind], kelvin_uniform(where, 1000 + i) < u};
                if (i + 1 < counts[c]) continue;
                check_mass(rows, counts[c], 15);
                check_mass(rows, counts[c], 1);
                check_mass(rows, counts[c], 100);
            }
}

/* What comes out does not depend on the order of observations, to the last bit. */
static void order_of_observations(void **state)
{
    (void)state;
    const kelvin_random where = {.seed = 5, .stream = KELVIN_STREAM_USER};
    uint64_t keys[2][N], scratch[N];
    kelvin_bin mass[2][BINS];
    for (size_t i = 0; i < N; i++) {
        keys[0][i] = kelvin_calibration_key(floor(20 * kelvin_uniform(where, i)) / 20, i % 3 == 0);
        keys[1][N - 1 - i] = keys[0][i];
    }
    for (size_t i = 0; i < 2; i++) {
        kelvin_sort_keys(keys[i], scratch, N);
        kelvin_mass_bins(mass[i], keys[i], N, BINS);
    }
    assert_memory_equal(mass[0], mass[1], sizeof mass[0]);
}

/* ---- verdicts ---- */

struct seen {
    const float *logits;
    size_t samples, n, stop_at;
};

static kelvin_status look(void *context, const kelvin_verdict *v)
{
    struct seen *seen = context;
    uint32_t all[MOST];
    long double mean[K];
    double sum = 0;
    for (uint32_t s = 0; s < MOST; s++) all[s] = s;
    assert_int_equal(v->index, seen->n);
    const long double h = plain_mean(mean, seen->logits, all, seen->samples, v->index);
    for (size_t k = 0; k < K; k++) {
        assert_near(v->p[k], (double)expl(mean[k]), 64 * DBL_EPSILON);
        assert_true(v->p[k] <= v->confidence && (v->p[k] < v->confidence || (int32_t)k >= v->predicted));
        sum += v->p[k];
    }
    assert_near(sum, 1, 64 * DBL_EPSILON);
    assert_true(v->confidence == v->p[v->predicted] && v->name == NULL && v->epistemic >= 0);
    assert_near(v->aleatoric, (double)h, 64 * DBL_EPSILON);
    assert_near(v->entropy, (double)plain_entropy(mean), 64 * DBL_EPSILON);
    assert_near(v->epistemic, v->entropy - v->aleatoric, 64 * DBL_EPSILON);
    if (seen->n == seen->stop_at) return kelvin_fail(KELVIN_EIO, "enough");
    seen->n++;
    return KELVIN_OK;
}

static void verdicts(void **state)
{
    (void)state;
    static float logits[MOST * N * K];
    static const size_t shape[] = {MOST, N, K};
    int32_t y[N], none[N];
    kelvin_metrics m;
    kelvin_logits *source;
    make(logits, y, MOST);
    for (size_t i = 0; i < N; i++) none[i] = -1;
    struct seen seen = {.logits = logits, .samples = MOST, .stop_at = N};
    assert_ok(evaluate_as(&m, logits, y, NULL, shape, 40, &(kelvin_evaluate_options){.watch = look, .context = &seen}));
    assert_int_equal(seen.n, N);
    /* labels are not needed for verdicts alone */
    seen.n = 0;
    assert_ok(logits_in_memory(&source, logits, none, NULL, shape, 40));
    assert_ok(kelvin_judge(source, look, &seen));
    assert_int_equal(seen.n, N);
    assert_true(kelvin_logits_seconds(source) == 0);
    kelvin_logits_close(source);
    fails(evaluate_as(&m, logits, none, NULL, shape, 40, NULL), KELVIN_EFORMAT, "observation 0 has no label", "");
    y[77] = K;
    fails(evaluate_as(&m, logits, y, NULL, shape, 40, NULL), KELVIN_EFORMAT, "label of observation 77 is 7", "0 .. 6");
    y[77] = 0;
    seen = (struct seen){.logits = logits, .samples = MOST, .stop_at = 50};
    fails(evaluate_as(&m, logits, y, NULL, shape, 40, &(kelvin_evaluate_options){.watch = look, .context = &seen}),
          KELVIN_EIO, "enough", "");
    fails(evaluate_as(&m, logits, y, NULL, shape, 40, &(kelvin_evaluate_options){.bins = 101}), KELVIN_EUSAGE,
          "101 bins", "1 .. 100");
}

static kelvin_status keep_p(void *context, const kelvin_verdict *v)
{
    memcpy((double *)context + 3 * v->index, v->p, 3 * sizeof *v->p);
    return KELVIN_OK;
}

/* softmax(log 2, log 6, 0) = (2, 6, 1) / 9; logits of 3000 would overflow exp; mean of two samples. */
static void on_paper(void **state)
{
    (void)state;
    const float logits[] = {logf(2), logf(6), 0, 3000, -3000, 2999, 0, 0, 0, -3000, -3000, -3000};
    const int32_t y[] = {-1, -1};
    double p[6];
    kelvin_logits *source;
    assert_ok(logits_in_memory(&source, logits, y, NULL, (const size_t[3]){2, 2, 3}, 2));
    assert_ok(kelvin_judge(source, keep_p, p));
    kelvin_logits_close(source);
    const double e = exp(1);
    const double expected[] = {
        (2 / 9. + 1 / 3.) / 2,     (6 / 9. + 1 / 3.) / 2, (1 / 9. + 1 / 3.) / 2, (e / (1 + e) + 1 / 3.) / 2, 1 / 6.,
        (1 / (1 + e) + 1 / 3.) / 2};
    /* logf(2) and logf(6) are floats: 2^-25 of 1.8 */
    for (size_t i = 0; i < 6; i++) assert_near(p[i], expected[i], 6e-8);
}

/* ---- AUROC ---- */

static void auroc(void **state)
{
    (void)state;
    const kelvin_random where = {.seed = 4, .stream = KELVIN_STREAM_USER};
    double in[N], out[N / 2];
    for (size_t i = 0; i < N; i++) in[i] = floor(9 * kelvin_uniform(where, i));
    for (size_t i = 0; i < N / 2; i++) out[i] = floor(2 + 9 * kelvin_uniform(where, 1000 + i));
    double pairs = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N / 2; k++) pairs += out[k] > in[i] ? 1 : out[k] == in[i] ? 0.5 : 0;
    assert_near(kelvin_auroc(in, N, out, N / 2), pairs / N / (N / 2), 4 * DBL_EPSILON);
    assert_near(kelvin_auroc(out, N / 2, in, N), 1 - pairs / N / (N / 2), 4 * DBL_EPSILON);
    double low[] = {1, 2}, high[] = {4, 3}, equal[] = {7, 7};
    assert_true(kelvin_auroc(low, 2, high, 2) == 1 && kelvin_auroc(high, 2, low, 2) == 0);
    assert_true(kelvin_auroc(equal, 2, equal, 2) == 0.5);
    assert_true(isnan(kelvin_auroc(low, 0, high, 2)) && isnan(kelvin_auroc(low, 2, high, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_bins), cmocka_unit_test(order_of_keys),
        cmocka_unit_test(mass_bins),  cmocka_unit_test(order_of_observations),
        cmocka_unit_test(verdicts),   cmocka_unit_test(on_paper),
        cmocka_unit_test(auroc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
