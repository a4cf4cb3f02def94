/* What numbers are called in files, and how long they are. */
#include "files/formats.h"

const struct kelvin_dtype_form kelvin_dtypes[] = {
    [KELVIN_F32] = {"F32", "<f4", sizeof(float)},    [KELVIN_F64] = {"F64", "<f8", sizeof(double)},
    [KELVIN_F16] = {"F16", "<f2", sizeof(uint16_t)}, [KELVIN_BF16] = {"BF16", NULL, sizeof(uint16_t)},
    [KELVIN_I64] = {"I64", "<i8", sizeof(int64_t)},  [KELVIN_BOOL] = {"BOOL", "|b1", sizeof(char)},
    [KELVIN_TEXT] = {NULL, "<U", sizeof(uint32_t)},
};

bool kelvin_array_bytes(size_t *bytes, const struct kelvin_array *array)
{
    *bytes = kelvin_dtypes[array->dtype].bytes;
    bool none = false, overflow = false;
    for (size_t i = 0; i < array->ndim; i++) {
        none |= array->shape[i] == 0;
        overflow |= __builtin_mul_overflow(*bytes, array->shape[i], bytes);
    }
    if (none) *bytes = 0;
    return none || !overflow;
}
