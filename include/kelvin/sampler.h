/* sampler: Markov chains over a target, which is any log-density with a gradient. A sampler never sees a network.
 *
 *     static void gaussian(void *context, double *logp, float *grad, const float *theta) { ... }
 *     kelvin_target target = {10, gaussian, &whatever};
 *     kelvin_sampler *chain;
 *     kelvin_status st = kelvin_sampler_create(&chain, "hmc", &target, 1, 0);    // chain 0 of seed 1
 *     kelvin_sampler_start(chain, theta0);
 *     for (uint32_t i = 0; i < 1500; i++) {
 *         kelvin_moment moment = {i, 500, 1, 1};                                  // 500 of warm-up; temperature 1
 *         double logp = kelvin_sampler_step(chain, &moment);
 *         if (i >= 500) keep(kelvin_sampler_theta(chain), logp);
 *     }
 *     st = kelvin_sampler_check(chain);                                           // it did get somewhere
 *     kelvin_sampler_destroy(chain);
 *
 * Nobody said how long steps are: in its warm-up a chain finds the size of its steps, their number, and a scale of each
 * parameter. kelvin_sampler_tune() lets several chains do so together; kelvin_sampler_set(chain, "step_size", 0.1) says
 * it.
 *
 * The family "samplers" (family.h) has what there is.
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

typedef struct kelvin_sampler kelvin_sampler;

/* By its name. Settings that can be tuned in warm-up are, the others are the usual ones: a chain is a function of seed
 * and chain. What the target's context is must outlive it. KELVIN_EUSAGE if there is none of that name. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sampler_create(kelvin_sampler **sampler, const char *name,
                                                                 const kelvin_target *target, uint64_t seed,
                                                                 uint32_t chain);
KELVIN_API void kelvin_sampler_destroy(kelvin_sampler *sampler);

/* A number that a sampler can be told. */
typedef struct kelvin_setting {
    const char *name;  /* "step_size", as in run.json */
    const char *value; /* "H", for help texts */
    const char *about;
    double usual; /* in runs that follow the paper */
    double least, most;
    bool whole;        /* a count */
    bool above, below; /* `least`, or `most`, is itself out of the range */
    const char *zero;  /* what 0 stands for, as "tuned in warm-up"; NULL: 0 */
} kelvin_setting;

/* A number that is told of every step: a column of history.csv. A row may be of several steps. */
typedef struct kelvin_statistic {
    const char *name;
    const char *exported; /* its name among ArviZ's sample_stats; NULL: it is not among them */
    const char *shown;    /* how progress shows it, a format for printf, as "accepted %3.0f %%"; NULL: it does not */
    double scale;         /* what it is multiplied with then; 0: 1 */
    double least, most;   /* infinite: anything, also what is not a number */
    bool whole;
    bool last;            /* of several steps the last one's counts, not the mean */
    int digits;           /* in history.csv; 0: all */
    const char *infinite; /* where it must be finite: what to say of a chain in which it is not */
} kelvin_statistic;

/* The i-th of its settings, NULL after the last; another value for one of them, before the chain starts. KELVIN_EUSAGE
 * if it has none of that name, or a value is out of its range. */
KELVIN_API const kelvin_setting *kelvin_sampler_setting(const kelvin_sampler *sampler, size_t i);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sampler_set(kelvin_sampler *sampler, const char *name, double value);

/* How many observations the log-density is a sum over, for samplers whose step size is for the mean of them; 1 if
 * nobody says. */
KELVIN_API void kelvin_sampler_set_observations(kelvin_sampler *sampler, double observations);

/* A new chain at theta (n values, copied). */
KELVIN_API void kelvin_sampler_start(kelvin_sampler *sampler, const float *theta);

/* When a step is taken, and at what. */
typedef struct kelvin_moment {
    uint32_t step;      /* picks the random numbers */
    uint32_t warmup;    /* steps before this one are warm-up: samplers may tune themselves in it */
    double rate;        /* what the schedule multiplies the size of steps with */
    double temperature; /* samples exp(logp / T) */
} kelvin_moment;

/* One step. Returns the log-density, not tempered: of the state after the step, or of the one before if that is all
 * that is known. */
KELVIN_API double kelvin_sampler_step(kelvin_sampler *sampler, const kelvin_moment *moment);
KELVIN_API const float *kelvin_sampler_theta(const kelvin_sampler *sampler);

/* The warm-up of n chains together, steps 0 .. iterations - 1: what is tuned is tuned to all of them, and then is the
 * same for all; draws begin with step `iterations`. Chains are by one sampler, each with a target whose context is its
 * own, since threads share the chains (0: one thread per CPU); the bits do not depend on them. KELVIN_EDIVERGED if a
 * chain gets nowhere. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sampler_tune(kelvin_sampler *const *chains, size_t n,
                                                               uint32_t iterations, double temperature, size_t threads);

/* What a setting has come to, where it is tuned, or was set to; not a number if the sampler has none of that name. */
KELVIN_API double kelvin_sampler_get(const kelvin_sampler *sampler, const char *name);

/* KELVIN_EDIVERGED, with what helps, if a chain got nowhere in its warm-up: nothing was accepted. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sampler_check(const kelvin_sampler *sampler);

/* What else there is to know of the last step: the i-th number, and its name, as "acceptance"; not a number, and NULL,
 * after the last. */
KELVIN_API double kelvin_sampler_statistic(const kelvin_sampler *sampler, size_t i, const char **name);

#ifdef __cplusplus
}
#endif
#endif
