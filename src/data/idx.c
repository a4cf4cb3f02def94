/* Images and labels in IDX files (Y. LeCun, C. Cortes: the MNIST database). Pixels are read straight to their place. */
#include "data/idx.h"

#include "base/bytes.h"
#include "data/labels.h"
#include "data/picture.h"

#include <string.h>

enum { IDX_BYTE = 0x08 }; /* the type "unsigned byte" */

/* ---- the head ---- */

static kelvin_status check_magic(const uint8_t *b, size_t size, bool images, const char *path)
{
    const int least = images ? 3 : 1, most = images ? 4 : 1;
    if (size >= 2 && b[0] == 0x1f && b[1] == 0x8b)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: byte 0: begins with 1f 8b, so it is compressed by gzip; expected it unpacked (gunzip)",
                           path);
    if (size < 4) return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected at least 4 of a head", path, size);
    if (b[0] != 0 || b[1] != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: byte 0: begins with %02x %02x %02x %02x; expected 00 00 08 %02x", path,
                           b[0], b[1], b[2], b[3], least);
    if (b[2] != IDX_BYTE)
        return kelvin_fail(KELVIN_EFORMAT, "%s: byte 2: the elements are of type %02x; expected 08, unsigned bytes",
                           path, b[2]);
    if (b[3] < least || b[3] > most)
        return kelvin_fail(KELVIN_EFORMAT, "%s: byte 3: the number of axes is %d; expected %s", path, b[3],
                           images ? "3 or 4: images, height, width, channels" : "1: labels");
    return KELVIN_OK;
}

static kelvin_status read_sizes(struct idx_head *head, const uint8_t *b, size_t size, const char *path)
{
    head->start = 4 + 4 * head->axes;
    if (size < head->start)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected at least %zu of a head", path, size,
                           head->start);
    for (size_t i = 0; i < head->axes; i++) {
        head->size[i] = kelvin_big_endian_32(b + 4 + 4 * i);
        if (head->size[i] == 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: byte %zu: size %zu of %zu is 0; expected at least 1", path,
                               4 + 4 * i, i + 1, head->axes);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_idx_parse_head(struct idx_head *head, const void *file, size_t size, bool images, const char *path)
{
    const uint8_t *b = file;
    KELVIN_TRY(check_magic(b, size, images, path));
    *head = (struct idx_head){.axes = b[3], .size = {1, 1, 1, 1}, .bytes = 1};
    KELVIN_TRY(read_sizes(head, b, size, path));
    bool huge = false;
    for (size_t i = 0; i < head->axes; i++) huge |= __builtin_mul_overflow(head->bytes, head->size[i], &head->bytes);
    size_t whole = 0;
    huge |= __builtin_add_overflow(head->bytes, head->start, &whole);
    if (huge)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: byte 4: the sizes in its head are more than can be addressed; "
                           "expected %zu bytes, as the file has",
                           path, size);
    if (whole != size)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected %zu by the sizes in its head", path, size,
                           whole);
    if (images && head->size[3] != 1 && head->size[3] != 3)
        return kelvin_fail(KELVIN_EFORMAT, "%s: byte 16: the number of channels is %zu; expected 1 or 3", path,
                           head->size[3]);
    return KELVIN_OK;
}

/* ---- the elements ---- */

void kelvin_idx_planes(uint8_t *images, size_t n, size_t pixels, size_t channels, uint8_t *aside)
{
    const size_t size = pixels * channels;
    for (size_t i = 0; channels > 1 && i < n; i++, images += size) {
        memcpy(aside, images, size);
        for (size_t c = 0; c < channels; c++) kelvin_picture_plane(images + c * pixels, aside, pixels, channels, c);
    }
}

/* One part. */
struct part {
    struct idx_head images, labels;
};

static kelvin_status read_head(struct idx_head *head, const char *path, bool images)
{
    uint8_t bytes[IDX_HEAD];
    size_t size;
    KELVIN_TRY(kelvin_file_size(&size, path));
    KELVIN_TRY(kelvin_file_read_part(bytes, path, 0, size < IDX_HEAD ? size : IDX_HEAD));
    return kelvin_idx_parse_head(head, bytes, size, images, path);
}

static kelvin_status read_heads(struct part *part, const struct idx_pair *files)
{
    KELVIN_TRY(read_head(&part->images, files->images, true));
    KELVIN_TRY(read_head(&part->labels, files->labels, false));
    if (part->labels.size[0] == part->images.size[0]) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: byte 4: has %zu labels; expected %zu, one for each image of %s",
                       files->labels, part->labels.size[0], part->images.size[0], files->images);
}

static kelvin_status same_shape(const struct idx_head *test, const struct idx_head *train, const char *path,
                                const char *train_path)
{
    const size_t *a = test->size, *b = train->size;
    if (memcmp(a + 1, b + 1, 3 * sizeof *a) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: byte 8: its images are of height %zu, width %zu, channels %zu; expected %zu, %zu, %zu "
                       "as in %s",
                       path, a[1], a[2], a[3], b[1], b[2], b[3], train_path);
}

/* Rows `first` and on: labels, by way of where their images will be, */
static kelvin_status take_labels(struct data_loader *loader, const struct idx_head *head, const char *path,
                                 size_t first)
{
    uint8_t *labels = loader->bytes + first * loader->data->inputs;
    KELVIN_TRY(kelvin_file_read_part(labels, path, head->start, head->bytes));
    for (size_t i = 0; i < head->bytes; i++) loader->y[first + i] = labels[i];
    return KELVIN_OK;
}

/* and images. */
static kelvin_status take_images(struct data_loader *loader, const struct idx_head *head, const char *path,
                                 size_t first)
{
    const kelvin_data *data = loader->data;
    uint8_t *images = loader->bytes + first * data->inputs, *aside = kelvin_alloc(data->inputs, 1);
    if (!aside) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_file_read_part(images, path, head->start, head->bytes);
    if (!status) kelvin_idx_planes(images, head->size[0], data->height * data->width, data->channels, aside);
    kelvin_free(aside);
    return status;
}

kelvin_status kelvin_idx_load(struct data_loader *loader, const struct idx_pair *files, bool test)
{
    struct part parts[2] = {0};
    if (loader->like && test) { /* of new inputs nobody looks at the rest */
        files++;
        test = false;
    }
    for (size_t i = 0; i <= test; i++) KELVIN_TRY(read_heads(&parts[i], &files[i]));
    if (test) KELVIN_TRY(same_shape(&parts[1].images, &parts[0].images, files[1].images, files[0].images));
    const size_t *size = parts[0].images.size;
    loader->data->height = size[1];
    loader->data->width = size[2];
    loader->data->channels = size[3];
    KELVIN_TRY(kelvin_data_alloc_rows(loader, size[0] + parts[1].images.size[0]));
    loader->n_train = size[0];
    for (size_t i = 0; i <= test; i++) KELVIN_TRY(take_labels(loader, &parts[i].labels, files[i].labels, i * size[0]));
    KELVIN_TRY(kelvin_labels_to_classes(loader, NULL, files[0].labels, test ? files[1].labels : NULL));
    for (size_t i = 0; i <= test; i++) KELVIN_TRY(take_images(loader, &parts[i].images, files[i].images, i * size[0]));
    return KELVIN_OK;
}

/* ---- the data set ---- */

static kelvin_status open(struct data_loader *loader)
{
    const struct data_spec *spec = loader->spec;
    const struct idx_pair files[] = {
        {spec->files[0], spec->files[1]},
        {kelvin_data_spec_value(spec, "test-images"), kelvin_data_spec_value(spec, "test-labels")},
    };
    KELVIN_TRY(kelvin_data_spec_test_pair(spec, "test-images", "test-labels"));
    return kelvin_idx_load(loader, files, files[1].images);
}

const struct data_type kelvin_data_idx = {
    .member = KELVIN_MEMBER("idx", "idx:IMAGES,LABELS[,test-images=FILE,test-labels=FILE][,split=SHARE][,seed=N]",
                            "images and labels in the format of MNIST (IDX, unsigned bytes)"),
    .files = {"IMAGES", "LABELS"},
    .keys = {"test-images", "test-labels", "split", "seed"},
    .open = open,
};
