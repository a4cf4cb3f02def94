/* The desk: a thread that sends and receives for all others of its process. Calls of the messenger never wait, and one
 * lock makes them one at a time, so that any MPI will do. A message that nobody serves stays in the mailbox until
 * somebody asks for it.
 *
 * Rank 0 hears of every rank, and every rank of rank 0, each BEAT seconds; who has not been heard of for SILENCE
 * seconds is gone. A process that was itself stopped for a while (a job that was suspended) begins to count anew. */
#include "ranks/desk.h"

#include "base/words.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double beat_seconds = 2, silence_seconds = 12, stopped_seconds = 4;

enum { HOST = 64 };

struct letter {
    struct letter *next;
    size_t from, bytes;
    enum kelvin_kind kind;
    char data[];
};

struct sending {
    struct sending *next;
    void *request;
    size_t to;
    enum kelvin_kind kind;
    char data[];
};

/* What stands before the data of each message. */
struct head {
    uint64_t kind;
};

static struct {
    struct kelvin_messenger messenger;
    bool open;
    pthread_t thread;
    atomic_bool quit;

    pthread_mutex_t wire; /* for the messenger, and what is being sent */
    struct sending *sending;

    pthread_mutex_t box; /* for all below */
    pthread_cond_t news;
    struct letter *first, **last;
    double *heard; /* (ranks): kelvin_now() when something came from each; of those that are listened to */
    char (*host)[HOST];
    char sentence[KELVIN_RAW];
    size_t rank; /* whose trouble it is */

    atomic_bool trouble, gone, silent;

    pthread_mutex_t serving; /* while a server is at work */
    struct {
        kelvin_server *server;
        void *context;
    } server[KELVIN_KINDS];
} desk = {.wire = PTHREAD_MUTEX_INITIALIZER,
          .box = PTHREAD_MUTEX_INITIALIZER,
          .news = PTHREAD_COND_INITIALIZER,
          .serving = PTHREAD_MUTEX_INITIALIZER};

const struct kelvin_messenger *kelvin_desk_messenger(void)
{
    return desk.open ? &desk.messenger : NULL;
}

void kelvin_desk_enter(void)
{
    pthread_mutex_lock(&desk.wire);
}

void kelvin_desk_exit(void)
{
    pthread_mutex_unlock(&desk.wire);
}

/* ---- trouble ---- */

void kelvin_desk_trouble(size_t rank, bool gone, const char *raw)
{
    pthread_mutex_lock(&desk.box);
    if (!atomic_load(&desk.trouble)) {
        desk.rank = rank;
        snprintf(desk.sentence, sizeof desk.sentence, "%s", raw);
        atomic_store(&desk.trouble, true);
    }
    if (gone) atomic_store(&desk.gone, true);
    pthread_cond_broadcast(&desk.news);
    pthread_mutex_unlock(&desk.box);
}

void kelvin_desk_silence(void)
{
    atomic_store(&desk.silent, true);
    atomic_store(&desk.gone, true);
}

bool kelvin_desk_is_gone(void)
{
    return atomic_load(&desk.gone);
}

kelvin_status kelvin_ranks_trouble(void)
{
    char sentence[KELVIN_RAW];
    if (!atomic_load(&desk.trouble)) return KELVIN_OK;
    pthread_mutex_lock(&desk.box);
    memcpy(sentence, desk.sentence, sizeof sentence);
    pthread_mutex_unlock(&desk.box);
    return kelvin_fail(KELVIN_EIO, KELVIN_SAID, sentence);
}

bool kelvin_ranks_failed_elsewhere(void)
{
    return atomic_load(&desk.trouble);
}

bool kelvin_ranks_lost_first(void)
{
    return atomic_load(&desk.gone) && desk.rank == 0 && desk.messenger.rank != 0;
}

void kelvin_desk_name(size_t rank, const char *host)
{
    pthread_mutex_lock(&desk.box);
    snprintf(desk.host[rank], HOST, "%s", host);
    pthread_mutex_unlock(&desk.box);
}

void kelvin_rank_name(char name[KELVIN_RANK_NAME], size_t rank)
{
    const char *host = desk.host && rank < (size_t)desk.messenger.size ? desk.host[rank] : "";
    snprintf(name, KELVIN_RANK_NAME, *host ? "rank %zu (%s)" : "rank %zu", rank, host);
}

/* ---- sending ---- */

kelvin_status kelvin_post(size_t to, enum kelvin_kind kind, const void *data, size_t bytes)
{
    const struct head head = {kind};
    struct sending *s = kelvin_alloc(1, sizeof *s + sizeof head + bytes);
    if (!s) return KELVIN_ENOMEM;
    *s = (struct sending){.to = to, .kind = kind};
    memcpy(s->data, &head, sizeof head);
    if (bytes > 0) memcpy(s->data + sizeof head, data, bytes);
    pthread_mutex_lock(&desk.wire);
    if (!atomic_load(&desk.silent))
        s->request = desk.messenger.send(s->data, sizeof head + bytes, (int)to, KELVIN_CHANNEL_DESK);
    const bool begun = s->request != NULL;
    if (begun) {
        s->next = desk.sending;
        desk.sending = s;
    } else {
        kelvin_free(s);
    }
    pthread_mutex_unlock(&desk.wire);
    if (begun) return KELVIN_OK;
    char name[KELVIN_RANK_NAME];
    kelvin_rank_name(name, to);
    return kelvin_fail(KELVIN_EIO, "no message can be sent to %s", name);
}

/* With the wire held. What could not be sent is not said: its rank will be silent. */
static void end_sending(void)
{
    for (struct sending **at = &desk.sending; *at;) {
        struct sending *s = *at;
        if (desk.messenger.ended(s->request)) {
            *at = s->next;
            kelvin_free(s);
        } else {
            at = &s->next;
        }
    }
}

/* Whether the last beat to a rank is still under way: one more would not come any sooner. */
static bool beats(size_t to)
{
    bool under_way = false;
    pthread_mutex_lock(&desk.wire);
    for (const struct sending *s = desk.sending; s; s = s->next)
        under_way |= s->to == to && s->kind == KELVIN_KIND_BEAT;
    pthread_mutex_unlock(&desk.wire);
    return under_way;
}

static void beat(size_t to)
{
    if (beats(to)) return;
    const kelvin_status status = kelvin_post(to, KELVIN_KIND_BEAT, NULL, 0);
    (void)status; /* who does not hear of us will say so */
}

/* ---- receiving ---- */

static void put_into_box(struct letter *letter)
{
    pthread_mutex_lock(&desk.box);
    letter->next = NULL;
    *desk.last = letter;
    desk.last = &letter->next;
    pthread_cond_broadcast(&desk.news);
    pthread_mutex_unlock(&desk.box);
}

/* The first of a kind from a rank, out of the box; with the box held. */
static struct letter *take_out(int from, enum kelvin_kind kind)
{
    for (struct letter **at = &desk.first; *at; at = &(*at)->next) {
        struct letter *letter = *at;
        if (letter->kind != kind || (from != KELVIN_ANY_RANK && letter->from != (size_t)from)) continue;
        *at = letter->next;
        if (!*at) desk.last = at;
        return letter;
    }
    return NULL;
}

static void hand_over(struct letter *letter)
{
    pthread_mutex_lock(&desk.serving);
    kelvin_server *server = desk.server[letter->kind].server;
    if (server) {
        server(desk.server[letter->kind].context, letter->from, letter->data, letter->bytes);
        kelvin_free(letter);
    } else {
        put_into_box(letter);
    }
    pthread_mutex_unlock(&desk.serving);
}

void kelvin_serve(enum kelvin_kind kind, kelvin_server *server, void *context)
{
    struct letter *letter;
    pthread_mutex_lock(&desk.serving);
    desk.server[kind].server = server;
    desk.server[kind].context = context;
    for (;;) {
        pthread_mutex_lock(&desk.box);
        letter = take_out(KELVIN_ANY_RANK, kind);
        pthread_mutex_unlock(&desk.box);
        if (!letter) break;
        server(context, letter->from, letter->data, letter->bytes);
        kelvin_free(letter);
    }
    pthread_mutex_unlock(&desk.serving);
}

void kelvin_unserve(enum kelvin_kind kind)
{
    pthread_mutex_lock(&desk.serving);
    desk.server[kind].server = NULL;
    pthread_mutex_unlock(&desk.serving);
}

static void hear_trouble(const struct letter *letter)
{
    const bool gone = letter->kind == KELVIN_KIND_GONE;
    char sentence[KELVIN_RAW], name[KELVIN_RANK_NAME];
    kelvin_rank_name(name, letter->from);
    kelvin_compose(sentence, sizeof sentence, "%s%s" KELVIN_SAID_AT_MOST, gone ? "" : name, gone ? "" : ": ",
                   (int)letter->bytes, letter->data);
    kelvin_desk_trouble(gone ? SIZE_MAX : letter->from, gone, sentence); /* which one is gone, the sentence says */
}

static void pause_for(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

/* A message that has been announced comes without delay, but a long one in pieces. */
static bool take_in(struct letter **out, int from, size_t bytes)
{
    struct head *head = kelvin_alloc(1, bytes < sizeof *head ? sizeof *head : bytes);
    struct letter *letter = kelvin_alloc(1, sizeof *letter + bytes);
    int ended = -1;
    *out = NULL;
    if (head && letter) {
        pthread_mutex_lock(&desk.wire);
        void *request = desk.messenger.receive(head, bytes, from, KELVIN_CHANNEL_DESK);
        ended = request ? desk.messenger.ended(request) : -1;
        pthread_mutex_unlock(&desk.wire);
        while (ended == 0) {
            pause_for(2e-5);
            pthread_mutex_lock(&desk.wire);
            ended = desk.messenger.ended(request);
            pthread_mutex_unlock(&desk.wire);
        }
    }
    if (ended > 0 && bytes >= sizeof *head && head->kind < KELVIN_KINDS) {
        *letter =
            (struct letter){.from = (size_t)from, .bytes = bytes - sizeof *head, .kind = (enum kelvin_kind)head->kind};
        memcpy(letter->data, head + 1, letter->bytes);
        *out = letter;
    } else {
        kelvin_free(letter);
    }
    kelvin_free(head);
    return *out;
}

/* One message, if there is one. */
static bool take_one(void)
{
    struct letter *letter;
    int from = 0;
    size_t bytes = 0;
    pthread_mutex_lock(&desk.wire);
    end_sending();
    const int arrived = desk.messenger.arrived(&from, &bytes, KELVIN_CHANNEL_DESK);
    pthread_mutex_unlock(&desk.wire);
    if (!arrived) return false;
    if (!take_in(&letter, from, bytes)) {
        kelvin_desk_trouble((size_t)from, true, "a message from another rank could not be received");
        return false;
    }
    pthread_mutex_lock(&desk.box);
    desk.heard[from] = kelvin_now();
    pthread_mutex_unlock(&desk.box);
    const bool trouble = letter->kind == KELVIN_KIND_FAILED || letter->kind == KELVIN_KIND_GONE;
    if (trouble) hear_trouble(letter);
    if (trouble || letter->kind == KELVIN_KIND_BEAT)
        kelvin_free(letter);
    else
        hand_over(letter);
    return true;
}

static kelvin_status await(struct letter **letter, int from, enum kelvin_kind kind, bool trouble_counts)
{
    pthread_mutex_lock(&desk.box);
    while (!(*letter = take_out(from, kind)) && !atomic_load(&desk.gone) &&
           !(trouble_counts && atomic_load(&desk.trouble)))
        pthread_cond_wait(&desk.news, &desk.box);
    pthread_mutex_unlock(&desk.box);
    return *letter ? KELVIN_OK : kelvin_ranks_trouble();
}

kelvin_status kelvin_desk_receive(void *data, size_t size, size_t *bytes, int from, enum kelvin_kind kind,
                                  bool trouble_counts)
{
    struct letter *letter;
    KELVIN_TRY(await(&letter, from, kind, trouble_counts));
    if (size > 0) memcpy(data, letter->data, letter->bytes < size ? letter->bytes : size);
    if (bytes) *bytes = letter->bytes;
    kelvin_free(letter);
    return KELVIN_OK;
}

kelvin_status kelvin_receive_new(void **data, size_t *bytes, int from, enum kelvin_kind kind)
{
    struct letter *letter;
    KELVIN_TRY(await(&letter, from, kind, true));
    *bytes = letter->bytes;
    if ((*data = kelvin_alloc(1, letter->bytes ? letter->bytes : 1))) memcpy(*data, letter->data, letter->bytes);
    kelvin_free(letter);
    return *data ? KELVIN_OK : KELVIN_ENOMEM;
}

bool kelvin_desk_await(enum kelvin_kind kind, double seconds)
{
    const double end = kelvin_now() + seconds;
    struct letter *letter;
    do {
        pthread_mutex_lock(&desk.box);
        letter = take_out(KELVIN_ANY_RANK, kind);
        pthread_mutex_unlock(&desk.box);
        if (!letter) pause_for(0.01);
    } while (!letter && kelvin_now() < end);
    kelvin_free(letter);
    return letter;
}

kelvin_status kelvin_receive(void *data, size_t size, size_t *bytes, int from, enum kelvin_kind kind)
{
    return kelvin_desk_receive(data, size, bytes, from, kind, true);
}

/* ---- the thread ---- */

/* Ranks that this one listens to and beats for: all, at rank 0; elsewhere rank 0. */
static size_t listened_to(void)
{
    return desk.messenger.rank == 0 ? (size_t)desk.messenger.size : 1;
}

/* Rank 0 alone hears of all. */
static void tell_all(size_t gone, const char *sentence)
{
    for (size_t i = 1; i < (size_t)desk.messenger.size && desk.messenger.rank == 0; i++)
        if (i != gone && kelvin_post(i, KELVIN_KIND_GONE, sentence, strlen(sentence))) break;
}

static void listen(double now, bool anew)
{
    char sentence[KELVIN_RAW], name[KELVIN_RANK_NAME];
    for (size_t i = 0; i < listened_to(); i++) {
        if ((int)i == desk.messenger.rank) continue;
        pthread_mutex_lock(&desk.box);
        if (anew) desk.heard[i] = now;
        const double silent = now - desk.heard[i];
        pthread_mutex_unlock(&desk.box);
        beat(i);
        if (silent < silence_seconds) continue;
        kelvin_rank_name(name, i);
        snprintf(sentence, sizeof sentence,
                 "%s has not been heard of for %.0f seconds: its process or its machine is gone", name, silent);
        if (kelvin_desk_is_gone()) continue;
        kelvin_desk_trouble(i, true, sentence);
        tell_all(i, sentence);
    }
}

static void *serve_all(void *nothing)
{
    const double idle_seconds = 1e-3;
    double listened = kelvin_now(), last = listened;
    bool stopped = false;
    while (!atomic_load(&desk.quit)) {
        const double now = kelvin_now();
        stopped |= now - last > stopped_seconds;
        last = now;
        if (!atomic_load(&desk.silent) && take_one()) continue; /* first what has come: it is a sign of life */
        if (now - listened >= beat_seconds) {
            listen(now, stopped);
            listened = now;
            stopped = false;
        }
        pause_for(idle_seconds);
    }
    return nothing;
}

kelvin_status kelvin_desk_open(const struct kelvin_messenger *messenger)
{
    const size_t size = (size_t)messenger->size;
    desk.messenger = *messenger;
    desk.last = &desk.first;
    desk.heard = kelvin_alloc(size, sizeof *desk.heard);
    desk.host = kelvin_alloc(size, sizeof *desk.host);
    if (!desk.heard || !desk.host) return KELVIN_ENOMEM;
    for (size_t i = 0; i < size; i++) desk.heard[i] = kelvin_now();
    if (pthread_create(&desk.thread, NULL, serve_all, NULL))
        return kelvin_fail(KELVIN_ENOMEM, "the thread for messages could not be started");
    desk.open = true;
    return KELVIN_OK;
}

void kelvin_desk_close(void)
{
    bool under_way = true;
    while (under_way && !atomic_load(&desk.gone)) { /* the thread ends them one by one */
        pthread_mutex_lock(&desk.wire);
        under_way = desk.sending != NULL;
        pthread_mutex_unlock(&desk.wire);
        if (under_way) pause_for(1e-3);
    }
    atomic_store(&desk.quit, true);
    pthread_join(desk.thread, NULL);
    for (struct letter *next; desk.first; desk.first = next) {
        next = desk.first->next;
        kelvin_free(desk.first);
    }
    desk.open = false;
    kelvin_free(desk.heard);
    kelvin_free(desk.host);
    desk.heard = NULL;
    desk.host = NULL;
}
