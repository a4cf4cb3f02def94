/* Texts of other programs and libraries, fit for a sentence. */
#ifndef FETCH_TEXT_H
#define FETCH_TEXT_H

#include <stddef.h>

/* The first line, cut to fit; what is not printable ASCII becomes a question mark. */
void text_plain(char *out, size_t size, const char *text);

#endif
