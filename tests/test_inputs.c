/* New inputs from arrays, pictures and data sets: the same rows as kelvin_data_open gives, bit by bit, however many are
 * asked for at a time; every sentence of what does not fit. */
#include "inputs_helpers.h"

#include "files/formats.h"

#include "picture_helpers.h"

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
    kelvin_part_slice(data, &data->train, x, 7, 1);
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
    assert_ok(kelvin_picture_write_png(&(struct picture){height, width, channels, pixels}, in_base(name)));
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
    kelvin_part_slice(data, &data->train, x, 5, 1);
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
    assert_ok(kelvin_picture_write_png(&(struct picture){8, 8, 1, pixels}, in_base("digit.png")));
    assert_ok(read_all(&all, in_spec("%digit.png"), digits, false, 10));
    float x[64];
    kelvin_part_slice(digits, &digits->train, x, 0, 1);
    /* a byte of 255 is 1/255 wide, and was rounded down: as seen by the network */
    for (size_t i = 0; i < 64; i++) assert_near((double)all.x[i], (double)x[i], 1 / 255. / digits->deviation[0]);

    kelvin_inputs *inputs;
    assert_ok(kelvin_inputs_of(&inputs, digits, &digits->test));
    assert_ok(read_from(&all, inputs, 64, 50));
    kelvin_inputs_close(inputs);
    assert_int_equal(all.n, digits->test.n);
    assert_memory_equal(all.y, digits->test.y, all.n * sizeof *all.y);
    kelvin_part_slice(digits, &digits->test, x, all.n - 1, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays),    cmocka_unit_test(large_arrays), cmocka_unit_test(pictures),
        cmocka_unit_test(data_sets), cmocka_unit_test(own_scale),
    };
    return cmocka_run_group_tests_name("inputs", tests, make_base, remove_base);
}
