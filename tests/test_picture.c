/* Pictures: PNG files of every kind against bytes counted by hand, JPEG files against what they were made of, both and
 * resizing against PIL where it is; a sentence for everything that is broken. */
#include "run_helpers.h"

#include "picture_helpers.h"

#include "base/random.h"

#include <sys/wait.h>

static kelvin_status decode(struct picture *picture, const struct bytes *b)
{
    uint8_t *exact = malloc(b->n + 1); /* so that the sanitizers see a read beyond the end */
    memcpy(exact, b->data, b->n);
    uint8_t *file = realloc(exact, b->n ? b->n : 1);
    const kelvin_status status = kelvin_picture_decode(picture, file, b->n, "it.file");
    free(file);
    return status;
}

static void refuses(const struct bytes *b, const char *sentence)
{
    struct picture picture;
    fails(decode(&picture, b), KELVIN_EFORMAT, "it.file", sentence);
    assert_null(picture.pixels);
}

/* ---- PNG ---- */

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    struct png png;
    size_t channels;
    const char *pixels;
} kinds[] = {
    /* grey: 1, 2, 4 and 8 bits; 1 x 255, 1 x 85, 1 x 17, 1 x 1 */
    {{9, 2, 1, 0, 0, NULL, 0, BYTES("\0\xa5\x80\0\x00\x00")}, 1, "\xff\0\xff\0\0\xff\0\xff\xff\0\0\0\0\0\0\0\0\0"},
    {{5, 1, 2, 0, 0, NULL, 0, BYTES("\0\x1b\xc0")}, 1, "\0\x55\xaa\xff\xff"},
    {{3, 1, 4, 0, 0, NULL, 0, BYTES("\0\x0a\xf0")}, 1, "\0\xaa\xff"},
    {{3, 2, 8, 0, 0, NULL, 0, BYTES("\0\1\2\xfe\2\1\1\1")},
     1,
     "\1\2\xfe\2\3\xff"}, /* second row: what is above, plus */
    {{2, 1, 16, 0, 0, NULL, 0, BYTES("\0\x12\xff\xfe\x01")}, 1, "\x12\xfe"},
    /* with alpha, which goes */
    {{2, 1, 8, 4, 0, NULL, 0, BYTES("\0\x12\x00\xfe\x80")}, 1, "\x12\xfe"},
    {{2, 1, 16, 4, 0, NULL, 0, BYTES("\0\x12\xff\0\0\xfe\x01\x80\0")}, 1, "\x12\xfe"},
    {{2, 1, 8, 6, 0, NULL, 0, BYTES("\0\1\2\3\0\4\5\6\xff")}, 3, "\1\2\3\4\5\6"},
    {{1, 1, 16, 6, 0, NULL, 0, BYTES("\0\1\xff\2\xff\3\xff\0\0")}, 3, "\1\2\3"},
    /* colour */
    {{2, 1, 8, 2, 0, NULL, 0, BYTES("\0\1\2\3\4\5\6")}, 3, "\1\2\3\4\5\6"},
    {{1, 1, 16, 2, 0, NULL, 0, BYTES("\0\1\xff\2\xff\3\xff")}, 3, "\1\2\3"},
    /* palette */
    {{3, 1, 1, 3, 0, BYTES("\1\2\3\4\5\6"), BYTES("\0\x40")}, 3, "\1\2\3\4\5\6\1\2\3"},
    {{3, 1, 2, 3, 0, BYTES("\1\2\3\4\5\6\7\x8\x9"), BYTES("\0\x84")}, 3, "\7\x8\x9\1\2\3\4\5\6"},
    {{2, 1, 4, 3, 0, BYTES("\1\2\3\4\5\6"), BYTES("\0\x10")}, 3, "\4\5\6\1\2\3"},
    {{2, 1, 8, 3, 0, BYTES("\1\2\3\4\5\6"), BYTES("\0\1\0")}, 3, "\4\5\6\1\2\3"},
    /* interlaced: (0, 0); (2, 0); (0, 2), (2, 2); (1, 0); (1, 2); the row between */
    {{3, 3, 8, 0, 1, NULL, 0, BYTES("\0\1\0\3\0\7\x9\0\2\0\x8\0\4\5\6")}, 1, "\1\2\3\4\5\6\7\x8\x9"},
    {{3, 3, 1, 0, 1, NULL, 0, BYTES("\0\x80\0\0\0\xc0\0\0\0\x80\0\xe0")}, 1, "\xff\0\0\xff\xff\xff\xff\xff\xff"},
    {{1, 2, 8, 2, 1, NULL, 0, BYTES("\0\1\2\3\0\4\5\6")}, 3, "\1\2\3\4\5\6"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void png_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const struct png *png = &kinds[i].png;
        struct bytes b;
        struct picture picture;
        make_png(&b, png);
        if (decode(&picture, &b)) fail_msg("kind %zu: %s", i, kelvin_error());
        assert_int_equal(picture.width, png->width);
        assert_int_equal(picture.height, png->height);
        assert_int_equal(picture.channels, kinds[i].channels);
        for (size_t j = 0; j < png->width * png->height * picture.channels; j++)
            if (picture.pixels[j] != (uint8_t)kinds[i].pixels[j])
                fail_msg("kind %zu, byte %zu: %d, expected %d", i, j, picture.pixels[j], (uint8_t)kinds[i].pixels[j]);
        kelvin_picture_free(&picture);
    }
}

/* One byte other than it should be, and all that stands in the file's first N bytes, are seen everywhere. */
static void png_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        struct bytes b;
        struct picture picture;
        make_png(&b, &kinds[i].png);
        for (size_t at = 0; at < b.n; at++) {
            b.data[at] ^= 0x11;
            fails(decode(&picture, &b), KELVIN_EFORMAT, "it.file", "");
            b.data[at] ^= 0x11;
        }
        for (const size_t n = b.n; b.n-- > 0;) {
            fails(decode(&picture, &b), KELVIN_EFORMAT, "it.file", b.n < 8 ? "neither a PNG nor a JPEG" : "cut off");
            if (b.n + 1 == n) fails(KELVIN_EFORMAT, KELVIN_EFORMAT, "byte", "expected 1 more bytes");
        }
    }
}

static const struct png small_png = {2, 2, 8, 0, 0, NULL, 0, BYTES("\0\1\2\0\3\4")};

static void png_broken(void **state)
{
    (void)state;
    struct bytes b = {.n = 0};
    struct png png = small_png;
    make_png(&b, &png);
    b.data[33 + 8 + 17 + 3] ^= 1; /* the checksum of the rows: nothing after the last row needs it */
    refuses(&b, "invalid chunk checksum");
    b.n = 0;
    put_head(&b, &png);
    put_rows(&b, png.rows, 5);
    put_chunk(&b, "IEND", NULL, 0);
    refuses(&b, "IDAT");
    b.n = 0;
    put_head(&b, &png);
    put_chunk(&b, "IEND", NULL, 0);
    refuses(&b, "is a broken PNG file: ");
    b.n = 0;
    put_head(&b, &png);
    put_rows(&b, png.rows, png.n_rows);
    refuses(&b, "expected 12 more bytes, and IEND at the end");
    png.type = 3;
    make_png(&b, &png);
    refuses(&b, "PLTE");
    png.depth = 3;
    make_png(&b, &png);
    refuses(&b, "depth");
    png = small_png;
    png.width = 0;
    make_png(&b, &png);
    refuses(&b, "width");
}

/* Sizes that such a file cannot have; products that overflow. */
static void png_too_large(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {
        {0x7fffffff, 0x7fffffff}, {0x40000000, 0x40000000}, {0x20000001, 0x40000000}, {70000, 1000}, {1000, 70000}};
    static const uint8_t types[][2] = {{1, 0}, {16, 6}, {16, 2}, {1, 3}, {8, 4}};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 10; j++) {
            struct bytes b;
            struct png png = {sizes[i][0], sizes[i][1],     types[j / 2][0], types[j / 2][1],
                              j % 2,       BYTES("\1\2\3"), BYTES("\0\1")};
            if (types[j / 2][1] == 4 || types[j / 2][1] == 0) png.palette = NULL;
            make_png(&b, &png);
            refuses(&b, "");
        }
    struct bytes b;
    struct png png = small_png;
    png.width = png.height = 30000;
    make_png(&b, &png);
    refuses(&b, "says that it has 30000 x 30000 pixels, more than");
    /* What a file could hold, and nobody should ask for. */
    struct picture picture = {.width = 65536, .height = 1, .channels = 1};
    fails(kelvin_picture_alloc(&picture, 1, 1, "it.file"), KELVIN_EFORMAT, "it.file",
          "65536 x 1 pixels; expected at most");
    picture = (struct picture){.width = 40000, .height = 40000, .channels = 1};
    fails(kelvin_picture_alloc(&picture, 1, 1, "it.file"), KELVIN_EFORMAT, "it.file", "expected at most 134217728");
}

/* Chunks that a picture can do without: not looked at, whatever they are. */
static void png_other_chunks(void **state)
{
    (void)state;
    struct bytes b = {.n = 0};
    struct picture picture;
    put_head(&b, &small_png);
    put_chunk(&b, "gAMA", "\0\0\0\0", 4);
    put_chunk(&b, "tRNS", "\0\1", 2);
    put_chunk(&b, "zTXt", "a", 1);
    put_chunk(&b, "tEXt", "key\0value", 9);
    b.data[b.n - 1] ^= 1;
    put_rows(&b, small_png.rows, small_png.n_rows);
    put_chunk(&b, "tIME", "", 0);
    put_chunk(&b, "IEND", NULL, 0);
    put_bytes(&b, "after", 5);
    assert_ok(decode(&picture, &b));
    assert_memory_equal(picture.pixels, "\1\2\3\4", 4);
    kelvin_picture_free(&picture);
    b.n = 0;
    put_head(&b, &small_png);
    put_u32(&b, 0x7fffffff);
    put_bytes(&b, "sPLT12345678", 12);
    refuses(&b, "byte 49: the file is cut off; expected 2147483643 more bytes");
    b.n = 0;
    put_head(&b, &small_png);
    put_chunk(&b, "CrIT", "", 0);
    put_rows(&b, small_png.rows, small_png.n_rows);
    put_chunk(&b, "IEND", NULL, 0);
    refuses(&b, "critical");
}

static void png_written(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        uint8_t pixels[7 * 5 * 3];
        for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 37);
        const struct picture out = {5, 7, channels, pixels};
        assert_ok(kelvin_picture_write_png(&out, in_base("out.png")));
        size_t bytes;
        char *file = slurp(in_base("out.png"), &bytes);
        struct picture in;
        assert_ok(kelvin_picture_decode(&in, file, bytes, "out.png"));
        kelvin_free(file);
        assert_true(in.height == 5 && in.width == 7 && in.channels == channels);
        assert_memory_equal(in.pixels, pixels, 35 * channels);
        kelvin_picture_free(&in);
    }
    uint8_t black = 0;
    const struct picture dot = {1, 1, 1, &black};
    fails(kelvin_picture_write_png(&dot, in_base("gone/out.png")), KELVIN_EIO, "gone/out.png", "could not be written");
}

/* ---- JPEG ---- */

static const struct {
    int format, subsampling, flags;
    size_t channels;
    int tolerance; /* of a smooth picture at quality 98; colours that are shared by neighbours differ by their slopes */
} jpegs[] = {
    {TJPF_GRAY, TJSAMP_GRAY, 0, 1, 2},
    {TJPF_RGB, TJSAMP_444, 0, 3, 4},
    {TJPF_RGB, TJSAMP_422, 0, 3, 8},
    {TJPF_RGB, TJSAMP_420, 0, 3, 12},
    {TJPF_RGB, TJSAMP_440, 0, 3, 12},
    {TJPF_RGB, TJSAMP_411, 0, 3, 12},
    {TJPF_RGB, TJSAMP_420, TJFLAG_PROGRESSIVE, 3, 12},
    {TJPF_GRAY, TJSAMP_GRAY, TJFLAG_PROGRESSIVE, 1, 2},
};
enum { JPEGS = sizeof jpegs / sizeof *jpegs };

static void jpeg_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < JPEGS; i++) {
        struct bytes b;
        struct picture picture;
        make_jpeg(&b, 17, 13, jpegs[i].format, jpegs[i].subsampling, jpegs[i].flags);
        if (decode(&picture, &b)) fail_msg("kind %zu: %s", i, kelvin_error());
        assert_true(picture.height == 13 && picture.width == 17 && picture.channels == jpegs[i].channels);
        for (size_t j = 0; j < 17 * 13 * picture.channels; j++) {
            const size_t pixel = j / picture.channels;
            const int expected = smooth(pixel % 17, pixel / 17, j % picture.channels);
            if (abs(picture.pixels[j] - expected) > jpegs[i].tolerance)
                fail_msg("kind %zu, byte %zu: %d, expected %d", i, j, picture.pixels[j], expected);
        }
        kelvin_picture_free(&picture);
    }
}

static void jpeg_cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < JPEGS; i++) {
        struct bytes b;
        make_jpeg(&b, 17, 13, jpegs[i].format, jpegs[i].subsampling, jpegs[i].flags);
        while (b.n-- > 0) refuses(&b, b.n < 3 ? "neither a PNG nor a JPEG" : "is a broken JPEG file");
    }
}

static void jpeg_refused(void **state)
{
    (void)state;
    struct bytes b;
    make_jpeg(&b, 8, 8, TJPF_CMYK, TJSAMP_444, 0);
    refuses(&b, "has four colours (CMYK); expected 8 bits, grey or RGB");
    make_jpeg(&b, 8, 8, TJPF_GRAY, TJSAMP_GRAY, 0);
    const size_t frame = find_segment(&b, 0xc0);
    char place[32];
    snprintf(place, sizeof place, "byte %zu: has ", frame);
    static const struct {
        size_t at;
        uint8_t value;
        const char *sentence;
    } changes[] = {{1, 0xc9, "arithmetic"},
                   {1, 0xca, "arithmetic"},
                   {1, 0xc3, "lossless"},
                   {1, 0xc7, "hierarchical"},
                   {4, 12, "other than 8 bits"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bytes changed = b;
        changed.data[frame + changes[i].at] = changes[i].value;
        refuses(&changed, changes[i].sentence);
        refuses(&changed, place);
    }
    struct bytes changed = b;
    memcpy(changed.data + frame + 5, "\xff\xdc\xff\xdc", 4);
    refuses(&changed, "says that it has 65500 x 65500 pixels, more than");
    changed = b;
    changed.data[2 + 3]--; /* a segment that ends too early */
    refuses(&changed, "expected a segment, and then a frame");
    changed = b;
    changed.data[find_segment(&b, 0xda) + 12] ^= 0xff;
    struct picture picture;
    if (!decode(&picture, &changed)) kelvin_picture_free(&picture); /* may be a picture, if another one */
}

static void neither(void **state)
{
    (void)state;
    struct bytes b = {.n = 0};
    refuses(&b, "neither a PNG nor a JPEG");
    put_bytes(&b, "GIF89a", 6);
    refuses(&b, "neither a PNG nor a JPEG");
}

/* ---- resizing ---- */

static void resized(uint8_t *to, size_t h, size_t w, const char *from, size_t fh, size_t fw)
{
    assert_ok(kelvin_resize_plane(to, h, w, (const uint8_t *)from, fh, fw));
}

static void resize_by_hand(void **state)
{
    (void)state;
    uint8_t to[64];
    resized(to, 1, 4, "\0\x64", 1, 2); /* 0, 1/4, 3/4, 1 of 100 */
    assert_memory_equal(to, "\0\x19\x4b\x64", 4);
    resized(to, 4, 1, "\0\x64", 2, 1);
    assert_memory_equal(to, "\0\x19\x4b\x64", 4);
    resized(to, 1, 1, "\0\x64\x64\0", 2, 2);
    assert_int_equal(to[0], 50);
    resized(to, 1, 2, "\x8\x18\x28\x38", 1, 4); /* (3 a + 3 b + c) / 7: 136 / 7, and 312 / 7 */
    assert_memory_equal(to, "\x13\x2d", 2);
    resized(to, 3, 2, "\1\2\3\4\5\6", 3, 2);
    assert_memory_equal(to, "\1\2\3\4\5\6", 6);
}

static void resize_keeps_one_grey(void **state)
{
    (void)state;
    static uint8_t from[40 * 40], to[40 * 40];
    for (size_t i = 0; i < 500; i++) {
        const size_t fh = 1 + i % 37, fw = 1 + i % 11, h = 1 + i % 13, w = 1 + i % 39;
        memset(from, (int)(i % 256), sizeof from);
        assert_ok(kelvin_resize_plane(to, h, w, from, fh, fw));
        for (size_t j = 0; j < h * w; j++) assert_int_equal(to[j], i % 256);
    }
    static uint8_t tall[65535];
    tall[65534] = 255;
    assert_ok(kelvin_resize_plane(to, 2, 1, tall, 65535, 1));
    assert_int_equal(to[0], 0);
    memset(tall, 255, sizeof tall);
    assert_ok(kelvin_resize_plane(to, 1, 2, tall, 65535, 1));
    assert_true(to[0] == 255 && to[1] == 255);
}

/* ---- PIL ---- */

static const size_t shapes[][4] = {/* from height, width; to height, width */
                                   {12, 17, 5, 6},   {12, 17, 30, 40}, {33, 20, 8, 31}, {20, 33, 31, 8},
                                   {64, 64, 32, 32}, {28, 28, 32, 32}, {50, 1, 7, 3},   {61, 47, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint8_t noise(size_t i)
{
    return (uint8_t)kelvin_random_bits((kelvin_random){.seed = 7}, i);
}

/* Writes every kind of picture, and planes of noise, for PIL to read. 16 bits of grey are left out: PIL clips them. */
static void write_for_pil(void)
{
    char name[64];
    for (size_t i = 0; i < KINDS + JPEGS; i++) {
        struct bytes b;
        if (i < KINDS && kinds[i].png.depth == 16 && kinds[i].channels == 1) continue;
        if (i < KINDS)
            make_png(&b, &kinds[i].png);
        else
            make_jpeg(&b, 17, 13, jpegs[i - KINDS].format, jpegs[i - KINDS].subsampling, jpegs[i - KINDS].flags);
        snprintf(name, sizeof name, "pil/%zu.file", i);
        spill(in_base(name), b.data, b.n);
    }
    static uint8_t plane[64 * 64];
    for (size_t i = 0; i < sizeof plane; i++) plane[i] = noise(i);
    for (size_t i = 0; i < SHAPES; i++) {
        snprintf(name, sizeof name, "pil/%zu-%zu-%zu-%zu-%zu.plane", i, shapes[i][0], shapes[i][1], shapes[i][2],
                 shapes[i][3]);
        spill(in_base(name), plane, shapes[i][0] * shapes[i][1]);
    }
}

static void run_pil(void)
{
    static const char *const program =
        "import sys, os\n"
        "try:\n    from PIL import Image\nexcept ImportError:\n    sys.exit(77)\n"
        "os.chdir(sys.argv[1])\n"
        "for f in os.listdir():\n"
        "    name, kind = os.path.splitext(f)\n"
        "    if kind == '.file':\n"
        "        im = Image.open(f)\n"
        "        im = im.convert('L' if im.mode in ('1', 'L', 'LA') else 'RGB')\n"
        "    else:\n"
        "        name, fh, fw, h, w = map(int, name.split('-'))\n"
        "        im = Image.frombytes('L', (fw, fh), open(f, 'rb').read()).resize((w, h), Image.BILINEAR)\n"
        "    open('%s%s.raw' % (name, kind), 'wb').write(im.tobytes())\n";
    run_python(program, in_base("pil"));
}

static void as_pil(const char *name, const uint8_t *pixels, size_t n, int tolerance)
{
    size_t bytes;
    char *raw = slurp(in_base(name), &bytes);
    assert_int_equal(bytes, n);
    for (size_t i = 0; i < n; i++)
        if (abs(pixels[i] - (uint8_t)raw[i]) > tolerance)
            fail_msg("%s, byte %zu: %d, PIL has %d", name, i, pixels[i], (uint8_t)raw[i]);
    kelvin_free(raw);
}

static void pil(void **state)
{
    (void)state;
    char name[64];
    assert_int_equal(mkdir(in_base("pil"), 0777), 0);
    write_for_pil();
    run_pil();
    for (size_t i = 0; i < KINDS + JPEGS; i++) {
        snprintf(name, sizeof name, "pil/%zu.file", i);
        if (!exists(in_base(name))) continue;
        size_t bytes;
        char *file = slurp(in_base(name), &bytes);
        struct picture picture;
        assert_ok(kelvin_picture_decode(&picture, file, bytes, name));
        kelvin_free(file);
        snprintf(name, sizeof name, "pil/%zu.file.raw", i);
        as_pil(name, picture.pixels, picture.height * picture.width * picture.channels, i < KINDS ? 0 : 1);
        kelvin_picture_free(&picture);
    }
    static uint8_t plane[64 * 64], to[64 * 64];
    for (size_t i = 0; i < sizeof plane; i++) plane[i] = noise(i);
    for (size_t i = 0; i < SHAPES; i++) {
        assert_ok(kelvin_resize_plane(to, shapes[i][2], shapes[i][3], plane, shapes[i][0], shapes[i][1]));
        snprintf(name, sizeof name, "pil/%zu.plane.raw", i);
        as_pil(name, to, shapes[i][2] * shapes[i][3], 1);
    }
}

/* ---- memory ---- */

static kelvin_status all_of_it(void *context)
{
    (void)context;
    struct bytes b;
    struct picture picture;
    uint8_t to[9];
    make_png(&b, &kinds[KINDS - 2].png);
    KELVIN_TRY(decode(&picture, &b));
    kelvin_status status = kelvin_resize_plane(to, 2, 4, picture.pixels, 3, 3);
    kelvin_picture_free(&picture);
    make_jpeg(&b, 9, 9, TJPF_RGB, TJSAMP_420, 0);
    if (!status) status = decode(&picture, &b);
    if (!status) kelvin_picture_free(&picture);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(without_memory(all_of_it, NULL) > 8); /* libspng and zlib ask for memory here too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_kinds),
        cmocka_unit_test(png_damage),
        cmocka_unit_test(png_broken),
        cmocka_unit_test(png_too_large),
        cmocka_unit_test(png_other_chunks),
        cmocka_unit_test(png_written),
        cmocka_unit_test(jpeg_kinds),
        cmocka_unit_test(jpeg_cut_anywhere),
        cmocka_unit_test(jpeg_refused),
        cmocka_unit_test(neither),
        cmocka_unit_test(resize_by_hand),
        cmocka_unit_test(resize_keeps_one_grey),
        cmocka_unit_test(pil),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
