/* kelvin_config: what is said of a run, field by field and by files, in any order, and what it comes to. */
#include "config_helpers.h"

#include "run/fields.h"

static kelvin_config *config;

static int create(void **state)
{
    (void)state;
    assert_ok(kelvin_config_create(&config));
    assert_ok(kelvin_config_set(config, "preset", "paper")); /* there is a usual value for all */
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    kelvin_config_destroy(config);
    config = NULL;
    return 0;
}

static void set(const char *field, const char *text)
{
    assert_ok(kelvin_config_set(config, field, text));
}

static void says(const char *text)
{
    write_text(in_base("says.json"), text);
    assert_ok(kelvin_config_read(config, in_base("says.json")));
}

static void comes_to(const char *field, const char *expected)
{
    char text[256];
    if (kelvin_config_get(config, field, text, sizeof text)) fail_msg("%s: %s", field, kelvin_error());
    if (strcmp(text, expected) != 0) fail_msg("%s is \"%s\"; expected \"%s\"", field, text, expected);
}

/* ---- every field ---- */

/* A value that is not the usual one: as text, and as JSON has it. Names of members are those of the last in the family.
 */
struct value {
    char text[128], json[160];
};

static struct value other_value(const kelvin_field_info *field)
{
    struct value value;
    const kelvin_member *member = NULL;
    if (field->family)
        for (size_t i = 0; kelvin_family_member(kelvin_family_of(field->family), i); i++)
            member = kelvin_family_member(kelvin_family_of(field->family), i);
    snprintf(value.text, sizeof value.text, "%s",
             strcmp(field->name, "preset") == 0  ? "paper"
             : field->kind == KELVIN_VALUE_WHOLE ? "7"
             : field->kind == KELVIN_VALUE_REAL  ? "0.375"
             : member                            ? member->name
                                                 : "/somewhere/else");
    snprintf(value.json, sizeof value.json, field->kind == KELVIN_VALUE_TEXT ? "\"%s\"" : "%s", value.text);
    return value;
}

/* What is set is the same as what a file with the same values says; and each is what it was set to. */
static void every_field_of_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    const kelvin_field_info *field;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        char json[4096];
        kelvin_run_config by_set, by_file;
        kelvin_config *file;
        int used = snprintf(json, sizeof json, "{\"sampler\": \"%s\"", type->member.name);
        create(NULL);
        for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
            if (!kelvin_field_is_for(field, type->member.name) || strcmp(field->name, "sampler") == 0) continue;
            const struct value value = other_value(field);
            set(field->name, value.text);
            used += snprintf(json + used, sizeof json - (size_t)used, ", \"%s\": %s", field->name, value.json);
        }
        snprintf(json + used, sizeof json - (size_t)used, "}");
        set("sampler", type->member.name); /* last: fields are kept until it is known which there are */
        write_text(in_base("all.json"), json);
        assert_ok(kelvin_config_create(&file));
        assert_ok(kelvin_config_read(file, in_base("all.json")));
        assert_ok(kelvin_config_resolve(&by_set, config));
        assert_ok(kelvin_config_resolve(&by_file, file));
        same_config(&by_set, &by_file);
        for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
            if (kelvin_field_is_for(field, type->member.name) && strcmp(field->name, "sampler") != 0)
                comes_to(field->name, other_value(field).text);
        kelvin_config_destroy(file);
        destroy(NULL);
    }
}

/* The list of fields has those of each sampler once, and nothing else; what is usual is what a run gets. */
static void fields_are_listed(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    const kelvin_field_info *field;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
        const size_t n = kelvin_config_fields_of(fields, type);
        create(NULL);
        set("preset", NULL);
        set("sampler", type->member.name);
        for (size_t k = 0; k < n; k++) {
            size_t listed = 0;
            for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
                listed += strcmp(field->name, fields[k].name) == 0 && kelvin_field_is_for(field, type->member.name);
            const bool mark = fields[k].kind == &kelvin_field_maybe && strcmp(fields[k].name, "preset") != 0;
            assert_int_equal(listed, strcmp(fields[k].name, "kelvin") == 0 || mark ? 0 : 1);
        }
        for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
            const bool ours = kelvin_field_is_for(field, type->member.name);
            assert_true(strlen(field->about) > 5 && *field->value && *field->usual);
            assert_true(ours || field->samplers);
            if (field->samplers && !strstr(field->samplers, type->member.name)) assert_false(ours);
            if (ours) assert_non_null(kelvin_config_find_field(fields, type, field->name));
            if (ours && s == 0 && !field->rule) comes_to(field->name, field->usual);
            if (field->family) assert_non_null(kelvin_family_of(field->family));
        }
        destroy(NULL);
    }
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) assert_false(kelvin_field_is_for(field, "nuts"));
}

/* ---- who counts for more ---- */

static void set_counts_for_more_than_the_file(void **state)
{
    (void)state;
    set("epochs", "7");
    says("{\"epochs\": 3, \"lr\": 0.25}");
    comes_to("epochs", "7");
    comes_to("lr", "0.25");
    comes_to("momentum", "0.98");
    set("lr", "1e-3");
    comes_to("lr", "0.001");
    set("lr", NULL); /* as if it had never been */
    comes_to("lr", "0.25");
    set("epochs", NULL);
    comes_to("epochs", "3");
    says("{}"); /* takes the place of the other file */
    comes_to("epochs", "5000");
    comes_to("lr", "0.0001");
    set("epochs", NULL); /* nothing was */
    comes_to("epochs", "5000");
}

static void the_sampler_may_be_said_last(void **state)
{
    (void)state;
    char text[64];
    set("steps", "3");
    fails(kelvin_config_get(config, "seed", text, sizeof text), KELVIN_EUSAGE, "",
          "steps is for sampler hmc or mclmc; this is sampler sghmc");
    assert_string_equal(kelvin_error_field(), "steps");
    set("sampler", "mclmc");
    comes_to("steps", "3");
    comes_to("data", "toy");
    comes_to("iterations", "1000");
    set("sampler", "hmc");
    comes_to("iterations", "500");
    set("sampler", NULL);
    says("{\"sampler\": \"hmc\"}");
    comes_to("steps", "3");
    set("sampler", "sghmc");
    set("steps", NULL);
    fails(kelvin_config_get(config, "seed", text, sizeof text), KELVIN_EUSAGE, "says.json is for the sampler hmc, ",
          "but sampler is sghmc");
}

static void what_follows(void **state)
{
    (void)state;
    set("chains", "3");
    comes_to("samples", "3");
    set("samples", "6");
    comes_to("chains", "3");
    set("chains", NULL);
    comes_to("chains", "6");
    says("{\"chains\": 2, \"samples\": 8, \"schedule\": \"cyclical\"}");
    comes_to("chains", "6"); /* it follows what was set */
    set("samples", NULL);
    comes_to("chains", "2");
    comes_to("samples", "8");
    comes_to("temperature_schedule", "cyclical");
    set("schedule", "cosine");
    comes_to("temperature_schedule", "cosine");
    set("temperature_schedule", "paper");
    comes_to("temperature_schedule", "paper");
    destroy(NULL);
    create(NULL);
    set("sampler", "hmc");
    set("iterations", "4e9");
    comes_to("warmup", "1200000000");
}

/* ---- auto ---- */

static void what_is_open(void **state)
{
    (void)state;
    static const char *const all[] = {"model",  "density", "prior",    "chains",  "samples",
                                      "epochs", "batch",   "schedule", "augment", "lr"};
    char text[64];
    assert_false(kelvin_config_is_open(config)); /* by the paper nothing is */
    set("lr", "auto");
    assert_true(kelvin_config_is_open(config));
    comes_to("lr", "auto");
    comes_to("epochs", "5000");
    set("preset", "auto");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) comes_to(all[i], "auto");
    comes_to("momentum", "0.98");
    set("lr", "0.5");
    comes_to("lr", "0.5");
    says("{\"epochs\": 3, \"batch\": \"auto\", \"preset\": \"auto\"}");
    comes_to("epochs", "3");
    comes_to("batch", "auto");
    set("epochs", "auto"); /* counts for more than the file */
    comes_to("epochs", "auto");
    says("{\"preset\": \"paper\"}");
    set("preset", NULL);
    comes_to("model", "mlp:20,20,20,leak=0.01");
    says("{\"kelvin\": \"0.8.0\"}"); /* of a run: what it leaves out is as it was then */
    comes_to("model", "mlp:20,20,20,leak=0.01");
    says("{\"preset\": \"papers\"}");
    fails(kelvin_config_get(config, "seed", text, sizeof text), KELVIN_EFORMAT, "says.json",
          "preset is \"papers\"; expected auto or paper");
    fails(kelvin_config_set(config, "momentum", "auto"), KELVIN_EUSAGE, "", "momentum must be a number, not 'auto'");
}

/* ---- wrong ---- */

static void wrong_values(void **state)
{
    (void)state;
    static const struct {
        const char *field, *text, *sentence;
    } table[] = {
        {"epochs", "ten", "epochs must be a whole number, not 'ten'"},
        {"epochs", "1.5", "epochs must be a whole number, not '1.5'"},
        {"epochs", "", "epochs must be a whole number, not ''"},
        {"epochs", "-1", "epochs must not be negative, not '-1'"},
        {"epochs", "1e10", "epochs must be at most 4294967295, not '1e10'"},
        {"seed", "18446744073709551616", "seed must be at most 18446744073709551615"},
        {"steps", "2.5", "steps must be a whole number"},
        {"lr", "0.1x", "lr must be a number, not '0.1x'"},
        {"lr", " 1", "lr must be a number, not ' 1'"},
        {"lr", "nan", "lr must be a number, not 'nan'"},
        {"lr", "1e999", "lr is out of range: '1e999'"},
        {"epoch", "1", "unknown field 'epoch'; did you mean 'epochs'?"},
        {"learning_rate", "1", "unknown field 'learning_rate'; expected one of: preset, sampler, data, model"},
    };
    char text[64];
    set("epochs", "7");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        fails(kelvin_config_set(config, table[i].field, table[i].text), KELVIN_EUSAGE, "", table[i].sentence);
        assert_string_equal(kelvin_error_field(), table[i].field);
    }
    comes_to("epochs", "7"); /* as it was */
    comes_to("lr", "0.0001");
    set("seed", "18446744073709551615");
    comes_to("seed", "18446744073709551615");
    set("epochs", "2.5e3");
    comes_to("epochs", "2500");
    fails(kelvin_config_get(config, "epoch", text, sizeof text), KELVIN_EUSAGE, "", "unknown field 'epoch'");
    fails(kelvin_config_get(config, "length", text, sizeof text), KELVIN_EUSAGE, "", "length is for sampler mclmc");
    fails(kelvin_config_get(config, "epochs", text, 4), KELVIN_EUSAGE, "",
          "the value of epochs has 5 bytes, and there");
    assert_ok(kelvin_config_get(config, "epochs", text, 5));
    fails(kelvin_config_read(config, in_base("nowhere.json")), KELVIN_EIO, "nowhere.json", "No such file");
    write_text(in_base("bad.json"), "{\"sampler\": \"nuts\"}");
    fails(kelvin_config_read(config, in_base("bad.json")), KELVIN_EFORMAT, "bad.json", "unknown sampler 'nuts'");
    comes_to("epochs", "2500");
    says("{\"epochs\": 1.5}"); /* what its fields must be is known with the sampler */
    fails(kelvin_config_get(config, "seed", text, sizeof text), KELVIN_EFORMAT, "says.json", "field \"epochs\"");
}

/* A value that makes no sense is whoever's said it; by default nothing is wrong. */
static void who_is_to_blame(void **state)
{
    (void)state;
    kelvin_run *run;
    says("{\"density\": \"dirclop:1,-1\", \"temperature\": -1}");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EFORMAT, "says.json: ", "did you mean 'dirclip'?");
    assert_null(run);
    set("density", "dirclp:1,-1");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EUSAGE, "", "unknown density 'dirclp'");
    assert_null(strstr(kelvin_error(), "says.json"));
    assert_string_equal(kelvin_error_field(), "density");
    set("density", "categorical");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EFORMAT, "says.json: ", "temperature is -1");
    set("temperature", "-2");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EUSAGE, "", "temperature is -2");
    set("temperature", "1");
    assert_ok(kelvin_run_start(&run, config, NULL));
    kelvin_run_close(run);
}

/* Checksums can be set like any field: then they are of the data and samples that the run has. */
static void checksums_that_are_set(void **state)
{
    (void)state;
    char mark[KELVIN_DATA_MARK];
    kelvin_run *run;
    set("data", "toy");
    set("model", "mlp:3");
    assert_ok(kelvin_run_start(&run, config, NULL));
    kelvin_data_mark(mark, run->data);
    kelvin_run_close(run);
    set("data_crc32", mark);
    assert_ok(kelvin_run_start(&run, config, NULL));
    kelvin_run_close(run);
    set("data", "digits");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EFORMAT, "data_crc32: the data set digits", "has changed since");
    set("data_crc32", "yesterday's");
    fails(kelvin_run_start(&run, config, NULL), KELVIN_EUSAGE, "data_crc32", "expected two or four checksums");
    set("data_crc32", NULL);
    set("kelvin", "0.1.0"); /* as a run.json may have it */
    assert_ok(kelvin_run_start(&run, config, NULL));
    kelvin_run_close(run);
}

/* ---- what runs tell ---- */

/* By name, the same as is inside; and run.json, of any run, is a configuration that comes to the same. */
static void runs_tell_their_fields(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    const kelvin_field_info *field;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++) {
        const kelvin_run_config small_one = small_by(type->member.name);
        kelvin_run *run = started_in(&small_one, "told");
        create(NULL);
        assert_ok(kelvin_config_read(config, in_base("told"))); /* its folder will do */
        for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
            char ours[256], theirs[256];
            if (strcmp(field->name, "preset") == 0) continue; /* what was chosen is there */
            if (!kelvin_field_is_for(field, type->member.name)) {
                if (field->samplers &&
                    !kelvin_config_find_field((struct kelvin_field[KELVIN_CONFIG_FIELDS]){{0}}, type, field->name))
                    assert_true(!kelvin_run_text(run, field->name) && isnan(kelvin_run_number(run, field->name)));
                continue;
            }
            assert_ok(kelvin_run_get(run, field->name, ours, sizeof ours));
            assert_ok(kelvin_config_get(config, field->name, theirs, sizeof theirs));
            assert_string_equal(ours, theirs);
            if (field->kind == KELVIN_VALUE_TEXT)
                assert_string_equal(kelvin_run_text(run, field->name), ours);
            else
                assert_true(kelvin_run_number(run, field->name) == strtod(ours, NULL));
        }
        assert_true(kelvin_run_number(run, "seed") == 2385 && kelvin_run_chains(run) == 2);
        assert_int_equal(kelvin_run_samples_asked_for(run), 8);
        assert_int_equal(kelvin_run_looks_at_batches(run), type->batches);
        assert_string_equal(kelvin_run_folder(run), in_base("told"));
        for (size_t i = 0; i < kelvin_count_settings(type); i++)
            assert_ptr_equal(kelvin_run_setting(run, i), &type->setting[i]);
        assert_null(kelvin_run_setting(run, kelvin_count_settings(type)));
        assert_string_equal(kelvin_run_column(run, 0)->name, kelvin_run_row_name(run));
        assert_ptr_equal(kelvin_run_column(run, kelvin_run_columns(run) - 1),
                         &type->statistic[kelvin_run_own_columns(run) - 1]);
        assert_null(kelvin_run_column(run, kelvin_run_columns(run)));
        kelvin_run_close(run);
        remove_tree(in_base("told"));
        destroy(NULL);
    }
}

/* A run that is only read can be looked at, while another works there, and nothing else. */
static void a_run_to_look_at(void **state)
{
    (void)state;
    const kelvin_run_config small_one = small();
    kelvin_run *run = started_in(&small_one, "looked-at"), *look;
    kelvin_estimate estimate;
    assert_ok(kelvin_run_read(&look, in_base("looked-at/")));
    assert_string_equal(kelvin_run_folder(look), in_base("looked-at"));
    assert_int_equal(kelvin_data_rows(kelvin_run_data(look), KELVIN_TRAIN), 18);
    assert_false(kelvin_run_finished(look));
    assert_null(kelvin_run_diverged(look, 0));
    fails(kelvin_run_sample(&look, 1, NULL, NULL, NULL), KELVIN_EUSAGE, "looked-at", "was read to be looked at");
    fails(kelvin_run_verify(look), KELVIN_EUSAGE, "looked-at", "was read to be looked at");
    fails(kelvin_run_estimate(&estimate, look, 1), KELVIN_EUSAGE, "looked-at", "was read to be looked at");
    kelvin_run_close(look);
    kelvin_run_close(run);
    fails(kelvin_run_read(&look, in_base("nowhere")), KELVIN_EIO, "nowhere", "cannot be read");
    assert_null(look);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_every_sampler),
        cmocka_unit_test(fields_are_listed),
        cmocka_unit_test_setup_teardown(set_counts_for_more_than_the_file, create, destroy),
        cmocka_unit_test_setup_teardown(the_sampler_may_be_said_last, create, destroy),
        cmocka_unit_test_setup_teardown(what_follows, create, destroy),
        cmocka_unit_test_setup_teardown(what_is_open, create, destroy),
        cmocka_unit_test_setup_teardown(wrong_values, create, destroy),
        cmocka_unit_test_setup_teardown(who_is_to_blame, create, destroy),
        cmocka_unit_test_setup_teardown(checksums_that_are_set, create, destroy),
        cmocka_unit_test(runs_tell_their_fields),
        cmocka_unit_test(a_run_to_look_at),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
