/* bar: lines of progress that fit the terminal: a name, a bar, and statements, the weightiest first.
 *
 *     struct bar bar = bar_named("sampling", 0.42, SIZE_MAX);
 *     bar_say(&bar, "%3.0f %%", 42.0);
 *     bar_say(&bar, "12 s left");
 *     drawn = bars_draw(stderr, screen, &bar, 1, columns, drawn);   // "sampling [====>     ]  42 %, 12 s left"
 *     bars_clear(stderr, drawn);
 *
 * When there is little room, the bar becomes shorter; then statements go, from the last on, but for the first `firm`;
 * then the bar; then more statements. A statement goes as a whole, for half a number would be a wrong one.
 */
#ifndef CLI_BAR_H
#define CLI_BAR_H

#include <kelvin/base.h>

#include <stdio.h>

enum { BAR_NAME = 64, BAR_STATEMENTS = 8, BAR_STATEMENT = 48, BAR_LENGTH = 24 };

/* What a line needs in `screen`, with all that steers the terminal. */
enum { BAR_LINE = BAR_NAME + BAR_STATEMENTS * (BAR_STATEMENT + 2) + BAR_LENGTH + 32 };

struct bar {
    char name[BAR_NAME];
    char said[BAR_STATEMENTS][BAR_STATEMENT];
    size_t n, firm;
    double share;  /* of the work that is done; below 0: nobody knows, and there is no bar */
    size_t length; /* set when it is drawn; 0: there was no room */
};

struct bar bar_named(const char *name, double share, size_t firm);

/* One more statement; what is more than BAR_STATEMENTS is not heard. */
void bar_say(struct bar *bar, const char *format, ...) KELVIN_PRINTF(2, 3);

/* One line for the n bars each, instead of the `before` lines that were drawn last: the cursor is still at the end of
 * them. No line is as wide as the terminal, and all bars have one length. screen (n * BAR_LINE). Returns n. */
size_t bars_draw(FILE *out, char *screen, struct bar *bars, size_t n, size_t columns, size_t before);

/* Nothing is left of what was drawn. */
void bars_clear(FILE *out, size_t before);

/* The same as a plain line: "sampling: 42 %, 12 s left". */
void bar_print(FILE *out, const struct bar *bar);

#endif
