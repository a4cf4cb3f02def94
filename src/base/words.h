/* words: sentences that refer to things for which each client has its own words (kelvin/base.h).
 *
 *     kelvin_fail(KELVIN_EUSAGE, "make " KELVIN_FIELD " smaller", "step_size");
 *     kelvin_fail(KELVIN_EIO, "%s is missing; " KELVIN_REFER(RESUME, "%s") " makes it again", path, folder);
 *     return kelvin_fail(status, "%s: " KELVIN_SAID, path, kelvin_error_raw());       // a sentence within a sentence
 *
 * A raw text has a reference between control bytes: 1, the name of the word, 2, what it is of, 3. They count only where
 * they come from a format: those of an argument become '?', like every other byte that a terminal would obey, so that
 * no name of a file can make a reference. Raw texts go into others by KELVIN_SAID alone. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <kelvin/base.h>

#include <stdarg.h>

/* For formats: a reference. `of` is a literal, "%s" or the like; or "". */
#define KELVIN_REFER(word, of) "\x01" #word "\x02" of "\x03"
#define KELVIN_FIELD           KELVIN_REFER(FIELD, "%s")

/* For formats: a field of the configuration that is to blame (kelvin_error_field). Nothing is seen of it. */
#define KELVIN_BLAME  KELVIN_REFER(BLAME, "%s")
#define KELVIN_BLAMED "BLAME"

/* For formats: a raw text, with its references. */
#define KELVIN_SAID         "\x04%s\x05"
#define KELVIN_SAID_AT_MOST "\x04%.*s\x05" /* the first so many bytes of it */

enum { KELVIN_RAW = 2048 }; /* bytes that a raw sentence has at most */

/* As snprintf, but a raw text: see above. What does not fit is cut off, and a reference that is cut is still one. */
void kelvin_compose(char *out, size_t size, const char *format, ...) KELVIN_PRINTF(3, 4);
void kelvin_compose_list(char *out, size_t size, const char *format, va_list args) KELVIN_PRINTF(3, 0);

/* A raw text in a client's words; NULL: in the library's own. */
void kelvin_words_say(char *out, size_t size, const char *raw, kelvin_words *words, void *context);

/* One reference, and not the text around it. `of` may be any text of one line. */
void kelvin_word_say(char *out, size_t size, kelvin_word word, const char *of, kelvin_words *words, void *context);

/* The first reference of a raw text; returns the text behind it, NULL if there is none. */
struct kelvin_reference {
    size_t word; /* kelvin_word; or one that has no name (kelvin_word_name): it is none of those of clients */
    char name[16], of[KELVIN_RAW];
};
const char *kelvin_reference_next(struct kelvin_reference *reference, const char *raw);

/* What kelvin_error() says in words, with its references: for who quotes it, or keeps it for another thread. */
const char *kelvin_error_raw(void);

#endif
