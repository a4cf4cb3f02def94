/* safetensors that any program may have written, such as PyTorch's state dicts: arrays by their names, whatever floats
 * they are. F32 is the nearest to what the file has, ties to even. */
#include "base/suggest.h"
#include "files/tensors.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_float(enum kelvin_dtype dtype)
{
    return dtype == KELVIN_F32 || dtype == KELVIN_F64 || dtype == KELVIN_F16 || dtype == KELVIN_BF16;
}

/* ---- names and shapes ---- */

/* By its name. */
static bool is_among(const char *name, const struct kelvin_array *arrays, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(arrays[i].name, name) != 0) i++;
    return i < n;
}

/* Names of what the file lacks; NULL after the last. */
static bool missing_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const char *const *missing = context;
    if (missing[i]) snprintf(name, KELVIN_NAME_SIZE, "%s", missing[i]);
    return missing[i] != NULL;
}

/* It may be one of those that are missing, by another name. */
static kelvin_status unwanted(const struct kelvin_tensors *file, const char *name, const struct kelvin_array *arrays,
                              size_t n)
{
    char suggestion[KELVIN_SUGGESTION] = "";
    const char **missing = kelvin_alloc(n + 1, sizeof *missing);
    size_t lacks = 0;
    if (!missing) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (!is_among(arrays[i].name, file->arrays, file->n)) missing[lacks++] = arrays[i].name;
    if (lacks > 0) kelvin_suggest(suggestion, name, missing_at, missing);
    kelvin_free(missing);
    return kelvin_fail(KELVIN_EFORMAT,
                       lacks > 0 ? "%s: tensor \"%s\" is not known; %s" : "%s: tensor \"%s\" is one too many",
                       file->path, name, suggestion);
}

static kelvin_status expect_shape(const struct kelvin_tensors *file, const struct kelvin_array *wanted)
{
    char is[TENSORS_SHOWN], should[TENSORS_SHOWN];
    struct kelvin_array expected = *wanted;
    const struct kelvin_array *found;
    size_t at;
    KELVIN_TRY(kelvin_tensors_find(&found, &at, file, wanted));
    if (found->ndim == wanted->ndim && memcmp(found->shape, wanted->shape, wanted->ndim * sizeof *wanted->shape) == 0)
        return KELVIN_OK;
    kelvin_tensors_describe(is, found);
    if (is_float(found->dtype)) expected.dtype = found->dtype;
    kelvin_tensors_describe(should, &expected);
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s", file->path, wanted->name, is, should);
}

kelvin_status kelvin_tensors_expect(const struct kelvin_tensors *file, const struct kelvin_array *arrays, size_t n)
{
    for (size_t i = 0; i < file->n; i++)
        if (!is_among(file->arrays[i].name, arrays, n)) return unwanted(file, file->arrays[i].name, arrays, n);
    for (size_t i = 0; i < n; i++) KELVIN_TRY(expect_shape(file, &arrays[i]));
    return KELVIN_OK;
}

/* ---- values ---- */

/* A sign, five bits of the exponent, ten digits: (1024 + digits) 2^(exponent - 25), or digits 2^-24 if that is 0. */
static double from_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    double size = exponent == 0 ? ldexp(digits, -24) : ldexp(1024 + digits, exponent - 25);
    if (exponent == 31) size = digits ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -size : size;
}

/* The upper half of a float. */
static double from_brain(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* They need not be aligned. */
static double value_at(const char *data, enum kelvin_dtype dtype)
{
    double precise;
    float single;
    uint16_t half;
    switch (dtype) {
    case KELVIN_F64:
        memcpy(&precise, data, sizeof precise);
        return precise;
    case KELVIN_F32:
        memcpy(&single, data, sizeof single);
        return (double)single;
    default:
        memcpy(&half, data, sizeof half);
        return dtype == KELVIN_F16 ? from_half(half) : from_brain(half);
    }
}

static kelvin_status convert(float *to, const char *path, const struct kelvin_array *array, const char *data)
{
    const size_t step = kelvin_dtypes[array->dtype].bytes;
    size_t bytes;
    if (!kelvin_array_bytes(&bytes, array)) return KELVIN_ENOMEM;
    for (size_t i = 0; i < bytes / step; i++) {
        const double value = value_at(data + i * step, array->dtype);
        if (!(fabs(value) <= (double)FLT_MAX))
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: tensor \"%s\": value %zu is %g, expected a finite number that F32 can hold", path,
                               array->name, i, value);
        to[i] = (float)value;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_floats(const struct kelvin_tensors *file, const struct kelvin_array *arrays, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char is[TENSORS_SHOWN];
        const struct kelvin_array *found;
        size_t at;
        KELVIN_TRY(kelvin_tensors_find(&found, &at, file, &arrays[i]));
        kelvin_tensors_describe(is, found);
        if (!is_float(found->dtype))
            return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected F32, F64, F16 or BF16", file->path,
                               found->name, is);
        KELVIN_TRY(convert(arrays[i].data, file->path, found, file->bytes + at));
    }
    return KELVIN_OK;
}
