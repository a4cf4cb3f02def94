/* The status of a call is an integer; its sentence is kept per thread: raw, and in the library's own words. */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char raw[KELVIN_RAW], own[KELVIN_RAW], found[KELVIN_RAW];

const char *kelvin_version(void)
{
    return KELVIN_VERSION;
}

kelvin_status kelvin_fail(kelvin_status status, const char *format, ...)
{
    char fresh[KELVIN_RAW]; /* an argument may be kelvin_error() itself */
    va_list args;
    va_start(args, format);
    kelvin_compose_list(fresh, sizeof fresh, format, args);
    va_end(args);
    snprintf(raw, sizeof raw, "%s", fresh);
    kelvin_words_say(own, sizeof own, raw, NULL, NULL);
    return status;
}

const char *kelvin_error(void)
{
    return own;
}

const char *kelvin_error_raw(void)
{
    return raw;
}

void kelvin_error_say(char *out, size_t size, kelvin_words *words, void *context)
{
    kelvin_words_say(out, size, raw, words, context);
}

bool kelvin_error_word(size_t i, kelvin_word *word, const char **of)
{
    struct kelvin_reference reference;
    for (const char *at = raw; (at = kelvin_reference_next(&reference, at));) {
        if (!kelvin_word_name(reference.word) || i-- > 0) continue;
        *word = (kelvin_word)reference.word;
        *of = strcpy(found, reference.of);
        return true;
    }
    return false;
}

const char *kelvin_error_field(void)
{
    struct kelvin_reference reference;
    for (const char *at = raw; (at = kelvin_reference_next(&reference, at));)
        if (strcmp(reference.name, KELVIN_BLAMED) == 0) return strcpy(found, reference.of);
    return "";
}
