/* Where chains start and what they leave: samples of another run as starts, states that are damaged or of another
 * chain, and what a run costs before it is begun. */
#include "chains_helpers.h"

#include <sys/resource.h>

/* ---- starts from another run ---- */

enum { SAMPLES = 4 }; /* of "first": two chains with two each */

static int make_first(void **state)
{
    if (make_table(state)) return -1;
    kelvin_run_config config = tiny();
    config.chains = 2;
    config.samples = SAMPLES;
    config.schedule = config.temperature_schedule = "constant";
    whole_run(&config, "first", 2, 0);
    return 0;
}

/* A run whose chains begin where `init`, below base, says. */
static kelvin_run_config from(const char *init)
{
    static kelvin_path path;
    kelvin_run_config config = tiny();
    assert_ok(kelvin_path_join(path, base, "%s", init));
    config.init = path;
    config.seed = 99;
    config.chains = config.samples = SAMPLES + 2;
    config.epochs = 3;
    return config;
}

/* Each chain's first state is the sample, to the bit. */
static void starts_are_samples(void **state)
{
    (void)state;
    const struct {
        const char *init;
        uint32_t fixed; /* SAMPLES: round and round */
    } table[] = {{"first", SAMPLES}, {"first/", SAMPLES}, {"first/0", 0}, {"first/3", 3}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const kelvin_run_config config = from(table[i].init);
        kelvin_chains *chains = started(&config, "second");
        const kelvin_run *run = kelvin_chains_about(chains);
        const size_t bytes = run->model->n_params * sizeof(float);
        for (uint32_t c = 0; c < config.chains; c++) {
            const uint32_t which = table[i].fixed < SAMPLES ? table[i].fixed : c % SAMPLES;
            float *theta = sample_of(run, "first", which / 2, which % 2);
            struct kelvin_chain chain = state_of(run, "second", c);
            assert_int_equal(chain.good.step, 0);
            assert_memory_equal(chain.good.theta, theta, bytes);
            kelvin_chain_destroy(&chain);
            kelvin_free(theta);
        }
        kelvin_chains_close(chains);
        remove_tree(in_base("second"));
    }
}

/* Chains that begin at one sample part at once: momenta and noise are their own. */
static void chains_from_one_sample_differ(void **state)
{
    (void)state;
    const kelvin_run_config config = from("first/2");
    whole_run(&config, "second", 2, 0);
    kelvin_run *run = run_of("second");
    float *a = sample_of(run, "second", 0, 0), *b = sample_of(run, "second", 1, 0);
    assert_memory_not_equal(a, b, run->model->n_params * sizeof *a);
    kelvin_free(a);
    kelvin_free(b);
    kelvin_run_close(run);
    remove_tree(in_base("second"));
}

static void a_start_may_be_gone_later(void **state)
{
    (void)state;
    const kelvin_run_config config = from("copy");
    assert_int_equal(rename(in_base("first"), in_base("copy")), 0);
    whole_run(&config, "undisturbed", 2, 0);
    kelvin_chains_close(started(&config, "second"));
    assert_int_equal(rename(in_base("copy"), in_base("first")), 0);
    resumed("second", 2);
    same_runs("second", "undisturbed");
    remove_tree(in_base("second"));
    remove_tree(in_base("undisturbed"));
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
        {"first/x", "mlp:8", KELVIN_EUSAGE, "first/x", "no samples"},
        {"first/-1", "mlp:8", KELVIN_EUSAGE, "first/-1", "no samples"},
        {"nowhere", "mlp:8", KELVIN_EUSAGE, "nowhere", "no samples"},
        {"nowhere/0", "mlp:8", KELVIN_EUSAGE, "nowhere/0", "no samples"},
        {"table.csv", "mlp:8", KELVIN_EUSAGE, "table.csv", "no samples"},
        {"first", "mlp:9", KELVIN_EFORMAT, "init is of another model than mlp:9",
         "sample-000.safetensors: tensor \"layers.0.weight\""},
        {"first/1", "mlp:8,8", KELVIN_EFORMAT, "another model than mlp:8,8",
         "sample-001.safetensors: holds 4 tensors, expected 6"},
        {"first", "mlp:", KELVIN_EUSAGE, "mlp:", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = from(table[i].init);
        config.model = table[i].model;
        kelvin_chains *chains;
        fails(kelvin_chains_start(&chains, &config, in_base("second")), table[i].status, table[i].place,
              table[i].sentence);
        assert_null(chains);
        assert_false(exists(in_base("second")));
    }
}

/* A run that was begun, but has no samples yet. */
static void a_start_needs_samples(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    kelvin_chains_close(started(&config, "begun"));
    config = from("begun");
    kelvin_chains *chains;
    fails(kelvin_chains_start(&chains, &config, in_base("second")), KELVIN_EUSAGE, "begun", "no samples");
    remove_tree(in_base("begun"));
}

/* ---- damaged states ---- */

/* Opening fails with a sentence about chain 0, and changes nothing: neither the state nor the files beside it. */
static void refused(const char *bytes, size_t n, const char *sentence)
{
    kelvin_chains *chains;
    kelvin_path path, good;
    assert_ok(kelvin_path_join(path, in_base("broken"), KELVIN_STATE_FILE, 0));
    assert_ok(kelvin_path_join(good, base, "good"));
    spill(path, bytes, n);
    fails(kelvin_chains_open(&chains, in_base("broken")), KELVIN_EFORMAT, "chain-000/state.safetensors", sentence);
    assert_null(chains);
    size_t after;
    char *now = slurp(path, &after);
    assert_int_equal(after, n);
    assert_memory_equal(now, bytes, n);
    kelvin_free(now);
    assert_false(exists(in_base("broken/logits_train.npy")));
}

static bool stop_after_one(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->phase != KELVIN_CHAIN_DONE;
}

/* One chain is done, the others are not. */
static void half_a_run(const kelvin_run_config *config, const char *name)
{
    kelvin_chains *chains = started(config, name);
    const kelvin_chains_options options = {.threads = 1, .checkpoint = 0};
    fails(kelvin_chains_run(chains, &options, stop_after_one, NULL), KELVIN_ESTOP, "stopped", "");
    kelvin_chains_close(chains);
}

static char *state_bytes(size_t *n, const char *name)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base(name), KELVIN_STATE_FILE, 0));
    return slurp(path, n);
}

/* Bytes before the data. */
static size_t header_of(const char *bytes)
{
    uint64_t length;
    memcpy(&length, bytes, sizeof length);
    return sizeof length + length;
}

static void damaged_states(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    size_t n;
    half_a_run(&config, "broken");
    char *bytes = state_bytes(&n, "broken");
    const size_t header = header_of(bytes);
    for (uint32_t roll = 0; roll < 100; roll++) {
        const size_t at = header + dice(roll, (uint32_t)(n - header));
        bytes[at] ^= (char)(1 << roll % 8);
        refused(bytes, n, "the file is damaged; remove it to sample this chain from its start");
        bytes[at] ^= (char)(1 << roll % 8);
    }
    for (uint32_t roll = 0; roll < 50; roll++) refused(bytes, dice(roll, (uint32_t)n), "");
    refused(bytes, 0, "");
    spill(in_base("broken/chain-000/state.safetensors"), bytes, n);
    resumed("broken", 2);
    whole_run(&config, "whole", 1, 0);
    same_runs("broken", "whole");
    remove_tree(in_base("broken"));
    remove_tree(in_base("whole"));
    kelvin_free(bytes);
}

static bool no_longer(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)context, (void)run;
    return news->phase == KELVIN_CHAIN_WAITING || news->images_per_s == 0;
}

/* Whatever bit of the header flips, the run is refused, or goes on to what it would have been: by its checksum all but
 * those that make a file of an earlier version of it, which has none. */
static void damaged_headers(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.data = "digits";
    config.chains = config.samples = 1;
    config.batch = 1;
    config.epochs = 30;
    kelvin_chains *chains = started(&config, "broken");
    fails(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 1, .checkpoint = 1e9}, no_longer, NULL),
          KELVIN_ESTOP, "", "");
    kelvin_chains_close(chains);
    const char *path = in_base("broken/chain-000/state.safetensors");
    size_t n, harmless = 0;
    char *bytes = state_bytes(&n, "broken"), *step = strstr(bytes + 8, "\"step\":\"");
    assert_non_null(step);
    const size_t header = header_of(bytes), digits = (size_t)(step - bytes) + 8;
    kelvin_run *run = run_of("broken");
    struct kelvin_chain chain;
    assert_ok(kelvin_chain_create(&chain, run, 0));
    for (uint32_t roll = 0; roll < 300; roll++) {
        const size_t at = roll < 48 ? digits + roll / 8 : dice(roll, (uint32_t)header);
        bytes[at] ^= (char)(1 << roll % 8);
        spill(path, bytes, n);
        const kelvin_status status = kelvin_state_read(&chain, path);
        if (status) fails(status, KELVIN_EFORMAT, "chain-000/state.safetensors", "");
        harmless += !status;
        if (!status && at >= digits && at < digits + 6 && bytes[at] != '"') fail_msg("step %.12s passes", step);
        bytes[at] ^= (char)(1 << roll % 8);
    }
    print_message("%zu of 300 passed: they were in the name of the header's checksum\n", harmless);
    assert_true(harmless < 30);
    kelvin_chain_destroy(&chain);
    kelvin_run_close(run);
    kelvin_free(bytes);
    remove_tree(in_base("broken"));
}

/* Good files, but of another seed, of another chain, of a longer run, of another model. */
static void states_of_others(void **state)
{
    (void)state;
    const struct {
        uint64_t seed;
        uint32_t epochs;
        const char *model, *sentence;
    } table[] = {{7, 50, "mlp:8", "\"seed\" is \"7\", expected 2385"},
                 {2385, 51, "mlp:8", "run.json has changed since"}};
    kelvin_run_config config = tiny();
    half_a_run(&config, "broken");
    for (size_t i = 0; i < 2; i++) {
        size_t n;
        config.seed = table[i].seed;
        config.epochs = table[i].epochs;
        config.model = table[i].model;
        half_a_run(&config, "other");
        char *bytes = state_bytes(&n, "other");
        refused(bytes, n, table[i].sentence);
        kelvin_free(bytes);
        remove_tree(in_base("other"));
    }
    config = tiny();
    whole_run(&config, "other", 1, 0);
    size_t n;
    char *bytes = slurp(in_base("other/chain-001/state.safetensors"), &n);
    refused(bytes, n, "\"chain\" is \"1\", expected 0");
    kelvin_free(bytes);
    remove_tree(in_base("other"));
    remove_tree(in_base("broken"));
}

/* A file whose notes are right, but whose network has other shapes: the run says so and stops. */
static void a_state_of_another_network(void **state)
{
    (void)state;
    static const char config_note[] = "\"config\":\"";
    kelvin_run_config config = tiny();
    size_t n, m;
    half_a_run(&config, "broken");
    config.model = "mlp:9";
    half_a_run(&config, "other");
    char *ours = state_bytes(&n, "broken"), *theirs = state_bytes(&m, "other");
    char *from = strstr(ours + 8, config_note), *to = strstr(theirs + 8, config_note);
    assert_non_null(from);
    assert_non_null(to);
    memcpy(to, from, sizeof config_note - 1 + 8);
    sign_header(theirs, m);
    spill(in_base("broken/chain-000/state.safetensors"), theirs, m);
    assert_int_equal(remove(in_base("broken/chain-000/sample-000.safetensors")), 0);
    kelvin_chains *chains = opened("broken");
    fails(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 1}, NULL, NULL), KELVIN_EFORMAT,
          "chain-000/state.safetensors", "layers.0.weight");
    kelvin_chains_close(chains);
    assert_false(exists(in_base("broken/chain-000/sample-000.safetensors")));
    kelvin_free(ours);
    kelvin_free(theirs);
    remove_tree(in_base("broken"));
    remove_tree(in_base("other"));
}

/* The same run.json but for one number. */
static void edit_config(const char *name, const char *was, const char *is)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base(name), "run.json"));
    edit(path, was, is);
}

/* Whatever field is edited, in whatever way: a chain never goes on with other settings than it began with, and what is
 * there is not reported as if it were by these. Another version is no other run, nor is another way to write it. */
static void an_edited_configuration(void **state)
{
    (void)state;
    const struct {
        const char *was, *is;
    } table[] = {{"\"lr\": 0.01", "\"lr\": 0.02"},
                 {"\"lr\": 0.01", "\"lr\": 0.010000000000000002"},
                 {"\"temperature\": 1.0", "\"temperature\": 0.5"},
                 {"\"epochs\": 50", "\"epochs\": 60"},
                 {"\"schedule\": \"paper\"", "\"schedule\": \"constant\""},
                 {"\"prior\": \"normal:0.1\"", "\"prior\": \"normal:0.2\""},
                 {"\"density\": \"categorical\"", "\"density\": \"dirclip:0.5,-50\""},
                 {"\"model\": \"mlp:8\"", "\"model\": \"mlp:9\""},
                 {"\"momentum\": 0.98", "\"momentum\": 0.97"},
                 {"\"batch\": 4", "\"batch\": 5"},
                 {"\"logit_limit\": 1e5", "\"logit_limit\": 1e6"},
                 {"\"samples\": 3", "\"samples\": 6"},
                 {"\"chains\": 3", "\"chains\": 1"}};
    kelvin_run_config config = tiny();
    config.schedule = config.temperature_schedule = "cyclical";
    const kelvin_run_config plain = tiny();
    half_a_run(&config, "cyclical");
    half_a_run(&plain, "paper");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const bool cycles = strstr(table[i].was, "samples") || strstr(table[i].was, "chains");
        const char *name = cycles ? "cyclical" : "paper";
        edit_config(name, table[i].was, table[i].is);
        kelvin_chains *chains;
        kelvin_run *run;
        fails(kelvin_chains_open(&chains, in_base(name)), KELVIN_EFORMAT, in_base(name),
              "/run.json has changed since chain-000/state.safetensors was written; put it back");
        fails(kelvin_run_read(&run, in_base(name)), KELVIN_EFORMAT, in_base(name), "/run.json has changed since");
        assert_null(run);
        edit_config(name, table[i].is, table[i].was);
    }
    edit_config("paper", "\"kelvin\": \"" KELVIN_VERSION "\"", "\"kelvin\": \"0.1.7\"");
    edit_config("paper", "\"lr\": 0.01", "\"lr\"  :  1e-2");
    kelvin_run_close(run_of("paper"));
    resumed("paper", 2);
    edit_config("paper", "\"kelvin\": \"0.1.7\"", "\"kelvin\": \"" KELVIN_VERSION "\"");
    edit_config("paper", "\"lr\"  :  1e-2", "\"lr\": 0.01");
    whole_run(&plain, "whole", 1, 0);
    same_runs("paper", "whole");
    remove_tree(in_base("paper"));
    remove_tree(in_base("cyclical"));
    remove_tree(in_base("whole"));
}

/* ---- costs ---- */

static double disk_use;

static int add_size(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)place;
    if (type == FTW_F && counts(path)) disk_use += (double)about->st_size;
    return 0;
}

/* "At most", but not much less: headers and decimals are guessed. */
static void estimates_hold(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.data = "digits";
    config.model = "mlp:64,64";
    config.epochs = 4;
    config.batch = 200;
    config.chains = config.samples = 5;
    kelvin_estimate estimate;
    assert_ok(kelvin_run_estimate(&estimate, &config, 2));
    assert_int_equal(estimate.parameters, 64 * 64 + 64 + 64 * 64 + 64 + 64 * 10 + 10);
    assert_int_equal(estimate.chains_at_once, 2);
    assert_int_equal(estimate.threads_per_chain, 1);
    const double began = kelvin_now();
    whole_run(&config, "real", 2, 1e9);
    const double took = kelvin_now() - began;
    disk_use = 0;
    assert_int_equal(nftw(in_base("real"), add_size, 16, FTW_PHYS), 0);
    print_message("disk %.0f, estimated %.0f; %.4f s, estimated %.4f s\n", disk_use, estimate.disk, took,
                  estimate.seconds);
    assert_true(estimate.disk >= disk_use && estimate.disk <= 1.2 * disk_use);
    assert_true(estimate.memory > 4.0 * 2 * (7 * (double)estimate.parameters) && estimate.memory < 20e6);
    assert_true(isfinite(estimate.seconds) && estimate.seconds > 0);
    assert_near(estimate.seconds * estimate.epochs_per_s, 5 * 4, 1e-9);
    assert_ok(kelvin_run_estimate(&estimate, &config, 13));
    assert_int_equal(estimate.chains_at_once, 5);
    assert_int_equal(estimate.threads_per_chain, 2);
    remove_tree(in_base("real"));
}

/* Kilobytes that a process of its own takes at most while it does this run, or, for NULL, nothing. */
static double peak_memory(const kelvin_run_config *config)
{
    struct rusage usage;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (config) whole_run(config, "large", 2, 1e9);
        _exit(0);
    }
    assert_int_equal(wait4(child, NULL, 0, &usage), child);
    return (double)usage.ru_maxrss;
}

/* Two chains of a million parameters. "At most" again: the two may not meet, and the last one may get both threads.
 * The memory of a process counts in other ways under sanitizers. */
static void memory_is_estimated(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip();
#endif
    kelvin_run_config config = tiny();
    config.model = "mlp:1000,1000";
    config.chains = config.samples = 2;
    config.epochs = 1;
    config.batch = 60;
    kelvin_estimate estimate;
    assert_ok(kelvin_run_estimate(&estimate, &config, 2));
    const double used = 1024 * (peak_memory(&config) - peak_memory(NULL));
    print_message("memory %.1f MB, estimated %.1f MB\n", used / 1e6, estimate.memory / 1e6);
    assert_true(estimate.memory > 0.9 * used && estimate.memory < 3 * used);
    remove_tree(in_base("large"));
}

/* One step in all: there is nothing to measure after it. */
static void an_estimate_of_one_step(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.epochs = config.chains = config.samples = 1;
    config.batch = 60;
    kelvin_estimate estimate;
    assert_ok(kelvin_run_estimate(&estimate, &config, 1));
    assert_true(isfinite(estimate.seconds) && estimate.seconds > 0);
    assert_true(isfinite(estimate.epochs_per_s) && estimate.epochs_per_s > 0);
}

static void only_chains_have_estimates(void **state)
{
    (void)state;
    kelvin_run_config config;
    kelvin_estimate estimate;
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    fails(kelvin_run_estimate(&estimate, &config, 1), KELVIN_EUSAGE, "sampler is hmc", "expected sghmc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_samples),
        cmocka_unit_test(chains_from_one_sample_differ),
        cmocka_unit_test(a_start_may_be_gone_later),
        cmocka_unit_test(starts_that_are_refused),
        cmocka_unit_test(a_start_needs_samples),
        cmocka_unit_test(damaged_states),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(states_of_others),
        cmocka_unit_test(a_state_of_another_network),
        cmocka_unit_test(an_edited_configuration),
        cmocka_unit_test(estimates_hold),
        cmocka_unit_test(memory_is_estimated),
        cmocka_unit_test(an_estimate_of_one_step),
        cmocka_unit_test(only_chains_have_estimates),
    };
    return cmocka_run_group_tests(tests, make_first, remove_base);
}
