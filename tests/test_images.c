/* Folders of pictures: which files are taken, in which order, as what, and a sentence for every folder that is not what
 * it should be. */
#include "run_helpers.h"

#include "loaders.h"
#include "picture_helpers.h"

#include "base/memory.h"

#include <errno.h>

/* ---- folders to be read ---- */

static void make_folder(const char *name)
{
    char path[256];
    for (const char *slash = strchr(name, '/');; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - name) : (int)strlen(name), name);
        if (mkdir(in_base(path), 0777) && errno != EEXIST) fail_msg("%s: %s", path, strerror(errno));
        if (!slash) return;
    }
}

/* A picture of one colour; grey where green and blue are the same as red. Its folders are made. */
static void paint(const char *name, size_t width, size_t height, uint8_t red, uint8_t green, uint8_t blue)
{
    static uint8_t pixels[64 * 64 * 3];
    const bool grey = red == green && green == blue;
    const struct picture picture = {height, width, grey ? 1 : 3, pixels};
    for (size_t i = 0; i < height * width * picture.channels; i++)
        pixels[i] = grey || i % 3 == 0 ? red : i % 3 == 1 ? green : blue;
    char folder[256];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(name, '/') - name), name);
    make_folder(folder);
    assert_ok(kelvin_picture_write_png(&picture, in_base(name)));
}

/* Grey ones of 3 x 2, the grey of each its place in the order that is expected. */
static void paint_all(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) paint(names[i], 3, 2, (uint8_t)i, (uint8_t)i, (uint8_t)i);
}

static kelvin_status open_images(kelvin_data **data, const char *folder, const char *more)
{
    char spec[512];
    snprintf(spec, sizeof spec, "images:%s%s", in_base(folder), more);
    return kelvin_data_open(data, spec);
}

static void refuses(const char *folder, const char *more, kelvin_status status, const char *place, const char *sentence)
{
    kelvin_data *data;
    fails(open_images(&data, folder, more), status, place, sentence);
    assert_null(data);
}

/* ---- what is taken ---- */

static void names_and_order(void **state)
{
    (void)state;
    static const char *const names[] = {"order/A/b.PNG",          "order/A/c.Jpeg",  "order/Z/10.png",
                                        "order/Z/9.png",          "order/a b/x.jpg", "order/\xc3\xa9/1.png",
                                        "order/\xc3\xa9/\xff.png"};
    paint_all(names, 7);
    spill(in_base("order/readme.txt"), "x", 1);
    spill(in_base("order/loose.png"), "x", 1);
    spill(in_base("order/A/notes"), "x", 1);
    spill(in_base("order/A/png"), "x", 1);
    spill(in_base("order/A/Thumbs.db"), "x", 1);
    spill(in_base("order/A/gif"), "x", 1);
    spill(in_base("order/A/.hidden.gif"), "x", 1);
    spill(in_base("order/loose.gif"), "x", 1);
    spill(in_base("order/A/.hidden.png"), "x", 1);
    make_folder("order/.git/deep");
    make_folder("order/Z/.cache");
    kelvin_data *data;
    assert_ok(open_images(&data, "order", ",split=0"));
    assert_int_equal(data->classes, 4);
    static const char *const classes[] = {"A", "Z", "a b", "\xc3\xa9"};
    for (size_t c = 0; c < 4; c++) assert_string_equal(data->class_names[c], classes[c]);
    assert_true(data->train.n == 7 && data->test.n == 0);
    assert_true(data->channels == 1 && data->height == 2 && data->width == 3 && data->inputs == 6);
    static const int32_t labels[] = {0, 0, 1, 1, 2, 3, 3};
    assert_memory_equal(data->train.y, labels, sizeof labels);
    for (size_t i = 0; i < 42; i++) assert_int_equal(data->train.bytes[i], i / 6);
    kelvin_data_close(data);
    refuses("order", "", KELVIN_EFORMAT, "order", "class 'a b' has one member");
}

/* Links to files and to folders are as good as what they lead to. */
static void links(void **state)
{
    (void)state;
    static const char *const names[] = {"links/a/1.png", "links/b/2.png"};
    paint_all(names, 2);
    assert_int_equal(symlink(in_base("links/b/2.png"), in_base("links/a/3.png")), 0);
    assert_int_equal(symlink(in_base("links/b"), in_base("links/c")), 0);
    kelvin_data *data;
    assert_ok(open_images(&data, "links", ",split=0"));
    assert_true(data->classes == 3 && data->train.n == 4);
    assert_true(data->train.bytes[0] == 0 && data->train.bytes[6] == 1 && data->train.bytes[18] == 1);
    kelvin_data_close(data);
    assert_int_equal(symlink(in_base("nowhere"), in_base("links/a/4.png")), 0);
    refuses("links", "", KELVIN_EIO, "links/a/4.png", strerror(ENOENT));
}

static void share_for_testing(void **state)
{
    (void)state;
    char name[32];
    for (size_t i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "share/%zu/%02zu.png", i % 2, i);
        paint(name, 1, 1, (uint8_t)i, (uint8_t)i, (uint8_t)i);
    }
    kelvin_data *data;
    assert_ok(open_images(&data, "share", ",split=0.25,seed=3"));
    assert_true(data->train.n == 30 && data->test.n == 10);
    for (size_t i = 0; i < 30; i++) assert_int_equal(data->train.bytes[i] % 2, data->train.y[i]);
    for (size_t i = 0; i < 10; i++) assert_int_equal(data->test.bytes[i] % 2, data->test.y[i]);
    kelvin_data_close(data);
}

/* ---- two parts ---- */

static void expect_parts(const char *folder, const char *more)
{
    kelvin_data *data;
    assert_ok(open_images(&data, folder, more));
    assert_true(data->classes == 2 && data->train.n == 2 && data->test.n == 1);
    assert_true(data->train.bytes[0] == 0 && data->train.bytes[6] == 1 && data->test.bytes[0] == 2);
    assert_true(data->train.y[0] == 0 && data->train.y[1] == 1 && data->test.y[0] == 1);
    kelvin_data_close(data);
}

static void parts(void **state)
{
    (void)state;
    static const char *const tests[] = {"test", "val", "valid"};
    char a[64], b[64], c[64];
    for (size_t i = 0; i < 3; i++) {
        snprintf(a, sizeof a, "parts%zu/train/a/1.png", i);
        snprintf(b, sizeof b, "parts%zu/train/b/1.png", i);
        snprintf(c, sizeof c, "parts%zu/%s/b/1.png", i, tests[i]);
        paint_all((const char *const[]){a, b, c}, 3);
        snprintf(a, sizeof a, "parts%zu", i);
        snprintf(b, sizeof b, "parts%zu/list.txt", i);
        spill(in_base(b), "x", 1);
        expect_parts(a, "");
    }
    refuses("parts0", ",split=0.5", KELVIN_EUSAGE, "split", "");
    refuses("parts0", ",seed=1", KELVIN_EUSAGE, "seed", "");
    char more[512];
    snprintf(more, sizeof more, ",test=%s", in_base("parts1/val"));
    expect_parts("parts0/train", more);
    refuses("parts0", more, KELVIN_EUSAGE, "parts0", "a test part of its own, the folder 'test'");
    strcat(more, ",seed=1");
    refuses("parts0/train", more, KELVIN_EUSAGE, "seed", "");
    snprintf(more, sizeof more, ",test=%s", in_base("parts1"));
    refuses("parts0/train", more, KELVIN_EFORMAT, "parts1/train", "holds the folder 'a'; expected only pictures");
    paint("parts0/test/c/1.png", 3, 2, 1, 1, 1);
    refuses("parts0", "", KELVIN_EFORMAT, "parts0/test", "class 'c' is not known; expected one of the 2 folders of");
    /* Three folders are not two parts. */
    make_folder("parts1/extra");
    refuses("parts1", "", KELVIN_EFORMAT, "parts1/extra", "holds no pictures");
}

static void three_parts(void **state)
{
    (void)state;
    static const char *const thirds[] = {"val", "valid"};
    char path[64], place[160], sentence[256], more[256];
    for (size_t i = 0; i < 2; i++) {
        const char *const parts[] = {"train", thirds[i], "test"};
        for (size_t j = 0; j < 6; j++) {
            snprintf(path, sizeof path, "three%zu/%s/%s/1.png", i, parts[j / 2], j % 2 ? "b" : "a");
            paint(path, 3, 2, (uint8_t)j, (uint8_t)j, (uint8_t)j);
        }
        snprintf(path, sizeof path, "three%zu", i);
        snprintf(place, sizeof place, "%s: holds train, %s and test; expected two parts", path, thirds[i]);
        snprintf(sentence, sizeof sentence, "images:%s/train,test=%s/test", in_base(path), in_base(path));
        refuses(path, "", KELVIN_EFORMAT, place, sentence);
    }
    kelvin_data *data;
    snprintf(more, sizeof more, ",test=%s", in_base("three0/test"));
    assert_ok(open_images(&data, "three0/train", more)); /* as the sentence says */
    assert_true(data->train.n == 2 && data->test.n == 2 && data->test.bytes[0] == 4);
    kelvin_data_close(data);
    paint("classes/test/1.png", 3, 2, 1, 1, 1); /* train, test and another one are classes */
    paint("classes/train/1.png", 3, 2, 1, 1, 1);
    paint("classes/tram/1.png", 3, 2, 1, 1, 1);
    assert_ok(open_images(&data, "classes", ",split=0"));
    assert_int_equal(data->classes, 3);
    kelvin_data_close(data);
    paint("four/test/1.png", 3, 2, 1, 1, 1); /* and so are more than three */
    paint("four/train/1.png", 3, 2, 1, 1, 1);
    paint("four/val/1.png", 3, 2, 1, 1, 1);
    paint("four/van/1.png", 3, 2, 1, 1, 1);
    assert_ok(open_images(&data, "four", ",split=0"));
    assert_int_equal(data->classes, 4);
    kelvin_data_close(data);
}

/* ---- sizes and colours ---- */

static void sizes(void **state)
{
    (void)state;
    paint("sizes/a/1.png", 3, 2, 9, 9, 9);
    paint("sizes/a/2.png", 3, 2, 9, 9, 9);
    paint("sizes/b/3.png", 2, 3, 8, 8, 8);
    paint("sizes/b/4.png", 5, 5, 8, 8, 8);
    static const struct {
        const char *more;
        size_t width, height;
    } given[] = {
        {",size=4", 4, 4}, {",size=5x1", 5, 1}, {",size=1", 1, 1}, {",size=3x2", 3, 2}, {",size=64x48", 64, 48}};
    for (size_t i = 0; i < 5; i++) {
        kelvin_data *data;
        assert_ok(open_images(&data, "sizes", given[i].more));
        assert_true(data->width == given[i].width && data->height == given[i].height && data->channels == 1);
        for (size_t j = 0; j < data->inputs; j++) assert_int_equal(data->train.bytes[j], 9);
        kelvin_data_close(data);
    }
    static const char *const wrong[] = {"0",   "4097",  "x4",  "4x",  "4x4x4", "-4",
                                        " 4",  "4 ",    "1e2", "4X4", "03",    "99999999999999999999",
                                        "4x0", "4x4097"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char more[64];
        snprintf(more, sizeof more, ",size=%s", wrong[i]);
        refuses("sizes", more, KELVIN_EUSAGE, "size is '", "expected a side or WIDTHxHEIGHT, each from 1 to 4096");
    }
}

/* Pictures of different sizes become 32 x 32, as if that had been said: also where some are grey and others are not,
 * and where one cannot be read. */
static void different_sizes(void **state)
{
    (void)state;
    for (size_t grey = 0; grey < 2; grey++) {
        char name[64], folder[32];
        snprintf(folder, sizeof folder, "differ%zu", grey);
        for (size_t i = 0; i < 12; i++) {
            snprintf(name, sizeof name, "%s/%zu/%02zu.png", folder, i % 2, i);
            const uint8_t shade = (uint8_t)(9 * i);
            paint(name, 3 + i % 5, 40, shade, shade, grey || i < 6 ? shade : 3);
        }
        kelvin_data *data, *said;
        assert_ok(open_images(&data, folder, ""));
        assert_ok(open_images(&said, folder, ",size=32"));
        assert_true(data->height == 32 && data->width == 32 && data->channels == (grey ? 1 : 3));
        assert_int_equal(said->channels, data->channels);
        assert_int_equal(data->train.n, said->train.n);
        assert_memory_equal(data->train.bytes, said->train.bytes, said->train.n * said->inputs);
        assert_memory_equal(data->test.bytes, said->test.bytes, said->test.n * said->inputs);
        kelvin_data_close(said);
        kelvin_data_close(data);
        snprintf(name, sizeof name, "%s/1/10.png", folder);
        spill(in_base(name), "x", 1);
        refuses(folder, "", KELVIN_EFORMAT, "10.png", "");
    }
}

/* What is written is resized as kelvin_resize_plane does it, each colour by itself. */
static void resized_planes(void **state)
{
    (void)state;
    uint8_t pixels[7 * 5 * 3], plane[35], expected[12];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * i * 7);
    const struct picture picture = {5, 7, 3, pixels};
    make_folder("planes/a");
    assert_ok(kelvin_picture_write_png(&picture, in_base("planes/a/1.png")));
    paint("planes/b/1.png", 2, 2, 77, 77, 77);
    kelvin_data *data;
    assert_ok(open_images(&data, "planes", ",size=4x3,split=0"));
    assert_true(data->channels == 3 && data->inputs == 36);
    for (size_t c = 0; c < 3; c++) {
        for (size_t i = 0; i < 35; i++) plane[i] = pixels[3 * i + c];
        assert_ok(kelvin_resize_plane(expected, 3, 4, plane, 5, 7));
        assert_memory_equal(data->train.bytes + 12 * c, expected, 12);
    }
    for (size_t i = 36; i < 72; i++) assert_int_equal(data->train.bytes[i], 77);
    kelvin_data_close(data);
}

static void expect_pixels(const char *folder, const char *more, size_t channels, const char *bytes)
{
    kelvin_data *data;
    assert_ok(open_images(&data, folder, more));
    assert_int_equal(data->channels, channels);
    for (size_t i = 0; i < 2 * channels; i++)
        if (data->train.bytes[i] != (uint8_t)bytes[i])
            fail_msg("%s%s: byte %zu is %d, expected %d", folder, more, i, data->train.bytes[i], (uint8_t)bytes[i]);
    kelvin_data_close(data);
}

/* PIL 9.4: Image.new('RGB', (1, 1), (202, 100, 50)).convert('L') is 125; of (255, 254, 255) it is 254. */
static void colours(void **state)
{
    (void)state;
    paint("grey/a/1.png", 1, 1, 10, 10, 10);
    paint("grey/b/1.png", 1, 1, 20, 20, 20);
    expect_pixels("grey", ",split=0", 1, "\x0a\x14");
    expect_pixels("grey", ",split=0,channels=1", 1, "\x0a\x14");
    expect_pixels("grey", ",split=0,channels=3", 3, "\x0a\x0a\x0a\x14\x14\x14");
    paint("late/a/1.png", 1, 1, 10, 10, 10); /* grey first */
    paint("late/b/1.png", 1, 1, 202, 100, 50);
    expect_pixels("late", ",split=0", 3, "\x0a\x0a\x0a\xca\x64\x32");
    expect_pixels("late", ",split=0,channels=1", 1, "\x0a\x7d");
    expect_pixels("late", ",split=0,size=1", 3, "\x0a\x0a\x0a\xca\x64\x32");
    paint("early/a/1.png", 1, 1, 255, 254, 255); /* colour first */
    paint("early/b/1.png", 1, 1, 10, 10, 10);
    expect_pixels("early", ",split=0", 3, "\xff\xfe\xff\x0a\x0a\x0a");
    expect_pixels("early", ",split=0,channels=1", 1, "\xfe\x0a");
    static const char *const wrong[] = {"2", "0", "13", "3x", "colour"};
    for (size_t i = 0; i < 5; i++) {
        char more[64];
        snprintf(more, sizeof more, ",channels=%s", wrong[i]);
        refuses("grey", more, KELVIN_EUSAGE, "channels is '", "expected 1 (grey) or 3 (colour)");
    }
}

static void jpegs_too(void **state)
{
    (void)state;
    struct bytes b;
    make_folder("jpegs/a");
    make_folder("jpegs/b");
    make_jpeg(&b, 12, 9, TJPF_RGB, TJSAMP_444, 0);
    spill(in_base("jpegs/a/1.jpg"), b.data, b.n);
    make_jpeg(&b, 12, 9, TJPF_GRAY, TJSAMP_GRAY, TJFLAG_PROGRESSIVE);
    spill(in_base("jpegs/b/1.png"), b.data, b.n); /* what it is, not what it is called */
    kelvin_data *data;
    assert_ok(open_images(&data, "jpegs", ",split=0"));
    assert_true(data->channels == 3 && data->height == 9 && data->width == 12);
    for (size_t i = 0; i < 3 * 108; i++) {
        assert_near(data->train.bytes[i], smooth(i % 12, i / 12 % 9, i / 108), 4);
        assert_near(data->train.bytes[324 + i], smooth(i % 12, i / 12 % 9, 0), 2);
    }
    kelvin_data_close(data);
    spill(in_base("jpegs/b/1.png"), b.data, b.n - 30);
    refuses("jpegs", "", KELVIN_EFORMAT, "jpegs/b/1.png", "is a broken JPEG file");
}

/* ---- what is not as it should be ---- */

static void broken(void **state)
{
    (void)state;
    refuses("gone", "", KELVIN_EIO, "gone: could not be read", strerror(ENOENT));
    spill(in_base("plain"), "x", 1);
    refuses("plain", "", KELVIN_EIO, "plain: could not be read", strerror(ENOTDIR));
    make_folder("empty");
    refuses("empty", "", KELVIN_EFORMAT, "empty: holds no folders",
            "expected one for each class, with .png, .jpg or .jpeg");
    spill(in_base("empty/1.png"), "x", 1);
    refuses("empty", "", KELVIN_EFORMAT, "empty: holds no folders", "");
    paint("broken/a/1.png", 2, 2, 1, 1, 1);
    refuses("broken", "", KELVIN_EFORMAT, "broken: holds one class, 'a'", "expected at least 2");
    make_folder("broken/b");
    refuses("broken", "", KELVIN_EFORMAT, "broken/b: holds no pictures", "end in .png, .jpg or .jpeg");
    make_folder("broken/b/c");
    refuses("broken", "", KELVIN_EFORMAT, "broken/b: holds the folder 'c'", "expected only pictures");
    assert_int_equal(rmdir(in_base("broken/b/c")), 0);
    spill(in_base("broken/b/2.png"), "GIF89a", 6);
    refuses("broken", "", KELVIN_EFORMAT, "broken/b/2.png", "neither a PNG nor a JPEG");
    /* The first of several, whichever thread is faster; also if a colour picture makes all be loaded again. */
    char name[32];
    for (size_t i = 3; i < 10; i++) {
        snprintf(name, sizeof name, "broken/b/%zu.png", i);
        spill(in_base(name), "", 0);
    }
    for (size_t i = 0; i < 20; i++) refuses("broken", "", KELVIN_EFORMAT, "broken/b/2.png", "neither");
    paint("broken/b/5.png", 2, 2, 1, 2, 3);
    for (size_t i = 0; i < 20; i++) refuses("broken", "", KELVIN_EFORMAT, "broken/b/2.png", "neither");
    assert_int_equal(unlink(in_base("broken/b/2.png")), 0);
    make_folder("broken/b/2.png");
    refuses("broken", "", KELVIN_EIO, "broken/b/2.png", "not a regular file");
    refuses("broken", ",depth=3", KELVIN_EUSAGE, "unknown option 'depth'", "expected test, size, channels");
    kelvin_data *data;
    fails(kelvin_data_open(&data, "images"), KELVIN_EUSAGE, "FOLDER is missing", "");
}

/* Left out without a word they would be missed: the data set would be smaller than its folder. */
static void kinds_that_are_not_read(void **state)
{
    (void)state;
    static const char *const kinds[] = {"2.gif", "2.WebP", "2.bmp", "2.tif", "2.TIFF", "2.heic", "2.x.AVIF"};
    paint("kinds/a/1.png", 2, 2, 1, 1, 1);
    paint("kinds/b/1.png", 2, 2, 1, 1, 1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[64];
        snprintf(name, sizeof name, "kinds/b/%s", kinds[i]);
        spill(in_base(name), "GIF89a", 6);
        refuses("kinds", ",split=0", KELVIN_EFORMAT, name, "is a picture of a kind that is not read");
        refuses("kinds", ",split=0", KELVIN_EFORMAT, name, "; expected .png, .jpg or .jpeg: convert it or take it");
        assert_int_equal(unlink(in_base(name)), 0);
    }
    make_folder("kinds/b/2.gif");
    refuses("kinds", ",split=0", KELVIN_EFORMAT, "kinds/b: holds the folder '2.gif'", "expected only pictures");
    assert_int_equal(rmdir(in_base("kinds/b/2.gif")), 0);
    spill(in_base("kinds/b/Thumbs.db"), "x", 1);
    kelvin_data *data;
    assert_ok(open_images(&data, "kinds", ",split=0"));
    assert_int_equal(data->train.n, 2);
    kelvin_data_close(data);
}

/* To root nothing is closed: root becomes nobody for a while. */
static void closed_folder(void **state)
{
    (void)state;
    const bool root = geteuid() == 0;
    paint("closed/a/1.png", 2, 2, 1, 1, 1);
    make_folder("closed/b");
    assert_int_equal(chmod(in_base("closed/b"), 0), 0);
    if (root) assert_int_equal(chmod(base, 0755) | seteuid(65534), 0);
    kelvin_data *data;
    const kelvin_status status = open_images(&data, "closed", "");
    if (root) assert_int_equal(seteuid(0), 0);
    fails(status, KELVIN_EIO, "closed/b: could not be read", strerror(EACCES));
    assert_int_equal(chmod(in_base("closed/b"), 0777), 0);
}

static void no_raw_bytes(void **state)
{
    (void)state;
    paint("raw/a/1.png", 2, 2, 1, 1, 1);
    paint("raw/b\x1b[31m\n/1.png", 3, 2, 1, 1, 1);
    spill(in_base("raw/b\x1b[31m\n/1.png"), "x", 1);
    refuses("raw", "", KELVIN_EFORMAT, "raw/b", "1.png");
    for (const char *c = kelvin_error(); *c; c++) assert_true((unsigned char)*c >= 0x20);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kelvin_data *data;
    assert_true(without_memory(open_once, in_spec("images:%early,size=2,split=0")) > 40);
    /* Where all is loaded again in colour, what failed before does not matter. */
    for (size_t n = 1; n < 80; n++) {
        kelvin_alloc_fail_at(n);
        const kelvin_status status = open_images(&data, "late", ",size=2,split=0");
        kelvin_alloc_fail_at(0);
        if (status) fails(status, KELVIN_ENOMEM, "", "out of memory");
        assert_true(status ? !data : data->train.bytes[12] == 202);
        kelvin_data_close(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_order), cmocka_unit_test(links),        cmocka_unit_test(share_for_testing),
        cmocka_unit_test(parts),           cmocka_unit_test(sizes),        cmocka_unit_test(different_sizes),
        cmocka_unit_test(resized_planes),  cmocka_unit_test(colours),      cmocka_unit_test(jpegs_too),
        cmocka_unit_test(broken),          cmocka_unit_test(three_parts),  cmocka_unit_test(kinds_that_are_not_read),
        cmocka_unit_test(closed_folder),   cmocka_unit_test(no_raw_bytes), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
