/* A bar with rate, time left and the state of the chains. Drawing is rare, counting is cheap. */
#include "cli/progress.h"

#include "fetch/text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 24, SHORTEST_BAR = 4, USUAL_COLUMNS = 80, TEXT = 160 };

static const double redraw_seconds = 0.1, shortest_line_seconds = 1, line_seconds = 10;
static const double least_seconds = 1, least_share = 0.01; /* before that nobody knows how long it will take */

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
    text_plain(progress->what, sizeof progress->what, what);
    pthread_mutex_init(&progress->mutex, NULL);
}

static void append(char text[TEXT], const char *format, ...) KELVIN_PRINTF(2, 3);
static void append(char text[TEXT], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, TEXT - used, format, args);
    va_end(args);
}

/* ", 61.3/s, 12 s left"; of bytes ", 61.3 MB/s, 12 s left". Nothing while there is too little to judge by. */
static void append_rate(char text[TEXT], const struct progress *p, double now)
{
    const double seconds = now - p->started, done = (double)(p->done - p->done_before);
    if (seconds < least_seconds || done <= 0 || done < least_share * (double)p->total) return;
    const double rate = done / seconds, shown = p->bytes ? rate / 1e6 : rate;
    append(text, ", %.*f%s/s", shown < 100 ? 1 : 0, shown, p->bytes ? " MB" : "");
    if (p->total) append(text, ", %.0f s left", (double)(p->total - p->done) / rate);
}

/* "42 %, 61.3/s, 12 s left", and what the chains say if there are any; without a total "12.3 MB, 61.3 MB/s". */
static void describe(char text[TEXT], const struct progress *p, double now)
{
    *text = '\0';
    if (p->total)
        append(text, "%3.0f %%", 100 * (double)p->done / (double)p->total);
    else if (p->done)
        append(text, "%.1f MB", (double)p->done / 1e6);
    append_rate(text, p, now);
    if (p->iterations)
        append(text, ", log-posterior %.1f, %.0f %% accepted", p->logp,
               100 * (double)p->accepted / (double)p->iterations);
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_COLUMNS;
}

/* Never as wide as the terminal, so that nothing wraps: the bar gives way first, then what stands last in the text, a
 * whole statement at a time, for half a number would be a wrong one. */
static void draw_bar(const struct progress *p, char text[TEXT])
{
    char line[sizeof p->what + TEXT + BAR + 8];
    const size_t room = columns() - 1, name = strlen(p->what), beside = name + strlen(text) + strlen(" [] ");
    const size_t bar = !p->total || beside >= room ? 0 : room - beside < BAR ? room - beside : BAR;
    if (bar >= SHORTEST_BAR) {
        const size_t filled = (size_t)((double)bar * (double)p->done / (double)p->total);
        char drawn[BAR + 1] = "";
        for (size_t i = 0; i < bar; i++) drawn[i] = i < filled ? '=' : i == filled ? '>' : ' ';
        snprintf(line, sizeof line, "%s [%s] %s", p->what, drawn, text);
    } else {
        for (char *comma; name + 1 + strlen(text) > room && (comma = strrchr(text, ','));) *comma = '\0';
        const size_t left = room > strlen(text) ? room - strlen(text) - 1 : 0;
        snprintf(line, sizeof line, "%.*s %s", (int)(name < left ? name : left), p->what, text);
    }
    fprintf(stderr, "\r%.*s\033[K", (int)room, line);
    fflush(stderr);
}

static void show(struct progress *p)
{
    const double now = kelvin_now();
    const uint64_t tenths = p->total ? 10 * p->done / p->total : 0;
    const double wait = p->terminal ? redraw_seconds : tenths > p->shown_tenths ? shortest_line_seconds : line_seconds;
    if (now - p->shown < wait) return;
    char text[TEXT];
    describe(text, p, now);
    if (p->terminal)
        draw_bar(p, text);
    else
        fprintf(stderr, *text ? "%s: %s\n" : "%s\n", p->what, text);
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
