/* Metrics against plain loops in long double over the same logits; calibration against its definition. */
#include "folder_helpers.h"

#include "posterior/evaluate.h"

#include <float.h>

enum { N = 157, K = 7, MOST = 24, SUBSET = 8, SUBSETS = 100, BINS = 15 };

/* Logits with everything that is awkward: ties within a sample (also of all samples: a tied ensemble), labels at -50
 * and far below what exp can hold, large offsets. */
static float logit(size_t s, size_t i, size_t k, int32_t label)
{
    const kelvin_random where = {.seed = 2385, .chain = (uint32_t)s, .step = (uint32_t)i, .stream = 7};
    const bool is_label = (int32_t)k == label;
    const double z = 3 * kelvin_normal(where, k);
    switch (i % 8) {
    case 0:
        return (float)floor(z); /* ties */
    case 1:
        return k == 2 || k == 5 ? 4.25f : (float)fmin(z, 4); /* 2 and 5 tie in every sample, and in the ensemble */
    case 2:
        return (float)(is_label ? z - 50 : z);
    case 3:
        return (float)(is_label ? z - 1300 - 100 * (double)s : z); /* no sample has a probability that is not 0 */
    case 4:
        return (float)(is_label && s > 0 ? z - 5000 : z); /* but the first */
    case 5:
        return (float)(z + 30000);
    case 6:
        return (float)(is_label ? z + 12 : z); /* sure and right */
    default:
        return (float)z;
    }
}

static void make(float *logits, int32_t *y, size_t samples)
{
    for (size_t i = 0; i < N; i++) y[i] = (int32_t)kelvin_uniform_int((kelvin_random){.seed = 11, .stream = 8}, i, K);
    for (size_t s = 0; s < samples; s++)
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < K; k++) logits[(s * N + i) * K + k] = logit(s, i, k, y[i]);
}

static kelvin_status evaluate_as(kelvin_metrics *m, const float *logits, const int32_t *y, const uint32_t *chain,
                                 const size_t shape[3], size_t most, const kelvin_evaluate_options *options)
{
    kelvin_logits *source;
    KELVIN_TRY(kelvin_logits_in_memory(&source, logits, y, chain, shape, most));
    const kelvin_status status = kelvin_evaluate(m, source, options);
    kelvin_logits_close(source);
    return status;
}

static kelvin_status evaluate(kelvin_metrics *m, const float *logits, const int32_t *y, size_t samples)
{
    return evaluate_as(m, logits, y, NULL, (const size_t[3]){samples, N, K}, N, NULL);
}

/* ---- plain loops ---- */

struct row {
    double confidence;
    bool hit;
};

/* The observation's bin by counting those strictly below it. */
static size_t plain_mass_bin(const struct row *rows, size_t n, size_t i, size_t bins)
{
    size_t below = 0;
    for (size_t k = 0; k < n; k++) below += rows[k].confidence < rows[i].confidence;
    return bins * below / n;
}

/* (a, b], and 0. */
static size_t plain_width_bin(double confidence, size_t bins)
{
    size_t b = 0;
    while (b + 1 < bins && confidence > (double)(b + 1) / (double)bins) b++;
    return b;
}

static double plain_ece(const struct row *rows, size_t n, size_t bins, bool mass)
{
    long double gap[KELVIN_MOST_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t b = mass ? plain_mass_bin(rows, n, i, bins) : plain_width_bin(rows[i].confidence, bins);
        gap[b] += (long double)rows[i].hit - (long double)rows[i].confidence;
    }
    for (size_t b = 0; b < bins; b++) sum += fabsl(gap[b]);
    return (double)(sum / (long double)n);
}

static void plain_log_softmax(long double log_p[K], const float *z)
{
    long double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++) largest = fmaxl(largest, (long double)z[k]);
    for (size_t k = 0; k < K; k++) sum += expl((long double)z[k] - largest);
    for (size_t k = 0; k < K; k++) log_p[k] = (long double)z[k] - largest - logl(sum);
}

static long double plain_entropy(const long double log_p[K])
{
    long double h = 0;
    for (size_t k = 0; k < K; k++) h -= expl(log_p[k]) * log_p[k];
    return h;
}

/* What m samples say of one observation: the largest of m log-probabilities of a class is taken out. Returns the mean
 * of their entropies. */
static long double plain_mean(long double mean[K], const float *logits, const uint32_t *members, size_t m, size_t i)
{
    long double log_p[MOST][K], h = 0;
    for (size_t s = 0; s < m; s++) {
        plain_log_softmax(log_p[s], logits + (members[s] * N + i) * K);
        h += plain_entropy(log_p[s]) / (long double)m;
    }
    for (size_t k = 0; k < K; k++) {
        long double largest = -INFINITY, sum = 0;
        for (size_t s = 0; s < m; s++) largest = fmaxl(largest, log_p[s][k]);
        for (size_t s = 0; s < m; s++) sum += expl(log_p[s][k] - largest);
        mean[k] = largest + logl(sum / (long double)m);
    }
    return h;
}

static void plain_metrics(double out[KELVIN_METRICS], const float *logits, const int32_t *y, const uint32_t *members,
                          size_t m)
{
    struct row rows[N];
    long double sum[KELVIN_METRICS] = {0};
    for (size_t i = 0; i < N; i++) {
        long double mean[K];
        const long double aleatoric = plain_mean(mean, logits, members, m, i), entropy = plain_entropy(mean);
        size_t best = 0;
        for (size_t k = 0; k < K; k++) {
            const long double off = expl(mean[k]) - ((int32_t)k == y[i]);
            sum[KELVIN_BRIER] += off * off;
            if (mean[k] > mean[best]) best = k;
        }
        rows[i] = (struct row){(double)expl(mean[best]), (int32_t)best == y[i]};
        sum[KELVIN_ACCURACY] += rows[i].hit;
        sum[KELVIN_MEAN_LOG_LIKELIHOOD] += mean[y[i]];
        sum[KELVIN_CONFIDENCE] += expl(mean[best]);
        sum[KELVIN_ENTROPY] += entropy;
        sum[KELVIN_ALEATORIC] += aleatoric;
        sum[KELVIN_EPISTEMIC] += entropy - aleatoric;
    }
    for (size_t i = 0; i < KELVIN_METRICS; i++) out[i] = (double)(sum[i] / N);
    out[KELVIN_LOG_LIKELIHOOD] = (double)sum[KELVIN_MEAN_LOG_LIKELIHOOD];
    out[KELVIN_ECE] = plain_ece(rows, N, BINS, false);
    out[KELVIN_ECE_MASS] = plain_ece(rows, N, BINS, true);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ranks 0.1 x 99 = 9.9, 49.5, 89.1 of 100 sorted numbers: linear between neighbours. */
static kelvin_percentiles plain_percentiles(double x[SUBSETS])
{
    qsort(x, SUBSETS, sizeof *x, by_size);
    return (kelvin_percentiles){0.1 * x[9] + 0.9 * x[10], 0.5 * x[49] + 0.5 * x[50], 0.9 * x[89] + 0.1 * x[90]};
}

/* ---- comparisons ---- */

/* Sums of 157 numbers of up to 1e4 each, rounded 157 + a few times to 2^-53 of 1e6: 2e-8 at the very worst, and the
 * sums are about 3e5; relative: 157 x 2^-53 x 4. */
static void same(double is, double should, size_t metric)
{
    const double allowed = 4 * 157 * DBL_EPSILON * fmax(1, fabs(should));
    if (!(fabs(is - should) <= allowed))
        fail_msg("%s: is %.17g, should be %.17g", kelvin_metric_about((kelvin_metric)metric)->name, is, should);
}

static void same_average(const kelvin_average *is, const double *x, size_t n, size_t metric)
{
    long double mean = 0, squares = 0;
    for (size_t s = 0; s < n; s++) mean += (long double)x[s] / (long double)n;
    for (size_t s = 0; s < n; s++) squares += ((long double)x[s] - mean) * ((long double)x[s] - mean);
    same(is->mean, (double)mean, metric);
    if (n > 1)
        same(is->error, (double)sqrtl(squares / (long double)(n * (n - 1))), metric);
    else
        assert_true(isnan(is->error));
}

static void check_singles(const kelvin_metrics *m, const float *logits, const int32_t *y)
{
    double values[MOST][KELVIN_METRICS], x[MOST];
    for (uint32_t s = 0; s < m->samples; s++) plain_metrics(values[s], logits, y, &s, 1);
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
        for (size_t s = 0; s < m->samples; s++) x[s] = values[s][metric];
        same_average(&m->single[metric], x, m->samples, metric);
    }
    assert_true(m->single[KELVIN_EPISTEMIC].mean == 0);
}

/* The subsets are part of the interface: the first eight of the permutation of (seed 0, step i, user's stream). */
static void check_subsets(const kelvin_metrics *m, const float *logits, const int32_t *y)
{
    static double values[SUBSETS][KELVIN_METRICS];
    assert_int_equal(m->subsets, SUBSETS);
    assert_int_equal(m->subset, SUBSET);
    for (uint32_t i = 0; i < SUBSETS; i++) {
        uint32_t order[MOST];
        kelvin_permutation(order, (uint32_t)m->samples, (kelvin_random){.step = i, .stream = KELVIN_STREAM_USER});
        plain_metrics(values[i], logits, y, order, SUBSET);
    }
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
        double x[SUBSETS];
        for (size_t i = 0; i < SUBSETS; i++) x[i] = values[i][metric];
        const kelvin_percentiles p = plain_percentiles(x);
        same(m->spread[metric].low, p.low, metric);
        same(m->spread[metric].median, p.median, metric);
        same(m->spread[metric].high, p.high, metric);
    }
}

static void against_plain_loops(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 8, 9, 24};
    static float logits[MOST * N * K];
    int32_t y[N];
    uint32_t all[MOST];
    for (uint32_t s = 0; s < MOST; s++) all[s] = s;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double whole[KELVIN_METRICS];
        kelvin_metrics m;
        make(logits, y, counts[c]);
        assert_ok(evaluate(&m, logits, y, counts[c]));
        assert_true(m.samples == counts[c] && m.chains == counts[c] && m.n == N && m.classes == K && m.bins == BINS);
        check_singles(&m, logits, y);
        plain_metrics(whole, logits, y, all, counts[c]);
        for (size_t metric = 0; metric < KELVIN_METRICS; metric++) same(m.ensemble[metric], whole[metric], metric);
        if (counts[c] > SUBSET) {
            check_subsets(&m, logits, y);
        } else {
            assert_int_equal(m.subsets, 0);
            assert_true(isnan(m.spread[KELVIN_ACCURACY].median) && isnan(m.spread[KELVIN_BRIER].low));
        }
    }
}

static kelvin_status not_below_zero(void *context, const kelvin_verdict *v)
{
    (void)context;
    assert_true(v->epistemic >= 0);
    return KELVIN_OK;
}

/* One sample together is that sample alone, to the last bit. */
static void one_sample(void **state)
{
    (void)state;
    static float logits[N * K];
    int32_t y[N];
    kelvin_metrics m;
    make(logits, y, 1);
    assert_ok(evaluate(&m, logits, y, 1));
    for (size_t i = 0; i < KELVIN_METRICS; i++) assert_true(m.ensemble[i] == m.single[i].mean);
    assert_true(m.ensemble[KELVIN_EPISTEMIC] == 0);
    /* the same sample many times over doubts itself no more */
    static float copies[9 * N * K];
    for (size_t s = 0; s < 9; s++) memcpy(copies + s * N * K, logits, sizeof logits);
    kelvin_metrics often;
    assert_ok(evaluate_as(&often, copies, y, NULL, (const size_t[3]){9, N, K}, N,
                          &(kelvin_evaluate_options){.watch = not_below_zero}));
    assert_near(often.ensemble[KELVIN_EPISTEMIC], 0, 16 * DBL_EPSILON);
    assert_near(often.ensemble[KELVIN_BRIER], m.ensemble[KELVIN_BRIER], 157 * DBL_EPSILON);
    assert_true(often.ensemble[KELVIN_ACCURACY] == m.ensemble[KELVIN_ACCURACY]);
}

/* p = (3/4, 1/4): what each metric is can be said on paper. */
static void one_observation(void **state)
{
    (void)state;
    const float z[] = {0, -1.0986122886681098f};
    const int32_t right = 0, wrong = 1;
    const size_t shape[] = {1, 1, 2};
    const double p = 1 / (1 + exp((double)z[1])), h = -p * log(p) - (1 - p) * log(1 - p);
    kelvin_metrics m;
    assert_ok(evaluate_as(&m, z, &right, NULL, shape, 1, &(kelvin_evaluate_options){.bins = 10}));
    const double should[] = {1, log(p), log(p), 2 * (1 - p) * (1 - p), 1 - p, 1 - p, p, h, h, 0};
    for (size_t i = 0; i < KELVIN_METRICS; i++) assert_near(m.ensemble[i], should[i], 4 * DBL_EPSILON);
    assert_true(m.width[7].n == 1 && m.width[7].hits == 1 && m.width[7].from == 7 / 10. && m.width[7].to == 8 / 10.);
    assert_near(m.width[7].confidence, p, DBL_EPSILON);
    assert_true(m.width[6].n == 0 && isnan(m.width[6].confidence));
    assert_true(m.mass[0].n == 1 && m.mass[0].from == m.mass[0].to && m.mass[1].n == 0);
    assert_ok(evaluate_as(&m, z, &wrong, NULL, shape, 1, NULL));
    assert_near(m.ensemble[KELVIN_BRIER], 2 * p * p, 4 * DBL_EPSILON);
    assert_near(m.ensemble[KELVIN_ECE], p, DBL_EPSILON);
    assert_near(m.ensemble[KELVIN_LOG_LIKELIHOOD], log(1 - p), 4 * DBL_EPSILON);
}

/* Three chains of 2, 1 and 3 samples: the mean is that of the samples, its error that of the chains' means. One chain
 * has no error. The rest does not know of chains. */
static void several_per_chain(void **state)
{
    (void)state;
    static const uint32_t chain[] = {0, 0, 4, 5, 5, 5}, same_chain[6] = {0};
    static const size_t shape[] = {6, N, K};
    static float logits[6 * N * K];
    int32_t y[N];
    double values[6][KELVIN_METRICS];
    kelvin_metrics m, plain;
    make(logits, y, 6);
    assert_ok(evaluate(&plain, logits, y, 6));
    assert_int_equal(plain.chains, 6);
    assert_ok(evaluate_as(&m, logits, y, chain, shape, N, NULL));
    assert_true(m.chains == 3 && m.samples == 6);
    for (uint32_t s = 0; s < 6; s++) plain_metrics(values[s], logits, y, &s, 1);
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        double l[6];
        for (size_t s = 0; s < 6; s++) l[s] = values[s][i];
        const double a = (l[0] + l[1]) / 2, b = l[2], c = (l[3] + l[4] + l[5]) / 3, mean = (a + b + c) / 3;
        same(m.single[i].mean, (l[0] + l[1] + l[2] + l[3] + l[4] + l[5]) / 6, i);
        same(m.single[i].error, sqrt(((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 6),
             i);
        assert_true(m.ensemble[i] == plain.ensemble[i]);
    }
    assert_ok(evaluate_as(&m, logits, y, same_chain, shape, N, NULL));
    assert_true(m.chains == 1 && isnan(m.single[KELVIN_BRIER].error) &&
                m.single[KELVIN_BRIER].mean == plain.single[KELVIN_BRIER].mean);
}

/* Labels whose probability is 0 in doubles, in all samples: the sum is finite and what it must be. softmax(-2000, 0) is
 * exp(-2000) / (1 + exp(-2000)); the mean of that and of exp(-2002) is exp(-2000) (1 + exp(-2)) / 2. */
static void beyond_doubles(void **state)
{
    (void)state;
    static const float logits[] = {-2000, 0, 3e38f, -3e38f, -2002, 0, 3e38f, -3e38f};
    static const size_t shape[] = {2, 2, 2};
    const int32_t y[] = {0, 0}, wrong[] = {0, 1};
    kelvin_metrics m;
    assert_ok(evaluate_as(&m, logits, y, NULL, shape, 2, NULL));
    assert_near(m.ensemble[KELVIN_LOG_LIKELIHOOD], -2000 + log((1 + exp(-2)) / 2), 4 * 2000 * DBL_EPSILON);
    assert_near(m.single[KELVIN_MEAN_LOG_LIKELIHOOD].mean, -2001 / 2., 4 * 2000 * DBL_EPSILON);
    assert_true(m.ensemble[KELVIN_ACCURACY] == 0.5 && m.ensemble[KELVIN_CONFIDENCE] == 1);
    assert_true(m.ensemble[KELVIN_ENTROPY] == 0 && m.ensemble[KELVIN_ALEATORIC] == 0 &&
                m.ensemble[KELVIN_EPISTEMIC] == 0);
    assert_true(m.ensemble[KELVIN_ECE] == 0.5 && m.ensemble[KELVIN_ECE_MASS] == 0.5);
    assert_true(m.width[BINS - 1].n == 2 && m.width[BINS - 1].hits == 1); /* exactly 1 counts */
    assert_true(m.mass[0].n == 2 && m.mass[0].hits == 1 && m.mass[0].confidence == 1);
    assert_ok(evaluate_as(&m, logits, wrong, NULL, shape, 2, NULL));
    for (size_t i = 0; i < KELVIN_METRICS; i++) assert_true(isfinite(m.ensemble[i]) && isfinite(m.single[i].mean));
    assert_true(m.ensemble[KELVIN_LOG_LIKELIHOOD] < -5e38);
}

/* ---- the same bits, however the work is cut ---- */

static void same_bits(const kelvin_metrics *a, const kelvin_metrics *b)
{
    assert_memory_equal(a->single, b->single, sizeof a->single);
    assert_memory_equal(a->ensemble, b->ensemble, sizeof a->ensemble);
    assert_memory_equal(a->spread, b->spread, sizeof a->spread);
    assert_memory_equal(a->size, b->size, sizeof a->size);
    assert_memory_equal(a->mass, b->mass, sizeof a->mass);
    assert_memory_equal(a->width, b->width, sizeof a->width);
}

static void threads_and_pieces(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 5}, pieces[] = {N, 1, 50};
    static float logits[MOST * N * K];
    int32_t y[N];
    kelvin_metrics first, m;
    make(logits, y, MOST);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            const kelvin_evaluate_options how = {.threads = threads[i], .sizes = true};
            assert_ok(
                evaluate_as(i + k ? &m : &first, logits, y, NULL, (const size_t[3]){MOST, N, K}, pieces[k], &how));
            if (i + k) same_bits(&first, &m);
        }
}

/* So many samples that an evaluation takes the observations in several blocks: those that come last must not be scored
 * by what was there before. Twice the same half has the metrics of the half. */
static void many_blocks(void **state)
{
    (void)state;
    enum { S = 400, HALF = 30 };
    float *logits = kelvin_alloc((size_t)S * 2 * HALF * K, sizeof *logits);
    float *half = kelvin_alloc((size_t)S * HALF * K, sizeof *half);
    int32_t y[2 * HALF];
    assert_true(logits && half);
    for (size_t s = 0; s < S; s++)
        for (size_t i = 0; i < 2 * HALF; i++)
            for (size_t k = 0; k < K; k++) {
                y[i] = (int32_t)(i % HALF % K);
                logits[(s * 2 * HALF + i) * K + k] = logit(s, i % HALF, k, y[i]);
                if (i < HALF) half[(s * HALF + i) * K + k] = logits[(s * 2 * HALF + i) * K + k];
            }
    kelvin_metrics one, two;
    assert_ok(evaluate_as(&one, half, y, NULL, (const size_t[3]){S, HALF, K}, HALF, NULL));
    assert_ok(evaluate_as(&two, logits, y, NULL, (const size_t[3]){S, 2 * HALF, K}, 2 * HALF, NULL));
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        if (i == KELVIN_LOG_LIKELIHOOD) continue; /* a sum */
        same(two.ensemble[i], one.ensemble[i], i);
        if (i != KELVIN_ECE_MASS) same(two.single[i].mean, one.single[i].mean, i);
        same(two.spread[i].high, one.spread[i].high, i);
    }
    kelvin_free(logits);
    kelvin_free(half);
}

/* ---- posterior sizes ---- */

static void sizes(void **state)
{
    (void)state;
    enum { ORDERS = 20 };
    static const size_t grid[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
    static float logits[MOST * N * K];
    int32_t y[N];
    kelvin_metrics m;
    make(logits, y, MOST);
    assert_ok(
        evaluate_as(&m, logits, y, NULL, (const size_t[3]){MOST, N, K}, N, &(kelvin_evaluate_options){.sizes = true}));
    assert_int_equal(m.sizes, sizeof grid / sizeof *grid);
    for (size_t g = 0; g < m.sizes; g++) {
        double values[ORDERS][KELVIN_METRICS];
        assert_int_equal(m.size[g].samples, grid[g]);
        for (uint32_t o = 0; o < ORDERS; o++) {
            uint32_t order[MOST];
            kelvin_permutation(order, MOST, (kelvin_random){.step = 1000 + o, .stream = KELVIN_STREAM_USER});
            plain_metrics(values[o], logits, y, order, grid[g]);
        }
        for (size_t i = 0; i < KELVIN_METRICS; i++) {
            double x[ORDERS], mean = 0;
            for (size_t o = 0; o < ORDERS; o++) mean += (x[o] = values[o][i]) / ORDERS;
            qsort(x, ORDERS, sizeof *x, by_size);
            same(m.size[g].metric[i].mean, mean, i);
            same(m.size[g].metric[i].low, 0.1 * x[1] + 0.9 * x[2], i);
            same(m.size[g].metric[i].high, 0.9 * x[17] + 0.1 * x[18], i);
        }
    }
    assert_ok(evaluate(&m, logits, y, 1));
    assert_int_equal(m.sizes, 0);
}

/* Never more than there is room for, and the last has all. */
static void sizes_of_one(void **state)
{
    (void)state;
    static float logits[N * K];
    int32_t y[N];
    kelvin_metrics m;
    make(logits, y, 1);
    assert_ok(evaluate_as(&m, logits, y, NULL, (const size_t[3]){1, N, K}, N, &(kelvin_evaluate_options){.sizes = 1}));
    assert_true(m.sizes == 1 && m.size[0].samples == 1);
    assert_near(m.size[0].metric[KELVIN_BRIER].mean, m.ensemble[KELVIN_BRIER], 16 * DBL_EPSILON);
}

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
    assert_ok(kelvin_logits_in_memory(&source, logits, none, NULL, shape, 40));
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
    assert_ok(kelvin_logits_in_memory(&source, logits, y, NULL, (const size_t[3]){2, 2, 3}, 2));
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

static void names(void **state)
{
    (void)state;
    for (kelvin_metric i = 0; i < KELVIN_METRICS; i++) {
        const kelvin_metric_info *about = kelvin_metric_about(i);
        assert_true(about->name && about->title && about->unit && about->scale > 0 && about->digits > 0);
        for (kelvin_metric k = 0; k < i; k++) assert_string_not_equal(about->name, kelvin_metric_about(k)->name);
    }
    assert_null(kelvin_metric_about(KELVIN_METRICS));
}

/* ---- memory ---- */

enum { FEW = 5 }; /* observations: each allocation costs an evaluation */

static kelvin_status all_of_it(void *context)
{
    static const uint32_t chain[9] = {0};
    static const int32_t y[FEW] = {0};
    kelvin_metrics m;
    return evaluate_as(&m, context, y, chain, (const size_t[3]){9, FEW, K}, 2,
                       &(kelvin_evaluate_options){.threads = 2, .sizes = true});
}

static void no_memory(void **state)
{
    (void)state;
    static float logits[9 * N * K];
    int32_t y[N];
    make(logits, y, 9);
    assert_true(without_memory(all_of_it, logits) > 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_plain_loops),
        cmocka_unit_test(one_sample),
        cmocka_unit_test(one_observation),
        cmocka_unit_test(several_per_chain),
        cmocka_unit_test(beyond_doubles),
        cmocka_unit_test(threads_and_pieces),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(sizes),
        cmocka_unit_test(sizes_of_one),
        cmocka_unit_test(width_bins),
        cmocka_unit_test(order_of_keys),
        cmocka_unit_test(mass_bins),
        cmocka_unit_test(order_of_observations),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(on_paper),
        cmocka_unit_test(auroc),
        cmocka_unit_test(names),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
