/* Lines of progress. What is drawn goes out in one piece, so that nobody sees half of it. */
#include "cli/bar.h"

#include "cli/texts.h"

#include <stdarg.h>
#include <string.h>

enum { SHORTEST = 8, NOTCH = 4 }; /* lengths go in notches: a bar does not twitch with each digit beside it */

struct bar bar_named(const char *name, double share, size_t firm)
{
    struct bar bar = {.firm = firm, .share = share};
    snprintf(bar.name, sizeof bar.name, "%s", name);
    return bar;
}

void bar_say(struct bar *bar, const char *format, ...)
{
    if (bar->n == BAR_STATEMENTS) return;
    va_list args;
    va_start(args, format);
    vsnprintf(bar->said[bar->n++], BAR_STATEMENT, format, args);
    va_end(args);
}

/* Name and statements side by side, without a bar. */
static size_t width(const struct bar *bar)
{
    size_t sum = strlen(bar->name);
    for (size_t i = 0; i < bar->n; i++) sum += strlen(bar->said[i]) + (i ? strlen(", ") : strlen(" "));
    return sum;
}

/* Drops statements until the line fits, and says how long its bar may be. */
static void fit(struct bar *bar, size_t room)
{
    const size_t frame = strlen(" []");
    bar->length = 0;
    if (bar->share >= 0) {
        const size_t n = bar->n;
        while (bar->n > bar->firm && width(bar) + frame + SHORTEST > room) bar->n--;
        const size_t beside = width(bar) + frame;
        if (beside + SHORTEST <= room) {
            const size_t notched = (room - beside) / NOTCH * NOTCH;
            bar->length = notched < BAR_LENGTH ? notched : BAR_LENGTH;
            return;
        }
        bar->n = n;
    }
    while (bar->n > 1 && width(bar) > room) bar->n--;
}

/* A name that is too long gives way to the first statement. */
static void write_line(char line[BAR_LINE], const struct bar *bar, size_t room)
{
    const size_t beside = width(bar), name = strlen(bar->name), over = beside > room ? beside - room : 0;
    snprintf(line, BAR_LINE, "%.*s", (int)(over < name ? name - over : 0), bar->name);
    if (bar->length) {
        const size_t filled = (size_t)((double)bar->length * bar->share);
        char drawn[BAR_LENGTH + 1] = "";
        for (size_t i = 0; i < bar->length; i++) drawn[i] = i < filled ? '=' : i == filled ? '>' : ' ';
        text_append(line, BAR_LINE, " [%s]", drawn);
    }
    for (size_t i = 0; i < bar->n; i++) text_append(line, BAR_LINE, "%s%s", i ? ", " : *line ? " " : "", bar->said[i]);
    if (strlen(line) > room) line[room] = '\0';
}

size_t bars_draw(FILE *out, char *screen, struct bar *bars, size_t n, size_t columns, size_t before)
{
    const size_t room = columns > 1 ? columns - 1 : 1, size = n * BAR_LINE;
    size_t shortest = BAR_LENGTH;
    for (size_t i = 0; i < n; i++) {
        fit(&bars[i], room);
        if (bars[i].length && bars[i].length < shortest) shortest = bars[i].length;
    }
    *screen = '\0';
    if (before > 1) text_append(screen, size, "\033[%zuA", before - 1);
    for (size_t i = 0; i < n; i++) {
        char line[BAR_LINE];
        if (bars[i].length) bars[i].length = shortest;
        write_line(line, &bars[i], room);
        text_append(screen, size, "%s%s\033[K", i ? "\r\n" : "\r", line);
    }
    if (before > n) text_append(screen, size, "\033[J");
    fprintf(out, "%s", screen);
    fflush(out);
    return n;
}

void bars_clear(FILE *out, size_t before)
{
    if (before > 1) fprintf(out, "\033[%zuA", before - 1);
    if (before > 0) fprintf(out, "\r\033[J");
}

void bar_print(FILE *out, const struct bar *bar)
{
    fprintf(out, "%s", bar->name);
    for (size_t i = 0; i < bar->n; i++) fprintf(out, "%s%s", i ? ", " : ": ", bar->said[i]);
    fputc('\n', out);
}
