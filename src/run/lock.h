/* lock: one process at a time works in a run folder. The system lets go of the lock when its process ends, however it
 * ends. */
#ifndef RUN_LOCK_H
#define RUN_LOCK_H

#include <kelvin/base.h>

struct kelvin_lock {
    int fd; /* -1: not held */
};

/* KELVIN_EUSAGE, with the number of the process that has it, if another one does. */
KELVIN_MUST_CHECK kelvin_status kelvin_lock_take(struct kelvin_lock *lock, const char *folder);

/* Takes a lock that is there and that nobody holds, and says nothing of it. */
bool kelvin_lock_seize(struct kelvin_lock *lock, const char *folder);

/* Is the lock that is held still the one in the folder? */
bool kelvin_lock_holds(const struct kelvin_lock *lock, const char *folder);

void kelvin_lock_release(struct kelvin_lock *lock);

#endif
