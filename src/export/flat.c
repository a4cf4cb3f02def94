/* Arrays in a file, by place. Element (i, j, ...) of an array is at its first byte + (i stride + j stride' + ...)
 * bytes.
 */
#include "export/sheet.h"

kelvin_status kelvin_flat_open(struct flat *flat, const char *path, const struct export_sheet *sheet)
{
    flat->sheet = sheet;
    flat->writer.fd = -1;
    KELVIN_TRY(kelvin_arena_create(&flat->arena));
    flat->at = kelvin_arena_alloc(flat->arena, sheet->n, sizeof *flat->at);
    return flat->at ? kelvin_writer_open(&flat->writer, path) : KELVIN_ENOMEM;
}

kelvin_status kelvin_flat_put(void *data, size_t array, const size_t *start, const size_t *count, const void *values)
{
    struct flat *flat = data;
    const struct export_array *a = &flat->sheet->arrays[array];
    size_t first = 0, n = 1;
    for (size_t i = 0; i < a->ndim; i++) {
        first = first * a->axis[i]->n + start[i];
        n *= count[i];
    }
    const size_t bytes = kelvin_dtypes[a->type].bytes;
    return kelvin_writer_put_at(&flat->writer, values, n * bytes, flat->at[array] + first * bytes);
}

kelvin_status kelvin_flat_close(struct flat *flat, kelvin_status status)
{
    kelvin_arena_destroy(flat->arena);
    return flat->sheet ? kelvin_writer_close(&flat->writer, status) : status;
}
