/* Columns with long tails or absurd values: which they are, what becomes of them (compared with a plain Python
 * program), that a run's folder keeps it, and that all other columns keep their bits. */
#include "inputs_helpers.h"

#include "description_helpers.h"

#include "data/features.h"
#include "run/fields.h"
#include "run/folder.h"

#include <math.h>

enum { TRAIN = 300, TEST = 80, NEW = 40, COLUMNS = 7, WIDE = COLUMNS + 1 };
enum { WILD, LONG, BELL, SKEW, FEW, MOSTLY, BIT };

/* long is missing in some rows. raw.bin: the inputs of all rows; float.bin: the numbers of training rows as floats,
 * with 0 for what is missing, and plain.csv the same. */
static const char python[] =
    "import csv, math, random, statistics, struct, sys\n"
    "base = sys.argv[1] + '/'\n"
    "draw = random.Random(2385)\n"
    "def row(i):\n"
    "    wild = draw.gauss(3, 2) if i % 50 else draw.choice([1e30, -4e5, 7e3])\n"
    "    long = '' if i % 29 == 3 else math.exp(draw.gauss(-1, 2))\n"
    "    few = 1000 if i % 60 == 1 else draw.randrange(5)\n"
    "    mostly = 0 if draw.random() < 0.6 else math.exp(draw.gauss(0, 2))\n"
    "    return [wild, long, draw.gauss(-8, 0.1), draw.expovariate(3), few, mostly, draw.randrange(2), 'xy'[i % 2]]\n"
    "head = ['wild', 'long', 'bell', 'skew', 'few', 'mostly', 'bit', 'kind']\n"
    "parts = {'train': 300, 'test': 80, 'new': 40}\n"
    "rows = {p: [row(i + 1) for i in range(n)] for p, n in parts.items()}\n"
    "for p in parts:\n"
    "    with open(base + p + '.csv', 'w', newline='') as f: csv.writer(f).writerows([head] + rows[p])\n"
    "def column(j): return [r[j] for r in rows['train'] if r[j] != '']\n"
    "def tails(j):\n"
    "    a, m, b = statistics.quantiles(column(j), n=4, method='inclusive')\n"
    "    return lambda x: math.asinh((x - m) / ((b - a) / 1.35))\n"
    "drawn = [tails(0), tails(1)] + 5 * [lambda x: x]\n"
    "def moments(j):\n"
    "    xs = [drawn[j](x) for x in column(j)]\n"
    "    m = math.fsum(xs) / len(xs)\n"
    "    return m, math.sqrt(math.fsum((x - m) ** 2 for x in xs) / len(xs))\n"
    "of = [moments(j) for j in range(7)]\n"
    "def inputs(r):\n"
    "    out = [0. if r[j] == '' else (drawn[j](r[j]) - of[j][0]) / of[j][1] for j in range(7)]\n"
    "    return out[:2] + [float(r[1] == '')] + out[2:]\n"
    "with open(base + 'raw.bin', 'wb') as f:\n"
    "    for p in parts:\n"
    "        for r in rows[p]: f.write(struct.pack('=8d', *inputs(r)))\n"
    "floats = [[struct.unpack('=f', struct.pack('=f', x or 0))[0] for x in r[:7]] for r in rows['train']]\n"
    "with open(base + 'float.bin', 'wb') as f:\n"
    "    for r in floats: f.write(struct.pack('=7f', *r))\n"
    "with open(base + 'plain.csv', 'w') as f:\n"
    "    f.write(','.join(head) + '\\n')\n"
    "    for i, r in enumerate(floats): f.write(','.join(repr(x) for x in r) + ',%d\\n' % (i % 2))\n";

static int make_tables(void **state)
{
    if (make_base(state)) return 1;
    run_python(python, base);
    return 0;
}

static void near_rows(const float *x, const double *expected, size_t rows)
{
    for (size_t i = 0; i < rows * WIDE; i++) /* a float of at most 64, and the mean by another order of sums */
        assert_near((double)x[i], expected[i], 1e-5);
}

static void has_tails_where_expected(const kelvin_data *data)
{
    for (size_t j = 0; j < COLUMNS; j++)
        assert_int_equal(kelvin_data_feature(data, j)->width > 0, j == WILD || j == LONG);
}

static void same_as_python(void **state)
{
    (void)state;
    size_t bytes;
    kelvin_data *data, *read;
    char *raw = slurp(in_base("raw.bin"), &bytes);
    const double *expected = (const double *)raw;
    assert_int_equal(bytes, (TRAIN + TEST + NEW) * WIDE * sizeof(double));
    assert_ok(kelvin_data_open(&data, in_spec("csv:%train.csv,test=%test.csv")));
    has_tails_where_expected(data);
    near_rows(data->train.x, expected, TRAIN);
    near_rows(data->test.x, expected + TRAIN * WIDE, TEST);
    assert_string_equal(kelvin_data_note(data, 1),
                        "long tails: 'wild', 'long': drawn in by asinh; tails=no leaves them as they are");
    /* From the folder of a run, without the data. */
    assert_ok(kelvin_description_write(data, base));
    assert_ok(kelvin_description_read(&read, NULL, base));
    has_tails_where_expected(read);
    assert_ok(read_all(&all, in_spec("%new.csv"), read, false, 7));
    assert_int_equal(all.n, NEW);
    near_rows(all.x, expected + (TRAIN + TEST) * WIDE, NEW);
    /* To the bit what both parts were. */
    is_part(in_spec("%train.csv"), read, data, &data->train, true);
    is_part(in_spec("csv:%train.csv,test=%test.csv"), read, data, &data->test, true);
    kelvin_data_close(read);
    kelvin_data_close(data);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%train.csv,split=0.3")));
    is_part(in_spec("csv:%train.csv,split=0.3"), data, data, &data->test, true);
    kelvin_data_close(data);
    kelvin_free(raw);
}

static void absurd_values_are_finite(void **state)
{
    (void)state;
    kelvin_data *like = described(in_spec("csv:%train.csv,split=0"));
    put_text("far.csv", "wild,long,bell,skew,few,mostly,bit\n1e30,-1e300,-8,0,0,0,0\n-1.7e308,1e-300,-8,0,0,0,1\n");
    assert_ok(read_all(&all, in_spec("%far.csv"), like, false, 10));
    assert_int_equal(all.n, 2);
    /* asinh of what a double can be is at most 711, and deviations are above 0.7. */
    for (size_t i = 0; i < 2 * WIDE; i++) assert_true(isfinite(all.x[i]) && fabsf(all.x[i]) < 1016);
    assert_true(all.x[0] > 5 && all.x[WIDE] < -50 && all.x[1] < -50);
    /* Back in units of the file: float32 has 24 bits, and an error of v by e is one of the number by a factor exp(e).
     */
    const double back = kelvin_feature_number(kelvin_data_feature(like, WILD), like, all.x[0]);
    assert_near(back / 1e30, 1, 1e-4);
    kelvin_data_close(like);
}

/* A column of its data, with or without tails. */
static void same_column(const kelvin_data *a, const kelvin_data *b, size_t input)
{
    for (size_t i = 0; i < a->train.n; i++)
        assert_memory_equal(&a->train.x[i * a->inputs + input], &b->train.x[i * a->inputs + input], sizeof(float));
}

static void other_columns_keep_their_bits(void **state)
{
    (void)state;
    size_t bytes;
    kelvin_data *one, *other;
    assert_ok(kelvin_data_open(&one, in_spec("csv:%train.csv")));
    assert_ok(kelvin_data_open(&other, in_spec("csv:%train.csv,tails=no")));
    for (size_t j = 0; j < COLUMNS; j++) assert_true(kelvin_data_feature(other, j)->width == 0);
    for (size_t input = 2; input < WIDE; input++) same_column(one, other, input);
    assert_ok(kelvin_description_write(other, base));
    char *text = slurp(in_base("data.json"), &bytes);
    assert_null(strstr(text, "\"tails\""));
    kelvin_free(text);
    kelvin_data_close(one);
    kelvin_data_close(other);
    /* Without such columns there is nothing to keep in data.json. */
    bool plain;
    assert_ok(kelvin_data_open(&one, in_spec("csv:%plain.csv,drop=wild,long")));
    assert_ok(kelvin_data_open(&other, in_spec("csv:%plain.csv")));
    assert_int_equal(one->notes, 0);
    assert_ok(kelvin_features_are_plain(&plain, other));
    assert_false(plain);
    kelvin_data_close(one);
    kelvin_data_close(other);
    fails(kelvin_data_open(&one, in_spec("csv:%train.csv,tails=some")), KELVIN_EUSAGE,
          "data 'csv:", "tails is 'some'; expected yes or no");
}

static void same_data(const kelvin_data *a, const kelvin_data *b)
{
    assert_int_equal(a->train.n, b->train.n);
    assert_memory_equal(a->train.x, b->train.x, a->train.n * COLUMNS * sizeof(float));
    assert_memory_equal(a->test.x, b->test.x, a->test.n * COLUMNS * sizeof(float));
}

static void arrays_have_the_same_bits(void **state)
{
    (void)state;
    size_t bytes;
    int32_t y[TRAIN];
    kelvin_data *table, *arrays;
    kelvin_inputs *inputs;
    float *x = (float *)(void *)slurp(in_base("float.bin"), &bytes);
    assert_int_equal(bytes, TRAIN * COLUMNS * sizeof *x);
    for (int i = 0; i < TRAIN; i++) y[i] = i % 2;
    kelvin_arrays given = {.rows = TRAIN, .columns = COLUMNS, .x = x, .labels = y};
    assert_ok(kelvin_data_open(&table, in_spec("csv:%plain.csv")));
    assert_ok(kelvin_data_from_arrays(&arrays, &given));
    has_tails_where_expected(arrays);
    assert_string_equal(kelvin_data_note(arrays, 0), "long tails: column 1, column 2: drawn in by asinh");
    same_data(table, arrays);
    kelvin_data_close(table);
    kelvin_data_close(arrays);
    given.keep_tails = true;
    assert_ok(kelvin_data_open(&table, in_spec("csv:%plain.csv,tails=no")));
    assert_ok(kelvin_data_from_arrays(&arrays, &given));
    same_data(table, arrays);
    kelvin_data_close(arrays);
    kelvin_data_close(table);
    /* New inputs as an array, for a network that was trained on a file. */
    assert_ok(kelvin_data_open(&table, in_spec("csv:%plain.csv,split=0")));
    assert_ok(kelvin_inputs_from_array(&inputs, x, NULL, NULL, TRAIN, table));
    assert_ok(read_from(&all, inputs, COLUMNS, 100));
    assert_memory_equal(all.x, table->train.x, TRAIN * COLUMNS * sizeof *x);
    kelvin_inputs_close(inputs);
    kelvin_data_close(table);
    kelvin_free(x);
}

/* ---- memory ---- */

static void short_of_memory(void **state)
{
    (void)state;
    kelvin_data_close(without_memory_for("csv:%train.csv,test=%test.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_python),
        cmocka_unit_test(absurd_values_are_finite),
        cmocka_unit_test(other_columns_keep_their_bits),
        cmocka_unit_test(arrays_have_the_same_bits),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests_name("tails", tests, make_tables, remove_base);
}
