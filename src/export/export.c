/* From a run's folder to one file: samples one by one, logits piece by piece, each number to its place.
 *
 *     log p(y | x, sample) = z_y - log sum_k exp z_k,    in double, of the logits z in float */
#include <kelvin/export.h>

#include "base/needs.h"
#include "data/dataset.h"
#include "export/plan.h"
#include "files/files.h"
#include "nn/nn.h"
#include "posterior/stats.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 512 };

/* One row each. */
#define FORMATS(ROW)                                                                                                   \
    ROW(npz)                                                                                                           \
    ROW(safetensors)                                                                                                   \
    ROW(netcdf)

#define DECLARE(id) extern const struct export_format kelvin_export_##id;
#define ADDRESS(id) &kelvin_export_##id,

FORMATS(DECLARE)
static const struct export_format *const table[] = {FORMATS(ADDRESS)};

static const kelvin_member *at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i]->member : NULL;
}

const kelvin_family kelvin_export_family = {"formats", "format", "formats", "of files for other programs", at};

struct export
{
    kelvin_samples *samples;
    struct plan plan;
    const struct export_format *format;
    void *file;
};

/* ---- names ---- */

const char *kelvin_export_suffix(const char *format)
{
    const kelvin_member *member;
    return kelvin_family_find(&member, &kelvin_export_family, format) ? ""
                                                                      : ((const struct export_format *)member)->suffix;
}

static bool part_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < PLAN_PARTS) snprintf(name, KELVIN_NAME_SIZE, "%s", kelvin_export_parts[i]);
    return i < PLAN_PARTS;
}

/* The part of that name, as a bit. */
static kelvin_status find_part(unsigned *part, const char *word)
{
    for (size_t i = 0; i < PLAN_PARTS; i++) {
        *part = 1u << i;
        if (strcmp(kelvin_export_parts[i], word) == 0) return KELVIN_OK;
    }
    return kelvin_fail_unknown("part", word, part_at, NULL);
}

/* The format, and "posterior,sample_stats" as bits. */
static kelvin_status read_options(const struct export_format **format, unsigned *parts,
                                  const kelvin_export_options *options)
{
    const kelvin_member *member;
    unsigned part;
    KELVIN_TRY(kelvin_family_find(&member, &kelvin_export_family, options->format));
    *format = (const struct export_format *)member;
    *parts = options->what ? 0 : (1u << PLAN_PARTS) - 1;
    for (const char *list = options->what; list;) {
        char name[KELVIN_NAME_SIZE];
        const size_t n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), list);
        KELVIN_TRY(find_part(&part, name));
        *parts |= part;
        list = list[n] ? list + n + 1 : NULL;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_export_check(const kelvin_export_options *options)
{
    const struct export_format *format;
    unsigned parts;
    return read_options(&format, &parts, options);
}

/* ---- numbers ---- */

static kelvin_status put(struct export *e, const struct export_array *array, const size_t *start, const size_t *count,
                         const void *data)
{
    return e->format->put(e->file, (size_t)(array - e->plan.arrays), start, count, data);
}

/* Of one draw: all of an array, or `n` along its third axis from `first` on. */
static kelvin_status put_draw(struct export *e, const struct export_array *array, size_t row, size_t first, size_t n,
                              const void *data)
{
    const size_t draws = e->plan.lineup.draws, start[KELVIN_ARRAY_AXES] = {row / draws, row % draws, first};
    size_t count[KELVIN_ARRAY_AXES] = {1, 1, n};
    for (size_t i = 3; i < array->ndim; i++) count[i] = array->axis[i]->n;
    return put(e, array, start, count, data);
}

static kelvin_status put_parameters(struct export *e)
{
    const kelvin_model *model = e->samples->run->model;
    const struct kelvin_lineup *lineup = &e->plan.lineup;
    float *theta = kelvin_alloc(model->n_params, sizeof *theta);
    kelvin_status status = theta ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t row = 0; row < lineup->chains * lineup->draws && !status; row++) {
        status = kelvin_samples_read(e->samples, theta, kelvin_lineup_sample(lineup, row));
        for (size_t t = 0; t < model->n_tensors && !status; t++) {
            const kelvin_tensor *tensor = &model->tensor[t];
            status = put_draw(e, &e->plan.tensors[t], row, 0, tensor->shape[0], theta + tensor->offset);
        }
    }
    kelvin_free(theta);
    return status;
}

static kelvin_status put_stat(struct export *e, size_t row, size_t i, const kelvin_history *history)
{
    const kelvin_run *run = e->samples->run;
    const struct kelvin_lineup *lineup = &e->plan.lineup;
    const char *name = e->plan.stat[i]->name;
    const size_t from = kelvin_run_draw_row(run, kelvin_run_warmup(run) + (uint32_t)(row % lineup->draws));
    const double *found = from < history->rows ? kelvin_history_at(history, from, name) : NULL;
    if (!found)
        return kelvin_fail(KELVIN_EFORMAT, "%s: history.csv of chain %u has no \"%s\" of row %zu", e->samples->folder,
                           (unsigned)lineup->chain[row / lineup->draws].number, name, from);
    const int64_t whole = e->plan.stat[i]->whole ? (int64_t)*found : 0;
    const char truth = whole != 0;
    const void *values[] = {[KELVIN_F64] = found, [KELVIN_I64] = &whole, [KELVIN_BOOL] = &truth};
    return put_draw(e, &e->plan.stats[i], row, 0, 0, values[e->plan.stats[i].type]);
}

static kelvin_status put_stats(struct export *e)
{
    const struct kelvin_lineup *lineup = &e->plan.lineup;
    kelvin_status status = KELVIN_OK;
    for (size_t c = 0; c < lineup->chains && e->plan.n_stats > 0 && !status; c++) {
        kelvin_history history;
        KELVIN_TRY(kelvin_history_read(&history, e->samples, lineup->chain[c].number));
        for (size_t row = c * lineup->draws; row < (c + 1) * lineup->draws; row++)
            for (size_t i = 0; i < e->plan.n_stats && !status; i++) status = put_stat(e, row, i, &history);
        kelvin_history_free(&history);
    }
    return status;
}

static kelvin_status put_labels(struct export *e, const struct export_array *array, const kelvin_piece *piece)
{
    int64_t y[PIECE];
    for (size_t first = 0; first < piece->n; first += PIECE) {
        const size_t n = piece->n - first < PIECE ? piece->n - first : PIECE, start = piece->first + first;
        for (size_t i = 0; i < n; i++) y[i] = piece->y[first + i];
        KELVIN_TRY(put(e, array, &start, &n, y));
    }
    return KELVIN_OK;
}

static kelvin_status put_likelihoods(struct export *e, const struct export_array *array, size_t row,
                                     const kelvin_piece *piece, const float *z)
{
    const size_t classes = e->samples->run->data->classes;
    double log_p[PIECE];
    for (size_t first = 0; first < piece->n; first += PIECE) {
        const size_t n = piece->n - first < PIECE ? piece->n - first : PIECE;
        for (size_t i = 0; i < n; i++) {
            const float *zi = z + (first + i) * classes;
            log_p[i] = (double)zi[piece->y[first + i]] - kelvin_log_sum_exp(zi, classes);
        }
        KELVIN_TRY(put_draw(e, array, row, piece->first + first, n, log_p));
    }
    return KELVIN_OK;
}

static kelvin_status put_piece(struct export *e, const struct plan_side *side, const kelvin_piece *piece)
{
    const size_t classes = e->samples->run->data->classes;
    const struct kelvin_lineup *lineup = &e->plan.lineup;
    if (piece->first + piece->n > side->n)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has logits of more than %zu observations", e->samples->folder, side->n);
    if (piece->first_sample == 0) KELVIN_TRY(put_labels(e, side->labels, piece));
    for (size_t c = 0, row = 0; c < lineup->chains; c++)
        for (size_t d = 0; d < lineup->draws; d++, row++) {
            const size_t i = lineup->chain[c].first + d - piece->first_sample; /* very large, if it came before */
            if (i >= piece->samples) continue;
            const float *z = piece->z + i * piece->n * classes;
            if (side->logits) KELVIN_TRY(put_draw(e, side->logits, row, piece->first, piece->n, z));
            if (side->likelihood) KELVIN_TRY(put_likelihoods(e, side->likelihood, row, piece, z));
        }
    return KELVIN_OK;
}

static kelvin_status put_side(struct export *e, kelvin_side which, size_t threads)
{
    const struct plan_side *side = &e->plan.side[which];
    kelvin_logits *logits;
    kelvin_piece piece;
    if (!side->labels) return KELVIN_OK;
    KELVIN_TRY(kelvin_logits_of_side(&logits, e->samples, which, threads));
    kelvin_status status;
    size_t done = 0;
    while (!(status = kelvin_logits_next(logits, &piece)) && piece.n > 0) {
        if ((status = put_piece(e, side, &piece))) break;
        done = piece.first + piece.n;
    }
    kelvin_logits_close(logits);
    if (status || done == side->n) return status;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has logits of %zu observations, expected %zu", e->samples->folder, done,
                       side->n);
}

static kelvin_status put_all(struct export *e, size_t threads)
{
    const size_t start = 0;
    KELVIN_TRY(put(e, e->plan.chain_array, &start, &e->plan.chain.n, e->plan.chain.number));
    KELVIN_TRY(put(e, e->plan.draw_array, &start, &e->plan.draw.n, e->plan.draw.number));
    if (e->plan.tensors) KELVIN_TRY(put_parameters(e));
    KELVIN_TRY(put_stats(e));
    KELVIN_TRY(put_side(e, KELVIN_TRAIN, threads));
    return put_side(e, KELVIN_TEST, threads);
}

/* ---- the file ---- */

static kelvin_status check_absent(const char *path, bool replace)
{
    struct stat about;
    if (lstat(path, &about)) return KELVIN_OK; /* whatever else may be wrong with it shows when it is opened */
    if (S_ISDIR(about.st_mode)) return kelvin_fail(KELVIN_EUSAGE, "%s: is a folder", path);
    return replace ? KELVIN_OK : kelvin_fail(KELVIN_EUSAGE, "%s: exists already", path);
}

static kelvin_status write_file(struct export *e, const char *path, size_t threads)
{
    if (!(e->file = kelvin_alloc(1, e->format->size))) return KELVIN_ENOMEM;
    kelvin_status status = e->format->begin(e->file, path, &e->plan.sheet);
    if (!status) status = put_all(e, threads);
    status = e->format->end(e->file, status);
    kelvin_free(e->file);
    return status;
}

kelvin_status kelvin_export(kelvin_exported *out, kelvin_samples *samples, const char *path,
                            const kelvin_export_options *options)
{
    KELVIN_NEEDS(out);
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(path);
    KELVIN_NEEDS(options);
    struct export e = {.samples = samples};
    unsigned parts;
    KELVIN_TRY(read_options(&e.format, &parts, options));
    if (options->what && parts & 1u << PLAN_PREDICTIONS && samples->run->data->test.n == 0)
        return kelvin_fail(KELVIN_EUSAGE, "%s: its data have no test part, so there are no predictions",
                           samples->folder);
    KELVIN_TRY(check_absent(path, options->replace));
    kelvin_status status = kelvin_export_plan_make(&e.plan, samples, parts);
    if (!status) status = write_file(&e, path, options->threads);
    *out = (kelvin_exported){.chains = e.plan.lineup.chains,
                             .draws = e.plan.lineup.draws,
                             .left_out = samples->run->config.chains - e.plan.lineup.chains,
                             .arrays = e.plan.sheet.n};
    kelvin_export_plan_free(&e.plan);
    return status ? status : kelvin_file_size(&out->bytes, path);
}
