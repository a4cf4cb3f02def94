/* sampler, from within: schedules, and what a sampler is. */
#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include "base/family.h"

#include <kelvin/sampler.h>

/* ---- schedules ---- */

/* What the learning rate and the temperature are multiplied with at `progress` in [0, 1] of a cycle. A schedule that
 * repeats runs once per cycle, the others once over all of them. */
typedef struct kelvin_schedule {
    kelvin_member member;
    double (*rate)(double progress);
    double (*temperature)(double progress);
    bool repeats;
    bool samples_on_the_way; /* the states at the ends of all cycles are worth keeping, not the last one alone */
    double settles;          /* share of the epochs before the first of these cycles */
} kelvin_schedule;

/* The i-th schedule: paper, constant, cosine, cyclical, steady; NULL after the last. */
const kelvin_schedule *kelvin_schedule_info(size_t i);

/* Of so many epochs, those before the first cycle: at least one is left. */
uint32_t kelvin_schedule_settling(const kelvin_schedule *schedule, uint32_t epochs);

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
    KELVIN_STATE_VECTORS = 6,
    KELVIN_STATE_NUMBERS = 20,
    KELVIN_WORK_VECTORS = 4,
};

/* KELVIN_EUSAGE, with a sentence, if a value is out of its range. */
KELVIN_MUST_CHECK kelvin_status kelvin_setting_check(const kelvin_setting *setting, double value);

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

/* One log-density at several places at once, for chains that advance together: arrays are (n, lanes), and a place is a
 * lane. Gradients alone, to the same bits as those of the target of each chain. */
typedef struct kelvin_lanes {
    size_t n, lanes; /* 8 or 4 of them */
    void (*gradient)(void *context, float *grad, const float *theta);
    /* The same, used up at once: momentum += kick grad, theta += drift momentum, with a kick and a drift of each of
     * eight lanes (four are there twice). NULL: it is done in two steps, to the same bits. */
    void (*push)(void *context, float *theta, float *momentum, const float *kick, const float *drift);
    void *context;
} kelvin_lanes;
/* A vector costs the same with idle lanes: fewer chains than these are better off one by one. */
enum { KELVIN_FEWEST_LANES = 3, KELVIN_MOST_LANES = 8 };

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
    /* The same of n chains, at most as many as there are lanes, chain i at moment[i], each to the bits of `step`: their
     * infos are `last`. It works in lanes_work vectors (n, lanes). NULL: they step one by one. */
    void (*step_all)(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment, const kelvin_lanes *lanes,
                     float *work);
    size_t lanes_work;

    /* Of samplers that tune themselves. After each step of the warm-up: what chains that have all taken it learn
     * from it together, in the order of the list; afterwards they are the same kernel. NULL: nothing. */
    void (*learn)(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment);
    /* What the i-th setting has come to. NULL: what it was set to. */
    double (*now)(const kelvin_sampler *sampler, size_t i);
    /* What is wrong with the whole chain so far; NULL if nothing is. */
    const char *(*wrong)(const kelvin_sampler *sampler);
} kelvin_sampler_type;

size_t kelvin_count_settings(const kelvin_sampler_type *type);
size_t kelvin_count_statistics(const kelvin_sampler_type *type);

/* The i-th of all samplers, the usual one first; NULL after the last. */
const kelvin_sampler_type *kelvin_sampler_info(size_t i);

/* KELVIN_EUSAGE, with those that are known, if there is none of that name (or it is NULL). */
KELVIN_MUST_CHECK kelvin_status kelvin_sampler_find(const kelvin_sampler_type **type, const char *name);

/* Chains that tune a run are numbered from here on: none of a run has their random numbers. */
enum { KELVIN_TUNING_CHAIN = 1 << 20 };

/* What a chain is, besides its target. */
typedef struct kelvin_sampler_options {
    const double *setting; /* as the type lists them; NULL: the usual ones, and what can be tuned is */
    double observations;   /* that the log-density is a sum over; 0: 1 */
    uint64_t seed;
    uint32_t chain;

    /* Parameters are sampled in units of their scales: given (n), copied; or tuned in warm-up, where the step size is;
     * or 1. */
    const float *scale;
    bool tune_scale;
    /* Parameters that share a scale: group i ends before group_end[i], which must outlive the chain; NULL: none do. */
    const size_t *group_end;
} kelvin_sampler_options;

KELVIN_MUST_CHECK kelvin_status kelvin_sampler_make(kelvin_sampler **sampler, const kelvin_sampler_type *type,
                                                    const kelvin_target *target, const kelvin_sampler_options *options);

/* The chain goes on with another target of the same n: the next batch, or the same one on more threads. */
void kelvin_sampler_retarget(kelvin_sampler *sampler, const kelvin_target *target);

kelvin_step_info kelvin_sampler_advance(kelvin_sampler *sampler, const kelvin_moment *moment);

/* One step of each of n chains by one type, chain i at moment[i]; info[i] is what kelvin_sampler_advance returns, to
 * the bit. As many as there are lanes are together where their type can be, then the next; a few are one by one. The
 * gradients of all targets must be those of `lanes`. work: kelvin_lanes_work floats. lanes NULL: all are one by one. */
void kelvin_sampler_advance_all(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment,
                                kelvin_step_info *info, const kelvin_lanes *lanes, float *work);
size_t kelvin_lanes_work(const kelvin_sampler_type *type, const kelvin_lanes *lanes);

/* Steps begin .. end - 1 of a warm-up, of chains that are tuned together, over the threads of a pool (NULL: none), on
 * which no bit depends. What a chain's target works in must be its own. KELVIN_EDIVERGED, with which chain, if one of
 * them got nowhere. */
struct kelvin_pool;
KELVIN_MUST_CHECK kelvin_status kelvin_sampler_warm(kelvin_sampler *const *chains, size_t n, uint32_t begin,
                                                    uint32_t end, const kelvin_moment *moment,
                                                    struct kelvin_pool *pool);

/* What is wrong with a whole chain so far, as a clause: "nothing was accepted in its warm-up"; NULL if nothing is. */
const char *kelvin_sampler_wrong(const kelvin_sampler *sampler);

/* (n), or NULL: all are 1. */
const float *kelvin_sampler_scale(const kelvin_sampler *sampler);

/* All that the next step needs, out of a sampler and back into it: theta, vectors and numbers as the type lists them,
 * floats (1 + vectors, n); where scales are tuned, what is known of them comes after. A chain that is put back goes on
 * to the same bits. */
enum { KELVIN_SCALE_VECTORS = 4 };
size_t kelvin_sampler_vectors(const kelvin_sampler_type *type); /* 1 + vectors */
size_t kelvin_sampler_numbers(const kelvin_sampler_type *type);
void kelvin_sampler_save(const kelvin_sampler *sampler, float *vectors, double *numbers);
void kelvin_sampler_load(kelvin_sampler *sampler, const float *vectors, const double *numbers);

/* The leapfrog integrator alone, for those who want to look at it: moves (theta, momentum) by `steps` steps in place.
 * grad must hold the gradient at theta, and does so again at the end. */
KELVIN_MUST_CHECK kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad,
                                                float step_size, float inverse_temperature, uint32_t steps);

extern const kelvin_family kelvin_sampler_family, kelvin_schedule_family;

#endif
