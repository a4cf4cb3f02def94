/* Which columns a table has, what they are called, and which one holds the labels. */
#include "data/csv.h"
#include "files/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- is there a header? ---- */

static bool is_number(const char *text)
{
    double value;
    return kelvin_text_number(&value, text) != TEXT_OTHER;
}

size_t kelvin_csv_find_name(size_t *at, const struct csv_reader *row, const char *name)
{
    size_t found = 0;
    for (size_t j = 0; j < row->n_fields; j++)
        if (strcmp(row->fields[j], name) == 0) *at = j, found++;
    return found;
}

/* The first column whose name is another one than in the training file; n if there is none. */
static size_t other_name(const struct csv_columns *columns, const struct csv_reader *row)
{
    size_t j = 0;
    while (j < columns->n && strcmp(row->fields[j], columns->names[kelvin_csv_place(columns, j)]) == 0) j++;
    return j;
}

static enum csv_header guess(const struct csv_columns *columns, const struct csv_reader *first, const char *label)
{
    size_t at, numbers = 0;
    for (size_t j = 0; j < first->n_fields; j++) numbers += is_number(first->fields[j]);
    if (numbers == 0 || (label && !is_number(label) && kelvin_csv_find_name(&at, first, label) > 0)) return CSV_NAMES;
    if (columns->names && columns->n == first->n_fields && other_name(columns, first) == columns->n) return CSV_NAMES;
    return columns->n == 0 ? CSV_ROW_OR_NAMES : CSV_ROW;
}

kelvin_status kelvin_csv_is_header(enum csv_header *header, const struct csv_columns *columns,
                                   const struct csv_reader *first, const struct data_spec *spec)
{
    const char *said = kelvin_data_spec_value(spec, "header");
    const bool yes = said && strcmp(said, "yes") == 0;
    if (said && !yes && strcmp(said, "no") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': header is '%s'; expected yes or no", spec->name, said);
    if (first->n_fields != first->room) /* the first line was something else, or this is not one row */
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu fields; expected %zu", first->path, first->row_line,
                           first->n_fields, first->room);
    *header = yes ? CSV_NAMES : said ? CSV_ROW : guess(columns, first, kelvin_data_spec_value(spec, "label"));
    return KELVIN_OK;
}

/* ---- the column of labels ---- */

/* KELVIN_EUSAGE, with the first few names that there are. */
static kelvin_status unknown_label(const char *label, const struct csv_reader *first, bool header)
{
    enum { NAMES = 5 };
    char list[NAMES * (sizeof(struct text_shown) + 4) + 8] = "";
    size_t used = 0;
    for (size_t j = 0; header && j < first->n_fields && j < NAMES; j++)
        used += (size_t)sprintf(list + used, "%s'%s'", j ? ", " : "", kelvin_text_shown(first->fields[j]).text);
    if (header && first->n_fields > NAMES) strcpy(list + used, ", ...");
    if (header)
        return kelvin_fail(KELVIN_EUSAGE, "%s: no column is called '%s'; expected one of %s, or a number from 1 to %zu",
                           first->path, kelvin_text_shown(label).text, list, first->n_fields);
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s: no column is called '%s', as line %zu does not name them; expected a number from 1 to %zu",
                       first->path, kelvin_text_shown(label).text, first->row_line, first->n_fields);
}

kelvin_status kelvin_csv_find_label(size_t *at, const struct csv_reader *first, bool header, const char *label)
{
    *at = first->n_fields - 1;
    if (!label) return KELVIN_OK;
    const size_t found = header ? kelvin_csv_find_name(at, first, label) : 0;
    if (found > 1)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%s: line %zu: %zu columns are called '%s'; expected one, or a number from 1 to %zu",
                           first->path, first->row_line, found, kelvin_text_shown(label).text, first->n_fields);
    if (found == 1) return KELVIN_OK;
    if (label[strspn(label, "0123456789")]) return unknown_label(label, first, header);
    const unsigned long long number = strtoull(label, NULL, 10); /* the largest there is if it is larger */
    if (number < 1 || number > first->n_fields)
        return kelvin_fail(KELVIN_EUSAGE, "%s: label is column %s; expected a number from 1 to %zu", first->path,
                           kelvin_text_shown(label).text, first->n_fields);
    *at = (size_t)number - 1;
    return KELVIN_OK;
}

/* ---- names ---- */

size_t kelvin_csv_place(const struct csv_columns *columns, size_t column)
{
    return column == columns->label ? columns->n - 1 : column - (column > columns->label);
}

kelvin_status kelvin_csv_keep_names(const char *const **kept, const struct csv_columns *columns,
                                    const struct csv_reader *first, kelvin_arena *arena)
{
    size_t bytes = 0;
    for (size_t j = 0; j < columns->n; j++) bytes += strlen(first->fields[j]) + 1;
    const char **names = kelvin_arena_alloc(arena, columns->n, sizeof *names);
    char *text = kelvin_arena_alloc(arena, bytes, 1);
    if (!names || !text) return KELVIN_ENOMEM;
    for (size_t j = 0; j < columns->n; j++) {
        names[kelvin_csv_place(columns, j)] = strcpy(text, first->fields[j]);
        text += strlen(text) + 1;
    }
    *kept = names;
    return KELVIN_OK;
}

/* The column of the file, from 1, whose name is at that place: the inverse of kelvin_csv_place. */
static size_t column_at(const struct csv_columns *columns, size_t place)
{
    return 1 + (place == columns->n - 1 ? columns->label : place + (place >= columns->label));
}

kelvin_status kelvin_csv_name_columns(struct csv_columns *columns, const char *const *names,
                                      const struct csv_reader *file, kelvin_data *data)
{
    bool found;
    size_t same[2];
    KELVIN_TRY(kelvin_data_same_names(&found, same, names, columns->n));
    if (found)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: line %zu: columns %zu and %zu are both called '%s'; expected different names",
                           file->path, file->first_line, column_at(columns, same[0]), column_at(columns, same[1]),
                           kelvin_text_shown(names[same[0]]).text);
    columns->names = data->column_names = names;
    data->label_name = names[columns->n - 1];
    return KELVIN_OK;
}

kelvin_status kelvin_csv_find_columns(struct csv_columns *columns, const char *const **names,
                                      const struct csv_reader *first, enum csv_header header,
                                      struct data_loader *loader)
{
    *columns = (struct csv_columns){.n = first->n_fields};
    *names = NULL;
    if (columns->n < 2)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: line %zu: one column; expected at least 2, a number and a label, separated by ',', "
                           "';' or tab",
                           first->path, first->row_line);
    KELVIN_TRY(kelvin_csv_find_label(&columns->label, first, header == CSV_NAMES,
                                     kelvin_data_spec_value(loader->spec, "label")));
    loader->data->inputs = columns->n - 1;
    if (header == CSV_ROW || (header == CSV_ROW_OR_NAMES && is_number(first->fields[columns->label]))) return KELVIN_OK;
    KELVIN_TRY(kelvin_csv_keep_names(names, columns, first, loader->arena));
    if (header != CSV_NAMES) return KELVIN_OK;
    return kelvin_csv_name_columns(columns, *names, first, loader->data);
}

kelvin_status kelvin_csv_same_columns(const struct csv_columns *columns, const struct csv_reader *first, bool header)
{
    if (first->n_fields != columns->n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu fields; expected %zu as in the training part",
                           first->path, first->row_line, first->n_fields, columns->n);
    const size_t j = header && columns->names ? other_name(columns, first) : columns->n;
    if (j == columns->n) return KELVIN_OK;
    const char *expected = columns->names[kelvin_csv_place(columns, j)];
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: column %zu is called '%s'; expected '%s' as in the training part",
                       first->path, first->row_line, j + 1, kelvin_text_shown(first->fields[j]).text,
                       kelvin_text_shown(expected).text);
}
