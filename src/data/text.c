/* Texts in files: numbers that they spell, and how they are shown in sentences. */
#include "data/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum text_kind text_number(double *value, const char *text)
{
    /* strtod would skip space before a number. 'x' is in hexadecimal numbers alone. */
    if (*text == '\0' || strchr(" \t\n\v\f\r", *text) || strpbrk(text, "xX")) return TEXT_OTHER;
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end) return TEXT_OTHER;
    return isfinite(*value) ? TEXT_NUMBER : TEXT_NOT_FINITE;
}

/* Bytes of the character in UTF-8 (RFC 3629) at the start of a text that ends with 0; 0 if there is none. */
static size_t character(const unsigned char *c)
{
    if (c[0] < 0x80) return c[0] != 0;
    const size_t n = c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    /* What fewer bytes could say, surrogates, and what is beyond U+10FFFF. */
    const bool never = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
                       (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90);
    return never ? 0 : n;
}

size_t text_utf8(const char *text)
{
    size_t at = 0;
    for (size_t n; (n = character((const unsigned char *)text + at)) > 0;) at += n;
    return at;
}

/* The same, but 0 for control characters as well. */
static size_t printable(const unsigned char *c)
{
    const bool control = c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0); /* U+0080 .. U+009F */
    return control ? 0 : character(c);
}

struct text_shown text_shown(const char *text)
{
    enum { LONGEST = 40 };
    struct text_shown shown;
    size_t used = 0, at = 0;
    while (text[at] && at < LONGEST) {
        const size_t n = printable((const unsigned char *)text + at);
        if (n == 0) used += (size_t)sprintf(shown.text + used, "\\x%02x", (unsigned char)text[at++]);
        for (size_t i = 0; i < n; i++) shown.text[used++] = text[at++];
    }
    strcpy(shown.text + used, text[at] ? "..." : "");
    return shown;
}
