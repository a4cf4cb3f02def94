/* What was meant: the name of which the beginning was written, or the nearest one by Levenshtein's edit distance, the
 * cost of turning a[0..i) into b[0..j), row by row:
 *     d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j]). */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and replacements that turn a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    size_t d[KELVIN_NAME_SIZE]; /* b is a known name: it fits */
    if (columns >= KELVIN_NAME_SIZE) return rows + columns;
    for (size_t j = 0; j <= columns; j++) d[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = d[0];
        d[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = d[j];
            d[j] = smaller(replaced, smaller(d[j], d[j - 1]) + 1);
        }
    }
    return d[columns];
}

/* A name is near if at most a third of it, or two letters, would have to change. */
static bool nearest(char best[KELVIN_NAME_SIZE], const char *word, kelvin_name_at *at, const void *context)
{
    char name[KELVIN_NAME_SIZE];
    bool found = false;
    size_t best_distance = strlen(word) / 3;
    if (best_distance < 2) best_distance = 2;
    best_distance = smaller(best_distance, strlen(word) - (*word != '\0')) + 1;
    for (size_t i = 0; at(name, context, i); i++) {
        const size_t distance = edit_distance(word, name);
        if (distance >= best_distance) continue;
        best_distance = distance;
        snprintf(best, KELVIN_NAME_SIZE, "%s", name);
        found = true;
    }
    return found;
}

/* The one name that begins with what was written, if that is three letters or more. */
static bool begun(char whole[KELVIN_NAME_SIZE], const char *word, kelvin_name_at *at, const void *context)
{
    enum { LETTERS = 3 };
    char name[KELVIN_NAME_SIZE];
    size_t others = 0;
    *whole = '\0';
    for (size_t i = 0; at(name, context, i); i++) {
        if (strncmp(name, word, strlen(word)) != 0) continue;
        others += *whole && strcmp(whole, name) != 0; /* some tables have a name twice */
        snprintf(whole, KELVIN_NAME_SIZE, "%s", name);
    }
    return *whole && others == 0 && strlen(word + strspn(word, "-")) >= LETTERS;
}

/* Some tables have a name twice. */
static bool came_before(const char *name, kelvin_name_at *at, const void *context, size_t i)
{
    char other[KELVIN_NAME_SIZE];
    while (i-- > 0)
        if (at(other, context, i) && strcmp(name, other) == 0) return true;
    return false;
}

void kelvin_suggest(char out[KELVIN_SUGGESTION], const char *word, kelvin_name_at *at, const void *context)
{
    char name[KELVIN_NAME_SIZE];
    if (begun(name, word, at, context) || nearest(name, word, at, context)) {
        snprintf(out, KELVIN_SUGGESTION, "did you mean '%s'?", name);
        return;
    }
    size_t used = (size_t)snprintf(out, KELVIN_SUGGESTION, "expected one of: ");
    for (size_t i = 0; at(name, context, i) && used < KELVIN_SUGGESTION; i++)
        if (!came_before(name, at, context, i))
            used += (size_t)snprintf(out + used, KELVIN_SUGGESTION - used, "%s%s", i ? ", " : "", name);
}

kelvin_status kelvin_fail_unknown(const char *what, const char *word, kelvin_name_at *at, const void *context)
{
    char suggestion[KELVIN_SUGGESTION];
    kelvin_suggest(suggestion, word, at, context);
    return kelvin_fail(KELVIN_EUSAGE, "unknown %s '%s'; %s", what, word, suggestion);
}
