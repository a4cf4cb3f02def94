/* The binary version of CIFAR-10: records made by hand, every way in which they can be broken, and the real one where
 * it has been fetched. */
#include "run_helpers.h"

#include "loaders.h"

#include "data/cifar.h"

/* ---- files made by hand ---- */

/* A byte that tells record, plane and pixel apart. */
static uint8_t pixel(size_t record, size_t i)
{
    return (uint8_t)(record * 37 + i / 1024 * 101 + i % 1024 * 7);
}

/* Records first .. first+n-1, record r of class r % 10. */
static void make_batch(const char *name, size_t first, size_t n)
{
    uint8_t *bytes = kelvin_alloc(n, 3073), *to = bytes;
    assert_non_null(bytes);
    for (size_t r = first; r < first + n; r++) {
        *to++ = (uint8_t)(r % 10);
        for (size_t i = 0; i < 3072; i++) *to++ = pixel(r, i);
    }
    spill(in_base(name), bytes, n * 3073);
    kelvin_free(bytes);
}

static void fresh_folder(const char *name)
{
    remove_tree(in_base(name));
    assert_int_equal(mkdir(in_base(name), 0777), 0);
}

static kelvin_status open_cifar(kelvin_data **data, const char *rest)
{
    char spec[256];
    snprintf(spec, sizeof spec, "cifar:%s/%s", base, rest);
    return kelvin_data_open(data, spec);
}

/* Row i of a part is record r. */
static void is_record(const kelvin_part *part, size_t i, size_t r)
{
    assert_int_equal(part->y[i], r % 10);
    for (size_t k = 0; k < 3072; k++) assert_int_equal(part->bytes[i * 3072 + k], pixel(r, k));
}

/* More records than are read at once, from two files and one for testing. */
static void make_three(const char *folder)
{
    char name[64];
    fresh_folder(folder);
    snprintf(name, sizeof name, "%s/data_batch_2.bin", folder);
    make_batch(name, 70, 33);
    snprintf(name, sizeof name, "%s/data_batch_1.bin", folder);
    make_batch(name, 0, 70);
    snprintf(name, sizeof name, "%s/test_batch.bin", folder);
    make_batch(name, 103, 5);
}

static void check_three(const char *rest)
{
    kelvin_data *data;
    assert_ok(open_cifar(&data, rest));
    assert_int_equal(data->channels, 3);
    assert_int_equal(data->height, 32);
    assert_int_equal(data->width, 32);
    assert_int_equal(data->inputs, 3072);
    assert_int_equal(data->classes, 10);
    assert_int_equal(data->train.n, 103);
    assert_int_equal(data->test.n, 5);
    for (size_t r = 0; r < 103; r++) is_record(&data->train, r, r);
    for (size_t r = 0; r < 5; r++) is_record(&data->test, r, 103 + r);
    kelvin_data_close(data);
}

static void reads_what_is_there(void **state)
{
    (void)state;
    make_three("three");
    spill(in_base("three/data_batch_3.txt"), "x", 1); /* not theirs */
    spill(in_base("three/my_data_batch_3.bin"), "x", 1);
    spill(in_base("three/readme.html"), "x", 1);
    check_three("three");

    kelvin_data *data;
    assert_ok(open_cifar(&data, "three"));
    static const char *const names[10] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};
    for (size_t i = 0; i < 10; i++) assert_string_equal(data->class_names[i], names[i]);
    for (size_t c = 0; c < 3; c++) { /* computed, not fixed */
        double sum = 0;
        for (size_t r = 0; r < 103; r++)
            for (size_t i = 0; i < 1024; i++) sum += pixel(r, 1024 * c + i) / 255.0;
        assert_near(data->mean[c], sum / (103 * 1024), 1e-6);
    }
    kelvin_data_close(data);
}

/* As the archive unpacks. */
static void looks_one_folder_deeper(void **state)
{
    (void)state;
    fresh_folder("outer");
    make_three("outer/cifar-10-batches-bin");
    check_three("outer");
}

static void splits_without_a_test_batch(void **state)
{
    (void)state;
    fresh_folder("one");
    make_batch("one/data_batch.bin", 0, 40);
    kelvin_data *data;
    assert_ok(open_cifar(&data, "one,split=0.25,seed=3"));
    assert_int_equal(data->train.n, 30);
    assert_int_equal(data->test.n, 10);
    bool seen[40] = {false};
    for (size_t i = 0; i < 40; i++) {
        const kelvin_part *part = i < 30 ? &data->train : &data->test;
        const size_t row = i < 30 ? i : i - 30;
        size_t r = 0; /* pixel 0 of record r is 37 r mod 256, which tells 40 records apart */
        while (r < 40 && pixel(r, 0) != part->bytes[row * 3072]) r++;
        assert_true(r < 40 && !seen[r]);
        seen[r] = true;
        is_record(part, row, r);
    }
    kelvin_data_close(data);
    assert_ok(open_cifar(&data, "one,split=0"));
    assert_int_equal(data->train.n, 40);
    assert_int_equal(data->test.n, 0);
    kelvin_data_close(data);
}

static void names_of_classes(void **state)
{
    (void)state;
    make_three("named");
    kelvin_data *data;
    static const char text[] =
        "eins\r\nzwei\n\ndrei und mehr\nvier\nf\xc3\xbcnf\nsechs \nsieben\nacht\nneun\nzehn\n\n\n";
    static const char *const names[10] = {"eins",  "zwei",   "drei und mehr", "vier", "f\xc3\xbcnf",
                                          "sechs", "sieben", "acht",          "neun", "zehn"};
    for (size_t cut = 0; cut < 4; cut++) { /* with and without the last newlines */
        spill(in_base("named/batches.meta.txt"), text, sizeof text - 1 - cut);
        assert_ok(open_cifar(&data, "named"));
        for (size_t i = 0; i < 10; i++) assert_string_equal(data->class_names[i], names[i]);
        kelvin_data_close(data);
    }
}

/* ---- broken files ---- */

static const struct {
    const char *text, *sentence;
} broken_names[] = {
    {"", "batches.meta.txt: line 1: ends after 0 names of classes; expected 10"},
    {"a\nb\nc\nd\ne\nf\ng\nh\ni\n", "batches.meta.txt: line 10: ends after 9 names of classes; expected 10"},
    {"a\nb\nc\nd\ne\nf\ng\nh\ni\n \r\n", "batches.meta.txt: line 11: ends after 9 names of classes; expected 10"},
    {"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\nk\n", "batches.meta.txt: line 12: is one too many; expected 10 names"},
    {"a\nb\x1b[2J\n", "batches.meta.txt: line 2: has the byte \\x1b; expected the name of a class"},
    {"a\nb\nc\x7f\n", "batches.meta.txt: line 3: has the byte \\x7f; expected the name of a class"},
};

static void broken_names_get_a_sentence(void **state)
{
    (void)state;
    kelvin_data *data;
    make_three("misnamed");
    for (size_t i = 0; i < sizeof broken_names / sizeof *broken_names; i++) {
        spill(in_base("misnamed/batches.meta.txt"), broken_names[i].text, strlen(broken_names[i].text));
        fails(open_cifar(&data, "misnamed"), KELVIN_EFORMAT, base, broken_names[i].sentence);
        assert_null(data);
    }
}

/* Byte `at` of a file becomes `value`. */
static void poke(const char *path, size_t at, uint8_t value)
{
    size_t bytes;
    char *file = slurp(path, &bytes);
    assert_true(at < bytes);
    file[at] = (char)value;
    spill(path, file, bytes);
    kelvin_free(file);
}

static void broken_files_get_a_sentence(void **state)
{
    (void)state;
    kelvin_data *data;
    make_three("broken");
    const char *const second = "broken/data_batch_2.bin";
    spill(in_base(second), "", 0);
    fails(open_cifar(&data, "broken"), KELVIN_EFORMAT,
          "data_batch_2.bin: ", "is empty; expected records of 3073 bytes");
    spill(in_base(second), "abc", 3);
    fails(open_cifar(&data, "broken"), KELVIN_EFORMAT,
          "data_batch_2.bin: ", "has 3 bytes; expected whole records of 3073, as 0 or 3073 bytes have");
    make_batch(second, 70, 33);
    assert_int_equal(truncate(in_base(second), 33 * 3073 - 1), 0);
    fails(open_cifar(&data, "broken"), KELVIN_EFORMAT,
          "data_batch_2.bin: ", "has 101408 bytes; expected whole records of 3073, as 98336 or 101409 bytes have");
    make_batch(second, 70, 33);
    assert_int_equal(truncate(in_base("broken/test_batch.bin"), 3074), 0);
    fails(open_cifar(&data, "broken"), KELVIN_EFORMAT,
          "test_batch.bin: ", "has 3074 bytes; expected whole records of 3073, as 3073 or 6146 bytes have");
}

/* The lowest file and record. */
static void wrong_labels_get_a_sentence(void **state)
{
    (void)state;
    kelvin_data *data;
    make_three("labels");
    poke(in_base("labels/test_batch.bin"), 4 * 3073, 10);
    fails(open_cifar(&data, "labels"), KELVIN_EFORMAT,
          "labels/test_batch.bin: ", "record 5: label 10; expected 0 to 9");
    poke(in_base("labels/data_batch_2.bin"), 32 * 3073, 255);
    fails(open_cifar(&data, "labels"), KELVIN_EFORMAT, "data_batch_2.bin: ", "record 33: label 255; expected 0 to 9");
    poke(in_base("labels/data_batch_2.bin"), 0, 11);
    fails(open_cifar(&data, "labels"), KELVIN_EFORMAT, "data_batch_2.bin: ", "record 1: label 11; expected 0 to 9");
    poke(in_base("labels/data_batch_1.bin"), 69 * 3073, 99);
    fails(open_cifar(&data, "labels"), KELVIN_EFORMAT, "data_batch_1.bin: ", "record 70: label 99; expected 0 to 9");
}

static void folders_without_files(void **state)
{
    (void)state;
    static const char nothing[] = "has no files data_batch*.bin; expected those of CIFAR-10's binary version";
    kelvin_data *data;
    fresh_folder("none");
    fails(open_cifar(&data, "none"), KELVIN_EFORMAT, "/none: ", nothing);
    make_batch("none/test_batch.bin", 0, 1);
    fails(open_cifar(&data, "none"), KELVIN_EFORMAT, "/none: ", nothing);
    fresh_folder("none/cifar-10-batches-bin");
    fails(open_cifar(&data, "none"), KELVIN_EFORMAT, "/none: ", nothing);
    fails(open_cifar(&data, "nowhere"), KELVIN_EIO, "/nowhere: ", "could not be read as a folder: No such file");
    spill(in_base("file"), "x", 1);
    fails(open_cifar(&data, "file"), KELVIN_EIO, "/file: ", "could not be read as a folder: Not a directory");
    fresh_folder("other");
    spill(in_base("other/cifar-10-batches-bin"), "x", 1);
    fails(open_cifar(&data, "other"), KELVIN_EIO,
          "/other/cifar-10-batches-bin: ", "could not be read as a folder: Not");
    fresh_folder("none/data_batch_1.bin");
    fails(open_cifar(&data, "none"), KELVIN_EIO, "none/data_batch_1.bin", "is not a regular file");
}

static void wrong_use(void **state)
{
    (void)state;
    kelvin_data *data;
    make_three("used");
    fails(open_cifar(&data, "used,split=0.5"), KELVIN_EUSAGE, "split", "test_batch.bin; expected one");
    fails(open_cifar(&data, "used,seed=1"), KELVIN_EUSAGE, "seed", "test_batch.bin; expected one");
    fails(kelvin_data_open(&data, "cifar"), KELVIN_EUSAGE, "FOLDER is missing", "cifar:FOLDER");
    fails(kelvin_data_open(&data, "cifar10:folder"), KELVIN_EUSAGE, "'folder' is one too many", "expected cifar10");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fresh_folder("short");
    make_batch("short/data_batch_1.bin", 0, 20);
    spill(in_base("short/batches.meta.txt"), "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", 20);
    assert_true(without_memory(open_once, in_spec("cifar:%short")) > 8);
}

/* ---- CIFAR-10 ---- */

static void cifar10(void **state)
{
    (void)state;
    kelvin_data *data;
    const kelvin_status status = kelvin_data_open(&data, "cifar10");
    if (status == KELVIN_EIO || status == KELVIN_EUSAGE) { /* not fetched, or no cache */
        print_message("CIFAR-10 is left out: %s\n", kelvin_error());
        skip();
    }
    assert_ok(status);
    static const double published[2][3] = {{0.49139968, 0.48215841, 0.44653091}, {0.24703223, 0.24348513, 0.26158784}};
    static const double fixed[2][3] = {{0.49, 0.48, 0.44}, {0.2, 0.2, 0.2}}; /* as the paper's program */
    double mean[3], deviation[3];
    kelvin_part_statistics(data, &data->train, mean, deviation);
    for (size_t c = 0; c < 3; c++) {
        assert_near(mean[c], published[0][c], 1e-6);
        assert_near(deviation[c], published[1][c], 1e-6);
        assert_near(data->mean[c], fixed[0][c], 1e-7);
        assert_near(data->deviation[c], fixed[1][c], 1e-7);
    }
    assert_int_equal(data->train.n, 50000);
    assert_int_equal(data->test.n, 10000);
    int found[10] = {0};
    for (size_t i = 0; i < 50000; i++) found[data->train.y[i]]++;
    for (size_t i = 0; i < 10; i++) assert_int_equal(found[i], 5000);
    assert_string_equal(data->class_names[data->train.y[0]], "frog"); /* and the first of the test part is a cat */
    assert_string_equal(data->class_names[data->test.y[0]], "cat");
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(looks_one_folder_deeper),
        cmocka_unit_test(splits_without_a_test_batch),
        cmocka_unit_test(names_of_classes),
        cmocka_unit_test(broken_names_get_a_sentence),
        cmocka_unit_test(broken_files_get_a_sentence),
        cmocka_unit_test(wrong_labels_get_a_sentence),
        cmocka_unit_test(folders_without_files),
        cmocka_unit_test(wrong_use),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(cifar10),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
