/* Whatever allocation fails, the answer is a status with a sentence, and nothing is lost (the sanitizers look for
 * leaks). */
#include "check.h"

#include <kelvin/kelvin.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A whole small run: made, sampled, summarised. */
static kelvin_status whole_run(void *context)
{
    (void)context;
    kelvin_run_config config = kelvin_run_defaults();
    config.chains = 2;
    config.iterations = 8;
    config.warmup = 2;
    config.hmc.steps = 3;
    kelvin_run *run = NULL;
    kelvin_status st = kelvin_run_create(&run, &config);
    if (!st) st = kelvin_run_sample(&run, 1, 2, NULL, NULL);
    kelvin_summary summary;
    if (!st) st = kelvin_summarise(&summary, run);
    kelvin_run_close(run);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(without_memory(whole_run, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
