/* Which columns a table has, what they are called, and which one holds the labels. */
#include "data/csv.h"
#include "data/values.h"
#include "files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct csv_line kelvin_csv_line(const struct csv_reader *r)
{
    return (struct csv_line){r->path, r->row_line, r->n_fields, (const char *const *)r->fields};
}

/* ---- is there a header? ---- */

/* To people, too: 1,5 is no name of a column. */
static bool is_number(const char *text)
{
    double value;
    return kelvin_text_number(&value, text) != TEXT_OTHER || kelvin_value_hint(text);
}

size_t kelvin_csv_find_name(size_t *at, const struct csv_line *line, const char *name)
{
    size_t found = 0;
    for (size_t j = 0; j < line->n; j++)
        if (strcmp(line->field[j], name) == 0) *at = j, found++;
    return found;
}

static enum csv_header guess(const struct csv_line *first, const char *label)
{
    size_t at, numbers = 0;
    for (size_t j = 0; j < first->n; j++) numbers += is_number(first->field[j]);
    if (numbers == 0 || (label && !is_number(label) && kelvin_csv_find_name(&at, first, label) > 0)) return CSV_NAMES;
    return CSV_ROW_OR_NAMES;
}

kelvin_status kelvin_csv_is_header(enum csv_header *header, const struct csv_reader *first,
                                   const struct data_spec *spec)
{
    const char *said = kelvin_data_spec_value(spec, "header");
    const struct csv_line line = kelvin_csv_line(first);
    bool yes = false;
    KELVIN_TRY(kelvin_data_spec_yes(&yes, spec, "header"));
    if (first->n_fields != first->room) /* the first line was something else, or this is not one row */
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu fields; expected %zu", first->path, first->row_line,
                           first->n_fields, first->room);
    *header = yes ? CSV_NAMES : said ? CSV_ROW : guess(&line, kelvin_data_spec_value(spec, "label"));
    return KELVIN_OK;
}

/* ---- columns by what was said of them ---- */

/* KELVIN_EUSAGE, with the first few names that there are. */
static kelvin_status unknown_column(const char *value, const struct csv_line *first, bool header)
{
    enum { NAMES = 5 };
    char list[NAMES * (sizeof(struct text_shown) + 4) + 8] = "";
    size_t used = 0;
    for (size_t j = 0; header && j < first->n && j < NAMES; j++)
        used += (size_t)sprintf(list + used, "%s'%s'", j ? ", " : "", kelvin_text_shown(first->field[j]).text);
    if (header && first->n > NAMES) strcpy(list + used, ", ...");
    if (header)
        return kelvin_fail(KELVIN_EUSAGE, "%s: no column is called '%s'; expected one of %s, or a number from 1 to %zu",
                           first->path, kelvin_text_shown(value).text, list, first->n);
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s: no column is called '%s', as line %zu does not name them; expected a number from 1 to %zu",
                       first->path, kelvin_text_shown(value).text, first->line, first->n);
}

kelvin_status kelvin_csv_find_column(size_t *at, const struct csv_line *first, bool header, const char *key,
                                     const char *value)
{
    const size_t found = header ? kelvin_csv_find_name(at, first, value) : 0;
    if (found > 1)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%s: line %zu: %zu columns are called '%s'; expected one, or a number from 1 to %zu",
                           first->path, first->line, found, kelvin_text_shown(value).text, first->n);
    if (found == 1) return KELVIN_OK;
    if (value[strspn(value, "0123456789")]) return unknown_column(value, first, header);
    const unsigned long long number = strtoull(value, NULL, 10); /* the largest there is if it is larger */
    if (number < 1 || number > first->n)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %s is column %s; expected a number from 1 to %zu", first->path, key,
                           kelvin_text_shown(value).text, first->n);
    *at = (size_t)number - 1;
    return KELVIN_OK;
}

static bool is_label_name(const char *name)
{
    static const char *const known[] = {"label", "labels",  "target",   "targets", "class",    "classes",
                                        "y",     "outcome", "response", "species", "diagnosis"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i]) == 0) return true;
    return false;
}

size_t kelvin_csv_guess_label(bool *by_name, const struct csv_line *first, bool header)
{
    size_t found = 0, at = first->n - 1;
    for (size_t j = 0; header && j < first->n; j++)
        if (is_label_name(first->field[j])) at = j, found++;
    *by_name = found > 0;
    return found == 1 ? at : first->n - 1;
}

kelvin_status kelvin_csv_check_names(const struct csv_line *first)
{
    bool found;
    size_t same[2];
    KELVIN_TRY(kelvin_data_same_names(&found, same, first->field, first->n));
    if (!found) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT,
        "%s: line %zu: columns %zu and %zu are both called '%s'; expected different names (or header=no, "
        "if the line is a row)",
        first->path, first->line, same[0] + 1, same[1] + 1, kelvin_text_shown(first->field[same[0]]).text);
}
