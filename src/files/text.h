/* Texts of others, in files and from programs: numbers that they spell, and how they are shown in sentences. */
#ifndef FILES_TEXT_H
#define FILES_TEXT_H

#include <kelvin/files.h>

enum text_kind {
    TEXT_OTHER,
    TEXT_NUMBER,
    TEXT_NOT_FINITE, /* nan, inf, or larger than a double can be */
};

/* What the whole of a text is: a number as in C, but not in hexadecimal, and without space around it. kelvin_data_open
 * sees to it that the decimal point is a point, whatever the host program's locale. */
enum text_kind kelvin_text_number(double *value, const char *text);

struct text_shown {
    char text[KELVIN_SHOWN];
};

/* As kelvin_text_show. */
struct text_shown kelvin_text_shown(const char *text);

/* The first line, cut to fit; what is not printable ASCII becomes a question mark. */
void kelvin_text_plain(char *out, size_t size, const char *text);

#endif
