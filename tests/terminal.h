/* A terminal to look at: a pseudo-terminal in the place of standard error, and the screen that it would show. Knows
 * what kelvin sends: letters, \r, \n, cursor up, clear to the end of the line and of the screen. */
#ifndef TESTS_TERMINAL_H
#define TESTS_TERMINAL_H

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TERMINAL_COLUMNS = 300, TERMINAL_ROWS = 60 };

struct terminal {
    int ours, theirs, standard_error;
    size_t columns, rows, x, y;
    size_t wrapped, scrolled;
    bool pipe; /* not a terminal at all: a line feed is one */
    char escape[16];
    size_t n_escape;
    char screen[TERMINAL_ROWS][TERMINAL_COLUMNS + 1];
};

/* `columns` 0: not a terminal but a pipe. */
static inline void terminal_open(struct terminal *t, size_t columns, size_t rows)
{
    int ends[2];
    *t = (struct terminal){.columns = columns, .rows = rows};
    if (columns) {
        const struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
        t->ours = posix_openpt(O_RDWR | O_NOCTTY);
        if (t->ours < 0) skip(); /* there are none here */
        assert_true(!grantpt(t->ours) && !unlockpt(t->ours));
        t->theirs = open(ptsname(t->ours), O_RDWR | O_NOCTTY);
        assert_true(t->theirs >= 0);
        assert_int_equal(ioctl(t->theirs, TIOCSWINSZ, &size), 0);
    } else {
        assert_int_equal(pipe(ends), 0);
        t->ours = ends[0], t->theirs = ends[1];
        t->columns = TERMINAL_COLUMNS;
        t->pipe = true;
    }
    fcntl(t->ours, F_SETFL, O_NONBLOCK);
    fflush(stderr);
    t->standard_error = dup(STDERR_FILENO);
    dup2(t->theirs, STDERR_FILENO);
}

static inline void terminal_blank(struct terminal *t, size_t row, size_t column)
{
    memset(t->screen[row] + column, '\0', sizeof t->screen[row] - column);
}

static inline void terminal_line_feed(struct terminal *t)
{
    if (t->y + 1 < t->rows) {
        t->y++;
        return;
    }
    t->scrolled++;
    memmove(t->screen[0], t->screen[1], sizeof *t->screen * (t->rows - 1));
    terminal_blank(t, t->y, 0);
}

static inline void terminal_obey(struct terminal *t, char letter)
{
    const size_t n = t->n_escape > 2 ? (size_t)atoi(t->escape + 2) : 1;
    if (letter == 'A')
        t->y -= n < t->y ? n : t->y;
    else if (letter == 'K' || letter == 'J')
        terminal_blank(t, t->y, t->x);
    else
        fail_msg("the terminal was sent '%s%c'", t->escape + 1, letter);
    for (size_t row = t->y + 1; letter == 'J' && row < t->rows; row++) terminal_blank(t, row, 0);
}

static inline void terminal_take(struct terminal *t, char c)
{
    if (c == '\033' || t->n_escape) {
        const bool letter = t->n_escape > 1 && c >= '@';
        if (letter) terminal_obey(t, c);
        assert_true(letter || t->n_escape + 1 < sizeof t->escape);
        if (!letter) t->escape[t->n_escape++] = c;
        if (letter) memset(t->escape, 0, sizeof t->escape), t->n_escape = 0;
    } else if (c == '\r') {
        t->x = 0;
    } else if (c == '\n') {
        if (t->pipe) t->x = 0;
        terminal_line_feed(t);
    } else {
        if (t->x == t->columns) t->wrapped++, t->x = 0, terminal_line_feed(t);
        t->screen[t->y][t->x++] = c;
    }
}

/* Takes what was sent so far; returns how many bytes that were. */
static inline size_t terminal_look(struct terminal *t)
{
    char bytes[4096];
    size_t sum = 0;
    for (ssize_t n; (n = read(t->ours, bytes, sizeof bytes)) > 0; sum += (size_t)n)
        for (ssize_t i = 0; i < n; i++) terminal_take(t, bytes[i]);
    return sum;
}

static inline size_t terminal_lines(const struct terminal *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rows; i++) n += t->screen[i][0] != '\0';
    return n;
}

static inline void terminal_close(struct terminal *t)
{
    fflush(stderr);
    dup2(t->standard_error, STDERR_FILENO);
    close(t->standard_error);
    close(t->theirs);
    close(t->ours);
}

#endif
