/* Text into files of markup. */
#include "charts/markup.h"

#include "base/texts.h"

#include <stdarg.h>
#include <string.h>

void kelvin_markup_bytes(struct markup *out, const void *bytes, size_t n)
{
    if (!out->status) out->status = kelvin_writer_put(out->file, bytes, n);
}

void kelvin_markup_put(struct markup *out, const char *format, ...)
{
    char few[1024], *text = few;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    if (length >= (int)sizeof few && !out->status) {
        text = kelvin_alloc((size_t)length + 1, 1);
        va_start(args, format);
        if (text)
            vsnprintf(text, (size_t)length + 1, format, args);
        else
            out->status = KELVIN_ENOMEM;
        va_end(args);
    }
    if (length > 0 && text) kelvin_markup_bytes(out, text, (size_t)length);
    if (text != few) kelvin_free(text);
}

void kelvin_markup_text(struct markup *out, const char *text)
{
    static const struct {
        char letter;
        const char *entity;
    } special[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    while (*text) {
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            if (*text == special[i].letter) entity = special[i].entity;
        const size_t n = kelvin_utf8_letter(NULL, text);
        /* XML has no control characters but these three. */
        if (n == 0 || ((unsigned char)*text < 0x20 && !strchr("\t\n\r", *text)) || *text == 0x7f) entity = unknown;
        if (entity)
            kelvin_markup_bytes(out, entity, strlen(entity));
        else
            kelvin_markup_bytes(out, text, n);
        text += n ? n : 1;
    }
}

/* The place after so many letters. */
static const char *skip(const char *text, size_t letters)
{
    for (; letters > 0 && *text; letters--) {
        const size_t n = kelvin_utf8_letter(NULL, text);
        text += n ? n : 1;
    }
    return text;
}

size_t kelvin_markup_letters(const char *text)
{
    size_t n = 0;
    for (; *text; n++) text = skip(text, 1);
    return n;
}

const char *kelvin_markup_shorten(kelvin_arena *arena, const char *text, size_t most)
{
    static const char dots[] = ".."; /* fit for a terminal, too */
    const size_t letters = kelvin_markup_letters(text);
    if (letters <= most) return kelvin_arena_text(arena, text, strlen(text));
    const size_t kept = most - (sizeof dots - 1), first = kept / 2;
    const char *until = skip(text, first), *from = skip(text, letters - (kept - first));
    const size_t bytes = (size_t)(until - text) + sizeof dots + strlen(from);
    char *out = kelvin_arena_alloc(arena, bytes, 1);
    if (out) snprintf(out, bytes, "%.*s%s%s", (int)(until - text), text, dots, from);
    return out;
}
