/* Where chains start: at samples of another run, or at the parameters of a file, by any sampler. */
#include "chains_helpers.h"

#include <math.h>

enum { SAMPLES = 4 }; /* of "first": two chains with two each */

/* The runs to start from: "first" by SGHMC, and one by each sampler under its name. */
static int make_first(void **state)
{
    if (make_table(state)) return -1;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.chains = 2;
        config.samples = SAMPLES;
        config.schedule = config.temperature_schedule = "constant";
        config.iterations = 12;
        config.warmup = config.iterations - SAMPLES / 2;
        whole_run(&config, type->member.name, 2, 0);
    }
    return rename(in_base("sghmc"), in_base("first"));
}

/* A run whose chains begin where `init`, below base, says. */
static kelvin_run_config from_by(const char *init, const kelvin_sampler_type *type)
{
    static kelvin_path path;
    kelvin_run_config config = tiny_by(type);
    assert_ok(kelvin_path_join(path, base, "%s", init));
    config.init = path;
    config.seed = 99;
    config.chains = config.samples = SAMPLES + 2;
    config.epochs = config.iterations = 3;
    config.warmup = 1;
    return config;
}

static kelvin_run_config from(const char *init)
{
    return from_by(init, sampler_named("sghmc"));
}

/* Each chain's first state is a sample of another run, to the bit: `fixed`, or, if that is SAMPLES, the last of each
 * chain, then the ones before them, round and round. */
static void starts_at_samples(const kelvin_run_config *config, const char *init, uint32_t fixed)
{
    kelvin_run *run = started(config, "second"), *first = run_of(init);
    const size_t bytes = run->model->n_params * sizeof(float);
    for (uint32_t c = 0; c < config->chains; c++) {
        static const uint32_t order[SAMPLES] = {1, 3, 0, 2};
        const uint32_t which = fixed < SAMPLES ? fixed : order[c % SAMPLES];
        float *theta = draw_of(first, init, which / 2, kelvin_run_warmup(first) + which % 2);
        struct kelvin_chain chain = state_of(run, "second", c);
        assert_int_equal(chain.good.step, 0);
        assert_memory_equal(chain.good.vectors, theta, bytes);
        kelvin_chain_destroy(&chain);
        kelvin_free(theta);
    }
    kelvin_run_close(first);
    kelvin_run_close(run);
    remove_tree(in_base("second"));
}

static void starts_are_samples(void **state)
{
    (void)state;
    const struct {
        const char *init;
        uint32_t fixed;
    } table[] = {{"first", SAMPLES}, {"first/", SAMPLES}, {"first/0", 0}, {"first/3", 3}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const kelvin_run_config config = from(table[i].init);
        starts_at_samples(&config, "first", table[i].fixed);
    }
}

/* From a run by any sampler into one by any other, to its end. */
static void samplers_go_on_from_each_other(void **state)
{
    (void)state;
    for (size_t a = 0; a < samplers(); a++)
        for (size_t b = 0; b < samplers(); b++) {
            const char *init = kelvin_sampler_info(a)->member.name;
            if (strcmp(init, "sghmc") == 0) init = "first";
            const kelvin_run_config config = from_by(init, kelvin_sampler_info(b));
            starts_at_samples(&config, init, SAMPLES);
            whole_run(&config, "second", 2, 0);
            whole_run(&config, "third", 1, 1e9);
            same_runs("second", "third");
            remove_tree(in_base("second"));
            remove_tree(in_base("third"));
        }
}

/* Chains that begin at one sample part at once: momenta and noise are their own. */
static void chains_from_one_sample_differ(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = from_by("first/2", kelvin_sampler_info(s));
        if (kelvin_sampler_info(s)->accepts) set(&config, "step_size", 1e-3); /* so that no first step is rejected */
        whole_run(&config, "second", 2, 0);
        kelvin_run *run = run_of("second");
        float *a = draw_of(run, "second", 0, 0), *b = draw_of(run, "second", 1, 0);
        assert_memory_not_equal(a, b, run->model->n_params * sizeof *a);
        kelvin_free(a);
        kelvin_free(b);
        kelvin_run_close(run);
        remove_tree(in_base("second"));
    }
}

static void a_start_may_be_gone_later(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = from_by("copy", kelvin_sampler_info(s));
        assert_int_equal(rename(in_base("first"), in_base("copy")), 0);
        whole_run(&config, "undisturbed", 2, 0);
        kelvin_run_close(started(&config, "second"));
        assert_int_equal(rename(in_base("copy"), in_base("first")), 0);
        resumed("second", 2);
        same_runs("second", "undisturbed");
        remove_tree(in_base("second"));
        remove_tree(in_base("undisturbed"));
    }
}

/* A chain that has lost all its files begins where it did, or not at all. */
static void a_start_must_be_what_it_was(void **state)
{
    (void)state;
    kelvin_run_config other = tiny_by(sampler_named("sghmc"));
    kelvin_run *run;
    kelvin_config *again;
    other.seed = 4;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = from_by("copy", kelvin_sampler_info(s));
        assert_int_equal(rename(in_base("first"), in_base("copy")), 0);
        whole_run(&config, "undisturbed", 2, 0);
        whole_run(&config, "second", 2, 0);
        remove_tree(in_base("second/chain-001"));
        remove_tree(in_base("second/chain-002"));
        resumed("second", 2);
        same_runs("second", "undisturbed");

        remove_tree(in_base("second/chain-001"));
        assert_int_equal(rename(in_base("copy"), in_base("first")), 0);
        fails(kelvin_run_open(&run, in_base("second")), KELVIN_EUSAGE, "second: chain 1 cannot be begun anew: init: ",
              "copy: the run cannot be read: No such file or directory; put that run back as it was");
        whole_run(&other, "copy", 2, 0);
        fails(kelvin_run_open(&run, in_base("second")), KELVIN_EFORMAT, "second: chain 1 cannot be begun anew: ",
              "the samples that it starts from have changed; put that run back as it was");
        assert_ok(kelvin_config_create(&again));
        assert_ok(kelvin_config_read(again, in_base("second/run.json")));
        fails(kelvin_run_start(&run, again, in_base("third")), KELVIN_EFORMAT, "init: the samples of ",
              "copy have changed since the configuration was written");
        assert_false(exists(in_base("third")));
        assert_ok(kelvin_config_set(again, "init", in_base("first"))); /* of another run it says nothing */
        assert_ok(kelvin_run_start(&run, again, in_base("third")));
        kelvin_run_close(run);
        kelvin_config_destroy(again);
        remove_tree(in_base("copy"));
        remove_tree(in_base("third"));
        remove_tree(in_base("second"));
        remove_tree(in_base("undisturbed"));
    }
}

/* What nothing can be started from, and what is said of it. */
struct refusal {
    const char *init, *model;
    kelvin_status status;
    const char *place, *sentence;
};

static void are_refused(const struct refusal *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kelvin_run_config config = from(table[i].init);
        config.model = table[i].model;
        kelvin_run *run;
        fails(kelvin_run_begin(&run, &config, in_base("second")), table[i].status, table[i].place, table[i].sentence);
        assert_null(run);
        assert_false(exists(in_base("second")));
    }
}

static void starts_that_are_refused(void **state)
{
    (void)state;
    static const struct refusal table[] = {
        {"first/4", "mlp:8", KELVIN_EUSAGE, "first has 4 samples, 0 to 3", "4 is not among them"},
        {"first/99999999999999999999", "mlp:8", KELVIN_EUSAGE, "first has 4 samples", "is not among them"},
        {"first/x", "mlp:8", KELVIN_EUSAGE, "init: ", "first/x: the run cannot be read"},
        {"first/-1", "mlp:8", KELVIN_EUSAGE, "init: ", "first/-1: the run cannot be read"},
        {"nowhere", "mlp:8", KELVIN_EUSAGE, "init: ", "nowhere: the run cannot be read"},
        {"nowhere/0", "mlp:8", KELVIN_EUSAGE, "init: ", "nowhere: the run cannot be read"},
        {"table.csv", "mlp:8", KELVIN_EUSAGE, "table.csv", "expected the folder of a run"},
        {"first", "mlp:9", KELVIN_EFORMAT, "init is of another model than mlp:9", "first has mlp:8 on csv:"},
        {"first/1", "mlp:8,8", KELVIN_EFORMAT, "another model than mlp:8,8", "first has mlp:8 on csv:"},
        {"first", "mlp:", KELVIN_EUSAGE, "mlp:", ""},
    };
    are_refused(table, sizeof table / sizeof *table);
}

/* A run that was begun, but has no samples yet. */
static void a_start_needs_samples(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    kelvin_run_close(started(&config, "begun"));
    config = from("begun");
    kelvin_run *run;
    fails(kelvin_run_begin(&run, &config, in_base("second")), KELVIN_EUSAGE, "begun", "the run has not ended");
    assert_null(run);
    remove_tree(in_base("begun"));
}

/* ---- at the parameters of a file ---- */

/* theta of mlp:8 on the table as PyTorch's safetensors has a state dict: 4 columns, 8 units, 3 classes. */
static void write_state_dict(const char *name, const float theta[67])
{
    static const char header[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                                 "\"layers.0.bias\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]},"
                                 "\"layers.0.weight\":{\"dtype\":\"F32\",\"shape\":[8,4],\"data_offsets\":[32,160]},"
                                 "\"layers.1.bias\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[160,172]},"
                                 "\"layers.1.weight\":{\"dtype\":\"F32\",\"shape\":[3,8],\"data_offsets\":[172,268]}}";
    static const struct {
        size_t first, n;
    } parts[] = {{32, 8}, {0, 32}, {64, 3}, {40, 24}}; /* of theta, which has a layer's weights before its biases */
    const uint64_t length = sizeof header - 1;
    char bytes[8 + sizeof header + 67 * sizeof(float)], *to = bytes;
    memcpy(to, &length, 8);
    memcpy(to + 8, header, length);
    to += 8 + length;
    for (size_t i = 0; i < 4; to += parts[i++].n * sizeof(float))
        memcpy(to, theta + parts[i].first, parts[i].n * sizeof(float));
    spill(in_base(name), bytes, (size_t)(to - bytes));
}

/* Sample i of "first", in a file. */
static void write_sample(const char *name, size_t i)
{
    kelvin_samples *samples;
    float theta[67];
    assert_ok(kelvin_samples_open(&samples, in_base("first")));
    assert_ok(kelvin_samples_read(samples, theta, i));
    kelvin_samples_close(samples);
    write_state_dict(name, theta);
}

static void starts_are_parameters_of_a_file(void **state)
{
    (void)state;
    float theta[67];
    for (int i = 0; i < 67; i++) theta[i] = (float)(i - 30) / 64;
    write_state_dict("net.safetensors", theta);
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = from_by("net.safetensors", kelvin_sampler_info(s));
        kelvin_run *run = started(&config, "second");
        kelvin_path place;
        size_t sample;
        for (uint32_t c = 0; c < config.chains; c++) {
            struct kelvin_chain chain = state_of(run, "second", c);
            assert_memory_equal(chain.good.vectors, theta, sizeof theta);
            kelvin_chain_destroy(&chain);
        }
        assert_true(kelvin_run_starts_from(run, place, sizeof place, &sample));
        assert_string_equal(place, in_base("net.safetensors"));
        assert_true(kelvin_run_starts_at_file(run) && sample == 0);
        kelvin_run_close(run);
        remove_tree(in_base("second"));
    }
}

/* A file that has what sample 2 is: the same chains to the byte, and the same checksum of where they start. */
static void a_file_is_as_good_as_a_sample(void **state)
{
    (void)state;
    write_sample("net.safetensors", 2);
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = from_by("first/2", kelvin_sampler_info(s));
        whole_run(&config, "second", 2, 0);
        config = from_by("net.safetensors", kelvin_sampler_info(s));
        whole_run(&config, "third", 1, 1e9);
        edit(in_base("second/run.json"), "first/2\"", "net.safetensors\"");
        same_bytes(in_base("second/run.json"), in_base("third/run.json"));
        for (uint32_t c = 0; c < config.chains; c++) {
            static const char *const files[] = {KELVIN_STATE_FILE, "chain-%03u/samples-000.safetensors",
                                                KELVIN_HISTORY_FILE};
            for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
                kelvin_path a, b;
                assert_ok(kelvin_path_join(a, in_base("second"), files[i], c));
                assert_ok(kelvin_path_join(b, in_base("third"), files[i], c));
                same_bytes(a, b);
            }
        }
        remove_tree(in_base("second"));
        remove_tree(in_base("third"));
    }
}

/* It may be gone when chains have started; those that have lost their states need it as it was. */
static void a_file_must_be_what_it_was(void **state)
{
    (void)state;
    kelvin_run *run;
    kelvin_config *again;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = from_by("net.safetensors", kelvin_sampler_info(s));
        write_sample("net.safetensors", 1);
        whole_run(&config, "undisturbed", 2, 0);
        kelvin_run_close(started(&config, "second"));
        unlink(in_base("net.safetensors"));
        resumed("second", 2);
        same_runs("second", "undisturbed");

        remove_tree(in_base("second/chain-001"));
        fails(kelvin_run_open(&run, in_base("second")), KELVIN_EUSAGE, "second: chain 1 cannot be begun anew: init: ",
              "net.safetensors: could not be read: No such file or directory; put that file back as it was, or sample "
              "this run anew");
        write_sample("net.safetensors", 3);
        fails(kelvin_run_open(&run, in_base("second")), KELVIN_EFORMAT, "second: chain 1 cannot be begun anew: ",
              "the parameters that it starts from have changed; put that file back as it was");
        assert_ok(kelvin_config_create(&again));
        assert_ok(kelvin_config_read(again, in_base("second/run.json")));
        fails(kelvin_run_start(&run, again, in_base("third")), KELVIN_EFORMAT, "init: the parameters of ",
              "net.safetensors have changed since the configuration was written");
        assert_false(exists(in_base("third")));
        write_sample("net.safetensors", 1);
        assert_ok(kelvin_run_start(&run, again, in_base("third")));
        kelvin_run_close(run);
        kelvin_config_destroy(again);
        resumed("second", 2);
        same_runs("second", "undisturbed");
        remove_tree(in_base("third"));
        remove_tree(in_base("second"));
        remove_tree(in_base("undisturbed"));
    }
}

/* A folder is a run's, whatever it is called. */
static void a_folder_is_no_file(void **state)
{
    (void)state;
    unlink(in_base("net.safetensors"));
    assert_int_equal(rename(in_base("first"), in_base("net.safetensors")), 0);
    const kelvin_run_config config = from("net.safetensors");
    starts_at_samples(&config, "net.safetensors", SAMPLES);
    assert_int_equal(rename(in_base("net.safetensors"), in_base("first")), 0);
}

static void files_that_are_refused(void **state)
{
    (void)state;
    float theta[67] = {0};
    size_t bytes;
    write_state_dict("net.safetensors", theta);
    char *whole = slurp(in_base("net.safetensors"), &bytes);
    spill(in_base("cut.safetensors"), whole, bytes - 1);
    char renamed[1024], *name;
    assert_true(bytes < sizeof renamed);
    memcpy(renamed, whole, bytes);
    assert_non_null(name = strstr(renamed + 8, "1.bias"));
    memcpy(name, "1.bios", 6);
    spill(in_base("renamed.safetensors"), renamed, bytes);
    kelvin_free(whole);
    theta[65] = NAN;
    write_state_dict("nan.safetensors", theta);
    static const struct refusal table[] = {
        {"nowhere.safetensors", "mlp:8", KELVIN_EUSAGE, "init: ", "nowhere.safetensors: could not be read: No such"},
        {"cut.safetensors", "mlp:8", KELVIN_EFORMAT,
         "init: ", "cut.safetensors: holds 267 bytes of data, expected 268"},
        {"nan.safetensors", "mlp:8", KELVIN_EFORMAT,
         "init: ", "nan.safetensors: tensor \"layers.1.bias\": value 1 is nan"},
        {"renamed.safetensors", "mlp:8", KELVIN_EFORMAT,
         "init does not fit mlp:8 on csv:", "tensor \"layers.1.bios\" is not known; did you mean 'layers.1.bias'?"},
        {"net.safetensors", "mlp:9", KELVIN_EFORMAT,
         "init does not fit mlp:9 on csv:", "; set model to its network, or rename its tensors: "},
        {"net.safetensors", "mlp:9", KELVIN_EFORMAT, "tensor \"layers.0.weight\"",
         "is F32 (8, 4), expected F32 (9, 4)"},
        {"net.safetensors", "mlp:8,8", KELVIN_EFORMAT,
         "net.safetensors: ", "tensor \"layers.1.weight\" is F32 (3, 8), expected F32 (8, 8)"},
        {"first/chain-000/samples-000.safetensors", "mlp:8", KELVIN_EUSAGE,
         "samples-000.safetensors: holds what kelvin writes of a run, not the state dict of one network",
         "start from the folder of the run: init = RUN or init = RUN/SAMPLE"},
        {"net.safetensors/0", "mlp:8", KELVIN_EUSAGE, "net.safetensors", "expected the folder of a run"},
        {"table.csv", "mlp:8", KELVIN_EUSAGE, "table.csv: is a file", "or a file that ends in .safetensors"},
    };
    are_refused(table, sizeof table / sizeof *table);
}

static kelvin_status start_once(void *context)
{
    float theta[67];
    return kelvin_start(theta, context, 0);
}

static void files_without_memory(void **state)
{
    (void)state;
    kelvin_run *run;
    write_sample("net.safetensors", 0);
    const kelvin_run_config config = from("net.safetensors");
    assert_ok(kelvin_run_begin(&run, &config, NULL));
    assert_true(without_memory(start_once, run) > 5);
    kelvin_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_samples),
        cmocka_unit_test(samplers_go_on_from_each_other),
        cmocka_unit_test(chains_from_one_sample_differ),
        cmocka_unit_test(a_start_may_be_gone_later),
        cmocka_unit_test(a_start_must_be_what_it_was),
        cmocka_unit_test(starts_that_are_refused),
        cmocka_unit_test(a_start_needs_samples),
        cmocka_unit_test(starts_are_parameters_of_a_file),
        cmocka_unit_test(a_file_is_as_good_as_a_sample),
        cmocka_unit_test(a_file_must_be_what_it_was),
        cmocka_unit_test(a_folder_is_no_file),
        cmocka_unit_test(files_that_are_refused),
        cmocka_unit_test(files_without_memory),
    };
    return cmocka_run_group_tests(tests, make_first, remove_base);
}
