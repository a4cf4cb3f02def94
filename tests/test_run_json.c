/* run.json of all samplers: there and back, every field of it spoilt, marks of data, and no memory at any place. */
#include "config_helpers.h"

#include "run/fields.h"
#include "run/room.h"

#include <limits.h>

static kelvin_run_config odd(const kelvin_sampler_type *type, size_t i)
{
    static const double reals[] = {1.0 / 3, 0.1 + 0.2, 5e-324, 0x1.fffffffffffffp-1, 2.385e-7, 1};
    kelvin_run_config config = defaults(type->member.name);
    config.seed = i == 0 ? UINT64_MAX : i == 1 ? (UINT64_C(1) << 53) + 1 : 7 * i;
    for (size_t k = 0; k < kelvin_count_settings(type); k++) {
        const kelvin_setting *setting = &type->setting[k];
        const double real = reals[(i + k) % 6];
        config.setting[k] = setting->whole ? setting->most - (double)i : setting->below && real == 1 ? 0 : real;
    }
    config.logit_limit = reals[(i + 1) % 6];
    config.temperature = reals[(i + 2) % 6];
    config.schedule = "cyclical";
    config.temperature_schedule = "constant";
    config.augment = "reference";
    config.init = "/a \"b\"\\\xc3\xa9/3";
    config.samples = 12;
    config.chains = 4;
    config.epochs = 1000001;
    config.batch = 17;
    config.iterations = 77;
    config.warmup = 76;
    return config;
}

static void there_and_back(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    assert_int_equal(mkdir(in_base("trip"), 0777), 0);
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++)
        for (size_t i = 0; i < 6; i++) {
            const kelvin_run_config config = odd(type, i);
            kelvin_run *run, *back;
            assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
            same_config(&config, &run->config);
            assert_ok(kelvin_run_write(run, in_base("trip")));
            assert_ok(kelvin_run_load(&back, in_base("trip"), false, NULL));
            same_config(&config, &back->config);
            assert_false(kelvin_run_is_old(back));
            assert_string_equal(kelvin_run_inside(back)->version, KELVIN_VERSION);
            assert_string_equal(kelvin_run_inside(back)->mark, kelvin_run_inside(run)->mark);
            kelvin_run_config taken = defaults("sghmc");
            kelvin_config *owner;
            assert_ok(take_file(&taken, &owner, in_base("trip/run.json")));
            same_config(&config, &taken);
            kelvin_config_destroy(owner);
            kelvin_run_close(back);
            kelvin_run_close(run);
        }
}

/* Every field but the version and the names of files decides the bits, and so the mark. */
static void marks_of_configurations(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        kelvin_run_config first = small_by(type->member.name), others[16];
        char marks[17][KELVIN_CONFIG_MARK];
        size_t n = 0;
        for (size_t i = 0; i < 6 + kelvin_count_settings(type); i++) others[i] = first;
        others[n++].seed++;
        others[n++].chains = 4;
        others[n++].temperature = 0.5;
        others[n++].logit_limit = 7;
        others[n++].density = "dirclip:1.3,-50";
        others[n++].prior = "normal:2";
        for (size_t k = 0; k < kelvin_count_settings(type); k++)
            others[n++].setting[k] = type->setting[k].whole ? 3 : 0.125;
        for (size_t i = 0; i <= n; i++) {
            kelvin_run *run;
            assert_ok(kelvin_run_prepare(&run, i < n ? &others[i] : &first, NULL, NULL));
            memcpy(marks[i], kelvin_run_inside(run)->mark, KELVIN_CONFIG_MARK);
            for (size_t k = 0; k < i; k++) assert_string_not_equal(marks[k], marks[i]);
            kelvin_run_close(run);
        }
        kelvin_run *run;
        first.init = "/somewhere/else";
        assert_ok(kelvin_run_prepare(&run, &first, NULL, NULL));
        assert_string_equal(kelvin_run_inside(run)->mark, marks[n]);
        kelvin_run_close(run);
    }
}

/* The checksums are of the training images (bytes) and of their labels, and the same of the test part. */
static void run_json_of_sghmc(void **state)
{
    (void)state;
    const kelvin_run_config config = defaults("sghmc");
    kelvin_run *run;
    size_t bytes;
    char expected[1024];
    assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
    assert_ok(kelvin_run_write(run, in_base("trip")));
    const unsigned images = kelvin_crc32(run->data->train.bytes, 1438 * 64),
                   labels = kelvin_crc32(run->data->train.y, 1438 * 4),
                   test_images = kelvin_crc32(run->data->test.bytes, 359 * 64),
                   test_labels = kelvin_crc32(run->data->test.y, 359 * 4);
    kelvin_run_close(run);
    char *text = slurp(in_base("trip/run.json"), &bytes);
    snprintf(expected, sizeof expected,
             "{\n"
             "  \"kelvin\": \"" KELVIN_VERSION "\",\n"
             "  \"sampler\": \"sghmc\",\n"
             "  \"data\": \"digits\",\n"
             "  \"data_crc32\": \"%08x-%08x-%08x-%08x\",\n"
             "  \"model\": \"mlp:20,20,20,leak=0.01\",\n"
             "  \"density\": \"categorical\",\n"
             "  \"prior\": \"normal:0.1\",\n"
             "  \"seed\": 0,\n"
             "  \"chains\": 8,\n"
             "  \"temperature\": 1.0,\n"
             "  \"samples\": 8,\n"
             "  \"epochs\": 5000,\n"
             "  \"batch\": 125,\n"
             "  \"lr\": 0.0001,\n"
             "  \"momentum\": 0.98,\n"
             "  \"schedule\": \"paper\",\n"
             "  \"temperature_schedule\": \"paper\",\n"
             "  \"augment\": \"none\",\n"
             "  \"init\": \"none\",\n"
             "  \"logit_limit\": 1e5\n"
             "}\n",
             images, labels, test_images, test_labels);
    assert_string_equal(text, expected);
    kelvin_free(text);
}

/* The one of MCLMC has what is its own where the others have theirs. */
static void run_json_of_mclmc(void **state)
{
    (void)state;
    const kelvin_run_config config = defaults("mclmc");
    kelvin_run *run;
    size_t bytes;
    assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
    assert_ok(kelvin_run_write(run, in_base("trip")));
    kelvin_run_close(run);
    char *text = slurp(in_base("trip/run.json"), &bytes);
    assert_non_null(strstr(text, "  \"chains\": 4,\n"
                                 "  \"iterations\": 1000,\n"
                                 "  \"warmup\": 300,\n"
                                 "  \"temperature\": 1.0,\n"
                                 "  \"energy_variance\": 0.0005,\n"
                                 "  \"steps\": 100,\n"
                                 "  \"step_size\": 0.0,\n"
                                 "  \"length\": 0.0,\n"
                                 "  \"scale\": \"none\",\n"
                                 "  \"init\": \"none\",\n"
                                 "  \"logit_limit\": 1e5\n"
                                 "}\n"));
    kelvin_free(text);
}

/* run.json with one field of another kind, and then under another name. */
static void spoil(const char *text, const char *name)
{
    char key[64], expected[64], missing[64], bad[2048];
    kelvin_run *run;
    snprintf(key, sizeof key, "\"%s\": ", name);
    snprintf(expected, sizeof expected, "field \"%s\": expected a", name);
    snprintf(missing, sizeof missing, "field \"%s\" is missing", name);
    const bool optional = !strcmp(name, "data_crc32") || !strcmp(name, "jitter") || !strcmp(name, "scale");
    if (optional) strcpy(missing, "field \"_\" is not known");
    const char *at = strstr(text, key);
    if (!at) fail_msg("%s is not in run.json", name);
    const char *value = at + strlen(key), *end = strchr(value, '\n');
    const char *rest = end[-1] == ',' ? end - 1 : end;
    snprintf(bad, sizeof bad, "%.*s[]%s", (int)(value - text), text, rest);
    write_text(in_base("trip/run.json"), bad);
    fails(kelvin_run_load(&run, in_base("trip"), false, NULL), KELVIN_EFORMAT, "trip/run.json", expected);
    snprintf(bad, sizeof bad, "%.*s\"_\": 0%s", (int)(at - text), text, rest);
    write_text(in_base("trip/run.json"), bad);
    fails(kelvin_run_load(&run, in_base("trip"), false, NULL), KELVIN_EFORMAT, "trip/run.json", missing);
}

static void every_field_of_run_json(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const kelvin_run_config config = defaults(type->member.name);
        struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
        kelvin_run *run;
        size_t bytes;
        assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
        assert_ok(kelvin_run_write(run, in_base("trip")));
        kelvin_run_close(run);
        char text[2048], *file = slurp(in_base("trip/run.json"), &bytes);
        assert_true(bytes < sizeof text);
        memcpy(text, file, bytes + 1);
        kelvin_free(file);
        const size_t n = kelvin_config_fields_of(fields, type);
        assert_int_equal(n, (type->batches ? 20 : 17) + kelvin_count_settings(type));
        assert_null(strstr(text, "init_crc32")); /* it starts from no other run */
        for (size_t i = 0; i < n; i++)
            if (strcmp(fields[i].name, "init_crc32") != 0 && strcmp(fields[i].name, "preset") != 0)
                spoil(text, fields[i].name);
        spill(in_base("trip/run.json"), text, bytes);
        assert_ok(kelvin_run_load(&run, in_base("trip"), false, NULL)); /* all is as it was */
        kelvin_run_close(run);
    }
}

/* Marks that are none, and those of earlier versions, which leave out the test part. */
static void marks_of_data(void **state)
{
    (void)state;
    static const struct {
        const char *end; /* of the mark, from its 18th letter on */
        const char *sentence;
    } table[] = {
        {"", NULL},
        {"-", "expected two or four checksums"},
        {"-00000000", "expected two or four checksums"},
        {"-00000000-00000000", "digits has changed since (test inputs, test labels); put the old data back"},
        {"-00000000-00000000-00000000", "expected two or four checksums"},
        {"-00000000-0000000G", "expected two or four checksums"},
        {"-00000000-000000000", "expected two or four checksums"},
        {"0", "expected two or four checksums"},
        {"-0x000000-00000000", "expected two or four checksums"},
    };
    const kelvin_run_config config = defaults("sghmc");
    kelvin_run *run;
    size_t bytes;
    assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
    assert_ok(kelvin_run_write(run, in_base("trip")));
    kelvin_run_close(run);
    char text[1024], bad[2048], *file = slurp(in_base("trip/run.json"), &bytes);
    assert_true(bytes < sizeof text);
    memcpy(text, file, bytes + 1);
    kelvin_free(file);
    const char *mark = strstr(text, "data_crc32\": \"") + strlen("data_crc32\": \"");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(mark - text) + 17, text, table[i].end, strchr(mark, '"'));
        write_text(in_base("trip/run.json"), bad);
        const kelvin_status status = kelvin_run_load(&run, in_base("trip"), false, NULL);
        if (table[i].sentence)
            fails(status, KELVIN_EFORMAT, "trip/run.json", table[i].sentence);
        else
            assert_ok(status);
        kelvin_run_close(run);
    }
}

/* ---- memory ---- */

static const char *sampler; /* of write_and_read() */

static kelvin_status write_and_read(void *folder)
{
    kelvin_run_config config = defaults(sampler);
    kelvin_run *run = NULL, *back = NULL;
    kelvin_config *owner = NULL;
    char out[64];
    kelvin_status status = kelvin_run_begin(&run, &config, NULL);
    if (!status) status = kelvin_run_write(run, folder);
    if (!status) status = kelvin_run_load(&back, folder, false, NULL);
    if (!status) status = kelvin_config_create(&owner);
    if (!status) status = kelvin_config_set(owner, "seed", "17");
    if (!status) status = kelvin_config_read(owner, folder);
    if (!status) status = kelvin_config_set(owner, "seed", "18"); /* it takes the place of the first */
    if (!status) status = kelvin_config_read(owner, folder);
    if (!status) status = kelvin_config_get(owner, "seed", out, sizeof out);
    if (!status) assert_string_equal(out, "18");
    kelvin_config_destroy(owner);
    kelvin_run_close(back);
    kelvin_run_close(run);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base("trip"));
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        sampler = type->member.name;
        assert_true(without_memory(write_and_read, folder) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), /* leaves the folder "trip" for those below */
        cmocka_unit_test(marks_of_configurations), cmocka_unit_test(run_json_of_sghmc),
        cmocka_unit_test(run_json_of_mclmc),       cmocka_unit_test(every_field_of_run_json),
        cmocka_unit_test(marks_of_data),           cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
