/* What is wrong with a field that should be a number, and what may have been meant. */
#include "data/csv.h"
#include "files/text.h"

#include <stdio.h>
#include <string.h>

struct hint {
    char text[sizeof(struct text_shown) + 128];
};

/* Whether a point for its comma makes a number of the field. */
static bool has_decimal_comma(char *field)
{
    double value;
    char *comma = strchr(field, ',');
    if (!comma) return false;
    *comma = '.';
    const enum text_kind kind = kelvin_text_number(&value, field);
    *comma = ',';
    return kind == TEXT_NUMBER;
}

/* How label= would name the column: by its name where that can be written as it is, else by its number. */
static void say_label(struct hint *hint, const char *name, size_t column)
{
    const struct text_shown shown = kelvin_text_shown(name ? name : "");
    if (name && *name && !strchr(name, ',') && strcmp(shown.text, name) == 0)
        snprintf(hint->text, sizeof hint->text, "if these are the labels: label=%s", name);
    else
        snprintf(hint->text, sizeof hint->text, "if these are the labels: label=%zu", column + 1);
}

/* In brackets, with a space before them; or nothing. */
static struct hint find_hint(const struct csv_columns *columns, const struct csv_reader *row, size_t column,
                             const char *name, const struct data_spec *spec)
{
    struct hint label = {""}, all = {""};
    if (has_decimal_comma(row->fields[column])) return (struct hint){" (a decimal comma? expected a point)"};
    const bool header = row->row_line == row->first_line && !kelvin_data_spec_value(spec, "header");
    double value;
    if (!columns->known && !kelvin_data_spec_value(spec, "label") && *row->fields[column] &&
        kelvin_text_number(&value, row->fields[column]) == TEXT_OTHER)
        say_label(&label, name, column);
    if (header || *label.text)
        snprintf(all.text, sizeof all.text, " (%s%s%s)",
                 header ? "header=yes says that this line names the columns" : "", header && *label.text ? "; " : "",
                 label.text);
    return all;
}

kelvin_status kelvin_csv_no_number(const struct csv_columns *columns, const struct csv_reader *row, size_t column,
                                   const struct data_spec *spec)
{
    const char *name = columns->names ? columns->names[kelvin_csv_place(columns, column)] : NULL;
    const char *text = row->fields[column];
    double value;
    const bool finite = kelvin_text_number(&value, text) != TEXT_NOT_FINITE;
    char called[sizeof(struct text_shown) + 8] = "", found[sizeof(struct text_shown) + 24] = "the field is empty";
    if (name) snprintf(called, sizeof called, " ('%s')", kelvin_text_shown(name).text);
    if (*text)
        snprintf(found, sizeof found, "'%s' is not %s", kelvin_text_shown(text).text, finite ? "a number" : "finite");
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu, column %zu%s: %s; expected a %snumber%s", row->path,
                       row->row_line, column + 1, called, found, finite ? "" : "finite ",
                       find_hint(columns, row, column, name, spec).text);
}
