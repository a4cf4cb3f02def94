/* Inside of the export room: what goes into a file, said once for all formats, what a format has to do with it, and
 * what formats share. */
#ifndef EXPORT_SHEET_H
#define EXPORT_SHEET_H

#include "base/family.h"
#include "files/files.h"
#include "files/formats.h"

enum { EXPORT_NAME = KELVIN_ARRAY_NAME };

struct export_axis {
    char name[EXPORT_NAME];
    size_t n;
    const int64_t *number;   /* (n), its coordinates; NULL: 0 .. n - 1, or these: */
    const char *const *text; /* (n) */
};

struct export_array {
    const char *group;      /* of netCDF; NULL: its coordinates and attributes say the same */
    char name[EXPORT_NAME]; /* in its group */
    char key[EXPORT_NAME];  /* where there are no groups */
    enum kelvin_dtype type;
    size_t ndim;
    const struct export_axis *axis[KELVIN_ARRAY_AXES];
    const char *const *text; /* of KELVIN_TEXT: the values, row-major; without axes it is about all of the file */
};

struct export_sheet {
    const struct export_array *arrays;
    size_t n;
};

/* A format: begin with everything that is known beforehand; put numbers, in any order; end. */
struct export_format {
    kelvin_member member;
    const char *suffix; /* ".npz" */
    size_t size;        /* of an open file: zeroed memory, also if begin fails */

    /* The sheet must outlive the file. */
    kelvin_status (*begin)(void *file, const char *path, const struct export_sheet *sheet);

    /* Part of an array that is not text, as netCDF has it: from start on, count along each axis. It must lie in one
     * piece: 1 along the first axes, anything along one, all along those behind. */
    kelvin_status (*put)(void *file, size_t array, const size_t *start, const size_t *count, const void *data);

    /* With KELVIN_OK the file gets its name; otherwise nothing is left. Called whatever begin returned. */
    kelvin_status (*end)(void *file, kelvin_status status);
};

extern const kelvin_family kelvin_export_family;

static inline size_t export_count(const struct export_array *array)
{
    size_t n = 1;
    for (size_t i = 0; i < array->ndim; i++) n *= array->axis[i]->n;
    return n;
}

/* ---- flat.c: of formats without groups. The place of every array is known before the first number comes, so that
 * parts are written where they belong, and checksums are taken from the file at the end. ---- */

struct flat {
    struct kelvin_writer writer;
    const struct export_sheet *sheet;
    kelvin_arena *arena; /* as long as the file is open */
    uint64_t *at;        /* (sheet->n): the first byte of each array */
};

KELVIN_MUST_CHECK kelvin_status kelvin_flat_open(struct flat *flat, const char *path, const struct export_sheet *sheet);
KELVIN_MUST_CHECK kelvin_status kelvin_flat_put(void *flat, size_t array, const size_t *start, const size_t *count,
                                                const void *data);
KELVIN_MUST_CHECK kelvin_status kelvin_flat_close(struct flat *flat, kelvin_status status);

#endif
