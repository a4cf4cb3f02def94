/* keeper: writes the states of chains in a thread of its own, so that no chain waits for a disk.
 *
 *     struct kelvin_keeper *keeper;
 *     kelvin_status st = kelvin_keeper_start(&keeper, folder);
 *     ... in a chain's thread:
 *     struct kelvin_slot slot;
 *     st = kelvin_slot_open(&slot, keeper, &chain);
 *     if (kelvin_slot_idle(&slot)) kelvin_slot_offer(&slot);      // now and then: copies its state and goes on
 *     st = kelvin_slot_close(&slot);                              // writes chain.good a last time, and waits for it
 *     ...
 *     kelvin_keeper_stop(keeper);
 */
#ifndef RUN_KEEPER_H
#define RUN_KEEPER_H

#include "run/chain.h"

struct kelvin_keeper;

struct kelvin_slot {
    struct kelvin_keeper *keeper;
    const struct kelvin_chain *chain;
    struct kelvin_snapshot state; /* the keeper's while `full` */
    bool full;
    kelvin_status status; /* of what was written so far: the first failure */
    char sentence[1024];
    uint32_t noted;  /* the step up to which times.csv has been written */
    double noted_at; /* and when that was */
    double offered;  /* when the state in the slot was of now */
    size_t threads;  /* that the chain had then */
    struct kelvin_slot *next;
};

KELVIN_MUST_CHECK kelvin_status kelvin_keeper_start(struct kelvin_keeper **keeper, const char *folder);
void kelvin_keeper_stop(struct kelvin_keeper *keeper);

KELVIN_MUST_CHECK kelvin_status kelvin_slot_open(struct kelvin_slot *slot, struct kelvin_keeper *keeper,
                                                 const struct kelvin_chain *chain);

/* The last offer is on disk, or has failed. */
bool kelvin_slot_idle(struct kelvin_slot *slot);
bool kelvin_slot_failed(struct kelvin_slot *slot);
void kelvin_slot_offer(struct kelvin_slot *slot);

/* Writes chain.good, unless a state before it could not be written. Returns the first failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_slot_close(struct kelvin_slot *slot);

#endif
