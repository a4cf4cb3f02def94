/* What formats without groups share: the place of every array is known before the first number comes, so that parts are
 * written where they belong, and checksums are taken from the file at the end. */
#ifndef EXPORT_FLAT_H
#define EXPORT_FLAT_H

#include "files/files.h"
#include "export/sheet.h"

struct flat {
    struct kelvin_writer writer;
    const struct export_sheet *sheet;
    uint64_t *at; /* (sheet->n): the first byte of each array */
};

KELVIN_MUST_CHECK kelvin_status flat_open(struct flat *flat, const char *path, const struct export_sheet *sheet);
KELVIN_MUST_CHECK kelvin_status flat_put(void *flat, size_t array, const size_t *start, const size_t *count,
                                         const void *data);
KELVIN_MUST_CHECK kelvin_status flat_close(struct flat *flat, kelvin_status status);

#endif
