/* Arrays of one's own. X of uint8 with axes (n, height, width), (n, height, width, channels) or (n, channels, height,
 * width) are images: channels are the last axis if that has size 1 or 3, else the second. X of any type with one or two
 * axes is a table. Y holds whole numbers from 0. */
#include "data/npy_data.h"

#include "data/npy.h"

#include <math.h>
#include <string.h>

struct pair {
    struct npy x, y;
    const char *x_path, *y_path;
};

/* ---- shapes ---- */

static bool is_images(const struct npy *x)
{
    return x->axes > 2;
}

static bool is_channels(size_t size)
{
    return size == 1 || size == 3;
}

/* Brings images to (n, channels, height, width). */
static kelvin_status arrange_images(struct npy *x, const char *path)
{
    if (x->kind != 'u' || x->item != 1)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: an array of %c%zu with shape %s; expected images of uint8, as by (255 * "
                           "x).astype(np.uint8), or a table of 2 axes, as by x.reshape(len(x), -1)",
                           path, x->kind, x->item, npy_shape_text(x).text);
    if (x->axes == 3) {
        x->shape[x->axes] = x->stride[x->axes] = 1;
        x->axes++;
    }
    if (x->axes == 4 && is_channels(x->shape[3])) npy_move_axis(x, 3, 1);
    if (x->axes == 4 && is_channels(x->shape[1])) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT,
        "%s: shape is %s; expected images (n, height, width), or with 1 or 3 channels (n, height, width, "
        "channels) or (n, channels, height, width)",
        path, npy_shape_text(x).text);
}

static kelvin_status check_labels(struct npy *y, size_t n, const char *path, const char *x_path)
{
    if (y->kind == 'f')
        return kelvin_fail(KELVIN_EFORMAT, "%s: labels are of type f%zu; expected integers, as by y.astype(np.int64)",
                           path, y->item);
    if (y->axes > 2 || (y->axes == 2 && y->shape[1] != 1))
        return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s; expected labels (%zu,)", path, npy_shape_text(y).text, n);
    if (y->shape[0] != n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: %zu labels; expected %zu, as many as rows in %s", path, y->shape[0], n,
                           x_path);
    return KELVIN_OK;
}

static kelvin_status parse_pair(struct pair *pair, const struct npy_file *x, const struct npy_file *y)
{
    *pair = (struct pair){.x_path = x->path, .y_path = y->path};
    KELVIN_TRY(npy_parse(&pair->x, x->bytes, x->size, x->path));
    KELVIN_TRY(npy_parse(&pair->y, y->bytes, y->size, y->path));
    if (is_images(&pair->x)) KELVIN_TRY(arrange_images(&pair->x, x->path));
    return check_labels(&pair->y, pair->x.shape[0], y->path, x->path);
}

static kelvin_status check_same_rows(const struct pair *test, const struct pair *train)
{
    const struct npy *a = &test->x, *b = &train->x;
    if (a->axes == b->axes && memcmp(a->shape + 1, b->shape + 1, (a->axes - 1) * sizeof *a->shape) == 0)
        return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s%s; expected rows as in the training part, %s%s", test->x_path,
                       npy_shape_text(a).text, is_images(a) ? " with channels second" : "", npy_shape_text(b).text,
                       is_images(b) ? " with channels second" : "");
}

/* ---- memory ---- */

static kelvin_status alloc_rows(struct data_loader *l, const struct npy *x, size_t n)
{
    kelvin_data *data = l->data;
    if (is_images(x)) {
        data->channels = x->shape[1];
        data->height = x->shape[2];
        data->width = x->shape[3];
        return data_alloc_images(l, n);
    }
    data->inputs = x->axes == 2 ? x->shape[1] : 1;
    l->n = n;
    l->values = kelvin_alloc(n, data->inputs * sizeof *l->values);
    l->y = kelvin_alloc(n, sizeof *l->y);
    return l->values && l->y ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- contents ---- */

static kelvin_status take_values(double *values, const struct npy *x, size_t inputs, const char *path)
{
    npy_doubles(values, x);
    for (size_t i = 0; i < x->count; i++)
        if (!isfinite(values[i]))
            return kelvin_fail(KELVIN_EFORMAT, "%s: row %zu, column %zu (from 1): %g; expected a finite number", path,
                               i / inputs + 1, i % inputs + 1, values[i]);
    return KELVIN_OK;
}

static kelvin_status take_labels(int32_t *out, double *aside, const struct pair *pair, size_t classes)
{
    npy_doubles(aside, &pair->y);
    for (size_t i = 0; i < pair->y.count; i++) {
        if (aside[i] < 0 || aside[i] >= (double)classes)
            return kelvin_fail(KELVIN_EFORMAT, "%s: row %zu (from 1): the label is %.0f; expected 0 to %zu",
                               pair->y_path, i + 1, aside[i], classes - 1);
        out[i] = (int32_t)aside[i];
    }
    return KELVIN_OK;
}

/* Classes are 0 up to the largest label of the training part. */
static kelvin_status count_classes(struct data_loader *l, const char *path)
{
    int32_t largest = 0;
    for (size_t i = 0; i < l->n_train; i++)
        if (l->y[i] > largest) largest = l->y[i];
    if (largest == 0) return kelvin_fail(KELVIN_EFORMAT, "%s: all labels are 0; expected at least 2 classes", path);
    return data_number_classes(l, (size_t)largest + 1);
}

static kelvin_status take_pair(struct data_loader *l, const struct pair *pair, double *aside, size_t first)
{
    const size_t start = first * l->data->inputs;
    if (is_images(&pair->x))
        npy_bytes(l->bytes + start, &pair->x);
    else
        KELVIN_TRY(take_values(l->values + start, &pair->x, l->data->inputs, pair->x_path));
    const bool training = first == 0;
    KELVIN_TRY(take_labels(l->y + first, aside, pair, training ? DATA_MAX_CLASSES : l->data->classes));
    return training ? count_classes(l, pair->y_path) : KELVIN_OK;
}

kelvin_status npy_load(struct data_loader *l, const struct npy_file files[NPY_FILES])
{
    struct pair train, test = {0};
    const bool two = files[NPY_TEST_X].bytes;
    KELVIN_TRY(parse_pair(&train, &files[NPY_X], &files[NPY_Y]));
    if (two) KELVIN_TRY(parse_pair(&test, &files[NPY_TEST_X], &files[NPY_TEST_Y]));
    if (two) KELVIN_TRY(check_same_rows(&test, &train));
    KELVIN_TRY(alloc_rows(l, &train.x, train.y.count + test.y.count));
    l->n_train = train.y.count;
    double *aside = kelvin_alloc(train.y.count > test.y.count ? train.y.count : test.y.count, sizeof *aside);
    kelvin_status status = aside ? take_pair(l, &train, aside, 0) : KELVIN_ENOMEM;
    if (!status && two) status = take_pair(l, &test, aside, l->n_train);
    kelvin_free(aside);
    return status;
}

/* ---- files ---- */

static kelvin_status open(struct data_loader *loader)
{
    const struct data_spec *spec = loader->spec;
    struct npy_file files[NPY_FILES] = {{.path = spec->files[0]},
                                        {.path = spec->files[1]},
                                        {.path = data_spec_value(spec, "test-x")},
                                        {.path = data_spec_value(spec, "test-y")}};
    if (!files[NPY_TEST_X].path != !files[NPY_TEST_Y].path)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': only one of test-x and test-y is given; expected both or none",
                           spec->files[0]);
    if (files[NPY_TEST_X].path) KELVIN_TRY(data_spec_no_split(spec, "test-x"));
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; !status && i < NPY_FILES; i++)
        if (files[i].path) status = kelvin_file_read(&files[i].bytes, &files[i].size, files[i].path);
    if (!status) status = npy_load(loader, files);
    for (size_t i = 0; i < NPY_FILES; i++) kelvin_free(files[i].bytes);
    return status;
}

const struct data_type data_npy = {
    .usage = "npy:X,Y[,test-x=FILE,test-y=FILE][,split=SHARE][,seed=N]",
    .about = "arrays that numpy.save has written: images of uint8 or a table, and labels from 0",
    .files = {"X", "Y"},
    .keys = {"test-x", "test-y"},
    .splits = true,
    .open = open,
};
