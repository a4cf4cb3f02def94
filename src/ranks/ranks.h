/* ranks, from within: messages between ranks, and sums over some of them.
 *
 *     st = kelvin_post(0, KELVIN_KIND_NEWS, &news, sizeof news);            // to rank 0; does not wait
 *     st = kelvin_receive(&task, sizeof task, NULL, 0, KELVIN_KIND_TASK);   // the next of its kind from rank 0; waits
 *     kelvin_serve(KELVIN_KIND_NEWS, hear, context);                        // hear() is called for each one that comes
 *
 * A thread of its own, the desk (desk.c), sends and receives; it tells rank 0 every other second that its rank is
 * alive, and hears the same of rank 0. Where a rank is gone or gives up, nobody waits for it any more: whoever does
 * gets KELVIN_EIO with a sentence that names it.
 */
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include <kelvin/ranks.h>

/* Ranks first .. first + size - 1, which work on something together; the first leads. */
struct kelvin_team {
    size_t first, size;
};

/* Who works on the runs that this rank starts and opens: all ranks, or those that were set. */
struct kelvin_team kelvin_team_now(void);
void kelvin_team_set(struct kelvin_team team);
struct kelvin_team kelvin_team_all(void);

/* Whether this rank leads its team; one that is alone does. */
bool kelvin_team_leads(const struct kelvin_team *team);

/* ---- messages ---- */

/* What a message is about. Those of one kind from one rank to another come in their order. */
enum kelvin_kind {
    KELVIN_KIND_BEAT, /* alive */
    KELVIN_KIND_HELLO,
    KELVIN_KIND_FAILED, /* a rank gives up: its sentence */
    KELVIN_KIND_GONE,   /* rank 0 has not heard of one: a sentence */
    KELVIN_KIND_READY,  /* a rank has nothing left to do */
    KELVIN_KIND_BYE,
    KELVIN_KIND_SHARED, /* kelvin_share, and kelvin_report_status */
    KELVIN_KIND_REPORT,
    KELVIN_KIND_ASK, /* of a job: for a chain */
    KELVIN_KIND_TASK,
    KELVIN_KIND_NEWS,
    KELVIN_KIND_PLACE,
    KELVIN_KIND_TIMES,
    KELVIN_KIND_STOP,
    KELVIN_KIND_FARM, /* a piece of work, and what came of it */
    KELVIN_KIND_CROP,
    KELVIN_KIND_CELL_ASK, /* of an experiment: for a cell */
    KELVIN_KIND_CELL,
    KELVIN_KIND_CELL_NEWS,
    KELVIN_KINDS,
};

enum { KELVIN_ANY_RANK = -1 };

KELVIN_MUST_CHECK kelvin_status kelvin_post(size_t to, enum kelvin_kind kind, const void *data, size_t bytes);

/* Waits for a message of a kind from a rank, or from KELVIN_ANY_RANK: at most `size` bytes of it, `*bytes` unless NULL
 * are as many as it has. */
KELVIN_MUST_CHECK kelvin_status kelvin_receive(void *data, size_t size, size_t *bytes, int from, enum kelvin_kind kind);

/* The same with memory of its own, which is aligned as kelvin_alloc's; kelvin_free it. */
KELVIN_MUST_CHECK kelvin_status kelvin_receive_new(void **data, size_t *bytes, int from, enum kelvin_kind kind);

/* Hears messages of a kind as they come, in the thread of the desk, which must not be kept waiting, and those that came
 * before. After unserve nobody is in it any more. */
typedef void kelvin_server(void *context, size_t from, const void *data, size_t bytes);
void kelvin_serve(enum kelvin_kind kind, kelvin_server *server, void *context);
void kelvin_unserve(enum kelvin_kind kind);

/* From the leader of a team to its others: `size` bytes. */
KELVIN_MUST_CHECK kelvin_status kelvin_share(const struct kelvin_team *team, void *data, size_t size);

/* How it went at the leader, on all ranks of a team: KELVIN_OK, or its status and sentence. */
KELVIN_MUST_CHECK kelvin_status kelvin_share_status(const struct kelvin_team *team, kelvin_status status);

/* The reverse: KELVIN_OK at the leader if it went well on every rank; of failures the first, but not one that others
 * had to stop for. Others go on. */
KELVIN_MUST_CHECK kelvin_status kelvin_report_status(const struct kelvin_team *team, kelvin_status status);

/* KELVIN_EIO with a sentence if a rank is gone or has given up. */
KELVIN_MUST_CHECK kelvin_status kelvin_ranks_trouble(void);

/* What a rank is called in a sentence: "rank 2 (node-b)". */
enum { KELVIN_RANK_NAME = 96 };
void kelvin_rank_name(char name[KELVIN_RANK_NAME], size_t rank);

/* ---- groups ----
 * Ranks that compute one thing in lockstep: each calls the same functions in the same order, one thread at a time. */

struct kelvin_group {
    size_t first, size, me; /* me: 0 .. size - 1 */
    bool meters;            /* before a sum, all wait for the last: so that messages are timed, and not who is late */
    double seconds, waited; /* that this rank has spent in the functions below, and of it waiting so */
    bool broken;            /* something failed: nothing is exchanged any more */
};

/* A group of one needs nobody. */
struct kelvin_group kelvin_group_of(size_t first, size_t size);

/* slots (size, bytes): each rank has filled in its own, and gets those of the others. */
KELVIN_MUST_CHECK kelvin_status kelvin_group_exchange(struct kelvin_group *group, void *slots, size_t bytes);

/* Whether one of them says so, at all of them. */
KELVIN_MUST_CHECK kelvin_status kelvin_group_any(struct kelvin_group *group, bool *any);

/* KELVIN_OK at all of them, or at none: who has failed keeps its status and sentence, for the others it is
 * KELVIN_ESTOP. */
KELVIN_MUST_CHECK kelvin_status kelvin_group_agree(struct kelvin_group *group, kelvin_status status);

/* From the first to the others. */
KELVIN_MUST_CHECK kelvin_status kelvin_group_spread(struct kelvin_group *group, void *data, size_t bytes);

/* A sum in the order of the ranks, as one rank alone would add it up: what comes from the rank before is added to,
 * piece by piece, and handed on; the whole goes back the same way. `add` adds what this rank has to sum[from .. from +
 * n - 1], which on the first rank are as the caller left them. */
typedef void kelvin_group_add(void *context, float *sum, size_t from, size_t n);
KELVIN_MUST_CHECK kelvin_status kelvin_group_sum(struct kelvin_group *group, float *sum, size_t n,
                                                 kelvin_group_add *add, void *context);

#endif
