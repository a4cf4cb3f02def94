/* A bar with rate and time left. Drawing is rare, counting is cheap. */
#include "cli/progress.h"

#include "cli/amounts.h"
#include "cli/texts.h"

#include <kelvin/ranks.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_COLUMNS = 80, USUAL_ROWS = 24, ENOUGH_SIGNALS = 3 };

static const double redraw_seconds = 0.1, shortest_line_seconds = 1, line_seconds = 10;
/* Before that nobody knows how long it will take. */
static const double least_seconds = 1, least_share = 0.01, enough_seconds = 10;

/* How often someone asked for it. Handlers may run on several threads at once, and must not need a lock. */
static atomic_int stopped;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "signals count without a lock");

/* Of several ranks each gets a launcher's signals more than once, and the launcher ends who does not listen. */
static bool alone = true;

static void stop(int signal_number)
{
    if (atomic_fetch_add(&stopped, 1) + 1 < ENOUGH_SIGNALS || !alone) return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Whoever started us with nohup wants SIGHUP to stay ignored. */
static void handle_signals(void (*handler)(int))
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const bool nohup = signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN;
        if (!nohup) sigaction(signals[i], &action, NULL);
    }
}

void progress_catch_signals(void)
{
    alone = kelvin_rank_count() == 1;
    handle_signals(stop);
}

void progress_release_signals(void)
{
    handle_signals(SIG_DFL);
}

void progress_start(void *progress, const char *what, uint64_t total)
{
    struct progress *p = progress;
    const double now = kelvin_now();
    *p = (struct progress){.total = total ? total : 1, .started = now, .shown = now, .terminal = isatty(STDERR_FILENO)};
    text_plain(p->what, sizeof p->what, what);
    pthread_mutex_init(&p->mutex, NULL);
}

void progress_terminal(size_t *columns, size_t *rows)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size)) size = (struct winsize){0};
    *columns = size.ws_col ? size.ws_col : USUAL_COLUMNS;
    *rows = size.ws_row ? size.ws_row : USUAL_ROWS;
}

size_t progress_rows_beside(const struct progress *p)
{
    size_t columns, rows;
    progress_terminal(&columns, &rows);
    return p->terminal ? rows - 1 : 0;
}

void progress_draw(struct progress *p, char *screen, struct bar *bars, size_t n, const struct bar *whole)
{
    size_t columns, rows;
    progress_terminal(&columns, &rows);
    bars[n] = *whole;
    if (p->terminal)
        p->drawn = bars_draw(stderr, screen, bars, n + 1, columns, p->drawn);
    else
        bar_print(stderr, whole);
}

bool progress_due(struct progress *p, double now)
{
    const uint64_t tenths = p->total ? 10 * p->done / p->total : 0;
    const double wait = p->terminal ? redraw_seconds : tenths > p->shown_tenths ? shortest_line_seconds : line_seconds;
    if (now - p->shown < wait) return false;
    p->shown = now;
    p->shown_tenths = tenths;
    return true;
}

/* Pieces per second since it started; 0 while there is too little to judge by. */
static double rate_of(const struct progress *p, double now)
{
    const double seconds = now - p->started, done = (double)(p->done - p->done_before);
    const bool enough = done >= least_share * (double)p->total || seconds >= enough_seconds;
    return seconds >= least_seconds && done > 0 && enough ? done / seconds : 0;
}

void progress_say_share(struct bar *bar, const struct progress *p)
{
    if (p->total) bar_say(bar, "%3.0f %%", 100 * (double)p->done / (double)p->total);
}

void progress_say_left(struct bar *bar, const struct progress *p, double now)
{
    const double rate = rate_of(p, now);
    if (!p->total || rate <= 0) return;
    char left[AMOUNT];
    amount_seconds(left, (double)(p->total - p->done) / rate);
    bar_say(bar, "%s left", left);
}

/* "61.3/s"; of bytes "61.3 MB/s". */
static void say_rate(struct bar *bar, const struct progress *p, double now)
{
    const double rate = rate_of(p, now), shown = p->bytes ? rate / 1e6 : rate;
    if (rate > 0) bar_say(bar, "%.*f%s/s", shown < 100 ? 1 : 0, shown, p->bytes ? " MB" : "");
}

/* "42 %, 61.3/s, 12 s left"; without a total "12.3 MB, 61.3 MB/s", or "12 s so far". */
static struct bar describe(const struct progress *p, double now)
{
    struct bar bar = bar_named(p->what, p->total ? (double)p->done / (double)p->total : -1, BAR_STATEMENTS);
    progress_say_share(&bar, p);
    if (!p->total && p->done) bar_say(&bar, "%.1f MB", (double)p->done / 1e6);
    if (!p->total && !p->done) {
        char seconds[AMOUNT];
        amount_seconds(seconds, now - p->started);
        bar_say(&bar, "%s so far", seconds);
    }
    say_rate(&bar, p, now);
    progress_say_left(&bar, p, now);
    return bar;
}

static void show(struct progress *p)
{
    const double now = kelvin_now();
    if (!progress_due(p, now)) return;
    const struct bar whole = describe(p, now);
    struct bar bar;
    char screen[BAR_LINE];
    progress_draw(p, screen, &bar, 0, &whole);
}

static bool count(struct progress *p, uint64_t pieces)
{
    pthread_mutex_lock(&p->mutex);
    p->done += pieces < p->total - p->done ? pieces : p->total - p->done;
    show(p);
    pthread_mutex_unlock(&p->mutex);
    return !atomic_load(&stopped);
}

bool progress_stopped(void *progress)
{
    (void)progress;
    return atomic_load(&stopped) > 0;
}

bool progress_piece(void *progress)
{
    return count(progress, 1);
}

bool progress_goes_on(void *progress)
{
    struct progress *p = progress;
    pthread_mutex_lock(&p->mutex);
    p->total = 0;
    show(p);
    pthread_mutex_unlock(&p->mutex);
    return !atomic_load(&stopped);
}

/* The place of a chain; a new one at row 0 if it was never heard of. NULL if memory is short: then it is not counted.
 */
static struct progress_chain *find_chain(struct progress *p, const kelvin_run *run, uint32_t chain)
{
    struct progress_chain **at = &p->chains;
    while (*at && ((*at)->run != run || (*at)->chain != chain)) at = &(*at)->next;
    if (!*at && (*at = kelvin_alloc(1, sizeof **at))) **at = (struct progress_chain){.run = run, .chain = chain};
    return *at;
}

bool progress_rows(void *progress, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct progress_chain *seen = news->phase == KELVIN_CHAIN_LOGITS ? NULL : find_chain(progress, run, news->chain);
    const uint32_t before = seen ? seen->row : 0;
    if (!seen || news->row < before) return count(progress, 0);
    seen->row = news->row;
    return count(progress, news->row - before);
}

bool progress_bytes(void *progress, const char *what, uint64_t done, uint64_t total)
{
    struct progress *p = progress;
    char plain[sizeof p->what];
    text_plain(plain, sizeof plain, what);
    pthread_mutex_lock(&p->mutex);
    if (strcmp(p->what, plain) != 0) {
        memcpy(p->what, plain, sizeof plain);
        p->started = kelvin_now();
        p->done_before = done;
        p->shown_tenths = 0;
    }
    p->bytes = true;
    p->total = total;
    p->done = total && done > total ? total : done;
    if (p->done < p->done_before) p->done_before = p->done; /* it began again */
    show(p);
    pthread_mutex_unlock(&p->mutex);
    return !atomic_load(&stopped);
}

void progress_end(void *progress)
{
    struct progress *p = progress;
    bars_clear(stderr, p->drawn);
    for (struct progress_chain *next; p->chains; p->chains = next) {
        next = p->chains->next;
        kelvin_free(p->chains);
    }
    pthread_mutex_destroy(&p->mutex);
}
