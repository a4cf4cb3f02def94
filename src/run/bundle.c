/* Draws in memory and in files. A tensor is one block of all draws, (draws, ...), beside "history" (rows, columns).
 * Nothing of a file depends on when it was written. */
#include "run/bundle.h"

#include "run/folder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY "history"

/* ---- in memory ---- */

/* Rows until a bundle is full: cycles differ by one row at most. */
static size_t most_rows(const kelvin_run *run)
{
    const uint64_t draws = kelvin_run_draws(run), rows = kelvin_run_rows(run);
    const uint64_t fit = (rows + draws - 1) / draws * kelvin_run_bundle_draws(run);
    return fit < rows ? fit : rows;
}

static size_t most_draws(const kelvin_run *run)
{
    const uint32_t draws = kelvin_run_draws(run), fit = kelvin_run_bundle_draws(run);
    return draws < fit ? draws : fit;
}

size_t kelvin_bundle_bytes(const kelvin_run *run)
{
    return most_rows(run) * kelvin_run_width(run) * sizeof(double) +
           most_draws(run) * run->model->n_params * sizeof(float);
}

kelvin_status kelvin_bundle_create(struct kelvin_bundle *b, const kelvin_run *run)
{
    *b = (struct kelvin_bundle){.room = most_draws(run)};
    b->row = kelvin_alloc(most_rows(run), kelvin_run_width(run) * sizeof *b->row);
    b->draw = kelvin_alloc(b->room, run->model->n_params * sizeof *b->draw);
    return b->row && b->draw ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_bundle_free(struct kelvin_bundle *b)
{
    kelvin_free(b->row);
    kelvin_free(b->draw);
    *b = (struct kelvin_bundle){0};
}

void kelvin_bundle_place(struct kelvin_bundle *b, const kelvin_run *run, uint32_t step, bool ended)
{
    const uint32_t rows = step / kelvin_run_row_steps(run), draws = kelvin_run_draws_by(run, rows);
    const uint32_t fit = kelvin_run_bundle_draws(run);
    b->first_draw = ended ? draws : draws / fit * fit;
    b->first_row = ended ? rows : b->first_draw ? kelvin_run_draw_row(run, b->first_draw - 1) + 1 : 0;
    b->rows = rows - b->first_row;
    b->draws = draws - b->first_draw;
}

void kelvin_bundle_add(struct kelvin_bundle *b, const kelvin_run *run, const double *row, const float *theta)
{
    const size_t columns = kelvin_run_width(run);
    const kelvin_model *model = run->model;
    memcpy(b->row + b->rows++ * columns, row, columns * sizeof *row);
    if (kelvin_run_draws_by(run, b->first_row + b->rows) == b->first_draw + b->draws) return;
    for (const kelvin_tensor *t = model->tensor; t < model->tensor + model->n_tensors; t++)
        memcpy(kelvin_bundle_at(b, t, b->draws), theta + t->offset, kelvin_tensor_size(t) * sizeof *theta);
    b->draws++;
}

bool kelvin_bundle_full(const struct kelvin_bundle *b, const kelvin_run *run)
{
    return b->draws == kelvin_run_bundle_draws(run);
}

/* ---- notes ---- */

struct kelvin_note kelvin_note_number(const char *name, uint64_t value)
{
    struct kelvin_note note = {.name = name};
    snprintf(note.number, sizeof note.number, "%" PRIu64, value);
    return note;
}

kelvin_status kelvin_note_read(uint64_t *value, const struct kelvin_tensors *file, const char *path, const char *name,
                               uint64_t lowest, uint64_t highest)
{
    const char *text;
    char *end;
    KELVIN_TRY(kelvin_tensors_note(&text, file, name));
    *value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && *value >= lowest && *value <= highest) return KELVIN_OK;
    if (lowest == highest)
        return kelvin_fail(KELVIN_EFORMAT, "%s: \"%s\" is \"%.40s\", expected %" PRIu64, path, name, text, lowest);
    return kelvin_fail(KELVIN_EFORMAT, "%s: \"%s\" is \"%.40s\", expected a number from %" PRIu64 " to %" PRIu64, path,
                       name, text, lowest, highest);
}

kelvin_status kelvin_note_check(const struct kelvin_tensors *file, const char *path, const kelvin_run *run,
                                uint32_t chain)
{
    const uint64_t seed = run->config.seed;
    const char *config;
    uint64_t value;
    KELVIN_TRY(kelvin_note_read(&value, file, path, "seed", seed, seed));
    KELVIN_TRY(kelvin_note_read(&value, file, path, "chain", chain, chain));
    if (kelvin_run_is_old(run) && !run->sampler->batches) return KELVIN_OK; /* such files had no more */
    KELVIN_TRY(kelvin_tensors_note(&config, file, "config"));
    if (strcmp(config, kelvin_run_inside(run)->mark) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: is of another run, or " KELVIN_CONFIG_NAME " has changed since (then put that back)", path);
}

/* ---- writing ---- */

struct kelvin_array kelvin_name_tensor(const kelvin_model *model, size_t t, const char *prefix, const size_t *draws)
{
    const kelvin_tensor *tensor = &model->tensor[t];
    const size_t lead = draws ? 1 : 0;
    struct kelvin_array array = {.dtype = KELVIN_F32, .ndim = tensor->ndim + lead};
    snprintf(array.name, sizeof array.name, "%s%s", prefix, tensor->name);
    if (draws) array.shape[0] = *draws;
    memcpy(array.shape + lead, tensor->shape, tensor->ndim * sizeof *tensor->shape);
    return array;
}

void kelvin_bundle_arrays(struct kelvin_array *arrays, const struct kelvin_bundle *b, const kelvin_run *run,
                          const char *prefix)
{
    const kelvin_model *model = run->model;
    const size_t draws = b->draws;
    for (size_t t = 0; t < model->n_tensors; t++) {
        arrays[t] = kelvin_name_tensor(model, t, prefix, &draws);
        arrays[t].data = kelvin_bundle_at(b, &model->tensor[t], 0);
    }
}

static kelvin_status write_file(const struct kelvin_bundle *b, const kelvin_run *run, uint32_t chain)
{
    const struct kelvin_draw_place place = kelvin_draw_place(run, chain, b->first_draw);
    const uint32_t warmup = kelvin_run_warmup(run), left = warmup > b->first_draw ? warmup - b->first_draw : 0;
    const struct kelvin_note notes[] = {
        {.name = "config", .text = kelvin_run_inside(run)->mark},
        kelvin_note_number("seed", run->config.seed),
        kelvin_note_number("chain", chain),
        kelvin_note_number("number", place.number),
        kelvin_note_number("warmup", left < b->draws ? left : b->draws),
    };
    const size_t n = 1 + run->model->n_tensors;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", place.name));
    struct kelvin_array *arrays = kelvin_alloc(n, sizeof *arrays);
    if (!arrays) return KELVIN_ENOMEM;
    /* first: its numbers are larger, and must lie at multiples of their size when the file is in memory */
    arrays[0] = (struct kelvin_array){
        .name = HISTORY, .dtype = KELVIN_F64, .ndim = 2, .shape = {b->rows, kelvin_run_width(run)}, .data = b->row};
    kelvin_bundle_arrays(arrays + 1, b, run, ""); /* no draws: the chain diverged before its first */
    const kelvin_status status = kelvin_tensors_write(path, arrays, n, notes, sizeof notes / sizeof *notes);
    kelvin_free(arrays);
    return status;
}

kelvin_status kelvin_bundle_write(struct kelvin_bundle *b, const kelvin_run *run, uint32_t chain)
{
    struct kelvin_bundle *kept = kelvin_run_inside(run)->kept;
    if (b->rows == 0) return KELVIN_OK;
    if (kept) {
        kept[chain] = *b;
        *b = (struct kelvin_bundle){0};
        return KELVIN_OK;
    }
    KELVIN_TRY(write_file(b, run, chain));
    b->first_row += b->rows;
    b->first_draw += b->draws;
    b->rows = b->draws = 0;
    return KELVIN_OK;
}

/* ---- reading ---- */

uint32_t kelvin_file_draws(const kelvin_run *run)
{
    return !kelvin_run_is_old(run) ? kelvin_run_bundle_draws(run) : run->sampler->batches ? 1 : UINT32_MAX;
}

struct kelvin_draw_place kelvin_draw_place(const kelvin_run *run, uint32_t chain, uint32_t draw)
{
    const bool old = kelvin_run_is_old(run);
    const uint32_t fit = kelvin_file_draws(run);
    struct kelvin_draw_place place = {.chain = chain, .number = draw / fit, .index = draw % fit};
    if (!old)
        snprintf(place.name, sizeof place.name, KELVIN_BUNDLE_FILE, chain, place.number);
    else if (run->sampler->batches)
        snprintf(place.name, sizeof place.name, KELVIN_SAMPLE_FILE, chain, place.number);
    else
        snprintf(place.name, sizeof place.name, KELVIN_DRAWS_FILE, chain);
    return place;
}

uint32_t kelvin_bundle_files(const kelvin_run *run, uint32_t step, bool ended)
{
    struct kelvin_bundle b;
    kelvin_bundle_place(&b, run, step, false);
    return b.first_draw / kelvin_run_bundle_draws(run) + (ended && b.rows > 0);
}

/* All tensors have as many draws as the first, and the shapes of the model. */
static kelvin_status find_tensors(struct kelvin_bundle_file *b, const char *path, const kelvin_run *run)
{
    const kelvin_model *model = run->model;
    const bool single = kelvin_run_is_old(run) && run->sampler->batches;
    if (!(b->tensor = kelvin_alloc(model->n_tensors, sizeof *b->tensor))) return KELVIN_ENOMEM;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const size_t draws = b->draws;
        const struct kelvin_array wanted = kelvin_name_tensor(model, t, "", single ? NULL : &draws);
        struct kelvin_array found = wanted;
        KELVIN_TRY(kelvin_tensors_shape(&found, b->file));
        if (t == 0) b->draws = single ? 1 : (uint32_t)found.shape[0];
        const size_t from = t == 0 && !single; /* it is the first that says how many */
        if (memcmp(wanted.shape + from, found.shape + from, (wanted.ndim - from) * sizeof *wanted.shape) != 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" has another shape than that of %s, or other draws",
                               path, wanted.name, run->config.model);
        b->tensor[t] = found.data;
    }
    return KELVIN_OK;
}

static kelvin_status find_rows(struct kelvin_bundle_file *b, const char *path, const kelvin_run *run)
{
    struct kelvin_array rows = {.name = HISTORY, .dtype = KELVIN_F64, .ndim = 2};
    if (kelvin_run_is_old(run)) return KELVIN_OK;
    KELVIN_TRY(kelvin_tensors_shape(&rows, b->file));
    if (rows.shape[1] != kelvin_run_width(run))
        return kelvin_fail(KELVIN_EFORMAT, "%s: \"" HISTORY "\" has %zu columns, expected %zu", path, rows.shape[1],
                           kelvin_run_width(run));
    b->rows = (uint32_t)rows.shape[0];
    b->row = rows.data;
    return KELVIN_OK;
}

static kelvin_status look_at(struct kelvin_bundle_file *b, const char *path, const kelvin_run *run,
                             const struct kelvin_draw_place *place)
{
    const bool old = kelvin_run_is_old(run);
    uint64_t number;
    KELVIN_TRY(kelvin_note_check(b->file, path, run, place->chain));
    if (!old || run->sampler->batches)
        KELVIN_TRY(kelvin_note_read(&number, b->file, path, old ? "sample" : "number", place->number, place->number));
    KELVIN_TRY(find_rows(b, path, run));
    return find_tensors(b, path, run);
}

kelvin_status kelvin_bundle_open(struct kelvin_bundle_file *b, const kelvin_run *run,
                                 const struct kelvin_draw_place *place, bool whole)
{
    kelvin_path path;
    *b = (struct kelvin_bundle_file){0};
    KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", place->name));
    kelvin_status status = (whole ? kelvin_tensors_open : kelvin_tensors_peek)(&b->file, path);
    if (!status) status = look_at(b, path, run, place);
    if (status) kelvin_bundle_close(b);
    return kelvin_remedy_chain(status, run, place->chain);
}

void kelvin_bundle_close(struct kelvin_bundle_file *b)
{
    kelvin_tensors_close(b->file);
    kelvin_free(b->tensor);
    *b = (struct kelvin_bundle_file){0};
}

void kelvin_bundle_theta(float *theta, const struct kelvin_bundle_file *b, const kelvin_model *model, uint32_t i)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const size_t size = kelvin_tensor_size(&model->tensor[t]);
        memcpy(theta + model->tensor[t].offset, b->tensor[t] + i * size, size * sizeof *theta);
    }
}
