/* The page's C on this machine: its chain against a run of the library on `toy`, its maps against predictions of that
 * run, and what happens when memory is short. */
#include "config_helpers.h"

#include "base/memory.h"
#include "web/c/explorer.h"

#include <kelvin/posterior.h>

#include <math.h>

enum { N = 18, ITERATIONS = 14, WARMUP = 4, SIDE = 9 };

static const struct explorer_posterior how = {.model = "mlp:6,5",
                                              .density = "dirclip:0.7,-30",
                                              .prior = "normal:1.5",
                                              .temperature = 0.8,
                                              .step_size = 0.003,
                                              .steps = 40,
                                              .warmup = WARMUP,
                                              .seed = 11,
                                              .chain = 1};
static const double box[4] = {-0.3, -1.1, 1.2, 0.25};

static float x[2 * N];
static int32_t y[N];

static struct explorer_chain *begun(void)
{
    struct explorer_chain *chain = explorer_chain_create();
    assert_non_null(chain);
    assert_int_equal(explorer_toy(x, y), N);
    assert_true(explorer_chain_begin(chain, &how, x, y, N, false));
    assert_true(explorer_chain_lattice(chain, SIDE, box));
    return chain;
}

/* The same posterior by a configuration: chains 0 and 1, of which the second is ours. */
static kelvin_samples *run_by_the_library(kelvin_run **run)
{
    static const char *const said[][2] = {{"preset", "paper"},
                                          {"sampler", "hmc"},
                                          {"data", "toy"},
                                          {"model", "mlp:6,5"},
                                          {"density", "dirclip:0.7,-30"},
                                          {"prior", "normal:1.5"},
                                          {"temperature", "0.8"},
                                          {"step_size", "0.003"},
                                          {"steps", "40"},
                                          {"iterations", "14"},
                                          {"warmup", "4"},
                                          {"seed", "11"},
                                          {"chains", "2"},
                                          {"jitter", "0"}};
    kelvin_config *config;
    kelvin_samples *samples;
    assert_ok(kelvin_config_create(&config));
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_ok(kelvin_config_set(config, said[i][0], said[i][1]));
    assert_ok(kelvin_run_start(run, config, NULL));
    assert_ok(kelvin_run_sample(run, 1, NULL, NULL, NULL));
    assert_ok(kelvin_samples_of(&samples, *run));
    kelvin_config_destroy(config);
    return samples;
}

static void draws_and_maps_are_those_of_a_run(void **state)
{
    (void)state;
    enum { DRAWS = ITERATIONS - WARMUP };
    kelvin_run *run;
    kelvin_samples *samples = run_by_the_library(&run);
    struct explorer_chain *chain = begun();
    const size_t n = explorer_chain_parameters(chain);
    float theta[200], z[DRAWS * 2][SIDE * SIDE][2], places[SIDE * SIDE][2];
    assert_true(n < 200);
    assert_int_equal(kelvin_samples_count(samples), 2 * DRAWS);
    for (size_t i = 0; i < ITERATIONS; i++) {
        assert_true(explorer_chain_step(chain));
        if (i < WARMUP) continue;
        assert_ok(kelvin_samples_read(samples, theta, DRAWS + i - WARMUP));
        assert_memory_equal(theta, explorer_chain_theta(chain), n * sizeof *theta);
    }
    assert_int_equal(explorer_chain_draws(chain), DRAWS);
    assert_int_equal(explorer_chain_summed(chain), DRAWS);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        places[i][0] = (float)(box[0] + (box[2] - box[0]) * (double)(i % SIDE) / (SIDE - 1));
        places[i][1] = (float)(box[1] + (box[3] - box[1]) * (double)(i / SIDE) / (SIDE - 1));
    }
    assert_ok(kelvin_predict_logits(samples, z[0][0], places[0], SIDE * SIDE, 1));
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        double p = 0, entropy = 0;
        for (size_t s = DRAWS; s < 2 * DRAWS; s++) {
            const double q = 1 / (1 + exp((double)z[s][i][1] - (double)z[s][i][0]));
            p += q;
            entropy -= q > 0 && q < 1 ? q * log(q) + (1 - q) * log1p(-q) : 0;
        }
        /* sums of ten floats, each good to some units of 6e-8 */
        assert_near(explorer_chain_map(chain)[i], p, DRAWS * 5e-7);
        assert_near(explorer_chain_entropy(chain)[i], entropy, DRAWS * 1e-6);
    }
    explorer_chain_destroy(chain);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

static void a_warm_up_forgets_its_first_half(void **state)
{
    (void)state;
    static const size_t summed[] = {1, 1, 1, 2, 1, 2, 3, 4, 5};
    struct explorer_chain *chain = begun();
    for (size_t i = 0; i < sizeof summed / sizeof *summed; i++) {
        assert_true(explorer_chain_step(chain));
        assert_int_equal(explorer_chain_summed(chain), summed[i]);
        assert_int_equal(explorer_chain_iteration(chain), i + 1);
    }
    explorer_chain_destroy(chain);
}

static void numbers_are_of_what_is_shown(void **state)
{
    (void)state;
    struct explorer_chain *chain = begun();
    for (size_t i = 0; i < WARMUP + 3; i++) assert_true(explorer_chain_step(chain));
    assert_true(explorer_chain_accuracy(chain) >= 0 && explorer_chain_accuracy(chain) <= 1);
    assert_true(explorer_chain_acceptance(chain) > 0 && explorer_chain_acceptance(chain) <= 1);
    assert_true(explorer_chain_step_size(chain) == 0.003);
    assert_true(explorer_chain_gradients(chain) == 40 * (WARMUP + 3));
    assert_true(isfinite(explorer_chain_log_posterior(chain)));
    explorer_chain_destroy(chain);
}

/* A chain that could not begin says so, and can begin again. */
static void failures_leave_nothing_behind(void **state)
{
    (void)state;
    struct explorer_chain *chain = begun();
    size_t failed = 0;
    bool ok = false;
    for (size_t n = 1; !ok; n++, failed++) {
        kelvin_alloc_fail_at(n);
        ok = explorer_chain_lattice(chain, SIDE + 1, box) && explorer_chain_begin(chain, &how, x, y, N, n % 2);
        kelvin_alloc_fail_at(0);
        if (!ok) assert_true(strstr(explorer_error(), "out of memory") != NULL);
        assert_true(n < 1000);
    }
    assert_true(failed > 10);
    assert_true(explorer_chain_step(chain));
    struct explorer_posterior other = how;
    other.density = "dirclp:1";
    assert_false(explorer_chain_begin(chain, &other, x, y, N, true));
    assert_string_equal(explorer_error(), "unknown density 'dirclp'; did you mean 'dirclip'?");
    assert_false(explorer_chain_step(chain));
    assert_true(explorer_chain_begin(chain, &how, x, y, N, true));
    assert_true(explorer_chain_step(chain));
    explorer_chain_destroy(chain);
}

static void the_known_chain_is_one(void **state)
{
    (void)state;
    const uint32_t known = explorer_known();
    assert_true(known != 0);
    assert_int_equal(explorer_known(), known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_and_maps_are_those_of_a_run),
        cmocka_unit_test(a_warm_up_forgets_its_first_half),
        cmocka_unit_test(numbers_are_of_what_is_shown),
        cmocka_unit_test(failures_leave_nothing_behind),
        cmocka_unit_test(the_known_chain_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
