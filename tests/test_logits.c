/* Logits: files of a run, what is wrong with them, and the same numbers by the network. */
#include "folder_helpers.h"
#include "npy_helpers.h"

#include <kelvin/kelvin.h>

#include "base/random.h"
#include "posterior/evaluate.h"

enum { N = 157, K = 7 };

static void make(float *logits, int32_t *y, size_t samples)
{
    const kelvin_random where = {.seed = 2385, .stream = KELVIN_STREAM_USER};
    for (size_t i = 0; i < N; i++) y[i] = (int32_t)(i % K);
    for (size_t i = 0; i < samples * N * K; i++) logits[i] = (float)kelvin_normal(where, i);
}

static const char *logits_file(const float *logits, size_t samples)
{
    static kelvin_path path;
    strcpy(path, in_base("logits.npy"));
    assert_ok(write_logits(path, logits, (const size_t[3]){samples, N, K}));
    return path;
}

static const char *labels_file(const int32_t *y, size_t n)
{
    static kelvin_path path;
    strcpy(path, in_base("labels.npy"));
    assert_ok(kelvin_labels_write(path, y, n));
    return path;
}

static kelvin_status evaluate_files(kelvin_metrics *m, const struct kelvin_logits_form *form)
{
    kelvin_logits *source;
    KELVIN_TRY(kelvin_logits_from_files(&source, form));
    const kelvin_status status = kelvin_evaluate_into(m, source, NULL, NULL);
    kelvin_logits_close(source);
    return status;
}

static void from_files(void **state)
{
    (void)state;
    enum { S = 9 };
    static float logits[S * N * K];
    int32_t y[N + 1] = {0};
    kelvin_metrics m;
    make(logits, y, S);
    struct kelvin_logits_form form = {.logits = logits_file(logits, S), .labels = labels_file(y, N), .classes = K};
    assert_ok(evaluate_files(&m, &form));
    assert_true(m.samples == S && m.n == N && m.classes == K);
    form.samples = 8;
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "logits.npy: holds 9 samples", "expected 8");
    form.samples = S;
    form.n = N + 1;
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "logits.npy", "expected (samples, 158, 7)");
    form.n = N;
    form.classes = K + 1;
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "(9, 157, 7)", "expected (samples, 157, 8)");
    form.classes = K;
    labels_file(y, N + 1);
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "labels.npy: shape is (158,)", "expected (157,)");
    y[3] = K;
    labels_file(y, N);
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "labels.npy: label 3 is 7", "expected 0 .. 6");
    y[3] = -1;
    labels_file(y, N);
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "labels.npy: label 3 is -1", "expected 0 .. 6");
    form.labels = form.logits;
    fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "logits.npy: holds <f4", "expected labels as <i8");
    form.logits = in_base("none.npy");
    fails(evaluate_files(&m, &form), KELVIN_EIO, "none.npy", "could not be read");
}

/* So large that it comes in several pieces: every number in its place, and no observation twice. */
static void large_file(void **state)
{
    (void)state;
    enum { S = 3000 }; /* so many that they come in parts */
    const size_t size = (size_t)S * N * K;
    float *z = kelvin_alloc(size, sizeof *z);
    int32_t y[N];
    kelvin_logits *source;
    kelvin_piece piece;
    assert_non_null(z);
    for (size_t i = 0; i < size; i++) z[i] = (float)i; /* up to 2^22: exact */
    for (size_t i = 0; i < N; i++) y[i] = (int32_t)(i % K);
    const struct kelvin_logits_form form = {.logits = logits_file(z, S), .labels = labels_file(y, N), .classes = K};
    assert_ok(kelvin_logits_from_files(&source, &form));
    size_t seen = 0, pieces = 0, parts = 0, samples = 0;
    for (;; parts++) {
        assert_ok(kelvin_logits_next(source, &piece));
        if (piece.n == 0) break;
        assert_int_equal(piece.first, seen);
        assert_int_equal(piece.first_sample, samples);
        assert_memory_equal(piece.y, y + seen, piece.n * sizeof *y);
        for (size_t s = 0; s < piece.samples; s++)
            assert_memory_equal(piece.z + s * piece.n * K, z + ((samples + s) * N + seen) * K, piece.n * K * sizeof *z);
        if ((samples += piece.samples) < S) continue;
        seen += piece.n;
        samples = 0;
        pieces++;
    }
    assert_true(seen == N && samples == 0 && pieces > 1 && parts > pieces);
    float *one = kelvin_alloc((size_t)S * K, sizeof *one);
    assert_non_null(one);
    for (size_t i = 0; i < N; i += 52) {
        assert_ok(source->at(source, one, i));
        for (size_t s = 0; s < S; s++) assert_memory_equal(one + s * K, z + (s * N + i) * K, K * sizeof *z);
    }
    kelvin_free(one);
    kelvin_logits_close(source);
    kelvin_free(z);
}

/* Every length of the head, some of the rest; each type that is not ours. */
static void damaged_files(void **state)
{
    (void)state;
    static float logits[3 * N * K];
    int32_t y[N];
    size_t bytes;
    kelvin_metrics m;
    make(logits, y, 3);
    char *whole = slurp(logits_file(logits, 3), &bytes);
    const struct kelvin_logits_form form = {
        .logits = in_base("damaged.npy"), .labels = labels_file(y, N), .n = N, .classes = K};
    for (size_t length = 0; length < bytes; length += length < 140 ? 1 : 997) {
        spill(form.logits, whole, length);
        fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "damaged.npy", length < 8 ? "not an NPY file" : "expected");
    }
    static const char *const swaps[][2] = {
        {"<f4", ">f4"}, {"<f4", "<i4"}, {"False", "True "}, {"(3, ", "(4, "}, {"157", "7  "}};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        char *copy = kelvin_alloc(bytes, 1), *at = copy + 10; /* after magic, version and length: text */
        assert_non_null(copy);
        memcpy(copy, whole, bytes);
        while (memcmp(at, swaps[i][0], strlen(swaps[i][0])) != 0) at++;
        memcpy(at, swaps[i][1], strlen(swaps[i][1]));
        spill(form.logits, copy, bytes);
        fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "damaged.npy", "expected");
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
    kelvin_metrics m;
    make(logits, y, 3);
    for (size_t i = 0; i < 3; i++) {
        logits[(1 * N + 150) * K + 4] = bad[i];
        const struct kelvin_logits_form form = {
            .logits = logits_file(logits, 3), .labels = labels_file(y, N), .classes = K};
        fails(evaluate_files(&m, &form), KELVIN_EFORMAT, "logits.npy: sample 1, observation 150, class 4",
              "expected a number");
    }
}

/* ---- by the network ---- */

enum { POINTS = 18, SAMPLES = 2 * 4, CLASSES = 2, NUMBERS = SAMPLES * POINTS * CLASSES };

/* The folder of a small run on 18 points of two classes: four samples of each of two chains. */
static const char *sampled_folder(const char *sampler)
{
    static kelvin_path folder;
    kelvin_run_config config;
    kelvin_run *run;
    strcpy(folder, in_base(sampler));
    if (exists(folder)) return folder;
    assert_ok(kelvin_run_defaults(&config, sampler));
    config.data = "toy";
    config.model = "mlp:10,10";
    config.chains = 2;
    config.samples = SAMPLES;
    config.epochs = 8;
    config.schedule = config.temperature_schedule = "cyclical";
    config.iterations = 6;
    config.warmup = 2;
    config.seed = 2385;
    if (!kelvin_run_set(&config, "steps", 20)) assert_ok(kelvin_run_set(&config, "step_size", 0.001));
    assert_ok(kelvin_run_begin(&run, &config, folder));
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2}, NULL, NULL));
    kelvin_run_close(run);
    return folder;
}

/* All pieces, one after the other: (samples, n, classes). */
static size_t gather(float *z, int32_t *y, kelvin_logits *source, size_t n)
{
    kelvin_piece piece;
    size_t seen = 0;
    for (;; seen += piece.n) {
        assert_ok(kelvin_logits_next(source, &piece));
        if (piece.n == 0) return seen;
        assert_int_equal(piece.first, seen);
        assert_int_equal(piece.samples, source->samples);
        for (size_t s = 0; s < source->samples; s++)
            memcpy(z + (s * n + seen) * source->classes, piece.z + s * piece.n * source->classes,
                   piece.n * source->classes * sizeof *z);
        memcpy(y + seen, piece.y, piece.n * sizeof *y);
    }
}

/* What the run has left is what the network says again, to the last bit, on any number of threads. */
static void computed_again(const char *sampler)
{
    kelvin_samples *samples;
    kelvin_logits *source;
    float saved[NUMBERS], again[NUMBERS];
    int32_t y[2][POINTS];
    kelvin_path path, away;
    assert_ok(kelvin_samples_open(&samples, sampled_folder(sampler)));
    assert_int_equal(samples->n, SAMPLES);
    assert_ok(kelvin_path_join(path, samples->folder, "logits_train.npy"));
    assert_ok(kelvin_path_join(away, samples->folder, "away.npy"));
    assert_ok(kelvin_logits_of_side(&source, samples, KELVIN_TRAIN, 1));
    assert_int_equal(gather(saved, y[0], source, POINTS), POINTS);
    assert_true(kelvin_logits_seconds(source) == 0);
    kelvin_logits_close(source);
    assert_int_equal(rename(path, away), 0);
    fails(kelvin_logits_saved(&source, samples, KELVIN_TRAIN), KELVIN_EFORMAT, sampler, ": has no logits_train.npy");
    for (size_t threads = 1; threads < 4; threads++) {
        memset(again, 0, sizeof again);
        assert_ok(kelvin_logits_of_side(&source, samples, KELVIN_TRAIN, threads));
        assert_int_equal(gather(again, y[1], source, POINTS), POINTS);
        assert_true(kelvin_logits_seconds(source) > 0);
        kelvin_logits_close(source);
        assert_memory_equal(saved, again, sizeof saved);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
    fails(kelvin_logits_of_side(&source, samples, KELVIN_TEST, 1), KELVIN_EFORMAT, "toy has no part for testing", "");
    assert_int_equal(rename(away, path), 0);
    kelvin_samples_close(samples);
}

static void computed_again_of_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) computed_again(type->member.name);
}

/* Another number, which is a number: nothing but the manifest can tell. */
static void changed_since(void **state)
{
    (void)state;
    kelvin_samples *samples;
    kelvin_logits *source;
    kelvin_path path;
    size_t bytes;
    sampled_folder("hmc");
    static const char *const names[] = {"logits_train.npy", "labels_train.npy"};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(kelvin_path_join(path, in_base("hmc"), "%s", names[i]));
        char *whole = slurp(path, &bytes);
        whole[128] ^= 1; /* after the header; a label becomes the other one */
        spill(path, whole, bytes);
        assert_ok(kelvin_samples_open(&samples, in_base("hmc")));
        fails(kelvin_logits_saved(&source, samples, KELVIN_TRAIN), KELVIN_EFORMAT, names[i], "resuming");
        whole[128] ^= 1;
        spill(path, whole, bytes);
        kelvin_samples_close(samples);
        assert_ok(kelvin_samples_open(&samples, in_base("hmc")));
        assert_ok(kelvin_logits_saved(&source, samples, KELVIN_TRAIN));
        kelvin_logits_close(source);
        kelvin_samples_close(samples);
        kelvin_free(whole);
    }
}

/* ---- memory ---- */

static kelvin_status read_all(kelvin_logits *source)
{
    kelvin_piece piece = {.n = 1};
    kelvin_status status = KELVIN_OK;
    while (!status && piece.n > 0) status = kelvin_logits_next(source, &piece);
    kelvin_logits_close(source);
    return status;
}

static kelvin_status of_files(void *context)
{
    kelvin_logits *source;
    KELVIN_TRY(kelvin_logits_from_files(&source, context));
    return read_all(source);
}

static kelvin_status of_network(void *context)
{
    kelvin_samples *samples;
    kelvin_logits *source;
    KELVIN_TRY(kelvin_samples_open(&samples, context));
    kelvin_status status = kelvin_logits_of_side(&source, samples, KELVIN_TRAIN, 2);
    if (!status) status = read_all(source);
    kelvin_samples_close(samples);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    static float logits[9 * N * K];
    static const uint32_t chain[9] = {0};
    int32_t y[N];
    make(logits, y, 9);
    struct kelvin_logits_form form = {
        .logits = logits_file(logits, 9), .labels = labels_file(y, N), .chain = chain, .classes = K};
    assert_true(without_memory(of_files, &form) > 4);
    kelvin_path folder;
    strcpy(folder, sampled_folder("hmc"));
    assert_int_equal(remove(in_base("hmc/logits_train.npy")), 0);
    assert_true(without_memory(of_network, folder) > 10);
}

/* The same files, read by somebody else: any number of classes will do. */
static void from_bytes(void **state)
{
    (void)state;
    enum { S = 9 };
    static float logits[S * N * K];
    int32_t y[N];
    kelvin_metrics of_disk, of_memory;
    kelvin_logits *source;
    make(logits, y, S);
    struct kelvin_logits_form form = {.logits = logits_file(logits, S), .labels = labels_file(y, N)};
    assert_ok(evaluate_files(&of_disk, &form));
    struct kelvin_file_bytes z = {0}, labels = {0};
    char *z_file = slurp(form.logits, &z.n), *y_file = slurp(form.labels, &labels.n);
    z.data = z_file;
    labels.data = y_file;
    form.logits = "z.npy";
    form.labels = "y.npy";
    assert_ok(kelvin_logits_from_bytes(&source, &form, z, labels));
    assert_ok(kelvin_evaluate_into(&of_memory, source, NULL, NULL));
    kelvin_logits_close(source);
    assert_memory_equal(of_memory.ensemble, of_disk.ensemble, sizeof of_disk.ensemble);
    assert_true(of_memory.samples == S && of_memory.classes == K && of_memory.n == N);
    fails(kelvin_logits_from_bytes(&source, &form, z, z), KELVIN_EFORMAT, "y.npy: holds <f4", "expected labels");
    assert_null(source);
    z.n -= 4;
    fails(kelvin_logits_from_bytes(&source, &form, z, labels), KELVIN_EFORMAT, "z.npy: holds ", "bytes of data");
    z = (struct kelvin_file_bytes){0};
    fails(kelvin_logits_from_bytes(&source, &form, z, labels), KELVIN_EFORMAT, "z.npy: ", "NPY");
    kelvin_free(z_file);
    kelvin_free(y_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_files),    cmocka_unit_test(from_bytes),
        cmocka_unit_test(large_file),    cmocka_unit_test(damaged_files),
        cmocka_unit_test(not_numbers),   cmocka_unit_test(computed_again_of_every_sampler),
        cmocka_unit_test(changed_since), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
