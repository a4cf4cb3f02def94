/* job: runs that are being sampled together, as the files about it share it. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "ranks/ranks.h"
#include "run/band.h"
#include "run/keeper.h"

#include <pthread.h>

/* What a thread takes: a chain, or several of one run that advance together. */
struct kelvin_lot {
    kelvin_run *run;
    size_t n;
    uint32_t chain[KELVIN_BAND];
};

struct kelvin_job {
    kelvin_run **runs;
    size_t n;
    struct kelvin_lot *lot; /* (lots): all chains of all runs, in their order */
    size_t lots;
    kelvin_run_options options;
    kelvin_run_watch *watch;
    void *context;
    struct kelvin_keeper *keeper;
    pthread_mutex_t mutex; /* for places and the watch */
    atomic_bool stop;      /* someone asked for it, or a chain failed */
    bool asked;

    /* of several ranks (crew.h); alone, a team of one */
    struct kelvin_team team;
    struct kelvin_group group; /* this rank's: those that share a chain with it */
    size_t tasks, next;        /* at the leader: chains of all runs, and the next to be dealt */
    double tell_seconds;       /* between news of a chain */
    bool all_dealt;            /* no chain is left for this rank to begin */
    atomic_bool told_to_stop;
    kelvin_status unwritten; /* at the leader: why a row of times.csv is not there, in the thread of the desk */
    char why[KELVIN_RAW];
    pthread_mutex_t asking;
};

/* Tells the watch. False, from then on, if it wants to stop or a chain has failed. */
bool kelvin_job_tell(struct kelvin_job *job, const kelvin_run *run, const kelvin_chain_news *news);

/* Threads for a chain at work: its share of all of them, but one each while others wait. */
size_t kelvin_job_share(struct kelvin_job *job, const kelvin_run *run, uint32_t chain);

/* Makes the lots, so that all threads have something to do. */
KELVIN_MUST_CHECK kelvin_status kelvin_lots_make(struct kelvin_job *job);

/* The chains of a lot, from wherever each stands to its end. */
KELVIN_MUST_CHECK kelvin_status kelvin_job_do(struct kelvin_job *job, const struct kelvin_lot *lot);

/* ---- the folder ---- */

/* Makes the folder of a new run, whole or not at all: run.json, folders of chains, and the first states of chains that
 * start from samples of another run, which may be gone when they are asked for again. Takes the lock. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_expect_none(const char *folder); /* KELVIN_EUSAGE if it is there */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_begin(kelvin_run *run);

/* Fills in where each chain stands, and removes what is damaged and can be made again. KELVIN_EFORMAT if something is
 * missing or damaged that cannot. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_survey(kelvin_run *run);

/* The logits of all samples at all training and test data, and the baselines, where they are not there yet. */
KELVIN_MUST_CHECK kelvin_status kelvin_logits_write(struct kelvin_job *job, kelvin_run *run);

/* At the other ranks of a team: samples that its leader asks for, until it asks no more. */
KELVIN_MUST_CHECK kelvin_status kelvin_logits_help(struct kelvin_job *job, kelvin_run *run);

#endif
