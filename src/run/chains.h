/* chains: what the files about runs by SGHMC share: the run at work in its folder. */
#ifndef RUN_CHAINS_H
#define RUN_CHAINS_H

#include "run/keeper.h"
#include "run/lock.h"

#include <pthread.h>
#include <stdatomic.h>

/* Where one chain is. */
struct kelvin_place {
    kelvin_chain_phase phase;
    uint32_t step; /* at which it was taken up, or left */
    char diverged[KELVIN_NOTE];
};

struct kelvin_chains {
    kelvin_run *run;
    kelvin_path folder;
    struct kelvin_lock lock;
    struct kelvin_place *place; /* (chains) */

    /* while it runs */
    kelvin_chains_options options;
    kelvin_chains_watch *watch;
    void *context;
    struct kelvin_keeper *keeper;
    pthread_mutex_t mutex; /* for places and the watch */
    atomic_bool stop;      /* someone asked for it, or a chain failed */
    bool asked;
};

/* KELVIN_EUSAGE if the run is by another sampler. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_check(const kelvin_run *run);

/* Makes the folder of a new run, whole or not at all: run.json, folders of chains, and the first states of chains that
 * start from samples of another run, which may be gone when they are asked for again. Takes the lock. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_folder(struct kelvin_chains *chains);

/* Fills in where each chain stands. KELVIN_EFORMAT if a sample is missing that no state can give back. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_survey(struct kelvin_chains *chains);

/* Writes the history of a chain that has ended, if it is missing or has been cut. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_restore(const struct kelvin_chains *chains,
                                                      const struct kelvin_chain *chain);

/* Tells the watch. False, from then on, if it wants to stop or a chain has failed. */
bool kelvin_chains_tell(struct kelvin_chains *chains, const kelvin_chain_news *news);

/* Threads for a chain at work: its share of all of them, but one each while others wait. */
size_t kelvin_chains_share(struct kelvin_chains *chains, uint32_t number);

/* The names of the files of logits and labels, and which of the data they are of. */
enum { KELVIN_PARTS = 2 };
struct kelvin_logits_file {
    const char *name, *labels;
    const kelvin_part *part;
};
void kelvin_logits_files(struct kelvin_logits_file files[KELVIN_PARTS], const kelvin_data *data);

/* The logits of all samples at all training and test data, where they are not there yet. */
KELVIN_MUST_CHECK kelvin_status kelvin_logits_write(struct kelvin_chains *chains);

#endif
