/* Configurations of both samplers: defaults, checks, and files that say a part of one. */
#include "config_helpers.h"

#include "run/fields.h"
#include "run/room.h"

#include <limits.h>

/* ---- defaults ---- */

static void samplers_are_listed(void **state)
{
    (void)state;
    static const char *const expected[] = {"sghmc", "hmc"};
    const char *name, *about;
    for (size_t i = 0; i < 2; i++) {
        assert_true(kelvin_sampler_info(i, &name, &about));
        assert_string_equal(name, expected[i]);
        assert_true(strlen(about) > 10);
    }
    assert_false(kelvin_sampler_info(2, &name, &about));
    kelvin_run_config config;
    fails(kelvin_run_defaults(&config, "nuts"), KELVIN_EUSAGE, "", "\"nuts\" is not known; expected sghmc or hmc");
    fails(kelvin_run_defaults(&config, NULL), KELVIN_EUSAGE, "", "no sampler is given");
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
    assert_true(c.lr == 1e-4 && c.momentum == 0.98 && c.temperature == 1 && c.logit_limit == 100000);
    kelvin_run *run;
    assert_ok(kelvin_run_create(&run, &c));
    assert_int_equal(run->model->n_params, 64 * 20 + 20 + 2 * (20 * 20 + 20) + 20 * 10 + 10);
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    assert_true(inside->augment == KELVIN_AUGMENT_NONE);
    assert_string_equal(inside->schedule->name, "paper");
    assert_string_equal(inside->temperature_schedule->name, "paper");
    assert_null(run->draws); /* they live in the folder */
    assert_null(run->logits);
    fails(kelvin_run_sample(&run, 1, 1, NULL, NULL), KELVIN_EUSAGE, "sghmc", "lives in its folder");
    fails(kelvin_run_write(run, in_base("never")), KELVIN_EUSAGE, "never", "has not been sampled");
    kelvin_summary summary;
    fails(kelvin_summarise(&summary, run), KELVIN_EUSAGE, "sghmc", "no draws");
    kelvin_run_close(run);
}

/* ---- checks ---- */

struct check {
    const char *sampler, *field, *value; /* the default configuration with this field, as JSON has it */
    const char *and;                     /* "": that is all */
    const char *sentence;                /* NULL: fine */
};

static const struct check checks[] = {
    {"sghmc", "temperature", "0", "", NULL},
    {"sghmc", "momentum", "0", "", NULL},
    {"sghmc", "batch", "1438", "", NULL},
    {"sghmc", "batch", "0", "", NULL},                            /* 125 */
    {"sghmc", "data", "\"toy\"", ", \"model\": \"mlp:3\"", NULL}, /* all 18 */
    {"sghmc", "augment", "\"paper\"", "", NULL},
    {"sghmc", "prior", "\"none\"", "", NULL},
    {"sghmc", "chains", "4", ", \"samples\": 12, \"schedule\": \"cyclical\"", NULL},
    {"sghmc", "chains", "4", ", \"samples\": 12, \"schedule\": \"constant\", \"epochs\": 3", NULL},
    {"sghmc", "data", "\"toy\"", ", \"batch\": 18, \"model\": \"mlp:3\"", NULL},
    {"sghmc", "epochs", "390451572", "", NULL},        /* 11 batches each: 4294967292 steps */
    {"sghmc", "init", "\"/no/such/run/7\"", "", NULL}, /* seen when chains begin */
    {"sghmc", "chains", "0", "", "chains is 0; expected at least 1"},
    {"sghmc", "samples", "0", ", \"chains\": 1", "samples is 0; expected at least 1"},
    {"sghmc", "epochs", "0", "", "epochs is 0; expected at least 1"},
    {"sghmc", "samples", "12", ", \"chains\": 8", "samples is 12 and chains is 8; expected as many"},
    {"sghmc", "samples", "4", ", \"chains\": 8", "samples is 4 and chains is 8; expected as many"},
    {"sghmc", "samples", "16", ", \"chains\": 8",
     "the schedule paper gives one sample per chain, but samples is 16 and chains is 8: use as many chains as samples, "
     "or the schedule constant or cyclical"},
    {"sghmc", "samples", "16", ", \"chains\": 8, \"schedule\": \"cosine\"", "the schedule cosine gives one sample"},
    {"sghmc", "samples", "16", ", \"chains\": 8, \"schedule\": \"cyclical\", \"temperature_schedule\": \"paper\"",
     "the schedule paper of the temperature gives one sample"},
    {"sghmc", "samples", "32", ", \"chains\": 8, \"schedule\": \"cyclical\", \"epochs\": 3",
     "each chain is to give 4 samples in 3 epochs"},
    {"sghmc", "batch", "1439", "",
     "batch is 1439, more than the 1438 training observations of digits; expected at most as many (--batch)"},
    {"sghmc", "lr", "0", "", "lr is 0; expected a number above 0"},
    {"sghmc", "lr", "-1e-4", "", "lr is -0.0001"},
    {"sghmc", "momentum", "1", "", "the momentum must be at least 0 and below 1, not 1"},
    {"sghmc", "momentum", "-0.1", "", "the momentum must be at least 0 and below 1, not -0.1"},
    {"sghmc", "temperature", "-1", "", "temperature is -1; expected a number of at least 0"},
    {"sghmc", "logit_limit", "0", "", "logit_limit is 0; expected a number above 0"},
    {"sghmc", "schedule", "\"linear\"", ", \"temperature_schedule\": \"paper\"", "unknown schedule 'linear'"},
    {"sghmc", "temperature_schedule", "\"linear\"", "", "unknown schedule 'linear'"},
    {"sghmc", "augment", "\"rotate\"", "", "augmentation 'rotate' is not known"},
    {"sghmc", "augment", "\"paper\"", ", \"data\": \"toy\", \"batch\": 18, \"model\": \"mlp:3\"",
     "augment is paper, which is for images; toy is a table"},
    {"sghmc", "epochs", "390451573", "", "390451573 epochs of 11 batches are too many steps"},
    {"sghmc", "init", "\"no/such/run\"", "", "init is \"no/such/run\": there is no such run"},
    {"sghmc", "init", "\"no/such/run/7\"", "", "init is \"no/such/run/7\": there is no such run"},
    {"hmc", "temperature", "0", "", "HMC needs a temperature above 0"},
    {"hmc", "chains", "0", "", "chains is 0"},
    {"hmc", "iterations", "0", "", "iterations is 0"},
    {"hmc", "warmup", "500", "", "warmup is 500 of 500 iterations"},
    {"hmc", "step_size", "0", "", "the step size must be a positive number"},
    {"sghmc", "data", "\"toyy\"", "", "toyy"},
    {"sghmc", "model", "\"mlp:x\"", "", "not 'x'"},
    {"sghmc", "density", "\"dirclip:x\"", "", "dirclip"},
    {"sghmc", "prior", "\"normal:x\"", "", "normal"},
    {"hmc", "steps", "0", "", "leapfrog steps must be at least 1"},
};

/* The default configuration of a sampler with what a file says. */
static void *with_file(kelvin_run_config *config, const char *sampler, const char *text)
{
    void *owner;
    *config = defaults(sampler);
    write_text(in_base("part.json"), text);
    assert_ok(kelvin_run_config_read(config, &owner, in_base("part.json")));
    return owner;
}

static void checks_by_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const struct check *c = &checks[i];
        char text[256];
        snprintf(text, sizeof text, "{\"%s\": %s%s}", c->field, c->value, c->and);
        kelvin_run_config config;
        void *owner = with_file(&config, c->sampler, text);
        kelvin_run *run;
        const kelvin_status status = kelvin_run_create(&run, &config);
        if (c->sentence)
            fails(status, KELVIN_EFORMAT, "part.json: ", c->sentence);
        else if (status)
            fail_msg("%s: %s", text, kelvin_error());
        kelvin_run_close(run);
        config.source = (kelvin_run_source){0}; /* as if it had been said on a command line */
        if (c->sentence) fails(kelvin_run_create(&run, &config), KELVIN_EUSAGE, "", c->sentence);
        kelvin_run_config_free(owner);
    }
}

/* Numbers that no JSON can hold. */
static void numbers_are_finite(void **state)
{
    (void)state;
    static const size_t offsets[] = {offsetof(kelvin_run_config, lr), offsetof(kelvin_run_config, temperature),
                                     offsetof(kelvin_run_config, momentum), offsetof(kelvin_run_config, logit_limit)};
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < 12; i++) {
        kelvin_run_config config = defaults("sghmc");
        memcpy((char *)&config + offsets[i / 3], &bad[i % 3], sizeof(double));
        kelvin_run *run;
        fails(kelvin_run_create(&run, &config), KELVIN_EUSAGE, "", "");
    }
}

/* Every text that counts must be there; those of the other sampler need not. */
static void texts_that_are_missing(void **state)
{
    (void)state;
    static const char *const samplers[] = {"sghmc", "hmc"};
    size_t missed = 0;
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < KELVIN_CONFIG_FIELDS; i++) {
            kelvin_run_config config = defaults(samplers[s]);
            const char **text = kelvin_config_text(&config, &kelvin_config_fields[i]);
            if (!text) continue;
            *text = NULL;
            kelvin_run *run;
            const kelvin_status status = kelvin_run_create(&run, &config);
            char sentence[64];
            snprintf(sentence, sizeof sentence, "no %s is given", kelvin_config_fields[i].field.name);
            if (kelvin_config_field_counts(&kelvin_config_fields[i], samplers[s]))
                fails(status, KELVIN_EUSAGE, "", sentence);
            else
                assert_ok(status);
            missed += status != KELVIN_OK;
            kelvin_run_close(run);
        }
    assert_int_equal(missed, 9 + 5);
}

/* ---- files that say a part ---- */

static void a_part_is_taken_over(void **state)
{
    (void)state;
    kelvin_run_config config;
    void *owner = with_file(&config, "sghmc", "{}");
    kelvin_run_config expected = defaults("sghmc");
    same_config(&config, &expected, true);
    kelvin_run_config_free(owner);

    owner = with_file(&config, "sghmc",
                      "{\"lr\": 0.3, \"epochs\": 7, \"density\": \"dirclip:0.9,-50\", \"kelvin\": \"0.0.1\", "
                      "\"data_crc32\": \"00000000-00000000\"}"); /* of a data set that it does not name */
    expected.lr = 0.3;
    expected.epochs = 7;
    expected.density = "dirclip:0.9,-50";
    same_config(&config, &expected, true);
    kelvin_run_config_free(owner);

    owner = with_file(&config, "hmc", "{\"steps\": 3, \"temperature\": 2}");
    expected = defaults("hmc");
    expected.steps = 3;
    expected.temperature = 2;
    same_config(&config, &expected, false);
    kelvin_run_config_free(owner);

    owner = with_file(&config, "sghmc", "{\"sampler\": \"hmc\", \"steps\": 3}");
    assert_string_equal(config.sampler, "hmc");
    assert_int_equal(config.steps, 3);
    kelvin_run_config_free(owner);
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
        void *owner = with_file(&config, "sghmc", table[i].text);
        assert_true(config.samples == table[i].samples && config.chains == table[i].chains);
        assert_string_equal(config.schedule, table[i].schedule);
        assert_string_equal(config.temperature_schedule, table[i].temperature_schedule);
        kelvin_run_config_free(owner);
    }
    void *owner = with_file(&config, "hmc", "{\"iterations\": 4000000000}");
    assert_int_equal(config.warmup, 1200000000);
    kelvin_run_config_free(owner);
    owner = with_file(&config, "hmc", "{\"iterations\": 9, \"warmup\": 8}");
    assert_int_equal(config.warmup, 8);
    kelvin_run_config_free(owner);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *text, *sentence;
    } table[] = {
        {"sghmc", "{\"steps\": 3}", "field \"steps\" is for the sampler hmc, not for sghmc"},
        {"hmc", "{\"lr\": 1}", "field \"lr\" is for the sampler sghmc, not for hmc"},
        {"sghmc", "{\"sampler\": \"hmc\", \"lr\": 1}", "field \"lr\" is for the sampler sghmc, not for hmc"},
        {"sghmc", "{\"sampler\": \"nuts\"}", "sampler \"nuts\" is not known; expected sghmc or hmc"},
        {"sghmc", "{\"sampler\": 1}", "field \"sampler\": expected a string"},
        {"sghmc", "{\"learning_rate\": 1}",
         "field \"learning_rate\" is not known; expected one of: kelvin, sampler, data, data_crc32, model,"},
        {"sghmc", "{\"epoch\": 1}", "field \"epoch\" is not known; did you mean 'epochs'?"},
        {"sghmc", "{\"step\": 1}", "field \"step\" is not known; did you mean 'seed'?"}, /* "steps" is of hmc */
        {"hmc", "{\"step\": 1}", "field \"step\" is not known; did you mean 'steps'?"},
        {"sghmc", "{\"lr\": \"1\"}", "field \"lr\": expected a number"},
        {"sghmc", "{\"epochs\": 1.5}", "field \"epochs\": expected a whole number of at most 4294967295"},
        {"sghmc", "{\"epochs\": 4294967296}", "field \"epochs\": expected a whole number"},
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
        void *owner = &config;
        write_text(in_base("wrong.json"), table[i].text);
        fails(kelvin_run_config_read(&config, &owner, in_base("wrong.json")), KELVIN_EFORMAT, "wrong.json",
              table[i].sentence);
        assert_null(owner);
        same_config(&config, &before, strcmp(table[i].sampler, "sghmc") == 0);
    }
    kelvin_run_config config = defaults("sghmc");
    void *owner;
    fails(kelvin_run_config_read(&config, &owner, in_base("nowhere.json")), KELVIN_EIO, "nowhere.json", "No such file");
    config.sampler = NULL;
    fails(kelvin_run_config_read(&config, &owner, in_base("wrong.json")), KELVIN_EUSAGE, "", "no sampler");
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
    assert_ok(kelvin_run_prepare(&run, &config));
    kelvin_data_mark(mark, run->data);
    snprintf(name, sizeof name, "%s", run->data->name);
    kelvin_run_close(run);
    write_table(path, 9);

    snprintf(text, sizeof text, "{\"data\": \"%s\", \"data_crc32\": \"%s\"}", name, mark);
    void *owner = with_file(&file, "hmc", text);
    fails(kelvin_run_create(&run, &file), KELVIN_EFORMAT, "part.json: the data set csv:",
          "has changed since (training inputs); remove the field data_crc32 to sample the new data");
    file.data = spec; /* as a command line may have it: the same set */
    fails(kelvin_run_create(&run, &file), KELVIN_EFORMAT, "part.json", "has changed since");
    file.data = "toy"; /* another */
    assert_ok(kelvin_run_create(&run, &file));
    assert_null(run->config.source.path);
    kelvin_run_close(run);
    write_table(path, 3);
    file.data = name;
    assert_ok(kelvin_run_create(&run, &file));
    kelvin_run_close(run);
    kelvin_run_config_free(owner);

    write_table(path, 9);
    snprintf(text, sizeof text, "{\"data_crc32\": \"%s\"}", mark); /* of what, it does not say */
    owner = with_file(&file, "hmc", text);
    file.data = name;
    assert_ok(kelvin_run_create(&run, &file));
    kelvin_run_close(run);
    kelvin_run_config_free(owner);
}

/* ---- whole paths ---- */

static void init_becomes_a_whole_path(void **state)
{
    (void)state;
    char here[PATH_MAX], whole[PATH_MAX], expected[PATH_MAX + 8];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(mkdir(in_base("start"), 0777), 0);
    assert_non_null(realpath(in_base("start"), whole));
    assert_int_equal(chdir(in_base(".")), 0);
    static const struct {
        const char *given, *tail;
    } table[] = {{"start", ""}, {"./start/", ""}, {"start/17", "/17"}, {"start/../start/0", "/0"}};
    for (size_t i = 0; i < 4; i++) {
        kelvin_run_config config = defaults("sghmc");
        config.init = table[i].given;
        kelvin_run *run;
        assert_ok(kelvin_run_create(&run, &config));
        snprintf(expected, sizeof expected, "%s%s", whole, table[i].tail);
        assert_string_equal(run->config.init, expected);
        kelvin_run_close(run);
    }
    kelvin_run_config config = defaults("sghmc");
    kelvin_run *run;
    config.init = "start/x7";
    fails(kelvin_run_create(&run, &config), KELVIN_EUSAGE, "start/x7", "no such run");
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_are_listed),
        cmocka_unit_test(sghmc_defaults_are_the_papers),
        cmocka_unit_test(checks_by_table),
        cmocka_unit_test(numbers_are_finite),
        cmocka_unit_test(texts_that_are_missing),
        cmocka_unit_test(a_part_is_taken_over),
        cmocka_unit_test(fields_that_follow),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(data_of_a_file_must_be_the_same),
        cmocka_unit_test(init_becomes_a_whole_path),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
