/* The formats of files that others read too. All numbers in them are little-endian. */
#ifndef FILES_FORMATS_H
#define FILES_FORMATS_H

#include <kelvin/base.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays go to files as they lie in memory");

/* CRC-32 (ISO-HDLC, the one of zlib and PNG). */
uint32_t kelvin_crc32(const void *data, size_t bytes);
/* Of what has the checksum `crc32`, and these bytes after it. */
uint32_t kelvin_crc32_more(uint32_t crc32, const void *data, size_t bytes);
/* Of what has the checksum `first`, and after it `bytes` bytes that have `second`. */
uint32_t kelvin_crc32_join(uint32_t first, uint32_t second, uint64_t bytes);

/* ---- arrays ---- */

enum kelvin_dtype { KELVIN_F32, KELVIN_F64, KELVIN_F16, KELVIN_BF16, KELVIN_I64, KELVIN_BOOL, KELVIN_TEXT };
enum { KELVIN_ARRAY_AXES = 6, KELVIN_ARRAY_NAME = 64 };

/* What files call them, and their bytes: of a text, of a letter. */
extern const struct kelvin_dtype_form {
    const char *tensors, *npy; /* safetensors have no text, NumPy no BF16 */
    size_t bytes;
} kelvin_dtypes[];

struct kelvin_array {
    char name[KELVIN_ARRAY_NAME]; /* NumPy's have none */
    enum kelvin_dtype dtype;
    size_t ndim, shape[KELVIN_ARRAY_AXES]; /* of texts, shape[ndim] is how many letters each may have, at least 1 */
    void *data;                            /* when read: where it is to go */
};

/* Bytes of its data; false if there are more than can be addressed. */
bool kelvin_array_bytes(size_t *bytes, const struct kelvin_array *array);

/* ---- NumPy's NPY 1.0 ---- */

/* Labels: one axis, int64, as NumPy and PyTorch like to have an index. */
KELVIN_MUST_CHECK kelvin_status kelvin_labels_write(const char *path, const int32_t *y, size_t n);

/* All that comes before the data; returns how many bytes, a multiple of 64. */
enum { KELVIN_NPY_HEADER = 512 };
size_t kelvin_npy_header(char out[KELVIN_NPY_HEADER], const struct kelvin_array *array);

/* Any array, a piece at a time:
 *
 *     struct kelvin_writer file;
 *     kelvin_status st = kelvin_npy_begin(&file, path, &array);
 *     while (!st && ...) st = kelvin_writer_put(&file, row, bytes);
 *     st = kelvin_writer_close(&file, st); */
struct kelvin_writer;
KELVIN_MUST_CHECK kelvin_status kelvin_npy_begin(struct kelvin_writer *file, const char *path,
                                                 const struct kelvin_array *array);

/* ---- safetensors ---- */

/* Named arrays and strings about them. Checksums of the data ("crc32") and of the header ("header_crc32")
 * and the version ("kelvin") are added to the strings by themselves. Arrays lie one behind the other in the order in
 * which they are given. */
enum { KELVIN_NOTE = 512 }; /* bytes of the texts that runs leave */
struct kelvin_note {
    const char *name, *text; /* a text of NULL: */
    char number[24];
};

KELVIN_MUST_CHECK kelvin_status kelvin_tensors_write(const char *path, const struct kelvin_array *arrays, size_t n,
                                                     const struct kelvin_note *notes, size_t n_notes);

/* All that comes before the data, for those who write these themselves: kelvin_free it. As long whatever the checksum
 * is. No data are looked at. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_header(char **out, size_t *bytes, const char *path,
                                                      const struct kelvin_array *arrays, size_t n,
                                                      const struct kelvin_note *notes, size_t n_notes, uint32_t crc32);

/* A file in memory: header parsed, checksums right. */
struct kelvin_tensors;
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_open(struct kelvin_tensors **file, const char *path);
void kelvin_tensors_close(struct kelvin_tensors *file);

/* The header alone, for its strings and shapes: no data are read or looked at, and none can be asked for. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_peek(struct kelvin_tensors **file, const char *path);

/* The string of that name; KELVIN_EFORMAT, with the path, if it is not there. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_note(const char **text, const struct kelvin_tensors *file,
                                                    const char *name);

/* Fills in the shape of an array whose name, dtype and number of axes must be these, and where its data are as long as
 * the file is open. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_shape(struct kelvin_array *array, const struct kelvin_tensors *file);

/* At which byte of the file the data of the array of that name begin; for those who read parts of them from a file
 * whose header alone is in memory. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_offset(size_t *from, const struct kelvin_tensors *file,
                                                      const struct kelvin_array *array);

/* Copies all n arrays to where they are to go. The file must hold these and no others, with these shapes. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_read(const struct kelvin_tensors *file,
                                                    const struct kelvin_array *arrays, size_t n);

/* ---- safetensors by any program ----
 *
 *     kelvin_status st = kelvin_tensors_open_any(&file, "net.safetensors");
 *     if (!st) st = kelvin_tensors_expect(file, arrays, n);     // names and shapes
 *     if (!st) st = kelvin_tensors_floats(file, arrays, n);     // values
 *     kelvin_tensors_close(file); */

/* A file in memory whose data need not have a checksum. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_open_any(struct kelvin_tensors **file, const char *path);

/* KELVIN_EFORMAT, and which tensor is to blame, unless the file holds arrays of these names and shapes, of any dtype,
 * and no others. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_expect(const struct kelvin_tensors *file,
                                                      const struct kelvin_array *arrays, size_t n);

/* Copies what was expected to where it is to go, as F32, whichever floats the file has: F32, F64, F16 or BF16.
 * KELVIN_EFORMAT if it has something else, or a number that is not finite as F32. */
KELVIN_MUST_CHECK kelvin_status kelvin_tensors_floats(const struct kelvin_tensors *file,
                                                      const struct kelvin_array *arrays, size_t n);

/* ---- tables ---- */

/* A row of a table, as text and back; one table of columns for both directions. */
struct kelvin_column {
    const char *name;
    double lowest, highest; /* infinite: anything, also not a number */
    bool whole;
    int digits; /* of a number that is not whole; 0: as many as give it back */
};

/* The first column counts rows from 0; rows (n, columns).
 *
 * Rows behind the first *bytes bytes of a file, whatever was there; 0: behind a line of names in a new one. *bytes is
 * how long the file is then. Not whole or not at all: for a table that can be made again. */
KELVIN_MUST_CHECK kelvin_status kelvin_table_put(const char *path, uint64_t *bytes, const struct kelvin_column *columns,
                                                 size_t n_columns, const double *rows, size_t n);

/* How many a file has. */
KELVIN_MUST_CHECK kelvin_status kelvin_table_rows(size_t *n, const char *path);

/* n rows of those columns that the file has, in the file's order: which[i] is the number of its i-th column, and *found
 * how many there are. Rows (n, *found); both have room for all columns. KELVIN_EFORMAT if it has another column, or
 * other rows. */
KELVIN_MUST_CHECK kelvin_status kelvin_table_read(double *rows, size_t *which, size_t *found, const char *path,
                                                  const struct kelvin_column *columns, size_t n_columns, size_t n);

/* The same row by row, for those who need not have all of them in memory: row i (*found), as it comes. */
typedef void kelvin_row_look(void *context, const double *row, size_t i);
KELVIN_MUST_CHECK kelvin_status kelvin_table_each(size_t *which, size_t *found, const char *path,
                                                  const struct kelvin_column *columns, size_t n_columns, size_t n,
                                                  kelvin_row_look *look, void *context);

#endif
