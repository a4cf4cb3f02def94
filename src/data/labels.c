/* Classes are kept sorted while labels come in: a binary search each, and a move for each new class. */
#include "data/labels.h"

#include "files/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct class
{
    const char *text;
    double number; /* where classes are numbers */
    int32_t index; /* where they have an order of their own */
};

struct labels_known {
    bool numbers;
    size_t n;
    struct class *sorted;
};

/* The labels of all rows. */
struct rows {
    const struct label *labels; /* NULL: they are numbers, in loader->y */
    const struct data_loader *loader;
    const char *train_path, *test_path;
};

/* ---- what sentences say of a label ---- */

struct place {
    char text[40];
};

static struct place place(const struct rows *rows, size_t i)
{
    struct place place;
    const size_t before = i < rows->loader->n_train ? 0 : rows->loader->n_train;
    if (rows->labels)
        snprintf(place.text, sizeof place.text, "line %zu", rows->labels[i].line);
    else
        snprintf(place.text, sizeof place.text, "row %zu (from 1)", i - before + 1);
    return place;
}

static struct text_shown shown(const struct rows *rows, size_t i)
{
    char number[16];
    if (rows->labels) return kelvin_text_shown(rows->labels[i].text);
    snprintf(number, sizeof number, "%d", (int)rows->loader->y[i]);
    return kelvin_text_shown(number);
}

/* ---- numbers ---- */

static const double largest = 9007199254740992; /* 2^53: whole numbers up to here are all different doubles */

static bool is_whole(double number)
{
    return fabs(number) <= largest && number == floor(number);
}

/* Whether all labels of the training part are whole numbers. Numbers that are not are something to predict, but no
 * class. */
static kelvin_status look_for_numbers(bool *numbers, const struct rows *rows)
{
    const struct label *labels = rows->labels, *odd = NULL;
    *numbers = !labels;
    if (!labels) return KELVIN_OK;
    for (size_t i = 0; i < rows->loader->n_train; i++) {
        double number;
        const enum text_kind kind = kelvin_text_number(&number, labels[i].text);
        if (kind == TEXT_OTHER) return KELVIN_OK;
        if (!odd && !is_whole(number)) odd = &labels[i];
    }
    *numbers = true;
    if (!odd) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: the label is %s; expected text or a whole number up to 2^53",
                       rows->train_path, odd->line, kelvin_text_shown(odd->text).text);
}

/* False if the label cannot be a class. */
static bool to_class(struct class *class, const struct labels_known *classes, const struct rows *rows, size_t i)
{
    *class = (struct class){0};
    if (!rows->labels) return class->number = rows->loader->y[i], true;
    class->text = rows->labels[i].text;
    if (!classes->numbers) return true;
    const bool number = kelvin_text_number(&class->number, class->text) == TEXT_NUMBER;
    class->number += 0.0; /* -0 is 0 */
    return number && is_whole(class->number);
}

/* ---- classes ---- */

static int compare(const struct labels_known *classes, const struct class *a, const struct class *b)
{
    return classes->numbers ? (a->number > b->number) - (a->number < b->number) : strcmp(a->text, b->text);
}

/* Where the class stands, or should. */
static bool find(size_t *at, const struct labels_known *classes, const struct class *class)
{
    size_t low = 0, high = classes->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (compare(classes, &classes->sorted[middle], class) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < classes->n && compare(classes, &classes->sorted[low], class) == 0;
}

static void insert(struct labels_known *classes, size_t at, const struct class *class)
{
    memmove(&classes->sorted[at + 1], &classes->sorted[at], (classes->n++ - at) * sizeof *class);
    classes->sorted[at] = *class;
}

static kelvin_status collect(struct labels_known *classes, const struct rows *rows)
{
    for (size_t i = 0; i < rows->loader->n_train; i++) {
        struct class class;
        size_t at;
        (void)to_class(&class, classes, rows, i);
        if (find(&at, classes, &class)) continue;
        if (classes->n == DATA_MAX_CLASSES)
            return kelvin_fail(KELVIN_EFORMAT, "%s: %s: '%s' is label number %d; expected at most %d different ones",
                               rows->train_path, place(rows, i).text, shown(rows, i).text, DATA_MAX_CLASSES + 1,
                               DATA_MAX_CLASSES);
        insert(classes, at, &class);
    }
    if (classes->n < 2)
        return kelvin_fail(KELVIN_EFORMAT, "%s: all labels are '%s'; expected at least 2 different ones",
                           rows->train_path, shown(rows, 0).text);
    return KELVIN_OK;
}

/* As data->class_names, all in one block. */
static kelvin_status keep_names(struct data_loader *l, const struct labels_known *classes)
{
    enum { DIGITS = 24 };
    size_t bytes = 0;
    for (size_t i = 0; i < classes->n; i++) bytes += classes->numbers ? DIGITS : strlen(classes->sorted[i].text) + 1;
    const char **names = kelvin_arena_alloc(l->arena, classes->n, sizeof *names);
    char *text = kelvin_arena_alloc(l->arena, bytes, 1);
    if (!names || !text) return KELVIN_ENOMEM;
    for (size_t i = 0; i < classes->n; i++) {
        const struct class *class = &classes->sorted[i];
        names[i] = text;
        text += 1 + (classes->numbers ? sprintf(text, "%.0f", class->number) : sprintf(text, "%s", class->text));
    }
    l->data->classes = classes->n;
    l->data->class_names = names;
    return KELVIN_OK;
}

static kelvin_status assign(struct data_loader *l, const struct labels_known *classes, const struct rows *rows)
{
    for (size_t i = 0; i < l->n; i++) {
        struct class class;
        size_t at = 0;
        if (!to_class(&class, classes, rows, i) || !find(&at, classes, &class))
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: %s: the label '%s' does not occur in the training part; expected one that does",
                               rows->test_path, place(rows, i).text, shown(rows, i).text);
        l->y[i] = (int32_t)at;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_labels_to_classes(struct data_loader *l, const struct label *labels, const char *train_path,
                                       const char *test_path)
{
    const struct rows rows = {labels, l, train_path, test_path};
    struct labels_known classes = {0};
    KELVIN_TRY(look_for_numbers(&classes.numbers, &rows));
    const size_t most = l->n_train < DATA_MAX_CLASSES ? l->n_train : DATA_MAX_CLASSES;
    classes.sorted = kelvin_alloc(most, sizeof *classes.sorted);
    if (labels) l->y = kelvin_alloc(l->n, sizeof *l->y);
    kelvin_status status = classes.sorted && l->y ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) status = collect(&classes, &rows);
    if (!status) status = keep_names(l, &classes);
    if (!status) status = assign(l, &classes, &rows);
    kelvin_free(classes.sorted);
    return status;
}

/* ---- classes that are known already ---- */

static bool all_whole(const char *const *names, size_t n)
{
    double number;
    for (size_t i = 0; names && i < n; i++)
        if (kelvin_text_number(&number, names[i]) != TEXT_NUMBER || !is_whole(number)) return false;
    return true;
}

kelvin_status kelvin_labels_know(struct labels_known **known, kelvin_arena *arena, const char *const *names, size_t n)
{
    struct labels_known *k = *known = kelvin_arena_alloc(arena, 1, sizeof *k);
    if (!k || !(k->sorted = kelvin_arena_alloc(arena, n, sizeof *k->sorted))) return KELVIN_ENOMEM;
    k->numbers = all_whole(names, n);
    for (size_t i = 0; i < n; i++) {
        struct class class = {.text = names ? names[i] : NULL, .number = (double)i, .index = (int32_t)i};
        size_t at;
        if (names && k->numbers) (void)kelvin_text_number(&class.number, names[i]);
        if (!find(&at, k, &class)) insert(k, at, &class);
    }
    return KELVIN_OK;
}

static int32_t index_of(const struct labels_known *known, const struct class *class)
{
    size_t at;
    return find(&at, known, class) ? known->sorted[at].index : -1;
}

int32_t kelvin_labels_find(const struct labels_known *known, const char *text)
{
    struct class class = {.text = text};
    if (known->numbers && (kelvin_text_number(&class.number, text) != TEXT_NUMBER || !is_whole(class.number)))
        return -1;
    return index_of(known, &class);
}

int32_t kelvin_labels_find_number(const struct labels_known *known, double number)
{
    if (known->numbers) return index_of(known, &(struct class){.number = number});
    return number >= 0 && number < (double)known->n && is_whole(number) ? (int32_t)number : -1;
}
