/* What a field of a table says, whatever its column: a number, yes or no, nothing, or text. */
#ifndef DATA_VALUES_H
#define DATA_VALUES_H

#include <kelvin/base.h>

enum value_kind {
    VALUE_MISSING, /* empty, or one of the words for it: NA, NaN, null, none, ?, ... */
    VALUE_NUMBER,
    VALUE_NOT_FINITE,
    VALUE_YES_NO, /* true or false, yes or no, y or n, t or f, in any case: 1 or 0 */
    VALUE_DATE,   /* a date or a time of day */
    VALUE_ODD,    /* a number to people, but not as it is written here: 1,5 or 1.234,5 or 12 % */
    VALUE_TEXT,
};

/* *value: of a number, and of yes and no. */
enum value_kind kelvin_value_look(double *value, const char *text);

/* Of one that is odd: what may have been meant, and how it is written here. */
const char *kelvin_value_hint(const char *text);

#endif
