/* Draws texts. */
#include "cli/letters.h"

#include <string.h>

enum { FONT_WIDTH = 5, FONT_HEIGHT = 7, FONT_FIRST = ' ', FONT_LAST = '~' };
enum { ZOOM = 2 }; /* side of a pixel of a letter */

/* Letters, each row by row from its upper left pixel on, which is the highest of 35 bits. */
static const uint64_t font[FONT_LAST - FONT_FIRST + 1] = {
    0x000000000, 0x108421004, 0x294000000, 0x2bea52bea, 0x11f4717c4, 0x672222273, 0x32544564d, 0x108000000, 0x088842082,
    0x208210888, 0x02aefbaa0, 0x0084f9080, 0x000001888, 0x0000f8000, 0x00000018c, 0x042222210, 0x3a33ae62e, 0x11842108e,
    0x3a211111f, 0x7c441062e, 0x08ca97c42, 0x7e1e0862e, 0x1910f462e, 0x7c2222108, 0x3a317462e, 0x3a317844c, 0x018c03180,
    0x018c03088, 0x088882082, 0x001f07c00, 0x208208888, 0x3a2111004, 0x3a37ade0e, 0x3a31fc631, 0x7a31f463e, 0x3a308422e,
    0x72518c65c, 0x7e10f421f, 0x7e10f4210, 0x3a30bc62f, 0x4631fc631, 0x38842108e, 0x1c4210a4c, 0x4654c5251, 0x42108421f,
    0x4775ac631, 0x47359c631, 0x3a318c62e, 0x7a31f4210, 0x3a318d64d, 0x7a31f5251, 0x3e107043e, 0x7c8421084, 0x46318c62e,
    0x46318c544, 0x4631ad771, 0x462a22a31, 0x462a21084, 0x7c222221f, 0x39084210e, 0x420820821, 0x38421084e, 0x115100000,
    0x00000001f, 0x208000000, 0x000e0be2f, 0x421e8c63e, 0x000f8420f, 0x042f8c62f, 0x000e8fe0e, 0x191e42108, 0x01f18bc2e,
    0x421e8c631, 0x100c2108e, 0x080610a4c, 0x4212a6292, 0x30842108e, 0x001aad6b5, 0x001e8c631, 0x000e8c62e, 0x03d18fa10,
    0x01f18bc21, 0x0016cc210, 0x000f8383e, 0x211e42106, 0x00118c62f, 0x00118c544, 0x00118d6aa, 0x001151151, 0x02318bc2e,
    0x001f1111f, 0x0c8441083, 0x108421084, 0x608411098, 0x0009ac800,
};

_Static_assert(LETTERS_WIDTH == ZOOM * (FONT_WIDTH + 1) && LETTERS_HEIGHT == ZOOM * FONT_HEIGHT, "as the font is");

/* One pixel of a letter as a square. */
static void put_dot(struct picture *p, size_t x, size_t y)
{
    for (size_t i = y; i < y + ZOOM && i < p->height; i++)
        for (size_t j = x * p->channels; j < (x + ZOOM) * p->channels && j < p->width * p->channels; j++)
            p->pixels[i * p->width * p->channels + j] = 0;
}

static void put_letter(struct picture *p, size_t x, size_t y, char letter)
{
    const uint64_t pixels = font[(letter < FONT_FIRST || letter > FONT_LAST ? '?' : letter) - FONT_FIRST];
    const size_t n = FONT_WIDTH * FONT_HEIGHT;
    if (letter && strchr("gjpqy,;", letter)) y += ZOOM; /* they reach below the line */
    for (size_t i = 0; i < n; i++)
        if (pixels >> (n - 1 - i) & 1) put_dot(p, x + ZOOM * (i % FONT_WIDTH), y + ZOOM * (i / FONT_WIDTH));
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
