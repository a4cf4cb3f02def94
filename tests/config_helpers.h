/* Configurations for tests: defaults, and two of them compared. Included once per test program, before anything else.
 */
#ifndef CONFIG_HELPERS_H
#define CONFIG_HELPERS_H

#include "run_helpers.h"

static inline kelvin_run_config defaults(const char *sampler)
{
    kelvin_run_config config;
    assert_ok(kelvin_run_defaults(&config, sampler));
    return config;
}

static inline void write_text(const char *path, const char *text)
{
    spill(path, text, strlen(text));
}

/* Field by field, by name here: another list than the table's. */
static inline void same_config(const kelvin_run_config *a, const kelvin_run_config *b, bool sghmc)
{
    const char *texts[][2] = {
        {a->sampler, b->sampler}, {a->data, b->data},       {a->model, b->model},
        {a->density, b->density}, {a->prior, b->prior},     {a->schedule, b->schedule},
        {a->init, b->init},       {a->augment, b->augment}, {a->temperature_schedule, b->temperature_schedule}};
    for (size_t i = 0; i < (sghmc ? 9 : 5); i++) assert_string_equal(texts[i][0], texts[i][1]);
    assert_true(a->seed == b->seed && a->chains == b->chains);
    assert_memory_equal(&a->temperature, &b->temperature, sizeof(double));
    if (sghmc) {
        assert_true(a->samples == b->samples && a->epochs == b->epochs && a->batch == b->batch);
        assert_memory_equal(&a->lr, &b->lr, sizeof(double));
        assert_memory_equal(&a->momentum, &b->momentum, sizeof(double));
        assert_memory_equal(&a->logit_limit, &b->logit_limit, sizeof(double));
    } else {
        assert_true(a->iterations == b->iterations && a->warmup == b->warmup && a->steps == b->steps);
        assert_memory_equal(&a->step_size, &b->step_size, sizeof(float));
    }
}

#endif
