/* progress: how far long work is, on standard error; and whether someone asked to stop it.
 *
 *     progress_catch_signals();
 *     struct progress progress;
 *     progress_start(&progress, "cifar10", 1);
 *     kelvin_status st = kelvin_fetch("cifar10", NULL, 0, progress_bytes, &progress);
 *     progress_end(&progress);
 *
 * On a terminal: a bar that is redrawn at most ten times a second, never wider than the terminal. Elsewhere: a line
 * each 10 % or 10 seconds, at most one a second. Rate and time left are said after a second and 1 % of the work, or
 * after 10 seconds.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/bar.h"

#include <kelvin/run.h>

#include <pthread.h>

struct progress {
    pthread_mutex_t mutex;
    char what[64];
    bool bytes;            /* what is counted is bytes, not pieces */
    uint64_t done, total;  /* total 0: not known */
    uint64_t done_before;  /* of work that goes on: what was there when it started */
    double started, shown; /* kelvin_now() */
    uint64_t shown_tenths;
    bool terminal;
    size_t drawn; /* lines on the terminal */

    struct progress_chain { /* those that were heard of */
        const kelvin_run *run;
        uint32_t chain, row;
        struct progress_chain *next;
    } * chains;
};

/* SIGINT, SIGTERM and SIGHUP no longer end the program: progress functions return false instead, so that the work can
 * be put away. The second one changes nothing; the third ends the program. */
void progress_catch_signals(void);

/* They end the program again: there is nothing left to put away. */
void progress_release_signals(void);

/* `progress` is a struct progress here and below: so functions that watch want it. */
void progress_start(void *progress, const char *what, uint64_t total);

/* Did someone ask to stop? */
bool progress_stopped(void *progress);

/* How far a download is; false to stop. A kelvin_fetch_progress. */
bool progress_bytes(void *progress, const char *what, uint64_t done, uint64_t total);

/* Is it time to show something? If so, it counts as shown. */
bool progress_due(struct progress *progress, double now);

/* "42 %" and "12 s left", as far as they are known. */
void progress_say_share(struct bar *bar, const struct progress *progress);
void progress_say_left(struct bar *bar, const struct progress *progress, double now);

/* Columns and rows of the terminal. */
void progress_terminal(size_t *columns, size_t *rows);

/* How many lines there can be beside that of the whole: as many as the terminal has; none elsewhere. */
size_t progress_rows_beside(const struct progress *progress);

/* Draws n bars, which have room for one more, and that of the whole below them; elsewhere prints that alone. */
void progress_draw(struct progress *progress, char *screen, struct bar *bars, size_t n, const struct bar *whole);

/* Clears what was drawn. */
void progress_end(void *progress);

/* One more piece of work is done; any thread may say so. False to stop. */
bool progress_piece(void *progress);

/* The work goes on, and nobody knows for how long. False to stop. */
bool progress_goes_on(void *progress);

/* A kelvin_run_watch that counts the rows of chains, of any number of runs. */
bool progress_rows(void *progress, const kelvin_run *run, const kelvin_chain_news *news);

#endif
