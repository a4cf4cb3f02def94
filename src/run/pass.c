/* The network of a run forward over plain inputs. */
#include "run/pass.h"

enum { BATCH = 504 }; /* whole blocks of 24 and of 8 observations, some for each of many threads */

kelvin_status kelvin_pass_create(struct kelvin_pass *pass, const kelvin_run *run, size_t threads)
{
    const kelvin_posterior_options options = {.batch = BATCH, .threads = threads, .total = BATCH};
    *pass = (struct kelvin_pass){.batch = BATCH};
    if (!(pass->y = kelvin_alloc(BATCH, sizeof *pass->y))) return KELVIN_ENOMEM;
    return kelvin_posterior_create(&pass->posterior, run->model, &kelvin_run_inside(run)->density, NULL, NULL,
                                   &options);
}

kelvin_status kelvin_pass_see(struct kelvin_pass *pass, const float *x, size_t n)
{
    return kelvin_posterior_set_batch(pass->posterior, x, pass->y, n);
}

void kelvin_pass_logits(struct kelvin_pass *pass, float *logits, const float *theta)
{
    kelvin_posterior_logits(pass->posterior, logits, theta);
}

void kelvin_pass_destroy(struct kelvin_pass *pass)
{
    kelvin_posterior_destroy(pass->posterior);
    kelvin_free(pass->y);
    *pass = (struct kelvin_pass){0};
}
