/* What a run costs, and what is said of it before it is begun: disk, time, and memory, which does not grow with the
 * draws. */
#include "chains_helpers.h"

#include <sys/resource.h>

static double disk_use;

static int add_size(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)place;
    if (type == FTW_F && counts(path)) disk_use += (double)about->st_size;
    return 0;
}

/* Of a run that is not in a folder, and would be. */
static kelvin_status estimate_of(kelvin_estimate *estimate, const kelvin_run_config *config, size_t threads)
{
    kelvin_run *run;
    KELVIN_TRY(kelvin_run_begin(&run, config, NULL));
    const kelvin_status status = kelvin_run_estimate(estimate, run, threads);
    kelvin_run_close(run);
    return status;
}

/* "At most", but not much less: headers and decimals are guessed. */
static void estimate_holds(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.data = "digits";
    config.model = "mlp:64,64";
    config.epochs = config.iterations = 4;
    config.warmup = 1;
    config.batch = 200;
    config.chains = config.samples = 5;
    kelvin_estimate estimate;
    assert_ok(estimate_of(&estimate, &config, 2));
    assert_int_equal(estimate.parameters, 64 * 64 + 64 + 64 * 64 + 64 + 64 * 10 + 10);
    assert_int_equal(estimate.chains_at_once, 2);
    assert_int_equal(estimate.threads_per_chain, 1);
    const double began = kelvin_now();
    whole_run(&config, "real", 2, 1e9);
    const double took = kelvin_now() - began;
    /* while it is at work, states have the draws that are in no file yet; here that is all of them */
    const double draws = type->batches ? 1 : config.iterations;
    disk_use = 5 * draws * (double)estimate.parameters * sizeof(float);
    /* and in the middle of an epoch where that began: parameters and momenta */
    if (type->batches) disk_use += 5 * 2 * (double)estimate.parameters * sizeof(float);
    assert_int_equal(nftw(in_base("real"), add_size, 16, FTW_PHYS), 0);
    print_message("%s: disk %.0f, estimated %.0f; %.4f s, estimated %.4f s\n", type->member.name, disk_use,
                  estimate.disk, took, estimate.seconds);
    assert_true(estimate.disk >= disk_use && estimate.disk <= 1.2 * disk_use);
    assert_true(estimate.memory > 4.0 * 2 * (7 * (double)estimate.parameters) && estimate.memory < 20e6);
    assert_true(isfinite(estimate.seconds) && estimate.seconds > 0 && estimate.seconds < 100 * took);
    assert_near((estimate.seconds - estimate.logits) * estimate.rows_per_s, 5 * 4, 1e-9);
    assert_true(estimate.logits > 0 && estimate.logits < 100 * took);
    assert_ok(estimate_of(&estimate, &config, 13));
    assert_int_equal(estimate.chains_at_once, 5);
    assert_int_equal(estimate.threads_per_chain, 2);
    remove_tree(in_base("real"));
}

static void estimates_hold(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) estimate_holds(kelvin_sampler_info(s));
}

/* What is told of a run at its end. */
static void look_at(const char *folder)
{
    kelvin_samples *samples;
    kelvin_diagnosis *diagnosis;
    kelvin_logits *logits;
    kelvin_metrics *metrics;
    assert_ok(kelvin_samples_open(&samples, folder));
    assert_ok(kelvin_diagnose(&diagnosis, samples, 2));
    kelvin_diagnosis_free(diagnosis);
    assert_ok(kelvin_logits_of_side(&logits, samples, KELVIN_TRAIN, 2));
    assert_ok(kelvin_evaluate(&metrics, logits, &(kelvin_evaluate_options){.threads = 2}));
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
}

/* Kilobytes that a process of its own takes at most while it does this run, or, for NULL, nothing; and looks at it. */
static double peak_memory(const kelvin_run_config *config, size_t threads, bool look)
{
    struct rusage usage;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (config) whole_run(config, "large", threads, 1e9);
        if (look) look_at(in_base("large"));
        _exit(0);
    }
    assert_int_equal(wait4(child, NULL, 0, &usage), child);
    return (double)usage.ru_maxrss;
}

/* Two chains of a million parameters. */
static kelvin_run_config large_by(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.model = "mlp:1000,1000";
    config.chains = config.samples = 2;
    config.epochs = 1;
    config.iterations = 2;
    config.warmup = 0;
    config.batch = 60;
    return config;
}

/* "At most" again: the two may not meet, and the last one may get both threads.
 * The memory of a process counts in other ways under sanitizers. */
static void memory_is_estimated(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip();
#endif
    enum { MOST = 16 };
    double used[MOST];
    assert_true(samplers() <= MOST);
    for (size_t s = 0; s < samplers(); s++) { /* all of them first: after estimates malloc gives back less */
        const kelvin_run_config config = large_by(kelvin_sampler_info(s));
        used[s] = 1024 * (peak_memory(&config, 2, false) - peak_memory(NULL, 2, false));
        remove_tree(in_base("large"));
    }
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_run_config config = large_by(kelvin_sampler_info(s));
        kelvin_estimate estimate;
        assert_ok(estimate_of(&estimate, &config, 2));
        print_message("%s: memory %.1f MB, estimated %.1f MB\n", config.sampler, used[s] / 1e6, estimate.memory / 1e6);
        assert_true(estimate.memory > 0.9 * used[s] && estimate.memory < 3 * used[s]);
    }
}

/* Draws go to disk as they come, and so do histories; their logits are computed one by one, and read in parts. On one
 * thread: of two, chains of a short run may not meet, and it would need the memory of one. */
static void same_memory(kelvin_run_config *config, uint32_t few, uint32_t many)
{
    double used[2];
    for (uint32_t i = 0; i < 2; i++) {
        config->iterations = config->epochs = i == 0 ? few : many;
        config->samples = config->chains * config->epochs;
        config->warmup = config->iterations / 4;
        used[i] = 1024 * peak_memory(config, 1, true);
        remove_tree(in_base("large"));
    }
    print_message("%s, %s: %.1f MB, of %u instead of %u draws %.1f MB\n", config->sampler, config->model, used[0] / 1e6,
                  many, few, used[1] / 1e6);
    assert_true(used[1] < used[0] + 15e6); /* half of the draws; logits come 4 MB at a time, pages may be large */
}

/* Of a small network and of a wide one: the first runs have one file of draws and two. */
static void memory_does_not_grow_with_draws(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip();
#endif
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.data = "toy";
        config.model = "mlp:10,10,10,10,10";
        config.chains = 2;
        config.schedule = config.temperature_schedule = "constant";
        config.batch = 18;
        if (type->batches) set(&config, "lr", 1e-4);
        if (has_setting(type, "steps")) set(&config, "steps", 1);
        if (type->accepts) set(&config, "step_size", 1e-3); /* or a warm-up of thousands ends at once */
        same_memory(&config, 2500, 10000);                  /* 30 MB of draws more */
        config = bundled_by(type);
        same_memory(&config, 2 * BUNDLE, 8 * BUNDLE); /* 38 MB more */
    }
}

/* One step in all: there is nothing to measure after it. */
static void an_estimate_of_one_step(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        config.epochs = config.iterations = config.chains = config.samples = 1;
        config.warmup = 0;
        config.batch = 60;
        kelvin_estimate estimate;
        assert_ok(estimate_of(&estimate, &config, 1));
        assert_true(isfinite(estimate.seconds) && estimate.seconds > 0);
        assert_true(isfinite(estimate.rows_per_s) && estimate.rows_per_s > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow_with_draws), /* first: a process counts what its parent had, too */
        cmocka_unit_test(memory_is_estimated),
        cmocka_unit_test(estimates_hold),
        cmocka_unit_test(an_estimate_of_one_step),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
