/* Runs: configurations that make no sense, same bits with any number of threads, folders that read back as they were
 * written. */
#include "run_helpers.h"

#include "run/room.h"

#include <errno.h>
#include <math.h>
#include <time.h>

/* ---- configuration ---- */

static void defaults_are_figure_1(void **state)
{
    (void)state;
    kelvin_run_config c;
    assert_ok(kelvin_run_defaults(&c, "hmc"));
    assert_string_equal(c.density, "dirclip:1.4,-50");
    assert_string_equal(c.prior, "normal:1");
    assert_true(c.chains == 3 && c.iterations == 500 && c.warmup == 150 && c.seed == 0);
    assert_true(c.step_size == 4e-4f && c.steps == 10000 && c.temperature == 1);
    kelvin_run *run;
    assert_ok(kelvin_run_create(&run, &c));
    assert_int_equal(run->model->n_params, 492);
    kelvin_run_close(run);
    kelvin_run_close(NULL);
}

static void bad_configurations(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *data, *model, *density, *prior, *sentence;
        uint32_t chains, iterations, warmup, steps;
        double temperature;
    } table[] = {
        {"nuts", "toy", "mlp:3", "categorical", "none", "nuts", 1, 2, 1, 1, 1},
        {"hmc", "toys", "mlp:3", "categorical", "none", "toys", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlq:3", "categorical", "none", "mlq", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categoric", "none", "categoric", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "nothing", "nothing", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", NULL, "no prior is given", 1, 2, 1, 1, 1},
        {"hmc", NULL, "mlp:3", "categorical", "none", "no data is given", 1, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "chains is 0", 0, 2, 1, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "iterations is 0", 1, 0, 0, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "warmup is 7 of 7", 1, 7, 7, 1, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "steps", 1, 2, 1, 0, 1},
        {"hmc", "toy", "mlp:3", "categorical", "none", "temperature", 1, 2, 1, 1, -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const kelvin_run_config config = {.sampler = table[i].sampler,
                                          .data = table[i].data,
                                          .model = table[i].model,
                                          .density = table[i].density,
                                          .prior = table[i].prior,
                                          .chains = table[i].chains,
                                          .iterations = table[i].iterations,
                                          .warmup = table[i].warmup,
                                          .step_size = 1e-3f,
                                          .steps = table[i].steps,
                                          .temperature = table[i].temperature};
        kelvin_run *run = (kelvin_run *)&config;
        fails(kelvin_run_create(&run, &config), KELVIN_EUSAGE, "", table[i].sentence);
        assert_null(run);
    }
    kelvin_run_config huge = small();
    huge.chains = huge.iterations = UINT32_MAX;
    huge.warmup = UINT32_MAX - 1;
    kelvin_run *run;
    fails(kelvin_run_create(&run, &huge), KELVIN_ENOMEM, "", "cannot be addressed");
}

/* ---- sampling ---- */

static void threads_do_not_matter(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    static const char *const names[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        kelvin_run *run = sampled(&config, i + 1);
        assert_ok(kelvin_run_claim(in_base(names[i])));
        assert_ok(kelvin_run_write(run, in_base(names[i])));
        kelvin_run_close(run);
    }
    same_folders(in_base("one"), in_base("two"));
    same_folders(in_base("one"), in_base("three"));
}

static void runs_together_are_as_alone(void **state)
{
    (void)state;
    kelvin_run_config config = small();
    kelvin_run *alone[2], *runs[2];
    for (size_t i = 0; i < 2; i++) {
        alone[i] = sampled(&config, 1);
        assert_ok(kelvin_run_create(&runs[i], &config));
        config.density = "categorical";
        config.prior = "none";
        config.chains = 3;
        config.temperature = 0.25;
    }
    assert_ok(kelvin_run_sample(runs, 2, 3, NULL, NULL));
    for (size_t i = 0; i < 2; i++) {
        const size_t rows = (size_t)runs[i]->config.chains * runs[i]->config.iterations;
        assert_memory_equal(runs[i]->draws, alone[i]->draws, rows * runs[i]->model->n_params * sizeof(float));
        assert_true(runs[i]->seconds > 0);
    }
    assert_true(memcmp(runs[0]->draws, runs[1]->draws, 492 * sizeof(float)) != 0);
    for (size_t i = 0; i < 2; i++) {
        kelvin_run_close(runs[i]);
        kelvin_run_close(alone[i]);
    }
}

/* One step of 1e-12 leaves the start where it is: N(0, 1) in the double version of the generator, whose numbers are at
 * most 7; the float version may be off by a few ulps of that (2^-22), and the step by 1e-12 times a gradient. */
static void chains_start_from_normals(void **state)
{
    (void)state;
    kelvin_run_config config = small();
    config.step_size = 1e-12f;
    config.steps = 1;
    kelvin_run *run = sampled(&config, 2);
    for (uint32_t chain = 0; chain < 2; chain++) {
        const kelvin_random where = {.seed = config.seed, .chain = chain, .stream = KELVIN_STREAM_INIT};
        const float *theta = run->draws + (size_t)chain * config.iterations * 492;
        for (size_t i = 0; i < 492; i++) assert_true(fabs((double)theta[i] - kelvin_normal(where, i)) < 4 * 0x1p-22);
    }
    kelvin_run_close(run);
}

/* Logits and accuracy belong to the draws that they stand beside. */
static void logits_belong_to_draws(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    kelvin_run *run = sampled(&config, 2);
    const size_t n = run->data->train.n, kept = config.iterations - config.warmup;
    kelvin_weights *weights;
    kelvin_net *net;
    float logits[36];
    assert_int_equal(n * run->data->classes, 36);
    assert_ok(kelvin_weights_create(&weights, run->model));
    assert_ok(kelvin_net_create(&net, run->model));
    float *packed = kelvin_alloc(kelvin_model_packed(run->model, n), sizeof *packed);
    kelvin_model_pack(run->model, packed, run->data->train.x, n);
    for (size_t row = 0; row < config.chains * config.iterations; row++) {
        const size_t chain = row / config.iterations, i = row % config.iterations;
        kelvin_weights_set(weights, run->draws + row * 492, false);
        kelvin_net_logits(net, logits, weights, packed, n);
        assert_true(kelvin_run_inside(run)->accuracy[row] == kelvin_mean_accuracy(logits, run->data->train.y, 1, n, 2));
        if (i < config.warmup) continue;
        assert_memory_equal(run->logits + (chain * kept + i - config.warmup) * 36, logits, sizeof logits);
    }
    kelvin_free(packed);
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    kelvin_run_close(run);
}

struct watch {
    size_t calls, stops;
    bool stop;        /* as soon as both chains are on their way */
    uint32_t next[2]; /* the iteration that each chain must report next */
};

static bool watcher(void *context, const kelvin_run *run, uint32_t chain, uint32_t iteration,
                    const kelvin_hmc_info *info)
{
    struct watch *watch = context;
    assert_true(iteration == watch->next[chain]++);
    assert_memory_equal(info, &run->info[chain * run->config.iterations + iteration], sizeof *info);
    watch->calls++;
    if (!watch->stop || watch->next[0] == 0 || watch->next[1] == 0) return true;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* the other chain comes to wait for its turn */
    watch->stops++;
    return false;
}

static void progress_and_stop(void **state)
{
    (void)state;
    kelvin_run_config config = small();
    config.iterations = 200;
    kelvin_run *run;
    assert_ok(kelvin_run_create(&run, &config));
    fails(kelvin_run_write(run, in_base("never")), KELVIN_EUSAGE, "never", "has not been sampled");
    struct watch watch = {0};
    assert_ok(kelvin_run_sample(&run, 1, 2, watcher, &watch));
    assert_int_equal(watch.calls, 400);
    watch = (struct watch){.stop = true};
    fails(kelvin_run_sample(&run, 1, 2, watcher, &watch), KELVIN_ESTOP, "", "stopped");
    assert_int_equal(watch.stops, 1); /* nobody is asked after the one who said stop */
    assert_true(watch.calls < 400);
    fails(kelvin_run_write(run, in_base("never")), KELVIN_EUSAGE, "never", "has not been sampled");
    assert_false(exists(in_base("never")));
    /* A chain that fails stops those after it: the third allocation is the first chain's, after two for the thread. */
    watch = (struct watch){0};
    kelvin_alloc_fail_at(3);
    fails(kelvin_run_sample(&run, 1, 1, watcher, &watch), KELVIN_ENOMEM, "", "out of memory");
    assert_int_equal(watch.calls, 0);
    kelvin_run_close(run);
}

/* ---- the folder ---- */

static void check_same_run(const kelvin_run *a, const kelvin_run *b)
{
    const size_t rows = (size_t)a->config.chains * a->config.iterations;
    const size_t kept = (size_t)a->config.chains * (a->config.iterations - a->config.warmup);
    assert_string_equal(a->config.density, b->config.density);
    assert_string_equal(a->config.prior, b->config.prior);
    assert_true(a->config.seed == b->config.seed && a->config.warmup == b->config.warmup);
    assert_true(a->config.step_size == b->config.step_size && a->config.steps == b->config.steps);
    assert_true(a->config.temperature == b->config.temperature && a->seconds == b->seconds);
    assert_memory_equal(a->draws, b->draws, rows * a->model->n_params * sizeof(float));
    assert_memory_equal(a->logits, b->logits, kept * a->data->train.n * a->data->classes * sizeof(float));
    for (size_t i = 0; i < rows; i++) {
        assert_true(a->info[i].accepted == b->info[i].accepted && a->info[i].logp == b->info[i].logp);
        assert_true(a->info[i].acceptance == b->info[i].acceptance);
        assert_memory_equal(&a->info[i].energy_error, &b->info[i].energy_error, sizeof(double));
    }
}

static void round_trip(void **state)
{
    (void)state;
    kelvin_run_config config = small();
    const uint64_t seeds[] = {0, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1, UINT64_MAX};
    config.temperature = 1.0 / 3;
    config.step_size = 1.1e-3f;
    for (size_t i = 0; i < 4; i++) {
        config.seed = seeds[i];
        kelvin_run *run = sampled(&config, 2), *back;
        char seed[40];
        snprintf(seed, sizeof seed, i < 2 ? "\"seed\": %llu," : "\"seed\": \"%llu\",", (unsigned long long)seeds[i]);
        run->info[3].energy_error = INFINITY; /* as a trajectory that diverged leaves it */
        assert_ok(kelvin_run_write(run, in_base("trip")));
        assert_ok(kelvin_run_read(&back, in_base("trip")));
        check_same_run(run, back);
        size_t bytes;
        char *text = slurp(in_base("trip/run.json"), &bytes);
        assert_non_null(strstr(text, seed)); /* no reader of JSON rounds it */
        kelvin_free(text);
        assert_ok(kelvin_run_write(back, in_base("trip again")));
        same_folders(in_base("trip"), in_base("trip again"));
        same_bytes(in_base("trip/times.json"), in_base("trip again/times.json"));
        kelvin_run_close(back);
        kelvin_run_close(run);
        remove_tree(in_base("trip"));
        remove_tree(in_base("trip again"));
    }
}

/* The checksums are zlib.crc32 of the 18 points (float32) and of their labels (int32) in Python; there is no test part.
 */
static void run_json_is_readable(void **state)
{
    (void)state;
    size_t bytes;
    char *text = slurp(in_base("one/run.json"), &bytes);
    assert_string_equal(text, "{\n"
                              "  \"kelvin\": \"" KELVIN_VERSION "\",\n"
                              "  \"sampler\": \"hmc\",\n"
                              "  \"data\": \"toy\",\n"
                              "  \"data_crc32\": \"7cc91241-cf447314-00000000-00000000\",\n"
                              "  \"model\": \"mlp:10,10,10,10,10\",\n"
                              "  \"density\": \"dirclip:1.4,-50\",\n"
                              "  \"prior\": \"normal:1\",\n"
                              "  \"seed\": 2385,\n"
                              "  \"chains\": 2,\n"
                              "  \"iterations\": 6,\n"
                              "  \"warmup\": 2,\n"
                              "  \"step_size\": 0.0004,\n"
                              "  \"steps\": 20,\n"
                              "  \"temperature\": 1.0\n"
                              "}\n");
    kelvin_free(text);
}

static void claims(void **state)
{
    (void)state;
    assert_ok(kelvin_run_claim(in_base("claimed")));
    fails(kelvin_run_claim(in_base("claimed")), KELVIN_EUSAGE, "claimed", "already exists; choose another name");
    kelvin_run_abandon(in_base("claimed"));
    assert_false(exists(in_base("claimed")));
    spill(in_base("file"), "x", 1);
    fails(kelvin_run_claim(in_base("file")), KELVIN_EUSAGE, "file", "already exists");
    fails(kelvin_run_claim(in_base("file/run")), KELVIN_EUSAGE, "file/run", strerror(ENOTDIR));
    fails(kelvin_run_claim(in_base("no/such/run")), KELVIN_EUSAGE, "no/such/run", strerror(ENOENT));
    char name[KELVIN_PATH_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    fails(kelvin_run_claim(name), KELVIN_EUSAGE, "xxx", "longer than");
    /* What is not empty stays. */
    kelvin_run_abandon(in_base("one"));
    assert_true(exists(in_base("one/run.json")));
}

/* ---- memory ---- */

static kelvin_status whole_life(const char *folder)
{
    const kelvin_run_config config = small();
    kelvin_run *run = NULL, *back = NULL;
    kelvin_status status = kelvin_run_create(&run, &config);
    if (!status) status = kelvin_run_sample(&run, 1, 2, NULL, NULL);
    if (!status) status = kelvin_run_write(run, folder);
    if (!status) status = kelvin_run_read(&back, folder);
    kelvin_run_close(back);
    kelvin_run_close(run);
    return status;
}

/* The n-th allocation fails, for every n: a status and a sentence, no crash, and (under a sanitizer) nothing lost. */
static void no_memory(void **state)
{
    (void)state;
    size_t n = 0;
    for (kelvin_status status = KELVIN_ENOMEM; status; remove_tree(in_base("memory"))) {
        kelvin_alloc_fail_at(++n);
        status = whole_life(in_base("memory"));
        kelvin_alloc_fail_at(0);
        if (status) fails(status, KELVIN_ENOMEM, "", "out of memory");
    }
    assert_true(n > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_figure_1),
        cmocka_unit_test(bad_configurations),
        cmocka_unit_test(threads_do_not_matter), /* leaves the folder "one" for those below */
        cmocka_unit_test(runs_together_are_as_alone),
        cmocka_unit_test(chains_start_from_normals),
        cmocka_unit_test(logits_belong_to_draws),
        cmocka_unit_test(progress_and_stop),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(run_json_is_readable),
        cmocka_unit_test(claims),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
