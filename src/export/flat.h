/* What formats without groups share: the place of every array is known before the first number comes, so that parts are
 * written where they belong, and checksums are taken from the file at the end. */
#ifndef EXPORT_FLAT_H
#define EXPORT_FLAT_H

#include "files/files.h"
#include "export/sheet.h"

struct flat {
    struct kelvin_writer writer;
    const struct export_sheet *sheet;
    kelvin_arena *arena; /* as long as the file is open */
    uint64_t *at;        /* (sheet->n): the first byte of each array */
};

struct flat_type {
    size_t bytes;
    enum kelvin_npy_type npy;
    enum kelvin_dtype dtype; /* there is none for text */
};
extern const struct flat_type flat_types[];

KELVIN_MUST_CHECK kelvin_status flat_open(struct flat *flat, const char *path, const struct export_sheet *sheet);
KELVIN_MUST_CHECK kelvin_status flat_put(void *flat, size_t array, const size_t *start, const size_t *count,
                                         const void *data);
/* Of bytes that have been written. */
KELVIN_MUST_CHECK kelvin_status flat_crc32(uint32_t *crc32, const struct flat *flat, uint64_t from, uint64_t bytes);
KELVIN_MUST_CHECK kelvin_status flat_close(struct flat *flat, kelvin_status status);

#endif
