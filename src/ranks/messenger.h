/* messenger: what kelvin asks of a library for messages. The one that there is, MPI, is a module of its own
 * (mpi.c, kelvin-mpi.so), which is opened under a launcher and not before: libmpi and what it brings would take a tenth
 * of a second of every start.
 *
 * Nothing here waits. One thread at a time calls. Messages from one rank to another on one channel come in their order.
 */
#ifndef RANKS_MESSENGER_H
#define RANKS_MESSENGER_H

#include <stddef.h>

enum { KELVIN_MESSENGER = 1 }; /* raised when the struct changes: a module of another version is not used */

struct kelvin_messenger {
    int version, rank, size;

    /* Begin, and return at once: NULL if they cannot be. The data stay where they are until it has ended. */
    void *(*send)(const void *data, size_t bytes, int to, int channel);
    void *(*receive)(void *data, size_t bytes, int from, int channel);
    int (*ended)(void *request); /* 1: yes, and it is gone; 0: not yet; -1: it failed, and is gone */

    /* Whether a message has come on a channel, from whom, and how long it is. */
    int (*arrived)(int *from, size_t *bytes, int channel);

    void (*finish)(void);    /* with all others */
    void (*abort)(int code); /* without them */
};

#define KELVIN_MESSENGER_MODULE "kelvin-mpi.so"
#define KELVIN_MESSENGER_OPEN   "kelvin_messenger_open"

/* Of the module: NULL, or why it cannot. */
typedef const char *kelvin_messenger_opener(struct kelvin_messenger *messenger);

#endif
