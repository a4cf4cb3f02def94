/* Ensembles against plain loops in long double over the same logits, NumPy where it is there, and damaged files;
 * temperatures from histories whose numbers are known. */
#include "run_helpers.h"

#include "posterior/stats.h"
#include "run/chain.h"

#include <float.h>

enum { N = 157, K = 7, MOST = 24, SUBSET = 8, SUBSETS = 100 };

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

static const char *file_of(const float *logits, size_t samples)
{
    const char *path = in_base("logits.npy");
    assert_ok(kelvin_npy_write(path, logits, (const size_t[3]){samples, N, K}));
    return path;
}

/* ---- plain loops ---- */

struct plain {
    double accuracy, confidence, log_likelihood; /* the sum */
};

static void plain_log_softmax(long double log_p[K], const float *z)
{
    long double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++) largest = fmaxl(largest, (long double)z[k]);
    for (size_t k = 0; k < K; k++) sum += expl((long double)z[k] - largest);
    for (size_t k = 0; k < K; k++) log_p[k] = (long double)z[k] - largest - logl(sum);
}

/* Of the ensemble of some samples: all m probabilities of a class as logarithms, the largest taken out. */
static struct plain plain_ensemble(const float *logits, const int32_t *y, const uint32_t *members, size_t m)
{
    long double hits = 0, confidence = 0, log_likelihood = 0;
    for (size_t i = 0; i < N; i++) {
        long double log_p[MOST][K], mean[K];
        for (size_t s = 0; s < m; s++) plain_log_softmax(log_p[s], logits + (members[s] * N + i) * K);
        for (size_t k = 0; k < K; k++) {
            long double largest = -INFINITY, sum = 0;
            for (size_t s = 0; s < m; s++) largest = fmaxl(largest, log_p[s][k]);
            for (size_t s = 0; s < m; s++) sum += expl(log_p[s][k] - largest);
            mean[k] = largest + logl(sum / (long double)m);
        }
        size_t best = 0;
        for (size_t k = 1; k < K; k++)
            if (mean[k] > mean[best]) best = k;
        hits += (int32_t)best == y[i];
        confidence += expl(mean[best]);
        log_likelihood += mean[y[i]];
    }
    return (struct plain){(double)(hits / N), (double)(confidence / N), (double)log_likelihood};
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
static void same(double is, double should)
{
    const double allowed = 4 * 157 * DBL_EPSILON * fmax(1, fabs(should));
    if (!(fabs(is - should) <= allowed)) fail_msg("is %.17g, should be %.17g", is, should);
}

static void same_percentiles(const kelvin_percentiles *is, const kelvin_percentiles *should)
{
    same(is->low, should->low);
    same(is->median, should->median);
    same(is->high, should->high);
}

static void same_average(const kelvin_average *is, const double *x, size_t n)
{
    long double mean = 0, squares = 0;
    for (size_t s = 0; s < n; s++) mean += (long double)x[s] / (long double)n;
    for (size_t s = 0; s < n; s++) squares += ((long double)x[s] - mean) * ((long double)x[s] - mean);
    same(is->mean, (double)mean);
    if (n > 1)
        same(is->error, (double)sqrtl(squares / (long double)(n * (n - 1))));
    else
        assert_true(isnan(is->error));
}

static void check_singles(const kelvin_old_metrics *m, const float *logits, const int32_t *y)
{
    double accuracy[MOST], confidence[MOST], log_likelihood[MOST];
    for (uint32_t s = 0; s < m->samples; s++) {
        const struct plain one = plain_ensemble(logits, y, &s, 1);
        accuracy[s] = one.accuracy;
        confidence[s] = one.confidence;
        log_likelihood[s] = one.log_likelihood / N;
    }
    same_average(&m->single.accuracy, accuracy, m->samples);
    same_average(&m->single.confidence, confidence, m->samples);
    same_average(&m->single.log_likelihood, log_likelihood, m->samples);
}

/* The subsets are part of the interface: the first eight of the permutation of (seed 0, step i, user's stream). */
static void check_subsets(const kelvin_old_metrics *m, const float *logits, const int32_t *y)
{
    double accuracy[SUBSETS], confidence[SUBSETS], log_likelihood[SUBSETS];
    assert_int_equal(m->subsets, SUBSETS);
    assert_int_equal(m->subset, SUBSET);
    for (uint32_t i = 0; i < SUBSETS; i++) {
        uint32_t order[MOST];
        kelvin_permutation(order, (uint32_t)m->samples, (kelvin_random){.step = i, .stream = KELVIN_STREAM_USER});
        const struct plain set = plain_ensemble(logits, y, order, SUBSET);
        accuracy[i] = set.accuracy;
        confidence[i] = set.confidence;
        log_likelihood[i] = set.log_likelihood;
    }
    const kelvin_percentiles a = plain_percentiles(accuracy), c = plain_percentiles(confidence),
                             l = plain_percentiles(log_likelihood);
    same_percentiles(&m->spread.accuracy, &a);
    same_percentiles(&m->spread.confidence, &c);
    same_percentiles(&m->spread.log_likelihood, &l);
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
        make(logits, y, counts[c]);
        kelvin_old_metrics m;
        assert_ok(kelvin_ensemble_evaluate(&m, file_of(logits, counts[c]), y, N, K));
        assert_int_equal(m.samples, counts[c]);
        assert_int_equal(m.n, N);
        check_singles(&m, logits, y);
        const struct plain whole = plain_ensemble(logits, y, all, counts[c]);
        same(m.ensemble.accuracy, whole.accuracy);
        same(m.ensemble.confidence, whole.confidence);
        same(m.ensemble.log_likelihood, whole.log_likelihood);
        if (counts[c] > SUBSET) {
            check_subsets(&m, logits, y);
        } else {
            assert_int_equal(m.subsets, 0);
            assert_true(isnan(m.spread.accuracy.median) && isnan(m.spread.log_likelihood.low));
        }
    }
}

/* Three chains of 2, 1 and 3 samples: the mean is that of the samples, its error that of the chains' means. One chain
 * has no error. The rest does not know of chains. */
static void several_per_chain(void **state)
{
    (void)state;
    static const uint32_t chain[] = {0, 0, 4, 5, 5, 5}, same_chain[6] = {0};
    static float logits[6 * N * K];
    int32_t y[N];
    double l[6];
    kelvin_old_metrics m, plain;
    make(logits, y, 6);
    const char *path = file_of(logits, 6);
    assert_ok(kelvin_ensemble_evaluate(&plain, path, y, N, K));
    assert_int_equal(plain.chains, 6);
    assert_ok(kelvin_ensemble_of_chains(&m, path, y, chain, 6, N, K));
    for (uint32_t s = 0; s < 6; s++) l[s] = plain_ensemble(logits, y, &s, 1).log_likelihood / N;
    const kelvin_average means = m.single.log_likelihood;
    const double a = (l[0] + l[1]) / 2, b = l[2], c = (l[3] + l[4] + l[5]) / 3, mean = (a + b + c) / 3;
    assert_true(m.chains == 3 && m.samples == 6);
    same(means.mean, (l[0] + l[1] + l[2] + l[3] + l[4] + l[5]) / 6);
    same(means.error, sqrt(((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) / 6));
    assert_true(m.ensemble.log_likelihood == plain.ensemble.log_likelihood);
    assert_ok(kelvin_ensemble_of_chains(&m, path, y, same_chain, 6, N, K));
    assert_true(m.chains == 1 && isnan(m.single.accuracy.error) &&
                m.single.accuracy.mean == plain.single.accuracy.mean);
    fails(kelvin_ensemble_of_chains(&m, path, y, chain, 5, N, K), KELVIN_EFORMAT, "logits.npy: holds 6 samples",
          "expected 5");
}

/* Labels whose probability is 0 in doubles, in all samples: the sum is finite and what it must be. softmax(-2000, 0) is
 * exp(-2000) / (1 + exp(-2000)); the mean of that and of exp(-2002) is exp(-2000) (1 + exp(-2)) / 2. */
static void beyond_doubles(void **state)
{
    (void)state;
    const float logits[] = {-2000, 0, 3e38f, -3e38f, -2002, 0, 3e38f, -3e38f};
    const char *path = in_base("far.npy");
    const int32_t y[] = {0, 0}, wrong[] = {0, 1};
    kelvin_old_metrics m;
    assert_ok(kelvin_npy_write(path, logits, (const size_t[3]){2, 2, 2}));
    assert_ok(kelvin_ensemble_evaluate(&m, path, y, 2, 2));
    assert_near(m.ensemble.log_likelihood, -2000 + log((1 + exp(-2)) / 2), 4 * 2000 * DBL_EPSILON);
    assert_near(m.single.log_likelihood.mean, -2001 / 2., 4 * 2000 * DBL_EPSILON);
    assert_true(m.ensemble.accuracy == 0.5 && m.ensemble.confidence == 1);
    assert_ok(kelvin_ensemble_evaluate(&m, path, wrong, 2, 2));
    assert_true(isfinite(m.ensemble.log_likelihood) && m.ensemble.log_likelihood < -5e38);
}

/* More numbers than are read at a time: what comes out must not depend on the pieces. The same observations, many
 * times over. */
static void several_pieces(void **state)
{
    (void)state;
    enum { TIMES = 20, S = 24 };
    float *logits = kelvin_alloc((size_t)S * N * K, sizeof *logits);
    float *many = kelvin_alloc((size_t)S * N * K * TIMES, sizeof *many);
    int32_t y[N], *labels = kelvin_alloc((size_t)N * TIMES, sizeof *labels);
    assert_true(logits && many && labels);
    make(logits, y, S);
    for (size_t s = 0; s < S; s++)
        for (size_t t = 0; t < TIMES; t++)
            memcpy(many + (s * TIMES + t) * N * K, logits + s * N * K, N * K * sizeof *many);
    for (size_t t = 0; t < TIMES; t++) memcpy(labels + t * N, y, sizeof y);
    kelvin_old_metrics once, often;
    const char *path = in_base("many.npy");
    assert_ok(kelvin_npy_write(path, many, (const size_t[3]){S, N * TIMES, K}));
    assert_ok(kelvin_ensemble_evaluate(&once, file_of(logits, S), y, N, K));
    assert_ok(kelvin_ensemble_evaluate(&often, path, labels, N * TIMES, K));
    /* 20 times as many roundings */
    const double allowed = 4 * 157 * TIMES * DBL_EPSILON;
    assert_near(often.ensemble.log_likelihood / TIMES / once.ensemble.log_likelihood, 1, allowed);
    assert_near(often.spread.log_likelihood.low / TIMES / once.spread.log_likelihood.low, 1, allowed);
    assert_near(often.spread.confidence.high, once.spread.confidence.high, allowed);
    assert_near(often.single.confidence.mean, once.single.confidence.mean, allowed);
    assert_true(often.ensemble.accuracy == once.ensemble.accuracy);
    assert_true(often.spread.accuracy.median == once.spread.accuracy.median);
    kelvin_free(logits);
    kelvin_free(many);
    kelvin_free(labels);
}

/* ---- an independent program ---- */

static void in_numpy(void **state)
{
    (void)state;
    static float logits[9 * N * K];
    int32_t y[N];
    kelvin_old_metrics m;
    make(logits, y, 9);
    assert_ok(kelvin_ensemble_evaluate(&m, file_of(logits, 9), y, N, K));
    spill(in_base("y.i32"), y, sizeof y);
    const double found[] = {m.single.accuracy.mean,       m.single.accuracy.error,       m.single.confidence.mean,
                            m.single.log_likelihood.mean, m.single.log_likelihood.error, m.ensemble.accuracy,
                            m.ensemble.confidence,        m.ensemble.log_likelihood};
    spill(in_base("found.f64"), found, sizeof found);
    run_python("import sys\n"
               "try: import numpy as np\n"
               "except ImportError: sys.exit(77)\n"
               "d = sys.argv[1]\n"
               "z = np.load(d + '/logits.npy').astype(np.longdouble)\n"
               "y = np.fromfile(d + '/y.i32', np.int32)\n"
               "i = np.arange(len(y))\n"
               "l = z - np.logaddexp.reduce(z, axis=2, keepdims=True)\n"
               "e = np.logaddexp.reduce(l, axis=0) - np.log(np.longdouble(len(z)))\n"
               "error = lambda x: x.std(ddof=1) / len(x) ** 0.5\n"
               "a = (l.argmax(2) == y).mean(1)\n"
               "ll = l[:, i, y].mean(1)\n"
               "should = np.array([a.mean(), error(a), np.exp(l.max(2)).mean(), ll.mean(), error(ll),\n"
               "    (e.argmax(1) == y).mean(), np.exp(e.max(1)).mean(), e[i, y].sum()], float)\n"
               "found = np.fromfile(d + '/found.f64')\n"
               "if not np.allclose(found, should, rtol=2e-13, atol=0): sys.exit(f'{found} {should}')\n",
               base);
}

/* ---- what can go wrong ---- */

static void wrong_shapes(void **state)
{
    (void)state;
    static float logits[9 * N * K];
    int32_t y[N + 1] = {0};
    kelvin_old_metrics m;
    make(logits, y, 9);
    const char *path = file_of(logits, 9);
    fails(kelvin_ensemble_evaluate(&m, path, y, N + 1, K), KELVIN_EFORMAT, "logits.npy", "expected (samples, 158, 7)");
    fails(kelvin_ensemble_evaluate(&m, path, y, N, K + 1), KELVIN_EFORMAT, "(9, 157, 7)", "expected (samples, 157, 8)");
    fails(kelvin_ensemble_evaluate(&m, path, y, 0, K), KELVIN_EUSAGE, "logits.npy", "at least one");
    fails(kelvin_ensemble_evaluate(&m, in_base("none.npy"), y, N, K), KELVIN_EIO, "none.npy", "could not be read");
    y[3] = K;
    fails(kelvin_ensemble_evaluate(&m, path, y, N, K), KELVIN_EUSAGE, "label 3 is 7", "expected 0 .. 6");
    y[3] = -1;
    fails(kelvin_ensemble_evaluate(&m, path, y, N, K), KELVIN_EUSAGE, "label 3 is -1", "expected 0 .. 6");
}

/* Every length of the head, some of the rest; each type that is not ours. */
static void damaged_files(void **state)
{
    (void)state;
    static float logits[3 * N * K];
    int32_t y[N];
    size_t bytes;
    kelvin_old_metrics m;
    make(logits, y, 3);
    char *whole = slurp(file_of(logits, 3), &bytes);
    const char *path = in_base("damaged.npy");
    for (size_t length = 0; length < bytes; length += length < 140 ? 1 : 997) {
        spill(path, whole, length);
        const kelvin_status status = kelvin_ensemble_evaluate(&m, path, y, N, K);
        fails(status, KELVIN_EFORMAT, "damaged.npy", length < 8 ? "not an NPY file" : "expected");
    }
    static const char *const swaps[][2] = {
        {"<f4", ">f4"}, {"<f4", "<i4"}, {"False", "True "}, {"(3, ", "(4, "}, {"157", "7  "}};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        char *copy = kelvin_alloc(bytes, 1), *at = copy + 10; /* after magic, version and length: text */
        assert_non_null(copy);
        memcpy(copy, whole, bytes);
        while (memcmp(at, swaps[i][0], strlen(swaps[i][0])) != 0) at++;
        memcpy(at, swaps[i][1], strlen(swaps[i][1]));
        spill(path, copy, bytes);
        fails(kelvin_ensemble_evaluate(&m, path, y, N, K), KELVIN_EFORMAT, "damaged.npy", "expected");
        kelvin_free(copy);
    }
    kelvin_free(whole);
}

static void not_numbers(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static float logits[3 * N * K];
    int32_t y[N];
    kelvin_old_metrics m;
    make(logits, y, 3);
    for (size_t i = 0; i < 3; i++) {
        logits[(1 * N + 150) * K + 4] = bad[i];
        fails(kelvin_ensemble_evaluate(&m, file_of(logits, 3), y, N, K), KELVIN_EFORMAT,
              "sample 1, observation 150, class 4", "expected a number");
    }
}

/* ---- temperatures ---- */

enum { CHAINS = 4, EPOCHS = 45, LAST = 2 }; /* 45 / 20 */

/* Chain c was at kinetic c + 1 and configurational 10 (c + 1) in the mean of its last two epochs, and far off before;
 * one that ended early would be missed if it counted. */
static void write_histories(const char *folder, size_t of_the_third)
{
    mkdir(folder, 0777);
    for (uint32_t c = 0; c < CHAINS; c++) {
        double rows[EPOCHS][KELVIN_EPOCH_COLUMNS] = {{0}};
        kelvin_path path;
        for (size_t e = 0; e < EPOCHS; e++) {
            const bool last = e >= EPOCHS - LAST;
            rows[e][EPOCH] = (double)e;
            rows[e][TEMPERATURE] = last ? 0.25 : 100;
            rows[e][KINETIC] = last ? c + 1 + (e % 2 ? 0.5 : -0.5) : 1e6;
            rows[e][CONFIGURATIONAL] = last ? 10 * (c + 1.0) + (e % 2 ? 3 : -3) : (double)NAN;
        }
        assert_ok(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, c));
        mkdir(path, 0777);
        assert_ok(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, c));
        assert_ok(kelvin_table_write(path, kelvin_epoch_columns, KELVIN_EPOCH_COLUMNS, rows[0],
                                     c == 2 ? of_the_third : EPOCHS));
    }
}

/* 1, 2, 4: mean 7/3, variance 7/3, standard error sqrt(7)/3. 1, 2, 3, 4: mean 5/2, variance 5/3. */
static void temperatures(void **state)
{
    (void)state;
    const kelvin_run run = {.config = {.chains = CHAINS, .epochs = EPOCHS}};
    const char *folder = in_base("histories");
    kelvin_temperatures t;
    write_histories(folder, EPOCHS);
    assert_ok(kelvin_temperatures_read(&t, &run, folder));
    assert_true(t.chains == CHAINS && t.epochs == LAST && t.set == 0.25);
    same(t.kinetic.mean, 2.5);
    same(t.kinetic.error, sqrt(5 / 12.));
    same(t.configurational.mean, 25);
    same(t.configurational.error, 10 * sqrt(5 / 12.));
    write_histories(folder, EPOCHS - 1);
    assert_ok(kelvin_temperatures_read(&t, &run, folder));
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
    same(t.configurational.error, 10 * sqrt(7) / 3);
}

static void damaged_histories(void **state)
{
    (void)state;
    const kelvin_run run = {.config = {.chains = CHAINS, .epochs = EPOCHS}};
    const char *folder = in_base("damaged"), *history = in_base("damaged/chain-001/history.csv");
    kelvin_temperatures t;
    write_histories(folder, 0);
    size_t bytes;
    char *text = slurp(history, &bytes);
    text[bytes - 3] = 'x';
    spill(history, text, bytes);
    kelvin_free(text);
    fails(kelvin_temperatures_read(&t, &run, folder), KELVIN_EFORMAT, "chain-001/history.csv, line 46",
          "configurational_temperature");
    /* Nobody came to the end: nothing to say, and nothing to fail at. */
    remove_tree(folder);
    assert_ok(kelvin_temperatures_read(&t, &run, folder));
    assert_true(t.chains == 0 && isnan(t.kinetic.mean) && isnan(t.configurational.mean) && isnan(t.set));
}

/* ---- memory ---- */

struct work {
    const char *path;
    int32_t y[N];
};

static kelvin_status evaluate(void *context)
{
    const struct work *work = context;
    kelvin_old_metrics m;
    return kelvin_ensemble_evaluate(&m, work->path, work->y, N, K);
}

static kelvin_status read_temperatures(void *context)
{
    const kelvin_run run = {.config = {.chains = CHAINS, .epochs = EPOCHS}};
    kelvin_temperatures t;
    return kelvin_temperatures_read(&t, &run, context);
}

static void no_memory(void **state)
{
    (void)state;
    static float logits[9 * N * K];
    struct work work;
    make(logits, work.y, 9);
    work.path = file_of(logits, 9);
    assert_true(without_memory(evaluate, &work) > 1);
    kelvin_path folder;
    strcpy(folder, in_base("histories"));
    write_histories(folder, EPOCHS);
    assert_true(without_memory(read_temperatures, folder) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_plain_loops), cmocka_unit_test(beyond_doubles),
        cmocka_unit_test(several_pieces),      cmocka_unit_test(in_numpy),
        cmocka_unit_test(wrong_shapes),        cmocka_unit_test(damaged_files),
        cmocka_unit_test(not_numbers),         cmocka_unit_test(temperatures),
        cmocka_unit_test(damaged_histories),   cmocka_unit_test(no_memory),
        cmocka_unit_test(several_per_chain),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
