/* Arrays of one's own. X with axes (n, height, width), (n, height, width, channels) or (n, channels, height, width) are
 * images: channels are the last axis if that has size 1 or 3, else the second. X with one or two axes is a table. Y
 * holds whole numbers from 0. */
#include "data/npy_data.h"

#include "data/inputs.h"

#include <math.h>
#include <string.h>

struct pair {
    struct npy x, y;
    struct npy file_x; /* x with the axes of its file, for sentences */
    const char *x_path, *y_path;
};

/* ---- shapes ---- */

kelvin_status kelvin_npy_check_labels(kelvin_status status, const struct npy *y, size_t n, const char *path,
                                      const char *x_path)
{
    if (status && y->kind && strchr("OSU", y->kind))
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: labels are of type %c, %s; expected integers, as by np.unique(y, "
                           "return_inverse=True)[1]",
                           path, y->kind, y->kind == 'O' ? "objects" : "texts");
    if (status) return status;
    if (y->axes > 2 || (y->axes == 2 && y->shape[1] != 1))
        return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s%s; expected labels (%zu,)", path,
                           kelvin_npy_shape_text(y).text,
                           y->axes == 2 ? ": looks one-hot (y.argmax(1) makes labels)" : "", n);
    if (y->kind == 'f')
        return kelvin_fail(KELVIN_EFORMAT, "%s: labels are of type f%zu; expected integers, as by y.astype(np.int64)",
                           path, y->item);
    if (y->shape[0] != n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: %zu labels; expected %zu, as many as rows in %s", path, y->shape[0], n,
                           x_path);
    return KELVIN_OK;
}

static kelvin_status parse_pair(struct pair *pair, const struct data_file *x, const struct data_file *y)
{
    *pair = (struct pair){.x_path = x->path, .y_path = y->path};
    KELVIN_TRY(kelvin_npy_parse(&pair->x, x->bytes, x->size, x->path));
    const kelvin_status status = kelvin_npy_parse(&pair->y, y->bytes, y->size, y->path);
    KELVIN_TRY(kelvin_npy_check_labels(status, &pair->y, pair->x.shape[0], y->path, x->path));
    pair->file_x = pair->x;
    return kelvin_npy_arrange(&pair->x, x->path);
}

static kelvin_status check_same_rows(const struct pair *test, const struct pair *train)
{
    const struct npy *a = &test->x, *b = &train->x;
    if (a->axes == b->axes && memcmp(a->shape + 1, b->shape + 1, (a->axes - 1) * sizeof *a->shape) == 0)
        return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s; expected rows as in the training part, of shape %s",
                       test->x_path, kelvin_npy_shape_text(&test->file_x).text,
                       kelvin_npy_shape_text(&train->file_x).text);
}

/* ---- contents ---- */

kelvin_status kelvin_npy_values(double *values, const struct npy *x, size_t before, const char *path)
{
    const size_t inputs = x->count / x->shape[0];
    kelvin_npy_doubles(values, x);
    for (size_t i = 0; i < x->count; i++)
        if (!isfinite(values[i]))
            return kelvin_fail(KELVIN_EFORMAT, "%s: row %zu, column %zu (from 1): %g; expected a finite number", path,
                               before + i / inputs + 1, i % inputs + 1, values[i]);
    return KELVIN_OK;
}

/* Of n parts; `aside` has room for one image. */
static kelvin_status place_images(struct data_loader *l, const struct pair *parts, size_t n, double *aside)
{
    const struct npy_range *range = NULL;
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const struct npy *x = &parts[i].file_x;
        struct npy_seen seen = {0};
        if (kelvin_npy_must_look(x, range, l->like)) kelvin_npy_look(&seen, x, 0, aside);
        KELVIN_TRY(range ? kelvin_npy_check_range(range, &seen, x, parts[i].x_path)
                         : kelvin_npy_find_range(&range, &seen, x, parts[i].x_path));
        largest = fmax(largest, seen.largest);
    }
    for (size_t i = 0; i < n; i++) kelvin_npy_image_bytes(l->bytes + i * parts[0].x.count, &parts[i].x, range, aside);
    /* New images may be on the scale of those of the training. */
    if (kelvin_npy_is_like(range, largest, l->like)) l->data->white = l->like->white;
    return KELVIN_OK;
}

static kelvin_status take_images(struct data_loader *l, const struct pair *parts, size_t n)
{
    double *aside = kelvin_alloc(l->data->inputs, sizeof *aside);
    const kelvin_status status = aside ? place_images(l, parts, n, aside) : KELVIN_ENOMEM;
    kelvin_free(aside);
    return status;
}

kelvin_status kelvin_npy_labels(int32_t *out, const struct npy *y, size_t before, const char *path)
{
    for (size_t i = 0; i < y->shape[0]; i++) {
        const struct npy row = kelvin_npy_row(y, i);
        double label;
        kelvin_npy_doubles(&label, &row);
        if (label < 0 || label > INT32_MAX)
            return kelvin_fail(KELVIN_EFORMAT, "%s: row %zu (from 1): the label is %.0f; expected 0 to %d", path,
                               before + i + 1, label, INT32_MAX);
        out[i] = (int32_t)label;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_npy_load(struct data_loader *l, const struct data_file files[NPY_FILES])
{
    struct pair parts[2] = {0};
    const size_t n = files[NPY_TEST_X].bytes ? 2 : 1;
    for (size_t i = 0; i < n; i++) KELVIN_TRY(parse_pair(&parts[i], &files[2 * i + NPY_X], &files[2 * i + NPY_Y]));
    if (n > 1) KELVIN_TRY(check_same_rows(&parts[1], &parts[0]));
    kelvin_npy_take_shape(l->data, &parts[0].x);
    KELVIN_TRY(kelvin_data_alloc_rows(l, parts[0].y.count + parts[1].y.count));
    l->n_train = parts[0].y.count;
    for (size_t i = 0; i < n; i++)
        KELVIN_TRY(kelvin_npy_labels(l->y + i * l->n_train, &parts[i].y, 0, parts[i].y_path));
    KELVIN_TRY(kelvin_labels_to_classes(l, NULL, parts[0].y_path, parts[1].y_path));
    if (l->bytes) return take_images(l, parts, n);
    for (size_t i = 0; i < n; i++)
        KELVIN_TRY(kelvin_npy_values(l->values + i * parts[0].x.count, &parts[i].x, 0, parts[i].x_path));
    return KELVIN_OK;
}

/* ---- files ---- */

static kelvin_status open(struct data_loader *loader)
{
    const struct data_spec *spec = loader->spec;
    const char *paths[NPY_FILES] = {spec->files[0], spec->files[1], kelvin_data_spec_value(spec, "test-x"),
                                    kelvin_data_spec_value(spec, "test-y")};
    KELVIN_TRY(kelvin_data_spec_test_pair(spec, "test-x", "test-y"));
    return kelvin_data_load_files(loader, paths, NPY_FILES, kelvin_npy_load);
}

const struct data_type kelvin_data_npy = {
    .member = KELVIN_MEMBER("npy", "npy:X,Y[,test-x=FILE,test-y=FILE][,split=SHARE][,seed=N]",
                            "arrays that numpy.save has written: images or a table, and whole numbers for labels"),
    .files = {"X", "Y"},
    .keys = {"test-x", "test-y", "split", "seed", "tails"},
    .open = open,
    .inputs = &kelvin_inputs_npy,
};
