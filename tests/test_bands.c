/* run: chains of one thread advance together, and leave the same bytes as one by one. */
#include "chains_helpers.h"

#include "run/job.h"

/* ---- who is with whom ---- */

static size_t lots_of(size_t sizes[32], kelvin_run **runs, size_t n, size_t threads)
{
    struct kelvin_job job = {.runs = runs, .n = n, .options.threads = threads, .team.size = 1};
    assert_ok(kelvin_lots_make(&job));
    size_t chains = 0, all = 0;
    for (size_t r = 0; r < n; r++) all += runs[r]->config.chains;
    for (size_t i = 0; i < job.lots; i++) {
        sizes[i] = job.lot[i].n;
        chains += job.lot[i].n;
    }
    assert_int_equal(chains, all);
    const size_t lots = job.lots;
    kelvin_free(job.lot);
    return lots;
}

/* Threads are not left idle, and lots are as equal as they can be; two chains are better off alone. */
static void lots_are_equal(void **state)
{
    (void)state;
    const struct {
        uint32_t chains, runs;
        size_t threads, lots, size[10];
    } table[] = {
        {1, 1, 1, 1, {1}},       {2, 1, 1, 2, {1, 1}},          {3, 1, 1, 1, {3}},       {3, 1, 2, 3, {1, 1, 1}},
        {3, 2, 2, 2, {3, 3}},    {3, 2, 1, 2, {3, 3}},          {4, 1, 2, 4, {1, 1, 1, 1}}, {8, 1, 2, 2, {4, 4}},
        {16, 2, 2, 4, {8, 8, 8, 8}}, {16, 1, 4, 4, {4, 4, 4, 4}}, {17, 1, 1, 3, {6, 6, 5}}, {7, 1, 2, 2, {4, 3}},
        {5, 1, 2, 3, {3, 1, 1}}, {6, 1, 64, 6, {1, 1, 1, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = tiny_by(sampler_named("hmc"));
        kelvin_run *runs[2];
        size_t sizes[32];
        config.chains = table[i].chains;
        for (size_t r = 0; r < table[i].runs; r++) assert_ok(kelvin_run_begin(&runs[r], &config, NULL));
        assert_int_equal(lots_of(sizes, runs, table[i].runs, table[i].threads), table[i].lots);
        for (size_t k = 0; k < table[i].lots; k++) assert_int_equal(sizes[k], table[i].size[k]);
        for (size_t r = 0; r < table[i].runs; r++) kelvin_run_close(runs[r]);
    }
}

/* By samplers that step one by one, and with layers that are too wide. */
static void others_are_alone(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        kelvin_run *run;
        size_t sizes[32];
        config.chains = config.samples = 4;
        if (kelvin_sampler_info(s)->step_all) config.model = "mlp:1000";
        assert_ok(kelvin_run_begin(&run, &config, NULL));
        assert_int_equal(lots_of(sizes, &run, 1, 1), 4);
        kelvin_run_close(run);
    }
}

/* ---- the same bytes ---- */

static kelvin_run_config small(uint32_t chains)
{
    kelvin_run_config config = tiny_by(sampler_named("hmc"));
    config.chains = chains;
    config.iterations = 12;
    config.warmup = 4;
    return config;
}

/* One by one: as many threads as chains. */
static void same_in_bands(const kelvin_run_config *config)
{
    whole_run(config, "alone", config->chains, 1e9);
    for (size_t threads = 1; threads <= 3; threads++) {
        whole_run(config, "bands", threads, threads == 2 ? 0 : 1e-9);
        same_runs("bands", "alone");
        remove_tree(in_base("bands"));
    }
    remove_tree(in_base("alone"));
}

static void any_number_of_chains(void **state)
{
    (void)state;
    for (uint32_t chains = 1; chains <= 17; chains++) {
        kelvin_run_config config = small(chains);
        if (chains % 2) config.data = short_spec; /* one block; otherwise several shards */
        same_in_bands(&config);
    }
}

/* Trajectories of different lengths, and chains that are cautious at first, each in its own way. */
static void jitter_and_caution(void **state)
{
    (void)state;
    kelvin_run_config config = small(7);
    set(&config, "jitter", 1);
    set(&config, "step_size", 0.3);
    config.warmup = 8;
    same_in_bands(&config);
    config.scale = "0.5,2,1,3";
    config.temperature = 0.1;
    same_in_bands(&config);
}

/* Kernels that are tuned in each chain's own warm-up. */
static void tuned_alone(void **state)
{
    (void)state;
    kelvin_run_config config = small(6);
    set(&config, "step_size", 0);
    set(&config, "steps", 0);
    config.iterations = 30;
    config.warmup = 20;
    same_in_bands(&config);
}

/* A chain that gets nowhere ends early, and the others go on without it. */
static void some_end_early(void **state)
{
    (void)state;
    kelvin_run_config config = small(8);
    config.logit_limit = 15; /* some networks say more */
    config.iterations = 60;
    config.warmup = 30;
    same_in_bands(&config);
    whole_run(&config, "early", 1, 0);
    kelvin_run *run = opened("early");
    uint32_t ended = 0;
    for (uint32_t i = 0; i < config.chains; i++) ended += kelvin_run_diverged(run, i) != NULL;
    print_message("%u of %u chains ended early\n", ended, config.chains);
    assert_true(ended > 0 && ended < config.chains);
    kelvin_run_close(run);
    remove_tree(in_base("early"));
}

/* Runs of one job, of different posteriors, in memory. */
static void several_runs_at_once(void **state)
{
    (void)state;
    kelvin_run_config config[2] = {small(5), small(3)};
    config[1].density = "dirclip:0.6,-50";
    const char *names[2] = {"first", "second"}, *others[2] = {"one", "two"};
    for (size_t i = 0; i < 2; i++) whole_run(&config[i], others[i], config[i].chains, 1e9);
    for (size_t threads = 1; threads <= 3; threads++) {
        kelvin_run *runs[2];
        for (size_t i = 0; i < 2; i++) runs[i] = started(&config[i], names[i]);
        assert_ok(kelvin_run_sample(runs, 2, &(kelvin_run_options){.threads = threads}, NULL, NULL));
        for (size_t i = 0; i < 2; i++) {
            kelvin_run_close(runs[i]);
            same_runs(names[i], others[i]);
            remove_tree(in_base(names[i]));
        }
    }
}

/* ---- stopped ---- */

struct stopper {
    uint32_t chain, row; /* says stop when this chain has come so far */
};

static bool stop_there(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    const struct stopper *stopper = context;
    (void)run;
    return news->phase != KELVIN_CHAIN_DONE || news->chain != stopper->chain;
}

/* Chains that were taken up at different places: --rows leaves some further on than others. */
static void taken_up_at_different_places(void **state)
{
    (void)state;
    kelvin_run_config config = small(8);
    set(&config, "jitter", 0.8);
    whole_run(&config, "alone", 8, 1e9);
    kelvin_run *run = started(&config, "places");
    /* chains 0 to 3 end, the others stand where they are then */
    struct stopper stopper = {.chain = 0};
    const kelvin_status status =
        kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2, .checkpoint = 0}, stop_there, &stopper);
    fails(status, KELVIN_ESTOP, "stopped", "request");
    kelvin_run_close(run);
    run = opened("places");
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1, .rows = 7}, NULL, NULL));
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 3, .rows = 9}, NULL, NULL));
    kelvin_run_close(run);
    resumed("places", 1);
    same_runs("places", "alone");
    remove_tree(in_base("places"));
    remove_tree(in_base("alone"));
}

/* Some chains of a lot are new, since somebody removed their folders. */
static void some_are_behind(void **state)
{
    (void)state;
    kelvin_run_config config = small(7);
    set(&config, "jitter", 0.8);
    whole_run(&config, "alone", 7, 1e9);
    kelvin_run *run = started(&config, "behind");
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1, .rows = 5}, NULL, NULL));
    kelvin_run_close(run);
    remove_tree(in_base("behind/chain-001"));
    remove_tree(in_base("behind/chain-004"));
    resumed("behind", 1);
    same_runs("behind", "alone");
    remove_tree(in_base("behind"));
    remove_tree(in_base("alone"));
}

static kelvin_status sample_in_memory(void *context)
{
    kelvin_run *run;
    KELVIN_TRY(kelvin_run_begin(&run, context, NULL));
    const kelvin_status status = kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1}, NULL, NULL);
    kelvin_run_close(run);
    return status;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    kelvin_run_config config = small(7);
    config.iterations = 3;
    config.warmup = 1;
    assert_true(without_memory(sample_in_memory, &config) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lots_are_equal),       cmocka_unit_test(others_are_alone),
        cmocka_unit_test(any_number_of_chains), cmocka_unit_test(jitter_and_caution),
        cmocka_unit_test(tuned_alone),          cmocka_unit_test(some_end_early),
        cmocka_unit_test(several_runs_at_once), cmocka_unit_test(taken_up_at_different_places),
        cmocka_unit_test(some_are_behind),      cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
