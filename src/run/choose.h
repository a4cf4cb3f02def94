/* choose: settings from the data. What nobody has said of a run is found in three steps: a plan, which follows from the
 * shape of the data alone; a search, which tries some priors in short runs on a part of the training rows, and keeps
 * what predicts the other rows best; and how long the run must be, which those short runs tell. The test part is never
 * looked at. All of it is a function of the data, the seed and what was said: not of threads, nor of the time it takes.
 */
#ifndef RUN_CHOOSE_H
#define RUN_CHOOSE_H

#include "run/fields.h"
#include "run/room.h"
#include "run/tune.h"

/* What is tried: a density of predictions and a prior of parameters. */
struct kelvin_candidate {
    double alpha;  /* of dirclip; 1: categorical; not a number: as someone said */
    double scale;  /* s of fan-in or sparse; not a number: as someone said */
    double narrow; /* t of sparse; 0: fan-in */
};

enum { KELVIN_CANDIDATES = 12, KELVIN_PLAN_TEXT = 64 };

/* What the shape of the data says. */
struct kelvin_plan {
    char model[KELVIN_PLAN_TEXT];
    const char *schedule, *augment;
    uint32_t batch, chains, draws; /* draws of each chain */
    uint32_t trial;                /* epochs of a short run */
    uint32_t epochs;               /* of the run itself, at least; and at most: */
    uint32_t most_epochs;
    double lr;         /* the largest that is tried */
    size_t folds;      /* how often a part of the training rows is held out; 0: there is no search */
    size_t candidates; /* the first is what is taken if there is no search */
    struct kelvin_candidate candidate[KELVIN_CANDIDATES];
    char why[2 * KELVIN_PLAN_TEXT]; /* the network is as it is */
};

/* "" where someone said. */
void kelvin_candidate_texts(char density[KELVIN_PLAN_TEXT], char prior[KELVIN_PLAN_TEXT],
                            const struct kelvin_candidate *candidate);

/* batches: the run is by a sampler that looks at batches. */
void kelvin_plan_table(struct kelvin_plan *plan, const kelvin_data *data, bool batches);
KELVIN_MUST_CHECK kelvin_status kelvin_plan_pictures(struct kelvin_plan *plan, const kelvin_data *data, bool batches);

/* ---- short runs ---- */

/* Training rows are dealt to so many parts, and of few rows again and again; each part is held out at most once. */
enum { KELVIN_FOLDS = 4, KELVIN_DEALS = 2 };
#define KELVIN_NO_FOLD SIZE_MAX

/* The training rows without those of one part, as data of their own, and these. */
struct kelvin_fold {
    kelvin_data data;
    kelvin_arena *arena;
    size_t held;
    const float *x;
    const int32_t *y;
    const float *weight; /* NULL: all 1 */
};

/* held_out: which part of all dealings; KELVIN_NO_FOLD: none, and the rows are those of the data. */
KELVIN_MUST_CHECK kelvin_status kelvin_fold_create(struct kelvin_fold *fold, const kelvin_data *data, size_t held_out,
                                                   uint64_t seed);
void kelvin_fold_free(struct kelvin_fold *fold); /* fine on a zeroed one */

/* A short run on a fold. */
struct kelvin_trial {
    kelvin_run_config config;
    const struct kelvin_fold *fold;

    /* what is found */
    bool diverged;
    double kinetic, configurational; /* temperatures, relative to what was set */
    double *log_p;                   /* (held), of the labels that were held out; memory of the caller's */
};

/* All of them, over the threads. */
KELVIN_MUST_CHECK kelvin_status kelvin_trials_run(struct kelvin_trial *trials, size_t n, size_t threads,
                                                  kelvin_choose_watch *tell, void *context);

/* ---- the search ---- */

struct kelvin_search {
    const kelvin_data *data;
    const struct kelvin_plan *plan;
    kelvin_run_config config; /* of short runs, with what was said */
    bool lr_is_said;
    size_t threads;
    kelvin_choose_watch *tell;
    void *context;
};

struct kelvin_found {
    size_t best; /* candidate */
    double lr;   /* the largest at which it was at its temperature */
    double
        configurational; /* temperature of a run of so many epochs, relative to what was set: 1 where it had settled */
    uint32_t epochs;
    double nll[KELVIN_CANDIDATES]; /* per held-out row; not a number: was given up */
    size_t held;                   /* rows that were held out */
};

KELVIN_MUST_CHECK kelvin_status kelvin_search_run(struct kelvin_found *found, const struct kelvin_search *search);

/* ---- the whole ---- */

enum { KELVIN_CHOSEN = 1024 };

/* The value of a field that is to be chosen. */
#define KELVIN_AUTO "auto"

/* A configuration with nothing left to choose. */
struct kelvin_choice {
    kelvin_run_config config; /* texts are the caller's, or these: */
    char model[KELVIN_PLAN_TEXT], density[KELVIN_PLAN_TEXT], prior[KELVIN_PLAN_TEXT];
    struct kelvin_tuned tuned;
    char said[KELVIN_CHOSEN]; /* what was chosen and why, for people */
};

/* The names of fields that can be chosen; NULL after the last. */
const char *kelvin_choosable(size_t i);
bool kelvin_is_choosable(const char *field);

struct kelvin_chooser {
    const kelvin_data *data;
    kelvin_config_said *said; /* which fields are to stay as they are */
    const void *whose;
    size_t threads;
    kelvin_choose_watch *tell; /* NULL: nobody wants to know */
    void *context;
};

/* config: everything is filled in, and what nobody has said may be changed. */
/* A configuration with all that was said, and nothing left to choose. Its data are `data`, or, if that is NULL, those
 * that it names, which are opened into *own (NULL if there is no need to), and then the caller's to close. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_complete(struct kelvin_choice *choice, kelvin_data **own,
                                                       const kelvin_config *config, const kelvin_data *data,
                                                       size_t threads, kelvin_choose_watch *watch, void *context);

KELVIN_MUST_CHECK kelvin_status kelvin_choose(struct kelvin_choice *choice, const kelvin_run_config *config,
                                              const struct kelvin_chooser *how);

#endif
