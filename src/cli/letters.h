/* letters: short texts in pictures. */
#ifndef CLI_LETTERS_H
#define CLI_LETTERS_H

#include "data/picture.h"

enum { LETTERS_WIDTH = 12, LETTERS_HEIGHT = 14, LETTERS_MOST = 24 };

/* Puts a text in black at (x, y), shortened to LETTERS_MOST letters. Returns how many letters it takes; nothing is
 * drawn without a picture. */
size_t letters_put(struct picture *picture, size_t x, size_t y, const char *text);

#endif
