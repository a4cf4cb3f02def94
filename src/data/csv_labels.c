/* The labels of a table; and columns of labels that are none. */
#include "data/csv_table.h"
#include "data/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kelvin_status collect(struct csv_table *t)
{
    t->labels = kelvin_alloc(t->rows, sizeof *t->labels);
    t->aside = kelvin_alloc(t->rows, sizeof *t->aside);
    if (!t->labels || !t->aside) return KELVIN_ENOMEM;
    for (size_t i = 0; i < t->rows; i++) {
        const struct csv_place place = kelvin_csv_cell_place(t, i, t->label);
        t->labels[i] = (struct label){kelvin_csv_cell(t, i, t->label), place.line};
        if (!*t->labels[i].text)
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: line %zu, column %zu: the label is empty; expected text or a number", place.path,
                               place.line, place.column + 1);
    }
    return KELVIN_OK;
}

/* ---- numbers to predict ---- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* How many different texts a column of the training file has. */
static size_t count_different(const struct csv_table *t, size_t j)
{
    size_t n = 0;
    for (size_t i = 0; i < t->train; i++) t->aside[i] = kelvin_csv_cell(t, i, j);
    qsort(t->aside, t->train, sizeof *t->aside, compare);
    for (size_t i = 0; i < t->train; i++) n += i == 0 || strcmp(t->aside[i - 1], t->aside[i]) != 0;
    return n;
}

/* Whether the first column looks like classes: a few texts, or whole numbers, each more than once. */
static bool first_has_classes(const struct csv_table *t, bool numbers)
{
    enum { FEW = 20 };
    if (t->label == 0 || t->label_said || t->feature[0].kind != KELVIN_FEATURE_NUMBER) return false;
    for (size_t i = 0; i < t->train; i++) {
        double value;
        const enum value_kind kind = kelvin_value_look(&value, kelvin_csv_cell(t, i, 0));
        const bool whole = numbers && kind == VALUE_NUMBER && value == floor(value);
        if (kind != VALUE_TEXT && kind != VALUE_YES_NO && !whole) return false;
    }
    const size_t n = count_different(t, 0);
    return n >= 2 && n <= FEW && 2 * n <= t->train;
}

/* What to do about labels that are none. */
static void say_other(char *out, size_t size, const struct csv_table *t)
{
    if (first_has_classes(t, true))
        snprintf(out, size, "the first column looks like classes: label=%s",
                 kelvin_csv_spelled(t->feature[0].name, 0).text);
    else
        snprintf(out, size, "label=COLUMN names another column");
}

static bool are_numbers(const struct csv_table *t, size_t *odd)
{
    *odd = t->train;
    for (size_t i = 0; i < t->train; i++) {
        double value;
        if (kelvin_text_number(&value, t->labels[i].text) != TEXT_NUMBER) return false;
        if (*odd == t->train && value != floor(value)) *odd = i;
    }
    return true;
}

/* Classes are learnt, and no numbers: of a column of numbers, or of texts that are nearly all different, it is said. */
static kelvin_status check_classes(const struct csv_table *t)
{
    enum { ROWS = 20 };
    char other[KELVIN_SHOWN + 128];
    size_t odd;
    const char *path = t->cells[0].path;
    const bool numbers = are_numbers(t, &odd);
    if (numbers && odd < t->train) {
        say_other(other, sizeof other, t);
        return kelvin_fail(
            KELVIN_EFORMAT,
            "%s: line %zu: the label is %s: kelvin learns classes, not numbers; expected text or a whole "
            "number (%s; or make classes of the numbers, such as low and high)",
            path, t->labels[odd].line, kelvin_text_shown(t->labels[odd].text).text, other);
    }
    if (t->train < ROWS) return KELVIN_OK;
    const size_t different = count_different(t, t->label);
    if (2 * different <= t->train || different > DATA_MAX_CLASSES) return KELVIN_OK;
    say_other(other, sizeof other, t);
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: %s has %zu different labels in %zu rows: kelvin learns classes%s; expected several rows of "
                       "each (%s)",
                       path, kelvin_csv_called(t->feature[t->label].name, t->label).text, different, t->train,
                       numbers ? ", not numbers" : "", other);
}

kelvin_status kelvin_csv_take_labels(struct csv_table *t)
{
    KELVIN_TRY(collect(t));
    if (!t->loader->like) KELVIN_TRY(check_classes(t));
    double value;
    const bool number = kelvin_text_number(&value, t->labels[0].text) == TEXT_NUMBER;
    t->first_has_classes = number && first_has_classes(t, false);
    return kelvin_labels_to_classes(t->loader, t->labels, t->cells[0].path, t->cells[1].path);
}
