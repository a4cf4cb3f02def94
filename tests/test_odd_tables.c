/* Tables as people have them: categories, yes and no, missing values, ids, indices, constants. Inputs are compared with
 * those of a plain Python program; test_refused_tables.c has what is refused. */
#include "inputs_helpers.h"

#include "description_helpers.h"

#include "data/features.h"
#include "run/fields.h"
#include "run/folder.h"

/* ---- silent wrong answers ---- */

static void write_text(const char *name, const char *head, const char *const rows[], size_t n, size_t times)
{
    FILE *file = fopen(in_base(name), "w");
    assert_non_null(file);
    fputs(head, file);
    for (size_t i = 0; i < n * times; i++) fputs(rows[i % n], file);
    fclose(file);
}

static void names_that_training_had_not(void **state)
{
    (void)state;
    static const char *const rows[] = {"1,20,x\n", "2,10,y\n", "3,30,x\n"};
    write_text("t.csv", "", rows, 3, 4);
    kelvin_data *like = described(in_spec("csv:%t.csv,split=0"));
    put_text("n.csv", "b,a\n20,1\n");
    inputs_fail("%n.csv", like, false, KELVIN_EFORMAT,
                "n.csv: line 1 names columns, and the training part had no names: ",
                "which column is which cannot be known; expected no names (header=yes says that the columns are in the "
                "order of training)");
    inputs_fail("csv:%n.csv,split=0.5", like, false, KELVIN_EFORMAT, "n.csv: line 1 names columns", "no names");
    put_text("n.csv", "a,b\n1,20\n");
    assert_ok(read_all(&all, in_spec("csv:%n.csv,header=yes"), like, false, 10)); /* it was said */
    assert_near((double)all.x[0] * like->deviation[0] + like->mean[0], 1, 1e-6);
    kelvin_data_close(like);
    put_text("b.csv", "a,b,k\n1,20,x\n");
    open_fails("csv:%t.csv,test=%b.csv", KELVIN_EFORMAT,
               "b.csv: line 1 names columns, and the training part had no names", "cannot be known");
}

static void names_that_are_twice(void **state)
{
    (void)state;
    const double mean[] = {0, 0, 0}, deviation[] = {1, 1, 1};
    /* as a run of an earlier version has it */
    const kelvin_data like = {.inputs = 3,
                              .classes = 2,
                              .class_names = (const char *[]){"x", "y"},
                              .column_names = (const char *[]){"a", "a", "c"},
                              .label_name = "d",
                              .mean = mean,
                              .deviation = deviation};
    put_text("n.csv", "a,c,d\n1,2,x\n");
    inputs_fail("%n.csv", &like, false, KELVIN_EFORMAT, "n.csv: line 1: ", "1 column is called 'a'; expected 2");
    put_text("n.csv", "c,a,a\n1,2,3\n");
    assert_ok(read_all(&all, in_spec("%n.csv"), &like, false, 10));
    assert_true(all.x[0] == 2 && all.x[1] == 3 && all.x[2] == 1);
}

/* Columns of a test file by their names: the same rows as in the order of training. */
static void test_parts_by_name(void **state)
{
    (void)state;
    static const char *const rows[] = {"1,red,u1,x,7\n", "2,blue,u2,y,7\n", "4,red,u3,x,7\n", "8,,u4,y,7\n"};
    kelvin_data *one, *other;
    write_text("t.csv", "a,colour,id,kind,same\n", rows, 4, 5);
    put_text("u.csv", "a,colour,id,kind,same\n3,red,v1,y,7\n5,green,v2,x,8\n,blue,v3,x,9\n");
    put_text("v.csv", "kind;colour;more;a\ny;red;1;3\nx;green;2;5\nx;blue;3;?\n");
    assert_ok(kelvin_data_open(&one, in_spec("csv:%t.csv,label=kind,id=id,test=%u.csv")));
    assert_ok(kelvin_data_open(&other, in_spec("csv:%t.csv,label=kind,id=id,test=%v.csv")));
    assert_int_equal(one->inputs, 4); /* a, blue, red, colour is missing */
    assert_memory_equal(one->test.x, other->test.x, 3 * 4 * sizeof(float));
    assert_memory_equal(one->test.y, other->test.y, 3 * sizeof(int32_t));
    assert_string_equal(one->test.id[1], "v2");
    assert_string_equal(other->test.id[1], "");
    assert_string_equal(one->train.id[7], "u4");
    assert_true(has_note(one, "values that the training part does not have: 'colour' (1 row): their inputs are 0"));
    assert_true(
        has_note(one, "values that are missing, as none is in the training part: 'a' (1 row): the mean stands in"));
    assert_true(one->test.x[4 + 1] == 0 && one->test.x[4 + 2] == 0 && one->test.x[2 * 4] == 0);
    kelvin_data_close(one);
    kelvin_data_close(other);
    put_text("v.csv", "kind,a\ny,3\n");
    open_fails("csv:%t.csv,label=kind,drop=id,test=%v.csv", KELVIN_EFORMAT,
               "v.csv: line 1: ", "the file has 'kind', 'a'; the training part also has 'colour'");
}

/* ---- against Python ---- */

/* Writes train.csv, test.csv and new.csv, and what their inputs must be, as floats, from rules that are written down
 * here once more: yes and no are 1 and 0, numbers are standardised by the mean and the deviation of those that are
 * there, what is missing is 0 with a 1 behind it, categories are sorted. */
static const char *const python =
    "import sys, random, math, struct\n"
    "random.seed(11)\n"
    "base = sys.argv[1] + '/'\n"
    "missing = ['', 'NA', 'nan', 'NULL', '?', 'None', 'n/a']\n"
    "def number(x): return repr(x)\n"
    "def make(n, new):\n"
    "    rows = []\n"
    "    for i in range(n):\n"
    "        rows.append({'age': random.choice(missing) if random.random() < .2 else number(random.gauss(40, 10)),\n"
    "                     'town': random.choice(['', 'Bern', 'Aarau', 'Zug', '\\u00c9vian, F'] + ['Ulm'] * new),\n"
    "                     'sure': random.choice(['True', 'no', 'FALSE', 'Yes', 't', 'f']),\n"
    "                     'fare': number(random.expovariate(1) * 1e30),\n"
    "                     'ward': random.choice(['A', 'B', 'C']),\n"
    "                     'same': '5', 'case': 'c%d' % i,\n"
    "                     'kind': random.choice(['dead', 'alive'])})\n"
    "    return rows\n"
    "order = ['case', 'age', 'town', 'same', 'sure', 'fare', 'ward', 'kind']\n"
    "def write(name, rows, columns):\n"
    "    with open(base + name, 'w', encoding='utf-8') as f:\n"
    "        f.write(','.join(columns) + '\\n')\n"
    "        for r in rows: f.write(','.join('\"%s\"' % r[c] if ',' in r[c] else r[c] for c in columns) + '\\n')\n"
    "train, test, new = make(200, 0), make(50, 1), make(60, 1)\n"
    "write('train.csv', train, order)\n"
    "write('test.csv', test, order)\n"
    "write('new.csv', new, ['ward', 'sure', 'fare', 'case', 'age', 'town'])\n"
    "def value(r, c):\n"
    "    if r[c] in missing: return None\n"
    "    return {'true': 1., 'yes': 1., 't': 1., 'false': 0., 'no': 0., 'f': 0.}[r[c].lower()] if c == 'sure' else "
    "float(r[c])\n"
    "def moments(c):\n"
    "    xs = [value(r, c) for r in train if value(r, c) is not None]\n"
    "    m = math.fsum(xs) / len(xs)\n"
    "    return m, math.sqrt(math.fsum(((x - m) / abs(m)) ** 2 for x in xs) / len(xs)) * abs(m)\n"
    "of = {c: moments(c) for c in ['age', 'sure', 'fare']}\n"
    "towns = sorted({r['town'] for r in train} - {''}, key=lambda s: s.encode())\n"
    "def inputs(r):\n"
    "    def standard(c):\n"
    "        x = value(r, c)\n"
    "        return 0. if x is None else (x - of[c][0]) / of[c][1]\n"
    "    out = [standard('age'), float(r['age'] in missing)]\n"
    "    out += [float(r['town'] == t) for t in towns] + [float(r['town'] == '')]\n"
    "    out += [standard('sure'), standard('fare')] + [float(r['ward'] == w) for w in 'ABC']\n"
    "    return out\n"
    "with open(base + 'raw.bin', 'wb') as f:\n"
    "    for r in train + test + new: f.write(struct.pack('=12d', *inputs(r)))\n";

enum { TRAIN = 200, TEST = 50, NEW = 60, WIDE = 12 };

static void near_rows(const float *x, const double *expected, size_t rows)
{
    for (size_t i = 0; i < rows * WIDE; i++) /* a float of at most 8, and the mean by another order of sums */
        assert_near((double)x[i], expected[i], 1e-6);
}

static void same_as_python(void **state)
{
    (void)state;
    size_t bytes;
    kelvin_data *data, *read;
    run_python(python, base);
    char *raw = slurp(in_base("raw.bin"), &bytes);
    const double *expected = (const double *)raw;
    assert_int_equal(bytes, (TRAIN + TEST + NEW) * WIDE * sizeof(double));
    assert_ok(kelvin_data_open(&data, in_spec("csv:%train.csv,test=%test.csv")));
    assert_int_equal(data->inputs, WIDE);
    near_rows(data->train.x, expected, TRAIN);
    near_rows(data->test.x, expected + TRAIN * WIDE, TEST);
    /* From the folder of a run, without the data. */
    assert_ok(kelvin_description_write(data, base));
    assert_ok(kelvin_description_read(&read, NULL, base));
    assert_ok(read_all(&all, in_spec("%new.csv"), read, false, 7));
    assert_int_equal(all.n, NEW);
    near_rows(all.x, expected + (TRAIN + TEST) * WIDE, NEW);
    /* To the bit what the training part was. */
    is_part(in_spec("%train.csv"), read, data, &data->train, true);
    is_part(in_spec("csv:%train.csv,test=%test.csv"), read, data, &data->test, true);
    kelvin_data_close(read);
    kelvin_data_close(data);
    kelvin_free(raw);
}

static void a_description_has_the_columns(void **state)
{
    (void)state;
    kelvin_data *data, *read;
    assert_ok(kelvin_data_open(&data, in_spec("csv:%train.csv,test=%test.csv,id=case,drop=ward")));
    assert_ok(kelvin_description_write(data, base));
    assert_ok(kelvin_description_read(&read, NULL, base));
    assert_int_equal(read->features, 8);
    for (size_t i = 0; i < 8; i++) {
        const kelvin_feature *a = kelvin_data_feature(data, i), *b = kelvin_data_feature(read, i);
        assert_string_equal(a->name, b->name);
        assert_true(a->kind == b->kind && a->place == b->place && a->first == b->first && a->inputs == b->inputs);
        assert_true(a->indicated == b->indicated && a->missing == b->missing && a->n_values == b->n_values);
        for (size_t k = 0; k < a->n_values; k++) assert_string_equal(a->values[k], b->values[k]);
    }
    assert_null(kelvin_data_feature(read, 8));
    assert_int_equal(kelvin_data_feature(read, 0)->kind, KELVIN_FEATURE_ID);
    assert_int_equal(kelvin_data_feature(read, 6)->kind, KELVIN_FEATURE_LEFT_OUT);
    assert_string_equal(read->column_names[1], "age is missing");
    assert_string_equal(read->column_names[3], "town=Bern");
    kelvin_data_close(read);
    kelvin_data_close(data);
}

/* ---- new inputs ---- */

static void values_that_training_had_not(void **state)
{
    (void)state;
    static const char *const rows[] = {"1,red,yes,u1,x\n", "2,blue,no,u2,y\n", "4,red,no,u3,x\n"};
    write_text("t.csv", "a,colour,sure,id,kind\n", rows, 3, 5);
    kelvin_data *like = described(in_spec("csv:%t.csv,id=id,split=0"));
    kelvin_inputs *inputs;
    kelvin_rows got;
    put_text("n.csv", "id,sure,colour,a\nv1,1,red,1\nv2,TRUE,pink,\nv3,,pink,nan\n");
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec("%n.csv"));
    assert_ok(kelvin_inputs_open(&inputs, spec, like, false));
    assert_ok(kelvin_inputs_next(inputs, &got, 10));
    assert_int_equal(got.n, 3);
    const struct {
        size_t line;
        const char *said;
    } notes[] = {{3, "the value of 'a' is missing, as none was in training: the mean stands in"},
                 {3, "the value of 'colour' is 'pink', which was not there in training: its inputs are 0"},
                 {4, "the value of 'sure' is missing, as none was in training: the mean stands in"}};
    for (size_t i = 0; i < 3; i++) { /* each once */
        char expected[4096];
        snprintf(expected, sizeof expected, "%s: line %zu: %s", spec, notes[i].line, notes[i].said);
        assert_string_equal(kelvin_inputs_note(inputs, i), expected);
    }
    assert_null(kelvin_inputs_note(inputs, 3));
    assert_string_equal(kelvin_inputs_kept_name(inputs, 0), "id");
    assert_string_equal(kelvin_inputs_kept(inputs, 2, 0), "v3");
    kelvin_inputs_close(inputs);
    put_text("n.csv", "id,sure,colour,a\nv1,maybe,red,1\n");
    inputs_fail("%n.csv", like, false, KELVIN_EFORMAT,
                "n.csv: line 2, column 2 ('sure'): ", "'maybe' is neither yes nor no; expected one of these");
    put_text("n.csv", "sure,colour,a\nyes,red,\"1,5\"\n");
    inputs_fail("%n.csv", like, false, KELVIN_EFORMAT, "n.csv: line 2, column 3 ('a'): ", "(a decimal comma?");
    /* Without names: all columns of training, or those that are inputs. */
    put_text("n.csv", "1,red,yes,u1,x\n");
    assert_ok(read_all(&all, in_spec("%n.csv"), like, true, 10));
    assert_true(all.y[0] == 0 && all.x[2] == 1);
    put_text("n.csv", "1,red,yes\n");
    assert_ok(read_all(&all, in_spec("%n.csv"), like, false, 10));
    assert_true(all.x[2] == 1 && !all.labelled);
    put_text("n.csv", "1,red\n");
    inputs_fail("%n.csv", like, false, KELVIN_EFORMAT, "n.csv: line 1: 2 fields; ",
                "the network takes 3, or all 5 columns as in training");
    kelvin_data_close(like);
}

/* Rows of categories alone are no names of columns. */
static void rows_without_numbers(void **state)
{
    (void)state;
    static const char *const rows[] = {"red,yes,x\n", "blue,no,y\n", "red,no,x\n", "blue,yes,y\n"};
    write_text("t.csv", "", rows, 4, 5);
    kelvin_data *like = described(in_spec("csv:%t.csv,split=0"));
    assert_int_equal(like->train.n, 20);
    put_text("n.csv", "blue,no\nred,yes\n");
    assert_ok(read_all(&all, in_spec("%n.csv"), like, false, 10));
    assert_int_equal(all.n, 2);
    put_text("n.csv", "colour,sure\nred,yes\n");
    inputs_fail("%n.csv", like, false, KELVIN_EFORMAT, "n.csv: line 1 names columns", "cannot be known");
    kelvin_data_close(like);
}

/* ---- options ---- */

static void kept_columns(void **state)
{
    (void)state;
    kelvin_data *data;
    FILE *file = fopen(in_base("k.csv"), "w");
    assert_non_null(file);
    fputs("id,name,one,a,kind\n", file);
    for (int i = 0; i < 40; i++) fprintf(file, "%d,n%d,7,%d,%c\n", i, i, i % 7, "xy"[i % 2]);
    fclose(file);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%k.csv,split=0")));
    assert_int_equal(data->inputs, 1);
    kelvin_data_close(data);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%k.csv,split=0,keep=id,one")));
    assert_int_equal(data->inputs, 3);
    assert_true(data->mean[0] == 19.5 && data->mean[1] == 7 && data->deviation[1] == 1);
    kelvin_data_close(data);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%k.csv,split=0,keep=*,drop=name,drop=3")));
    assert_int_equal(data->inputs, 2);
    assert_string_equal(strstr(data->name, "/k.csv"), "/k.csv,split=0,keep=*,drop=name,drop=3");
    kelvin_data_close(data);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%k.csv,split=0,keep=name")));
    assert_int_equal(data->inputs, 41);
    kelvin_data_close(data);
    put_text("plain", "a,b\n1,x\n2,y\n3,x\n4,y\n"); /* a file that is there, whatever its name */
    assert_ok(kelvin_data_open(&data, in_spec("%plain")));
    kelvin_data_close(data);
    assert_ok(kelvin_data_open(&data, in_spec("%k.csv,drop=name")));
    kelvin_data_close(data);
}

/* Of many values, those that are frequent. */
static void many_values(void **state)
{
    (void)state;
    kelvin_data *data;
    FILE *file = fopen(in_base("m.csv"), "w");
    assert_non_null(file);
    fputs("town,rare,kind\n", file);
    for (int i = 0; i < 400; i++) fprintf(file, "t%d,r%d,%c\n", i % 4 ? i % 4 : 100 + i, i % 200, "xy"[i % 2]);
    fclose(file);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%m.csv,split=0")));
    const kelvin_feature *town = kelvin_data_feature(data, 0), *rare = kelvin_data_feature(data, 1);
    assert_true(town->kind == KELVIN_FEATURE_CATEGORY && town->n_values == 3 && town->rare == 0.25);
    assert_string_equal(town->values[2], "t3");
    assert_int_equal(rare->kind, KELVIN_FEATURE_LEFT_OUT);
    assert_true(has_note(data, "rare values, which have no input: 'town' (25 % of the rows)"));
    assert_true(has_note(data, "left out: 'rare' (so many values that none is frequent); keep=COLUMN keeps one"));
    kelvin_data_close(data);
}

/* The same bits as arrays with weights. */
static void weights(void **state)
{
    (void)state;
    enum { N = 24 };
    float x[2 * N];
    int32_t y[N];
    double w[N];
    FILE *file = fopen(in_base("w.csv"), "w");
    assert_non_null(file);
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)(i * 7 % 11), x[2 * i + 1] = (float)(i * 5 % 13) / 8, y[i] = i % 3, w[i] = (i % 5) * 0.5;
        fprintf(file, "%g,%g,%g,%d\n", (double)x[2 * i], w[i], (double)x[2 * i + 1], y[i]);
    }
    fclose(file);
    kelvin_data *table, *arrays;
    const kelvin_arrays given = {.rows = N, .columns = 2, .x = x, .labels = y, .weights = w, .split = -1};
    assert_ok(kelvin_data_from_arrays(&arrays, &given));
    assert_ok(kelvin_data_open(&table, in_spec("csv:%w.csv,weight=2,split=0")));
    assert_int_equal(table->train.n, arrays->train.n);
    assert_memory_equal(table->train.x, arrays->train.x, 2 * arrays->train.n * sizeof(float));
    assert_memory_equal(table->train.y, arrays->train.y, arrays->train.n * sizeof(int32_t));
    assert_memory_equal(table->train.weight, arrays->train.weight, arrays->train.n * sizeof(float));
    kelvin_data_close(table);
    kelvin_data_close(arrays);
    /* A row that is split off is nowhere else, and there once. */
    assert_ok(kelvin_data_open(&table, in_spec("csv:%w.csv,weight=2,id=1")));
    assert_true(table->test.n > 0 && table->test.n <= 6);
    for (size_t i = 0; i < table->test.n; i++) assert_true(!table->test.weight || table->test.weight[i] == 1);
    kelvin_data_close(table);
}

/* Kinds, means and categories are those of the training part, whatever is in the rows that are split off. */
static void test_rows_are_not_looked_at(void **state)
{
    (void)state;
    kelvin_data *one, *other;
    bool test[60] = {false};
    for (int round = 0; round < 2; round++) {
        FILE *file = fopen(in_base("s.csv"), "w");
        assert_non_null(file);
        fputs("case,a,town,kind\n", file);
        for (int i = 0; i < 60; i++) {
            if (test[i])
                fprintf(file, "c%d,%d,nowhere,%c\n", i, 1000000 + i, "xy"[i % 2]);
            else
                fprintf(file, "c%d,%d,%s,%c\n", i, i * 7 % 11, i % 3 ? "Bern" : "Zug", "xy"[i % 2]);
        }
        fclose(file);
        if (round == 0) {
            assert_ok(kelvin_data_open(&one, in_spec("csv:%s.csv,id=case")));
            for (size_t i = 0; i < one->test.n; i++) test[atoi(one->test.id[i] + 1)] = true;
        }
    }
    assert_ok(kelvin_data_open(&other, in_spec("csv:%s.csv,id=case")));
    assert_int_equal(one->inputs, other->inputs);
    assert_memory_equal(one->mean, other->mean, one->inputs * sizeof(double));
    assert_memory_equal(one->deviation, other->deviation, one->inputs * sizeof(double));
    assert_memory_equal(one->train.x, other->train.x, one->train.n * one->inputs * sizeof(float));
    assert_true(other->test.x[1] == 0 && other->test.x[2] == 0);
    assert_true(has_note(other, "values that the training part does not have: 'town' (12 rows): their inputs are 0"));
    kelvin_data_close(one);
    kelvin_data_close(other);
}

/* The bits of version 0.8, of a table of numbers. */
static void numbers_as_ever(void **state)
{
    (void)state;
    kelvin_data *data;
    char mark[KELVIN_DATA_MARK];
    FILE *file = fopen(in_base("golden.csv"), "w");
    assert_non_null(file);
    fputs("a,b,c,kind\n", file);
    for (int i = 0; i < 200; i++)
        fprintf(file, "%d.%03d,%de-3,%d,%c\n", i * 37 % 101, i * 91 % 1000, i * i % 257, i * 7 % 5, "xyz"[i * 5 % 3]);
    fclose(file);
    assert_ok(kelvin_data_open(&data, in_spec("csv:%golden.csv,seed=3")));
    kelvin_data_mark(mark, data);
    assert_string_equal(mark, "7b149975-25cc8774-67ef3560-21ae1ed3");
    assert_int_equal(data->notes, 0);
    bool plain;
    assert_ok(kelvin_features_are_plain(&plain, data));
    assert_true(plain);
    kelvin_data_close(data);
}

/* ---- memory ---- */

static kelvin_status predict_once(void *context)
{
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec("%new.csv"));
    return read_all(&all, spec, context, false, 30);
}

static void short_of_memory(void **state)
{
    (void)state;
    kelvin_data *data = without_memory_for("csv:%train.csv,test=%test.csv,id=case");
    assert_true(without_memory(predict_once, data) > 10);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_training_had_not),
        cmocka_unit_test(names_that_are_twice),
        cmocka_unit_test(test_parts_by_name),
        cmocka_unit_test(same_as_python),
        cmocka_unit_test(a_description_has_the_columns),
        cmocka_unit_test(values_that_training_had_not),
        cmocka_unit_test(rows_without_numbers),
        cmocka_unit_test(kept_columns),
        cmocka_unit_test(many_values),
        cmocka_unit_test(weights),
        cmocka_unit_test(test_rows_are_not_looked_at),
        cmocka_unit_test(numbers_as_ever),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests_name("odd tables", tests, make_base, remove_base);
}
