/* New inputs: the same rows as kelvin_data_open gives, bit by bit, however many are asked for at a time; columns in
 * another order; every sentence of what does not fit. */
#include "folder_helpers.h"

#include "loaders.h"

#include "run/formats.h"

#include "picture_helpers.h"

#include <kelvin/data.h>

/* ---- all rows, so many at a time ---- */

enum { MOST = 3000, INPUTS = 64 };

struct all {
    size_t n;
    float x[MOST * INPUTS];
    int32_t y[MOST];
    char name[MOST][96];
    bool named, labelled;
};

static kelvin_status read_from(struct all *all, kelvin_inputs *inputs, size_t inputs_n, size_t most)
{
    kelvin_rows rows;
    all->n = 0;
    all->labelled = kelvin_inputs_labelled(inputs);
    for (;;) {
        KELVIN_TRY(kelvin_inputs_next(inputs, &rows, most));
        if (rows.n == 0) return KELVIN_OK;
        assert_true(rows.n <= most && rows.first == all->n && all->n + rows.n <= MOST);
        memcpy(all->x + all->n * inputs_n, rows.x, rows.n * inputs_n * sizeof *rows.x);
        memcpy(all->y + all->n, rows.y, rows.n * sizeof *rows.y);
        all->named = rows.name;
        for (size_t i = 0; rows.name && i < rows.n; i++)
            snprintf(all->name[all->n + i], sizeof *all->name, "%s", rows.name[i]);
        all->n += rows.n;
    }
}

static kelvin_status read_all(struct all *all, const char *spec, const kelvin_data *like, bool labels, size_t most)
{
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_open(&inputs, spec, like, labels));
    const kelvin_status status = read_from(all, inputs, like->inputs, most);
    kelvin_inputs_close(inputs);
    return status;
}

static struct all all;

/* All rows are those of a part, whatever the batch. */
static void is_part(const char *spec, const kelvin_data *like, const kelvin_data *data, const kelvin_part *part,
                    bool labels)
{
    static const size_t batches[] = {1, 7, 1000};
    static float x[MOST * INPUTS];
    assert_true(part->n <= MOST && data->inputs <= INPUTS);
    kelvin_data_slice(data, part, x, 0, part->n);
    for (size_t b = 0; b < 3; b++) {
        assert_ok(read_all(&all, spec, like, labels, batches[b]));
        assert_int_equal(all.n, part->n);
        assert_memory_equal(all.x, x, part->n * data->inputs * sizeof *x);
        if (labels) assert_memory_equal(all.y, part->y, part->n * sizeof *part->y);
    }
}

/* What a run keeps of its data: no rows. */
static kelvin_data *described(const char *spec)
{
    kelvin_data *data, *like;
    assert_ok(kelvin_data_open(&data, spec));
    assert_ok(kelvin_data_describe(&like, data));
    kelvin_data_close(data);
    return like;
}

static void inputs_fail(const char *pattern, const kelvin_data *like, bool labels, kelvin_status expected,
                        const char *place, const char *sentence)
{
    char spec[2048];
    snprintf(spec, sizeof spec, "%s", in_spec(pattern));
    fails(read_all(&all, spec, like, labels, 100), expected, place, sentence);
}

/* ---- tables ---- */

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
        {"a,b,width\n1,,3\n", false, "w.csv: line 2, column 2 ('b'): ", "the field is empty"},
        {"a,b,width\n1,2,nan\n", false, "w.csv: line 2, column 3 ('width'): ", "is not finite"},
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
    inputs_fail("%none.csv", like, false, KELVIN_EIO, "none.csv' is neither a file", "kelvin info");
    inputs_fail("csv:%none.csv", like, false, KELVIN_EIO, "none.csv: could not be read: ", "No such file");
    inputs_fail("nothing:%w.csv", like, false, KELVIN_EIO, "nothing:", "kelvin info");
    inputs_fail("toy", like, false, KELVIN_EFORMAT, "toy: has rows of 2 numbers; ",
                "the network takes rows of 3 numbers");
    inputs_fail("digits", like, false, KELVIN_EFORMAT, "digits: has images of 1 x 8 x 8", "rows of 3 numbers");
    kelvin_data_close(like);
}

/* ---- arrays ---- */

static void write_npy(const char *name, const char *type, const char *order, const char *shape, const void *data,
                      size_t bytes)
{
    char head[128];
    const int n = snprintf(head + 10, sizeof head - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
                           order, shape);
    memcpy(head, "\x93NUMPY\1", 8);
    head[8] = (char)n;
    head[9] = 0;
    FILE *file = fopen(in_base(name), "wb");
    assert_non_null(file);
    fwrite(head, 1, 10 + (size_t)n, file);
    fwrite(data, 1, bytes, file);
    fclose(file);
}

enum { N = 40, H = 4, W = 5, SIZE = H * W };

static void arrays(void **state)
{
    (void)state;
    static uint8_t pixels[N][H][W], turned[W][H][N], colour[N][H][W][3];
    static float shares[N][H][W];
    static double table[N][SIZE], fortran[SIZE][N];
    int64_t y[N];
    for (int i = 0; i < N; i++) {
        y[i] = (i * i) % 3 == 0 ? 3 : 7;
        for (int j = 0; j < SIZE; j++) {
            const uint8_t v = (uint8_t)(i == 5 && j < 2 ? 0 : (i * 37 + j * 91) % 256);
            pixels[i][j / W][j % W] = v;
            turned[j % W][j / W][i] = v;
            shares[i][j / W][j % W] = (float)v / 255;
            table[i][j] = fortran[j][i] = v * 1.7;
            for (int c = 0; c < 3; c++) colour[i][j / W][j % W][c] = (uint8_t)(v + c);
        }
    }
    write_npy("y.npy", "<i8", "False", "(40,)", y, sizeof y);
    write_npy("x.npy", "|u1", "False", "(40, 4, 5, 1)", pixels, sizeof pixels);
    write_npy("f.npy", "|u1", "True", "(40, 4, 5)", turned, sizeof turned);
    write_npy("s.npy", "<f4", "False", "(40, 1, 4, 5)", shares, sizeof shares);
    write_npy("c.npy", "|u1", "False", "(40, 4, 5, 3)", colour, sizeof colour);
    write_npy("t.npy", "<f8", "False", "(40, 20)", table, sizeof table);
    write_npy("u.npy", "<f8", "True", "(40, 20)", fortran, sizeof fortran);
    kelvin_data *data, *rows;
    assert_ok(kelvin_data_open(&data, in_spec("npy:%x.npy,%y.npy,split=0")));
    assert_ok(kelvin_data_open(&rows, in_spec("npy:%t.npy,%y.npy,split=0")));
    is_part(in_spec("npy:%x.npy,%y.npy"), data, data, &data->train, true);
    static const char *const same[] = {"npy:%x.npy", "%x.npy", "%f.npy", "%s.npy", "npy:%f.npy,test-x=%x.npy"};
    for (size_t i = 0; i < 5; i++) is_part(in_spec(same[i]), data, data, &data->train, false);
    assert_false(all.labelled);
    is_part(in_spec("npy:%u.npy,%y.npy"), rows, rows, &rows->train, true);
    is_part(in_spec("%t.npy"), rows, rows, &rows->train, false);
    /* one image alone, in either order */
    write_npy("one.npy", "|u1", "False", "(4, 5)", pixels[7], SIZE);
    assert_ok(read_all(&all, in_spec("%one.npy"), data, false, 10));
    assert_int_equal(all.n, 1);
    float x[SIZE];
    kelvin_data_slice(data, &data->train, x, 7, 1);
    assert_memory_equal(all.x, x, sizeof x);

    /* the first ten in another format, which is opened as a whole: all of them, and not by their own statistics */
    uint8_t x_idx[16 + 10 * SIZE] = {0, 0, 8, 3, 0, 0, 0, 10, 0, 0, 0, H, 0, 0, 0, W};
    uint8_t y_idx[8 + 10] = {0, 0, 8, 1, 0, 0, 0, 10};
    memcpy(x_idx + 16, pixels, 10 * SIZE);
    for (int i = 0; i < 10; i++) y_idx[8 + i] = (uint8_t)y[i];
    spill(in_base("x.idx"), x_idx, sizeof x_idx);
    spill(in_base("y.idx"), y_idx, sizeof y_idx);
    kelvin_part ten = data->train;
    ten.n = 10;
    is_part(in_spec("idx:%x.idx,%y.idx"), data, data, &ten, true);

    inputs_fail("%c.npy", data, false, KELVIN_EFORMAT, "c.npy: has images of 3 x 4 x 5", "takes images of 1 x 4 x 5");
    inputs_fail("%t.npy", data, false, KELVIN_EFORMAT, "t.npy: has rows of 20 numbers", "takes images of 1 x 4 x 5");
    inputs_fail("%x.npy", rows, false, KELVIN_EFORMAT, "x.npy: has images of 1 x 4 x 5", "takes rows of 20 numbers");
    inputs_fail("%x.npy", data, true, KELVIN_EFORMAT, "x.npy: has no labels; ", "npy:X,Y");
    shares[30][1][2] = 1.5f;
    write_npy("s.npy", "<f4", "False", "(40, 4, 5)", shares, sizeof shares);
    inputs_fail("%s.npy", data, false, KELVIN_EFORMAT, "s.npy: row 31 (from 1), index (30, 1, 2)", "1.5");
    table[33][2] = (double)NAN;
    write_npy("t.npy", "<f8", "False", "(40, 20)", table, sizeof table);
    inputs_fail("%t.npy", rows, false, KELVIN_EFORMAT, "t.npy: row 34, column 3 (from 1)", "a finite number");
    y[20] = 5;
    write_npy("z.npy", "<i8", "False", "(40,)", y, sizeof y);
    inputs_fail("npy:%x.npy,%z.npy", data, true, KELVIN_EFORMAT, "z.npy: row 21 (from 1): the label '5'", "2 classes");
    assert_ok(read_all(&all, in_spec("npy:%x.npy,%z.npy"), data, false, 9));
    assert_true(all.labelled && all.y[20] == -1 && all.y[21] == data->train.y[21]);
    write_npy("z.npy", "<i8", "False", "(39,)", y, sizeof y - 8);
    inputs_fail("npy:%x.npy,%z.npy", data, false, KELVIN_EFORMAT, "z.npy: 39 labels; ", "expected 40");
    inputs_fail("%missing.npy", data, false, KELVIN_EIO, "missing.npy", "neither a file");
    kelvin_data_close(data);
    kelvin_data_close(rows);
}

/* Floats are looked at in pieces of 2^18; which is the first that is no pixel is known all the same. */
static void large_arrays(void **state)
{
    (void)state;
    enum { IMAGES = 100, SIDE = 64 };
    float *x = kelvin_alloc(IMAGES * SIDE * SIDE, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < IMAGES * SIDE * SIDE; i++) x[i] = (float)(i % 256);
    x[(90 * SIDE + 3) * SIDE + 2] = 0.5f;
    write_npy("large.npy", "<f4", "False", "(100, 64, 64)", x, IMAGES * SIDE * SIDE * sizeof *x);
    kelvin_free(x);
    const double one = 1;
    const kelvin_data like = {.inputs = SIDE * SIDE,
                              .classes = 2,
                              .channels = 1,
                              .height = SIDE,
                              .width = SIDE,
                              .mean = &one,
                              .deviation = &one,
                              .white = 255};
    inputs_fail("%large.npy", &like, false, KELVIN_EFORMAT, "large.npy: row 91 (from 1), index (90, 3, 2)", "0.5");
}

/* ---- pictures ---- */

static void write_picture(const char *name, size_t height, size_t width, size_t channels, unsigned seed)
{
    uint8_t pixels[16 * 16 * 3];
    for (size_t i = 0; i < height * width * channels; i++) pixels[i] = (uint8_t)(seed * 59 + i * i * 7);
    assert_ok(picture_write_png(&(struct picture){height, width, channels, pixels}, in_base(name)));
}

static void pictures(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_base("set"), 0777) | mkdir(in_base("set/cat"), 0777) | mkdir(in_base("set/dog"), 0777),
                     0);
    assert_int_equal(mkdir(in_base("flat"), 0777), 0);
    for (unsigned i = 0; i < 24; i++) {
        char name[64];
        snprintf(name, sizeof name, "set/%s/%02u.png", i < 10 ? "cat" : "dog", i);
        write_picture(name, 4, 4, 3, i);
        snprintf(name, sizeof name, "flat/%02u.png", i);
        write_picture(name, 4, 4, 3, i);
    }
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("images:%set,split=0")));
    is_part(in_spec("images:%set"), data, data, &data->train, true);
    assert_true(all.named && all.labelled);
    assert_string_equal(all.name[11], in_base("set/dog/11.png"));
    is_part(in_spec("images:%flat"), data, data, &data->train, false);
    assert_true(all.named && !all.labelled);
    assert_string_equal(all.name[23], in_base("flat/23.png"));
    is_part(in_spec("%flat"), data, data, &data->train, false);
    assert_int_equal(rename(in_base("flat/05.png"), in_base("unknown.kind")), 0); /* by its contents */
    assert_ok(read_all(&all, in_spec("%unknown.kind"), data, false, 10));
    assert_int_equal(all.n, 1);
    float x[48];
    kelvin_data_slice(data, &data->train, x, 5, 1);
    assert_memory_equal(all.x, x, sizeof x);

    /* another size, grey: as if all had been read with size= and channels= */
    write_picture("set/cat/00.png", 9, 7, 1, 3);
    kelvin_data *resized;
    assert_ok(kelvin_data_open(&resized, in_spec("images:%set,split=0,size=4,channels=3")));
    is_part(in_spec("images:%set"), resized, resized, &resized->train, true);
    kelvin_data *grey;
    assert_ok(kelvin_data_open(&grey, in_spec("images:%set,split=0.25,seed=3,size=5x6,channels=1")));
    is_part(in_spec("images:%set,split=0.25,seed=3"), grey, grey, &grey->test, true);
    kelvin_data_close(resized);
    kelvin_data_close(grey);

    inputs_fail("images:%flat", data, true, KELVIN_EFORMAT, "flat: has no labels; ", "one folder for each class");
    assert_int_equal(rename(in_base("set/dog"), in_base("set/dogs")), 0);
    inputs_fail("images:%set", data, true, KELVIN_EFORMAT, "set/dogs: the label 'dogs'", "did you mean 'dog'?");
    assert_ok(read_all(&all, in_spec("images:%set"), data, false, 5)); /* without need of labels */
    assert_true(all.y[0] == 0 && all.y[20] == -1);
    put_text("flat/06.png", "no picture");
    inputs_fail("images:%flat", data, false, KELVIN_EFORMAT, "flat/06.png: ", "neither a PNG nor a JPEG");
    write_picture("set/stray.png", 4, 4, 3, 1);
    inputs_fail("images:%set", data, false, KELVIN_EFORMAT, "set: holds the picture 'stray.png' beside folders", "one");
    put_text("t.csv", "1,2,a\n3,4,b\n5,6,a\n7,8,b\n");
    kelvin_data *like = described(in_spec("csv:%t.csv"));
    inputs_fail("%set/stray.png", like, false, KELVIN_EFORMAT, "stray.png: is a picture; ", "rows of 2 numbers");
    inputs_fail("%t.csv", data, false, KELVIN_EFORMAT, "t.csv: is a table; ", "images of 3 x 4 x 4");
    kelvin_data_close(like);
    kelvin_data_close(data);
}

/* ---- data sets ---- */

static void data_sets(void **state)
{
    (void)state;
    kelvin_data *digits, *toy;
    assert_ok(kelvin_data_open(&digits, "digits"));
    is_part("digits", digits, digits, &digits->test, true);
    assert_ok(kelvin_data_open(&toy, "toy"));
    is_part("toy", toy, toy, &toy->train, true);
    kelvin_data_close(toy);

    /* a picture of a digit: white is 255 there and 16 here */
    uint8_t pixels[64];
    for (size_t i = 0; i < 64; i++) pixels[i] = (uint8_t)(255 * digits->train.bytes[i] / 16);
    assert_ok(picture_write_png(&(struct picture){8, 8, 1, pixels}, in_base("digit.png")));
    assert_ok(read_all(&all, in_spec("%digit.png"), digits, false, 10));
    float x[64];
    kelvin_data_slice(digits, &digits->train, x, 0, 1);
    /* a byte of 255 is 1/255 wide, and was rounded down: as seen by the network */
    for (size_t i = 0; i < 64; i++) assert_near((double)all.x[i], (double)x[i], 1 / 255. / digits->deviation[0]);

    kelvin_inputs *inputs;
    assert_ok(kelvin_inputs_of(&inputs, digits, &digits->test));
    assert_ok(read_from(&all, inputs, 64, 50));
    kelvin_inputs_close(inputs);
    assert_int_equal(all.n, digits->test.n);
    assert_memory_equal(all.y, digits->test.y, all.n * sizeof *all.y);
    kelvin_data_slice(digits, &digits->test, x, all.n - 1, 1);
    assert_memory_equal(all.x + 64 * (all.n - 1), x, sizeof x);
    kelvin_data_close(digits);
}

/* Arrays of digits as scikit-learn has them, of whole numbers from 0 to 16; one that is larger makes them bytes. */
static void own_scale(void **state)
{
    (void)state;
    enum { ROWS = 50, ALL = ROWS * 64 };
    static uint8_t bytes[ALL];
    static double reals[ALL];
    static int64_t labels[ROWS];
    kelvin_data *digits;
    assert_ok(kelvin_data_open(&digits, "digits"));
    for (size_t i = 0; i < ALL; i++) reals[i] = bytes[i] = digits->test.bytes[i];
    for (size_t i = 0; i < ROWS; i++) labels[i] = digits->test.y[i];
    write_npy("b.npy", "|u1", "False", "(50, 8, 8)", bytes, sizeof bytes);
    write_npy("f.npy", "<f8", "False", "(50, 8, 8)", reals, sizeof reals);
    write_npy("y.npy", "<i8", "False", "(50,)", labels, sizeof labels);
    kelvin_part part = digits->test;
    part.n = ROWS;
    is_part(in_spec("npy:%b.npy,%y.npy"), digits, digits, &part, true);
    is_part(in_spec("npy:%f.npy,%y.npy"), digits, digits, &part, true);
    is_part(in_spec("npy:%f.npy,%y.npy,split=0"), digits, digits, &part, true);

    static float own[64];
    memcpy(own, all.x, sizeof own);
    bytes[ALL - 1] = 17;
    write_npy("b.npy", "|u1", "False", "(50, 8, 8)", bytes, sizeof bytes);
    assert_ok(read_all(&all, in_spec("npy:%b.npy"), digits, false, 7));
    /* (byte / 255 - mean) / deviation in place of (byte / 16 - mean) / deviation, to a few roundings of a float */
    for (size_t i = 0; i < 64; i++)
        assert_near((double)all.x[i], (bytes[i] / 255. - digits->mean[0]) / digits->deviation[0], 1e-6);
    assert_true(memcmp(own, all.x, sizeof own) != 0);
    kelvin_data_close(digits);
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
        cmocka_unit_test(table_as_it_was),
        cmocka_unit_test(table_with_other_columns),
        cmocka_unit_test(label_where_it_was),
        cmocka_unit_test(split_on_demand),
        cmocka_unit_test(numbers_as_labels),
        cmocka_unit_test(long_text),
        cmocka_unit_test(rows_from_a_pipe),
        cmocka_unit_test(table_sentences),
        cmocka_unit_test(arrays),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(classes_in_any_order),
        cmocka_unit_test(split_of_others),
        cmocka_unit_test(pictures),
        cmocka_unit_test(data_sets),
        cmocka_unit_test(own_scale),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests_name("inputs", tests, make_base, remove_base);
}
