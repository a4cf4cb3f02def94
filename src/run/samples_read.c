/* Samples of a run, read one at a time, or some parameters of many of them. One file of draws at a time is in memory.
 */
#include "base/needs.h"
#include "run/folder.h"
#include "run/samples.h"

#include <math.h>

enum { CACHE_BYTES = 8 << 20 }; /* samples that all fit in here are read once */

/* ---- files ---- */

/* Without a branch per number: samples are looked at as often as they are read. */
static bool all_finite(const float *x, size_t n)
{
    const uint32_t exponent = UINT32_C(0x7f800000);
    uint32_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return bad == 0;
}

static kelvin_status not_finite(const char *path, const kelvin_tensor *tensor, size_t i, float value)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\", value %zu (from 0) is %g; expected a number", path,
                       tensor->name, i, (double)value);
}

static kelvin_status too_few(const char *path, size_t draws, size_t expected)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu draws; expected one of number %zu (from 0)", path, draws, expected);
}

/* A file that is there, and as the run left it. */
static kelvin_status open_file(struct kelvin_bundle_file *file, kelvin_path path, const kelvin_run *run,
                               const struct kelvin_draw_place *place, bool whole)
{
    bool there;
    KELVIN_TRY(kelvin_find_file(path, &there, run->folder, "%s", place->name));
    if (!there) return kelvin_remedy_chain(kelvin_fail(KELVIN_EFORMAT, "%s is missing", path), run, place->chain);
    KELVIN_TRY(kelvin_run_vouch(run, place->name));
    return kelvin_bundle_open(file, run, place, whole);
}

/* ---- one sample ---- */

static kelvin_status check_finite(const float *theta, const kelvin_model *model, const char *path)
{
    if (all_finite(theta, model->n_params)) return KELVIN_OK;
    for (const kelvin_tensor *t = model->tensor; t < model->tensor + model->n_tensors; t++)
        for (size_t i = 0; i < kelvin_tensor_size(t); i++)
            if (!isfinite(theta[t->offset + i])) return not_finite(path, t, i, theta[t->offset + i]);
    return KELVIN_OK;
}

/* From its file, which stays open: the next samples are in it. */
static kelvin_status read_from_file(const kelvin_samples *s, float *theta, size_t i)
{
    struct kelvin_samples_owned *owned = s->owned;
    const struct kelvin_draw_place place = kelvin_sample_place(s, i);
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, s->folder, "%s", place.name));
    if (!owned->file.file || strcmp(owned->place.name, place.name) != 0) {
        kelvin_bundle_close(&owned->file);
        owned->place = place;
        KELVIN_TRY(open_file(&owned->file, path, s->run, &place, true));
    }
    if (place.index >= owned->file.draws)
        return kelvin_remedy_chain(too_few(path, owned->file.draws, place.index), s->run, s->chain[i]);
    kelvin_bundle_theta(theta, &owned->file, s->run->model, place.index);
    return kelvin_remedy_chain(check_finite(theta, s->run->model, path), s->run, s->chain[i]);
}

/* Few enough are kept: they are asked for again and again, but by the run itself, for its logits. */
static kelvin_status read_once(const kelvin_samples *s, float *theta, size_t i)
{
    struct kelvin_samples_owned *owned = s->owned;
    const size_t n = s->run->model->n_params;
    if (!owned->owns_run || s->n > CACHE_BYTES / sizeof *theta / n) return read_from_file(s, theta, i);
    if (!owned->cached) owned->cached = kelvin_arena_alloc(owned->arena, s->n, sizeof *owned->cached);
    if (!owned->cache) owned->cache = kelvin_alloc(s->n * n, sizeof *owned->cache);
    if (!owned->cached || !owned->cache) return KELVIN_ENOMEM;
    if (!owned->cached[i]) KELVIN_TRY(read_from_file(s, owned->cache + i * n, i));
    owned->cached[i] = true;
    memcpy(theta, owned->cache + i * n, n * sizeof *theta);
    return KELVIN_OK;
}

kelvin_status kelvin_samples_read(kelvin_samples *s, float *theta, size_t i)
{
    KELVIN_NEEDS(s);
    KELVIN_NEEDS(theta);
    const struct kelvin_bundle *kept = kelvin_run_inside(s->run)->kept;
    const kelvin_model *model = s->run->model;
    if (!kept) return read_once(s, theta, i);
    for (const kelvin_tensor *t = model->tensor; t < model->tensor + model->n_tensors; t++)
        memcpy(theta + t->offset, kelvin_bundle_at(&kept[s->chain[i]], t, kelvin_run_warmup(s->run) + s->draw[i]),
               kelvin_tensor_size(t) * sizeof *theta);
    return KELVIN_OK;
}

/* ---- some parameters of many samples ---- */

/* Parameters first .. first + n - 1 of draw d go to x[d], x[stride + d], ... */
struct columns {
    double *x;
    size_t stride, first, n;
    float *buffer; /* some draws of a tensor, or one of the n parameters */

    /* where they are, from a draw on: in memory, or in a file */
    const struct kelvin_bundle *kept;
    const char *path;
    struct kelvin_bundle_file file;
    size_t draw, draws;
};

enum { BUFFER = 1 << 14 };

/* Columns of a table (rows, width) that begins at `from`. */
static void pick(double *x, size_t stride, const float *from, size_t width, size_t rows, size_t n)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < n; i++) x[i * stride + r] = (double)from[r * width + i];
}

/* Values first .. first + n - 1 of a tensor, some draws at a time. */
static kelvin_status read_tensor(const struct columns *c, double *x, const kelvin_model *model, size_t t, size_t first,
                                 size_t n)
{
    const kelvin_tensor *tensor = &model->tensor[t];
    const size_t size = kelvin_tensor_size(tensor), fit = BUFFER / size > 0 ? BUFFER / size : 1;
    const struct kelvin_array array = kelvin_name_tensor(model, t, "", NULL);
    size_t at;
    KELVIN_TRY(kelvin_tensors_offset(&at, c->file.file, &array));
    for (size_t d = 0, rows; d < c->draws; d += rows) {
        rows = c->draws - d < fit ? c->draws - d : fit;
        const size_t span = (rows - 1) * size + n;
        KELVIN_TRY(kelvin_file_read_part(c->buffer, c->path, at + ((c->draw + d) * size + first) * sizeof(float),
                                         span * sizeof(float)));
        const bool good = all_finite(c->buffer, span);
        for (size_t i = 0; i < span && !good; i++) /* of those between, who reads them will tell */
            if (i % size < n && !isfinite(c->buffer[i]))
                return not_finite(c->path, tensor, first + i % size, c->buffer[i]);
        pick(x + d, c->stride, c->buffer, size, rows, n);
    }
    return KELVIN_OK;
}

/* From every tensor that has some of the parameters. */
static kelvin_status read_tensors(const struct columns *c, const kelvin_model *model)
{
    const size_t end = c->first + c->n;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t size = kelvin_tensor_size(tensor), behind = tensor->offset + size;
        const size_t from = c->first > tensor->offset ? c->first : tensor->offset, to = end < behind ? end : behind;
        double *x = c->x + (from - c->first) * c->stride;
        if (from >= to) continue;
        if (!c->kept)
            KELVIN_TRY(read_tensor(c, x, model, t, from - tensor->offset, to - from));
        else
            pick(x, c->stride, kelvin_bundle_at(c->kept, tensor, c->draw) + from - tensor->offset, size, c->draws,
                 to - from);
    }
    return KELVIN_OK;
}

/* Those of `most` samples from the i-th on that are in its file: c->draws of them. A file that no manifest vouches for
 * has a checksum of its own, which is looked at once: with the first parameter. */
static kelvin_status read_file(struct columns *c, const kelvin_samples *s, size_t i, size_t most)
{
    const struct kelvin_draw_place place = kelvin_sample_place(s, i);
    const size_t beside = kelvin_samples_beside(s, i);
    const bool whole = c->first == 0 && !kelvin_run_lists(s->run, place.name);
    kelvin_path path;
    c->path = path;
    c->draw = place.index;
    c->draws = beside < most ? beside : most;
    KELVIN_TRY(open_file(&c->file, path, s->run, &place, whole));
    const size_t there = c->file.draws;
    const kelvin_status status = c->draw + c->draws > there ? too_few(path, there, c->draw > there ? c->draw : there)
                                                            : read_tensors(c, s->run->model);
    kelvin_bundle_close(&c->file);
    return kelvin_remedy_chain(status, s->run, place.chain);
}

kelvin_status kelvin_samples_columns(const kelvin_samples *s, double *x, size_t stride, size_t sample, size_t draws,
                                     size_t first, size_t n)
{
    const struct kelvin_bundle *kept = kelvin_run_inside(s->run)->kept;
    struct columns c = {.x = x, .stride = stride, .first = first, .n = n, .draws = draws};
    if (kept) {
        c.kept = &kept[s->chain[sample]];
        c.draw = kelvin_run_warmup(s->run) + s->draw[sample];
        return read_tensors(&c, s->run->model);
    }
    if (!(c.buffer = kelvin_alloc(n > BUFFER ? n : BUFFER, sizeof *c.buffer))) return KELVIN_ENOMEM;
    kelvin_status status = KELVIN_OK;
    for (size_t end = sample + draws; sample < end && !status; sample += c.draws, c.x += c.draws)
        status = read_file(&c, s, sample, end - sample);
    kelvin_free(c.buffer);
    return status;
}
