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
    assert_true(isfinite(estimate.seconds) && estimate.seconds > 0 && estimate.seconds < 100 * took);
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

