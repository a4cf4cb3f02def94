/* Draws texts. */
#include "cli/letters.h"

#include "cli/font.h"

#include <string.h>

enum { ZOOM = 2 }; /* side of a bit of a letter */

_Static_assert(LETTERS_WIDTH == ZOOM * (FONT_WIDTH + 1) && LETTERS_HEIGHT == ZOOM * FONT_HEIGHT, "as the font is");

/* One bit of a letter as a square. */
static void put_dot(struct picture *p, size_t x, size_t y)
{
    for (size_t i = y; i < y + ZOOM && i < p->height; i++)
        for (size_t j = x * p->channels; j < (x + ZOOM) * p->channels && j < p->width * p->channels; j++)
            p->pixels[i * p->width * p->channels + j] = 0;
}

static void put_letter(struct picture *p, size_t x, size_t y, char letter)
{
    const uint8_t *rows = font[(letter < FONT_FIRST || letter > FONT_LAST ? '?' : letter) - FONT_FIRST];
    if (letter && strchr("gjpqy,;", letter)) y += ZOOM; /* they reach below the line */
    for (size_t i = 0; i < FONT_HEIGHT; i++)
        for (size_t j = 0; j < FONT_WIDTH; j++)
            if (rows[i] >> (FONT_WIDTH - 1 - j) & 1) put_dot(p, x + ZOOM * j, y + ZOOM * i);
}

/* The letter that begins at *text, as one that the font has, and *text behind it. Of UTF-8: Latin letters lose their
 * accent, what has no base letter becomes '?'; an accent by itself (as some systems write names) is 0. */
static char next_letter(const char **text)
{
    static const char base[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUY?saaaaaaaceeeeiiiidnooooo?ouuuuy?y"; /* of U+00C0 on */
    const unsigned char *p = (const unsigned char *)*text;
    const bool pair = (p[1] & 0xc0) == 0x80;
    do ++*text;
    while (((unsigned char)**text & 0xc0) == 0x80);
    if (p[0] < 0x80) return (char)p[0];
    if (pair && p[0] == 0xc3) return base[p[1] - 0x80];
    return pair && (p[0] == 0xcc || (p[0] == 0xcd && p[1] < 0xb0)) ? '\0' : '?';
}

/* At most LETTERS_MOST letters; what is cut ends with "...". */
static void shorten(char out[LETTERS_MOST + 1], const char *text)
{
    size_t n = 0;
    while (*text) {
        const char letter = next_letter(&text);
        if (!letter) continue;
        if (n == LETTERS_MOST) {
            memcpy(out + LETTERS_MOST - 3, "...", 3);
            break;
        }
        out[n++] = letter;
    }
    out[n] = '\0';
}

size_t letters_put(struct picture *p, size_t x, size_t y, const char *text)
{
    char letters[LETTERS_MOST + 1];
    shorten(letters, text);
    for (size_t i = 0; p && letters[i]; i++) put_letter(p, x + i * LETTERS_WIDTH, y, letters[i]);
    return strlen(letters);
}
