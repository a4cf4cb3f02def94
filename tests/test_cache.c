/* The cache: where it is, what belongs there, and the two data sets read from it. Files of the right size full of zeros
 * stand in for the real ones: sizes are all that is checked before reading. */
#include "run_helpers.h"

#include "base/memory.h"
#include "data/cache.h"

#include <fcntl.h>

static char *kept[3];
static const char *const variables[3] = {"KELVIN_DATA", "XDG_CACHE_HOME", "HOME"};

static void set_variables(const char *data, const char *cache, const char *home)
{
    const char *const values[3] = {data, cache, home};
    for (int i = 0; i < 3; i++)
        if (values[i])
            setenv(variables[i], values[i], 1);
        else
            unsetenv(variables[i]);
}

static int begin(void **state)
{
    for (int i = 0; i < 3; i++) kept[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
    return make_base(state);
}

static int end(void **state)
{
    set_variables(kept[0], kept[1], kept[2]);
    for (int i = 0; i < 3; i++) free(kept[i]);
    return remove_base(state);
}

static void where_it_is(void **state)
{
    (void)state;
    kelvin_path path;
    set_variables("/one", "/two", "/three");
    assert_ok(kelvin_cache_folder(path));
    assert_string_equal(path, "/one");
    set_variables("", "/two", "/three"); /* empty is as good as not set */
    assert_ok(kelvin_cache_folder(path));
    assert_string_equal(path, "/two/kelvin");
    set_variables(NULL, "", "/three");
    assert_ok(kelvin_cache_folder(path));
    assert_string_equal(path, "/three/.cache/kelvin");
    set_variables(NULL, NULL, NULL);
    fails(kelvin_cache_folder(path), KELVIN_EUSAGE, "KELVIN_DATA", "there is no place for data sets");
    char longest[KELVIN_PATH_MAX + 1];
    memset(longest, 'x', KELVIN_PATH_MAX);
    longest[KELVIN_PATH_MAX - 1] = '\0';
    set_variables(longest, NULL, NULL);
    assert_ok(kelvin_cache_folder(path));
    assert_string_equal(path, longest);
    longest[KELVIN_PATH_MAX - 1] = 'x';
    longest[KELVIN_PATH_MAX] = '\0';
    set_variables(longest, NULL, NULL);
    fails(kelvin_cache_folder(path), KELVIN_EUSAGE, "KELVIN_DATA", "4095 bytes");
}

static void what_belongs_there(void **state)
{
    (void)state;
    assert_ptr_equal(kelvin_canonical_find("cifar10"), &kelvin_canonical_cifar10);
    assert_ptr_equal(kelvin_canonical_find("mnist"), &kelvin_canonical_mnist);
    assert_null(kelvin_canonical_find("cifar"));
    assert_int_equal(kelvin_canonical_count(&kelvin_canonical_cifar10), 6);
    assert_int_equal(kelvin_canonical_count(&kelvin_canonical_mnist), 4);
}

static void what_is_not_there(void **state)
{
    (void)state;
    kelvin_data *data;
    set_variables(in_base("nothing"), NULL, NULL);
    fails(kelvin_data_open(&data, "cifar10"), KELVIN_EIO, "nothing/cifar10/data_batch_1.bin is not there yet",
          "fetch cifar10");
    fails(kelvin_data_open(&data, "mnist"), KELVIN_EIO, "nothing/mnist/train-images-idx3-ubyte is not there yet",
          "fetch mnist");
    kelvin_alloc_fail_at(5); /* the name with whole paths */
    const kelvin_status status = kelvin_data_open(&data, "cifar10");
    kelvin_alloc_fail_at(0);
    fails(status, KELVIN_ENOMEM, "", "out of memory");
}

/* All zeros but for what is given at the start and at one place. */
static void make_zeros(const struct canonical_set *set, size_t file, const void *head, size_t bytes, size_t at,
                       uint8_t value)
{
    char name[128];
    snprintf(name, sizeof name, "%s/%s", set->name, set->files[file].name);
    const int fd = open(in_base(name), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)set->files[file].bytes), 0);
    assert_int_equal(pwrite(fd, head, bytes, 0), (ssize_t)bytes);
    assert_int_equal(pwrite(fd, &value, 1, (off_t)at), 1);
    close(fd);
}

static void cifar10_from_the_cache(void **state)
{
    (void)state;
    kelvin_data *data;
    set_variables(base, NULL, NULL);
    assert_int_equal(mkdir(in_base("cifar10"), 0777), 0);
    for (size_t i = 0; i < 6; i++) make_zeros(&kelvin_canonical_cifar10, i, "\t", 1, 1 + 1024 + i, (uint8_t)(100 + i));
    assert_ok(kelvin_data_open(&data, "cifar10"));
    assert_true(data->train.n == 50000 && data->test.n == 10000);
    for (size_t i = 0; i < 6; i++) { /* the i-th file's first image: green pixel i; label 9, all others 0 */
        assert_int_equal(data->train.bytes[i * 10000 * 3072 + 1024 + i], 100 + i);
        assert_int_equal(data->train.y[i * 10000], 9);
        assert_int_equal(data->train.y[i * 10000 + 1], 0);
    }
    float x[3072]; /* of the test part's first image */
    kelvin_part_slice(data, &data->test, x, 0, 1);
    assert_near((double)x[0], -.49 / .2, 1e-6);
    assert_near((double)x[1024], -.48 / .2, 1e-6);
    assert_near((double)x[1024 + 5], (105 / 255.0 - .48) / .2, 1e-6);
    assert_near((double)x[2048], -.44 / .2, 1e-6);
    kelvin_data_close(data);
    make_zeros(&kelvin_canonical_cifar10, 5, "", 0, kelvin_canonical_cifar10.files[5].bytes, 0); /* one byte more */
    fails(kelvin_data_open(&data, "cifar10"), KELVIN_EFORMAT, "test_batch.bin: has 30730001 bytes, expected 30730000",
          "fetch cifar10 again");
}

/* With the first training images alone: what stands behind them is the test part as it was. */
static void the_first_of_mnist(const kelvin_data *all)
{
    static const uint8_t first[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 0, 8, 7}; /* all ten digits */
    const struct canonical_set *set = &kelvin_canonical_mnist;
    kelvin_data *data;
    kelvin_path path;
    assert_ok(kelvin_cache_file(path, set, 1));
    FILE *labels = fopen(path, "r+b");
    assert_non_null(labels);
    assert_int_equal(fseek(labels, 8, SEEK_SET), 0);
    assert_int_equal(fwrite(first, 1, sizeof first, labels), sizeof first);
    assert_int_equal(fclose(labels), 0);
    assert_ok(kelvin_data_open(&data, "mnist:first=12"));
    assert_true(data->train.n == 12 && data->test.n == 10000 && data->classes == 10);
    for (size_t i = 0; i < 12; i++) assert_int_equal(data->train.y[i], first[i]);
    assert_memory_equal(data->test.bytes, all->test.bytes, all->test.n * all->inputs);
    assert_int_equal(data->train.bytes[0], 50);
    assert_string_equal(data->class_names[data->test.y[3]], "9");
    assert_string_equal(data->name, "mnist:first=12");
    kelvin_data_close(data);
    fails(kelvin_data_open(&data, "mnist:first=11"), KELVIN_EUSAGE, "first 11 images", "class '7'");
    fails(kelvin_data_open(&data, "mnist:first=60001"), KELVIN_EUSAGE, "first is 60001", "at most 60000");
    static const char *const wrong[] = {"0", "-3", "1.5", "many", "nan", "inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char name[32];
        snprintf(name, sizeof name, "mnist:first=%s", wrong[i]);
        fails(kelvin_data_open(&data, name), KELVIN_EUSAGE, "first is", wrong[i]);
    }
    assert_ptr_equal(kelvin_canonical_find("mnist:first=12"), set);
    assert_null(kelvin_canonical_find("mnis:first=12"));
}

static void mnist_from_the_cache(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        size_t bytes, at;
        uint8_t value;
    } contents[4] = {{"\0\0\10\3\0\0\352\140\0\0\0\34\0\0\0\34", 16, 16, 50},
                     {"\0\0\10\1\0\0\352\140", 8, 8 + 59999, 9},
                     {"\0\0\10\3\0\0\47\20\0\0\0\34\0\0\0\34", 16, 16 + 783, 150},
                     {"\0\0\10\1\0\0\47\20", 8, 8 + 3, 9}};
    kelvin_data *data;
    set_variables(base, NULL, NULL);
    assert_int_equal(mkdir(in_base("mnist"), 0777), 0);
    for (size_t i = 0; i < 4; i++)
        make_zeros(&kelvin_canonical_mnist, i, contents[i].head, contents[i].bytes, contents[i].at, contents[i].value);
    assert_ok(kelvin_data_open(&data, "mnist"));
    assert_true(data->train.n == 60000 && data->test.n == 10000 && data->inputs == 784);
    assert_int_equal(data->train.bytes[0], 50);
    assert_int_equal(data->test.bytes[783], 150);
    assert_string_equal(data->class_names[data->train.y[59999]], "9");
    assert_string_equal(data->class_names[data->test.y[3]], "9");
    float x[784];
    kelvin_part_slice(data, &data->train, x, 0, 1);
    assert_near((double)x[0], (50 / 255.0 - .1307) / .3081, 1e-6);
    the_first_of_mnist(data);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_it_is),          cmocka_unit_test(what_belongs_there),
        cmocka_unit_test(what_is_not_there),    cmocka_unit_test(cifar10_from_the_cache),
        cmocka_unit_test(mnist_from_the_cache),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
