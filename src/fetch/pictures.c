/* CIFAR-10 as pictures: one row of a picture is an image, its 1024 pixels one after the other; labels are in JSON.
 * A record of the data set is the label, then all reds, all greens, all blues. */
#include "base/bytes.h"
#include "base/threads.h"
#include "data/cifar.h"
#include "data/picture.h"
#include "fetch/room.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { PLANE = CIFAR_SIDE * CIFAR_SIDE };

static size_t records(const struct fetch_job *job, size_t file)
{
    return job->set->canonical->files[file].bytes / CIFAR_RECORD;
}

void kelvin_pictures_forget(struct fetch_job *job)
{
    for (size_t i = 0; i < CANONICAL_FILES; i++) *job->picture[i] = '\0';
    for (size_t i = 0; i < FETCH_LABELS; i++) {
        kelvin_free(job->labels[i]);
        job->labels[i] = NULL;
    }
}

/* ---- labels ---- */

static kelvin_status read_labels(uint8_t *labels, size_t n, const json_t *array, const char *where)
{
    if (!json_is_array(array) || json_array_size(array) != n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu labels; expected a list of %zu", where, json_array_size(array),
                           n);
    for (size_t i = 0; i < n; i++) {
        const json_t *label = json_array_get(array, i);
        const json_int_t value = json_integer_value(label);
        if (!json_is_integer(label) || value < 0 || value >= CIFAR_CLASSES)
            return kelvin_fail(KELVIN_EFORMAT, "%s: label %zu is not a whole number from 0 to %d", where, i + 1,
                               CIFAR_CLASSES - 1);
        labels[i] = (uint8_t)value;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_pictures_take_labels(struct fetch_job *job, size_t which, const char *json, size_t bytes,
                                          const char *where)
{
    size_t n = 0;
    for (size_t i = 0; i < job->set->labels[which].files; i++) n += records(job, job->set->labels[which].first + i);
    if (bytes > LABELS_BYTES)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has more than %d bytes; expected a list of %zu labels", where,
                           LABELS_BYTES, n);
    json_error_t error;
    json_t *array = json_loadb(json, bytes, 0, &error);
    if (!array)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %d, column %d: is not JSON; expected a list of %zu labels", where,
                           error.line, error.column, n);
    uint8_t *labels = kelvin_alloc(n, 1);
    const kelvin_status status = labels ? read_labels(labels, n, array, where) : KELVIN_ENOMEM;
    json_decref(array);
    kelvin_free(status ? labels : job->labels[which]);
    if (!status) job->labels[which] = labels;
    return status;
}

/* The labels of a file; NULL if they did not come. */
static const uint8_t *labels_of(const struct fetch_job *job, size_t file)
{
    for (size_t i = 0; i < FETCH_LABELS; i++) {
        const size_t first = job->set->labels[i].first;
        if (file < first || file - first >= job->set->labels[i].files || !job->labels[i]) continue;
        size_t before = 0;
        for (size_t k = first; k < file; k++) before += records(job, k);
        return job->labels[i] + before;
    }
    return NULL;
}

/* ---- pictures ---- */

kelvin_status kelvin_pictures_take(struct fetch_job *job, size_t file, const char *path)
{
    snprintf(job->picture[file], sizeof job->picture[file], "%s", path);
    return KELVIN_OK;
}

/* Before any memory is asked for. Width and height stand at bytes 16 and 20 of every PNG file. */
static kelvin_status check_size(const char *png, size_t bytes, size_t n, const char *path)
{
    if (!kelvin_png_is(png, bytes) || bytes < 24) return kelvin_fail(KELVIN_EFORMAT, "%s: is not a PNG file", path);
    const uint32_t width = kelvin_big_endian_32(png + 16), height = kelvin_big_endian_32(png + 20);
    if (width == PLANE && height == n) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %u x %u pixels; expected %d x %zu", path, (unsigned)width,
                       (unsigned)height, PLANE, n);
}

static void make_records(uint8_t *to, const struct picture *picture, const uint8_t *labels)
{
    for (size_t i = 0; i < picture->height; i++, to += CIFAR_RECORD) {
        const uint8_t *row = picture->pixels + CIFAR_PIXELS * i;
        to[0] = labels[i];
        for (size_t c = 0; c < 3; c++) kelvin_picture_plane(to + 1 + c * PLANE, row, PLANE, 3, c);
    }
}

static kelvin_status convert(struct fetch_job *job, size_t file, const char *png, size_t bytes, const uint8_t *labels)
{
    struct picture picture = {0};
    const char *path = job->picture[file];
    const size_t n = records(job, file);
    KELVIN_TRY(check_size(png, bytes, n, path));
    KELVIN_TRY(kelvin_picture_decode(&picture, png, bytes, path));
    uint8_t *out = kelvin_alloc(n, CIFAR_RECORD);
    kelvin_status status = out ? KELVIN_OK : KELVIN_ENOMEM;
    if (picture.channels != 3) status = kelvin_fail(KELVIN_EFORMAT, "%s: is grey; expected colours", path);
    if (!status) make_records(out, &picture, labels);
    if (!status) status = kelvin_piece_place(job, file, out, n * CIFAR_RECORD, path);
    kelvin_free(out);
    kelvin_picture_free(&picture);
    return status;
}

static kelvin_status convert_task(void *context, size_t file)
{
    struct fetch_job *job = context;
    const uint8_t *labels = labels_of(job, file);
    if (!*job->picture[file] || job->right[file]) return KELVIN_OK;
    if (!labels)
        return kelvin_fail(KELVIN_EFORMAT, "%s: its labels are not there; expected %s and %s", job->picture[file],
                           job->set->labels[0].name, job->set->labels[1].name);
    char *png;
    size_t bytes;
    KELVIN_TRY(kelvin_fetch_tell(job, 0, 0, FETCH_KEPT, "converting %s", kelvin_fetch_base_name(job->picture[file])));
    KELVIN_TRY(kelvin_file_read(&png, &bytes, job->picture[file]));
    const kelvin_status status = convert(job, file, png, bytes, labels);
    kelvin_free(png);
    return status;
}

kelvin_status kelvin_pictures_convert(struct fetch_job *job)
{
    return kelvin_pool_run(job->pool, convert_task, job, job->n);
}
