/* States that chains leave: damaged, of another chain or another run; and configurations that were edited. */
#include "chains_helpers.h"

/* ---- damaged states ---- */

/* Opening, or going on, fails with a sentence about chain 0 and what helps, and changes nothing: neither the state nor
 * the files beside it. */
static void refused(const char *bytes, size_t n, const char *sentence)
{
    kelvin_run *run;
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base("broken"), KELVIN_STATE_FILE, 0));
    spill(path, bytes, n);
    kelvin_status status = kelvin_run_open(&run, in_base("broken"));
    if (status) assert_null(run);
    if (!status) status = sample(run, 1, 0);
    fails(status, KELVIN_EFORMAT, "chain-000/state.safetensors", sentence);
    fails(status, KELVIN_EFORMAT, "remove ", "broken/chain-000, and resuming ");
    kelvin_run_close(run);
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
    kelvin_run *run = started(config, name);
    const kelvin_run_options options = {.threads = 1, .checkpoint = 0};
    fails(kelvin_run_sample(&run, 1, &options, stop_after_one, NULL), KELVIN_ESTOP, "stopped", "");
    kelvin_run_close(run);
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
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        size_t n;
        half_a_run(&config, "broken");
        char *bytes = state_bytes(&n, "broken");
        const size_t header = header_of(bytes);
        for (uint32_t roll = 0; roll < 100; roll++) {
            const size_t at = header + dice(roll, (uint32_t)(n - header));
            bytes[at] ^= (char)(1 << roll % 8);
            refused(bytes, n, "the file is damaged");
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
}

/* A state of the middle of an epoch or of a bundle, after so many steps. */
static void write_state(const char *path, const kelvin_run *run, uint32_t steps)
{
    struct kelvin_chain chain;
    assert_ok(kelvin_chain_create(&chain, run, 0));
    assert_ok(kelvin_chain_threads(&chain, 1));
    assert_ok(kelvin_chain_begin(&chain));
    while (chain.step < steps) assert_ok(kelvin_chain_step(&chain));
    assert_ok(kelvin_snapshot_create(&chain.now, run));
    kelvin_chain_now(&chain.now, &chain);
    assert_ok(kelvin_state_write(path, &chain, &chain.now, &chain.good, &chain.bundle));
    kelvin_chain_destroy(&chain);
}

/* Whatever bit of the header flips, the file is refused, or is what it was: by its checksum all but those that make a
 * file of an earlier version of it, which has none. */
static void damaged_header(const kelvin_sampler_type *type)
{
    enum { STEPS = 1234 };
    kelvin_run_config config = tiny_by(type);
    config.epochs = config.iterations = 2000;
    kelvin_run *run = started(&config, "broken");
    const char *path = in_base("broken/chain-000/state.safetensors");
    write_state(path, run, STEPS);
    size_t n, harmless = 0;
    char *bytes = state_bytes(&n, "broken"), *step = strstr(bytes + 8, "\"step\":\"1234\"");
    assert_non_null(step);
    const size_t header = header_of(bytes), digits = (size_t)(step - bytes) + 8;
    struct kelvin_chain chain;
    assert_ok(kelvin_chain_create(&chain, run, 0));
    for (uint32_t roll = 0; roll < 300; roll++) {
        const size_t at = roll < 32 ? digits + roll / 8 : dice(roll, (uint32_t)header);
        bytes[at] ^= (char)(1 << roll % 8);
        spill(path, bytes, n);
        const kelvin_status status = kelvin_state_read(&chain, path);
        if (status) fails(status, KELVIN_EFORMAT, "chain-000/state.safetensors", "");
        harmless += !status;
        if (!status) assert_int_equal(chain.now.step, STEPS);
        bytes[at] ^= (char)(1 << roll % 8);
    }
    print_message("%s: %zu of 300 passed: they were in the name of the header's checksum\n", type->member.name,
                  harmless);
    assert_true(harmless < 30);
    kelvin_chain_destroy(&chain);
    kelvin_run_close(run);
    kelvin_free(bytes);
    remove_tree(in_base("broken"));
}

static void damaged_headers(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) damaged_header(kelvin_sampler_info(s));
}

/* A good file of another run takes the place of the state of chain 0. */
static void refuse_other(const kelvin_run_config *config, const char *sentence)
{
    size_t n;
    half_a_run(config, "other");
    char *bytes = state_bytes(&n, "other");
    refused(bytes, n, sentence);
    kelvin_free(bytes);
    remove_tree(in_base("other"));
}

/* Good files, but of another seed, of a longer run, of another chain, by another sampler. */
static void states_of_others(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        kelvin_run_config other = config;
        half_a_run(&config, "broken");
        other.seed = 7;
        refuse_other(&other, "\"seed\" is \"7\", expected 2385");
        other = config;
        other.epochs = other.iterations = 51;
        refuse_other(&other, "run.json has changed since");
        other = tiny_by(kelvin_sampler_info((s + 1) % samplers()));
        refuse_other(&other, "is of another run");
        whole_run(&config, "other", 1, 0);
        size_t n;
        char *bytes = slurp(in_base("other/chain-001/state.safetensors"), &n);
        refused(bytes, n, "\"chain\" is \"1\", expected 0");
        kelvin_free(bytes);
        remove_tree(in_base("other"));
        remove_tree(in_base("broken"));
    }
}

/* A file whose notes are right, but whose network has other shapes: the run says so and stops. */
static void a_state_of_another_network(void **state)
{
    (void)state;
    static const char config_note[] = "\"config\":\"";
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        size_t n, m;
        half_a_run(&config, "broken");
        config.model = "mlp:9";
        half_a_run(&config, "other");
        char *ours = state_bytes(&n, "broken"), *theirs = state_bytes(&m, "other");
        char *from_here = strstr(ours + 8, config_note), *to = strstr(theirs + 8, config_note);
        assert_non_null(from_here);
        assert_non_null(to);
        memcpy(to, from_here, sizeof config_note - 1 + 8);
        sign_header(theirs, m);
        refused(theirs, m, "layers.0.weight");
        kelvin_free(ours);
        kelvin_free(theirs);
        remove_tree(in_base("broken"));
        remove_tree(in_base("other"));
    }
}

/* ---- edited configurations ---- */

/* The same run.json but for one number. */
static void edit_config(const char *name, const char *was, const char *is)
{
    kelvin_path path;
    assert_ok(kelvin_path_join(path, in_base(name), "run.json"));
    edit(path, was, is);
}

/* The manifest tells; and where that was removed, the states do. */
static void edit_is_seen(const char *name, const char *was, const char *is)
{
    kelvin_run *run;
    kelvin_samples *samples;
    kelvin_path manifest, aside;
    assert_ok(kelvin_path_join(manifest, in_base(name), "manifest"));
    assert_ok(kelvin_path_join(aside, base, "aside"));
    edit_config(name, was, is);
    fails(kelvin_run_open(&run, in_base(name)), KELVIN_EFORMAT, "/run.json: is not as the run left it", "put it back");
    assert_null(run);
    fails(kelvin_samples_open(&samples, in_base(name)), KELVIN_EFORMAT, "/run.json: is not as the run left it",
          "put it back");
    assert_null(samples);
    assert_int_equal(rename(manifest, aside), 0);
    fails(kelvin_run_open(&run, in_base(name)), KELVIN_EFORMAT, in_base(name), "run.json has changed since");
    assert_null(run);
    fails(kelvin_samples_open(&samples, in_base(name)), KELVIN_EFORMAT, in_base(name), "has no manifest");
    assert_null(samples);
    assert_false(exists(manifest));
    assert_int_equal(rename(aside, manifest), 0);
    edit_config(name, is, was);
}

/* Whatever field is edited, in whatever way: a chain never goes on with other settings than it began with, and what is
 * there is not reported as if it were by these. */
static void an_edited_configuration(void **state)
{
    (void)state;
    const struct {
        const char *name, *was, *is;
    } table[] = {{"paper", "\"lr\": 0.01", "\"lr\": 0.02"},
                 {"paper", "\"lr\": 0.01", "\"lr\": 0.010000000000000002"},
                 {"paper", "\"temperature\": 1.0", "\"temperature\": 0.5"},
                 {"paper", "\"epochs\": 50", "\"epochs\": 60"},
                 {"paper", "\"schedule\": \"paper\"", "\"schedule\": \"constant\""},
                 {"paper", "\"prior\": \"normal:0.1\"", "\"prior\": \"normal:0.2\""},
                 {"paper", "\"density\": \"categorical\"", "\"density\": \"dirclip:0.5,-50\""},
                 {"paper", "\"model\": \"mlp:8\"", "\"model\": \"mlp:9\""},
                 {"paper", "\"momentum\": 0.98", "\"momentum\": 0.97"},
                 {"paper", "\"batch\": 4", "\"batch\": 5"},
                 {"paper", "\"logit_limit\": 1e5", "\"logit_limit\": 1e6"},
                 {"cyclical", "\"samples\": 3", "\"samples\": 6"},
                 {"cyclical", "\"chains\": 3", "\"chains\": 1"},
                 {"hmc-run", "\"steps\": 5", "\"steps\": 6"},
                 {"hmc-run", "\"step_size\": 0.05", "\"step_size\": 0.06"},
                 {"hmc-run", "\"warmup\": 10", "\"warmup\": 11"},
                 {"hmc-run", "\"iterations\": 50", "\"iterations\": 60"},
                 {"mclmc-run", "\"energy_variance\": 0.0005", "\"energy_variance\": 0.0006"},
                 {"mclmc-run", "\"length\": 0.0", "\"length\": 1.0"},
                 {"mclmc-run", "\"chains\": 3", "\"chains\": 2"}};
    kelvin_run_config cyclical = tiny();
    cyclical.schedule = cyclical.temperature_schedule = "cyclical";
    const kelvin_run_config plain = tiny();
    const kelvin_run_config hmc = tiny_by(sampler_named("hmc")), mclmc = tiny_by(sampler_named("mclmc"));
    half_a_run(&cyclical, "cyclical");
    half_a_run(&plain, "paper");
    half_a_run(&hmc, "hmc-run");
    half_a_run(&mclmc, "mclmc-run");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) edit_is_seen(table[i].name, table[i].was, table[i].is);
    remove_tree(in_base("paper"));
    remove_tree(in_base("cyclical"));
    remove_tree(in_base("hmc-run"));
    remove_tree(in_base("mclmc-run"));
}

/* Another version is no other run, nor is another way to write it; whoever wants that says so by removing the manifest.
 */
static void a_configuration_in_other_words(void **state)
{
    (void)state;
    const kelvin_run_config config = tiny();
    half_a_run(&config, "paper");
    for (int round = 0; round < 2; round++) {
        static const char ours[] = "\"kelvin\": \"" KELVIN_VERSION "\"",
                          theirs[] = "\"kelvin\": \"" KELVIN_VERSION "-x\"";
        edit_config("paper", round == 0 ? ours : theirs, round == 0 ? theirs : ours);
        edit_config("paper", round == 0 ? "\"lr\": 0.01" : "\"lr\"  :  1e-2",
                    round == 0 ? "\"lr\"  :  1e-2" : "\"lr\": 0.01");
        kelvin_run *run;
        fails(kelvin_run_open(&run, in_base("paper")), KELVIN_EFORMAT, "run.json", "put it back");
        assert_int_equal(remove(in_base("paper/manifest")), 0);
        kelvin_run_close(opened("paper"));
        resumed("paper", 2);
    }
    whole_run(&config, "whole", 1, 0);
    same_runs("paper", "whole");
    remove_tree(in_base("paper"));
    remove_tree(in_base("whole"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_states),          cmocka_unit_test(damaged_headers),
        cmocka_unit_test(states_of_others),        cmocka_unit_test(a_state_of_another_network),
        cmocka_unit_test(an_edited_configuration), cmocka_unit_test(a_configuration_in_other_words),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
