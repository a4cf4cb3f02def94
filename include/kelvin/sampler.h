/* sampler: Markov chains over a target, which is any log-density with a gradient. A sampler never sees a network.
 *
 *     static void gaussian(void *context, double *logp, float *grad, const float *theta) { ... }
 *     kelvin_target target = {.n = 10, .eval = gaussian, .context = &whatever};
 *     kelvin_hmc_options options = kelvin_hmc_defaults();
 *     options.step_size = 4e-4f;
 *     kelvin_hmc *hmc;
 *     kelvin_status st = kelvin_hmc_create(&hmc, &target, &options, seed, chain);
 *     kelvin_hmc_init(hmc, theta0);
 *     for (uint32_t i = 0; i < 500; i++) {
 *         kelvin_hmc_info info = kelvin_hmc_step(hmc, i);
 *         keep(kelvin_hmc_theta(hmc), info.accepted);
 *     }
 *     kelvin_hmc_destroy(hmc);
 */
#ifndef KELVIN_SAMPLER_H
#define KELVIN_SAMPLER_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Log-density at theta to *logp and its gradient to grad (n values); either may be NULL. Up to a constant. */
typedef void kelvin_eval(void *context, double *logp, float *grad, const float *theta);

typedef struct kelvin_target {
    size_t n;
    kelvin_eval *eval;
    void *context;
} kelvin_target;

/* ---- schedules ---- */

/* What the learning rate and the temperature are multiplied with. */
typedef struct kelvin_schedule {
    double rate, temperature;
} kelvin_schedule;

/* The paper's cycle, at `progress` = epoch / epochs in [0, 1]: hot only in its last third, the learning rate falling to
 * 0 over its second half. */
kelvin_schedule kelvin_schedule_paper(double progress);

/* ---- Hamiltonian Monte Carlo ---- */

typedef struct kelvin_hmc_options {
    float step_size;
    uint32_t steps;     /* leapfrog steps per iteration */
    double temperature; /* samples exp(logp / T) */
} kelvin_hmc_options;

/* What a person wants to know of one iteration. */
typedef struct kelvin_hmc_info {
    bool accepted;
    double acceptance;   /* min(1, exp(-energy_error)); 0 if the energy was not finite */
    double energy_error; /* of the proposal: H(end) - H(start) */
    double logp;         /* of the state after the iteration, not tempered */
} kelvin_hmc_info;

typedef struct kelvin_hmc kelvin_hmc;

kelvin_hmc_options kelvin_hmc_defaults(void); /* the paper's for DirClip(1.4): step 4e-4, 10,000 steps, T = 1 */

/* KELVIN_EUSAGE if an option is out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_hmc_check(const kelvin_hmc_options *options);
KELVIN_MUST_CHECK kelvin_status kelvin_hmc_create(kelvin_hmc **hmc, const kelvin_target *target,
                                                  const kelvin_hmc_options *options, uint64_t seed, uint32_t chain);

/* Starts at theta (n values, copied). */
void kelvin_hmc_init(kelvin_hmc *hmc, const float *theta);

/* One iteration: fresh momentum, `steps` leapfrog steps with one gradient each, accept or reject. `iteration` picks
 * the random numbers, so that a chain can be taken up anywhere. */
kelvin_hmc_info kelvin_hmc_step(kelvin_hmc *hmc, uint32_t iteration);

const float *kelvin_hmc_theta(const kelvin_hmc *hmc);
void kelvin_hmc_destroy(kelvin_hmc *hmc);

/* The leapfrog integrator alone, for those who want to look at it: moves (theta, momentum) by `steps` steps in place.
 * grad must hold the gradient at theta, and does so again at the end. */
KELVIN_MUST_CHECK kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad,
                                                float step_size, float inverse_temperature, uint32_t steps);

#ifdef __cplusplus
}
#endif
#endif
