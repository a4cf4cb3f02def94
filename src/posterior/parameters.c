/* Convergence of all parameters. Samples are read again for each block of parameters, and of their files those parts
 * that have them: in memory are all draws of some parameters, never all of all. */
#include "posterior/convergence.h"

#include "run/room.h"

/* x (n, chains, draws): parameters first .. first + n - 1 of the draws in the line-up. */
static kelvin_status read_block(double *x, const kelvin_samples *samples, const struct kelvin_lineup *lineup,
                                size_t first, size_t n)
{
    const size_t draws = lineup->draws, size = lineup->chains * draws;
    for (size_t c = 0; c < lineup->chains; c++)
        KELVIN_TRY(kelvin_samples_columns(samples, x + c * draws, size, lineup->first[c], draws, first, n));
    return KELVIN_OK;
}

static kelvin_status add_all(struct kelvin_converging *c, const kelvin_samples *samples,
                             const struct kelvin_lineup *lineup)
{
    const size_t params = samples->run->model->n_params;
    const size_t block = kelvin_converging_block(params, lineup->chains, lineup->draws);
    double *x = kelvin_alloc(block * lineup->chains * lineup->draws, sizeof *x);
    kelvin_status status = x ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t first = 0; first < params && !status; first += block) {
        const size_t n = params - first < block ? params - first : block;
        status = read_block(x, samples, lineup, first, n);
        if (!status) status = kelvin_converging_add(c, x, n);
    }
    kelvin_free(x);
    return status;
}

kelvin_status kelvin_converge_parameters(kelvin_convergence *out, kelvin_samples *samples,
                                         const struct kelvin_lineup *lineup, kelvin_pool *pool)
{
    struct kelvin_converging *c;
    KELVIN_TRY(kelvin_converging_create(&c, samples->run->model->n_params, lineup->chains, lineup->draws, pool));
    /* Of one draw per chain nothing can be told: no need to read it. */
    const kelvin_status status = lineup->draws > 1 ? add_all(c, samples, lineup) : KELVIN_OK;
    kelvin_converging_result(out, c);
    out->quantities = samples->run->model->n_params;
    kelvin_converging_destroy(c);
    return status;
}
