/* Names that must be told apart: of columns and of classes. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

struct name {
    const char *text;
    size_t number;
};

/* By their texts; equal ones in their order. */
static int compare(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

kelvin_status kelvin_data_same_names(bool *found, size_t pair[2], const char *const *names, size_t n)
{
    *found = false;
    struct name *sorted = kelvin_alloc(n, sizeof *sorted);
    if (!sorted) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) sorted[i] = (struct name){names[i], i};
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 1; i < n; i++) {
        if (!*sorted[i].text || strcmp(sorted[i - 1].text, sorted[i].text) != 0) continue;
        if (*found && sorted[i].number > pair[1]) continue;
        *found = true;
        pair[0] = sorted[i - 1].number;
        pair[1] = sorted[i].number;
    }
    kelvin_free(sorted);
    return KELVIN_OK;
}
