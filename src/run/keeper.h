/* keeper: writes the states of chains in a thread of its own, so that no chain waits for a disk.
 *
 *     struct kelvin_keeper *keeper;
 *     kelvin_status st = kelvin_keeper_start(&keeper);
 *     ... in a chain's thread:
 *     struct kelvin_slot slot;
 *     st = kelvin_slot_open(&slot, keeper, &chain, bytes);
 *     kelvin_slot_offer(&slot);                                   // now and then: copies its state and goes on
 *     st = kelvin_slot_collect(&slot, &chain);                    // a bundle is full: writes it, and waits for it
 *     st = kelvin_slot_close(&slot);                              // writes its state a last time, and waits for it
 *     ...
 *     kelvin_keeper_stop(keeper);
 */
#ifndef RUN_KEEPER_H
#define RUN_KEEPER_H

#include "base/words.h"
#include "run/chain.h"

#include <stdatomic.h>

struct kelvin_keeper;

struct kelvin_slot {
    struct kelvin_keeper *keeper;
    const struct kelvin_chain *chain;
    struct kelvin_snapshot state; /* the keeper's while `full` */
    struct kelvin_snapshot row;   /* so is this: where the row began, if the state is in the middle of one */
    struct kelvin_bundle bundle;  /* the chain's, as far as it was filled then: its rows and draws are not the slot's */
    uint64_t history_bytes;       /* of history.csv up to the first row of the chain's bundle */
    atomic_bool full;
    _Atomic kelvin_status status; /* of what was written so far: the first failure */
    char sentence[KELVIN_RAW];    /* raw */
    uint32_t noted;               /* the step up to which times.csv has been written */
    double noted_at;              /* and when that was */
    double offered;               /* when the state in the slot was of now */
    size_t threads;               /* that the chain had then */
    struct kelvin_slot *next;
};

KELVIN_MUST_CHECK kelvin_status kelvin_keeper_start(struct kelvin_keeper **keeper);
void kelvin_keeper_stop(struct kelvin_keeper *keeper);

/* For a chain whose history.csv has so many bytes without its bundle. */
KELVIN_MUST_CHECK kelvin_status kelvin_slot_open(struct kelvin_slot *slot, struct kelvin_keeper *keeper,
                                                 const struct kelvin_chain *chain, uint64_t history_bytes);

/* False, and nothing is done, before the last offer is on disk, or has failed. */
bool kelvin_slot_offer(struct kelvin_slot *slot);

/* Writes the bundle of the slot's chain, and its rows, and makes it empty: before the first state that comes after it.
 * If that fails, no more states are written. */
KELVIN_MUST_CHECK kelvin_status kelvin_slot_collect(struct kelvin_slot *slot, struct kelvin_chain *chain);

/* Nothing more is written: what the chain is now is not to be trusted. */
void kelvin_slot_give_up(struct kelvin_slot *slot, kelvin_status status);

/* Writes the chain's state, or the last good one, unless something before it could not be written. Returns the first
 * failure. */
KELVIN_MUST_CHECK kelvin_status kelvin_slot_close(struct kelvin_slot *slot);

#endif
