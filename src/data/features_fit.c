/* What a column of the training part is: numbers, yes or no, categories; or nothing that a network should look at. One
 * pass over its texts counts what they are; what is no number is sorted then, to see how often each value is there. */
#include "data/features.h"

#include "base/texts.h"
#include "data/values.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    RISING_ROWS = 20,   /* numbers that rise through so many rows count them */
    DISTINCT_ROWS = 10, /* texts of so many rows that are all different name them */
    WORDS = 5,          /* texts of so many words, in the mean, are prose */
    FEW_NUMBERS = 20,   /* so many whole numbers may be categories, where some fields are text */
    MOST_VALUES = 64,   /* of a category get inputs; of more values only */
    FREQUENT = 10,      /* those that are in so many rows */
    MOST_KEPT = 10000,  /* values of a column that must be kept */
};

struct seen {
    size_t count[VALUE_TEXT + 1], first[VALUE_TEXT + 1]; /* of each kind: how many, the row of the first */
    size_t present, words;
    size_t other;       /* the first field that is neither a number nor missing, but not that of the first row */
    bool whole, rising; /* of its numbers */
    double least, most;
};

static size_t count_words(const char *text)
{
    size_t n = 0;
    for (bool inside = false; *text; text++) {
        n += *text != ' ' && !inside;
        inside = *text != ' ';
    }
    return n;
}

static struct seen look(const struct feature_texts *t)
{
    struct seen s = {.whole = true, .rising = true, .least = INFINITY, .most = -INFINITY, .other = SIZE_MAX};
    double before = -INFINITY;
    for (size_t i = 0; i < t->n; i++) {
        double value;
        const enum value_kind kind = kelvin_value_look(&value, t->text[i]);
        if (s.count[kind]++ == 0) s.first[kind] = i;
        s.present += kind != VALUE_MISSING;
        if (kind == VALUE_NUMBER || kind == VALUE_YES_NO) {
            s.whole &= value == floor(value);
            s.rising &= value > before;
            s.least = fmin(s.least, value);
            s.most = fmax(s.most, value);
            before = value;
        }
        if (kind != VALUE_NUMBER && kind != VALUE_MISSING) {
            s.words += count_words(t->text[i]);
            if (i > 0 && s.other == SIZE_MAX) s.other = i;
        }
    }
    return s;
}

/* ---- values ---- */

struct value {
    const char *text;
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct value *)a)->text, ((const struct value *)b)->text);
}

/* The most frequent first; those that are as frequent by their texts. */
static int by_count(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

/* Room for a table of so many values, half of which are used at most: a power of two. */
static size_t table_size(size_t n)
{
    size_t size = 2;
    while (size < 2 * n) size *= 2;
    return size;
}

/* The different texts that are not missing, sorted, at the start of `value`, which has table_size(t->n) zeroed
 * elements; returns how many. */
static size_t collect(struct value *value, const struct feature_texts *t)
{
    const size_t size = table_size(t->n);
    size_t n = 0;
    double number;
    for (size_t i = 0; i < t->n; i++) {
        if (kelvin_value_look(&number, t->text[i]) == VALUE_MISSING) continue;
        size_t at = hash(t->text[i]) & (size - 1);
        while (value[at].text && strcmp(value[at].text, t->text[i]) != 0) at = (at + 1) & (size - 1);
        value[at].text = t->text[i];
        value[at].count++;
    }
    for (size_t i = 0; i < size; i++)
        if (value[i].text) value[n++] = value[i];
    qsort(value, n, sizeof *value, by_text);
    return n;
}

static kelvin_status take_values(kelvin_feature *f, const struct value *value, size_t n, kelvin_arena *arena)
{
    const char **values = kelvin_arena_alloc(arena, n, sizeof *values);
    for (size_t i = 0; values && i < n; i++) values[i] = value[i].text;
    f->kind = KELVIN_FEATURE_CATEGORY;
    f->values = values;
    f->n_values = n;
    return values && kelvin_data_copy_texts(&f->values, arena, n) ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Of more values than there should be inputs, the frequent ones. */
static size_t keep_frequent(kelvin_feature *f, struct value *value, size_t n, size_t rows)
{
    size_t kept = 0, rare = 0;
    qsort(value, n, sizeof *value, by_count);
    while (kept < n && kept < MOST_VALUES && value[kept].count >= FREQUENT) kept++;
    for (size_t i = kept; i < n; i++) rare += value[i].count;
    f->rare = (double)rare / (double)rows;
    qsort(value, kept, sizeof *value, by_text);
    return kept;
}

/* ---- what should be no input ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* id, user_id, PassengerId, customerID. */
static bool is_id_name(const char *name)
{
    static const char *const whole[] = {"id", "index", "idx", "uuid", "guid", "rowid", "rownum"};
    static const char *const ends[] = {"_id", "_ID", "_Id", " id", " ID", " Id", "-id", ".id"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcasecmp(name, whole[i]) == 0) return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i])) return true;
    return (ends_with(name, "Id") || ends_with(name, "ID")) && islower((unsigned char)name[n - 3]);
}

static bool is_unnamed(const char *name)
{
    return !*name || strncmp(name, "Unnamed:", 8) == 0;
}

/* What does not vary but for rounding: some thousand units in the last place. */
static bool is_constant(const struct seen *s)
{
    return s->most - s->least <= 1e-13 * fmax(fabs(s->least), fabs(s->most));
}

/* Whether all rows of whole numbers are different: of those that rise it is seen, of others it must be looked at, which
 * is done only where their name asks for it. */
static bool count_rows(const kelvin_feature *f, const struct seen *s, const struct feature_texts *t,
                       struct value *value)
{
    if (!s->whole || t->n < 2) return false;
    if (s->rising) return true;
    return f->name && (is_unnamed(f->name) || is_id_name(f->name)) && collect(value, t) == t->n;
}

/* Why numbers, or yes and no, should be left out; NULL if they should not. */
static const char *why_no_number(const kelvin_feature *f, const struct seen *s, const struct feature_texts *t,
                                 struct value *value)
{
    if (s->count[VALUE_MISSING] > 0) return NULL;
    if (is_constant(s)) return "the same in all rows";
    if (f->kind != KELVIN_FEATURE_NUMBER || !count_rows(f, s, t, value)) return NULL;
    if (f->name && is_unnamed(f->name)) return "an index without a name";
    if (f->name && is_id_name(f->name)) return "different in every row, as its name says";
    return s->rising && t->n >= RISING_ROWS ? "whole numbers that rise from row to row, as an index" : NULL;
}

static const char *why_no_category(const kelvin_feature *f, size_t different, size_t frequent, size_t rows, size_t n)
{
    if (different == 1 && rows == n) return "the same in all rows";
    if (different == rows && (rows >= DISTINCT_ROWS || (rows > 1 && f->name && is_id_name(f->name))))
        return "different in every row";
    return frequent == 0 ? "so many values that none is frequent" : NULL;
}

/* ---- kinds ---- */

static kelvin_status leave_out(kelvin_feature *f, const char *why)
{
    f->kind = KELVIN_FEATURE_LEFT_OUT;
    f->why = why;
    f->rare = 0;
    f->n_values = 0;
    f->values = NULL;
    return KELVIN_OK;
}

static kelvin_status fit_category(kelvin_feature *f, enum feature_refusal *refusal, const struct feature_texts *t,
                                  const struct seen *s, struct value *value, size_t n, kelvin_arena *arena)
{
    const size_t all = n;
    if (s->words >= WORDS * s->present && 2 * n > s->present) return *refusal = FEATURE_IS_PROSE, KELVIN_OK;
    if (t->keep && n > MOST_KEPT) return *refusal = FEATURE_TOO_MANY, KELVIN_OK;
    if (n > MOST_VALUES && !t->keep) n = keep_frequent(f, value, n, t->n);
    const char *why = why_no_category(f, all, n, s->present, t->n);
    return why && !t->keep ? leave_out(f, why) : take_values(f, value, n, arena);
}

/* Whether the column is one of numbers, among which there is something else: *row. */
static bool has_no_number(size_t *row, const struct seen *s, size_t different)
{
    const size_t numbers = s->count[VALUE_NUMBER], odd = s->count[VALUE_ODD], infinite = s->count[VALUE_NOT_FINITE];
    const size_t others = s->present - numbers;
    if (infinite > 0 && 2 * (numbers + infinite) > s->present) return *row = s->first[VALUE_NOT_FINITE], true;
    if (odd > 0 && 2 * (numbers + odd) > s->present) return *row = s->first[VALUE_ODD], true;
    if (numbers == 0) return false;
    if (others == 1 && s->other == SIZE_MAX) return *row = 0, true; /* the first alone: a name? */
    if (2 * numbers <= s->present || (s->whole && different <= FEW_NUMBERS && different < s->present)) return false;
    for (size_t kind = VALUE_YES_NO; kind <= VALUE_TEXT; kind++)
        if (s->count[kind] > 0) *row = s->first[kind];
    return true;
}

static kelvin_status fit(kelvin_feature *f, enum feature_refusal *refusal, size_t *row, const struct feature_texts *t,
                         struct value *value, kelvin_arena *arena)
{
    const struct seen s = look(t);
    const bool numbers = s.count[VALUE_NUMBER] == s.present, answers = s.count[VALUE_YES_NO] == s.present;
    f->missing = t->n > 0 ? (double)s.count[VALUE_MISSING] / (double)t->n : 0;
    if (s.present == 0) return leave_out(f, "no values");
    f->kind = answers ? KELVIN_FEATURE_YES_NO : KELVIN_FEATURE_NUMBER;
    if (numbers || answers) {
        const char *why = why_no_number(f, &s, t, value);
        return why && !t->keep ? leave_out(f, why) : KELVIN_OK;
    }
    const size_t different = collect(value, t);
    *row = s.first[VALUE_DATE];
    if (2 * s.count[VALUE_DATE] > s.present) return *refusal = FEATURE_IS_DATE, KELVIN_OK;
    if (has_no_number(row, &s, different)) return *refusal = FEATURE_NO_NUMBER, KELVIN_OK;
    *row = s.first[VALUE_TEXT];
    return fit_category(f, refusal, t, &s, value, different, arena);
}

kelvin_status kelvin_feature_fit(kelvin_feature *f, enum feature_refusal *refusal, size_t *row,
                                 const struct feature_texts *t, kelvin_arena *arena)
{
    struct value *value = kelvin_alloc(table_size(t->n), sizeof *value);
    *refusal = FEATURE_FITS;
    *row = 0;
    kelvin_status status = value ? fit(f, refusal, row, t, value, arena) : KELVIN_ENOMEM;
    kelvin_free(value);
    if (status || *refusal || f->kind == KELVIN_FEATURE_LEFT_OUT) return status;
    f->indicated = f->missing > 0;
    f->inputs = (f->kind == KELVIN_FEATURE_CATEGORY ? f->n_values : 1) + f->indicated;
    return KELVIN_OK;
}
