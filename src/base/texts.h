/* texts: letters of texts that are UTF-8 (RFC 3629), or should be; texts that are put together. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <kelvin/base.h>

#include <stdarg.h>

/* How many bytes the first letter of a text has; 0 if they are not UTF-8, or there is none. `code`: its number, unless
 * NULL. */
size_t kelvin_utf8_letter(uint32_t *code, const char *text);

/* How many bytes from the start of a text are UTF-8: all, or those before the first that is not. */
size_t kelvin_utf8_length(const char *text);

/* As vprintf, into an arena; NULL if memory is short. */
char *kelvin_arena_print(kelvin_arena *arena, const char *format, va_list args) KELVIN_PRINTF(2, 0);

/* As printf, behind what is in a text already; as much as there is room for in its `size` bytes. */
void kelvin_append(char *text, size_t size, const char *format, ...) KELVIN_PRINTF(3, 4);

/* One more name in a list of them, "A", "A or B", "A, B or C". No name has " or " in it. */
void kelvin_append_name(char *list, size_t size, const char *name);

#endif
