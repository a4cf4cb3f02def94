/* Descriptions of data sets, by which a run can be used without its data: there and back, and broken ones. */
#include "chains_helpers.h"

#include "description_helpers.h"
#include "run/folder.h"

static void forget_description(void)
{
    assert_int_equal(unlink(in_base("data.json")), 0);
}

/* From a file as well; what was described may be closed. */
static void a_description_is_all_but_the_rows(void **state)
{
    (void)state;
    const char *const specs[] = {"digits", "toy", table_spec};
    for (size_t i = 0; i < 3; i++) {
        kelvin_data *data, *about, *read;
        assert_ok(kelvin_data_open(&data, specs[i]));
        assert_ok(kelvin_data_describe(&about, data));
        same_descriptions(about, data);
        assert_ok(kelvin_description_write(data, base));
        assert_ok(kelvin_description_read(&read, NULL, base));
        same_descriptions(read, data);
        kelvin_data_close(data);
        same_descriptions(read, about);
        kelvin_data_close(about);
        kelvin_data_close(read);
    }
    forget_description();
}

static void images_are_normalised_as_they_were(void **state)
{
    (void)state;
    enum { N = 7, INPUTS = 64 };
    float x[N * INPUTS], y[N * INPUTS];
    kelvin_data *data, *about;
    assert_ok(kelvin_data_open(&data, "digits"));
    assert_ok(kelvin_data_describe(&about, data));
    kelvin_part_slice(data, &data->train, x, 3, N);
    const kelvin_part part = {.n = N, .bytes = data->train.bytes + 3 * INPUTS, .y = data->train.y + 3};
    kelvin_part_slice(about, &part, y, 0, N);
    assert_memory_equal(x, y, sizeof x);
    kelvin_data_close(data);
    kelvin_data_close(about);
}

static void names_that_are_not_utf8(void **state)
{
    (void)state;
    const char *const names[] = {"caf\xe9", "th\xc3\xa9"}, *const utf8[] = {"caf\xc3\xa9", "th\xc3\xa9"};
    const double mean[1] = {1}, deviation[1] = {2};
    const kelvin_data data = {.name = "csv:x",
                              .inputs = 1,
                              .classes = 2,
                              .class_names = names,
                              .mean = mean,
                              .deviation = deviation,
                              .train.n = 3};
    kelvin_data *read;
    assert_ok(kelvin_description_write(&data, base));
    assert_ok(kelvin_description_read(&read, NULL, base));
    same_texts(read->class_names, utf8, 2);
    kelvin_data_close(read);
    forget_description();
}

static void a_broken_description(void **state)
{
    (void)state;
    const struct {
        const char *was, *is, *sentence;
    } table[] = {
        {"\"train\": 60", "\"train\": 0", "field \"train\": expected a whole number from 1 on"},
        {"\"test\": 15", "\"test\": -1", "field \"test\": expected a whole number from 0 on"},
        {"\"inputs\": 4", "\"inputs\": \"4\"", "field \"inputs\": expected a whole number from 1 on"},
        {"\"inputs\": 4", "\"inputs\": 5", "field \"columns\": expected a list of as many strings as there are"},
        {"\"image\": null", "\"image\": 3", "field \"image\": expected channels, height, width and white, or null"},
        {"\"image\": null", "\"image\": {\"channels\": 1, \"height\": 2, \"width\": 3, \"white\": 255}",
         "field \"image\": expected channels x height x width = inputs"},
        {"\"image\": null", "\"image\": {\"channels\": 1, \"height\": 2, \"width\": 2, \"white\": 0}",
         "field \"white\": expected a number above 0"},
        {"\"classes\": [", "\"classes\": [7,", "field \"classes\": expected a list of strings"},
        {"\"classes\": [", "\"classess\": [", "field \"classes\": expected a list of as many strings as there are"},
        {"\"mean\": [", "\"mean\": [1,", "field \"mean\": expected a list of numbers, one per channel or column"},
        {"\"mean\": [", "\"mean\": [\"1\",", "field \"mean\": expected"},
        {"\"deviation\": [", "\"deviation\": [0,", "field \"deviation\": expected"},
        {"\"deviation\": [", "\"deviation\": [1, 1, 0, 1], \"x\": [", "expected a list of numbers above 0"},
        {"\"label\": \"label\"", "\"label\": 5", "field \"label\": expected a string, or null"},
        {"\"data\": ", "\"data\": 1, \"x\": ", "field \"data\": expected a string"},
        {"{", "[", "line "},
    };
    kelvin_data *data, *read;
    kelvin_path path;
    assert_ok(kelvin_data_open(&data, table_spec));
    assert_ok(kelvin_path_join(path, base, "data.json"));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_ok(kelvin_description_write(data, base));
        edit(path, table[i].was, table[i].is);
        fails(kelvin_description_read(&read, NULL, base), KELVIN_EFORMAT, path, table[i].sentence);
        assert_null(read);
    }
    forget_description();
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_all_but_the_rows),
        cmocka_unit_test(images_are_normalised_as_they_were),
        cmocka_unit_test(names_that_are_not_utf8),
        cmocka_unit_test(a_broken_description),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
