/* Samples of a run, read one at a time, or some parameters of many of them. One file of draws at a time is in memory.
 */
#include "run/remedy.h"
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

static kelvin_status too_few(const char *path, uint32_t draws, uint32_t expected)
{
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %u draws; expected one of number %u (from 0)", path, draws, expected);
}

/* A file that is there, and as the run left it. */
static kelvin_status find_file(kelvin_path path, const kelvin_samples *s, uint32_t chain,
                               const struct kelvin_draw_place *place)
{
    bool there;
    KELVIN_TRY(kelvin_path_join(path, s->folder, "%s", place->name));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (there) return kelvin_run_vouch(s->run, s->folder, place->name);
    return kelvin_remedy_chain(kelvin_fail(KELVIN_EFORMAT, "%s is missing", path), s->run, s->folder, chain);
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

/* The file that a draw is in becomes the open one. */
static kelvin_status open_file(const kelvin_samples *s, uint32_t chain, const struct kelvin_draw_place *place)
{
    struct kelvin_samples_owned *owned = s->owned;
    kelvin_path path;
    if (owned->file.file && owned->chain == chain && owned->number == place->number) return KELVIN_OK;
    kelvin_bundle_close(&owned->file);
    KELVIN_TRY(find_file(path, s, chain, place));
    KELVIN_TRY(kelvin_remedy_chain(kelvin_bundle_open(&owned->file, s->folder, s->run, chain, place), s->run, s->folder,
                                   chain));
    owned->chain = chain;
    owned->number = place->number;
    return KELVIN_OK;
}

static kelvin_status read_from_file(const kelvin_samples *s, float *theta, uint32_t chain, uint32_t draw)
{
    const struct kelvin_samples_owned *owned = s->owned;
    const struct kelvin_draw_place place = kelvin_draw_place(s->run, chain, draw);
    kelvin_path path;
    KELVIN_TRY(open_file(s, chain, &place));
    KELVIN_TRY(kelvin_path_join(path, s->folder, "%s", place.name));
    kelvin_status status = KELVIN_OK;
    if (place.index < owned->file.draws) {
        kelvin_bundle_theta(theta, &owned->file, s->run->model, place.index);
        status = check_finite(theta, s->run->model, path);
    } else {
        status = too_few(path, owned->file.draws, place.index);
    }
    return kelvin_remedy_chain(status, s->run, s->folder, chain);
}

kelvin_status kelvin_samples_pass(kelvin_samples *s, float *theta, size_t i)
{
    const uint32_t chain = s->chain[i], draw = kelvin_run_warmup(s->run) + s->draw[i];
    const size_t n = s->run->model->n_params;
    if (s->run->folder) return read_from_file(s, theta, chain, draw);
    memcpy(theta, kelvin_run_inside(s->run)->kept[chain].draw + draw * n, n * sizeof *theta);
    return KELVIN_OK;
}

/* Few enough are kept: they are asked for again and again. */
static kelvin_status alloc_cache(const kelvin_samples *s, struct kelvin_samples_owned *owned)
{
    const size_t n_params = s->run->model->n_params;
    if (s->n > CACHE_BYTES / sizeof *owned->cache / n_params) return KELVIN_OK;
    if (!owned->cached) owned->cached = kelvin_alloc(s->n, sizeof *owned->cached); /* there, if the rest had failed */
    owned->cache = owned->cached ? kelvin_alloc(s->n * n_params, sizeof *owned->cache) : NULL;
    return owned->cache ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_samples_read(kelvin_samples *s, float *theta, size_t i)
{
    struct kelvin_samples_owned *owned = s->owned;
    const size_t n = s->run->model->n_params;
    if (!owned->cache && s->run->folder) KELVIN_TRY(alloc_cache(s, owned));
    if (!owned->cache) return kelvin_samples_pass(s, theta, i);
    float *kept = owned->cache + i * n;
    if (!owned->cached[i]) KELVIN_TRY(kelvin_samples_pass(s, kept, i));
    owned->cached[i] = true;
    memcpy(theta, kept, n * sizeof *theta);
    return KELVIN_OK;
}

/* ---- some parameters of many samples ---- */

/* Where they go: parameters first .. first + n - 1 of draw d to x[d], x[stride + d], ... */
struct columns {
    double *x;
    size_t stride, first, n;
    float *buffer; /* some draws of a tensor, or one of the n parameters */
};

enum { BUFFER = 1 << 14 };

/* Columns of a table (rows, width) that begins at `from`. */
static void pick(double *x, size_t stride, const float *from, size_t width, size_t rows, size_t n)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < n; i++) x[i * stride + r] = (double)from[r * width + i];
}

/* Part of a file: some draws. */
struct part {
    const char *path;
    const struct kelvin_bundle_file *file;
    uint32_t draw;
    size_t draws;
};

/* Values first .. first + n - 1 of a tensor, whose data begin at byte `at`. */
static kelvin_status read_tensor(const struct part *part, const struct columns *c, double *x, size_t at,
                                 const kelvin_tensor *tensor, size_t first, size_t n)
{
    const size_t size = kelvin_tensor_size(tensor), fit = BUFFER / size > 0 ? BUFFER / size : 1;
    for (size_t d = 0, rows; d < part->draws; d += rows) {
        rows = part->draws - d < fit ? part->draws - d : fit;
        const size_t span = (rows - 1) * size + n;
        KELVIN_TRY(kelvin_file_read_part(c->buffer, part->path, at + ((part->draw + d) * size + first) * sizeof(float),
                                         span * sizeof(float)));
        const bool good = all_finite(c->buffer, span);
        for (size_t i = 0; i < span && !good; i++) /* of those between, who reads them will tell */
            if (i % size < n && !isfinite(c->buffer[i]))
                return not_finite(part->path, tensor, first + i % size, c->buffer[i]);
        pick(x + d, c->stride, c->buffer, size, rows, n);
    }
    return KELVIN_OK;
}

/* From every tensor that has some of the parameters. */
static kelvin_status read_part(const struct part *part, const struct columns *c, double *x, const kelvin_model *model)
{
    const size_t draws = part->file->draws, end = c->first + c->n;
    if (part->draw + part->draws > draws)
        return too_few(part->path, part->file->draws, part->draw > draws ? part->draw : part->file->draws);
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t behind = tensor->offset + kelvin_tensor_size(tensor);
        const size_t from = c->first > tensor->offset ? c->first : tensor->offset, to = end < behind ? end : behind;
        const struct kelvin_array array = kelvin_name_tensor(model, t, "", &draws);
        size_t at;
        if (from >= to) continue;
        KELVIN_TRY(kelvin_tensors_offset(&at, part->file->file, &array));
        KELVIN_TRY(
            read_tensor(part, c, x + (from - c->first) * c->stride, at, tensor, from - tensor->offset, to - from));
    }
    return KELVIN_OK;
}

/* A file that no manifest vouches for has a checksum of its own, which is looked at once: with the first parameter. */
static kelvin_status check_own(const kelvin_samples *s, const struct columns *c, uint32_t chain,
                               const struct kelvin_draw_place *place)
{
    const struct kelvin_manifest *manifest = kelvin_run_inside(s->run)->manifest;
    struct kelvin_bundle_file file;
    if (c->first > 0 || (manifest && kelvin_manifest_has(manifest, place->name))) return KELVIN_OK;
    KELVIN_TRY(kelvin_bundle_open(&file, s->folder, s->run, chain, place));
    kelvin_bundle_close(&file);
    return KELVIN_OK;
}

/* *n gets how many samples from the i-th on are in its file, and were read. */
static kelvin_status read_file(const kelvin_samples *s, const struct columns *c, double *x, size_t i, size_t most,
                               size_t *n)
{
    const uint32_t chain = s->chain[i];
    const struct kelvin_draw_place place = kelvin_draw_place(s->run, chain, kelvin_run_warmup(s->run) + s->draw[i]);
    const size_t beside = kelvin_samples_beside(s, i, &place);
    struct kelvin_bundle_file file = {0};
    kelvin_path path;
    *n = beside < most ? beside : most;
    KELVIN_TRY(find_file(path, s, chain, &place));
    kelvin_status status = check_own(s, c, chain, &place);
    if (!status) status = kelvin_bundle_peek(&file, s->folder, s->run, chain, &place);
    if (!status) status = read_part(&(struct part){path, &file, place.index, *n}, c, x, s->run->model);
    kelvin_bundle_close(&file);
    return kelvin_remedy_chain(status, s->run, s->folder, chain);
}

static kelvin_status read_files(const kelvin_samples *s, const struct columns *c, size_t sample, size_t draws)
{
    for (size_t d = 0, n; d < draws; d += n) KELVIN_TRY(read_file(s, c, c->x + d, sample + d, draws - d, &n));
    return KELVIN_OK;
}

kelvin_status kelvin_samples_columns(const kelvin_samples *s, double *x, size_t stride, size_t sample, size_t draws,
                                     size_t first, size_t n)
{
    const size_t width = s->run->model->n_params, draw = kelvin_run_warmup(s->run) + s->draw[sample];
    struct columns c = {.x = x, .stride = stride, .first = first, .n = n};
    if (!s->run->folder) {
        pick(x, stride, kelvin_run_inside(s->run)->kept[s->chain[sample]].draw + draw * width + first, width, draws, n);
        return KELVIN_OK;
    }
    if (!(c.buffer = kelvin_alloc(n > BUFFER ? n : BUFFER, sizeof *c.buffer))) return KELVIN_ENOMEM;
    const kelvin_status status = read_files(s, &c, sample, draws);
    kelvin_free(c.buffer);
    return status;
}
