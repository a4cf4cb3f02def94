/* What is wrong with a field, and what may have been meant. */
#include "data/csv.h"
#include "data/values.h"
#include "files/text.h"

#include <stdio.h>
#include <string.h>

struct csv_called kelvin_csv_called(const char *name, size_t column)
{
    struct csv_called called;
    if (name && *name)
        snprintf(called.text, sizeof called.text, "'%s'", kelvin_text_shown(name).text);
    else
        snprintf(called.text, sizeof called.text, "column %zu", column + 1);
    return called;
}

/* By its name where that can be written as it is, else by its number. */
struct csv_called kelvin_csv_spelled(const char *name, size_t column)
{
    struct csv_called called;
    const struct text_shown shown = kelvin_text_shown(name ? name : "");
    if (name && *name && !strpbrk(name, ",=") && strcmp(shown.text, name) == 0)
        snprintf(called.text, sizeof called.text, "%s", name);
    else
        snprintf(called.text, sizeof called.text, "%zu", column + 1);
    return called;
}

/* "FILE: line 2, column 3 ('width')" */
static void say_place(char *out, size_t size, const struct csv_place *place)
{
    snprintf(out, size, "%s: line %zu, column %zu", place->path, place->line, place->column + 1);
    if (place->name && *place->name) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, " ('%s')", kelvin_text_shown(place->name).text);
    }
}

kelvin_status kelvin_csv_no_number(const struct csv_place *place, const char *text)
{
    char where[KELVIN_PATH_MAX + 256], hint[128] = "";
    double value;
    const bool finite = kelvin_value_look(&value, text) != VALUE_NOT_FINITE;
    const char *odd = kelvin_value_hint(text);
    say_place(where, sizeof where, place);
    if (odd)
        snprintf(hint, sizeof hint, " (%s)", odd);
    else if (place->first)
        snprintf(hint, sizeof hint, " (header=yes says that this line names the columns)");
    if (!*text) return kelvin_fail(KELVIN_EFORMAT, "%s: the field is empty; expected a number", where);
    return kelvin_fail(KELVIN_EFORMAT, "%s: '%s' is not %s; expected a %snumber%s", where, kelvin_text_shown(text).text,
                       finite ? "a number" : "finite", finite ? "" : "finite ", hint);
}

kelvin_status kelvin_csv_no_answer(const struct csv_place *place, const char *text)
{
    char where[KELVIN_PATH_MAX + 256];
    say_place(where, sizeof where, place);
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: '%s' is neither yes nor no; expected one of these, or true or false, as in "
                       "training",
                       where, kelvin_text_shown(text).text);
}

kelvin_status kelvin_csv_no_input(const struct csv_place *place, const char *text, const char *what)
{
    char where[KELVIN_PATH_MAX + 256];
    say_place(where, sizeof where, place);
    return kelvin_fail(KELVIN_EFORMAT, "%s: '%s' is %s; expected numbers or categories (drop=%s leaves the column out)",
                       where, kelvin_text_shown(text).text, what, kelvin_csv_spelled(place->name, place->column).text);
}
