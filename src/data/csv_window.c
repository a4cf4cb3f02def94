/* A window on a text that need not fit into memory. It is moved from row to row: a line end inside of quotes ends none,
 * so quotes are counted, from the first byte of a row on. */
#include "data/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_ROOM = 1 << 18, MOST_ROOM = 1 << 28 };

kelvin_status kelvin_csv_window_open(struct csv_window *w, const char *path)
{
    static char nothing[1]; /* has been read so far */
    const bool standard = strcmp(path, "-") == 0;
    *w = (struct csv_window){.room = FIRST_ROOM};
    w->reader = (struct csv_reader){standard ? "standard input" : path, .at = nothing, .end = nothing, .line = 1};
    w->fd = standard ? STDIN_FILENO : kelvin_open(path, O_RDONLY);
    if (w->fd < 0) return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
    w->buffer = kelvin_alloc(w->room + 1, 1);
    return w->buffer ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_csv_window_close(struct csv_window *w)
{
    if (w->fd > STDIN_FILENO) close(w->fd);
    kelvin_free(w->buffer);
    kelvin_csv_end(&w->reader);
    *w = (struct csv_window){0};
}

static kelvin_status grow(struct csv_window *w)
{
    if (w->room >= MOST_ROOM)
        return kelvin_fail(KELVIN_EFORMAT, "%s: a row is longer than %d MB; expected less (is a quote never closed?)",
                           w->reader.path, MOST_ROOM >> 20);
    char *larger = kelvin_alloc(2 * w->room + 1, 1);
    if (!larger) return KELVIN_ENOMEM;
    memcpy(larger, w->buffer, w->filled);
    kelvin_free(w->buffer);
    w->buffer = larger;
    w->room *= 2;
    return KELVIN_OK;
}

static kelvin_status read_some(struct csv_window *w)
{
    if (w->filled == w->room) KELVIN_TRY(grow(w));
    for (;;) {
        const ssize_t got = read(w->fd, w->buffer + w->filled, w->room - w->filled);
        if (got >= 0) {
            w->ended = got == 0;
            w->filled += (size_t)got;
            return KELVIN_OK;
        }
        if (errno == EAGAIN) (void)poll(&(struct pollfd){.fd = w->fd, .events = POLLIN}, 1, -1);
        if (errno != EINTR && errno != EAGAIN)
            return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", w->reader.path, strerror(errno));
    }
}

kelvin_status kelvin_csv_window_peek(struct csv_window *w)
{
    enum { ENOUGH = 16 };
    while (w->filled < ENOUGH && !w->ended && !memchr(w->buffer, '\n', w->filled)) KELVIN_TRY(read_some(w));
    return KELVIN_OK;
}

/* Looks at the bytes from *looked on: where the last whole row ends, if one does. */
static void find_rows(struct csv_window *w, size_t *looked, bool *quoted)
{
    while (*looked < w->filled) {
        const char *from = w->buffer + *looked, *quote = memchr(from, '"', w->filled - *looked);
        size_t to = quote ? (size_t)(quote - w->buffer) : w->filled;
        const size_t next = quote ? to + 1 : to;
        while (!*quoted && to > *looked && w->buffer[to - 1] != '\n') to--;
        if (!*quoted && to > *looked) w->rows = to;
        if (quote) *quoted = !*quoted;
        *looked = next;
    }
}

/* The next whole rows, at least one of them, in place of the last ones; w->rows is 0 after the last. */
static kelvin_status move_on(struct csv_window *w)
{
    size_t looked = 0;
    bool quoted = false;
    if (w->rows > 0) w->buffer[w->rows] = w->kept;
    w->filled -= w->rows;
    memmove(w->buffer, w->buffer + w->rows, w->filled);
    w->rows = 0;
    find_rows(w, &looked, &quoted); /* of what kelvin_csv_window_peek has read */
    while (w->rows == 0 && !w->ended) {
        KELVIN_TRY(read_some(w));
        find_rows(w, &looked, &quoted);
    }
    if (w->ended) w->rows = w->filled;
    w->kept = w->buffer[w->rows];
    w->buffer[w->rows] = '\0';
    return kelvin_csv_feed(&w->reader, w->buffer, w->rows);
}

/* ---- rows ---- */

/* Whether there is something to read, or the end, without waiting. */
static bool is_ready(const struct csv_window *w)
{
    return w->ended || poll(&(struct pollfd){.fd = w->fd, .events = POLLIN}, 1, 0) > 0;
}

kelvin_status kelvin_csv_window_row(struct csv_window *w, bool *more, bool patient)
{
    for (;;) {
        KELVIN_TRY(kelvin_csv_row(&w->reader, more));
        if (*more || (!patient && !is_ready(w))) return KELVIN_OK;
        KELVIN_TRY(move_on(w));
        if (w->rows == 0) return KELVIN_OK;
    }
}
