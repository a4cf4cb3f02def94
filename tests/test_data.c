/* data: how data sets are named, split and normalised; those that are built in. */
#include "check.h"

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static void fails(kelvin_status found, kelvin_status expected, const char *sentence)
{
    assert_int_equal(found, expected);
    assert_string_equal(kelvin_error(), sentence);
}

/* ---- names ---- */

static const struct data_type example = {
    .member = KELVIN_MEMBER("pair", "pair:ONE,TWO[,key=VALUE]", NULL),
    .files = {"ONE", "TWO"},
    .keys = {"key", "other", "split", "seed"},
};
static const struct data_type alone = {.member = KELVIN_PLAIN_MEMBER("alone", NULL)};

static void specs(void **state)
{
    (void)state;
    struct data_spec spec;
    assert_ok(
        kelvin_data_spec_parse(&spec, &example, "pair:a.x,b\\,c=d:e,other=f=g,split=0.25,seed=18446744073709551615"));
    assert_string_equal(spec.files[0], "a.x");
    assert_string_equal(spec.files[1], "b,c=d:e");
    assert_string_equal(kelvin_data_spec_value(&spec, "other"), "f=g");
    assert_null(kelvin_data_spec_value(&spec, "key"));
    assert_true(spec.split == 0.25 && spec.seed == UINT64_MAX);
    kelvin_data_spec_free(&spec);
    assert_ok(kelvin_data_spec_parse(&spec, &example, "pair:key=1,a=b,c\\"));
    assert_string_equal(spec.files[0], "a=b"); /* not a key of this type: a file */
    assert_string_equal(spec.files[1], "c\\");
    assert_true(spec.split == 0.2 && spec.seed == 0);
    kelvin_data_spec_free(&spec);
    assert_ok(kelvin_data_spec_parse(&spec, &alone, "alone"));
    kelvin_data_spec_free(&spec);
}

static void wrong_specs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"pair", "data 'pair': ONE is missing; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:", "data 'pair:': ONE is missing; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a", "data 'pair:a': TWO is missing; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,,key=1", "data 'pair:a,,key=1': TWO is missing; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,b,c", "data 'pair:a,b,c': 'c' is one too many; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,b,kye=1", "data 'pair:a,b,kye=1': unknown option 'kye'; expected key, other, split or seed"},
        {"pair:a,b, key=1", "data 'pair:a,b, key=1': unknown option ' key'; expected key, other, split or seed"},
        {"pair:a,b,=1", "data 'pair:a,b,=1': unknown option ''; expected key, other, split or seed"},
        {"pair:a,b\\,,", "data 'pair:a,b\\,,': nothing follows the last comma; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,b,key=1,",
         "data 'pair:a,b,key=1,': nothing follows the last comma; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,b,,key=1",
         "data 'pair:a,b,,key=1': nothing stands between two commas; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,", "data 'pair:a,': TWO is missing; expected pair:ONE,TWO[,key=VALUE]"},
        {"pair:a,b,key=", "data 'pair:a,b,key=': the value of key is missing"},
        {"pair:a,b,key=1,key=2", "data 'pair:a,b,key=1,key=2': key is given twice"},
        {"pair:a,b,split=1", "data 'pair:a,b,split=1': split is '1'; expected a share from 0 to below 1"},
        {"pair:a,b,split=-0.1", "data 'pair:a,b,split=-0.1': split is '-0.1'; expected a share from 0 to below 1"},
        {"pair:a,b,split=nan", "data 'pair:a,b,split=nan': split is 'nan'; expected a share from 0 to below 1"},
        {"pair:a,b,split=0.2x", "data 'pair:a,b,split=0.2x': split is '0.2x'; expected a share from 0 to below 1"},
        {"pair:a,b,seed=-1", "data 'pair:a,b,seed=-1': seed is '-1'; expected a whole number from 0 to 2^64 - 1"},
        {"pair:a,b,seed=1.5", "data 'pair:a,b,seed=1.5': seed is '1.5'; expected a whole number from 0 to 2^64 - 1"},
        {"pair:a,b,seed=18446744073709551616",
         "data 'pair:a,b,seed=18446744073709551616': seed is '18446744073709551616'; expected a whole number from 0 to "
         "2^64 - 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct data_spec spec;
        fails(kelvin_data_spec_parse(&spec, &example, wrong[i].text), KELVIN_EUSAGE, wrong[i].sentence);
        kelvin_data_spec_free(&spec);
    }
    struct data_spec spec;
    assert_ok(kelvin_data_spec_parse(&spec, &example, "pair:a\\,b,c,seed=1"));
    fails(kelvin_data_spec_no_split(&spec, "key"), KELVIN_EUSAGE,
          "data 'pair:a\\,b,c,seed=1': seed is given together with key; expected one of the two");
    kelvin_data_spec_free(&spec);
    kelvin_data *data;
    fails(kelvin_data_open(&data, "toy:"), KELVIN_EUSAGE, "data 'toy:': '' is one too many; expected toy");
    fails(kelvin_data_open(&data, "toy:x"), KELVIN_EUSAGE, "data 'toy:x': 'x' is one too many; expected toy");
    fails(kelvin_data_open(&data, "toys"), KELVIN_EUSAGE, "unknown data set 'toys'; did you mean 'toy'?");
    fails(kelvin_data_open(&data, "digits:split=0.5"), KELVIN_EUSAGE,
          "data 'digits:split=0.5': 'split=0.5' is one too many; expected digits");
    assert_null(data);
}

/* ---- splits ---- */

enum { ROWS = 400, COLUMNS = 3, CLASSES = 4 };

/* Row i has the values i, i + 0.25, i + 0.5; class sizes are 200, 150, 49, 1 or as given. */
struct table {
    kelvin_data data;
    struct data_spec spec;
    struct data_loader loader;
    const char *names[CLASSES];
    double values[ROWS * COLUMNS];
    int32_t y[ROWS];
};

static void make_table(struct table *t, double split, uint64_t seed, const size_t sizes[CLASSES])
{
    *t = (struct table){.names = {"a", "b", "c", "d"}, .spec = {.files = {"table.csv"}, .split = split, .seed = seed}};
    size_t left[CLASSES], n = 0;
    memcpy(left, sizes, sizeof left);
    for (bool any = true; any;) {
        any = false;
        for (int32_t c = 0; c < CLASSES; c++)
            if (left[c] > 0) {
                for (size_t j = 0; j < COLUMNS; j++) t->values[n * COLUMNS + j] = (double)n + 0.25 * (double)j;
                t->y[n++] = c;
                left[c]--;
                any = true;
            }
    }
    t->data = (kelvin_data){.name = "csv:table.csv", .inputs = COLUMNS, .classes = CLASSES, .class_names = t->names};
    t->loader =
        (struct data_loader){.spec = &t->spec, .data = &t->data, .n = n, .n_train = n, .values = t->values, .y = t->y};
}

static void splits_are_stratified(void **state)
{
    (void)state;
    static struct table t;
    static int32_t before[ROWS];
    static bool seen[ROWS];
    size_t test_of[CLASSES] = {0};
    make_table(&t, 0.3, 5, (const size_t[]){200, 150, 47, 3});
    memcpy(before, t.y, sizeof before);
    assert_ok(kelvin_data_split(&t.loader));
    for (size_t i = 0; i < ROWS; i++) {
        const size_t row = (size_t)t.values[i * COLUMNS];
        assert_true(row < ROWS && !seen[row]);
        seen[row] = true;
        assert_int_equal(t.y[i], before[row]); /* labels went with their rows */
        for (size_t j = 0; j < COLUMNS; j++) assert_true(t.values[i * COLUMNS + j] == (double)row + 0.25 * (double)j);
        if (i > 0 && i != t.loader.n_train) assert_true(row > (size_t)t.values[(i - 1) * COLUMNS]);
        if (i >= t.loader.n_train) test_of[t.y[i]]++;
    }
    assert_int_equal(t.loader.n_train, 400 - 60 - 45 - 14 - 1);
    assert_true(test_of[0] == 60 && test_of[1] == 45 && test_of[2] == 14 && test_of[3] == 1);
}

static void splits_leave_at_least_one(void **state)
{
    (void)state;
    static struct table t;
    make_table(&t, 0.001, 0, (const size_t[]){2, 2, 0, 3}); /* at least one of each class is for testing */
    assert_ok(kelvin_data_split(&t.loader));
    assert_int_equal(t.loader.n_train, 4);
    make_table(&t, 0.999, 0, (const size_t[]){2, 2, 0, 3}); /* and one is not */
    assert_ok(kelvin_data_split(&t.loader));
    assert_int_equal(t.loader.n_train, 3);
    make_table(&t, 0.5, 0, (const size_t[]){3, 0, 0, 0}); /* half of 3 is 2 */
    assert_ok(kelvin_data_split(&t.loader));
    assert_int_equal(t.loader.n_train, 1);
    make_table(&t, 0.2, 0, (const size_t[]){5, 5, 1, 5});
    fails(kelvin_data_split(&t.loader), KELVIN_EFORMAT,
          "table.csv: class 'c' has one member (row 3), which cannot be split into training and test; expected at "
          "least 2, or a test part of its own, or split=0");
}

/* Every member is equally likely to be for testing, and the seed alone decides. */
static void splits_by_seed(void **state)
{
    (void)state;
    enum { SEEDS = 4000 };
    static struct table t, again;
    size_t chosen[10] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        make_table(&t, 0.2, seed, (const size_t[]){10, 0, 0, 0});
        assert_ok(kelvin_data_split(&t.loader));
        assert_int_equal(t.loader.n_train, 8);
        for (size_t i = 8; i < 10; i++) chosen[(size_t)t.values[i * COLUMNS]]++;
    }
    for (size_t i = 0; i < 10; i++) assert_near((double)chosen[i], SEEDS * 0.2, 5 * sqrt(SEEDS * 0.2 * 0.8));
    make_table(&again, 0.2, SEEDS - 1, (const size_t[]){10, 0, 0, 0});
    assert_ok(kelvin_data_split(&again.loader));
    assert_memory_equal(t.values, again.values, sizeof t.values);
}

/* Classes of one size do not lose the same of their members. */
static void splits_by_class(void **state)
{
    (void)state;
    static struct table t;
    bool test[2][100] = {{false}};
    make_table(&t, 0.5, 0, (const size_t[]){100, 100, 0, 0}); /* in turns: row 2 i + class */
    assert_ok(kelvin_data_split(&t.loader));
    for (size_t i = t.loader.n_train; i < 200; i++) test[t.y[i]][(size_t)t.values[i * COLUMNS] / 2] = true;
    size_t same = 0;
    for (size_t i = 0; i < 100; i++) same += test[0][i] == test[1][i];
    assert_near((double)same, 50, 25); /* five standard errors of a hundred coins */
}

static void splits_of_bytes(void **state)
{
    (void)state;
    static struct table t;
    static uint8_t bytes[ROWS * COLUMNS];
    make_table(&t, 0.25, 3, (const size_t[]){40, 40, 0, 0});
    for (size_t i = 0; i < 80; i++) memset(bytes + i * COLUMNS, (int)i, COLUMNS);
    t.loader.values = NULL;
    t.loader.bytes = bytes;
    assert_ok(kelvin_data_split(&t.loader));
    assert_int_equal(t.loader.n_train, 60);
    for (size_t i = 0; i < 80; i++) {
        assert_int_equal(t.y[i], bytes[i * COLUMNS] % 2);
        assert_int_equal(bytes[i * COLUMNS], bytes[i * COLUMNS + 2]);
    }
}

/* ---- normalisation ---- */

static void tables_are_standardised(void **state)
{
    (void)state;
    static struct table t;
    make_table(&t, 0, 0, (const size_t[]){3, 3, 0, 0});
    /* Columns: far from 0 and narrow, so that floats would lose it; does not vary; and plain. The last row is a test.
     */
    const double values[6][COLUMNS] = {{1e9 + 1, 7, 1}, {1e9 + 2, 7, 2}, {1e9 + 3, 7, 3},
                                       {1e9 + 4, 7, 4}, {1e9 + 5, 7, 5}, {1e9 + 9, 8, 0}};
    memcpy(t.values, values, sizeof values);
    t.loader.n_train = 5;
    float *x = NULL;
    assert_ok(kelvin_arena_create(&t.loader.arena));
    assert_ok(kelvin_data_normalise(&t.loader, &x));
    const double unit = 1 / sqrt(2.0); /* 1 .. 5: mean 3, variance 2 */
    for (size_t i = 0; i < 5; i++) {
        assert_near((double)x[3 * i], ((double)i - 2) * unit, 1e-6);
        assert_true(x[3 * i + 1] == 0);
        assert_near((double)x[3 * i + 2], ((double)i - 2) * unit, 1e-6);
    }
    assert_near((double)x[15], 6 * unit, 1e-6);
    assert_true(x[16] == 1);
    assert_near((double)x[17], -3 * unit, 1e-6);
    assert_near((double)t.data.deviation[2], sqrt(2.0), 1e-6);
    assert_true(t.data.mean[1] == 7 && t.data.deviation[1] == 1);
    kelvin_free(x);

    t.data.mean = t.data.deviation = NULL;
    memcpy(t.values, values, sizeof values);
    t.values[16] = 1e200; /* where training does not vary, and floats end */
    fails(kelvin_data_normalise(&t.loader, &x), KELVIN_EFORMAT,
          "csv:table.csv: row 6, column 2: 1e+200 is too far from the mean of its column, 7, to be standardised");
    kelvin_free(x);
    kelvin_arena_destroy(t.loader.arena);
}

/* More pixels than fit into one 32-bit sum of squares. */
static void large_images(void **state)
{
    (void)state;
    enum { HEIGHT = 300, WIDTH = 500, N = 2 };
    uint8_t *bytes = malloc(N * HEIGHT * WIDTH);
    for (size_t i = 0; i < N * HEIGHT * WIDTH; i++) bytes[i] = i % 4 ? 255 : 51;
    const kelvin_data data = {.inputs = HEIGHT * WIDTH, .channels = 1, .height = HEIGHT, .width = WIDTH, .white = 255};
    double mean, deviation;
    kelvin_part_statistics(&data, &(kelvin_part){.n = N, .bytes = bytes}, &mean, &deviation);
    assert_near(mean, 0.8, 1e-12); /* 1 with probability 3/4, 1/5 with 1/4 */
    assert_near(deviation, 0.8 * sqrt(3.0) / 4, 1e-12);
    free(bytes);
}

/* What rounding makes hard: a column of 0.1, whose sums are not; squares that overflow, or vanish. Eleven columns, of
 * which three are told from the others. */
static void extreme_columns(void **state)
{
    (void)state;
    enum { N = 20, INPUTS = 11 };
    double values[N][INPUTS] = {{0}};
    int32_t y[N] = {0};
    struct data_spec spec = {.files = {"x"}};
    kelvin_data data = {.name = "x", .inputs = INPUTS};
    struct data_loader loader = {.spec = &spec, .data = &data, .n = N, .n_train = N, .values = &values[0][0], .y = y};
    for (size_t i = 0; i < N; i++) {
        values[i][0] = 0.1;
        values[i][9] = i % 2 ? 1e300 : -1e300;
        values[i][10] = i % 4 == 0 ? 5e-300 : 1e-300; /* mean 2, deviation sqrt(3) */
    }
    float *x = NULL;
    assert_ok(kelvin_arena_create(&loader.arena));
    assert_ok(kelvin_data_normalise(&loader, &x));
    assert_true(data.mean[0] == 0.1 && data.deviation[0] == 1);
    assert_true(data.mean[9] == 0 && data.deviation[9] == 1e300);
    assert_near(data.deviation[10] * 1e300, sqrt(3.0), 1e-12);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < 9; j++) assert_true(x[i * INPUTS + j] == 0);
        assert_true(x[i * INPUTS + 9] == (i % 2 ? 1 : -1));
        assert_near((double)x[i * INPUTS + 10], (i % 4 == 0 ? 3 : -1) / sqrt(3.0), 1e-6);
    }
    kelvin_free(x);
    kelvin_arena_destroy(loader.arena);
}

/* ---- built in ---- */

static void toy_points(void **state)
{
    (void)state;
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, "toy"));
    assert_true(data->train.n == 18 && data->test.n == 0 && data->inputs == 2 && data->classes == 2);
    assert_true(data->train.x[0] == .15f && data->train.x[35] == -.27f); /* as they are, to the bit */
    assert_true(data->train.y[8] == 0 && data->train.y[9] == 1);
    assert_true(data->channels == 0 && !data->train.bytes);
    kelvin_data_close(data);
}

static void digits_as_published(void **state)
{
    (void)state;
    /* scikit-learn's load_digits(): members of each class, mean and deviation of all values 0 .. 16 */
    static const size_t members[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    const double mean = 4.884164579855314, deviation = 6.016787548672236;
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, "digits"));
    assert_true(data->channels == 1 && data->height == 8 && data->width == 8 && data->inputs == 64);
    assert_int_equal(data->train.n + data->test.n, 1797);
    const kelvin_part all = {.n = 1797, .bytes = data->train.bytes, .y = data->train.y};
    size_t found[10] = {0}, test[10] = {0};
    for (size_t i = 0; i < 1797; i++) found[all.y[i]]++;
    for (size_t i = 0; i < data->test.n; i++) test[data->test.y[i]]++;
    for (size_t c = 0; c < 10; c++) {
        assert_int_equal(found[c], members[c]);
        assert_int_equal(test[c], (2 * members[c] + 5) / 10);
        assert_true(strlen(data->class_names[c]) == 1 && data->class_names[c][0] == '0' + (char)c);
    }
    double m, d;
    kelvin_part_statistics(data, &all, &m, &d);
    assert_near(16 * m, mean, 1e-12);
    assert_near(16 * d, deviation, 1e-12);
    kelvin_part_statistics(data, &data->train, &m, &d);
    assert_near((double)data->mean[0], m, 1e-7);
    assert_near((double)data->deviation[0], d, 1e-7);
    kelvin_data_close(data);
}

static kelvin_status open_once(void *name)
{
    kelvin_data *data;
    const kelvin_status status = kelvin_data_open(&data, name);
    assert_true(!status == !!data);
    kelvin_data_close(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char toy[] = "toy", digits[] = "digits";
    assert_true(without_memory(open_once, toy) > 8);
    assert_true(without_memory(open_once, digits) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs),
        cmocka_unit_test(wrong_specs),
        cmocka_unit_test(splits_are_stratified),
        cmocka_unit_test(splits_leave_at_least_one),
        cmocka_unit_test(splits_by_seed),
        cmocka_unit_test(splits_by_class),
        cmocka_unit_test(splits_of_bytes),
        cmocka_unit_test(large_images),
        cmocka_unit_test(tables_are_standardised),
        cmocka_unit_test(extreme_columns),
        cmocka_unit_test(toy_points),
        cmocka_unit_test(digits_as_published),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
