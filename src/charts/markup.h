/* markup: HTML and SVG, piece by piece into a file. The first failure is kept, and nothing is written after it.
 *
 *     struct markup out = {.file = &writer};
 *     kelvin_markup_put(&out, "<td>%zu</td><td>", n);
 *     kelvin_markup_text(&out, class_name);                 // & < > " ' cannot do harm, nor can bytes that are not
 * UTF-8 kelvin_markup_put(&out, "</td>"); status = kelvin_writer_close(&writer, out.status);
 */
#ifndef CHARTS_MARKUP_H
#define CHARTS_MARKUP_H

#include "files/files.h"

#include <stdarg.h>
#include <stdio.h>

struct markup {
    struct kelvin_writer *file;
    kelvin_status status;
};

void kelvin_markup_put(struct markup *out, const char *format, ...) KELVIN_PRINTF(2, 3);
void kelvin_markup_bytes(struct markup *out, const void *bytes, size_t n);

/* Fit for the inside of an element or of an attribute in quotes. */
void kelvin_markup_text(struct markup *out, const char *text);

/* Letters of a text; a byte that is not UTF-8 counts as one. */
size_t kelvin_markup_letters(const char *text);

/* The text, at most `most` (2 or more) letters of it: of a longer one the beginning, ".." and its end, for that is
 * where paths differ. Freed with the arena; NULL if memory is short. */
const char *kelvin_markup_shorten(kelvin_arena *arena, const char *text, size_t most);

#endif
