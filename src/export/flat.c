/* Arrays in a file, by place. Element (i, j, ...) of an array is at its first byte + (i stride + j stride' + ...)
 * bytes.
 */
#include "export/sheet.h"

enum { PIECE = 1 << 20 };

const struct flat_type flat_types[] = {
    [EXPORT_F32] = {sizeof(float), KELVIN_NPY_F32, KELVIN_F32},
    [EXPORT_F64] = {sizeof(double), KELVIN_NPY_F64, KELVIN_F64},
    [EXPORT_I64] = {sizeof(int64_t), KELVIN_NPY_I64, KELVIN_I64},
    [EXPORT_BOOL] = {sizeof(char), KELVIN_NPY_BOOL, KELVIN_BOOL},
    [EXPORT_TEXT] = {sizeof(uint32_t), KELVIN_NPY_TEXT, KELVIN_BOOL},
};

kelvin_status flat_open(struct flat *flat, const char *path, const struct export_sheet *sheet)
{
    flat->sheet = sheet;
    flat->writer.fd = -1;
    KELVIN_TRY(kelvin_arena_create(&flat->arena));
    flat->at = kelvin_arena_alloc(flat->arena, sheet->n, sizeof *flat->at);
    return flat->at ? kelvin_writer_open(&flat->writer, path) : KELVIN_ENOMEM;
}

kelvin_status flat_put(void *data, size_t array, const size_t *start, const size_t *count, const void *values)
{
    struct flat *flat = data;
    const struct export_array *a = &flat->sheet->arrays[array];
    size_t first = 0, n = 1;
    for (size_t i = 0; i < a->ndim; i++) {
        first = first * a->axis[i]->n + start[i];
        n *= count[i];
    }
    const size_t bytes = flat_types[a->type].bytes;
    return kelvin_writer_put_at(&flat->writer, values, n * bytes, flat->at[array] + first * bytes);
}

kelvin_status flat_crc32(uint32_t *crc32, const struct flat *flat, uint64_t from, uint64_t bytes)
{
    char *piece = kelvin_alloc(PIECE, 1);
    kelvin_status status = piece ? KELVIN_OK : KELVIN_ENOMEM;
    for (*crc32 = 0; bytes > 0 && !status;) {
        const size_t n = bytes < PIECE ? (size_t)bytes : PIECE;
        status = kelvin_file_read_part(piece, flat->writer.temporary, (size_t)from, n);
        if (!status) *crc32 = kelvin_crc32_more(*crc32, piece, n);
        from += n;
        bytes -= n;
    }
    kelvin_free(piece);
    return status;
}

kelvin_status flat_close(struct flat *flat, kelvin_status status)
{
    kelvin_arena_destroy(flat->arena);
    return flat->sheet ? kelvin_writer_close(&flat->writer, status) : status;
}
