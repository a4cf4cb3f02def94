/* A bar with rate, time left and the state of the chains. Drawing is rare, counting is cheap. */
#include "cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 24 };

static const double redraw_seconds = 0.1, shortest_line_seconds = 1, line_seconds = 10;

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

void progress_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

void progress_start(struct progress *progress, const char *what, uint64_t total)
{
    const double now = kelvin_now();
    *progress =
        (struct progress){.total = total ? total : 1, .started = now, .shown = now, .terminal = isatty(STDERR_FILENO)};
    snprintf(progress->what, sizeof progress->what, "%s", what);
    pthread_mutex_init(&progress->mutex, NULL);
}

/* "42 %, 61.3/s, 12 s left", and what the chains say if there are any. Of bytes: "42 %, 61.3 MB/s, 12 s left". */
static void describe(char *out, size_t size, const struct progress *p, double now)
{
    const double seconds = now - p->started, rate = (double)p->done / (seconds > 0 ? seconds : 1e-9);
    const double shown = p->bytes ? rate / 1e6 : rate;
    const int used = snprintf(out, size, "%3.0f %%, %.*f%s/s, %.0f s left", 100 * (double)p->done / (double)p->total,
                              shown < 100 ? 1 : 0, shown, p->bytes ? " MB" : "", (double)(p->total - p->done) / rate);
    if (p->iterations && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", log-posterior %.1f, %.0f %% accepted", p->logp,
                 100 * (double)p->accepted / (double)p->iterations);
}

static void draw_bar(const struct progress *p, const char *text)
{
    const int filled = (int)(BAR * p->done / p->total);
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
    bar[BAR] = '\0';
    fprintf(stderr, "\r%s [%s] %s\033[K", p->what, bar, text);
    fflush(stderr);
}

static void show(struct progress *p)
{
    const double now = kelvin_now();
    const uint64_t tenths = 10 * p->done / p->total;
    const double wait = p->terminal ? redraw_seconds : tenths > p->shown_tenths ? shortest_line_seconds : line_seconds;
    if (now - p->shown < wait) return;
    char text[160];
    describe(text, sizeof text, p, now);
    if (p->terminal)
        draw_bar(p, text);
    else
        fprintf(stderr, "%s: %s\n", p->what, text);
    p->shown = now;
    p->shown_tenths = tenths;
}

static bool count(struct progress *p, const kelvin_hmc_info *info)
{
    pthread_mutex_lock(&p->mutex);
    if (p->done < p->total) p->done++;
    if (info) {
        p->iterations++;
        p->accepted += info->accepted;
        p->logp = info->logp;
    }
    show(p);
    pthread_mutex_unlock(&p->mutex);
    return !stopped;
}

bool progress_stopped(void *progress)
{
    (void)progress;
    return stopped;
}

bool progress_piece(void *progress)
{
    return count(progress, NULL);
}

bool progress_iteration(void *progress, const kelvin_run *run, uint32_t chain, uint32_t iteration,
                        const kelvin_hmc_info *info)
{
    (void)run, (void)chain, (void)iteration;
    return count(progress, info);
}

bool progress_bytes(void *progress, const char *what, uint64_t done, uint64_t total)
{
    struct progress *p = progress;
    pthread_mutex_lock(&p->mutex);
    if (strncmp(p->what, what, sizeof p->what - 1) != 0) {
        snprintf(p->what, sizeof p->what, "%s", what);
        p->started = kelvin_now();
        p->shown_tenths = 0;
    }
    p->bytes = true;
    p->total = total ? total : 1;
    p->done = done < p->total ? done : p->total;
    show(p);
    pthread_mutex_unlock(&p->mutex);
    return !stopped;
}

void progress_end(struct progress *progress)
{
    if (progress->terminal) fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&progress->mutex);
}

static void watch_start(void *progress, const char *what, uint64_t total)
{
    progress_start(progress, what, total);
}

static void watch_end(void *progress)
{
    progress_end(progress);
}

struct figure_watch progress_watch(struct progress *progress)
{
    return (struct figure_watch){progress,         watch_start,        progress_piece,
                                 progress_stopped, progress_iteration, watch_end};
}
