/* New inputs: which kind they are, and what all kinds need. A kind fills rows, at most so many at a time; here are the
 * memory for them, their normalisation as in training, and the sentences of what does not fit. */
#include "data/inputs.h"
#include "base/needs.h"
#include "base/words.h"

#include "base/c_locale.h"
#include "data/picture.h"
#include "files/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- for the kinds ---- */

void kelvin_inputs_normalise(kelvin_inputs *in)
{
    kelvin_part_slice(in->normaliser, &(kelvin_part){.n = in->most, .bytes = in->bytes}, in->x, 0, in->most);
}

kelvin_status kelvin_inputs_add_note(kelvin_inputs *in, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* as in kelvin_fail */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    if (in->n_notes == INPUTS_NOTES) return KELVIN_OK;
    in->note[in->n_notes] = kelvin_arena_text(in->arena, text, strlen(text));
    return in->note[in->n_notes++] ? KELVIN_OK : KELVIN_ENOMEM;
}

const char *kelvin_inputs_note(const kelvin_inputs *in, size_t i)
{
    return i < in->n_notes ? in->note[i] : NULL;
}

struct shape {
    char text[96];
};

static struct shape shape(const kelvin_data *data)
{
    struct shape shape;
    if (data->channels > 0)
        snprintf(shape.text, sizeof shape.text, "images of %zu x %zu x %zu (channels x height x width)", data->channels,
                 data->height, data->width);
    else
        snprintf(shape.text, sizeof shape.text, "rows of %zu number%s", data->inputs, data->inputs == 1 ? "" : "s");
    return shape;
}

kelvin_status kelvin_inputs_check_shape(const char *path, const kelvin_data *own, const kelvin_data *like)
{
    if (own->inputs == like->inputs && own->channels == like->channels && own->height == like->height &&
        own->width == like->width)
        return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %s; the network takes %s", path, shape(own).text, shape(like).text);
}

struct names {
    const char *const *name; /* NULL: "0", "1", ... */
    size_t n;
};

static bool name_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct names *names = context;
    if (i >= names->n) return false;
    if (names->name)
        snprintf(name, KELVIN_NAME_SIZE, "%.63s", kelvin_text_shown(names->name[i]).text);
    else
        snprintf(name, KELVIN_NAME_SIZE, "%zu", i);
    return true;
}

void kelvin_inputs_list(char out[INPUTS_LIST], const char *const *names, size_t n)
{
    static const char more[] = ", ...";
    char name[KELVIN_NAME_SIZE];
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; name_at(name, &(struct names){names, n}, i); i++) {
        const size_t left = INPUTS_LIST - sizeof more - used;
        const int length = snprintf(out + used, left, "%s'%s'", i ? ", " : "", name);
        if (length < 0 || (size_t)length >= left) {
            snprintf(out + used, sizeof more, "%s", more);
            return;
        }
        used += (size_t)length;
    }
}

bool kelvin_inputs_near(char out[KELVIN_SUGGESTION], const char *word, const char *const *names, size_t n)
{
    kelvin_suggest(out, word, name_at, &(struct names){names, n});
    return strncmp(out, "did", 3) == 0;
}

kelvin_status kelvin_inputs_no_class(const kelvin_inputs *in, const char *where, const char *label)
{
    char hint[KELVIN_SUGGESTION], names[INPUTS_LIST];
    const struct text_shown shown = kelvin_text_shown(label);
    const bool near = kelvin_inputs_near(hint, shown.text, in->like->class_names, in->like->classes);
    kelvin_inputs_list(names, in->like->class_names, in->like->classes);
    return kelvin_fail(KELVIN_EFORMAT, "%s: the label '%s' is none of the %zu classes of the network; %s%s", where,
                       shown.text, in->like->classes, near ? hint : "expected one of: ", near ? "" : names);
}

kelvin_status kelvin_inputs_no_labels(const char *where, const char *expected)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: has no labels; expected %s", where, expected);
}

/* ---- which kind ---- */

static const struct {
    const char *suffix;
    const struct inputs_type *type;
} suffixes[] = {{".csv", &kelvin_inputs_csv},      {".tsv", &kelvin_inputs_csv},      {".txt", &kelvin_inputs_csv},
                {".npy", &kelvin_inputs_npy},      {".png", &kelvin_inputs_pictures}, {".jpg", &kelvin_inputs_pictures},
                {".jpeg", &kelvin_inputs_pictures}};

static bool npy_is(const void *file, size_t bytes)
{
    return bytes >= 6 && memcmp(file, "\x93NUMPY", 6) == 0;
}

static const struct {
    bool (*is)(const void *file, size_t bytes);
    const struct inputs_type *type;
} contents[] = {
    {npy_is, &kelvin_inputs_npy}, {kelvin_png_is, &kelvin_inputs_pictures}, {kelvin_jpeg_is, &kelvin_inputs_pictures}};

/* A data set by its name: in pieces where that is possible, else as a whole. */
static kelvin_status choose_named(kelvin_inputs *in, const struct inputs_type *pieces)
{
    in->type = &kelvin_inputs_part;
    if (!pieces) return KELVIN_OK;
    KELVIN_TRY(kelvin_data_spec_parse(&in->spec, pieces->spec, in->text));
    if (!kelvin_data_spec_value(&in->spec, "split")) in->type = pieces;
    return KELVIN_OK;
}

/* By the name's end, or else by the first bytes; what is none of the others is text. */
static kelvin_status choose_file(kelvin_inputs *in, const struct stat *about)
{
    const char *dot = strrchr(in->text, '.');
    char head[16] = "";
    in->type = S_ISDIR(about->st_mode) ? &kelvin_inputs_pictures : &kelvin_inputs_csv;
    if (!S_ISREG(about->st_mode)) return KELVIN_OK;
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i].suffix) == 0) return in->type = suffixes[i].type, KELVIN_OK;
    const size_t bytes = about->st_size < (off_t)sizeof head ? (size_t)about->st_size : sizeof head;
    KELVIN_TRY(kelvin_file_read_part(head, in->text, 0, bytes));
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        if (contents[i].is(head, bytes)) in->type = contents[i].type;
    return KELVIN_OK;
}

static kelvin_status spell(kelvin_inputs *in)
{
    char *text;
    if (!strchr(in->text, ',')) return KELVIN_OK;
    KELVIN_TRY(kelvin_data_spell(&text, in->text));
    in->text = kelvin_arena_text(in->arena, text, strlen(text));
    kelvin_free(text);
    return in->text ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status choose(kelvin_inputs *in)
{
    struct stat about;
    if (stat(in->text, &about) != 0) KELVIN_TRY(spell(in)); /* FILE.csv,label=COLUMN */
    const struct data_type *type = kelvin_data_find_type(in->text);
    if (type) return choose_named(in, type->inputs);
    in->file = in->spec.files[0] = in->text;
    if (strcmp(in->text, "-") == 0) return in->type = &kelvin_inputs_csv, KELVIN_OK;
    if (stat(in->text, &about) == 0) return choose_file(in, &about);
    return kelvin_fail(KELVIN_EIO,
                       "'%s' is neither a file that can be read nor a data set that is known; " KELVIN_REFER(
                           LIST, "data_sets") " lists these",
                       in->text);
}

/* ---- opening ---- */

static kelvin_status create(kelvin_inputs **out, const kelvin_data *like)
{
    kelvin_inputs *in = *out = kelvin_alloc(1, sizeof *in);
    if (!in) return KELVIN_ENOMEM;
    in->like = like;
    in->rows = SIZE_MAX;
    return kelvin_arena_create(&in->arena);
}

static kelvin_status set_type(kelvin_inputs *in, const struct inputs_type *type)
{
    in->type = type;
    in->state = kelvin_arena_alloc(in->arena, 1, type->state);
    return in->state ? KELVIN_OK : KELVIN_ENOMEM;
}

/* What could not be opened is closed. */
static kelvin_status finish(kelvin_inputs **in, kelvin_status status)
{
    if (status) {
        kelvin_inputs_close(*in);
        *in = NULL;
    }
    return status;
}

static kelvin_status prepare(kelvin_inputs *in, const char *text)
{
    const kelvin_data *like = in->like;
    if (!(in->text = kelvin_arena_text(in->arena, text, strlen(text)))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_labels_know(&in->classes, in->arena, like->class_names, like->classes));
    if (like->channels == 0) return KELVIN_OK;
    kelvin_data bytes = *like;
    bytes.white = 255;
    return kelvin_data_describe(&in->normaliser, &bytes);
}

static kelvin_status open_kind(kelvin_inputs *in, const char *text)
{
    KELVIN_TRY(prepare(in, text));
    KELVIN_TRY(choose(in));
    KELVIN_TRY(set_type(in, in->type));
    return in->type->open(in);
}

kelvin_status kelvin_inputs_open(kelvin_inputs **in, const char *spec, const kelvin_data *like, bool labels)
{
    KELVIN_NEEDS(in);
    *in = NULL;
    KELVIN_NEEDS(spec);
    KELVIN_NEEDS(like);
    kelvin_status status = create(in, like);
    if (!status) {
        (*in)->labels = labels;
        locale_t c, before = enter_c_locale(&c);
        status = open_kind(*in, spec);
        leave_c_locale(c, before);
    }
    return finish(in, status);
}

kelvin_status kelvin_inputs_of(kelvin_inputs **in, const kelvin_data *data, const kelvin_part *part)
{
    kelvin_status status = create(in, data);
    if (!status) status = set_type(*in, &kelvin_inputs_part);
    if (!status) kelvin_inputs_part_of(*in, data, part);
    return finish(in, status);
}

kelvin_status kelvin_inputs_from_rows(kelvin_inputs **in, const kelvin_new_rows *rows, const kelvin_data *like)
{
    KELVIN_NEEDS(rows);
    kelvin_status status = create(in, like);
    if (!status) status = set_type(*in, &kelvin_inputs_array);
    if (!status) status = kelvin_inputs_array_of(*in, rows);
    return finish(in, status);
}

kelvin_status kelvin_inputs_from_array(kelvin_inputs **in, const float *x, const uint8_t *bytes, const int32_t *labels,
                                       size_t rows, const kelvin_data *like)
{
    return kelvin_inputs_from_rows(in, &(kelvin_new_rows){rows, x, NULL, bytes, labels}, like);
}

bool kelvin_inputs_labelled(const kelvin_inputs *in)
{
    return in->labelled;
}

/* ---- rows ---- */

static void free_rows(kelvin_inputs *in)
{
    kelvin_free(in->x);
    kelvin_free(in->bytes);
    kelvin_free(in->y);
    kelvin_free(in->names);
    kelvin_free(in->kept.at);
}

/* Memory for `rows` of them. */
static kelvin_status reserve(kelvin_inputs *in, size_t rows)
{
    if (rows <= in->room) return KELVIN_OK;
    free_rows(in);
    in->room = 0;
    in->x = kelvin_alloc(rows * in->like->inputs, sizeof *in->x);
    in->bytes = kelvin_alloc(in->like->channels > 0 ? rows : 0, in->like->inputs);
    in->y = kelvin_alloc(rows, sizeof *in->y);
    in->names = kelvin_alloc(rows, sizeof *in->names);
    in->kept.at = kelvin_alloc(rows * in->kept.n, sizeof *in->kept.at);
    if (!in->x || !in->bytes || !in->y || !in->names || !in->kept.at) return KELVIN_ENOMEM;
    in->room = rows;
    return KELVIN_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

kelvin_status kelvin_inputs_next(kelvin_inputs *in, kelvin_rows *rows, size_t most)
{
    enum { FLOATS = 1 << 22, ROWS = 1 << 16 }; /* of one call */
    const size_t inputs = in->like->inputs;
    *rows = (kelvin_rows){0};
    most = smaller(most, smaller(inputs < FLOATS ? FLOATS / inputs : 1, ROWS));
    if (most == 0) return KELVIN_OK;
    KELVIN_TRY(reserve(in, most));
    in->n = in->most = smaller(most, in->rows - in->before);
    in->kept.used = 0;
    in->shown = NULL;
    for (size_t i = 0; i < most; i++) in->y[i] = -1;
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = in->n > 0 ? in->type->next(in) : KELVIN_OK;
    leave_c_locale(c, before);
    if (status) return status;
    *rows = (kelvin_rows){in->n, in->before, in->shown ? in->shown : in->x, in->y,
                          in->n > 0 && in->names[0] ? in->names : NULL};
    in->before += in->n;
    return KELVIN_OK;
}

void kelvin_inputs_close(kelvin_inputs *in)
{
    if (!in) return;
    if (in->type && in->state) in->type->close(in);
    free_rows(in);
    kelvin_free(in->kept.text);
    kelvin_data_spec_free(&in->spec);
    kelvin_data_close(in->normaliser);
    kelvin_arena_destroy(in->arena);
    kelvin_free(in);
}
