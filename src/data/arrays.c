/* Data in memory: they are looked at, copied, and repeated as often as their weights say. What comes after (a test
 * part, standardisation) is that of every data set, on rows that are there as often as they count: so a weight of 2
 * cannot be told from a row that was given twice. */
#include "data/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One of the two parts, as it was given. */
struct given {
    const char *name, *prefix; /* of the data; of the fields: "" or "test_" */
    size_t rows;
    const float *x;
    const double *doubles; /* instead of x */
    const uint8_t *bytes;
    const int32_t *labels;
    const double *weights; /* NULL: all 1 */
};

static double number(const struct given *g, size_t i)
{
    return g->x ? (double)g->x[i] : g->doubles[i];
}

/* ---- what must hold ---- */

static kelvin_status check_fields(const struct given *g, bool images)
{
    const char *kind = images ? "bytes" : "x", *other = images ? "x" : "bytes";
    const bool table = g->x || g->doubles;
    if (g->x && g->doubles)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %sx is given together with %sdoubles; expected one of the two", g->name,
                           g->prefix, g->prefix);
    if (images ? !g->bytes : !table)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %s%s is missing; expected %zu rows", g->name, g->prefix, kind, g->rows);
    if (images ? table : g->bytes != NULL)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %s%s is given together with %s; expected one of the two", g->name,
                           g->prefix, other, kind);
    if (!g->labels)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %slabels are missing; expected %zu of them", g->name, g->prefix,
                           g->rows);
    return KELVIN_OK;
}

/* Whether so many numbers, as doubles, can be addressed. */
static bool too_many(size_t rows, size_t inputs)
{
    size_t bytes;
    return __builtin_mul_overflow(rows, inputs, &bytes) || __builtin_mul_overflow(bytes, sizeof(double), &bytes);
}

static kelvin_status check_shape(size_t *inputs, const kelvin_arrays *a, const char *name, bool images)
{
    const size_t shape[] = {images ? a->channels : a->columns, images ? a->height : 1, images ? a->width : 1};
    bool too_large = false;
    *inputs = 1;
    for (size_t i = 0; i < 3; i++) too_large |= __builtin_mul_overflow(*inputs, shape[i], inputs);
    if (too_large || too_many(a->rows, *inputs) || too_many(a->test_rows, *inputs))
        return kelvin_fail(KELVIN_EUSAGE, "%s: %zu rows of %zu x %zu x %zu are more than can be addressed", name,
                           a->rows > a->test_rows ? a->rows : a->test_rows, shape[0], shape[1], shape[2]);
    if (*inputs > 0) return KELVIN_OK;
    if (!images) return kelvin_fail(KELVIN_EUSAGE, "%s: a table of 0 columns; expected at least 1", name);
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s: images of %zu x %zu x %zu (channels x height x width); expected at least 1 of each", name,
                       shape[0], shape[1], shape[2]);
}

static kelvin_status check_test(const kelvin_arrays *a, const char *name)
{
    const bool given = a->test_x || a->test_doubles || a->test_bytes || a->test_labels;
    if (given && a->test_rows == 0)
        return kelvin_fail(KELVIN_EUSAGE, "%s: a test part is given, and test_rows is 0; expected how many it has",
                           name);
    if (a->test_rows > 0 && a->split > 0)
        return kelvin_fail(KELVIN_EUSAGE, "%s: split is given together with a test part; expected one of the two",
                           name);
    if (a->split >= 1 || a->split != a->split)
        return kelvin_fail(KELVIN_EUSAGE, "%s: split is %g; expected a share below 1, or less than 0 for none", name,
                           a->split);
    return KELVIN_OK;
}

static kelvin_status check_numbers(const struct given *g, size_t columns)
{
    for (size_t i = 0; !g->bytes && i < g->rows * columns; i++)
        if (!isfinite(number(g, i)))
            return kelvin_fail(KELVIN_EUSAGE, "%s: %sx: row %zu, column %zu (from 1): %g; expected a finite number",
                               g->name, g->prefix, i / columns + 1, i % columns + 1, number(g, i));
    return KELVIN_OK;
}

static kelvin_status check_labels(const struct given *g, size_t classes)
{
    for (size_t i = 0; i < g->rows; i++)
        if (g->labels[i] < 0 || (size_t)g->labels[i] >= classes)
            return kelvin_fail(KELVIN_EUSAGE, "%s: %slabels: row %zu (from 1): %d; expected 0 to %zu", g->name,
                               g->prefix, i + 1, (int)g->labels[i], classes - 1);
    return KELVIN_OK;
}

/* ---- classes ---- */

static kelvin_status count_classes(size_t *classes, const kelvin_arrays *a, const struct given *g)
{
    int32_t largest = 0;
    for (size_t i = 0; i < g->rows; i++) {
        if (g->labels[i] < 0)
            return kelvin_fail(KELVIN_EUSAGE, "%s: labels: row %zu (from 1): %d; expected a class, from 0 on", g->name,
                               i + 1, (int)g->labels[i]);
        if (g->labels[i] > largest) largest = g->labels[i];
    }
    *classes = a->classes ? a->classes : (size_t)largest + 1;
    if (*classes > DATA_MAX_CLASSES)
        return kelvin_fail(KELVIN_EUSAGE, "%s: %zu classes; expected at most %d", g->name, *classes, DATA_MAX_CLASSES);
    return KELVIN_OK;
}

/* "0", "1", ... */
static const char *const *number_names(kelvin_arena *arena, size_t n)
{
    enum { DIGITS = 24 };
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    char *text = kelvin_arena_alloc(arena, n, DIGITS);
    for (size_t i = 0; names && text && i < n; i++, text += DIGITS) {
        snprintf(text, DIGITS, "%zu", i);
        names[i] = text;
    }
    return text ? names : NULL;
}

static kelvin_status check_names(const char *const *names, size_t n, const char *field, const char *data)
{
    size_t same[2];
    bool found = false;
    for (size_t i = 0; names && i < n; i++)
        if (!names[i]) return kelvin_fail(KELVIN_EUSAGE, "%s: %s: number %zu (from 0) is missing", data, field, i);
    if (names) KELVIN_TRY(kelvin_data_same_names(&found, same, names, n));
    if (!found) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s: %s: numbers %zu and %zu (from 0) are both '%.100s'; expected different ones",
                       data, field, same[0], same[1], names[same[0]]);
}

static kelvin_status take_names(struct data_loader *l)
{
    kelvin_data *data = l->data;
    const kelvin_arrays *a = l->arrays;
    if (a->bytes && a->column_names)
        return kelvin_fail(KELVIN_EUSAGE, "%s: column_names are given, but images have no columns", data->name);
    KELVIN_TRY(check_names(a->class_names, data->classes, "class_names", data->name));
    KELVIN_TRY(check_names(a->column_names, data->inputs, "column_names", data->name));
    data->class_names = a->class_names;
    data->column_names = a->column_names;
    data->label_name = a->label_name;
    if (!kelvin_data_copy_texts(&data->class_names, l->arena, data->classes) ||
        !kelvin_data_copy_texts(&data->column_names, l->arena, data->inputs) ||
        !kelvin_data_copy_text(&data->label_name, l->arena))
        return KELVIN_ENOMEM;
    if (!data->class_names) data->class_names = number_names(l->arena, data->classes);
    return data->class_names ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- weights ---- */

static double weight(const struct given *g, size_t i)
{
    return g->weights ? g->weights[i] : 1.0;
}

/* How often all rows are there. */
static kelvin_status count_rows(size_t *n, bool *fractions, const struct given *g)
{
    double all = 0;
    for (size_t i = 0; i < g->rows; i++) {
        const double w = weight(g, i);
        if (!(w >= 0) || !isfinite(w))
            return kelvin_fail(KELVIN_EUSAGE, "%s: weights: row %zu (from 1): %g; expected a finite number from 0 on",
                               g->name, i + 1, w);
        all += ceil(w);
        *fractions |= w != floor(w);
    }
    if (all > UINT32_MAX) /* an order of them has indices of 32 bits */
        return kelvin_fail(KELVIN_EUSAGE, "%s: %.0f rows, as often as weights say; expected at most %u", g->name, all,
                           UINT32_MAX);
    *n = (size_t)all;
    return KELVIN_OK;
}

/* ---- rows ---- */

static void put_row(struct data_loader *l, size_t to, const struct given *g, size_t from)
{
    const size_t inputs = l->data->inputs;
    if (l->bytes) memcpy(l->bytes + to * inputs, g->bytes + from * inputs, inputs);
    for (size_t j = 0; l->values && j < inputs; j++) l->values[to * inputs + j] = number(g, from * inputs + j);
    l->y[to] = g->labels[from];
}

/* From row `to` on; returns the row after the last. */
static size_t put_rows(struct data_loader *l, size_t to, const struct given *g)
{
    for (size_t i = 0; i < g->rows; i++) {
        const double w = weight(g, i), times = ceil(w);
        for (const size_t end = to + (size_t)times; to < end; to++) {
            put_row(l, to, g, i);
            if (l->weight) l->weight[to] = (float)(w / times);
        }
    }
    return to;
}

static kelvin_status check_two_classes(const struct data_loader *l, const char *name)
{
    if (l->n_train == 0) return kelvin_fail(KELVIN_EUSAGE, "%s: all weights are 0; expected rows that count", name);
    for (size_t i = 1; i < l->n_train; i++)
        if (l->y[i] != l->y[0]) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s: all labels are %d; expected at least 2 different ones", name, (int)l->y[0]);
}

static kelvin_status take_rows(struct data_loader *l, const struct given *train, const struct given *test)
{
    size_t n_train, n_test;
    bool fractions = false;
    KELVIN_TRY(count_rows(&n_train, &fractions, train));
    KELVIN_TRY(count_rows(&n_test, &fractions, test));
    KELVIN_TRY(kelvin_data_alloc_rows(l, n_train + n_test));
    if (fractions && !(l->weight = kelvin_alloc(l->n, sizeof *l->weight))) return KELVIN_ENOMEM;
    l->n_train = put_rows(l, 0, train);
    put_rows(l, l->n_train, test);
    return check_two_classes(l, train->name);
}

static kelvin_status open(struct data_loader *l)
{
    const kelvin_arrays *a = l->arrays;
    kelvin_data *data = l->data;
    const bool images = a->bytes || a->channels || a->test_bytes;
    const struct given train = {data->name, "", a->rows, a->x, a->doubles, a->bytes, a->labels, a->weights};
    const struct given test = {data->name,      "test_",       a->test_rows,   a->test_x,
                               a->test_doubles, a->test_bytes, a->test_labels, NULL};
    if (a->rows == 0) return kelvin_fail(KELVIN_EUSAGE, "%s: no rows; expected at least 2", data->name);
    KELVIN_TRY(check_fields(&train, images));
    if (test.rows > 0) KELVIN_TRY(check_fields(&test, images));
    KELVIN_TRY(check_test(a, data->name));
    KELVIN_TRY(check_shape(&data->inputs, a, data->name, images));
    if (images) data->channels = a->channels, data->height = a->height, data->width = a->width;
    KELVIN_TRY(count_classes(&data->classes, a, &train));
    KELVIN_TRY(check_labels(&train, data->classes));
    KELVIN_TRY(check_labels(&test, data->classes));
    KELVIN_TRY(check_numbers(&train, data->inputs));
    KELVIN_TRY(check_numbers(&test, data->inputs));
    KELVIN_TRY(take_names(l));
    return take_rows(l, &train, &test);
}

const struct data_type kelvin_data_arrays = {.member = KELVIN_PLAIN_MEMBER("arrays", "arrays in memory"), .open = open};
