/* New inputs from tables: the same rows as kelvin_data_open gives, bit by bit, however many are asked for at a time;
 * columns in another order; every sentence of what does not fit. */
#include "inputs_helpers.h"

/* 300 rows; numbers of many lengths; labels in words. */
static void write_table(const char *name, const char *header, const int *order, size_t columns, const char *separator,
                        const char *end)
{
    static const char *const classes[] = {"setosa", "versi color", "\"virginica\"", "setosa"};
    FILE *file = fopen(in_base(name), "w");
    assert_non_null(file);
    if (header) fprintf(file, "%s%s", header, end);
    for (int i = 0; i < 300; i++)
        for (size_t j = 0; j < columns; j++) {
            if (order[j] == 3)
                fputs(classes[i % 3], file);
            else if (order[j] == 4)
                fprintf(file, "\"note, in\n%d lines\"", i);
            else
                fprintf(file, "%.*g", 3 + i % 15, 1.7 * i + 100 * sin(i + order[j]));
            fputs(j + 1 < columns ? separator : end, file);
        }
    fclose(file);
}

static void table_as_it_was(void **state)
{
    (void)state;
    kelvin_data *data;
    write_table("t.csv", "a,b,c,kind", (int[]){0, 1, 2, 3}, 4, ",", "\n");
    assert_ok(kelvin_data_open(&data, in_spec("csv:%t.csv,split=0")));
    is_part(in_spec("csv:%t.csv"), data, data, &data->train, true);
    assert_true(all.labelled && !all.named);
    is_part(in_spec("%t.csv"), data, data, &data->train, true);
    kelvin_data_close(data);
}

static void table_with_other_columns(void **state)
{
    (void)state;
    kelvin_data *data;
    write_table("t.csv", "a,b,c,kind", (int[]){0, 1, 2, 3}, 4, ",", "\n");
    assert_ok(kelvin_data_open(&data, in_spec("csv:%t.csv,split=0")));
    write_table("order.tsv",
                "\xef\xbb\xbf"
                "c\tremark\tkind\ta\tb",
                (int[]){2, 4, 3, 0, 1}, 5, "\t", "\r\n");
    is_part(in_spec("%order.tsv"), data, data, &data->train, true);
    write_table("plain.txt", "c;b;a", (int[]){2, 1, 0}, 3, " ; ", "\n\n");
    is_part(in_spec("%plain.txt"), data, data, &data->train, false);
    assert_false(all.labelled);
    assert_int_equal(all.y[0], -1);
    write_table("bare.csv", NULL, (int[]){0, 1, 2}, 3, ",", "\n");
    is_part(in_spec("%bare.csv"), data, data, &data->train, false);
    write_table("last.csv", NULL, (int[]){0, 1, 2, 3}, 4, ",", "\n");
    is_part(in_spec("csv:%last.csv,header=no"), data, data, &data->train, true);
    write_table("first.csv", NULL, (int[]){3, 0, 1, 2}, 4, ",", "\n");
    is_part(in_spec("csv:%first.csv,label=1"), data, data, &data->train, true);
    write_table("other.csv", "a,b,what,c", (int[]){0, 1, 3, 2}, 4, ",", "\n");
    is_part(in_spec("csv:%other.csv,label=what"), data, data, &data->train, true);
    is_part(in_spec("csv:%t.csv,test=%order.tsv"), data, data, &data->train, true);
    kelvin_data_close(data);
}

/* The place of labels is remembered where it was said by number. */
static void label_where_it_was(void **state)
{
    (void)state;
    kelvin_data *data;
    write_table("first.csv", NULL, (int[]){3, 0, 1, 2}, 4, ",", "\n");
    assert_ok(kelvin_data_open(&data, in_spec("csv:%first.csv,label=1,split=0")));
    is_part(in_spec("%first.csv"), data, data, &data->train, true);
    kelvin_data_close(data);
}

/* With a split: the test part of the same split, standardised by the training part of another. */
static void split_on_demand(void **state)
{
    (void)state;
    kelvin_data *data;
    write_table("t.csv", "a,b,c,kind", (int[]){0, 1, 2, 3}, 4, ",", "\n");
    assert_ok(kelvin_data_open(&data, in_spec("csv:%t.csv,split=0.3,seed=7")));
    is_part(in_spec("csv:%t.csv,split=0.3,seed=7"), data, data, &data->test, true);
    kelvin_data_close(data);
}

static void numbers_as_labels(void **state)
{
    (void)state;
    put_text("n.csv", "x,y\n1,10\n2,9\n3,10.0\n4,009\n5,-0\n6,0\n");
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("csv:%n.csv,split=0")));
    put_text("m.csv", "x,y\n1,1e1\n2,9.0\n3,+9\n4,0\n5,8\n6,\n7,word\n");
    assert_ok(read_all(&all, in_spec("%m.csv"), data, false, 100));
    assert_memory_equal(all.y, ((int32_t[]){2, 1, 1, 0, -1, -1, -1}), 7 * sizeof(int32_t));
    inputs_fail("%m.csv", data, true, KELVIN_EFORMAT, "m.csv: line 6, column 2: ", "'8' is none of the 3 classes");
    put_text("m.csv", "x,y\n1,\n");
    inputs_fail("%m.csv", data, true, KELVIN_EFORMAT, "m.csv: line 2, column 2: ", "the label is empty");
    kelvin_data_close(data);
}

/* Classes need not be in the order of their names; a like may be filled in by hand. */
static void classes_in_any_order(void **state)
{
    (void)state;
    const double zero = 0, one = 1;
    const kelvin_data like = {.inputs = 1,
                              .classes = 3,
                              .class_names = (const char *[]){"pear", "apple", "fig"},
                              .mean = &zero,
                              .deviation = &one};
    put_text("fruit.csv", "1,fig\n2,pear\n3,apple\n4,plum\n");
    assert_ok(read_all(&all, in_spec("%fruit.csv"), &like, false, 100));
    assert_memory_equal(all.y, ((int32_t[]){2, 0, 1, -1}), 4 * sizeof(int32_t));
    assert_true(all.x[2] == 3);
}

/* Split off from other data, standardised as the network's: the same rows as in pieces. */
static void split_of_others(void **state)
{
    (void)state;
    put_text("n.csv", "x,y\n1,a\n2,b\n4,a\n8,b\n");
    put_text("m.csv", "x,y\n10,a\n20,a\n30,a\n40,b\n50,b\n60,b\n");
    kelvin_data *like = described(in_spec("csv:%n.csv,split=0"));
    assert_ok(read_all(&all, in_spec("csv:%m.csv,split=0.3"), like, true, 4));
    assert_int_equal(all.n, 2);
    for (size_t i = 0; i < all.n; i++) {
        const double value = (double)all.x[i] * like->deviation[0] + like->mean[0];
        assert_near(remainder(value, 10), 0, 1e-4); /* floats */
        assert_true(value > 9);
    }
    kelvin_data_close(like);
}

/* A window of 256 KB moves on: rows of all lengths around its border, and one that is longer than it. */
static void long_text(void **state)
{
    (void)state;
    put_text("n.csv", "x,remark,y\n1,-1,a\n2,1,b\n");
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("csv:%n.csv,split=0")));
    FILE *file = fopen(in_base("long.csv"), "w");
    assert_non_null(file);
    fputs("remark,x,text\n", file);
    for (size_t i = 0; i < 2000; i++) {
        fprintf(file, "%zu,%zu,\"", i % 7, i);
        for (size_t j = 0; j < (i == 1000 ? 700000 : i * 7 % 1013); j++) fputc("x\n\r, "[j % 5], file);
        fputs(i % 3 ? "\"\"\"\"\"\"\"\n" : "\"\r\n", file);
    }
    fclose(file);
    assert_ok(read_all(&all, in_spec("%long.csv"), data, false, 64));
    assert_int_equal(all.n, 2000);
    for (size_t i = 0; i < 2000; i++) {
        assert_near((double)all.x[2 * i], ((double)i - data->mean[0]) / data->deviation[0], 1e-3);
        assert_near((double)all.x[2 * i + 1], (double)(i % 7) / data->deviation[1], 1e-6);
    }
    /* lines are counted through it */
    file = fopen(in_base("long.csv"), "a");
    assert_non_null(file);
    fputs("1,abc,\n", file);
    fclose(file);
    size_t bytes, lines = 0;
    char *text = slurp(in_base("long.csv"), &bytes);
    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    kelvin_free(text);
    char place[64];
    snprintf(place, sizeof place, "long.csv: line %zu, column 2 ('x'): ", lines);
    inputs_fail("%long.csv", data, false, KELVIN_EFORMAT, place, "'abc' is not a number; expected a number");
    kelvin_data_close(data);
}

/* Rows are given out as soon as they are there: the writer waits for what the reader has got. */
static void rows_from_a_pipe(void **state)
{
    (void)state;
    put_text("n.csv", "x,y\n1,a\n2,b\n");
    kelvin_data *like = described(in_spec("csv:%n.csv,split=0"));
    int ends[2];
    char spec[64];
    assert_int_equal(pipe(ends), 0);
    snprintf(spec, sizeof spec, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "\n\n", 2), 2); /* blank lines, alone in the first piece */
    assert_int_equal(write(ends[1], "x\n3\n", 4), 4);
    kelvin_inputs *inputs;
    kelvin_rows rows;
    assert_ok(kelvin_inputs_open(&inputs, spec, like, false));
    assert_ok(kelvin_inputs_next(inputs, &rows, 100));
    assert_int_equal(rows.n, 1);
    assert_int_equal(write(ends[1], "4\n5\n6", 5), 5);
    assert_ok(kelvin_inputs_next(inputs, &rows, 100));
    assert_int_equal(rows.n, 2);
    assert_int_equal(rows.first, 1);
    close(ends[1]);
    assert_ok(kelvin_inputs_next(inputs, &rows, 100));
    assert_int_equal(rows.n, 1);
    assert_ok(kelvin_inputs_next(inputs, &rows, 100));
    assert_int_equal(rows.n, 0);
    kelvin_inputs_close(inputs);
    close(ends[0]);
    kelvin_data_close(like);
}

static void table_sentences(void **state)
{
    (void)state;
    write_table("t.csv", "a,b,width,kind", (int[]){0, 1, 2, 3}, 4, ",", "\n");
    kelvin_data *like = described(in_spec("csv:%t.csv"));
    static const struct {
        const char *text;
        bool labels;
        const char *place, *sentence;
    } cases[] = {
        {"a,b,widht\n1,2,3\n", false, "w.csv: line 1: no column is called 'width'", "did you mean 'widht'?"},
        {"a,b\n1,2\n", false, "w.csv: line 1: the file has 'a', 'b'; ", "the network also takes 'width'"},
        {"a,b,width,a\n1,2,3,4\n", false, "w.csv: line 1: ", "2 columns are called 'a'; expected 1"},
        {"a,b,width\n1,2,3\n", true, "w.csv: has no labels; ", "a column called 'kind', or label=COLUMN"},
        {"a,b,width\n1,2,x\n", false, "w.csv: line 2, column 3 ('width'): ", "'x' is not a number; expected a number"},
        {"a,b,width\n1,2,-inf\n", false, "w.csv: line 2, column 3 ('width'): ", "is not finite"},
        {"a,b,width\n1,2,3\n4,5\n", false, "w.csv: line 3: 2 fields; ", "expected 3 as in line 1"},
        {"a,b,width\n1,2,1e300\n", false, "w.csv: line 2, column 3: 1e+300", "too far from the mean"},
        {"a,b,width,kind\n1,2,3,setos\n", true, "w.csv: line 2, column 4: the label 'setos'", "did you mean 'setosa'?"},
        {"1,2\n", false, "w.csv: line 1: 2 fields; ", "the network takes 3, or one more with a label"},
        {"1,2,3,4,5\n", false, "w.csv: line 1: 5 fields; ", "the network takes 3"},
        {"1,2,3\n", true, "w.csv: has no labels; ", "'kind'"},
        {"", false, "w.csv: is empty; ", "expected rows"},
        {"\n \n", false, "w.csv: is empty; ", "expected rows"},
        {"a,b,width\n1,2,\xff\n", false, "w.csv: line 2, byte 5: ", "not UTF-8"},
        {"a,b,width\n1,2,\"3\n", false, "w.csv: line 2, column 3: ", "a quote that is never closed"},
        {"a,b,width\n1,2;3\n", false, "w.csv: line 2: 2 fields", "expected 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_text("w.csv", cases[i].text);
        inputs_fail("%w.csv", like, cases[i].labels, KELVIN_EFORMAT, cases[i].place, cases[i].sentence);
    }
    put_text("w.csv", "a,b,width\n");
    assert_ok(read_all(&all, in_spec("%w.csv"), like, false, 10)); /* nothing is no failure */
    assert_int_equal(all.n, 0);
    put_text("w.csv", "1,2,3\n");
    inputs_fail("csv:%w.csv,label=1", like, false, KELVIN_EFORMAT, "w.csv: line 1: 3 fields; ", "4 with the label");
    inputs_fail("csv:%w.csv,header=maybe", like, false, KELVIN_EUSAGE, "header is 'maybe'", "yes or no");
    inputs_fail("%none.csv", like, false, KELVIN_EIO, "none.csv' is neither a file", "the family data_sets");
    inputs_fail("csv:%none.csv", like, false, KELVIN_EIO, "none.csv: could not be read: ", "No such file");
    inputs_fail("nothing:%w.csv", like, false, KELVIN_EIO, "nothing:", "the family data_sets");
    inputs_fail("toy", like, false, KELVIN_EFORMAT, "toy: has rows of 2 numbers; ",
                "the network takes rows of 3 numbers");
    inputs_fail("digits", like, false, KELVIN_EFORMAT, "digits: has images of 1 x 8 x 8", "rows of 3 numbers");
    kelvin_data_close(like);
}

/* ---- memory ---- */

struct work {
    const char *spec;
    const kelvin_data *like;
};

static kelvin_status read_once(void *context)
{
    const struct work *work = context;
    return read_all(&all, work->spec, work->like, true, 30);
}

static kelvin_status keep_once(void *context)
{
    const struct work *work = context;
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_open(&inputs, work->spec, work->like, true));
    kelvin_status status = kelvin_inputs_keep(inputs, "b,1");
    kelvin_rows rows;
    if (!status) status = kelvin_inputs_next(inputs, &rows, 3);
    if (!status) status = kelvin_inputs_next(inputs, &rows, 30);
    if (!status) assert_true(rows.first == 3 && rows.n == 30);
    if (!status) assert_string_equal(kelvin_inputs_kept_name(inputs, 1), "a");
    for (size_t i = 0; !status && i < rows.n; i++) { /* what stands in the file is what was standardised */
        const kelvin_data *like = work->like;
        for (size_t k = 0; k < 2; k++) {
            const double value = strtod(kelvin_inputs_kept(inputs, rows.first + i, k), NULL);
            const size_t j = !k;
            assert_near((double)rows.x[i * like->inputs + j], (value - like->mean[j]) / like->deviation[j], 1e-5);
        }
    }
    kelvin_inputs_close(inputs);
    return status;
}

static void short_of_memory(void **state)
{
    (void)state;
    write_table("t.csv", "a,b,c,kind", (int[]){0, 1, 2, 3}, 4, ",", "\n");
    kelvin_data *like = described(in_spec("csv:%t.csv"));
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec("%t.csv"));
    assert_true(without_memory(read_once, &(struct work){spec, like}) > 5);
    assert_true(without_memory(keep_once, &(struct work){spec, like}) > 8);
    kelvin_data_close(like);
    like = described("digits");
    assert_true(without_memory(read_once, &(struct work){"digits", like}) > 5);
    kelvin_data_close(like);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_as_it_was),      cmocka_unit_test(table_with_other_columns),
        cmocka_unit_test(label_where_it_was),   cmocka_unit_test(split_on_demand),
        cmocka_unit_test(numbers_as_labels),    cmocka_unit_test(long_text),
        cmocka_unit_test(rows_from_a_pipe),     cmocka_unit_test(table_sentences),
        cmocka_unit_test(classes_in_any_order), cmocka_unit_test(split_of_others),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests_name("input tables", tests, make_base, remove_base);
}
