/* Runs for the tests of the run room: a small one, and its folder. Included once per test program, before anything
 * else. */
#ifndef RUN_HELPERS_H
#define RUN_HELPERS_H

#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "files/formats.h"

static inline kelvin_run_config small(void)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    config.chains = 2;
    config.iterations = 6;
    config.warmup = 2;
    config.steps = 20;
    config.seed = 2385;
    return config;
}

static inline kelvin_run *sampled(const kelvin_run_config *config, size_t threads)
{
    kelvin_run *run;
    assert_ok(kelvin_run_create(&run, config));
    assert_ok(kelvin_run_sample(&run, 1, threads, NULL, NULL));
    return run;
}

static const char *const files[] = {"run.json",
                                    "data.json",
                                    "labels_train.npy",
                                    "logits_train.npy",
                                    "chain-000/samples.safetensors",
                                    "chain-000/history.csv",
                                    "chain-001/samples.safetensors",
                                    "chain-001/history.csv"};
enum { N_FILES = sizeof files / sizeof *files };

static inline void same_folders(const char *a, const char *b)
{
    for (size_t i = 0; i < N_FILES; i++) {
        kelvin_path x, y;
        assert_ok(kelvin_path_join(x, a, "%s", files[i]));
        assert_ok(kelvin_path_join(y, b, "%s", files[i]));
        same_bytes(x, y);
    }
}

#endif
