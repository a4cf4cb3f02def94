/* Stochastic-gradient Hamiltonian Monte Carlo (paper, algorithm 1; Chen, Fox and Guestrin 2014).
 *
 *     h = sqrt(rate / N);   v <- m v + h grad + sqrt(2 T (1 - m)) xi;   theta <- theta + h v
 *
 * For a quadratic, logp = -p theta^2 / 2, the stationary variances are known at every step size:
 *
 *     p <theta^2> = (1 + m) / 2 <v^2> = T / (1 - h^2 p / (2 (1 + m)))
 *
 * so the configurational and the kinetic temperature are the same number, and tell by how much a step is too large.
 * Of the chain only theta and v matter to the next step: its random numbers are a function of `step`. */
#include "kernels/kernels.h"

#include <kelvin/sampler.h>

#include <math.h>
#include <string.h>

struct kelvin_sghmc {
    kelvin_target target;
    kelvin_sghmc_options options;
    const struct kelvin_kernels *kernels;
    uint64_t seed;
    uint32_t chain;
    float *theta, *v; /* the state */
    float *grad;
};

kelvin_status kelvin_sghmc_check(const kelvin_sghmc_options *options)
{
    if (!(options->momentum >= 0 && options->momentum < 1))
        return kelvin_fail(KELVIN_EUSAGE, "the momentum must be at least 0 and below 1, not %g", options->momentum);
    if (!(options->observations > 0) || !isfinite(options->observations))
        return kelvin_fail(KELVIN_EUSAGE, "SGHMC needs a number of observations above 0, not %g",
                           options->observations);
    return KELVIN_OK;
}

kelvin_status kelvin_sghmc_create(kelvin_sghmc **out, const kelvin_target *target, const kelvin_sghmc_options *options,
                                  uint64_t seed, uint32_t chain)
{
    *out = NULL;
    KELVIN_TRY(kelvin_sghmc_check(options));
    kelvin_sghmc *sghmc = kelvin_alloc(1, sizeof *sghmc);
    if (!sghmc) return KELVIN_ENOMEM;
    sghmc->target = *target;
    sghmc->options = *options;
    sghmc->seed = seed;
    sghmc->chain = chain;
    kelvin_status st = kelvin_kernels_get(&sghmc->kernels);
    float **vectors[] = {&sghmc->theta, &sghmc->v, &sghmc->grad};
    for (size_t i = 0; !st && i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = kelvin_alloc(target->n, sizeof(float));
        if (!*vectors[i]) st = KELVIN_ENOMEM;
    }
    if (st) {
        kelvin_sghmc_destroy(sghmc);
        return st;
    }
    *out = sghmc;
    return KELVIN_OK;
}

void kelvin_sghmc_destroy(kelvin_sghmc *sghmc)
{
    if (!sghmc) return;
    kelvin_free(sghmc->theta);
    kelvin_free(sghmc->v);
    kelvin_free(sghmc->grad);
    kelvin_free(sghmc);
}

void kelvin_sghmc_init(kelvin_sghmc *sghmc, const float *theta, const float *v)
{
    const size_t n = sghmc->target.n;
    memcpy(sghmc->theta, theta, n * sizeof *theta);
    if (v)
        memcpy(sghmc->v, v, n * sizeof *v);
    else
        sghmc->kernels->normals(sghmc->v, n, (kelvin_random){sghmc->seed, sghmc->chain, 0, KELVIN_STREAM_MOMENTUM});
}

void kelvin_sghmc_retarget(kelvin_sghmc *sghmc, const kelvin_target *target)
{
    sghmc->target = *target;
}

kelvin_sghmc_info kelvin_sghmc_step(kelvin_sghmc *sghmc, double rate, double temperature, uint32_t step)
{
    const struct kelvin_kernels *k = sghmc->kernels;
    const size_t n = sghmc->target.n;
    const double m = sghmc->options.momentum;
    const float h = (float)sqrt(rate / sghmc->options.observations), noise = (float)sqrt(2 * temperature * (1 - m));
    kelvin_sghmc_info info;
    sghmc->target.eval(sghmc->target.context, &info.logp, sghmc->grad, sghmc->theta);
    info.gradient = sqrt(k->dot(sghmc->grad, sghmc->grad, n));
    info.configurational = -k->dot(sghmc->theta, sghmc->grad, n) / (double)n;
    k->sghmc(sghmc->theta, sghmc->v, sghmc->grad, n, (float)m, h, noise, h,
             (kelvin_random){sghmc->seed, sghmc->chain, step, KELVIN_STREAM_NOISE});
    info.kinetic = 0.5 * (1 + m) * k->dot(sghmc->v, sghmc->v, n) / (double)n;
    return info;
}

const float *kelvin_sghmc_theta(const kelvin_sghmc *sghmc)
{
    return sghmc->theta;
}

const float *kelvin_sghmc_momentum(const kelvin_sghmc *sghmc)
{
    return sghmc->v;
}

const float *kelvin_sghmc_gradient(const kelvin_sghmc *sghmc)
{
    return sghmc->grad;
}
