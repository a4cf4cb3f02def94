/* Hamiltonian Monte Carlo with unit mass (paper, appendix "Hamiltonian Monte Carlo"; reference: Neal 2011).
 *
 *     v ~ N(0, I);   H = -logp(theta)/T + |v|^2 / 2
 *     steps x { v += e/2 g;  theta += e v;  v += e/2 g },  g = grad logp / T
 *     accept with probability min(1, exp(H(start) - H(end)))
 *
 * The last half kick of one step and the first of the next use the same gradient: they are one whole kick, so a step
 * costs one gradient. */
#include "kernels/kernels.h"

#include <kelvin/sampler.h>

#include <math.h>
#include <string.h>

struct kelvin_hmc {
    kelvin_target target;
    kelvin_hmc_options options;
    const struct kelvin_kernels *kernels;
    uint64_t seed;
    uint32_t chain;
    double logp;
    float *theta, *grad;                  /* the state */
    float *new_theta, *new_grad, *moment; /* the proposal */
};

kelvin_hmc_options kelvin_hmc_defaults(void)
{
    return (kelvin_hmc_options){.step_size = 4e-4f, .steps = 10000, .temperature = 1.0};
}

kelvin_status kelvin_hmc_check(const kelvin_hmc_options *options)
{
    if (!(options->step_size > 0) || !isfinite(options->step_size))
        return kelvin_fail(KELVIN_EUSAGE, "the step size must be a positive number, not %g",
                           (double)options->step_size);
    if (options->steps == 0)
        return kelvin_fail(KELVIN_EUSAGE, "the number of leapfrog steps must be at least 1, not 0");
    if (!(options->temperature > 0) || !isfinite(options->temperature))
        return kelvin_fail(KELVIN_EUSAGE, "HMC needs a temperature above 0, not %g", options->temperature);
    return KELVIN_OK;
}

kelvin_status kelvin_hmc_create(kelvin_hmc **out, const kelvin_target *target, const kelvin_hmc_options *options,
                                uint64_t seed, uint32_t chain)
{
    *out = NULL;
    KELVIN_TRY(kelvin_hmc_check(options));
    kelvin_hmc *hmc = kelvin_alloc(1, sizeof *hmc);
    if (!hmc) return KELVIN_ENOMEM;
    hmc->target = *target;
    hmc->options = *options;
    hmc->seed = seed;
    hmc->chain = chain;
    kelvin_status st = kelvin_kernels_get(&hmc->kernels);
    float **vectors[] = {&hmc->theta, &hmc->grad, &hmc->new_theta, &hmc->new_grad, &hmc->moment};
    for (size_t i = 0; !st && i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = kelvin_alloc(target->n, sizeof(float));
        if (!*vectors[i]) st = KELVIN_ENOMEM;
    }
    if (st) {
        kelvin_hmc_destroy(hmc);
        return st;
    }
    *out = hmc;
    return KELVIN_OK;
}

void kelvin_hmc_destroy(kelvin_hmc *hmc)
{
    if (!hmc) return;
    kelvin_free(hmc->theta);
    kelvin_free(hmc->grad);
    kelvin_free(hmc->new_theta);
    kelvin_free(hmc->new_grad);
    kelvin_free(hmc->moment);
    kelvin_free(hmc);
}

void kelvin_hmc_init(kelvin_hmc *hmc, const float *theta)
{
    memcpy(hmc->theta, theta, hmc->target.n * sizeof *theta);
    hmc->target.eval(hmc->target.context, &hmc->logp, hmc->grad, hmc->theta);
}

const float *kelvin_hmc_theta(const kelvin_hmc *hmc)
{
    return hmc->theta;
}

/* Leaves the energy at the end in *logp unless NULL. */
static void leapfrog(const struct kelvin_kernels *kernels, const kelvin_target *target, double *logp, float *theta,
                     float *momentum, float *grad, float step_size, float inverse_temperature, uint32_t steps)
{
    const size_t n = target->n;
    const float whole = step_size * inverse_temperature, half = 0.5f * whole;
    for (uint32_t i = 0; i < steps; i++) {
        kernels->kick_drift(theta, momentum, grad, i == 0 ? half : whole, step_size, n);
        target->eval(target->context, i + 1 == steps ? logp : NULL, grad, theta);
    }
    if (steps > 0) kernels->axpy(momentum, half, grad, n);
}

kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad, float step_size,
                              float inverse_temperature, uint32_t steps)
{
    const struct kelvin_kernels *kernels;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    leapfrog(kernels, target, NULL, theta, momentum, grad, step_size, inverse_temperature, steps);
    return KELVIN_OK;
}

static double kinetic(const float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)v[i] * (double)v[i];
    return 0.5 * sum;
}

static void swap(float **a, float **b)
{
    float *t = *a;
    *a = *b;
    *b = t;
}

kelvin_hmc_info kelvin_hmc_step(kelvin_hmc *hmc, uint32_t iteration)
{
    const size_t n = hmc->target.n;
    const double T = hmc->options.temperature;
    kelvin_random where = {hmc->seed, hmc->chain, iteration, KELVIN_STREAM_MOMENTUM};
    hmc->kernels->normals(hmc->moment, n, where);
    memcpy(hmc->new_theta, hmc->theta, n * sizeof *hmc->theta);
    memcpy(hmc->new_grad, hmc->grad, n * sizeof *hmc->grad);

    double new_logp;
    const double start = kinetic(hmc->moment, n) - hmc->logp / T;
    leapfrog(hmc->kernels, &hmc->target, &new_logp, hmc->new_theta, hmc->moment, hmc->new_grad, hmc->options.step_size,
             (float)(1 / T), hmc->options.steps);
    const double error = kinetic(hmc->moment, n) - new_logp / T - start;

    where.stream = KELVIN_STREAM_ACCEPT;
    kelvin_hmc_info info = {.energy_error = error, .acceptance = isfinite(error) ? fmin(1.0, exp(-error)) : 0.0};
    info.accepted = kelvin_uniform(where, 0) < info.acceptance; /* an energy that is not a number rejects */
    if (info.accepted) {
        swap(&hmc->theta, &hmc->new_theta);
        swap(&hmc->grad, &hmc->new_grad);
        hmc->logp = new_logp;
    }
    info.logp = hmc->logp;
    return info;
}
