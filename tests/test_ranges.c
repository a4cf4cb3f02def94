/* Numbers of all samplers and of each one: the bounds themselves, and what lies beyond them. */
#include "config_helpers.h"

#include "run/fields.h"

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
    {"sghmc", "chains", "0", "", "chains is 0; expected a whole number of at least 1 and at most 65536"},
    {"sghmc", "samples", "0", ", \"chains\": 1", "samples is 0; expected a whole number of at least 1"},
    {"sghmc", "epochs", "0", "", "epochs is 0; expected a whole number of at least 1"},
    {"sghmc", "samples", "12", ", \"chains\": 8", "samples is 12 and chains is 8; expected as many"},
    {"sghmc", "samples", "4", ", \"chains\": 8", "samples is 4 and chains is 8; expected as many"},
    {"sghmc", "samples", "16", ", \"chains\": 8",
     "the schedule paper gives one sample per chain, but samples is 16 and chains is 8: use as many chains as samples, "
     "or the schedule constant, cyclical or steady"},
    {"sghmc", "samples", "16", ", \"chains\": 8, \"schedule\": \"cosine\"", "the schedule cosine gives one sample"},
    {"sghmc", "samples", "16", ", \"chains\": 8, \"schedule\": \"cyclical\", \"temperature_schedule\": \"paper\"",
     "the schedule paper of the temperature gives one sample"},
    {"sghmc", "samples", "32", ", \"chains\": 8, \"schedule\": \"cyclical\", \"epochs\": 3",
     "each chain is to give 4 samples in 3 epochs"},
    {"sghmc", "samples", "24", ", \"chains\": 8, \"schedule\": \"steady\", \"epochs\": 5", NULL}, /* 2 of 5 settle */
    {"sghmc", "samples", "32", ", \"chains\": 8, \"schedule\": \"steady\", \"epochs\": 5",
     "each chain is to give 4 samples in 3 epochs after it has settled; expected at least one epoch for each"},
    {"sghmc", "batch", "1439", "",
     "batch is 1439, more than the 1438 training observations of digits; expected at most as many (batch)"},
    {"sghmc", "lr", "0", "", "lr is 0; expected a number above 0"},
    {"sghmc", "lr", "-1e-4", "", "lr is -0.0001"},
    {"sghmc", "momentum", "1", "", "momentum is 1; expected a number of at least 0 and below 1"},
    {"sghmc", "momentum", "-0.1", "", "momentum is -0.1; expected a number of at least 0 and below 1"},
    {"sghmc", "temperature", "-1", "", "temperature is -1; expected a number of at least 0"},
    {"sghmc", "logit_limit", "0", "", "logit_limit is 0; expected a number above 0"},
    {"sghmc", "schedule", "\"linear\"", ", \"temperature_schedule\": \"paper\"", "unknown schedule 'linear'"},
    {"sghmc", "temperature_schedule", "\"linear\"", "", "unknown schedule 'linear'"},
    {"sghmc", "augment", "\"rotate\"", "", "unknown augmentation 'rotate'; expected one of: none, paper"},
    {"sghmc", "augment", "\"paper\"", ", \"data\": \"toy\", \"batch\": 18, \"model\": \"mlp:3\"",
     "augment is paper, which is for images; toy is a table"},
    {"sghmc", "epochs", "390451573", "", "390451573 epochs of 11 batches are too many steps"},
    {"sghmc", "init", "\"no/such/run\"", "", "init is \"no/such/run\": there is no such run"},
    {"sghmc", "init", "\"no/such/run/7\"", "", "init is \"no/such/run/7\": there is no such run"},
    {"sghmc", "data", "\"toyy\"", "", "toyy"},
    {"sghmc", "model", "\"mlp:x\"", "", "W is 'x'"},
    {"sghmc", "density", "\"dirclip:x\"", "", "dirclip"},
    {"sghmc", "prior", "\"normal:x\"", "", "normal"},
};

/* Of samplers that look at all data; for each of them. */
static const struct check of_all_data[] = {
    {NULL, "chains", "1", "", NULL},
    {NULL, "iterations", "1", "", NULL}, /* of which the warm-up is 30 %: none */
    {NULL, "warmup", "0", "", NULL},
    {NULL, "warmup", "6", ", \"iterations\": 7", NULL},
    {NULL, "temperature", "1e-3", "", NULL},
    {NULL, "prior", "\"none\"", "", NULL},
    {NULL, "init", "\"/no/such/run/7\"", "", NULL},
    {NULL, "chains", "0", "", "chains is 0; expected a whole number of at least 1 and at most 65536"},
    {NULL, "chains", "65537", "", "chains is 65537; expected a whole number of at least 1 and at most 65536"},
    {NULL, "iterations", "0", "", "iterations is 0; expected a whole number of at least 1"},
    {NULL, "warmup", "7", ", \"iterations\": 7", "warmup is 7 of 7 iterations; expected fewer, so that some are left"},
    {NULL, "warmup", "4294967295", ", \"iterations\": 7", "warmup is 4294967295 of 7 iterations; expected fewer"},
    {NULL, "temperature", "-1", "", "temperature is -1; expected a number of at least 0"},
    {NULL, "temperature", "0", "", " cannot sample; expected a number above 0"},
    {NULL, "logit_limit", "0", "", "logit_limit is 0; expected a number above 0"},
    {NULL, "logit_limit", "-1", "", "logit_limit is -1; expected a number above 0"},
    {NULL, "init", "\"no/such/run\"", "", "init is \"no/such/run\": there is no such run"},
    {NULL, "model", "\"mlp:x\"", "", "W is 'x'"},
};

/* Settings of samplers, with their sentences; test_samplers.c has the ends of all ranges. */
static const struct check settings[] = {
    {"sghmc", "lr", "5e-324", "", NULL},
    {"sghmc", "lr", "0", "", "lr is 0; expected a number above 0"},
    {"sghmc", "momentum", "0", "", NULL},
    {"sghmc", "momentum", "0.9999999999999999", "", NULL},
    {"sghmc", "momentum", "1", "", "momentum is 1; expected a number of at least 0 and below 1"},
    {"hmc", "step_size", "3.4e38", "", NULL}, /* it is a float's */
    {"hmc", "step_size", "3.5e38", "",
     "step_size is 3.5e+38; expected a number of at least 0 and at most 3.402823466e+38"},
    {"hmc", "step_size", "0", "", NULL}, /* tuned */
    {"hmc", "step_size", "-0.1", "", "step_size is -0.1; expected a number of at least 0"},
    {"hmc", "steps", "0", "", NULL}, /* tuned */
    {"hmc", "steps", "1", "", NULL},
    {"hmc", "steps", "4294967295", "", NULL},
    {"hmc", "jitter", "0", "", NULL},
    {"hmc", "jitter", "1", "", NULL},
    {"hmc", "jitter", "-0.1", "", "jitter is -0.1; expected a number of at least 0 and at most 1"},
    {"hmc", "jitter", "1.1", "", "jitter is 1.1; expected a number of at least 0 and at most 1"},
    {"mclmc", "steps", "65535", "", NULL},
    {"mclmc", "steps", "0", "", "steps is 0; expected a whole number of at least 1 and at most 65535"},
    {"mclmc", "steps", "65536", "", "steps is 65536; expected a whole number of at least 1 and at most 65535"},
    {"mclmc", "energy_variance", "1e-9", "", NULL},
    {"mclmc", "energy_variance", "0", "", "energy_variance is 0; expected a number above 0"},
    {"mclmc", "step_size", "0", "", NULL}, /* tuned */
    {"mclmc", "step_size", "-1", "", "step_size is -1; expected a number of at least 0"},
    {"mclmc", "length", "0", "", NULL},
    {"mclmc", "length", "-1", "", "length is -1; expected a number of at least 0"},
};

/* From a file, whose sentences name it, and as if it had been said on a command line. */
static void check(const struct check *c, const char *sampler)
{
    char text[256];
    kelvin_run_config config = defaults(sampler);
    kelvin_config *owner;
    kelvin_run *run;
    snprintf(text, sizeof text, "{\"%s\": %s%s}", c->field, c->value, c->and);
    write_text(in_base("part.json"), text);
    assert_ok(take_file(&config, &owner, in_base("part.json")));
    kelvin_status status = kelvin_run_prepare(&run, &config, NULL, NULL);
    if (c->sentence)
        fails(status, KELVIN_EFORMAT, "part.json: ", c->sentence);
    else if (status)
        fail_msg("%s, %s: %s", sampler, text, kelvin_error());
    assert_true(!run == !!c->sentence);
    kelvin_run_close(run);
    config.source = (kelvin_run_source){0};
    status = kelvin_run_prepare(&run, &config, NULL, NULL);
    if (c->sentence) fails(status, KELVIN_EUSAGE, "", c->sentence);
    if (c->sentence) assert_null(strstr(kelvin_error(), "part.json"));
    if (c->sentence && !*c->and) assert_string_equal(kelvin_error_field(), c->field); /* which programs know it by */
    kelvin_run_close(run);
    if (c->sentence) fails(kelvin_run_begin(&run, &config, in_base("never")), KELVIN_EUSAGE, "", c->sentence);
    assert_false(exists(in_base("never")));
    kelvin_config_destroy(owner);
}

static void checks_by_table(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) check(&checks[i], checks[i].sampler);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) check(&settings[i], settings[i].sampler);
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++)
        for (size_t i = 0; i < sizeof of_all_data / sizeof *of_all_data && !type->batches; i++)
            check(&of_all_data[i], type->member.name);
}

/* Numbers that no JSON can hold, and whole ones that are not: in every number of every sampler. */
static void numbers_are_finite(void **state)
{
    (void)state;
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++)
        for (size_t i = 0; i < 2 + kelvin_count_settings(type); i++)
            for (size_t k = 0; k < 4; k++) {
                kelvin_run_config config = defaults(type->member.name);
                double *number = i == 0 ? &config.temperature : i == 1 ? &config.logit_limit : &config.setting[i - 2];
                const char *name = i == 0 ? "temperature" : i == 1 ? "logit_limit" : type->setting[i - 2].name;
                if (k == 3 && (i < 2 || !type->setting[i - 2].whole)) continue;
                *number = k == 3 ? 2.5 : bad[k];
                char sentence[64];
                snprintf(sentence, sizeof sentence, "%s is %g; expected a %snumber", name, *number,
                         i >= 2 && type->setting[i - 2].whole ? "whole " : "");
                kelvin_run *run;
                fails(kelvin_run_begin(&run, &config, NULL), KELVIN_EUSAGE, "", sentence);
                assert_null(run);
            }
}

/* Of a file and a command line, the one that said it last is to blame. */
static void who_is_to_blame(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *text, *said, *sentence;
        bool file; /* is to blame */
    } table[] = {
        {"hmc", "{\"temperature\": -1}", "chains", "temperature is -1", true},
        {"hmc", "{\"chains\": 4}", "temperature", "temperature is -1", false},
        {"hmc", "{\"warmup\": 500}", "chains", "warmup is 500 of 500", true},
        {"hmc", "{\"warmup\": 500}", "warmup", "warmup is 500 of 500", false},
        {"hmc", "{\"warmup\": 500}", "iterations", "warmup is 500 of 500", false},
        {"sghmc", "{\"samples\": 12, \"chains\": 8}", "epochs", "samples is 12 and chains is 8", true},
        {"sghmc", "{\"samples\": 12, \"chains\": 8}", "samples", "samples is 12 and chains is 8", false},
        {"mclmc", "{\"length\": -1}", "steps", "length is -1", true},
        {"mclmc", "{\"length\": -1}", "length", "length is -1", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = defaults(table[i].sampler);
        kelvin_config *owner;
        kelvin_run *run;
        write_text(in_base("part.json"), table[i].text);
        assert_ok(take_file(&config, &owner, in_base("part.json")));
        kelvin_config_overrule(&config, table[i].said, true);
        assert_true(kelvin_config_overruled(&config, table[i].said));
        if (strcmp(table[i].said, "temperature") == 0) config.temperature = -1;
        fails(kelvin_run_begin(&run, &config, NULL), table[i].file ? KELVIN_EFORMAT : KELVIN_EUSAGE,
              table[i].file ? "part.json: " : "", table[i].sentence);
        assert_true(!strstr(kelvin_error(), "part.json") == !table[i].file);
        kelvin_config_destroy(owner);
    }
}

/* Every text that counts must be there; those of other samplers need not. */
static void texts_that_are_missing(void **state)
{
    (void)state;
    static const char *const names[] = {
        "data", "model", "density", "prior", "init", "schedule", "temperature_schedule", "augment"};
    const kelvin_sampler_type *type;
    for (size_t s = 0; (type = kelvin_sampler_info(s)); s++)
        for (size_t i = 0; i < 8; i++) {
            kelvin_run_config config = defaults(type->member.name);
            const char **const texts[] = {&config.data,
                                          &config.model,
                                          &config.density,
                                          &config.prior,
                                          &config.init,
                                          &config.schedule,
                                          &config.temperature_schedule,
                                          &config.augment};
            *texts[i] = NULL;
            kelvin_run *run;
            const kelvin_status status = kelvin_run_begin(&run, &config, NULL);
            char sentence[64];
            snprintf(sentence, sizeof sentence, "no %s is given", names[i]);
            if (i < 5 || type->batches)
                fails(status, KELVIN_EUSAGE, "", sentence);
            else
                assert_ok(status);
            kelvin_run_close(run);
        }
    kelvin_run_config config = defaults("hmc");
    kelvin_run *run;
    config.sampler = NULL;
    fails(kelvin_run_begin(&run, &config, NULL), KELVIN_EUSAGE, "", "unknown sampler ''");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_by_table),
        cmocka_unit_test(numbers_are_finite),
        cmocka_unit_test(who_is_to_blame),
        cmocka_unit_test(texts_that_are_missing),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
