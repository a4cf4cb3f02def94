/* Array files: where the numbers are, and what they are in C. */
#include "files/npy.h"

#include <math.h>
#include <string.h>

/* ---- what the file says, against what it has ---- */

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { LENGTH_AT = 8 }; /* after magic and version */

static void set_strides(struct npy *a)
{
    size_t step = 1;
    for (size_t i = 0; i < a->axes; i++) {
        const size_t axis = a->fortran ? i : a->axes - 1 - i;
        a->stride[axis] = step;
        step *= a->shape[axis];
    }
}

/* Sets count and strides from shape and type; `bytes` are left for the data. */
static kelvin_status check_size(struct npy *a, size_t bytes, const char *path)
{
    if (a->axes == 0) return kelvin_fail(KELVIN_EFORMAT, "%s: holds a single number; expected an array", path);
    size_t size = a->item;
    for (size_t i = 0; i < a->axes; i++)
        if (a->shape[i] == 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s: nothing is in it; expected numbers", path,
                               kelvin_npy_shape_text(a).text);
    for (size_t i = 0; i < a->axes; i++)
        if (__builtin_mul_overflow(size, a->shape[i], &size))
            return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s: more than can be addressed; expected %zu bytes", path,
                               kelvin_npy_shape_text(a).text, bytes);
    if (size != bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu bytes of data, expected %zu for the shape %s of %c%zu", path,
                           bytes, size, kelvin_npy_shape_text(a).text, a->kind, a->item);
    a->count = size / a->item;
    set_strides(a);
    return KELVIN_OK;
}

kelvin_status kelvin_npy_parse_head(struct npy *array, size_t *data_at, const void *head, size_t bytes,
                                    size_t file_bytes, const char *path)
{
    const unsigned char *at = head;
    *array = (struct npy){0};
    if (bytes >= 2 && memcmp(at, "PK", 2) == 0)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: is an .npz archive; expected an NPY file (np.save writes one of each of its arrays)",
                           path);
    if (bytes > 0 && at[0] == 0x80)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is a pickle; expected an NPY file, as np.save writes", path);
    if (bytes < LENGTH_AT || memcmp(at, magic, sizeof magic) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not an NPY file; expected one that numpy.save has written", path);
    array->version = at[6];
    if (at[6] < 1 || at[6] > 3 || at[7] != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is an NPY file of version %d.%d; expected version 1.0, 2.0 or 3.0",
                           path, at[6], at[7]);
    const size_t width = at[6] == 1 ? 2 : 4, start = LENGTH_AT + width;
    size_t length = 0;
    for (size_t i = 0; i < width && start <= bytes; i++) length |= (size_t)at[LENGTH_AT + i] << 8 * i;
    if (start > bytes || length > file_bytes - start)
        return kelvin_fail(KELVIN_EFORMAT, "%s: ends within its header: %zu bytes, expected %zu", path, file_bytes,
                           start + length);
    if (length > bytes - start)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has a header of %zu bytes, expected at most %zu", path, start + length,
                           bytes);
    KELVIN_TRY(kelvin_npy_read_header(array, (const char *)at + start, length, start, path));
    *data_at = start + length;
    return check_size(array, file_bytes - *data_at, path);
}

kelvin_status kelvin_npy_parse(struct npy *array, const void *file, size_t bytes, const char *path)
{
    size_t data_at = 0;
    KELVIN_TRY(kelvin_npy_parse_head(array, &data_at, file, bytes, bytes, path));
    array->data = (const unsigned char *)file + data_at;
    return KELVIN_OK;
}

/* ---- numbers ---- */

static uint64_t load(const unsigned char *at, size_t item, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < item; i++) bits |= (uint64_t)at[i] << 8 * (big_endian ? item - 1 - i : i);
    return bits;
}

/* A sign, 5 bits of exponent, 10 bits of fraction. */
static double from_half(uint64_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

static double from_float(uint64_t bits, size_t item)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return item == 2 ? from_half(bits) : item == 4 ? (double)single : value;
}

static double number(const struct npy *a, size_t at)
{
    const uint64_t bits = load(a->data + at * a->item, a->item, a->big_endian);
    const uint64_t sign = (uint64_t)1 << (8 * a->item - 1);
    if (a->kind == 'f') return from_float(bits, a->item);
    if (a->kind == 'b') return bits != 0;
    return a->kind == 'i' && (bits & sign) ? -(double)(2 * sign - bits) : (double)bits;
}

/* ---- all of them, in C order ---- */

void kelvin_npy_move_axis(struct npy *a, size_t from, size_t to)
{
    const size_t shape = a->shape[from], stride = a->stride[from];
    for (; from > to; from--) a->shape[from] = a->shape[from - 1], a->stride[from] = a->stride[from - 1];
    for (; from < to; from++) a->shape[from] = a->shape[from + 1], a->stride[from] = a->stride[from + 1];
    a->shape[to] = shape;
    a->stride[to] = stride;
}

struct npy kelvin_npy_row(const struct npy *a, size_t row)
{
    struct npy one = *a;
    one.data += row * a->stride[0] * a->item;
    one.count /= a->shape[0];
    one.shape[0] = 1;
    return one;
}

/* The next place along all axes but the last; `at` counts in numbers. */
static size_t next_run(size_t place[NPY_AXES], size_t at, const struct npy *a)
{
    for (size_t i = a->axes - 1; i-- > 0;) {
        at += a->stride[i];
        if (++place[i] < a->shape[i]) break;
        at -= a->shape[i] * a->stride[i];
        place[i] = 0;
    }
    return at;
}

void kelvin_npy_bytes(uint8_t *out, const struct npy *a)
{
    size_t place[NPY_AXES] = {0};
    const size_t run = a->shape[a->axes - 1], stride = a->stride[a->axes - 1];
    for (size_t done = 0, at = 0; done < a->count; done += run, at = next_run(place, at, a))
        for (size_t i = 0; i < run; i++) out[done + i] = a->data[at + i * stride];
}

void kelvin_npy_doubles(double *out, const struct npy *a)
{
    size_t place[NPY_AXES] = {0};
    const size_t run = a->shape[a->axes - 1], stride = a->stride[a->axes - 1];
    for (size_t done = 0, at = 0; done < a->count; done += run, at = next_run(place, at, a))
        for (size_t i = 0; i < run; i++) out[done + i] = number(a, at + i * stride);
}
