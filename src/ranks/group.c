/* Ranks in lockstep. Waiting is short where they are in step, so a rank looks again and again before it sleeps; longer
 * waits, where there are more ranks than CPUs, leave the CPU to others. */
#include "ranks/desk.h"

#include "base/words.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Floats of a piece of a sum: several are under way at once, and what was just received is still in the cache. */
enum { PIECE = 1 << 15, MOST_PIECES = 64, MOST_RANKS = 16 };

struct kelvin_group kelvin_group_of(size_t first, size_t size)
{
    return (struct kelvin_group){.first = first, .size = size, .me = size > 1 ? kelvin_rank() - first : 0};
}

/* ---- one message ---- */

/* Requests that are left behind may still write into memory that will be freed: no more calls are made. */
static kelvin_status break_off(struct kelvin_group *g)
{
    g->broken = true;
    kelvin_desk_silence();
    kelvin_desk_trouble(g->first, true, "ranks that share a chain have lost each other");
    return kelvin_ranks_trouble();
}

static void *begin_send(const struct kelvin_group *g, const void *data, size_t bytes, size_t to)
{
    kelvin_desk_enter();
    void *request = kelvin_desk_messenger()->send(data, bytes, (int)(g->first + to), KELVIN_CHANNEL_GROUP);
    kelvin_desk_exit();
    return request;
}

static void *begin_receive(const struct kelvin_group *g, void *data, size_t bytes, size_t from)
{
    kelvin_desk_enter();
    void *request = kelvin_desk_messenger()->receive(data, bytes, (int)(g->first + from), KELVIN_CHANNEL_GROUP);
    kelvin_desk_exit();
    return request;
}

static kelvin_status await(struct kelvin_group *g, void *request)
{
    enum { SPIN = 4000, LOOK = 256 };
    const struct timespec nap = {.tv_nsec = 20000};
    const double patience = 3; /* that some rank is gone does not mean that it is of this group */
    double gone = 0;
    int ended = request ? 0 : -1;
    for (unsigned i = 1; ended == 0; i++) {
        kelvin_desk_enter();
        ended = kelvin_desk_messenger()->ended(request);
        kelvin_desk_exit();
        if (ended) break;
        if (i % LOOK == 0 && kelvin_desk_is_gone()) {
            if (gone == 0) gone = kelvin_now();
            if (kelvin_now() - gone > patience) break;
        }
        if (i < SPIN)
            sched_yield();
        else
            nanosleep(&nap, NULL);
    }
    return ended > 0 ? KELVIN_OK : break_off(g);
}

/* ---- all of a group ---- */

static kelvin_status exchange(struct kelvin_group *g, char *slots, size_t bytes)
{
    void *sent[MOST_RANKS] = {0}, *received[MOST_RANKS] = {0};
    for (size_t i = 0; i < g->size; i++) {
        if (i == g->me) continue;
        received[i] = begin_receive(g, slots + i * bytes, bytes, i);
        sent[i] = begin_send(g, slots + g->me * bytes, bytes, i);
    }
    for (size_t i = 0; i < g->size; i++) {
        if (i == g->me) continue;
        KELVIN_TRY(await(g, received[i]));
        KELVIN_TRY(await(g, sent[i]));
    }
    return KELVIN_OK;
}

kelvin_status kelvin_group_exchange(struct kelvin_group *g, void *slots, size_t bytes)
{
    if (g->size < 2) return KELVIN_OK;
    if (g->broken) return kelvin_ranks_trouble();
    const double begun = kelvin_now();
    const kelvin_status status = exchange(g, slots, bytes);
    g->seconds += kelvin_now() - begun;
    return status;
}

kelvin_status kelvin_group_any(struct kelvin_group *g, bool *any)
{
    bool said[MOST_RANKS] = {false};
    said[g->me] = *any;
    KELVIN_TRY(kelvin_group_exchange(g, said, sizeof *said));
    for (size_t i = 0; i < g->size; i++) *any |= said[i];
    return KELVIN_OK;
}

kelvin_status kelvin_group_agree(struct kelvin_group *g, kelvin_status status)
{
    bool failed = status != KELVIN_OK;
    char sentence[KELVIN_RAW];
    if (g->size < 2) return status;
    snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
    const kelvin_status exchanged = kelvin_group_any(g, &failed);
    if (status) return kelvin_fail(status, KELVIN_SAID, sentence);
    if (exchanged) return exchanged;
    return failed ? kelvin_fail(KELVIN_ESTOP, "a rank that shares a chain with this one has failed") : KELVIN_OK;
}

kelvin_status kelvin_group_spread(struct kelvin_group *g, void *data, size_t bytes)
{
    enum { MOST = 1 << 24 };
    if (g->size < 2) return KELVIN_OK;
    if (g->broken) return kelvin_ranks_trouble();
    for (size_t from = 0, n; from < bytes; from += n) {
        char *piece = (char *)data + from;
        n = bytes - from < MOST ? bytes - from : MOST;
        if (g->me > 0) KELVIN_TRY(await(g, begin_receive(g, piece, n, 0)));
        for (size_t i = 1; i < g->size && g->me == 0; i++) KELVIN_TRY(await(g, begin_send(g, piece, n, i)));
    }
    return KELVIN_OK;
}

/* ---- sums ---- */

struct sum {
    struct kelvin_group *g;
    float *sum;
    size_t base, n, pieces;                       /* what is summed begins at the base-th float of all */
    void *forth[MOST_PIECES], *back[MOST_PIECES]; /* what is under way to the next rank; to the one before */
};

static size_t piece_begin(const struct sum *s, size_t piece)
{
    return piece * PIECE < s->n ? piece * PIECE : s->n;
}

static size_t piece_bytes(const struct sum *s, size_t piece)
{
    return (piece_begin(s, piece + 1) - piece_begin(s, piece)) * sizeof *s->sum;
}

/* Up the ranks: each adds its own. */
static kelvin_status go_forth(struct sum *s, kelvin_group_add *add, void *context)
{
    struct kelvin_group *g = s->g;
    void *coming[MOST_PIECES] = {0};
    for (size_t i = 0; i < s->pieces && g->me > 0; i++)
        coming[i] = begin_receive(g, s->sum + piece_begin(s, i), piece_bytes(s, i), g->me - 1);
    for (size_t i = 0; i < s->pieces; i++) {
        const size_t from = piece_begin(s, i), n = piece_begin(s, i + 1) - from;
        if (g->me > 0) KELVIN_TRY(await(g, coming[i]));
        add(context, s->sum + from, s->base + from, n);
        if (g->me + 1 < g->size) s->forth[i] = begin_send(g, s->sum + from, piece_bytes(s, i), g->me + 1);
    }
    return KELVIN_OK;
}

/* Down the ranks: the whole. A piece that comes back lands where it was sent from, once that has ended. */
static kelvin_status come_back(struct sum *s)
{
    struct kelvin_group *g = s->g;
    void *coming[MOST_PIECES] = {0};
    const bool last = g->me + 1 == g->size;
    for (size_t i = 0; i < s->pieces && !last; i++) {
        KELVIN_TRY(await(g, s->forth[i]));
        coming[i] = begin_receive(g, s->sum + piece_begin(s, i), piece_bytes(s, i), g->me + 1);
    }
    for (size_t i = 0; i < s->pieces; i++) {
        if (!last) KELVIN_TRY(await(g, coming[i]));
        if (g->me > 0) s->back[i] = begin_send(g, s->sum + piece_begin(s, i), piece_bytes(s, i), g->me - 1);
    }
    for (size_t i = 0; i < s->pieces && g->me > 0; i++) KELVIN_TRY(await(g, s->back[i]));
    return KELVIN_OK;
}

static kelvin_status sum_some(struct kelvin_group *g, float *sum, size_t base, size_t n, kelvin_group_add *add,
                              void *context)
{
    struct sum s = {.g = g, .sum = sum + base, .base = base, .n = n, .pieces = (n + PIECE - 1) / PIECE};
    KELVIN_TRY(go_forth(&s, add, context));
    return come_back(&s);
}

/* So many pieces at a time as there is room for requests. */
kelvin_status kelvin_group_sum(struct kelvin_group *g, float *sum, size_t n, kelvin_group_add *add, void *context)
{
    enum { MOST = PIECE * MOST_PIECES };
    if (g->size < 2) {
        add(context, sum, 0, n);
        return KELVIN_OK;
    }
    if (g->broken) return kelvin_ranks_trouble();
    const double begun = kelvin_now();
    bool any = false;
    kelvin_status status = KELVIN_OK;
    if (g->meters) {
        const double before = g->seconds;
        status = kelvin_group_any(g, &any);
        g->seconds = before; /* it is counted below */
        g->waited += kelvin_now() - begun;
    }
    for (size_t base = 0, some; base < n && !status; base += some) {
        some = n - base < MOST ? n - base : MOST;
        status = sum_some(g, sum, base, some, add, context);
    }
    g->seconds += kelvin_now() - begun;
    return status;
}
