/* texts: texts that commands put together and show. */
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include <kelvin/base.h>

/* As printf, behind what is in a text already; as much as there is room for in its `size` bytes. */
void text_append(char *text, size_t size, const char *format, ...) KELVIN_PRINTF(3, 4);

/* The first line, cut to fit; what is not printable ASCII becomes a question mark. */
void text_plain(char *out, size_t size, const char *text);

/* Links are followed. */
bool is_folder(const char *path);

#endif
