/* sampler: Markov chains over a target, which is any log-density with a gradient. A sampler never sees a network.
 *
 *     static void gaussian(void *context, double *logp, float *grad, const float *theta) { ... }
 *     kelvin_target target = {10, gaussian, &whatever};
 *     kelvin_sampler *chain;
 *     kelvin_status st = kelvin_sampler_create(&chain, "hmc", &target, 1, 0);    // chain 0 of seed 1
 *     if (!st) st = kelvin_sampler_set(chain, "step_size", 0.1);
 *     kelvin_sampler_start(chain, theta0);
 *     for (uint32_t i = 0; i < 500; i++) {
 *         kelvin_moment moment = {i, 0, 1, 1};                                    // at temperature 1
 *         double logp = kelvin_sampler_step(chain, &moment);
 *         keep(kelvin_sampler_theta(chain), logp);
 *     }
 *     kelvin_sampler_destroy(chain);
 *
 * The family "samplers" (family.h) has what there is.
 */
#ifndef KELVIN_SAMPLER_H
#define KELVIN_SAMPLER_H

#include <kelvin/family.h>

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

/* By its name, with its usual settings: a chain is a function of seed and chain. What the target's context is must
 * outlive it. KELVIN_EUSAGE if there is none of that name. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_sampler_create(kelvin_sampler **sampler, const char *name,
                                                                 const kelvin_target *target, uint64_t seed,
                                                                 uint32_t chain);
KELVIN_API void kelvin_sampler_destroy(kelvin_sampler *sampler);

/* A number that a sampler can be told. */
typedef struct kelvin_setting {
    const char *name;  /* "step_size", as in run.json; on the command line --step-size */
    const char *value; /* "H", for help texts */
    const char *about;
    double usual;
    double least, most;
    bool whole;        /* a count */
    bool above, below; /* `least`, or `most`, is itself out of the range */
    const char *zero;  /* what 0 stands for, as "tuned in warm-up"; NULL: 0 */
} kelvin_setting;

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

/* What else there is to know of the last step: the i-th number, and its name, as "acceptance"; not a number, and NULL,
 * after the last. */
KELVIN_API double kelvin_sampler_statistic(const kelvin_sampler *sampler, size_t i, const char **name);

/* ---- schedules ---- */

/* What the learning rate and the temperature are multiplied with at `progress` in [0, 1] of a cycle. A schedule that
 * repeats runs once per cycle, the others once over all of them. */
typedef struct kelvin_schedule {
    kelvin_member member;
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

/* ---- samplers ----
 * A sampler is one file of src/sampler and one row of its table. What it can be told, what it tells of each step and
 * what it must remember are lists: options, help texts, run.json, history.csv, progress, sample_stats and checkpoints
 * follow from them. */

enum {
    KELVIN_SETTINGS = 8, /* that a sampler has, at most; and so on */
    KELVIN_STATISTICS = 8,
    KELVIN_STATE_VECTORS = 4,
    KELVIN_STATE_NUMBERS = 16,
    KELVIN_WORK_VECTORS = 4,
};

/* KELVIN_EUSAGE, with a sentence, if a value is out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_setting_check(const kelvin_setting *setting, double value);

/* A number that is told of every step: a column of history.csv. A row may be of several steps. */
typedef struct kelvin_statistic {
    const char *name;
    const char *exported; /* its name among ArviZ's sample_stats; NULL: it is not among them */
    const char *shown;  /* how progress shows it, a format for printf, as "accepted %3.0f %%"; NULL: it does not */
    double scale;       /* what it is multiplied with then; 0: 1 */
    double least, most; /* infinite: anything, also what is not a number */
    bool whole;
    bool last;            /* of several steps the last one's counts, not the mean */
    int digits;           /* in history.csv; 0: all */
    const char *infinite; /* where it must be finite: what to say of a chain in which it is not */
} kelvin_statistic;

/* What a person wants to know of a step. */
typedef struct kelvin_step_info {
    double logp; /* not tempered: of the state after the step, or of the one before if that is all that is known */
    double value[KELVIN_STATISTICS];
} kelvin_step_info;

/* What a run by a sampler is if nobody says otherwise; the samples and epochs of one that looks at batches, or the
 * iterations of one that looks at all data. */
typedef struct kelvin_usual_run {
    const char *data, *model, *density, *prior;
    uint32_t chains, rows; /* epochs or iterations */
} kelvin_usual_run;

typedef struct kelvin_sampler_type {
    kelvin_member member;
    const char *title; /* "HMC" */
    bool batches;      /* looks at batches of the data, one after the other; otherwise at all data in every step */
    bool accepts;      /* accepts or rejects: what it samples does not depend on the size of its steps */
    bool anneals;      /* works at temperature 0 too, where it trains instead of sampling */
    const char *step_setting; /* which setting makes steps larger and smaller, for advice; if there is also a step_size,
                               * where that is 0 */
    kelvin_usual_run usual;
    kelvin_setting setting[KELVIN_SETTINGS]; /* the last has no name, if there are fewer; and so on */
    kelvin_statistic statistic[KELVIN_STATISTICS];
    const char *vector[KELVIN_STATE_VECTORS]; /* what it must remember beside theta: vectors (n) */
    const char *number[KELVIN_STATE_NUMBERS]; /* and numbers */
    size_t work;                              /* vectors (n) that it works in, and need not remember */

    /* At a new theta: sets its vectors and numbers. NULL: they are zeros. */
    void (*start)(kelvin_sampler *sampler);
    /* After that, or after all that it remembers has been put back: what follows from it. NULL: nothing. */
    void (*prepare)(kelvin_sampler *sampler);
    void (*step)(kelvin_sampler *sampler, kelvin_step_info *info, const kelvin_moment *moment);
} kelvin_sampler_type;

size_t kelvin_count_settings(const kelvin_sampler_type *type);
size_t kelvin_count_statistics(const kelvin_sampler_type *type);

/* The i-th of all samplers, the usual one first; NULL after the last. */
const kelvin_sampler_type *kelvin_sampler_info(size_t i);

/* KELVIN_EUSAGE, with those that are known, if there is none of that name (or it is NULL). */
KELVIN_MUST_CHECK kelvin_status kelvin_sampler_find(const kelvin_sampler_type **type, const char *name);

/* What a chain is, besides its target. */
typedef struct kelvin_sampler_options {
    const double *setting; /* as the type lists them; NULL: the usual ones */
    double observations;   /* that the log-density is a sum over; 0: 1 */
    uint64_t seed;
    uint32_t chain;
} kelvin_sampler_options;

KELVIN_MUST_CHECK kelvin_status kelvin_sampler_make(kelvin_sampler **sampler, const kelvin_sampler_type *type,
                                                    const kelvin_target *target, const kelvin_sampler_options *options);

/* The chain goes on with another target of the same n: the next batch, or the same one on more threads. */
void kelvin_sampler_retarget(kelvin_sampler *sampler, const kelvin_target *target);

kelvin_step_info kelvin_sampler_advance(kelvin_sampler *sampler, const kelvin_moment *moment);

/* All that the next step needs, out of a sampler and back into it: theta, vectors and numbers as the type lists them,
 * floats (1 + vectors, n). A chain that is put back goes on to the same bits. */
size_t kelvin_sampler_vectors(const kelvin_sampler_type *type); /* 1 + vectors */
size_t kelvin_sampler_numbers(const kelvin_sampler_type *type);
void kelvin_sampler_save(const kelvin_sampler *sampler, float *vectors, double *numbers);
void kelvin_sampler_load(kelvin_sampler *sampler, const float *vectors, const double *numbers);

/* The leapfrog integrator alone, for those who want to look at it: moves (theta, momentum) by `steps` steps in place.
 * grad must hold the gradient at theta, and does so again at the end. */
KELVIN_MUST_CHECK kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad,
                                                float step_size, float inverse_temperature, uint32_t steps);

#ifdef __cplusplus
}
#endif
#endif
