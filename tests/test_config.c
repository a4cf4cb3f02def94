/* Configurations of both samplers: defaults, checks, run.json there and back, and files that say a part of one. */
#include "run_helpers.h"

#include "run/fields.h"
#include "run/room.h"

#include <limits.h>
#include <sys/stat.h>

static kelvin_run_config defaults(const char *sampler)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, sampler));
    return config;
}

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

static void write_text(const char *path, const char *text)
{
    spill(path, text, strlen(text));
}

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

/* ---- run.json ---- */

/* Field by field, by name here: another list than the table's. */
static void same_config(const kelvin_run_config *a, const kelvin_run_config *b, bool sghmc)
{
    const char *texts[][2] = {
        {a->sampler, b->sampler}, {a->data, b->data},       {a->model, b->model},
        {a->density, b->density}, {a->prior, b->prior},     {a->schedule, b->schedule},
        {a->init, b->init},       {a->augment, b->augment}, {a->temperature_schedule, b->temperature_schedule}};
    for (size_t i = 0; i < (sghmc ? 9 : 5); i++) assert_string_equal(texts[i][0], texts[i][1]);
    assert_true(a->seed == b->seed && a->chains == b->chains);
    assert_memory_equal(&a->temperature, &b->temperature, sizeof(double));
    if (sghmc) {
        assert_true(a->samples == b->samples && a->epochs == b->epochs && a->batch == b->batch);
        assert_memory_equal(&a->lr, &b->lr, sizeof(double));
        assert_memory_equal(&a->momentum, &b->momentum, sizeof(double));
        assert_memory_equal(&a->logit_limit, &b->logit_limit, sizeof(double));
    } else {
        assert_true(a->iterations == b->iterations && a->warmup == b->warmup && a->steps == b->steps);
        assert_memory_equal(&a->step_size, &b->step_size, sizeof(float));
    }
}

static kelvin_run_config odd(const char *sampler, size_t i)
{
    static const double reals[] = {1.0 / 3, 0.1 + 0.2, 5e-324, 0x1.fffffffffffffp-1, 2.385e-7, 1};
    kelvin_run_config config = defaults(sampler);
    config.seed = i == 0 ? UINT64_MAX : i == 1 ? (UINT64_C(1) << 53) + 1 : 7 * i;
    config.lr = reals[i % 6];
    config.momentum = i % 6 == 5 ? 0 : reals[i % 6];
    config.logit_limit = reals[(i + 1) % 6];
    config.temperature = reals[(i + 2) % 6];
    config.step_size = (float)reals[(i + 3) % 6] + 1e-7f;
    config.schedule = "cyclical";
    config.temperature_schedule = "constant";
    config.augment = "reference";
    config.init = "/a \"b\"\\\xc3\xa9/3";
    config.samples = 12;
    config.chains = 4;
    config.epochs = 1000001;
    config.batch = 17;
    config.steps = UINT32_MAX;
    config.iterations = 77;
    config.warmup = 76;
    return config;
}

static void there_and_back(void **state)
{
    (void)state;
    static const char *const samplers[] = {"sghmc", "hmc"};
    assert_int_equal(mkdir(in_base("trip"), 0777), 0);
    for (size_t i = 0; i < 12; i++) {
        const bool sghmc = i < 6;
        const kelvin_run_config config = odd(samplers[!sghmc], i % 6);
        kelvin_run *run, *back;
        assert_ok(kelvin_run_prepare(&run, &config));
        same_config(&config, &run->config, sghmc);
        assert_ok(kelvin_config_write(run, in_base("trip")));
        assert_ok(kelvin_config_read(&back, in_base("trip")));
        same_config(&config, &back->config, sghmc);
        assert_null(back->draws);
        kelvin_run_config taken = defaults("sghmc");
        void *owner;
        assert_ok(kelvin_run_config_read(&taken, &owner, in_base("trip/run.json")));
        same_config(&config, &taken, sghmc);
        kelvin_run_config_free(owner);
        if (sghmc) { /* its results stay in the folder */
            kelvin_run_close(back);
            assert_ok(kelvin_run_read(&back, in_base("trip")));
            same_config(&config, &back->config, true);
        }
        kelvin_run_close(back);
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
    assert_ok(kelvin_run_prepare(&run, &config));
    assert_ok(kelvin_config_write(run, in_base("trip")));
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

/* run.json with one field of another kind, and then under another name. */
static void spoil(const char *text, const char *name)
{
    char key[64], expected[64], missing[64], bad[2048];
    kelvin_run *run;
    snprintf(key, sizeof key, "\"%s\": ", name);
    snprintf(expected, sizeof expected, "field \"%s\": expected a", name);
    snprintf(missing, sizeof missing, "field \"%s\" is missing", name);
    if (strcmp(name, "data_crc32") == 0) strcpy(missing, "field \"_\" is not known");
    const char *at = strstr(text, key);
    if (!at) fail_msg("%s is not in run.json", name);
    const char *value = at + strlen(key), *end = strchr(value, '\n');
    const char *rest = end[-1] == ',' ? end - 1 : end;
    snprintf(bad, sizeof bad, "%.*s[]%s", (int)(value - text), text, rest);
    write_text(in_base("trip/run.json"), bad);
    fails(kelvin_config_read(&run, in_base("trip")), KELVIN_EFORMAT, "trip/run.json", expected);
    snprintf(bad, sizeof bad, "%.*s\"_\": 0%s", (int)(at - text), text, rest);
    write_text(in_base("trip/run.json"), bad);
    fails(kelvin_config_read(&run, in_base("trip")), KELVIN_EFORMAT, "trip/run.json", missing);
}

static void every_field_of_run_json(void **state)
{
    (void)state;
    static const char *const samplers[] = {"sghmc", "hmc"};
    for (size_t s = 0; s < 2; s++) {
        const kelvin_run_config config = defaults(samplers[s]);
        struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
        kelvin_run *run;
        size_t bytes;
        assert_ok(kelvin_run_prepare(&run, &config));
        assert_ok(kelvin_config_write(run, in_base("trip")));
        kelvin_run_close(run);
        char text[2048], *file = slurp(in_base("trip/run.json"), &bytes);
        assert_true(bytes < sizeof text);
        memcpy(text, file, bytes + 1);
        kelvin_free(file);
        const size_t n = kelvin_config_fields_of(fields, samplers[s]);
        assert_int_equal(n, s == 0 ? 20 : 14);
        for (size_t i = 0; i < n; i++) spoil(text, fields[i].name);
        spill(in_base("trip/run.json"), text, bytes);
        assert_ok(kelvin_config_read(&run, in_base("trip"))); /* all is as it was */
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
    assert_ok(kelvin_run_prepare(&run, &config));
    assert_ok(kelvin_config_write(run, in_base("trip")));
    kelvin_run_close(run);
    char text[1024], bad[2048], *file = slurp(in_base("trip/run.json"), &bytes);
    assert_true(bytes < sizeof text);
    memcpy(text, file, bytes + 1);
    kelvin_free(file);
    const char *mark = strstr(text, "data_crc32\": \"") + strlen("data_crc32\": \"");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(mark - text) + 17, text, table[i].end, strchr(mark, '"'));
        write_text(in_base("trip/run.json"), bad);
        const kelvin_status status = kelvin_config_read(&run, in_base("trip"));
        if (table[i].sentence)
            fails(status, KELVIN_EFORMAT, "trip/run.json", table[i].sentence);
        else
            assert_ok(status);
        kelvin_run_close(run);
    }
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

/* ---- memory ---- */

static kelvin_status write_and_read(void *folder)
{
    kelvin_run_config config = defaults("sghmc");
    kelvin_run *run = NULL, *back = NULL;
    void *owner = NULL;
    kelvin_path path;
    kelvin_status status = kelvin_run_create(&run, &config);
    if (!status) status = kelvin_config_write(run, folder);
    if (!status) status = kelvin_config_read(&back, folder);
    if (!status) status = kelvin_path_join(path, folder, KELVIN_CONFIG_NAME);
    if (!status) status = kelvin_run_config_read(&config, &owner, path);
    kelvin_run_config_free(owner);
    kelvin_run_close(back);
    kelvin_run_close(run);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", in_base("trip"));
    assert_true(without_memory(write_and_read, folder) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_are_listed),
        cmocka_unit_test(sghmc_defaults_are_the_papers),
        cmocka_unit_test(checks_by_table),
        cmocka_unit_test(numbers_are_finite),
        cmocka_unit_test(texts_that_are_missing),
        cmocka_unit_test(there_and_back), /* leaves the folder "trip" for those below */
        cmocka_unit_test(run_json_of_sghmc),
        cmocka_unit_test(every_field_of_run_json),
        cmocka_unit_test(marks_of_data),
        cmocka_unit_test(a_part_is_taken_over),
        cmocka_unit_test(fields_that_follow),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(data_of_a_file_must_be_the_same),
        cmocka_unit_test(init_becomes_a_whole_path),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
