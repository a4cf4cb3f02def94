/* Where chains start: at samples of another run, by any sampler. */
#include "chains_helpers.h"

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

static void starts_that_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *init, *model;
        kelvin_status status;
        const char *place, *sentence;
    } table[] = {
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
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = from(table[i].init);
        config.model = table[i].model;
        kelvin_run *run;
        fails(kelvin_run_begin(&run, &config, in_base("second")), table[i].status, table[i].place, table[i].sentence);
        assert_null(run);
        assert_false(exists(in_base("second")));
    }
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
    };
    return cmocka_run_group_tests(tests, make_first, remove_base);
}
