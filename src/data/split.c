/* The test part: a share of each class, drawn by seed; both parts keep their order. */
#include "base/random.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

/* How many of a class's n members are for testing: at least one, and at least one is left. */
static size_t share_of(size_t n, double share)
{
    const double rounded = floor(share * (double)n + 0.5);
    return rounded < 1 ? 1 : rounded > (double)(n - 1) ? n - 1 : (size_t)rounded;
}

/* The rows in the order of their classes, those of class c from start[c] to start[c + 1]. */
static void by_class(uint32_t *members, size_t *start, const struct data_loader *l)
{
    const size_t classes = l->data->classes;
    for (size_t i = 0; i < l->n; i++) start[l->y[i]]++;
    for (size_t c = 0; c < classes; c++) start[c + 1] += start[c]; /* where each class ends, so far */
    for (size_t i = l->n; i-- > 0;) members[--start[l->y[i]]] = (uint32_t)i;
}

/* Marks the test members of one class; `order` has room for an order of them. */
static kelvin_status mark_class(bool *test, const struct data_loader *l, size_t class, const uint32_t *members,
                                size_t n, uint32_t *order)
{
    if (n == 0) return KELVIN_OK;
    if (n == 1)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: class '%s' has one member (row %u), which cannot be split into training and test; "
                           "expected at least 2, or a test part of its own, or %s%s",
                           l->spec->files[0], l->data->class_names[class], members[0] + 1,
                           l->arrays ? "a split below 0: none" : "split=0",
                           l->spec->type == &kelvin_data_csv && !kelvin_data_spec_value(l->spec, "label")
                               ? " (label=COLUMN names another column of labels)"
                               : "");
    kelvin_permutation(order, (uint32_t)n, (kelvin_random){l->spec->seed, (uint32_t) class, 0, KELVIN_STREAM_SPLIT});
    for (size_t i = 0; i < share_of(n, l->spec->split); i++) test[members[order[i]]] = true;
    return KELVIN_OK;
}

kelvin_status kelvin_data_mark_test(bool *test, const struct data_loader *l)
{
    const size_t classes = l->data->classes;
    uint32_t *members = kelvin_alloc(2 * l->n, sizeof *members);
    size_t *start = kelvin_alloc(classes + 1, sizeof *start);
    kelvin_status status = members && start ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) by_class(members, start, l);
    for (size_t c = 0; !status && c < classes; c++)
        status = mark_class(test, l, c, members + start[c], start[c + 1] - start[c], members + l->n);
    kelvin_free(start);
    kelvin_free(members);
    return status;
}

/* Rows that are marked go behind the others; `aside` has room for all of them. */
static void partition(void *rows, size_t row_bytes, const bool *marked, size_t n, void *aside)
{
    char *at = rows, *kept = at, *taken = aside;
    for (size_t i = 0; i < n; i++, at += row_bytes) {
        char **to = marked[i] ? &taken : &kept;
        memmove(*to, at, row_bytes);
        *to += row_bytes;
    }
    memcpy(kept, aside, (size_t)(taken - (char *)aside));
}

kelvin_status kelvin_data_split(struct data_loader *l)
{
    const size_t row_bytes = l->data->inputs * (l->bytes ? sizeof *l->bytes : sizeof *l->values);
    bool *test = kelvin_alloc(l->n, sizeof *test);
    kelvin_status status = test ? kelvin_data_mark_test(test, l) : KELVIN_ENOMEM;
    size_t n_test = 0;
    for (size_t i = 0; !status && i < l->n; i++) n_test += test[i];
    void *aside = status ? NULL : kelvin_alloc(n_test, row_bytes > sizeof *l->y ? row_bytes : sizeof *l->y);
    if (aside) {
        partition(l->bytes ? (void *)l->bytes : (void *)l->values, row_bytes, test, l->n, aside);
        partition(l->y, sizeof *l->y, test, l->n, aside);
        if (l->weight) partition(l->weight, sizeof *l->weight, test, l->n, aside);
        l->n_train = l->n - n_test;
    } else if (!status) {
        status = KELVIN_ENOMEM;
    }
    kelvin_free(aside);
    kelvin_free(test);
    return status;
}
