/* Texts of others: numbers that they spell, and how they are shown in sentences. */
#include "files/text.h"

#include "base/texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum text_kind kelvin_text_number(double *value, const char *text)
{
    /* strtod would skip space before a number. 'x' is in hexadecimal numbers alone. */
    if (*text == '\0' || strchr(" \t\n\v\f\r", *text) || strpbrk(text, "xX")) return TEXT_OTHER;
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end) return TEXT_OTHER;
    return isfinite(*value) ? TEXT_NUMBER : TEXT_NOT_FINITE;
}

/* Bytes of the first letter; 0 for control characters as well. */
static size_t printable(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const bool control = c[0] < ' ' || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0); /* U+0080 .. U+009F */
    return control ? 0 : kelvin_utf8_letter(NULL, text);
}

void kelvin_text_show(char out[KELVIN_SHOWN], const char *text)
{
    enum { LONGEST = 40 };
    _Static_assert(KELVIN_SHOWN == 4 * LONGEST + sizeof "...", "each byte as four, and what follows");
    size_t used = 0, at = 0;
    while (text[at] && at < LONGEST) {
        const size_t n = printable(text + at);
        if (n == 0) used += (size_t)sprintf(out + used, "\\x%02x", (unsigned char)text[at++]);
        for (size_t i = 0; i < n; i++) out[used++] = text[at++];
    }
    strcpy(out + used, text[at] ? "..." : "");
}

struct text_shown kelvin_text_shown(const char *text)
{
    struct text_shown shown;
    kelvin_text_show(shown.text, text);
    return shown;
}

void kelvin_text_plain(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; n + 1 < size && text[n] && text[n] != '\n' && text[n] != '\r'; n++) out[n] = text[n];
    while (n > 0 && out[n - 1] == ' ') n--;
    out[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (out[i] < ' ' || out[i] > '~') out[i] = '?';
}
