/* Texts. UTF-8 (RFC 3629) has no overlong forms, no surrogates, nothing above U+10FFFF. */
#include "base/texts.h"

#include <stdio.h>
#include <string.h>

size_t kelvin_utf8_letter(uint32_t *code, const char *text)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const unsigned char *byte = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if ((*byte & forms[i].mask) != forms[i].lead) continue;
        uint32_t letter = *byte & (unsigned char)~forms[i].mask;
        for (size_t k = 1; k <= i; k++) {
            if ((byte[k] & 0xc0) != 0x80) return 0;
            letter = letter << 6 | (byte[k] & 0x3f);
        }
        if (letter < forms[i].least || letter > 0x10ffff || letter >> 11 == 0xd800 >> 11) return 0;
        if (code) *code = letter;
        return i + 1;
    }
    return 0;
}

size_t kelvin_utf8_length(const char *text)
{
    size_t at = 0;
    for (size_t n; (n = kelvin_utf8_letter(NULL, text + at)) > 0;) at += n;
    return at;
}

char *kelvin_utf8(const char *text)
{
    if (!text[kelvin_utf8_length(text)]) return kelvin_strdup(text);
    char *out = kelvin_alloc(strlen(text) + 1, 2);
    for (char *to = out; out && *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte >= 0x80) *to++ = (char)(0xc0 | byte >> 6);
        *to++ = (char)(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
    }
    return out;
}

char *kelvin_arena_print(kelvin_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = kelvin_arena_alloc(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

void kelvin_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

void kelvin_append_name(char *list, size_t size, const char *name)
{
    static const char or [] = " or ", comma[] = ", ";
    char *before = strstr(list, or);
    if (before) {
        memcpy(before, comma, strlen(comma));
        memmove(before + strlen(comma), before + strlen(or), strlen(before + strlen(or)) + 1);
    }
    kelvin_append(list, size, "%s%s", *list ? or : "", name);
}
