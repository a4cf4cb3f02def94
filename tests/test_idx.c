/* IDX files: bytes written out by hand, every way in which they can be broken, and MNIST where it has been fetched. */
#include "run_helpers.h"

#include "loaders.h"

#include "data/idx.h"

/* ---- files made by hand ---- */

#define BYTES(text) text, sizeof text - 1

/* Four images of 2x3 pixels, their labels; two more for testing. */
static const char images[] = "\0\0\x08\x03"
                             "\0\0\0\x04\0\0\0\x02\0\0\0\x03"
                             "\x00\x01\x02\x03\x04\x05"
                             "\x0a\x0b\x0c\x0d\x0e\x0f"
                             "\xff\xfe\xfd\xfc\xfb\xfa"
                             "\x80\x81\x82\x83\x84\x85";
static const char labels[] = "\0\0\x08\x01\0\0\0\x04\x00\x03\x01\x00";
static const char test_images[] = "\0\0\x08\x03"
                                  "\0\0\0\x02\0\0\0\x02\0\0\0\x03"
                                  "\x14\x15\x16\x17\x18\x19\x1e\x1f\x20\x21\x22\x23";
static const char test_labels[] = "\0\0\x08\x01\0\0\0\x02\x03\x01";

static void make_files(void)
{
    spill(in_base("i"), images, sizeof images - 1);
    spill(in_base("l"), labels, sizeof labels - 1);
    spill(in_base("ti"), test_images, sizeof test_images - 1);
    spill(in_base("tl"), test_labels, sizeof test_labels - 1);
}

/* idx:i,l and what follows, in the folder of this test. */
static kelvin_status open_idx(kelvin_data **data, const char *rest)
{
    char pattern[256];
    snprintf(pattern, sizeof pattern, "idx:%%i,%%l%s", rest);
    return kelvin_data_open(data, in_spec(pattern));
}

static const char both[] = ",test-images=%ti,test-labels=%tl";

static void reads_what_is_there(void **state)
{
    (void)state;
    kelvin_data *data;
    make_files();
    assert_ok(open_idx(&data, both));
    assert_int_equal(data->channels, 1);
    assert_int_equal(data->height, 2);
    assert_int_equal(data->width, 3);
    assert_int_equal(data->inputs, 6);
    assert_int_equal(data->classes, 3); /* no row has the label 2 */
    assert_string_equal(data->class_names[1], "1");
    assert_string_equal(data->class_names[2], "3");
    assert_int_equal(data->train.n, 4);
    assert_int_equal(data->test.n, 2);
    assert_memory_equal(data->train.bytes, images + 16, 24);
    assert_memory_equal(data->test.bytes, test_images + 16, 12);
    assert_memory_equal(data->train.y, ((int32_t[]){0, 2, 1, 0}), 4 * sizeof(int32_t));
    assert_memory_equal(data->test.y, ((int32_t[]){2, 1}), 2 * sizeof(int32_t));
    /* (0 + ... + 5) + (10 + ... + 15) + (255 + ... + 250) + (128 + ... + 133) = 15 + 75 + 1515 + 783 */
    assert_near(data->mean[0], 2388.0 / 24 / 255, 1e-7);
    kelvin_data_close(data);

    assert_ok(open_idx(&data, ",split=0"));
    assert_int_equal(data->train.n, 4);
    assert_int_equal(data->test.n, 0);
    kelvin_data_close(data);
}

/* (n, h, w, c) becomes (n, c, h, w). */
static void colours_become_planes(void **state)
{
    (void)state;
    static const char colours[] = "\0\0\x08\x04\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0\x03"
                                  "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c";
    static const uint8_t planes[] = {1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12};
    static const char grey[] = "\0\0\x08\x04\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0\x01\x01\x02\x03\x04";
    kelvin_data *data;
    spill(in_base("i"), BYTES(colours));
    spill(in_base("l"), BYTES("\0\0\x08\x01\0\0\0\x02\xff\x00"));
    assert_ok(open_idx(&data, ",split=0"));
    assert_int_equal(data->channels, 3);
    assert_int_equal(data->height, 1);
    assert_int_equal(data->width, 2);
    assert_int_equal(data->classes, 2);
    assert_string_equal(data->class_names[1], "255");
    assert_memory_equal(data->train.bytes, planes, sizeof planes);
    kelvin_data_close(data);

    spill(in_base("i"), BYTES(grey));
    assert_ok(open_idx(&data, ",split=0"));
    assert_int_equal(data->channels, 1);
    assert_memory_equal(data->train.bytes, grey + 20, 4);
    kelvin_data_close(data);
}

/* Without a test part of its own, a share of each class. */
static void splits(void **state)
{
    (void)state;
    uint8_t i[16 + 20] = {0, 0, 8, 3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1};
    uint8_t l[8 + 20] = {0, 0, 8, 1, 0, 0, 0, 20};
    for (uint8_t k = 0; k < 20; k++) i[16 + k] = k, l[8 + k] = k % 2;
    spill(in_base("i"), i, sizeof i);
    spill(in_base("l"), l, sizeof l);
    kelvin_data *data;
    assert_ok(open_idx(&data, ",split=0.3,seed=5"));
    assert_int_equal(data->train.n, 14);
    assert_int_equal(data->test.n, 6);
    uint32_t seen = 0;
    for (size_t k = 0; k < 20; k++) {
        seen |= 1u << data->train.bytes[k]; /* the test part is behind it */
        assert_int_equal(data->train.y[k], data->train.bytes[k] % 2);
    }
    assert_int_equal(seen, (1u << 20) - 1);
    kelvin_data_close(data);
}

/* ---- broken files ---- */

struct broken {
    const char *file, *bytes;
    size_t size;
    const char *sentence;
};

#define IMAGES_OF(sizes) "\0\0\x08\x03" sizes

static const struct broken broken[] = {
    {"i", BYTES(""), "has 0 bytes; expected at least 4 of a head"},
    {"i", BYTES("\0\0\x08"), "has 3 bytes; expected at least 4 of a head"},
    {"i", BYTES("\x1f\x8b"), "byte 0: begins with 1f 8b, so it is compressed by gzip; expected it unpacked"},
    {"l", BYTES("\x1f\x8b\x08\0"), "byte 0: begins with 1f 8b, so it is compressed by gzip; expected it unpacked"},
    {"i", BYTES("\0\x01\x08\x03"), "byte 0: begins with 00 01 08 03; expected 00 00 08 03"},
    {"i", BYTES("\x89PNG"), "byte 0: begins with 89 50 4e 47; expected 00 00 08 03"},
    {"l", BYTES("\xf0\0\x08\x01"), "byte 0: begins with f0 00 08 01; expected 00 00 08 01"},
    {"i", BYTES("\0\0\x0d\x03"), "byte 2: the elements are of type 0d; expected 08, unsigned bytes"},
    {"l", BYTES("\0\0\x09\x01"), "byte 2: the elements are of type 09; expected 08, unsigned bytes"},
    {"i", BYTES("\0\0\x08\x02"), "byte 3: the number of axes is 2; expected 3 or 4: images, height, width, channels"},
    {"i", BYTES("\0\0\x08\x05"), "byte 3: the number of axes is 5; expected 3 or 4"},
    {"i", BYTES("\0\0\x08\x01"), "byte 3: the number of axes is 1; expected 3 or 4"},
    {"i", BYTES("\0\0\x08\x00"), "byte 3: the number of axes is 0; expected 3 or 4"},
    {"i", BYTES("\0\0\x08\xff"), "byte 3: the number of axes is 255; expected 3 or 4"},
    {"l", BYTES("\0\0\x08\x03"), "byte 3: the number of axes is 3; expected 1: labels"},
    {"l", BYTES("\0\0\x08\x00"), "byte 3: the number of axes is 0; expected 1: labels"},
    {"i", BYTES("\0\0\x08\x03\0\0\0\x04\0\0\0\x02\0\0\0"), "has 15 bytes; expected at least 16 of a head"},
    {"i", BYTES("\0\0\x08\x04\0\0\0\x04\0\0\0\x02\0\0\0\x03"), "has 16 bytes; expected at least 20 of a head"},
    {"l", BYTES("\0\0\x08\x01\0\0\0"), "has 7 bytes; expected at least 8 of a head"},
    {"i", BYTES(IMAGES_OF("\0\0\0\0\0\0\0\x02\0\0\0\x03")), "byte 4: size 1 of 3 is 0; expected at least 1"},
    {"i", BYTES(IMAGES_OF("\0\0\0\x04\0\0\0\0\0\0\0\x03")), "byte 8: size 2 of 3 is 0; expected at least 1"},
    {"i", BYTES(IMAGES_OF("\0\0\0\x04\0\0\0\x02\0\0\0\0")), "byte 12: size 3 of 3 is 0; expected at least 1"},
    {"l", BYTES("\0\0\x08\x01\0\0\0\0"), "byte 4: size 1 of 1 is 0; expected at least 1"},
    {"i", BYTES(IMAGES_OF("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")),
     "byte 4: the sizes in its head are more than can be addressed; expected 16 bytes, as the file has"},
    /* 2^64: the product is 0 in 64 bits, and the file has as many bytes */
    {"i", BYTES("\0\0\x08\x04\0\x01\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\0"), "are more than can be addressed"},
    /* 2^64 - 2^32: what the head adds is not too much */
    {"i", BYTES(IMAGES_OF("\xff\xff\xff\xff\0\x01\0\0\0\x01\0\0")),
     "has 16 bytes; expected 18446744069414584336 by the sizes in its head"},
    {"i", BYTES("\0\0\x08\x04\0\0\0\x04\0\0\0\x01\0\0\0\x01\0\0\0\x02\1\2\3\4\5\6\7\x08"),
     "byte 16: the number of channels is 2; expected 1 or 3"},
    {"i", BYTES(IMAGES_OF("\0\0\0\x01\0\0\0\x02\0\0\0\x03") "\1\2\3\4\5"),
     "has 21 bytes; expected 22 by the sizes in its head"},
    {"i", BYTES(IMAGES_OF("\0\0\0\x01\0\0\0\x02\0\0\0\x03") "\1\2\3\4\5\6\7"),
     "has 23 bytes; expected 22 by the sizes in its head"},
    {"l", BYTES("\0\0\x08\x01\0\0\0\x04\0\x03\x01"), "has 11 bytes; expected 12 by the sizes in its head"},
    {"l", BYTES("\0\0\x08\x01\0\0\0\x04\0\x03\x01\0\0"), "has 13 bytes; expected 12 by the sizes in its head"},
    {"l", BYTES("\0\0\x08\x01\0\0\0\x03\0\x03\x01"), "byte 4: has 3 labels; expected 4, one for each image of "},
    {"tl", BYTES("\0\0\x08\x01\0\0\0\x03\0\x03\x01"), "byte 4: has 3 labels; expected 2, one for each image of "},
    {"tl", BYTES("\0\0\x08\x01\0\0\0\x02\x03\x02"),
     "row 2 (from 1): the label '2' does not occur in the training part"},
    {"l", BYTES("\0\0\x08\x01\0\0\0\x04\7\7\7\7"), "all labels are '7'; expected at least 2 different ones"},
    {"tl", BYTES("\0\0\x08\x01\0\0\0\x02\x03\x04"),
     "row 2 (from 1): the label '4' does not occur in the training part; expected one that does"},
    {"tl", BYTES("\0\0\x08\x01\0\0\0\x02\xff\x04"),
     "row 1 (from 1): the label '255' does not occur in the training part"},
    {"ti", BYTES(IMAGES_OF("\0\0\0\x02\0\0\0\x03\0\0\0\x02") "\1\2\3\4\5\6\7\1\2\3\4\5"),
     "byte 8: its images are of height 3, width 2, channels 1; expected 2, 3, 1 as in "},
    {"ti", BYTES("\0\0\x08\x03\0\0\0\x01"), "has 8 bytes; expected at least 16 of a head"},
};

static void broken_files_get_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const struct broken *b = &broken[i];
        kelvin_data *data;
        make_files();
        spill(in_base(b->file), b->bytes, b->size);
        char place[128];
        snprintf(place, sizeof place, "%s/%s: ", base, b->file);
        fails(open_idx(&data, both), KELVIN_EFORMAT, place, b->sentence);
        assert_null(data);
    }
}

static void files_that_are_not_there(void **state)
{
    (void)state;
    static const char *const names[] = {"i", "l", "ti", "tl"};
    kelvin_data *data;
    for (size_t i = 0; i < 4; i++) {
        make_files();
        assert_int_equal(unlink(in_base(names[i])), 0);
        fails(open_idx(&data, both), KELVIN_EIO, in_base(names[i]), "could not be read: No such file");
        assert_int_equal(mkdir(in_base(names[i]), 0777), 0);
        fails(open_idx(&data, both), KELVIN_EIO, in_base(names[i]), "is not a regular file");
        assert_int_equal(rmdir(in_base(names[i])), 0);
    }
}

static void wrong_use(void **state)
{
    (void)state;
    kelvin_data *data;
    make_files();
    fails(open_idx(&data, ",test-images=%ti"), KELVIN_EUSAGE, "data 'idx:", "test-images is given without test-labels");
    fails(open_idx(&data, ",test-labels=%tl"), KELVIN_EUSAGE, "data 'idx:", "test-labels is given without test-images");
    fails(open_idx(&data, ",test-images=%ti,test-labels=%tl,split=0.5"), KELVIN_EUSAGE, "split", "test-images");
    fails(open_idx(&data, ",test-images=%ti,test-labels=%tl,seed=1"), KELVIN_EUSAGE, "seed", "test-images");
    fails(kelvin_data_open(&data, "idx:one"), KELVIN_EUSAGE, "LABELS is missing", "idx:IMAGES,LABELS");
    fails(kelvin_data_open(&data, "mnist:file"), KELVIN_EUSAGE, "'file' is one too many", "expected mnist");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    make_files();
    assert_true(without_memory(open_once, in_spec("idx:%i,%l,test-images=%ti,test-labels=%tl")) > 10);
}

/* ---- a file that changes after its head was read ---- */

static void parts_of_files(void **state)
{
    (void)state;
    char bytes[4];
    spill(in_base("seven"), "abcdefg", 7);
    assert_ok(kelvin_file_read_part(bytes, in_base("seven"), 2, 4));
    assert_memory_equal(bytes, "cdef", 4);
    fails(kelvin_file_read_part(bytes, in_base("seven"), 4, 4), KELVIN_EIO, "seven", "became shorter");
    fails(kelvin_file_read_part(bytes, in_base("none"), 0, 4), KELVIN_EIO, "none", "could not be read");
}

/* ---- MNIST ---- */

static void mnist(void **state)
{
    (void)state;
    kelvin_data *data;
    const kelvin_status status = kelvin_data_open(&data, "mnist");
    if (status == KELVIN_EIO || status == KELVIN_EUSAGE) { /* not fetched, or no cache */
        print_message("MNIST is left out: %s\n", kelvin_error());
        skip();
    }
    assert_ok(status);
    assert_int_equal(data->train.n, 60000);
    assert_int_equal(data->test.n, 10000);
    assert_int_equal(data->classes, 10);
    assert_int_equal(data->inputs, 28 * 28);
    double mean, deviation;
    kelvin_part_statistics(data, &data->train, &mean, &deviation);
    assert_near(mean, 0.13066048, 1e-6);
    assert_near(deviation, 0.30810781, 1e-6);
    assert_near(data->mean[0], 0.1307, 1e-7);
    assert_near(data->deviation[0], 0.3081, 1e-7);
    /* As published: how often each digit is there, and the first ones. */
    static const int counts[10] = {5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949};
    int found[10] = {0};
    for (size_t i = 0; i < 60000; i++) found[data->train.y[i]]++;
    assert_memory_equal(found, counts, sizeof counts);
    assert_memory_equal(data->train.y, ((int32_t[]){5, 0, 4, 1, 9}), 5 * sizeof(int32_t));
    assert_memory_equal(data->test.y, ((int32_t[]){7, 2, 1, 0, 4}), 5 * sizeof(int32_t));
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(colours_become_planes),
        cmocka_unit_test(splits),
        cmocka_unit_test(broken_files_get_a_sentence),
        cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(wrong_use),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(parts_of_files),
        cmocka_unit_test(mnist),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
