/* netCDF-4 in the layout of ArviZ (https://python.arviz.org/en/stable/schema/schema.html): a group for each kind of
 * array, in each group its own dimensions, and for each dimension a variable of the same name with its coordinates.
 *
 * libnetcdf is opened when it is needed (base/library.h). It writes a file by itself: under the writer's temporary
 * name, so that syncing and renaming are as for any other file. */
#include "base/words.h"
#include "export/sheet.h"

#ifdef HAVE_NETCDF
#include "base/library.h"

#include <errno.h>
#include <netcdf.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                   \
    X(nc_create)                                                                                                       \
    X(nc_set_fill)                                                                                                     \
    X(nc_def_grp)                                                                                                      \
    X(nc_inq_ncid)                                                                                                     \
    X(nc_def_dim)                                                                                                      \
    X(nc_inq_dimid)                                                                                                    \
    X(nc_def_var)                                                                                                      \
    X(nc_put_att_text)                                                                                                 \
    X(nc_enddef)                                                                                                       \
    X(nc_put_vara)                                                                                                     \
    X(nc_close)                                                                                                        \
    X(nc_abort)                                                                                                        \
    X(nc_strerror)

struct netcdf_library {
    FUNCTIONS(LIBRARY_POINTER)
};

static const char *const functions[] = {FUNCTIONS(LIBRARY_NAME) NULL};
static const struct library libnetcdf = {
    "libnetcdf", "libnetcdf19", {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so"}, functions};

/* A variable: an array of the sheet, or the coordinates of an axis. */
struct variable {
    int group, id;
    const struct export_axis *axis; /* NULL: an array */
};

struct netcdf {
    struct kelvin_writer writer;
    struct netcdf_library lib;
    const struct export_sheet *sheet;
    bool open;
    int root;
    struct variable *arrays, *coordinates; /* (sheet->n), (n_coordinates) */
    size_t n_coordinates;
};

static const struct {
    nc_type type;
    const char *dtype; /* what xarray is to make of it, if that is another */
} types[] = {
    [KELVIN_F32] = {NC_FLOAT, NULL},   [KELVIN_F64] = {NC_DOUBLE, NULL},  [KELVIN_I64] = {NC_INT64, NULL},
    [KELVIN_BOOL] = {NC_BYTE, "bool"}, [KELVIN_TEXT] = {NC_STRING, NULL},
};

/* Turns libnetcdf's answer into ours. A full disk is just "HDF error" to it. */
static kelvin_status check(const struct netcdf *file, int answer)
{
    if (answer == NC_NOERR) return KELVIN_OK;
    const char *reason = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? strerror(errno) : NULL;
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", file->writer.path,
                       reason ? reason : file->lib.nc_strerror(answer));
}

static kelvin_status put_text(const struct netcdf *file, int group, int variable, const char *name, const char *text)
{
    return check(file, file->lib.nc_put_att_text(group, variable, name, strlen(text), text));
}

static kelvin_status put_attributes(const struct netcdf *file, int group)
{
    for (size_t i = 0; i < file->sheet->n; i++) {
        const struct export_array *array = &file->sheet->arrays[i];
        if (array->text && array->ndim == 0) KELVIN_TRY(put_text(file, group, NC_GLOBAL, array->name, array->text[0]));
    }
    return KELVIN_OK;
}

static kelvin_status find_group(int *group, const struct netcdf *file, const char *name)
{
    if (file->lib.nc_inq_ncid(file->root, name, group) == NC_NOERR) return KELVIN_OK;
    KELVIN_TRY(check(file, file->lib.nc_def_grp(file->root, name, group)));
    return put_attributes(file, *group);
}

static kelvin_status find_dimension(int *dimension, struct netcdf *file, int group, const struct export_axis *axis)
{
    const struct netcdf_library *lib = &file->lib;
    if (lib->nc_inq_dimid(group, axis->name, dimension) == NC_NOERR) return KELVIN_OK;
    KELVIN_TRY(check(file, lib->nc_def_dim(group, axis->name, axis->n, dimension)));
    struct variable *coordinates = &file->coordinates[file->n_coordinates++];
    *coordinates = (struct variable){.group = group, .axis = axis};
    const nc_type type = types[axis->text ? KELVIN_TEXT : KELVIN_I64].type;
    return check(file, lib->nc_def_var(group, axis->name, type, 1, dimension, &coordinates->id));
}

static kelvin_status define(struct netcdf *file, size_t i)
{
    const struct export_array *array = &file->sheet->arrays[i];
    struct variable *variable = &file->arrays[i];
    int dimensions[KELVIN_ARRAY_AXES];
    if (!array->group) return KELVIN_OK;
    KELVIN_TRY(find_group(&variable->group, file, array->group));
    for (size_t j = 0; j < array->ndim; j++)
        KELVIN_TRY(find_dimension(&dimensions[j], file, variable->group, array->axis[j]));
    KELVIN_TRY(check(file, file->lib.nc_def_var(variable->group, array->name, types[array->type].type, (int)array->ndim,
                                                dimensions, &variable->id)));
    const char *dtype = types[array->type].dtype;
    return dtype ? put_text(file, variable->group, variable->id, "dtype", dtype) : KELVIN_OK;
}

static kelvin_status put_coordinates(const struct netcdf *file, const struct variable *variable)
{
    enum { PIECE = 512 };
    const struct export_axis *axis = variable->axis;
    for (size_t first = 0; first < axis->n; first += PIECE) {
        const size_t n = axis->n - first < PIECE ? axis->n - first : PIECE;
        int64_t numbers[PIECE];
        for (size_t i = 0; i < n; i++) numbers[i] = axis->number ? axis->number[first + i] : (int64_t)(first + i);
        const void *values = axis->text ? (const void *)(axis->text + first) : numbers;
        KELVIN_TRY(check(file, file->lib.nc_put_vara(variable->group, variable->id, &first, &n, values)));
    }
    return KELVIN_OK;
}

static kelvin_status allocate(struct netcdf *file)
{
    const struct export_sheet *sheet = file->sheet;
    size_t axes = 0;
    for (size_t i = 0; i < sheet->n; i++) axes += sheet->arrays[i].ndim;
    file->arrays = kelvin_alloc(sheet->n, sizeof *file->arrays);
    file->coordinates = kelvin_alloc(axes, sizeof *file->coordinates);
    return file->arrays && file->coordinates ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Where the disk fills up while the variables are being defined, nc_abort crashes (libnetcdf 4.9.0), and so does the
 * end of the program without it. So there must be room for everything before libnetcdf begins. What a variable takes
 * beside its numbers is about 1 kB. */
static kelvin_status find_room(struct netcdf *file)
{
    enum { BESIDE = 4096, ROOT = 1 << 16 };
    uint64_t all = ROOT;
    for (size_t i = 0; i < file->sheet->n; i++) {
        const struct export_array *array = &file->sheet->arrays[i];
        if (!array->text) all += BESIDE * (1 + array->ndim) + export_count(array) * kelvin_dtypes[array->type].bytes;
        for (size_t j = 0; array->text && j < export_count(array); j++) all += BESIDE + 8 * strlen(array->text[j]);
    }
    return kelvin_writer_reserve(&file->writer, all);
}

static kelvin_status begin(void *data, const char *path, const struct export_sheet *sheet)
{
    struct netcdf *file = data;
    file->writer.fd = -1;
    file->sheet = sheet;
    KELVIN_TRY(kelvin_library_open(&file->lib, &libnetcdf));
    KELVIN_TRY(allocate(file));
    KELVIN_TRY(kelvin_writer_open(&file->writer, path));
    KELVIN_TRY(find_room(file));
    errno = 0;
    KELVIN_TRY(check(file, file->lib.nc_create(file->writer.temporary, NC_NETCDF4 | NC_CLOBBER, &file->root)));
    file->open = true;
    KELVIN_TRY(check(file, file->lib.nc_set_fill(file->root, NC_NOFILL, NULL))); /* all of it will be written */
    KELVIN_TRY(put_attributes(file, file->root));
    for (size_t i = 0; i < sheet->n; i++) KELVIN_TRY(define(file, i));
    KELVIN_TRY(check(file, file->lib.nc_enddef(file->root)));
    for (size_t i = 0; i < file->n_coordinates; i++) KELVIN_TRY(put_coordinates(file, &file->coordinates[i]));
    return KELVIN_OK;
}

static kelvin_status put(void *data, size_t array, const size_t *start, const size_t *count, const void *values)
{
    const struct netcdf *file = data;
    const struct variable *variable = &file->arrays[array];
    if (!file->sheet->arrays[array].group) return KELVIN_OK;
    errno = 0;
    return check(file, file->lib.nc_put_vara(variable->group, variable->id, start, count, values));
}

static kelvin_status end(void *data, kelvin_status status)
{
    struct netcdf *file = data;
    errno = 0;
    if (file->open && !status)
        status = check(file, file->lib.nc_close(file->root));
    else if (file->open)
        file->lib.nc_abort(file->root);
    kelvin_free(file->arrays);
    kelvin_free(file->coordinates);
    return file->sheet ? kelvin_writer_close(&file->writer, status) : status;
}
#else
struct netcdf {
    char none;
};

static kelvin_status begin(void *file, const char *path, const struct export_sheet *sheet)
{
    (void)file, (void)path, (void)sheet;
    return kelvin_fail(KELVIN_EIO, "this kelvin was built without netCDF; to have it: " KELVIN_REFER(
                                       INSTALL, "libnetcdf-dev") ", "
                                                                 "and build again");
}

#define put NULL /* nobody calls it where a file could not be begun */

static kelvin_status end(void *file, kelvin_status status)
{
    (void)file;
    return status;
}
#endif

const struct export_format kelvin_export_netcdf = {
    .member = KELVIN_PLAIN_MEMBER("netcdf", "netCDF-4 in ArviZ's layout, for arviz.from_netcdf and xarray"),
    .suffix = ".nc",
    .size = sizeof(struct netcdf),
    .begin = begin,
    .put = put,
    .end = end,
};
