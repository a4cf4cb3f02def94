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

bool kelvin_npy_is_images(const struct npy *x)
{
    return x->axes > 2;
}

kelvin_status kelvin_npy_arrange(struct npy *x, const char *path)
{
    if (!kelvin_npy_is_images(x)) return KELVIN_OK;
    if (x->axes == 3) {
        x->shape[x->axes] = x->stride[x->axes] = 1;
        x->axes++;
    }
    if (x->axes == 4 && is_channels(x->shape[3])) kelvin_npy_move_axis(x, 3, 1);
    if (x->axes == 4 && is_channels(x->shape[1])) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT,
        "%s: shape is %s; expected images (n, height, width), or with 1 or 3 channels (n, height, width, "
        "channels) or (n, channels, height, width), or a table of 2 axes, as by x.reshape(len(x), -1)",
        path, kelvin_npy_shape_text(x).text);
}

void kelvin_npy_take_shape(kelvin_data *data, const struct npy *x)
{
    data->inputs = x->count / x->shape[0];
    if (!kelvin_npy_is_images(x)) return;
    data->channels = x->shape[1];
    data->height = x->shape[2];
    data->width = x->shape[3];
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

static const struct npy_range shares = {255, "0 to 1"}, bytes = {1, "whole numbers 0 to 255"};

/* Whether white may be less than 255. */
static bool has_own_white(const kelvin_data *like)
{
    return like && like->channels > 0 && like->white < 255;
}

bool kelvin_npy_must_look(const struct npy *x, const struct npy_range *range, const kelvin_data *like)
{
    const bool all_are_bytes = x->kind == 'b' || (x->kind == 'u' && x->item == 1);
    return !all_are_bytes || range == &shares || has_own_white(like);
}

void kelvin_npy_look(struct npy_seen *seen, const struct npy *x, size_t before, double *aside)
{
    const size_t size = x->count / x->shape[0];
    for (size_t i = 0; i < x->shape[0]; i++) {
        const struct npy row = kelvin_npy_row(x, i);
        kelvin_npy_doubles(aside, &row);
        for (size_t j = 0; j < size; j++) {
            const struct npy_fault here = {true, before + i, j, aside[j]};
            if (!seen->no_share.found && !is_share(here.value)) seen->no_share = here;
            if (!seen->no_byte.found && !is_byte(here.value)) seen->no_byte = here;
            if (here.value > seen->largest) seen->largest = here.value;
        }
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
                       fault->row + 1, kelvin_npy_shape_text(&place).text, fault->value, before, expected);
}

/* The number from which on floats are in neither range. */
static kelvin_status fail_both(const struct npy *x, const struct npy_seen *seen, const char *path)
{
    const struct npy_fault *share = &seen->no_share, *byte = &seen->no_byte;
    const size_t size = x->count / x->shape[0];
    const bool share_last = share->row * size + share->column > byte->row * size + byte->column;
    const struct npy_fault *found = share_last ? share : byte;
    char before[40] = "";
    if (is_share(found->value) || is_byte(found->value)) /* nothing is wrong with it but for another one */
        snprintf(before, sizeof before, " after %g", share_last ? byte->value : share->value);
    return fail_at(x, found, path, before,
                   "images of numbers 0 to 1, or of whole numbers 0 to 255 (images that were normalised must be "
                   "un-normalised; a table has 2 axes, as by x.reshape(len(x), -1))");
}

kelvin_status kelvin_npy_find_range(const struct npy_range **range, const struct npy_seen *seen, const struct npy *x,
                                    const char *path)
{
    *range = x->kind == 'b' || (x->kind == 'f' && !seen->no_share.found) ? &shares : &bytes;
    if (*range == &shares || !seen->no_byte.found) return KELVIN_OK;
    if (x->kind == 'f') return fail_both(x, seen, path);
    return fail_at(x, &seen->no_byte, path, "",
                   "images of whole numbers 0 to 255 (a table has 2 axes, as by x.reshape(len(x), -1))");
}

kelvin_status kelvin_npy_check_range(const struct npy_range *range, const struct npy_seen *seen, const struct npy *x,
                                     const char *path)
{
    const struct npy_fault *fault = range == &shares ? &seen->no_share : &seen->no_byte;
    char expected[64];
    if (!fault->found) return KELVIN_OK;
    snprintf(expected, sizeof expected, "%s, as in the training part", range->text);
    return fail_at(x, fault, path, "", expected);
}

bool kelvin_npy_is_like(const struct npy_range *range, double largest, const kelvin_data *like)
{
    return range == &bytes && has_own_white(like) && largest <= (double)like->white;
}

void kelvin_npy_image_bytes(uint8_t *out, const struct npy *x, const struct npy_range *range, double *aside)
{
    const size_t size = x->count / x->shape[0];
    if (x->kind != 'b' && x->item == 1 && range == &bytes) {
        kelvin_npy_bytes(out, x);
        return;
    }
    for (size_t i = 0; i < x->shape[0]; i++, out += size) {
        const struct npy row = kelvin_npy_row(x, i);
        kelvin_npy_doubles(aside, &row);
        for (size_t j = 0; j < size; j++) out[j] = (uint8_t)round(range->scale * aside[j]);
    }
}
