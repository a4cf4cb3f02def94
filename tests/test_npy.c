/* Arrays from NumPy's files: every type, byte order and axis order; what becomes an image and what a table; a sentence
 * for everything that can be wrong. */
#include "run_helpers.h"

#include "files/npy.h"
#include "loaders.h"

/* ---- making files ---- */

static size_t build(char *file, int version, const char *header, const void *data, size_t bytes)
{
    const size_t length = strlen(header), width = version == 1 ? 2 : 4;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[7] = 0;
    for (size_t i = 0; i < width; i++) file[8 + i] = (char)(length >> 8 * i);
    memcpy(file + 8 + width, header, length);
    memcpy(file + 8 + width + length, data, bytes);
    return 8 + width + length + bytes;
}

static void put_array(const char *name, const char *type, const char *shape, const void *data, size_t bytes)
{
    char file[4096], header[256];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type, shape);
    spill(in_base(name), file, build(file, 1, header, data, bytes));
}

/* ---- numbers ---- */

/* Little-endian bytes of one number each, by the definition of its type. */
static const struct {
    const char *type;
    uint64_t bits;
    double value;
} numbers[] = {
    {"b1", 0, 0},
    {"b1", 1, 1},
    {"b1", 255, 1},
    {"u1", 255, 255},
    {"i1", 0x7f, 127},
    {"i1", 0x80, -128},
    {"i1", 0xff, -1},
    {"u2", 0xfffe, 65534},
    {"i2", 0xfffe, -2},
    {"i2", 0x8000, -32768},
    {"u4", 0xfffffffe, 4294967294},
    {"i4", 0xfffffffe, -2},
    {"i4", 0x12345678, 305419896},
    {"u8", 0x8000000000000000, 9223372036854775808.0},
    {"i8", 0x8000000000000000, -9223372036854775808.0},
    {"i8", 0xffffffffffffffff, -1},
    {"i8", 0x0102030405060708, 72623859790382856.0},
    {"f2", 0x3c00, 1},
    {"f2", 0xc000, -2},
    {"f2", 0x3555, 1365.0 / 4096},
    {"f2", 0x7bff, 65504},
    {"f2", 0x0001, 0x1p-24},
    {"f2", 0x83ff, -1023 * 0x1p-24},
    {"f2", 0x0400, 0x1p-14},
    {"f2", 0x7c00, INFINITY},
    {"f2", 0xfc00, -INFINITY},
    {"f4", 0x3f800000, 1},
    {"f4", 0xc0490fdb, (double)-3.14159274f},
    {"f4", 0x00000001, 0x1p-149},
    {"f8", 0x3ff0000000000000, 1},
    {"f8", 0xc00921fb54442d18, -3.141592653589793},
};

static void every_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t item = (size_t)(numbers[i].type[1] - '0');
        for (const char *order = item == 1 ? "<>=|" : "<>="; *order; order++) {
            char header[128], file[256], data[8] = {0};
            for (size_t b = 0; b < item; b++) data[*order == '>' ? item - 1 - b : b] = (char)(numbers[i].bits >> 8 * b);
            snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (1,)}", *order,
                     numbers[i].type);
            struct npy array;
            double value;
            assert_ok(kelvin_npy_parse(&array, file, build(file, 1, header, data, item), "x.npy"));
            kelvin_npy_doubles(&value, &array);
            if (value != numbers[i].value) fail_msg("%s: %g, expected %g", header, value, numbers[i].value);
        }
    }
}

static void not_a_number(void **state)
{
    (void)state;
    char file[256];
    struct npy array;
    double value;
    const size_t bytes = build(file, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", "\x01\x7c", 2);
    assert_ok(kelvin_npy_parse(&array, file, bytes, "x.npy"));
    kelvin_npy_doubles(&value, &array);
    assert_true(isnan(value));
}

static void headers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
        "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"|u1\"}",
        "  { 'fortran_order' :\tFalse ,\n'shape' : ( 2 , 3 , ) , 'descr' : '|u1' , }  \n",
    };
    static const unsigned char expected[] = {1, 2, 3, 4, 5, 6};
    for (size_t i = 0; i < 3; i++)
        for (int version = 1; version <= 3; version++) {
            char file[256];
            uint8_t bytes[6];
            struct npy a;
            assert_ok(kelvin_npy_parse(&a, file, build(file, version, texts[i], expected, 6), "x.npy"));
            assert_true(a.version == version && a.kind == 'u' && a.item == 1 && !a.fortran && a.axes == 2);
            assert_true(a.shape[0] == 2 && a.shape[1] == 3 && a.count == 6);
            kelvin_npy_bytes(bytes, &a);
            assert_memory_equal(bytes, expected, 6);
        }
}

/* Element (i, j, k) of an array of shape (2, 3, 4) is 100 i + 10 j + k; stored in Fortran order, and with axes moved.
 */
static void axes(void **state)
{
    (void)state;
    uint8_t data[24], out[24];
    double values[24];
    char file[256];
    struct npy a;
    for (size_t i = 0; i < 24; i++) data[i] = (uint8_t)(100 * (i % 2) + 10 * (i / 2 % 3) + i / 6);
    const size_t bytes = build(file, 2, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4)}", data, 24);
    assert_ok(kelvin_npy_parse(&a, file, bytes, "x.npy"));
    assert_true(a.fortran);
    kelvin_npy_bytes(out, &a);
    kelvin_npy_doubles(values, &a);
    for (size_t i = 0; i < 24; i++) {
        assert_int_equal(out[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
        assert_true(values[i] == out[i]);
    }
    kelvin_npy_move_axis(&a, 2, 0); /* (4, 2, 3) */
    kelvin_npy_bytes(out, &a);
    for (size_t i = 0; i < 24; i++) assert_int_equal(out[i], 100 * (i / 3 % 2) + 10 * (i % 3) + i / 6);
    kelvin_npy_move_axis(&a, 0, 2); /* and back */
    kelvin_npy_bytes(out, &a);
    for (size_t i = 0; i < 24; i++) assert_int_equal(out[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
}

/* All types, byte orders, axis orders and versions, as NumPy itself writes them, against its own conversion. */
static void numpy_wrote_it(void **state)
{
    (void)state;
    run_python("import sys\ntry:\n    import numpy as np\nexcept ImportError:\n    sys.exit(77)\n"
               "r = np.random.default_rng(1)\n"
               "k = 0\n"
               "for t in 'b1 i1 u1 i2 u2 f2 i4 u4 f4 i8 u8 f8'.split():\n"
               "    for order in '<>':\n"
               "        for fortran in 'CF':\n"
               "            shape = [(30,), (6, 5), (3, 2, 5), (1, 2, 1, 3, 5)][k % 4]\n"
               "            a = np.frombuffer(r.bytes(30 * int(t[1])), order + t)\n"
               "            if t[0] == 'b': a = a.view('u1') % 2 == 1\n"
               "            if t[0] == 'f': a = np.where(np.isfinite(a), a, 1).astype(order + t)\n"
               "            a = np.array(a.reshape(shape), order=fortran)\n"
               "            name = sys.argv[1] + '/%02d' % k\n"
               "            with open(name + '.npy', 'wb') as f:\n"
               "                np.lib.format.write_array(f, a, version=(k % 3 + 1, 0))\n"
               "            a.astype('<f8').tofile(name + '.bin')\n"
               "            k += 1\n"
               "assert k == 48\n",
               base);
    for (int k = 0; k < 48; k++) {
        char name[16];
        size_t bytes, expected_bytes;
        struct npy array;
        double values[30];
        snprintf(name, sizeof name, "%02d.npy", k);
        char *file = slurp(in_base(name), &bytes);
        memcpy(name + 3, "bin", 4);
        char *expected = slurp(in_base(name), &expected_bytes);
        assert_ok(kelvin_npy_parse(&array, file, bytes, name));
        assert_int_equal(array.count, 30);
        assert_int_equal(expected_bytes, sizeof values);
        kelvin_npy_doubles(values, &array);
        assert_memory_equal(values, expected, sizeof values);
        kelvin_free(file);
        kelvin_free(expected);
    }
}

/* ---- data sets ---- */

static void tables(void **state)
{
    (void)state;
    struct loaded l;
    static const uint8_t x[] = {1, 2, 3, 4, 5, 6}, tx[] = {7, 8};
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int32_t y[] = {2, 0, 1, 2};
    put_array("x.npy", "|u1", "(3, 2)", x, 6);
    put_array("y.npy", "<i8", "(3, 1)", "\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 24);
    put_array("tx.npy", "|i1", "(1, 2)", tx, 2);
    put_array("ty.npy", ">u2", "(1,)", "\0\2", 2);
    assert_ok(load_rows(&l, &kelvin_data_npy, in_spec("npy:%x.npy,%y.npy,test-x=%tx.npy,test-y=%ty.npy")));
    assert_true(l.loader.n == 4 && l.loader.n_train == 3 && l.data.inputs == 2 && l.data.classes == 3);
    assert_memory_equal(l.loader.values, values, sizeof values);
    assert_memory_equal(l.loader.y, y, sizeof y);
    assert_string_equal(l.data.class_names[2], "2");
    assert_null(l.loader.bytes);
    unload(&l);
    put_array("x.npy", "|u1", "(3,)", x, 3);
    put_array("y.npy", "|b1", "(3,)", "\1\0\1", 3);
    assert_ok(load_rows(&l, &kelvin_data_npy, in_spec("npy:%x.npy,%y.npy")));
    assert_true(l.loader.n == 3 && l.loader.n_train == 3 && l.data.inputs == 1 && l.data.classes == 2);
    assert_memory_equal(l.loader.values, values, 3 * sizeof *values);
    unload(&l);
}

/* Pixel (c, y, x) of image n is 100 n + 50 c + 10 y + x (modulo 256), whatever way it is stored. */
static void images(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        size_t channels, height, width;
        size_t n_step, c_step, y_step, x_step; /* in the file */
    } cases[] = {
        {"(3, 4, 5)", 1, 4, 5, 20, 0, 5, 1},       {"(3, 4, 5, 3)", 3, 4, 5, 60, 1, 15, 3},
        {"(3, 3, 4, 5)", 3, 4, 5, 60, 20, 5, 1},   {"(3, 4, 5, 1)", 1, 4, 5, 20, 0, 5, 1},
        {"(3, 1, 4, 5)", 1, 4, 5, 20, 0, 5, 1},    {"(3, 3, 4, 3)", 3, 3, 4, 36, 1, 12, 3}, /* both: the last */
        {"(3, 4, 5, 3, )", 3, 4, 5, 60, 1, 15, 3},
    };
    put_array("y.npy", "|u1", "(3,)", "\0\1\1", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t c = cases[i].channels, h = cases[i].height, w = cases[i].width, n = c * h * w;
        uint8_t file[180], planes[180];
        for (size_t j = 0; j < 3 * n; j++) {
            const size_t image = j / n, channel = j / (h * w) % c, y = j / w % h, x = j % w;
            planes[j] = (uint8_t)(100 * image + 50 * channel + 10 * y + x);
            file[image * cases[i].n_step + channel * cases[i].c_step + y * cases[i].y_step + x * cases[i].x_step] =
                planes[j];
        }
        put_array("x.npy", "|u1", cases[i].shape, file, 3 * n);
        struct loaded l;
        assert_ok(load_rows(&l, &kelvin_data_npy, in_spec("npy:%x.npy,%y.npy")));
        assert_true(l.data.channels == c && l.data.height == h && l.data.width == w && l.data.inputs == n);
        assert_true(l.loader.n == 3 && !l.loader.values);
        assert_memory_equal(l.loader.bytes, planes, 3 * n);
        unload(&l);
    }
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("npy:%x.npy,%y.npy,test-x=%x.npy,test-y=%y.npy")));
    assert_true(data->train.n == 3 && data->test.n == 3 && data->train.bytes && data->white == 255);
    assert_memory_equal(data->train.bytes, data->test.bytes, 180);
    kelvin_data_close(data);
}

/* Classes are the labels that there are: not those between them, and however large. */
static void labels(void **state)
{
    (void)state;
    struct loaded l;
    static const int32_t y[] = {INT32_MAX, 20, 0, 20, 10}, test[] = {10, 0};
    put_array("x.npy", "|u1", "(5, 1)", "12345", 5);
    put_array("y.npy", "<i4", "(5,)", y, sizeof y);
    put_array("tx.npy", "|u1", "(2, 1)", "67", 2);
    put_array("ty.npy", "<i4", "(2, 1)", test, sizeof test);
    assert_ok(load_rows(&l, &kelvin_data_npy, in_spec("npy:%x.npy,%y.npy,test-x=%tx.npy,test-y=%ty.npy")));
    assert_int_equal(l.data.classes, 4);
    static const char *const names[] = {"0", "10", "20", "2147483647"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(l.data.class_names[i], names[i]);
    assert_memory_equal(l.loader.y, ((int32_t[]){3, 2, 0, 2, 1, 1, 0}), 7 * sizeof *y);
    unload(&l);
    enum { MANY = DATA_MAX_CLASSES + 1 };
    static char file[MANY * 4 + 256];
    static uint32_t many[MANY];
    for (int most = DATA_MAX_CLASSES; most <= MANY; most++) {
        for (int i = 0; i < most; i++) many[i] = 100000 * (uint32_t)(most - i);
        char header[128];
        snprintf(header, sizeof header, "{'descr': '=u4', 'fortran_order': False, 'shape': (%d,)}", most);
        spill(in_base("many.npy"), file, build(file, 1, header, many, 4 * (size_t)most));
        if (most == MANY) break;
        assert_ok(load_rows(&l, &kelvin_data_npy, in_spec("npy:%many.npy,%many.npy")));
        assert_int_equal(l.data.classes, most);
        for (int i = 0; i < most; i++) assert_int_equal(l.loader.y[i], most - 1 - i);
        unload(&l);
    }
    open_fails("npy:%many.npy,%many.npy", KELVIN_EFORMAT, "many.npy: row 10001 (from 1): ",
               "'100000' is label number 10001; expected at most 10000 different ones");
}

/* The bytes of images in other types, as NumPy writes them: shares k / 255 as floats, and k itself. */
static void images_of_other_types(void **state)
{
    (void)state;
    run_python("import sys\ntry:\n    import numpy as np\nexcept ImportError:\n    sys.exit(77)\n"
               "r = np.random.default_rng(3)\n"
               "b = r.integers(0, 256, (5, 3, 4, 6))\n"
               "b[0, 0, 0, :2] = 0, 255\n"
               "b.astype('u1').tofile(sys.argv[1] + '/raw.bin')\n"
               "np.save(sys.argv[1] + '/y.npy', np.arange(5) % 2)\n"
               "t = ['f2', 'f4', 'f8', '>f4', 'f2', 'f4', '>f8', 'u2', '>i2', 'i4', 'u8', 'i8']\n"
               "for k in range(24):\n"
               "    a = (b / 255 if k % 12 < 4 else b).astype(t[k % 12])\n"
               "    a = np.moveaxis(a, 1, 3) if k >= 12 else a\n"
               "    np.save(sys.argv[1] + '/%02d.npy' % k, np.array(a, order='CF'[k // 2 % 2]))\n",
               base);
    size_t bytes;
    char *raw = slurp(in_base("raw.bin"), &bytes);
    assert_int_equal(bytes, 5 * 3 * 4 * 6);
    for (int k = 0; k < 24; k++) {
        char pattern[96];
        struct loaded l;
        snprintf(pattern, sizeof pattern, "npy:%%%02d.npy,%%y.npy,test-x=%%%02d.npy,test-y=%%y.npy", k,
                 k % 12 < 4         ? (k + 12) % 24
                 : (k + 1) % 12 < 4 ? k
                                    : (k + 1) % 24);
        assert_ok(load_rows(&l, &kelvin_data_npy, in_spec(pattern)));
        assert_true(l.data.channels == 3 && l.data.height == 4 && l.data.width == 6 && l.loader.n == 10);
        assert_memory_equal(l.loader.bytes, raw, bytes);
        assert_memory_equal(l.loader.bytes + bytes, raw, bytes);
        unload(&l);
    }
    kelvin_free(raw);
}

static void load_bytes(const char *pattern, const uint8_t *expected, size_t n)
{
    struct loaded l;
    assert_ok(load_rows(&l, &kelvin_data_npy, in_spec(pattern)));
    assert_memory_equal(l.loader.bytes, expected, n);
    unload(&l);
}

/* The training part says how both are to be read; what does not fit is named. */
static void ranges_of_images(void **state)
{
    (void)state;
    static const float shares[] = {0, 0.5f, 1, 0.25f}, ones[] = {0, 1, 1, 0}, whole[] = {0, 1, 2, 255};
    static const float normalised[] = {0.5f, 1, -0.75f, 2}, mixed[] = {0.5f, 1, 2, 2}, reversed[] = {1, 2, 3, 0.5f};
    static const float high[] = {1, 2, 256, 3}, no_number[] = {0, NAN, 0, 0};
    static const int16_t integers[] = {0, 1, 255, 256};
    put_array("y.npy", "|u1", "(2,)", "\0\1", 2);
    put_array("shares.npy", "<f4", "(2, 2, 1)", shares, sizeof shares);
    put_array("ones.npy", "<f4", "(2, 2, 1)", ones, sizeof ones);
    put_array("whole.npy", "<f4", "(2, 2, 1)", whole, sizeof whole);
    put_array("bool.npy", "|b1", "(2, 2, 1)", "\0\1\2\0", 4);
    put_array("u1.npy", "|u1", "(2, 2, 1)", "\0\1\2\0", 4);
    load_bytes("npy:%shares.npy,%y.npy,test-x=%ones.npy,test-y=%y.npy", (uint8_t[]){0, 128, 255, 64, 0, 255, 255, 0},
               8);
    load_bytes("npy:%whole.npy,%y.npy,test-x=%ones.npy,test-y=%y.npy", (uint8_t[]){0, 1, 2, 255, 0, 1, 1, 0}, 8);
    load_bytes("npy:%ones.npy,%y.npy,test-x=%shares.npy,test-y=%y.npy", (uint8_t[]){0, 255, 255, 0, 0, 128, 255, 64},
               8);
    load_bytes("npy:%u1.npy,%y.npy,test-x=%bool.npy,test-y=%y.npy", (uint8_t[]){0, 1, 2, 0, 0, 1, 1, 0}, 8);
    load_bytes("npy:%bool.npy,%y.npy,test-x=%shares.npy,test-y=%y.npy", (uint8_t[]){0, 255, 255, 0, 0, 128, 255, 64},
               8);
    open_fails("npy:%shares.npy,%y.npy,test-x=%u1.npy,test-y=%y.npy", KELVIN_EFORMAT,
               "u1.npy: row 2 (from 1), index (1, 0, 0) (from 0): ", "2; expected 0 to 1, as in the training part");
    open_fails("npy:%u1.npy,%y.npy,test-x=%shares.npy,test-y=%y.npy", KELVIN_EFORMAT,
               "shares.npy: row 1 (from 1), index (0, 1, 0) (from 0): ",
               "0.5; expected whole numbers 0 to 255, as in the training part");
    static const struct {
        const float *values;
        const char *place, *sentence;
    } wrong[] = {
        {normalised, "x.npy: row 2 (from 1), index (1, 0, 0) (from 0): ", ": -0.75; expected images of numbers"},
        {mixed,
         "x.npy: row 2 (from 1), index (1, 0, 0) (from 0): ", "2 after 0.5; expected images of numbers 0 to 1, or"},
        {reversed, "x.npy: row 2 (from 1), index (1, 1, 0) (from 0): ",
         "0.5 after 2; expected images of numbers 0 to 1, or of whole numbers 0 to 255 (images that were normalised "
         "must be un-normalised; a table has 2 axes"},
        {high, "x.npy: row 2 (from 1), index (1, 0, 0) (from 0): ", ": 256; expected images of numbers 0 to 1"},
        {no_number, "row 1 (from 1), index (0, 1, 0) (from 0): ", "nan; expected images of numbers"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_array("x.npy", "<f4", "(2, 2, 1)", wrong[i].values, sizeof shares);
        open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT, wrong[i].place, wrong[i].sentence);
    }
    put_array("x.npy", "<i2", "(2, 1, 1, 2)", integers, sizeof integers);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT, "x.npy: row 2 (from 1), index (1, 0, 0, 1) (from 0): ",
               "256; expected images of whole numbers 0 to 255 (a table has 2 axes, as by x.reshape(len(x), -1))");
    put_array("x.npy", "|i1", "(2, 2, 1)", "\0\1\2\xff", 4);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT,
               "x.npy: row 2 (from 1), index (1, 1, 0) (from 0): ", "-1; expected");
    assert_null(strstr(kelvin_error(), "255 *"));
}

static void split(void **state)
{
    (void)state;
    static const uint8_t x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    put_array("x.npy", "|u1", "(8, 1)", x, 8);
    put_array("y.npy", "|u1", "(8,)", "\0\1\0\1\0\1\0\1", 8);
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("npy:%x.npy,%y.npy,split=0.25,seed=3")));
    assert_true(data->train.n == 6 && data->test.n == 2 && data->test.y[0] != data->test.y[1]);
    kelvin_data_close(data);
}

/* ---- what is wrong ---- */

static const struct {
    const char *header, *place, *sentence; /* with 6 bytes of data */
} broken_headers[] = {
    {"", "header, byte 10: ", "nothing more; expected '{'"},
    {"[]", "header, byte 10: ", "'[]'; expected '{'"},
    {"{'descr': '<U5', 'fortran_order': False, 'shape': (6,)}",
     "header, byte 20: ", "the type is '<U5'; expected numbers"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (6,)}",
     "header, byte 20: ", "the type is '|O'; expected numbers"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (6,)}",
     "header, byte 20: ", "the type is '<c8'; expected numbers"},
    {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (6,)}", "header, byte 20: ", "the type is '<M8[ns]'"},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': (6,)}", "header, byte 20: ", "the type is '<f16'"},
    {"{'descr': '|i2', 'fortran_order': False, 'shape': (3,)}", "header, byte 20: ", "the type is '|i2'"},
    {"{'descr': '', 'fortran_order': False, 'shape': (3,)}", "header, byte 20: ", "the type is ''"},
    {"{'descr': '\x1b', 'fortran_order': False, 'shape': (3,)}", "header, byte 20: ", "the type is '\\x1b'"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}",
     "header, byte 20: ", "'[('a', '<f4''; expected numbers (u1, u2, u4, u8, i1, i2, i4, i8, f2, f4, f8) or bool"},
    {"{'descr': '|u1", "header, byte 20: ", "''|u1'; expected numbers"},
    {"{'descr': '|u1', 'fortran_order': false, 'shape': (6,)}",
     "header, byte 44: ", "'false, 'shap'; expected True or False"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': 6}", "header, byte 60: ", "'6}'; expected a tuple of sizes"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6)}",
     "header, byte 63: ", "expected ',' after the size of a single"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}",
     "header, byte 61: ", "'-6,)}'; expected the size of an axis: a whole number that is not negative"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6L,)}", "header, byte 62: ", "'L,)}'; expected ',' or ')'"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6.0,)}", "header, byte 62: ", "'.0,)}'; expected ',' or ')'"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6,",
     "header, byte 63: ", "nothing more; expected the size of an axis"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
     "header, byte 61: ", "expected a size that can be addressed"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (18446744073709551616,)}",
     "header, byte 61: ", "expected a size that can be addressed"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,6)}", "header, byte 77: ", "at most 8 axes"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,)}",
     "x.npy: ", "holds 6 bytes of data, expected 1 for the shape (1, 1, 1, 1, 1, 1, 1, 1) of u1"},
    {"{'descr': '|u1', 'fortran_order': False}", "header: ", "'shape' is missing; expected it"},
    {"{'descr': '|u1', 'shape': (6,)}", "header: ", "'fortran_order' is missing; expected it"},
    {"{'fortran_order': False, 'shape': (6,)}", "header: ", "'descr' is missing; expected it"},
    {"{'descr': '|u1', 'descr': '|u1'}",
     "header, byte 27: ", "expected one each of 'descr', 'fortran_order' and 'shape'"},
    {"{'descr': '|u1', 'extra': 1}", "header, byte 27: ", "expected one each of"},
    {"{'descr': '|u1', 'a name of a key that is far too long': 1}", "header, byte 27: ", "expected one each of"},
    {"{'descr' '|u1'}", "header, byte 19: ", "''|u1'}'; expected ':'"},
    {"{'descr': '|u1' 'shape': (6,)}", "header, byte 26: ", "expected ',' or '}'"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6,)",
     "header, byte 64: ", "nothing more; expected ',' or '}'"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6,)} x",
     "header, byte 66: ", "'x'; expected nothing after '}'"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "x.npy: ", "holds a single number; expected an array"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (6, 0)}",
     "x.npy: ", "shape is (6, 0): nothing is in it; expected numbers"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 6)}",
     "x.npy: ", "shape is (4294967296, 4294967296, 6): more than can be addressed"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}",
     "x.npy: ", "more than can be addressed"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (7,)}",
     "x.npy: ", "holds 6 bytes of data, expected 7 for the shape (7,) of u1"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "x.npy: ", "holds 6 bytes of data, expected 4"},
};

static void broken_files(void **state)
{
    (void)state;
    char file[512];
    struct npy a;
    for (size_t i = 0; i < sizeof broken_headers / sizeof *broken_headers; i++) {
        const size_t bytes = build(file, 1, broken_headers[i].header, "123456", 6);
        fails(kelvin_npy_parse(&a, file, bytes, "x.npy"), KELVIN_EFORMAT, broken_headers[i].place,
              broken_headers[i].sentence);
        assert_non_null(strstr(kelvin_error(), "x.npy: "));
    }
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (6,)}";
    for (int version = 1; version <= 3; version++) {
        const size_t bytes = build(file, version, header, "123456", 6);
        for (size_t n = 0; n < bytes; n++) {
            char *exact = malloc(n + 1); /* so that the address sanitizer sees a step too far */
            assert_non_null(exact);
            memcpy(exact, file, n);
            const char *sentence = n < 8           ? "is not an NPY file; expected"
                                   : n < bytes - 6 ? "ends within its header: "
                                                   : "bytes of data, expected 6";
            fails(kelvin_npy_parse(&a, exact, n, "x.npy"), KELVIN_EFORMAT, "x.npy: ", sentence);
            free(exact);
        }
    }
    const size_t bytes = build(file, 4, header, "123456", 6);
    fails(kelvin_npy_parse(&a, file, bytes, "x.npy"), KELVIN_EFORMAT,
          "x.npy: ", "version 4.0; expected version 1.0, 2.0 or 3.0");
    file[6] = 1, file[7] = 1;
    fails(kelvin_npy_parse(&a, file, bytes, "x.npy"), KELVIN_EFORMAT, "x.npy: ", "version 1.1; expected");
    file[0] = 'P';
    fails(kelvin_npy_parse(&a, file, bytes, "x.npy"), KELVIN_EFORMAT,
          "x.npy: ", "is not an NPY file; expected one that numpy.save");
}

/* X and Y of which one is not as it should be; 12 zero bytes, then 1 where labels need a second class. */
static const struct {
    const char *x_type, *x_shape;
    size_t x_bytes;
    const char *y_type, *y_shape;
    size_t y_bytes;
    const char *place, *sentence;
} broken_pairs[] = {
    {"|u1", "(1, 2, 3, 2)", 12, "|u1", "(1,)", 1,
     "x.npy: ", "shape is (1, 2, 3, 2); expected images (n, height, width)"},
    {"|u1", "(1, 2, 2, 1, 3)", 12, "|u1", "(1,)", 1, "x.npy: ", "shape is (1, 2, 2, 1, 3); expected images"},
    {"|u1", "(6, 2)", 12, "<f4", "(3,)", 12, "y.npy: ", "labels are of type f4; expected integers"},
    {"|u1", "(6, 2)", 12, "|u1", "(3, 2)", 6,
     "y.npy: ", "shape is (3, 2): looks one-hot (y.argmax(1) makes labels); expected labels (6,)"},
    {"|u1", "(6, 2)", 12, "<f2", "(6, 1, 1)", 12, "y.npy: ", "shape is (6, 1, 1); expected labels (6,)"},
    {"|u1", "(6, 2)", 12, "<f2", "(2, 3)", 12, "y.npy: ", "shape is (2, 3): looks one-hot (y.argmax(1)"},
    {"|u1", "(6, 2)", 12, "|O", "(6,)", 12,
     "y.npy: ", "labels are of type O, objects; expected integers, as by np.unique(y, return_inverse=True)[1]"},
    {"|u1", "(6, 2)", 12, "<U1", "(3,)", 12,
     "y.npy: ", "labels are of type U, texts; expected integers, as by np.unique(y, return_inverse=True)[1]"},
    {"|u1", "(6, 2)", 12, "|S2", "(6,)", 12, "y.npy: ", "labels are of type S, texts; expected integers"},
    {"|u1", "(6, 2)", 12, "<c8", "(6,)", 12, "y.npy: ", "the type is '<c8'; expected numbers"},
    {"|O", "(6, 2)", 12, "|u1", "(6,)", 6, "x.npy: ", "the type is '|O'; expected numbers"},
    {"|u1", "(6, 2)", 12, "|u1", "(6, 1, 1)", 6, "y.npy: ", "shape is (6, 1, 1); expected labels (6,)"},
    {"|u1", "(6, 2)", 12, "|u1", "(5,)", 5, "y.npy: ", "5 labels; expected 6, as many as rows in "},
    {"|u1", "(6, 2)", 12, "|u1", "(6,)", 6, "y.npy: ", "all labels are '0'; expected at least 2 different ones"},
};

static void broken_pairs_of_files(void **state)
{
    (void)state;
    static const char zeros[16];
    for (size_t i = 0; i < sizeof broken_pairs / sizeof *broken_pairs; i++) {
        put_array("x.npy", broken_pairs[i].x_type, broken_pairs[i].x_shape, zeros, broken_pairs[i].x_bytes);
        put_array("y.npy", broken_pairs[i].y_type, broken_pairs[i].y_shape, zeros, broken_pairs[i].y_bytes);
        open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT, broken_pairs[i].place, broken_pairs[i].sentence);
    }
    put_array("y.npy", "|u1", "(2,)", "\0\1", 2);
    put_array("x.npy", "<f2", "(2, 3)", "\0\0\0\0\0\0\0\0\0\x7e\0\0", 12);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT,
               "x.npy: row 2, column 2 (from 1): ", "nan; expected a finite number");
    put_array("x.npy", "<f2", "(2, 3)", "\0\0\0\0\0\xfc\0\0\0\0\0\0", 12);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT,
               "x.npy: row 1, column 3 (from 1): ", "-inf; expected a finite number");
    put_array("x.npy", "|u1", "(2, 2)", "\1\2\3\4", 4);
    put_array("y.npy", "|i1", "(2,)", "\1\xff", 2);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT,
               "y.npy: row 2 (from 1): ", "the label is -1; expected 0 to 2147483647");
    put_array("y.npy", "<u4", "(2,)", "\1\0\0\0\0\0\0\x80", 8);
    open_fails("npy:%x.npy,%y.npy", KELVIN_EFORMAT,
               "y.npy: row 2 (from 1): ", "the label is 2147483648; expected 0 to 2147483647");
    static const char *const others[] = {"PK\3\4", "\x80\4\x95...."}, *const found[] = {"is an .npz archive",
                                                                                        "is a pickle"};
    for (size_t i = 0; i < 2; i++) {
        put_text("other.npy", others[i]);
        open_fails("npy:%other.npy,%y.npy", KELVIN_EFORMAT, "other.npy: ", found[i]);
        assert_non_null(strstr(kelvin_error(), "expected an NPY file"));
        assert_non_null(strstr(kelvin_error(), "np.save"));
    }
}

static void broken_test_parts(void **state)
{
    (void)state;
    put_array("x.npy", "|u1", "(2, 2)", "\1\2\3\4", 4);
    put_array("y.npy", "|u1", "(2,)", "\0\1", 2);
    put_array("z.npy", "|u1", "(2,)", "\0\2", 2);
    put_array("i.npy", "|u1", "(2, 2, 1)", "\1\2\3\4", 4);
    open_fails("npy:%x.npy,%y.npy,test-x=%x.npy", KELVIN_EUSAGE, "data 'npy:/", "test-x is given without test-y");
    open_fails("npy:%x.npy,%y.npy,test-y=%y.npy", KELVIN_EUSAGE, "x.npy", "test-y is given without test-x");
    open_fails("npy:%x.npy,%y.npy,test-x=%x.npy,test-y=%y.npy,split=0.1", KELVIN_EUSAGE, "x.npy",
               "split is given together with test-x");
    open_fails("npy:%x.npy,%y.npy,test-x=%x.npy,test-y=%y.npy,seed=1", KELVIN_EUSAGE, "x.npy",
               "seed is given together with test-x");
    open_fails("npy:%x.npy,%y.npy,test-x=%y.npy,test-y=%y.npy", KELVIN_EFORMAT,
               "y.npy: ", "shape is (2,); expected rows as in the training part, of shape (2, 2)");
    open_fails("npy:%i.npy,%y.npy,test-x=%x.npy,test-y=%y.npy", KELVIN_EFORMAT,
               "x.npy: ", "shape is (2, 2); expected rows as in the training part, of shape (2, 2, 1)");
    put_array("c.npy", "|u1", "(2, 1, 2, 3)", "123456123456", 12);
    put_array("d.npy", "|u1", "(2, 3, 2, 1)", "123456123456", 12);
    open_fails("npy:%c.npy,%y.npy,test-x=%d.npy,test-y=%y.npy", KELVIN_EFORMAT,
               "d.npy: ", "shape is (2, 3, 2, 1); expected rows as in the training part, of shape (2, 1, 2, 3)");
    open_fails("npy:%x.npy,%y.npy,test-x=%x.npy,test-y=%z.npy", KELVIN_EFORMAT,
               "z.npy: row 2 (from 1): ", "the label '2' does not occur in the training part; expected one that does");
    open_fails("npy:%x.npy", KELVIN_EUSAGE, "x.npy", "Y is missing");
    open_fails("npy:%x.npy,%nowhere.npy", KELVIN_EIO, "nowhere.npy", "No such file");
    assert_true(without_memory(open_once, in_spec("npy:%x.npy,%y.npy,test-x=%x.npy,test-y=%y.npy")) > 10);
    assert_true(without_memory(open_once, in_spec("npy:%i.npy,%y.npy,split=0")) > 10);
    assert_true(without_memory(open_once, in_spec("npy:%c.npy,%y.npy,test-x=%c.npy,test-y=%y.npy")) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(headers),
        cmocka_unit_test(axes),
        cmocka_unit_test(numpy_wrote_it),
        cmocka_unit_test(tables),
        cmocka_unit_test(images),
        cmocka_unit_test(labels),
        cmocka_unit_test(images_of_other_types),
        cmocka_unit_test(ranges_of_images),
        cmocka_unit_test(split),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(broken_pairs_of_files),
        cmocka_unit_test(broken_test_parts),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
