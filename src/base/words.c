/* Marks in texts. Which of them are true is seen by printing a text twice, the second time with other marks in the
 * format: where the two differ, the format has put one; what both have alike came with an argument. */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { BEGIN = 1, OF, END, SAID, SAID_END, DISGUISE = 16 };

/* ---- the library's own words ---- */

static const struct {
    const char *name, *before, *after; /* of what it is of */
    bool alone;                        /* which is not said */
} table[] = {
    [KELVIN_WORD_FIELD] = {"FIELD", "", "", false},
    [KELVIN_WORD_SETTING] = {"SETTING", "", "", false},
    [KELVIN_WORD_OPTION] = {"OPTION", "", "", false},
    [KELVIN_WORD_PART] = {"PART", "the part ", "", false},
    [KELVIN_WORD_LIST] = {"LIST", "the family ", "", false},
    [KELVIN_WORD_SAMPLE] = {"SAMPLE", "a new run", "", true},
    [KELVIN_WORD_OUTPUT] = {"OUTPUT", "into ", "", false},
    [KELVIN_WORD_CONFIG] = {"CONFIG", "the configuration of ", "", false},
    [KELVIN_WORD_REPEAT] = {"REPEAT", "the configuration of ", "", false},
    [KELVIN_WORD_RESUME] = {"RESUME", "resuming ", "", false},
    [KELVIN_WORD_GO_ON] = {"GO_ON", "go on by resuming ", "", false},
    [KELVIN_WORD_FETCH] = {"FETCH", "fetch ", "", false},
    [KELVIN_WORD_FETCH_AGAIN] = {"FETCH_AGAIN", "fetch ", " again", false},
    [KELVIN_WORD_INSTALL] = {"INSTALL", "Debian's package ", "", false},
    [KELVIN_WORD_CALL] = {"CALL", "call", "", true},
    [KELVIN_WORD_GIVE] = {"GIVE", "kelvin_run_open_with, of ", "", false},
};
enum { WORDS = sizeof table / sizeof *table };

const char *kelvin_word_name(size_t word)
{
    return word < WORDS ? table[word].name : NULL;
}

static size_t find_word(const char *name)
{
    size_t i = 0;
    while (i < WORDS && strcmp(table[i].name, name) != 0) i++;
    return i;
}

/* "density=categorical" becomes "density = categorical". */
static void say_own(char *out, size_t size, kelvin_word word, const char *of)
{
    const char *equals = strchr(of, '=');
    if (word == KELVIN_WORD_SETTING && equals)
        snprintf(out, size, "%.*s = %s", (int)(equals - of), of, equals + 1);
    else
        snprintf(out, size, "%s%s%s", table[word].before, table[word].alone ? "" : of, table[word].after);
}

void kelvin_word_say(char *out, size_t size, kelvin_word word, const char *of, kelvin_words *words, void *context)
{
    if (size == 0) return;
    *out = '\0';
    if (words) words(context, out, size, word, of);
    if (!*out) say_own(out, size, word, of);
}

/* ---- references in a raw text ---- */

/* `at` is behind the byte that begins it; returns where it has ended. */
static const char *read_reference(struct kelvin_reference *reference, const char *at)
{
    static const char marks[] = {BEGIN, OF, END, '\0'};
    size_t n = strcspn(at, marks);
    snprintf(reference->name, sizeof reference->name, "%.*s", (int)n, at);
    reference->word = find_word(reference->name);
    *reference->of = '\0';
    at += n;
    if (*at == OF) {
        n = strcspn(++at, marks);
        snprintf(reference->of, sizeof reference->of, "%.*s", (int)n, at);
        at += n;
    }
    return *at == END ? at + 1 : at;
}

const char *kelvin_reference_next(struct kelvin_reference *reference, const char *raw)
{
    const char *at = strchr(raw, BEGIN);
    return at ? read_reference(reference, at + 1) : NULL;
}

static void say_reference(char *out, size_t size, const struct kelvin_reference *reference, kelvin_words *words,
                          void *context)
{
    if (reference->word < WORDS)
        kelvin_word_say(out, size, (kelvin_word)reference->word, reference->of, words, context);
    else
        snprintf(out, size, "%s", strcmp(reference->name, KELVIN_BLAMED) == 0 ? "" : reference->of);
}

void kelvin_words_say(char *out, size_t size, const char *raw, kelvin_words *words, void *context)
{
    size_t used = 0;
    if (size == 0) return;
    while (*raw && used + 1 < size) {
        struct kelvin_reference reference;
        if (*raw != BEGIN) {
            out[used++] = *raw++;
            continue;
        }
        raw = read_reference(&reference, raw + 1);
        say_reference(out + used, size - used, &reference, words, context);
        used += strlen(out + used);
    }
    out[used] = '\0';
}

/* ---- making one ---- */

static bool is_mark(char c)
{
    return c >= BEGIN && c <= SAID_END;
}

/* What a terminal obeys; of the marks among it some are true. */
static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

struct raw {
    char *text;
    size_t used, size;
    bool open;
};

static void put_byte(struct raw *raw, char c)
{
    if (raw->used + 1 < raw->size) raw->text[raw->used++] = c;
}

/* References end before others begin, and before the text that they are in does: they may have been cut. */
static void close_reference(struct raw *raw)
{
    if (raw->open) put_byte(raw, END);
    raw->open = false;
}

static void put_mark(struct raw *raw, char c)
{
    if (c != OF) close_reference(raw);
    if (c == BEGIN) raw->open = true;
    if (c == BEGIN || (c == OF && raw->open)) put_byte(raw, c);
}

/* `marked` and `disguised` differ where the format has marks. */
static void sift(struct raw *raw, const char *marked, const char *disguised)
{
    bool said = false;
    for (; *marked; marked++, disguised++) {
        const bool ours = *marked != *disguised;
        if (ours || (said && *marked >= BEGIN && *marked <= END))
            put_mark(raw, *marked);
        else
            put_byte(raw, is_control(*marked) ? '?' : *marked);
        if (ours && *marked >= SAID) said = *marked == SAID;
    }
    raw->text[raw->used] = '\0';
}

void kelvin_compose_list(char *out, size_t size, const char *format, va_list args)
{
    char marked[KELVIN_RAW], disguised[KELVIN_RAW], other[KELVIN_RAW];
    va_list again;
    if (size == 0) return;
    snprintf(other, sizeof other, "%s", format);
    for (char *c = other; *c; c++)
        if (is_mark(*c)) *c = (char)(*c + DISGUISE);
    va_copy(again, args);
    vsnprintf(marked, sizeof marked, format, args);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vsnprintf(disguised, sizeof disguised, other, again);
#pragma GCC diagnostic pop
    va_end(again);
    struct raw raw = {.text = out, .size = size};
    sift(&raw, marked, disguised);
}

void kelvin_compose(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    kelvin_compose_list(out, size, format, args);
    va_end(args);
}
