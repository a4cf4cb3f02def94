/* desk: inside of the ranks room: one thread that sends, receives, and listens whether the others are alive. */
#ifndef RANKS_DESK_H
#define RANKS_DESK_H

#include "ranks/messenger.h"
#include "ranks/ranks.h"

/* What messages of the desk are on; groups have one of their own. */
enum { KELVIN_CHANNEL_DESK = 1, KELVIN_CHANNEL_GROUP = 2 };

/* Takes over the messenger. */
KELVIN_MUST_CHECK kelvin_status kelvin_desk_open(const struct kelvin_messenger *messenger);

/* Waits until what was posted is on its way, and ends the thread. */
void kelvin_desk_close(void);

const struct kelvin_messenger *kelvin_desk_messenger(void); /* NULL: alone */

/* The messenger may be called between them. */
void kelvin_desk_enter(void);
void kelvin_desk_exit(void);

/* The first trouble counts. gone: nobody can say goodbye to that rank any more. */
void kelvin_desk_trouble(size_t rank, bool gone, const char *raw);
bool kelvin_desk_is_gone(void);

/* Nothing is sent or received any more: there are requests that nobody will wait for, into memory that is freed. */
void kelvin_desk_silence(void);

/* What a rank is called by its host, from when it has said hello. */
void kelvin_desk_name(size_t rank, const char *host);

/* kelvin_receive, whatever ranks that give up say; not if one is gone. */
KELVIN_MUST_CHECK kelvin_status kelvin_desk_receive(void *data, size_t size, size_t *bytes, int from,
                                                    enum kelvin_kind kind, bool trouble_counts);

/* Whether a message of a kind comes from any rank within some seconds, though one is gone; it is taken out. */
bool kelvin_desk_await(enum kelvin_kind kind, double seconds);

#endif
