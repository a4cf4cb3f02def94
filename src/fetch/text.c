/* Texts of other programs and libraries, fit for a sentence. */
#include "fetch/text.h"

void text_plain(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; n + 1 < size && text[n] && text[n] != '\n' && text[n] != '\r'; n++) out[n] = text[n];
    while (n > 0 && out[n - 1] == ' ') n--;
    out[n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (out[i] < ' ' || out[i] > '~') out[i] = '?';
}
