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

/* What the learning rate and the temperature are multiplied with at `progress` in [0, 1] of a cycle. A schedule that
 * repeats runs once per cycle, the others once over all of them. */
typedef struct kelvin_schedule {
    const char *name, *about;
    double (*rate)(double progress);
    double (*temperature)(double progress);
    bool repeats;
    bool samples_on_the_way; /* the states at the ends of all cycles are worth keeping, not the last one alone */
} kelvin_schedule;

/* The i-th schedule: paper, constant, cosine, cyclical; NULL after the last. */
const kelvin_schedule *kelvin_schedule_info(size_t i);

/* KELVIN_EUSAGE if there is none of that name. */
KELVIN_MUST_CHECK kelvin_status kelvin_schedule_parse(const kelvin_schedule **schedule, const char *name);

/* Cycles are as equal as whole epochs allow: the first epoch of a cycle; of the one after the last: `epochs`. */
uint32_t kelvin_cycle_begin(uint32_t cycle, uint32_t cycles, uint32_t epochs);

/* Progress of a schedule at the start of an epoch, which stays for the whole epoch. */
double kelvin_schedule_progress(const kelvin_schedule *schedule, uint32_t epoch, uint32_t epochs, uint32_t cycles);

/* ---- stochastic-gradient Hamiltonian Monte Carlo ----
 * The target gives estimates, without bias, of a log-density that is a sum over N observations:
 *
 *     h = sqrt(lr / N);   v <- m v + h grad + sqrt(2 T (1 - m)) xi;   theta <- theta + h v
 *
 * T = 0 is SGD with momentum, m = 0 is SGLD (Welling and Teh 2011). */

typedef struct kelvin_sghmc_options {
    double momentum;     /* m, 0 <= m < 1 */
    double observations; /* N */
} kelvin_sghmc_options;

/* What a person wants to know of one step. Both temperatures are those of the chain: T if it samples what it should.
 * A stationary v has the variance 2 T / (1 + m), however small the step is, since it has just got its noise. */
typedef struct kelvin_sghmc_info {
    double logp;            /* estimated, at theta before the step */
    double gradient;        /* length of the estimated gradient there */
    double kinetic;         /* (1 + m) / 2 |v|^2 / n after the step: a temperature */
    double configurational; /* -theta . grad / n before the step: a temperature where the density is proper */
} kelvin_sghmc_info;

typedef struct kelvin_sghmc kelvin_sghmc;

/* KELVIN_EUSAGE if an option is out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_sghmc_check(const kelvin_sghmc_options *options);
KELVIN_MUST_CHECK kelvin_status kelvin_sghmc_create(kelvin_sghmc **sghmc, const kelvin_target *target,
                                                    const kelvin_sghmc_options *options, uint64_t seed, uint32_t chain);

/* Starts at theta (n values, copied); v is drawn from N(0, I) if it is NULL, else copied: a chain that is taken up. */
void kelvin_sghmc_init(kelvin_sghmc *sghmc, const float *theta, const float *v);

/* The chain goes on with another target of the same n: the next batch, or the same one on more threads. */
void kelvin_sghmc_retarget(kelvin_sghmc *sghmc, const kelvin_target *target);

/* One step at the learning rate `rate` and the temperature. `step` picks the random numbers. */
kelvin_sghmc_info kelvin_sghmc_step(kelvin_sghmc *sghmc, double rate, double temperature, uint32_t step);

const float *kelvin_sghmc_theta(const kelvin_sghmc *sghmc);
const float *kelvin_sghmc_momentum(const kelvin_sghmc *sghmc);
const float *kelvin_sghmc_gradient(const kelvin_sghmc *sghmc); /* of the last step */
void kelvin_sghmc_destroy(kelvin_sghmc *sghmc);

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
