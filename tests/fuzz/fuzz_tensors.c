/* Files of named arrays. */
#include "files/formats.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_folder.h"

#include <math.h>
#include <stdlib.h>

/* An array that is there can be read, all of it. */
static void check(const struct kelvin_tensors *file, size_t size)
{
    struct kelvin_array array = {.name = "w", .dtype = KELVIN_F32, .ndim = 2};
    if (kelvin_tensors_shape(&array, file)) return;
    if (array.shape[0] != 0 && array.shape[1] > size / sizeof(float) / array.shape[0]) abort();
    array.data = kelvin_alloc(array.shape[0] * array.shape[1], sizeof(float));
    if (!array.data) abort();
    if (kelvin_tensors_read(file, &array, 1) && !*kelvin_error()) abort(); /* there may be others */
    kelvin_free(array.data);
}

/* As other programs write them: without checksums, of any dtype. What is expected is finite when it has been read. */
static void check_any(const struct kelvin_tensors *file)
{
    struct kelvin_array array = {.name = "w", .ndim = 2};
    for (array.dtype = KELVIN_F32; kelvin_tensors_shape(&array, file); array.dtype++)
        if (array.dtype == KELVIN_BOOL) return;
    const size_t n = array.shape[0] * array.shape[1];
    float *floats = kelvin_alloc(n, sizeof *floats);
    if (!floats) abort();
    array.data = floats;
    if (kelvin_tensors_expect(file, &array, 1) && !*kelvin_error()) abort();
    if (kelvin_tensors_floats(file, &array, 1) == KELVIN_OK)
        for (size_t i = 0; i < n; i++)
            if (!isfinite(floats[i])) abort();
    kelvin_free(floats);
}

static void run_any(void)
{
    struct kelvin_tensors *file;
    const kelvin_status status = kelvin_tensors_open_any(&file, fuzz_path);
    if (status && (status != KELVIN_EFORMAT || !*kelvin_error() || file)) abort();
    if (!status) check_any(file);
    kelvin_tensors_close(file);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct kelvin_tensors *file;
    const char *text;
    fuzz_put("fuzz.safetensors", bytes, size);
    run_any();
    const kelvin_status status = kelvin_tensors_open(&file, fuzz_path);
    if (status && (status != KELVIN_EFORMAT || !*kelvin_error() || file)) abort();
    if (status) return;
    if (kelvin_tensors_note(&text, file, "crc32")) abort();
    check(file, size);
    kelvin_tensors_close(file);
}

/* The file, the data of one array as floats, and the header as jansson has it: an empty object of two bytes has eight
 * places of 16 bytes each for its members. */
const struct fuzz_target fuzz_target = {run, 1 << 14, 256};
