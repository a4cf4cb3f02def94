/* Configurations of all samplers: defaults, and files that say a part of one. */
#include "config_helpers.h"

#include "run/fields.h"
#include "run/room.h"

#include <limits.h>

/* ---- defaults ---- */

static void samplers_are_listed(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    kelvin_run_config config;
    assert_string_equal(kelvin_sampler_info(0)->member.name, "sghmc"); /* the usual one */
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        assert_true(strlen(type->member.about) > 10);
        fails(kelvin_run_defaults(&config, "nuts"), KELVIN_EUSAGE,
              "unknown sampler 'nuts'; expected one of: ", type->member.name);
        fails(kelvin_run_defaults(&config, NULL), KELVIN_EUSAGE,
              "unknown sampler ''; expected one of: ", type->member.name);
    }
}

/* What is there by default can be sampled, and is the same as what the sampler says itself. */
static void defaults_of_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        kelvin_run_config config = defaults(type->member.name);
        kelvin_run *run;
        assert_string_equal(config.sampler, type->member.name);
        for (size_t k = 0; k < kelvin_count_settings(type); k++)
            assert_true(setting_of(&config, type->setting[k].name) == type->setting[k].usual);
        assert_int_equal(config.warmup, config.iterations * 3 / 10);
        assert_ok(kelvin_run_begin(&run, &config, NULL));
        assert_int_equal(kelvin_run_rows(run), type->usual.rows);
        config.batch = run->config.batch; /* 0: as many as there are, up to the paper's */
        same_config(&run->config, &config);
        kelvin_run_close(run);
    }
}

static void settings_have_names(void **state)
{
    (void)state;
    kelvin_run_config config = defaults("sghmc");
    assert_ok(kelvin_run_set(&config, "momentum", 0.5));
    assert_true(setting_of(&config, "momentum") == 0.5 && setting_of(&config, "lr") == 1e-4);
    fails(kelvin_run_set(&config, "steps", 1), KELVIN_EUSAGE, "", "the sampler sghmc has no setting \"steps\"");
    config.sampler = "mclmc";
    fails(kelvin_run_set(&config, "lr", 1), KELVIN_EUSAGE, "", "the sampler mclmc has no setting \"lr\"");
    config.sampler = "nuts";
    fails(kelvin_run_set(&config, "lr", 1), KELVIN_EUSAGE, "", "unknown sampler 'nuts'");
}

/* Section "Implementation details" of the paper. */
static void sghmc_defaults_are_the_papers(void **state)
{
    (void)state;
    const kelvin_run_config c = defaults("sghmc");
    assert_string_equal(c.data, "digits");
    assert_string_equal(c.density, "categorical");
    assert_string_equal(c.prior, "normal:0.1");
    assert_string_equal(c.schedule, "paper");
    assert_string_equal(c.temperature_schedule, "paper");
    assert_string_equal(c.augment, "none");
    assert_string_equal(c.init, "none");
    assert_true(c.chains == 8 && c.samples == 8 && c.epochs == 5000 && c.batch == 0 && c.seed == 0);
    assert_true(setting_of(&c, "lr") == 1e-4 && setting_of(&c, "momentum") == 0.98);
    assert_true(c.temperature == 1 && c.logit_limit == 100000);
    kelvin_run *run;
    assert_ok(kelvin_run_begin(&run, &c, NULL));
    assert_int_equal(run->model->n_params, 64 * 20 + 20 + 2 * (20 * 20 + 20) + 20 * 10 + 10);
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    assert_true(inside->augment == KELVIN_AUGMENT_NONE);
    assert_string_equal(inside->schedule->member.name, "paper");
    assert_string_equal(inside->temperature_schedule->member.name, "paper");
    assert_int_equal(run->config.batch, 125);
    assert_null(kelvin_run_warning(run));
    kelvin_run_close(run);
}

/* The default configuration of a sampler with what a file says. */
static kelvin_config *with_file(kelvin_run_config *config, const char *sampler, const char *text)
{
    kelvin_config *owner;
    *config = defaults(sampler);
    write_text(in_base("part.json"), text);
    assert_ok(take_file(config, &owner, in_base("part.json")));
    return owner;
}

/* ---- files that say a part ---- */

static void a_part_is_taken_over(void **state)
{
    (void)state;
    kelvin_run_config config;
    kelvin_config *owner = with_file(&config, "sghmc", "{}");
    kelvin_run_config expected = defaults("sghmc");
    same_config(&config, &expected);
    kelvin_config_destroy(owner);

    owner = with_file(&config, "sghmc",
                      "{\"lr\": 0.3, \"epochs\": 7, \"density\": \"dirclip:0.9,-50\", \"kelvin\": \"0.0.1\", "
                      "\"data_crc32\": \"00000000-00000000\"}"); /* of a data set that it does not name */
    assert_ok(kelvin_run_set(&expected, "lr", 0.3));
    expected.epochs = 7;
    expected.density = "dirclip:0.9,-50";
    same_config(&config, &expected);
    kelvin_config_destroy(owner);

    owner = with_file(&config, "hmc", "{\"steps\": 3, \"temperature\": 2}");
    expected = defaults("hmc");
    assert_ok(kelvin_run_set(&expected, "steps", 3));
    expected.temperature = 2;
    same_config(&config, &expected);
    kelvin_config_destroy(owner);

    owner = with_file(&config, "sghmc", "{\"sampler\": \"hmc\", \"steps\": 3}");
    assert_string_equal(config.sampler, "hmc");
    assert_true(setting_of(&config, "steps") == 3);
    kelvin_config_destroy(owner);
}

static void fields_that_follow(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t samples, chains;
        const char *schedule, *temperature_schedule;
    } table[] = {
        {"{\"chains\": 3}", 3, 3, "paper", "paper"},
        {"{\"samples\": 5}", 5, 5, "paper", "paper"},
        {"{\"samples\": 6, \"chains\": 3}", 6, 3, "paper", "paper"},
        {"{\"schedule\": \"cosine\"}", 8, 8, "cosine", "cosine"},
        {"{\"temperature_schedule\": \"cosine\"}", 8, 8, "paper", "cosine"},
        {"{\"schedule\": \"constant\", \"temperature_schedule\": \"paper\"}", 8, 8, "constant", "paper"},
    };
    kelvin_run_config config;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_config *owner = with_file(&config, "sghmc", table[i].text);
        assert_true(config.samples == table[i].samples && config.chains == table[i].chains);
        assert_string_equal(config.schedule, table[i].schedule);
        assert_string_equal(config.temperature_schedule, table[i].temperature_schedule);
        kelvin_config_destroy(owner);
    }
    kelvin_config *owner = with_file(&config, "hmc", "{\"iterations\": 4000000000}");
    assert_int_equal(config.warmup, 1200000000);
    kelvin_config_destroy(owner);
    owner = with_file(&config, "hmc", "{\"iterations\": 9, \"warmup\": 8}");
    assert_int_equal(config.warmup, 8);
    kelvin_config_destroy(owner);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *text, *sentence;
    } table[] = {
        {"sghmc", "{\"steps\": 3}", "field \"steps\" is for the sampler hmc"},
        {"hmc", "{\"length\": 3}", "field \"length\" is for the sampler mclmc, not for hmc"},
        {"mclmc", "{\"momentum\": 0.5}", "field \"momentum\" is for the sampler sghmc, not for mclmc"},
        {"mclmc", "{\"epochs\": 3}", "field \"epochs\" is for the sampler sghmc, not for mclmc"},
        {"sghmc", "{\"warmup\": 3}", "field \"warmup\" is for the sampler hmc"},
        {"hmc", "{\"lr\": 1}", "field \"lr\" is for the sampler sghmc, not for hmc"},
        {"sghmc", "{\"sampler\": \"hmc\", \"lr\": 1}", "field \"lr\" is for the sampler sghmc, not for hmc"},
        {"sghmc", "{\"sampler\": \"nuts\"}", "unknown sampler 'nuts'; expected one of: sghmc, hmc"},
        {"sghmc", "{\"sampler\": 1}", "field \"sampler\": expected a string"},
        {"sghmc", "{\"learning_rate\": 1}",
         "field \"learning_rate\" is not known; expected one of: kelvin, preset, sampler, data, data_crc32, model,"},
        {"sghmc", "{\"epoch\": 1}", "field \"epoch\" is not known; did you mean 'epochs'?"},
        {"sghmc", "{\"step\": 1}", "field \"step\" is not known; did you mean 'seed'?"}, /* "steps" is of hmc */
        {"hmc", "{\"step\": 1}", "field \"step\" is not known; did you mean 'steps'?"},
        {"sghmc", "{\"lr\": \"1\"}", "field \"lr\": expected a number"},
        {"sghmc", "{\"epochs\": 1.5}", "field \"epochs\": expected a whole number of at most 4294967295"},
        {"sghmc", "{\"epochs\": 4294967296}", "field \"epochs\": expected a whole number"},
        {"hmc", "{\"steps\": 4294967296}", "field \"steps\": expected a whole number of at most 4294967295"},
        {"mclmc", "{\"steps\": 2.5}", "field \"steps\": expected a whole number"},
        {"hmc", "{\"steps\": -1}", "field \"steps\": expected a whole number"},
        {"mclmc", "{\"length\": \"long\"}", "field \"length\": expected a number"},
        {"hmc", "{\"iterations\": 0.5}", "field \"iterations\": expected a whole number of at most 4294967295"},
        {"hmc", "{\"warmup\": -1}", "field \"warmup\": expected a whole number of at most 4294967295"},
        {"sghmc", "{\"schedule\": null}", "field \"schedule\": expected a string"},
        {"sghmc", "{\"seed\": -1}", "field \"seed\": expected a whole number"},
        {"sghmc", "{\"kelvin\": 1}", "field \"kelvin\": expected a string"},
        {"sghmc", "{\"lr\": 1, \"lr\": 1}", "duplicate"},
        {"sghmc", "{\"data_crc32\": \"of another day\"}",
         "field \"data_crc32\": expected two or four checksums of eight digits"},
        {"sghmc", "[]", "is not a JSON object"},
        {"sghmc", "{", ", line 1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = defaults(table[i].sampler), before = config;
        kelvin_config *owner = (kelvin_config *)(void *)&config;
        write_text(in_base("wrong.json"), table[i].text);
        fails(take_file(&config, &owner, in_base("wrong.json")), KELVIN_EFORMAT, "wrong.json", table[i].sentence);
        assert_null(owner);
        same_config(&config, &before);
    }
    kelvin_run_config config = defaults("sghmc");
    kelvin_config *owner;
    fails(take_file(&config, &owner, in_base("nowhere.json")), KELVIN_EIO, "nowhere.json", "No such file");
    config.sampler = "nuts";
    write_text(in_base("wrong.json"), "{}");
    fails(take_file(&config, &owner, in_base("wrong.json")), KELVIN_EUSAGE, "", "unknown sampler 'nuts'");
}

/* ---- checksums in files ---- */

/* Writes a table of three classes with one number in it. */
static void write_table(const char *path, int number)
{
    char text[256];
    snprintf(text, sizeof text, "1,2,a\n%d,4,b\n5,6,c\n1,5,a\n4,4,b\n2,6,c\n", number);
    write_text(path, text);
}

static void data_of_a_file_must_be_the_same(void **state)
{
    (void)state;
    char path[PATH_MAX], spec[PATH_MAX + 32], name[PATH_MAX + 32], text[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s", in_base("table.csv"));
    snprintf(spec, sizeof spec, "csv:%s,split=0", path);
    write_table(path, 3);
    kelvin_run_config config = defaults("hmc"), file;
    config.data = spec;
    kelvin_run *run;
    char mark[KELVIN_DATA_MARK];
    assert_ok(kelvin_run_prepare(&run, &config, NULL, NULL));
    kelvin_data_mark(mark, run->data);
    snprintf(name, sizeof name, "%s", run->data->name);
    kelvin_run_close(run);
    write_table(path, 9);

    snprintf(text, sizeof text, "{\"data\": \"%s\", \"data_crc32\": \"%s\"}", name, mark);
    kelvin_config *owner = with_file(&file, "hmc", text);
    fails(kelvin_run_begin(&run, &file, NULL), KELVIN_EFORMAT, "part.json: the data set csv:",
          "has changed since (training inputs); leave the field data_crc32 out of a copy of it to sample the new data");
    file.data = spec; /* as a command line may have it: the same set */
    fails(kelvin_run_begin(&run, &file, NULL), KELVIN_EFORMAT, "part.json", "has changed since");
    file.data = "toy"; /* another */
    assert_ok(kelvin_run_begin(&run, &file, NULL));
    assert_null(run->config.source.path);
    kelvin_run_close(run);
    write_table(path, 3);
    file.data = name;
    assert_ok(kelvin_run_begin(&run, &file, NULL));
    kelvin_run_close(run);
    kelvin_config_destroy(owner);

    write_table(path, 9);
    snprintf(text, sizeof text, "{\"data_crc32\": \"%s\"}", mark); /* of what, it does not say */
    owner = with_file(&file, "hmc", text);
    file.data = name;
    assert_ok(kelvin_run_begin(&run, &file, NULL));
    kelvin_run_close(run);
    kelvin_config_destroy(owner);
}

/* ---- whole paths ---- */

static void init_becomes_a_whole_path(void **state)
{
    (void)state;
    char here[PATH_MAX], whole[PATH_MAX], expected[PATH_MAX + 32];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir(in_base("start"), 0777), 0);
    assert_non_null(realpath(in_base("start"), whole));
    assert_int_equal(chdir(in_base(".")), 0);
    static const struct {
        const char *given, *tail;
    } table[] = {{"start", ""}, {"./start/", ""}, {"start/17", "/17"}, {"start/../start/0", "/0"}};
    for (size_t i = 0; i < 12; i++) { /* by each sampler */
        kelvin_run_config config = small_by(kelvin_sampler_info(i / 4)->member.name);
        config.init = table[i % 4].given;
        kelvin_run *run;
        assert_ok(kelvin_run_begin(&run, &config, NULL)); /* what is there is seen when chains begin */
        snprintf(expected, sizeof expected, "%s%s", whole, table[i % 4].tail);
        assert_string_equal(run->config.init, expected);
        kelvin_run_close(run);
    }
    static const char *const files[] = {"net.safetensors", "./start/../net.safetensors"};
    kelvin_run_config config = defaults("sghmc");
    kelvin_run *run;
    write_text("other", "");
    assert_int_equal(symlink("other", "net.safetensors"), 0); /* keeps its name, by which it is known as a file */
    whole[strlen(whole) - strlen("start")] = '\0';
    snprintf(expected, sizeof expected, "%snet.safetensors", whole);
    for (size_t i = 0; i < 2; i++) {
        config.init = files[i];
        assert_ok(kelvin_run_begin(&run, &config, NULL));
        assert_string_equal(run->config.init, expected);
        kelvin_run_close(run);
    }
    config.init = "no.safetensors";
    fails(kelvin_run_begin(&run, &config, NULL), KELVIN_EUSAGE, "\"no.safetensors\": there is no such file",
          "expected a run's folder, FOLDER/SAMPLE, or FILE.safetensors");
    config.init = "start/x7";
    fails(kelvin_run_begin(&run, &config, NULL), KELVIN_EUSAGE, "start/x7", "no such run");
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_are_listed),
        cmocka_unit_test(sghmc_defaults_are_the_papers),
        cmocka_unit_test(defaults_of_every_sampler),
        cmocka_unit_test(settings_have_names),
        cmocka_unit_test(a_part_is_taken_over),
        cmocka_unit_test(fields_that_follow),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(data_of_a_file_must_be_the_same),
        cmocka_unit_test(init_becomes_a_whole_path),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
