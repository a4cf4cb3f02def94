/* Images in arrays: where their channels are, and which bytes their numbers stand for. An image at a time, so that
 * floats need no memory for all of them as doubles. */
#include "data/npy_data.h"

#include <math.h>
#include <stdio.h>

/* ---- axes ---- */

static bool is_channels(size_t size)
{
    return size == 1 || size == 3;
}

kelvin_status npy_arrange_images(struct npy *x, const char *path)
{
    if (x->axes == 3) {
        x->shape[x->axes] = x->stride[x->axes] = 1;
        x->axes++;
    }
    if (x->axes == 4 && is_channels(x->shape[3])) npy_move_axis(x, 3, 1);
    if (x->axes == 4 && is_channels(x->shape[1])) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT,
        "%s: shape is %s; expected images (n, height, width), or with 1 or 3 channels (n, height, width, "
        "channels) or (n, channels, height, width), or a table of 2 axes, as by x.reshape(len(x), -1)",
        path, npy_shape_text(x).text);
}

/* ---- numbers ---- */

static bool is_share(double value)
{
    return value >= 0 && value <= 1;
}

static bool is_byte(double value)
{
    return value >= 0 && value <= 255 && value == floor(value);
}

static const struct npy_range shares = {is_share, 255, "0 to 1"}, bytes = {is_byte, 1, "whole numbers 0 to 255"};

/* The first number that is not in the range, if there is one. */
static struct npy_fault find_fault(const struct npy *x, const struct npy_range *range, double *aside)
{
    const size_t size = x->count / x->shape[0];
    if (range == &bytes && x->kind == 'u' && x->item == 1) return (struct npy_fault){0};
    for (size_t i = 0; i < x->shape[0]; i++) {
        const struct npy row = npy_row(x, i);
        npy_doubles(aside, &row);
        for (size_t j = 0; j < size; j++)
            if (!range->holds(aside[j])) return (struct npy_fault){true, i, j, aside[j]};
    }
    return (struct npy_fault){0};
}

void npy_look(struct npy_faults *faults, const struct npy *x, size_t before, double *aside)
{
    struct npy_fault *const found[] = {&faults->no_share, &faults->no_byte};
    const struct npy_range *const ranges[] = {&shares, &bytes};
    const bool asked[] = {x->kind == 'f', x->kind != 'b'};
    for (size_t i = 0; i < 2; i++) {
        if (!asked[i] || found[i]->found) continue;
        *found[i] = find_fault(x, ranges[i], aside);
        found[i]->row += before;
    }
}

/* `before`: what is said of another number, or "". The index is NumPy's, in the axes of the file. */
static kelvin_status fail_at(const struct npy *x, const struct npy_fault *fault, const char *path, const char *before,
                             const char *expected)
{
    struct npy place = *x; /* with the index for a shape */
    size_t rest = fault->column;
    for (size_t i = x->axes; i-- > 1; rest /= x->shape[i]) place.shape[i] = rest % x->shape[i];
    place.shape[0] = fault->row;
    return kelvin_fail(KELVIN_EFORMAT, "%s: row %zu (from 1), index %s (from 0): %g%s; expected %s", path,
                       fault->row + 1, npy_shape_text(&place).text, fault->value, before, expected);
}

/* The number from which on floats are in neither range. */
static kelvin_status fail_both(const struct npy *x, const struct npy_fault *no_share, const struct npy_fault *no_byte,
                               const char *path)
{
    const size_t size = x->count / x->shape[0];
    const size_t a = no_share->row * size + no_share->column, b = no_byte->row * size + no_byte->column;
    const struct npy_fault *found = a > b ? no_share : no_byte;
    char before[40] = "";
    if (is_share(found->value) || is_byte(found->value)) /* nothing is wrong with it but for another one */
        snprintf(before, sizeof before, " after %g", a > b ? no_byte->value : no_share->value);
    return fail_at(x, found, path, before,
                   "images of numbers 0 to 1, or of whole numbers 0 to 255 (images that were normalised must be "
                   "un-normalised; a table has 2 axes, as by x.reshape(len(x), -1))");
}

kelvin_status npy_find_range(const struct npy_range **range, const struct npy_faults *faults, const struct npy *x,
                             const char *path)
{
    *range = x->kind == 'b' || (x->kind == 'f' && !faults->no_share.found) ? &shares : &bytes;
    if (*range == &shares || !faults->no_byte.found) return KELVIN_OK;
    if (x->kind == 'f') return fail_both(x, &faults->no_share, &faults->no_byte, path);
    return fail_at(x, &faults->no_byte, path, "",
                   "images of whole numbers 0 to 255 (a table has 2 axes, as by x.reshape(len(x), -1))");
}

kelvin_status npy_check_range(const struct npy_range *range, const struct npy *x, double *aside, const char *path)
{
    const struct npy_fault fault = find_fault(x, range, aside);
    char expected[64];
    if (!fault.found) return KELVIN_OK;
    snprintf(expected, sizeof expected, "%s, as in the training part", range->text);
    return fail_at(x, &fault, path, "", expected);
}

double npy_largest(const struct npy *x, double before, double *aside)
{
    const size_t size = x->count / x->shape[0];
    for (size_t i = 0; i < x->shape[0]; i++) {
        const struct npy row = npy_row(x, i);
        npy_doubles(aside, &row);
        for (size_t j = 0; j < size; j++) before = fmax(before, aside[j]);
    }
    return before;
}

bool npy_may_be_like(const struct npy_range *range, const kelvin_data *like)
{
    return range == &bytes && like && like->channels > 0 && like->white < 255;
}

void npy_image_bytes(uint8_t *out, const struct npy *x, const struct npy_range *range, double *aside)
{
    const size_t size = x->count / x->shape[0];
    if (x->kind != 'b' && x->item == 1 && range == &bytes) {
        npy_bytes(out, x);
        return;
    }
    for (size_t i = 0; i < x->shape[0]; i++, out += size) {
        const struct npy row = npy_row(x, i);
        npy_doubles(aside, &row);
        for (size_t j = 0; j < size; j++) out[j] = (uint8_t)round(range->scale * aside[j]);
    }
}
