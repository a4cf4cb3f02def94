/* The network of a run forward over plain inputs. */
#include "run/pass.h"

enum { BATCH = 504 }; /* whole blocks of 24 and of 8 observations, some for each of many threads */

kelvin_status kelvin_pass_create(struct kelvin_pass *pass, const kelvin_run *run, size_t threads)
{
    const kelvin_posterior_options options = {.batch = BATCH, .threads = threads, .total = BATCH};
    *pass = (struct kelvin_pass){.inputs = run->model->inputs, .classes = run->model->classes, .batch = BATCH};
    if (!(pass->y = kelvin_alloc(BATCH, sizeof *pass->y))) return KELVIN_ENOMEM;
    return kelvin_posterior_create(&pass->posterior, run->model, &kelvin_run_inside(run)->density, NULL, NULL,
                                   &options);
}

kelvin_status kelvin_pass_logits(struct kelvin_pass *pass, float *logits, const float *theta, const float *x, size_t n)
{
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < pass->batch ? n - first : pass->batch;
        KELVIN_TRY(kelvin_posterior_set_batch(pass->posterior, x + first * pass->inputs, pass->y, some));
        kelvin_posterior_logits(pass->posterior, logits + first * pass->classes, theta);
    }
    return KELVIN_OK;
}

void kelvin_pass_destroy(struct kelvin_pass *pass)
{
    kelvin_posterior_destroy(pass->posterior);
    kelvin_free(pass->y);
    *pass = (struct kelvin_pass){0};
}
