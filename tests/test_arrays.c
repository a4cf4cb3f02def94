/* Data in memory: against the same numbers in files, against plain loops in double, and without a disk. */
#include "folder_helpers.h"

#include "fit_helpers.h"
#include "nets.h"

#include "data/dataset.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fit_table table;

/* ---- what must hold ---- */

static double weights[FIT_ROWS];
static const char *const two_names[] = {"a", "b"}, *const same_names[] = {"a", "b", "a"};
static const char *column_names[FIT_COLUMNS];

static void nan_in_x(kelvin_arrays *a)
{
    (void)a;
    table.x[6][3] = NAN;
}

static void infinite_x(kelvin_arrays *a)
{
    (void)a;
    table.x[999][19] = -INFINITY;
}

static void negative_label(kelvin_arrays *a)
{
    (void)a;
    table.y[4] = -1;
}

static void large_label(kelvin_arrays *a)
{
    a->classes = 3;
    table.y[11] = 3;
}

static void one_class(kelvin_arrays *a)
{
    (void)a;
    for (size_t i = 0; i < FIT_ROWS; i++) table.y[i] = 1;
}

static void one_class_counts(kelvin_arrays *a)
{
    for (size_t i = 0; i < FIT_ROWS; i++) weights[i] = table.y[i] == 2;
    a->weights = weights;
}

static void negative_weight(kelvin_arrays *a)
{
    weights[2] = -0.5;
    a->weights = weights;
}

static void endless_weight(kelvin_arrays *a)
{
    weights[3] = INFINITY;
    a->weights = weights;
}

static void no_weight(kelvin_arrays *a)
{
    memset(weights, 0, sizeof weights);
    a->weights = weights;
}

static void heavy(kelvin_arrays *a)
{
    weights[0] = 5e9;
    a->weights = weights;
}

static void no_rows(kelvin_arrays *a)
{
    a->rows = 0;
}

static void no_columns(kelvin_arrays *a)
{
    a->columns = 0;
}

static void endless_columns(kelvin_arrays *a)
{
    a->columns = SIZE_MAX / 100;
}

static void no_x(kelvin_arrays *a)
{
    a->x = NULL;
}

static void no_labels(kelvin_arrays *a)
{
    a->labels = NULL;
}

static void both(kelvin_arrays *a)
{
    a->bytes = (const uint8_t *)table.x;
    a->channels = a->height = a->width = 1;
}

static void flat_images(kelvin_arrays *a)
{
    a->bytes = (const uint8_t *)table.x;
    a->x = NULL;
    a->channels = a->width = 3;
}

static void split_and_test(kelvin_arrays *a)
{
    a->test_x = a->x;
    a->test_labels = a->labels;
    a->test_rows = 5;
    a->split = 0.1;
}

static void test_without_rows(kelvin_arrays *a)
{
    a->test_x = a->x;
}

static void test_without_labels(kelvin_arrays *a)
{
    a->test_x = a->x;
    a->test_rows = 5;
}

static void whole_split(kelvin_arrays *a)
{
    a->split = 1;
}

static void a_lonely_class(kelvin_arrays *a)
{
    a->name = "mine";
    table.y[17] = 3;
}

static void equal_classes(kelvin_arrays *a)
{
    a->class_names = same_names;
}

static void equal_columns(kelvin_arrays *a)
{
    for (size_t j = 0; j < FIT_COLUMNS; j++) column_names[j] = j == 7 ? "b" : two_names[j > 3];
    a->column_names = column_names;
}

static void many_classes(kelvin_arrays *a)
{
    a->classes = 10001;
}

static void faults_have_sentences(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(kelvin_arrays *);
        const char *sentence;
    } cases[] = {
        {nan_in_x, "arrays: x: row 7, column 4 (from 1): nan; expected a finite number"},
        {infinite_x, "arrays: x: row 1000, column 20 (from 1): -inf; expected a finite number"},
        {negative_label, "arrays: labels: row 5 (from 1): -1; expected a class, from 0 on"},
        {large_label, "arrays: labels: row 12 (from 1): 3; expected 0 to 2"},
        {one_class, "arrays: all labels are 1; expected at least 2 different ones"},
        {one_class_counts, "arrays: all labels are 2; expected at least 2 different ones"},
        {negative_weight, "arrays: weights: row 3 (from 1): -0.5; expected a finite number from 0 on"},
        {endless_weight, "arrays: weights: row 4 (from 1): inf; expected a finite number from 0 on"},
        {no_weight, "arrays: all weights are 0; expected rows that count"},
        {heavy, "arrays: 5000000999 rows, as often as weights say; expected at most 4294967295"},
        {no_rows, "arrays: no rows; expected at least 2"},
        {no_columns, "arrays: a table of 0 columns; expected at least 1"},
        {endless_columns, "are more than can be addressed"},
        {no_x, "arrays: x is missing; expected 1000 rows"},
        {no_labels, "arrays: labels are missing; expected 1000 of them"},
        {both, "arrays: x is given together with bytes; expected one of the two"},
        {flat_images, "arrays: images of 3 x 0 x 3 (channels x height x width); expected at least 1 of each"},
        {split_and_test, "arrays: split is given together with a test part; expected one of the two"},
        {test_without_rows, "arrays: a test part is given, and test_rows is 0; expected how many it has"},
        {test_without_labels, "arrays: test_labels are missing; expected 5 of them"},
        {whole_split, "arrays: split is 1; expected a share below 1, or less than 0 for none"},
        {a_lonely_class, "mine: class '3' has one member (row 18), which cannot be split into training and test; "
                         "expected at least 2, or a test part of its own, or a split below 0: none"},
        {equal_classes, "arrays: class_names: numbers 0 and 2 (from 0) are both 'a'; expected different ones"},
        {equal_columns, "arrays: column_names: numbers 0 and 1 (from 0) are both 'a'; expected different ones"},
        {many_classes, "arrays: 10001 classes; expected at most 10000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kelvin_data *data = (kelvin_data *)&table;
        fit_fill(&table, 1);
        for (size_t k = 0; k < FIT_ROWS; k++) weights[k] = 1;
        kelvin_arrays arrays = fit_arrays(&table);
        cases[i].spoil(&arrays);
        const kelvin_status status = kelvin_data_from_arrays(&data, &arrays);
        if ((status != KELVIN_EUSAGE && status != KELVIN_EFORMAT) || !strstr(kelvin_error(), cases[i].sentence))
            fail_msg("%zu: status %d, \"%s\" instead of \"%s\"", i, (int)status, kelvin_error(), cases[i].sentence);
        assert_null(data);
    }
}

/* ---- the same numbers in a file ---- */

/* `digits` of each number: 17 are those of any double. */
static void write_csv(const char *path, const struct fit_table *t, int digits)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < FIT_ROWS; i++) {
        for (size_t j = 0; j < FIT_COLUMNS; j++) fprintf(file, "%.*g,", digits, (double)t->x[i][j]);
        fprintf(file, "%d\n", (int)t->y[i]);
    }
    assert_int_equal(fclose(file), 0);
}

static void assert_same_part(const kelvin_part *a, const kelvin_part *b, size_t inputs)
{
    assert_int_equal(a->n, b->n);
    assert_bits(a->x, b->x, a->n * inputs, "rows");
    assert_memory_equal(a->y, b->y, a->n * sizeof *a->y);
}

static void assert_same_data(const kelvin_data *a, const kelvin_data *b)
{
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->classes, b->classes);
    for (size_t i = 0; i < a->classes; i++) assert_string_equal(a->class_names[i], b->class_names[i]);
    assert_same_part(&a->train, &b->train, a->inputs);
    assert_same_part(&a->test, &b->test, a->inputs);
    assert_memory_equal(a->mean, b->mean, a->inputs * sizeof *a->mean);
    assert_memory_equal(a->deviation, b->deviation, a->inputs * sizeof *a->deviation);
}

/* What a run says of some inputs; freed by the caller. */
static double *predictions(kelvin_run *run, const float *x, size_t n)
{
    kelvin_samples *samples;
    double *p = room(n * FIT_CLASSES, sizeof *p);
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_predict(samples, p, x, n, 2));
    kelvin_samples_close(samples);
    return p;
}

static void assert_same_runs(kelvin_run *a, kelvin_run *b)
{
    float *draws[2];
    size_t n[2];
    assert_ok(fit_draws(&draws[0], &n[0], a));
    assert_ok(fit_draws(&draws[1], &n[1], b));
    assert_int_equal(n[0], n[1]);
    assert_bits(draws[0], draws[1], n[0], "draws");
    double *p = predictions(a, table.x[0], FIT_ROWS), *q = predictions(b, table.x[0], FIT_ROWS);
    assert_memory_equal(p, q, FIT_ROWS * FIT_CLASSES * sizeof *p);
    for (size_t i = 0; i < FIT_ROWS; i++) assert_near(p[3 * i] + p[3 * i + 1] + p[3 * i + 2], 1, 1e-12);
    kelvin_free(p);
    kelvin_free(q);
    kelvin_free(draws[0]);
    kelvin_free(draws[1]);
}

/* From the split to the last draw. */
static void files_and_arrays_are_the_same(void **state)
{
    (void)state;
    static const char *const *const samplers[] = {fit_sghmc, fit_hmc};
    for (int rounded = 0; rounded < 2; rounded++) {
        kelvin_path path, spec;
        kelvin_data *memory, *file;
        fit_fill(&table, 1);
        for (size_t i = 0; rounded && i < FIT_ROWS * FIT_COLUMNS; i++) /* numbers that nine digits hold exactly */
            table.x[i / FIT_COLUMNS][i % FIT_COLUMNS] = rintf(64 * table.x[i / FIT_COLUMNS][i % FIT_COLUMNS]) / 64;
        assert_ok(kelvin_path_join(path, base, "table.csv"));
        write_csv(path, &table, rounded ? 9 : 17);
        snprintf(spec, sizeof spec, "csv:%.4000s", path);
        const kelvin_arrays arrays = fit_arrays(&table);
        assert_ok(kelvin_data_from_arrays(&memory, &arrays));
        assert_ok(kelvin_data_open(&file, spec));
        assert_int_equal(memory->test.n, 200);
        assert_same_data(memory, file);
        for (size_t s = 0; s < 2; s++) {
            kelvin_run *a, *b;
            assert_ok(fit_run(&a, samplers[s], memory, NULL, NULL, 2));
            assert_ok(fit_run(&b, samplers[s], NULL, spec, NULL, 1));
            assert_same_runs(a, b);
            kelvin_run_close(a);
            kelvin_run_close(b);
        }
        kelvin_data_close(memory);
        kelvin_data_close(file);
    }
}

/* Another share and seed, and classes beyond 9: numbers are in their order, not in that of their texts. */
static void splits_are_the_same(void **state)
{
    (void)state;
    kelvin_path path, spec;
    kelvin_data *memory, *file;
    fit_fill(&table, 2);
    for (size_t i = 0; i < FIT_ROWS; i++) table.y[i] = (int32_t)(i * 7 % 12);
    assert_ok(kelvin_path_join(path, base, "twelve.csv"));
    write_csv(path, &table, 17);
    snprintf(spec, sizeof spec, "csv:%.4000s,split=0.37,seed=11", path);
    kelvin_arrays arrays = fit_arrays(&table);
    arrays.split = 0.37;
    arrays.split_seed = 11;
    assert_ok(kelvin_data_from_arrays(&memory, &arrays));
    assert_ok(kelvin_data_open(&file, spec));
    assert_int_equal(memory->classes, 12);
    assert_string_equal(kelvin_data_class_name(memory, 10), "10");
    assert_same_data(memory, file);
    kelvin_data_close(memory);
    kelvin_data_close(file);
}

/* ---- parts of their own, names ---- */

static void names_and_parts(void **state)
{
    (void)state;
    static const char *const classes[] = {"red", "green", "blue"};
    kelvin_data *data;
    fit_fill(&table, 3);
    kelvin_arrays arrays = fit_arrays(&table);
    arrays.rows = 700;
    arrays.class_names = classes;
    arrays.label_name = "colour";
    arrays.name = "colours";
    arrays.test_rows = 300;
    arrays.test_x = table.x[700];
    arrays.test_labels = table.y + 700;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_string_equal(kelvin_data_name(data), "colours");
    assert_string_equal(kelvin_data_label_name(data), "colour");
    assert_string_equal(kelvin_data_class_name(data, 2), "blue");
    assert_null(kelvin_data_column_name(data, 0));
    assert_false(kelvin_data_is_images(data));
    assert_null(kelvin_data_weights(data, KELVIN_TRAIN));
    assert_int_equal(kelvin_data_rows(data, KELVIN_TRAIN), 700);
    assert_int_equal(kelvin_data_rows(data, KELVIN_TEST), 300);
    assert_int_equal(kelvin_data_shape(data).channels, FIT_COLUMNS);
    assert_memory_equal(kelvin_data_labels(data, KELVIN_TRAIN), table.y, 700 * sizeof *table.y);
    assert_memory_equal(kelvin_data_labels(data, KELVIN_TEST), table.y + 700, 300 * sizeof *table.y);
    float x[FIT_COLUMNS];
    kelvin_data_slice(data, KELVIN_TEST, x, 299, 1);
    for (size_t j = 0; j < FIT_COLUMNS; j++) { /* by the mean of the training rows, in plain loops */
        double mean = 0, squares = 0;
        for (size_t i = 0; i < 700; i++) mean += (double)table.x[i][j] / 700;
        for (size_t i = 0; i < 700; i++) squares += pow((double)table.x[i][j] - mean, 2) / 700;
        assert_near(kelvin_data_mean(data, j), mean, 1e-12);
        assert_near((double)x[j], ((double)table.x[999][j] - mean) / sqrt(squares), 1e-6);
    }
    kelvin_data_close(data);
}

/* Bytes stay bytes; what is seen of them is (byte / 255 - mean) / deviation. */
static void images_are_bytes(void **state)
{
    (void)state;
    enum { N = 40, CHANNELS = 3, SIDE = 5, INPUTS = CHANNELS * SIDE * SIDE };
    uint8_t bytes[N][CHANNELS][SIDE * SIDE];
    int32_t labels[N];
    float x[INPUTS];
    double weight[N];
    uint32_t seed = 5;
    for (size_t i = 0; i < N * INPUTS; i++) (&bytes[0][0][0])[i] = (uint8_t)(256 * fit_uniform(&seed));
    for (size_t i = 0; i < N; i++) labels[i] = i % 2;
    for (size_t i = 0; i < N; i++) weight[i] = i % 5 ? 0.25 * (double)(i % 5) : 1;
    for (int weighted = 0; weighted < 2; weighted++) {
        kelvin_arrays arrays = {.rows = N, .channels = CHANNELS, .height = SIDE, .width = SIDE, .bytes = bytes[0][0]};
        kelvin_data *data;
        arrays.labels = labels;
        arrays.split = -1;
        arrays.weights = weighted ? weight : NULL;
        assert_ok(kelvin_data_from_arrays(&data, &arrays));
        assert_true(kelvin_data_is_images(data));
        assert_int_equal(kelvin_data_inputs(data), INPUTS);
        assert_int_equal(kelvin_data_rows(data, KELVIN_TEST), 0);
        kelvin_data_slice(data, KELVIN_TRAIN, x, 17, 1);
        for (size_t c = 0; c < CHANNELS; c++) {
            double total = 0, mean = 0, squares = 0;
            for (size_t i = 0; i < N; i++) total += SIDE * SIDE * (weighted ? weight[i] : 1);
            for (size_t i = 0; i < N * SIDE * SIDE; i++)
                mean += (weighted ? weight[i / 25] : 1) * bytes[i / 25][c][i % 25] / 255.0 / total;
            for (size_t i = 0; i < N * SIDE * SIDE; i++)
                squares += (weighted ? weight[i / 25] : 1) * pow(bytes[i / 25][c][i % 25] / 255.0 - mean, 2) / total;
            assert_near(kelvin_data_mean(data, c), mean, 1e-12);
            assert_near(kelvin_data_deviation(data, c), sqrt(squares), 1e-12);
            for (size_t i = 0; i < SIDE * SIDE; i++)
                assert_near((double)x[c * SIDE * SIDE + i], (bytes[17][c][i] / 255.0 - mean) / sqrt(squares), 1e-6);
        }
        kelvin_data_close(data);
    }
}

/* ---- weights ---- */

static void draws_of_weights_are_those_of_repetition(void **state)
{
    (void)state;
    static const char *const *const samplers[] = {fit_sghmc, fit_hmc, fit_mclmc};
    static struct fit_table twice;
    fit_fill(&table, 1);
    for (size_t i = 0; i < FIT_ROWS / 2; i++)
        for (size_t k = 0; k < 2; k++) {
            memcpy(twice.x[2 * i + k], table.x[i], sizeof table.x[i]);
            twice.y[2 * i + k] = table.y[i];
            weights[i] = 2;
        }
    kelvin_arrays weighted = fit_arrays(&table), repeated = fit_arrays(&twice);
    weighted.rows = FIT_ROWS / 2;
    weighted.weights = weights;
    for (size_t s = 0; s < sizeof samplers / sizeof *samplers; s++) {
        float *a, *b;
        size_t n, m;
        assert_ok(fit_memory(&a, &n, samplers[s], &weighted, 1));
        assert_ok(fit_memory(&b, &m, samplers[s], &repeated, 1));
        assert_int_equal(n, m);
        assert_bits(a, b, n, samplers[s][1]);
        kelvin_free(a);
        kelvin_free(b);
    }
}

/* ---- predictions ---- */

/* Every sample's logits by plain layers in double; probabilities by plain softmax. */
static void predictions_are_plain(void **state)
{
    (void)state;
    enum { N = 37 };
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples, *kept;
    kelvin_path folder;
    fit_fill(&table, 1);
    const kelvin_arrays arrays = fit_arrays(&table);
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_ok(kelvin_path_join(folder, base, "run"));
    assert_ok(fit_run(&run, fit_sghmc, data, NULL, folder, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_samples_open(&kept, folder));
    const kelvin_model *model = kelvin_run_model(run);
    const size_t count = kelvin_samples_count(samples), parameters = model->n_params;
    float *theta = room(parameters, sizeof *theta), *z = room(count * N * FIT_CLASSES, sizeof *z);
    float *again = room(count * N * FIT_CLASSES, sizeof *again);
    double p[N][FIT_CLASSES], q[N][FIT_CLASSES], sum[N][FIT_CLASSES] = {{0}};
    const float *x = table.x[900];
    assert_ok(kelvin_predict(samples, p[0], x, N, 2));
    assert_ok(kelvin_predict(kept, q[0], x, N, 1));
    assert_memory_equal(p, q, sizeof p);
    assert_ok(kelvin_predict_logits(samples, z, x, N, 1));
    assert_ok(kelvin_predict_logits(kept, again, x, N, 2));
    assert_bits(z, again, count * N * FIT_CLASSES, "logits of the folder");
    struct plain_net *net = plain_net_create(model);
    for (size_t s = 0; s < count; s++) {
        assert_ok(kelvin_samples_read(samples, theta, s));
        double *theta_d = doubles_of(theta, parameters);
        for (size_t i = 0; i < N; i++) {
            float input[FIT_COLUMNS];
            double e[FIT_CLASSES], total = 0;
            for (size_t j = 0; j < FIT_COLUMNS; j++)
                input[j] = (float)(((double)x[i * FIT_COLUMNS + j] - kelvin_data_mean(data, j)) /
                                   kelvin_data_deviation(data, j));
            const double *logits = plain_net_forward(net, theta_d, input);
            for (size_t k = 0; k < FIT_CLASSES; k++) {
                const double got = (double)z[(s * N + i) * FIT_CLASSES + k];
                assert_near(got, logits[k], 1e-5 * (1 + fabs(logits[k])));
                total += e[k] = exp(got);
            }
            for (size_t k = 0; k < FIT_CLASSES; k++) sum[i][k] += e[k] / total / (double)count;
        }
        kelvin_free(theta_d);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < FIT_CLASSES; k++) assert_near(p[i][k], sum[i][k], 1e-12);
    assert_ok(kelvin_predict(samples, p[0], NULL, 0, 1)); /* nothing is no failure */
    table.x[903][5] = NAN;
    assert_int_equal(kelvin_predict(samples, p[0], x, N, 1), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "x: row 4, column 6 (from 1): nan; expected a finite number");
    assert_int_equal(kelvin_predict_images(samples, p[0], (const uint8_t *)x, N, 1), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "the network takes rows of a table; expected x, and no bytes");
    plain_net_destroy(net);
    kelvin_free(theta);
    kelvin_free(z);
    kelvin_free(again);
    kelvin_samples_close(samples);
    kelvin_samples_close(kept);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

/* The images that a network was trained on, as bytes of one's own: what it says of them as the run's own data. */
static void images_are_predicted(void **state)
{
    (void)state;
    static const char *const fields[] = {"sampler", "sghmc", "samples", "2",    "epochs", "1", "chains",
                                         "2",       "model", "cnn",     "seed", "3",      NULL};
    enum { N = 30 };
    kelvin_data *digits;
    kelvin_run *run;
    kelvin_samples *samples;
    kelvin_logits *logits;
    kelvin_piece piece;
    float z[2 * N * 10];
    double p[N * 10];
    assert_ok(kelvin_data_open(&digits, "digits"));
    assert_ok(fit_run(&run, fields, digits, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_ok(kelvin_predict_logits_images(samples, z, digits->test.bytes, N, 1));
    assert_ok(kelvin_predict_images(samples, p, digits->test.bytes, N, 1));
    assert_ok(kelvin_logits_of_side(&logits, samples, KELVIN_TEST, 1));
    assert_ok(kelvin_logits_next(logits, &piece));
    assert_int_equal(piece.samples, 2);
    assert_true(piece.n >= N);
    for (size_t s = 0; s < 2; s++) assert_bits(z + s * N * 10, piece.z + s * piece.n * 10, N * 10, "logits");
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t k = 0; k < 10; k++) sum += p[10 * i + k];
        assert_near(sum, 1, 1e-12);
    }
    kelvin_logits_close(logits);
    assert_int_equal(kelvin_predict(samples, p, z, N, 1), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "the network takes images; expected bytes, and no x");
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(digits);
}

/* Labels are those of the caller, or none. */
static void inputs_have_labels(void **state)
{
    (void)state;
    kelvin_data *data;
    kelvin_inputs *inputs;
    kelvin_rows rows;
    int32_t labels[5] = {2, -1, 0, 1, 3};
    fit_fill(&table, 1);
    const kelvin_arrays arrays = fit_arrays(&table);
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_ok(kelvin_inputs_from_array(&inputs, table.x[0], NULL, labels, 5, data));
    assert_true(kelvin_inputs_labelled(inputs));
    assert_ok(kelvin_inputs_next(inputs, &rows, 3));
    assert_int_equal(rows.n, 3);
    assert_memory_equal(rows.y, labels, 3 * sizeof *labels);
    assert_ok(kelvin_inputs_next(inputs, &rows, 1)); /* goes on where it was */
    assert_int_equal(rows.first, 3);
    assert_int_equal(rows.y[0], 1);
    for (size_t j = 0; j < FIT_COLUMNS; j++)
        assert_near((double)rows.x[j],
                    ((double)table.x[3][j] - kelvin_data_mean(data, j)) / kelvin_data_deviation(data, j), 1e-6);
    assert_int_equal(kelvin_inputs_next(inputs, &rows, 3), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "labels: row 5 (from 1): 3; expected 0 to 2, or -1 for none");
    kelvin_inputs_close(inputs);
    kelvin_data_close(data);
}

/* ---- without a disk, without memory ---- */

/* No file can be opened, none can grow, and the folder is gone. */
static int fit_nowhere(void)
{
    const struct rlimit none = {0, 0};
    const kelvin_arrays arrays = fit_arrays(&table);
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples = NULL;
    static double p[FIT_ROWS * FIT_CLASSES];
    if (setrlimit(RLIMIT_NOFILE, &none) || setrlimit(RLIMIT_FSIZE, &none) || fopen("/dev/null", "r")) return 2;
    kelvin_status st = kelvin_data_from_arrays(&data, &arrays);
    if (!st) st = fit_run(&run, fit_sghmc, data, NULL, NULL, 2);
    if (!st) st = kelvin_samples_of(&samples, run);
    if (!st) st = kelvin_predict(samples, p, table.x[0], FIT_ROWS, 2);
    return st ? 3 : 0;
}

static void fits_touch_no_disk(void **state)
{
    (void)state;
    kelvin_path folder;
    int ended;
    fit_fill(&table, 1);
    assert_ok(kelvin_path_join(folder, base, "gone"));
    assert_int_equal(mkdir(folder, 0700), 0);
    const pid_t pid = fork();
    if (pid == 0) _exit(chdir(folder) || rmdir(folder) ? 1 : fit_nowhere());
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
}

static kelvin_status open_once(void *context)
{
    kelvin_data *data;
    const kelvin_status status = kelvin_data_from_arrays(&data, context);
    kelvin_data_close(data);
    return status;
}

static kelvin_status predict_once(void *context)
{
    double p[5 * FIT_CLASSES];
    return kelvin_predict(context, p, table.x[0], 5, 1);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    kelvin_data *data;
    kelvin_run *run;
    kelvin_samples *samples;
    fit_fill(&table, 1);
    for (size_t i = 0; i < FIT_ROWS; i++) weights[i] = 0.5;
    for (size_t j = 0; j < FIT_COLUMNS; j++) column_names[j] = &"abcdefghijklmnopqrst"[j];
    kelvin_arrays arrays = fit_arrays(&table);
    arrays.weights = weights;
    arrays.column_names = column_names;
    arrays.class_names = (const char *const[]){"x", "y", "z"};
    arrays.label_name = "kind";
    assert_true(without_memory(open_once, &arrays) > 10);
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_string_equal(kelvin_data_column_name(data, 19), "t");
    assert_ok(fit_run(&run, fit_hmc, data, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    assert_true(without_memory(predict_once, samples) > 5);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_have_sentences), cmocka_unit_test(files_and_arrays_are_the_same),
        cmocka_unit_test(splits_are_the_same),   cmocka_unit_test(names_and_parts),
        cmocka_unit_test(images_are_bytes),      cmocka_unit_test(draws_of_weights_are_those_of_repetition),
        cmocka_unit_test(predictions_are_plain), cmocka_unit_test(images_are_predicted),
        cmocka_unit_test(inputs_have_labels),    cmocka_unit_test(fits_touch_no_disk),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
