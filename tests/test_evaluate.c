/* Metrics of samples, of ensembles and of their sizes against plain loops in long double over the same logits. */
#include "evaluate_helpers.h"

#include "base/random.h"

enum { SUBSET = 8, SUBSETS = 100 };

static kelvin_status evaluate(kelvin_metrics *m, const float *logits, const int32_t *y, size_t samples)
{
    return evaluate_as(m, logits, y, NULL, (const size_t[3]){samples, N, K}, N, NULL);
}

/* Metrics that plain loops are here for, by their names: `margin` is that of ARCHITECTURE.md, and not in the table but
 * where it has been added. Of any other it is asked that it is finite, within what it says it can be, the same by any
 * number of threads and pieces, and of one sample together the same as of that sample alone. */
static const char *const plain[] = {
    "accuracy",   "log_likelihood", "mean_log_likelihood", "brier",     "ece",   "ece_mass",
    "confidence", "entropy",        "aleatoric",           "epistemic", "margin"};

static bool is_plain(size_t metric)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (kelvin_metric_find(plain[i]) == metric) return true;
    return false;
}

/* By observation, each. */
struct told {
    long double brier, hit, log_p, confidence, entropy, aleatoric, margin;
};

static struct told tell(struct row *row, const float *logits, int32_t y, const uint32_t *members, size_t m, size_t i)
{
    long double mean[K], other = 0;
    struct told told = {.aleatoric = plain_mean(mean, logits, members, m, i)};
    told.entropy = plain_entropy(mean);
    size_t best = 0;
    for (size_t k = 0; k < K; k++) {
        const long double off = expl(mean[k]) - ((int32_t)k == y);
        told.brier += off * off;
        if (mean[k] > mean[best]) best = k;
        if ((int32_t)k != y) other = fmaxl(other, expl(mean[k]));
    }
    *row = (struct row){(double)expl(mean[best]), (int32_t)best == y};
    told.hit = row->hit;
    told.log_p = mean[y];
    told.confidence = expl(mean[best]);
    told.margin = expl(mean[y]) - other;
    return told;
}

static void set(double out[KELVIN_METRICS], const char *name, long double value)
{
    const size_t metric = kelvin_metric_find(name);
    if (metric < KELVIN_METRICS) out[metric] = (double)value;
}

static void plain_metrics(double out[KELVIN_METRICS], const float *logits, const int32_t *y, const uint32_t *members,
                          size_t m)
{
    struct row rows[N];
    struct told sum = {0};
    for (size_t i = 0; i < KELVIN_METRICS; i++) out[i] = NAN;
    for (size_t i = 0; i < N; i++) {
        const struct told one = tell(&rows[i], logits, y[i], members, m, i);
        sum.brier += one.brier;
        sum.hit += one.hit;
        sum.log_p += one.log_p;
        sum.confidence += one.confidence;
        sum.entropy += one.entropy;
        sum.aleatoric += one.aleatoric;
        sum.margin += one.margin;
    }
    set(out, "accuracy", sum.hit / N);
    set(out, "log_likelihood", sum.log_p);
    set(out, "mean_log_likelihood", sum.log_p / N);
    set(out, "brier", sum.brier / N);
    set(out, "ece", plain_ece(rows, N, BINS, false));
    set(out, "ece_mass", plain_ece(rows, N, BINS, true));
    set(out, "confidence", sum.confidence / N);
    set(out, "entropy", sum.entropy / N);
    set(out, "aleatoric", sum.aleatoric / N);
    set(out, "epistemic", (sum.entropy - sum.aleatoric) / N);
    set(out, "margin", sum.margin / N);
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
    if (!is_plain(metric)) { /* of some, differences have fewer bounds than values: this is for both */
        assert_true(isfinite(is));
        return;
    }
    const double allowed = 4 * 157 * DBL_EPSILON * fmax(1, fabs(should));
    if (!(fabs(is - should) <= allowed))
        fail_msg("%s: is %.17g, should be %.17g", kelvin_metric_at(metric)->member.name, is, should);
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
    static double values[SUBSETS][KELVIN_METRICS], means[SUBSETS][KELVIN_METRICS];
    double single[MOST][KELVIN_METRICS];
    for (uint32_t s = 0; s < m->samples; s++) plain_metrics(single[s], logits, y, &s, 1);
    assert_int_equal(m->subsets, SUBSETS);
    assert_int_equal(m->subset, SUBSET);
    for (uint32_t i = 0; i < SUBSETS; i++) {
        uint32_t order[MOST];
        kelvin_permutation(order, (uint32_t)m->samples, (kelvin_random){.step = i, .stream = KELVIN_STREAM_USER});
        plain_metrics(values[i], logits, y, order, SUBSET);
        for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
            means[i][metric] = 0;
            for (size_t k = 0; k < SUBSET; k++) means[i][metric] += single[order[k]][metric] / SUBSET;
        }
    }
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
        double x[SUBSETS];
        for (size_t i = 0; i < SUBSETS; i++) x[i] = means[i][metric];
        kelvin_percentiles p = plain_percentiles(x);
        const kelvin_percentiles of_singles = kelvin_metrics_single_spread(m, metric);
        same(of_singles.low, p.low, metric);
        same(of_singles.median, p.median, metric);
        same(of_singles.high, p.high, metric);
        for (size_t i = 0; i < SUBSETS; i++) x[i] = values[i][metric];
        p = plain_percentiles(x);
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

/* Every metric, whatever it is, is what its row says. But for rounding: confidences of 1/3 may be above 1 in sum. */
static void in_range(const kelvin_metrics *m)
{
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        const kelvin_metric_info *about = kelvin_metric_at(i);
        const double values[] = {m->ensemble[i], m->single[i].mean, m->size[0].metric[i].mean, m->size[0].metric[i].low,
                                 m->size[0].metric[i].high};
        for (size_t k = 0; k < (m->sizes ? 5 : 2); k++)
            if (!(values[k] >= about->least - 1e-12 && values[k] <= about->most + 1e-12 && isfinite(values[k])))
                fail_msg("%s is %.17g; expected %g .. %g", about->member.name, values[k], about->least, about->most);
        if (about->together) assert_true(m->single[i].mean == 0);
    }
}

/* What clients see is what was found. */
static void getters(void **state)
{
    (void)state;
    static float logits[MOST * N * K];
    int32_t y[N];
    kelvin_metrics *m;
    kelvin_logits *source;
    size_t width, mass;
    make(logits, y, MOST);
    assert_ok(logits_in_memory(&source, logits, y, NULL, (const size_t[3]){MOST, N, K}, N));
    assert_ok(kelvin_evaluate(&m, source, &(kelvin_evaluate_options){.bins = 7, .sizes = true}));
    kelvin_logits_close(source);
    assert_true(kelvin_metrics_samples(m) == MOST && kelvin_metrics_chains(m) == MOST);
    assert_true(kelvin_metrics_singles(m) == MOST && kelvin_metrics_observations(m) == N);
    assert_true(kelvin_metrics_classes(m) == K && kelvin_metrics_subsets(m) == SUBSETS);
    assert_true(kelvin_metrics_subset(m) == SUBSET && kelvin_metrics_sizes(m) == 9 &&
                kelvin_metrics_size(m, 8) == MOST);
    assert_true(kelvin_metrics_bins(m, false, &width) == m->width && kelvin_metrics_bins(m, true, &mass) == m->mass);
    assert_true(width == 7 && mass == 7);
    for (size_t i = 0; i < kelvin_metrics_count(); i++) {
        const kelvin_average single = kelvin_metrics_single(m, i);
        const kelvin_percentiles spread = kelvin_metrics_spread(m, i);
        const kelvin_by_size by_size = kelvin_metrics_by_size(m, 5, i);
        assert_memory_equal(&single, &m->single[i], sizeof single);
        assert_memory_equal(&spread, &m->spread[i], sizeof spread);
        assert_memory_equal(&by_size, &m->size[5].metric[i], sizeof by_size);
        assert_true(kelvin_metrics_ensemble(m, i) == m->ensemble[i]);
    }
    kelvin_metrics_free(m);
    kelvin_metrics_free(NULL);
}

static void of_every_metric(void **state)
{
    (void)state;
    static float logits[MOST * N * K];
    int32_t y[N];
    kelvin_metrics m;
    make(logits, y, MOST);
    assert_ok(
        evaluate_as(&m, logits, y, NULL, (const size_t[3]){MOST, N, K}, N, &(kelvin_evaluate_options){.sizes = true}));
    in_range(&m);
    assert_ok(evaluate(&m, logits, y, 3));
    in_range(&m);
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
    const struct {
        enum kelvin_metric metric;
        double is;
    } should[] = {
        {KELVIN_ACCURACY, 1},
        {KELVIN_LOG_LIKELIHOOD, log(p)},
        {KELVIN_MEAN_LOG_LIKELIHOOD, log(p)},
        {KELVIN_ECE, 1 - p},
        {KELVIN_BRIER, 2 * (1 - p) * (1 - p)},
        {KELVIN_ECE_MASS, 1 - p},
        {KELVIN_CONFIDENCE, p},
        {KELVIN_ENTROPY, h},
        {KELVIN_ALEATORIC, h},
        {KELVIN_EPISTEMIC, 0},
    };
    for (size_t i = 0; i < sizeof should / sizeof *should; i++)
        assert_near(m.ensemble[should[i].metric], should[i].is, 4 * DBL_EPSILON);
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
    kelvin_metrics m, apart;
    make(logits, y, 6);
    assert_ok(evaluate(&apart, logits, y, 6));
    assert_int_equal(apart.chains, 6);
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
        assert_true(m.ensemble[i] == apart.ensemble[i]);
    }
    assert_ok(evaluate_as(&m, logits, y, same_chain, shape, N, NULL));
    assert_true(m.chains == 1 && isnan(m.single[KELVIN_BRIER].error) &&
                m.single[KELVIN_BRIER].mean == apart.single[KELVIN_BRIER].mean);
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
        const bool is_mean = kelvin_metric_types[i]->of_one && !kelvin_metric_types[i]->of_all;
        if (i == KELVIN_LOG_LIKELIHOOD) continue; /* a sum */
        if (!is_plain(i) && is_mean) assert_near(two.ensemble[i], one.ensemble[i], 1e-12 * fabs(one.ensemble[i]));
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

static void names(void **state)
{
    (void)state;
    assert_int_equal(kelvin_metrics_count(), KELVIN_METRICS);
#ifdef WITH_MARGIN
    assert_int_equal(kelvin_metric_find("margin"), KELVIN_MARGIN);
    assert_true(KELVIN_MARGIN == 1 && is_plain(KELVIN_MARGIN)); /* not the last: others have moved */
#endif
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        const kelvin_metric_info *about = kelvin_metric_at(i);
        assert_true(about->member.name && about->title && about->member.about && about->unit);
        assert_true(about->scale > 0 && about->digits >= 0 && abs(about->better) <= 1 && about->least < about->most);
        assert_true(kelvin_metric_types[i]->of_one || kelvin_metric_types[i]->of_all);
        assert_int_equal(kelvin_metric_find(about->member.name), i); /* no other one before has its name */
    }
    assert_null(kelvin_metric_at(KELVIN_METRICS));
    assert_int_equal(kelvin_metric_find("accurac"), KELVIN_METRICS);
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

/* ---- very many samples ---- */

/* Whatever comes at a time, the bits are the same. */
static void in_parts(void **state)
{
    (void)state;
    static const size_t shape[] = {MOST, N, K}, most[] = {N, 1, 16, 50}, block[] = {1, 7, 23};
    static float logits[MOST * N * K];
    int32_t y[N];
    kelvin_metrics m, whole;
    make(logits, y, MOST);
    const kelvin_evaluate_options options = {.threads = 2, .sizes = true};
    assert_ok(evaluate_as(&whole, logits, y, NULL, shape, N, &options));
    for (size_t i = 0; i < 12; i++) {
        kelvin_logits *source;
        assert_ok(logits_in_blocks(&source, logits, y, NULL, shape, most[i / 3], block[i % 3]));
        assert_ok(kelvin_evaluate_into(&m, source, &options, NULL));
        kelvin_logits_close(source);
        assert_memory_equal(&m, &whole, sizeof m);
    }
}

/* Of 2,300 samples of three chains, those at floor(2.3 i) are looked at one by one; all make the ensemble. */
static void very_many(void **state)
{
    (void)state;
    static const size_t shape[] = {VERY_MANY, N, K};
    static double values[KELVIN_MOST_SINGLES][KELVIN_METRICS];
    static uint32_t all[VERY_MANY], chain[VERY_MANY], order[KELVIN_MOST_SINGLES];
    float *logits = kelvin_alloc((size_t)VERY_MANY * N * K, sizeof *logits);
    int32_t y[N];
    double whole[KELVIN_METRICS], x[KELVIN_MOST_SINGLES];
    kelvin_metrics m;
    kelvin_logits *source;
    assert_non_null(logits);
    make(logits, y, VERY_MANY);
    for (uint32_t s = 0; s < VERY_MANY; s++) all[s] = s, chain[s] = s < 100 ? 2 : s < 1500 ? 3 : 5;
    assert_ok(logits_in_blocks(&source, logits, y, chain, shape, 64, 300));
    assert_ok(kelvin_evaluate_into(&m, source, &(kelvin_evaluate_options){.sizes = true}, NULL));
    kelvin_logits_close(source);
    assert_true(m.samples == VERY_MANY && m.singles == KELVIN_MOST_SINGLES && m.chains == 3);
    assert_int_equal(m.size[m.sizes - 1].samples, KELVIN_MOST_SINGLES);
    plain_metrics(whole, logits, y, all, VERY_MANY);
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) same(m.ensemble[metric], whole[metric], metric);
    for (uint32_t i = 0; i < KELVIN_MOST_SINGLES; i++)
        plain_metrics(values[i], logits, y, &(uint32_t){i * VERY_MANY / KELVIN_MOST_SINGLES}, 1);
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
        double of_chain[3] = {0};
        long double mean = 0;
        size_t n[3] = {0};
        if (!is_plain(metric)) { /* nothing to compare with */
            assert_true(isfinite(m.single[metric].mean) && isfinite(m.single[metric].error));
            continue;
        }
        for (uint32_t i = 0; i < KELVIN_MOST_SINGLES; i++) {
            const uint32_t c = chain[i * VERY_MANY / KELVIN_MOST_SINGLES], at = c == 2 ? 0 : c == 3 ? 1 : 2;
            x[i] = values[i][metric];
            mean += (long double)x[i] / KELVIN_MOST_SINGLES;
            of_chain[at] += x[i];
            n[at]++;
        }
        kelvin_average by_chain;
        for (size_t c = 0; c < 3; c++) of_chain[c] /= (double)n[c];
        by_chain = (kelvin_average){(of_chain[0] + of_chain[1] + of_chain[2]) / 3, m.single[metric].error};
        same(m.single[metric].mean, (double)mean, metric);
        same_average(&by_chain, of_chain, 3, metric);
    }
    for (uint32_t i = 0; i < SUBSETS; i++) {
        kelvin_permutation(order, KELVIN_MOST_SINGLES, (kelvin_random){.step = i, .stream = KELVIN_STREAM_USER});
        for (size_t j = 0; j < SUBSET; j++) order[j] = order[j] * VERY_MANY / KELVIN_MOST_SINGLES;
        plain_metrics(values[i], logits, y, order, SUBSET);
        x[i] = values[i][KELVIN_BRIER];
    }
    same(m.spread[KELVIN_BRIER].median, plain_percentiles(x).median, KELVIN_BRIER);
    kelvin_free(logits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_plain_loops),
        cmocka_unit_test(of_every_metric),
        cmocka_unit_test(getters),
        cmocka_unit_test(one_sample),
        cmocka_unit_test(one_observation),
        cmocka_unit_test(several_per_chain),
        cmocka_unit_test(beyond_doubles),
        cmocka_unit_test(threads_and_pieces),
        cmocka_unit_test(many_blocks),
        cmocka_unit_test(sizes),
        cmocka_unit_test(sizes_of_one),
        cmocka_unit_test(names),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(in_parts),
        cmocka_unit_test(very_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
