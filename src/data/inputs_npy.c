/* Arrays as inputs, read some rows at a time: in C order they lie together; in Fortran's the rows of each column do,
 * and what is read of all columns is again an array in Fortran's order. */
#include "data/inputs.h"

#include "data/npy_data.h"

#include <stdio.h>
#include <string.h>

struct array {
    const char *path;
    struct npy head; /* of the whole file; no data */
    size_t data_at;
    char *buffer;
    size_t room;
};

struct state {
    struct array x, y;
    bool images;
    const struct npy_range *range;
    double *aside; /* one row */
};

/* ---- files ---- */

static kelvin_status open_array(struct array *a, const char *path)
{
    enum { HEAD = 1 << 17 }; /* more than a header of version 1 can have */
    size_t bytes;
    a->path = path;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    const size_t some = bytes < HEAD ? bytes : HEAD;
    char *head = kelvin_alloc(some + 1, 1);
    if (!head) return KELVIN_ENOMEM;
    kelvin_status status = kelvin_file_read_part(head, path, 0, some);
    if (!status) status = kelvin_npy_parse_head(&a->head, &a->data_at, head, some, bytes, path);
    kelvin_free(head);
    return status;
}

/* Rows first .. first + n as an array of their own. */
static kelvin_status read_rows(struct array *a, struct npy *piece, size_t first, size_t n)
{
    const size_t all = a->head.shape[0], item = a->head.item, row = a->head.count / all;
    if (n * row * item > a->room) {
        kelvin_free(a->buffer);
        a->room = 0;
        if (!(a->buffer = kelvin_alloc(n * row, item))) return KELVIN_ENOMEM;
        a->room = n * row * item;
    }
    *piece = a->head;
    piece->shape[0] = n;
    piece->count = n * row;
    piece->data = (const unsigned char *)a->buffer;
    if (!a->head.fortran)
        return kelvin_file_read_part(a->buffer, a->path, a->data_at + first * row * item, n * row * item);
    for (size_t i = 1; i < piece->axes; i++) piece->stride[i] = piece->stride[i] / all * n;
    for (size_t j = 0; j < row; j++)
        KELVIN_TRY(
            kelvin_file_read_part(a->buffer + j * n * item, a->path, a->data_at + (j * all + first) * item, n * item));
    return KELVIN_OK;
}

/* ---- shapes ---- */

static kelvin_status check_shape(const struct npy *x, const kelvin_data *like, const char *path)
{
    struct npy arranged = *x;
    kelvin_data own = {0};
    KELVIN_TRY(kelvin_npy_arrange(&arranged, path));
    kelvin_npy_take_shape(&own, &arranged);
    return kelvin_inputs_check_shape(path, &own, like);
}

/* One image without an axis of rows. */
static struct npy with_axis(const struct npy *x)
{
    struct npy one = *x;
    one.shape[one.axes] = 1;
    one.stride[one.axes] = one.count;
    one.axes++;
    kelvin_npy_move_axis(&one, one.axes - 1, 0);
    return one;
}

static kelvin_status take_shape(kelvin_inputs *in, struct state *s)
{
    struct npy *x = &s->x.head;
    if (check_shape(x, in->like, s->x.path)) {
        const struct npy one = x->axes < 4 ? with_axis(x) : *x;
        if (!kelvin_npy_is_images(&one) || check_shape(&one, in->like, s->x.path))
            return check_shape(x, in->like, s->x.path); /* for its sentence */
        *x = one;
        x->fortran = false; /* it is read as one row, and has its strides */
    }
    s->images = kelvin_npy_is_images(x);
    in->rows = x->shape[0];
    return KELVIN_OK;
}

/* At all images, some at a time. */
static kelvin_status look_at_all(struct npy_seen *seen, kelvin_inputs *in, struct state *s)
{
    enum { NUMBERS = 1 << 18 }; /* at a time, or one image */
    const size_t all = s->x.head.shape[0], inputs = in->like->inputs, some = inputs < NUMBERS ? NUMBERS / inputs : 1;
    for (size_t i = 0; i < all; i += some) {
        struct npy piece;
        KELVIN_TRY(read_rows(&s->x, &piece, i, all - i < some ? all - i : some));
        kelvin_npy_look(seen, &piece, i, s->aside);
    }
    return KELVIN_OK;
}

/* How images are bytes, and of which white: both may depend on all of them. */
static kelvin_status find_range(kelvin_inputs *in, struct state *s)
{
    struct npy_seen seen = {0};
    if (kelvin_npy_must_look(&s->x.head, NULL, in->like)) KELVIN_TRY(look_at_all(&seen, in, s));
    KELVIN_TRY(kelvin_npy_find_range(&s->range, &seen, &s->x.head, s->x.path));
    if (!kelvin_npy_is_like(s->range, seen.largest, in->like)) return KELVIN_OK;
    if (seen.largest > 0) /* black is black */
        KELVIN_TRY(kelvin_inputs_add_note(in,
                                          "%s: no number is above %g: that is taken for white, as in training, not 255",
                                          s->x.path, (double)in->like->white));
    kelvin_data_close(in->normaliser);
    return kelvin_data_describe(&in->normaliser, in->like);
}

/* ---- opening ---- */

static kelvin_status open_labels(kelvin_inputs *in, struct state *s, const char *path)
{
    in->labelled = path;
    if (!path && in->labels) return kelvin_inputs_no_labels(s->x.path, "an array of labels, as npy:X,Y");
    if (!path) return KELVIN_OK;
    const kelvin_status status = open_array(&s->y, path);
    return kelvin_npy_check_labels(status, &s->y.head, s->x.head.shape[0], path, s->x.path);
}

static kelvin_status open(kelvin_inputs *in)
{
    struct state *s = in->state;
    const char *test = kelvin_data_spec_value(&in->spec, "test-x");
    KELVIN_TRY(open_array(&s->x, test ? test : in->spec.files[0]));
    KELVIN_TRY(take_shape(in, s));
    if (!(s->aside = kelvin_alloc(in->like->inputs, sizeof *s->aside))) return KELVIN_ENOMEM;
    if (s->images) KELVIN_TRY(find_range(in, s));
    return open_labels(in, s, test ? kelvin_data_spec_value(&in->spec, "test-y") : in->spec.files[1]);
}

/* ---- rows ---- */

static kelvin_status take_images(kelvin_inputs *in, struct state *s, struct npy *piece)
{
    KELVIN_TRY(kelvin_npy_arrange(piece, s->x.path));
    kelvin_npy_image_bytes(in->bytes, piece, s->range, s->aside);
    kelvin_inputs_normalise(in);
    return KELVIN_OK;
}

static kelvin_status take_table(kelvin_inputs *in, struct state *s, const struct npy *piece)
{
    for (size_t i = 0; i < piece->shape[0]; i++) {
        const struct npy row = kelvin_npy_row(piece, i);
        KELVIN_TRY(kelvin_npy_values(s->aside, &row, in->before + i, s->x.path));
        float *x = in->x + i * in->like->inputs;
        KELVIN_TRY(kelvin_data_standardise(x, s->aside, in->like, s->x.path, "row", in->before + i + 1));
    }
    return KELVIN_OK;
}

static kelvin_status take_labels(kelvin_inputs *in, struct state *s)
{
    struct npy piece;
    KELVIN_TRY(read_rows(&s->y, &piece, in->before, in->most));
    KELVIN_TRY(kelvin_npy_labels(in->y, &piece, in->before, s->y.path));
    for (size_t i = 0; i < in->most; i++) {
        char where[KELVIN_PATH_MAX + 32], label[16];
        snprintf(label, sizeof label, "%d", (int)in->y[i]);
        in->y[i] = kelvin_labels_find_number(in->classes, in->y[i]);
        if (in->y[i] >= 0 || !in->labels) continue;
        snprintf(where, sizeof where, "%s: row %zu (from 1)", s->y.path, in->before + i + 1);
        return kelvin_inputs_no_class(in, where, label);
    }
    return KELVIN_OK;
}

static kelvin_status next(kelvin_inputs *in)
{
    struct state *s = in->state;
    struct npy piece;
    KELVIN_TRY(read_rows(&s->x, &piece, in->before, in->most));
    KELVIN_TRY(s->images ? take_images(in, s, &piece) : take_table(in, s, &piece));
    return in->labelled ? take_labels(in, s) : KELVIN_OK;
}

static void close_npy(kelvin_inputs *in)
{
    struct state *s = in->state;
    kelvin_free(s->aside);
    kelvin_free(s->x.buffer);
    kelvin_free(s->y.buffer);
}

static const struct data_type spec = {
    .member = KELVIN_MEMBER("npy", "npy:X[,Y][,test-x=FILE][,test-y=FILE][,split=SHARE][,seed=N]", NULL),
    .files = {"X", "Y"},
    .keys = {"test-x", "test-y", "split", "seed"},
    .optional = 1,
};

const struct inputs_type kelvin_inputs_npy = {&spec, sizeof(struct state), open, next, close_npy, NULL};
