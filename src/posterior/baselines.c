/* What the plainest models say of the rows that a run is judged by, as logits of one sample: so every metric is made of
 * them as it is made of the run's own. */
#include "base/needs.h"
#include "files/npy.h"
#include "posterior/logits.h"
#include "run/baseline.h"
#include "run/folder.h"

#include <string.h>

enum { ROWS = 1024 }; /* at a time */

static const kelvin_baseline_info table[] = {
    [KELVIN_FREQUENCIES] = {"frequencies", "class frequencies", "the share of each class in the training part"},
    [KELVIN_LINEAR] = {"linear", "linear model", "softmax regression, fitted to the training part"},
};

const kelvin_baseline_info *kelvin_baseline_at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

struct source {
    kelvin_logits base;
    kelvin_baseline_kind kind;
    const struct kelvin_baseline *baseline;
    size_t n, done;
    const float *z;        /* (n, classes); NULL: they are computed, or always the same */
    const int32_t *y;      /* (n); NULL: the inputs have them */
    kelvin_inputs *inputs; /* of other data; or NULL */
    kelvin_posterior *pass;
    float *rows;     /* (ROWS, classes) */
    int32_t *labels; /* (n), as the folder has them */
};

/* ---- pieces ---- */

static kelvin_status next_of_inputs(struct source *s, kelvin_piece *piece)
{
    kelvin_rows rows;
    KELVIN_TRY(kelvin_inputs_next(s->inputs, &rows, ROWS));
    if (rows.n == 0) return KELVIN_OK;
    if (s->pass) KELVIN_TRY(kelvin_baseline_look(s->baseline, s->pass, s->rows, rows.x, rows.n));
    *piece =
        (kelvin_piece){.n = rows.n, .first = rows.first, .samples = 1, .z = s->rows, .y = rows.y, .name = rows.name};
    return KELVIN_OK;
}

static kelvin_status next(kelvin_logits *logits, kelvin_piece *piece)
{
    struct source *s = (struct source *)logits;
    if (s->inputs) return next_of_inputs(s, piece);
    const size_t left = s->n - s->done, n = left < ROWS ? left : ROWS;
    if (n == 0) return KELVIN_OK;
    *piece = (kelvin_piece){.n = n,
                            .first = s->done,
                            .samples = 1,
                            .z = s->z ? s->z + s->done * logits->classes : s->rows,
                            .y = s->y + s->done};
    s->done += n;
    return KELVIN_OK;
}

static void close_source(kelvin_logits *logits)
{
    struct source *s = (struct source *)logits;
    kelvin_inputs_close(s->inputs);
    kelvin_posterior_destroy(s->pass);
    kelvin_free(s->rows);
    kelvin_free(s->labels);
    kelvin_free(s);
}

/* ---- where they come from ---- */

static kelvin_status read_labels(struct source *s, const kelvin_samples *samples, const char *name)
{
    struct npy array;
    char *bytes;
    size_t size;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, samples->folder, "%s", name));
    KELVIN_TRY(kelvin_run_vouch(samples->run, name));
    KELVIN_TRY(kelvin_file_read(&bytes, &size, path));
    kelvin_status status = kelvin_npy_parse(&array, bytes, size, path);
    if (!status && array.count != s->n)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: has %zu labels; expected %zu", path, array.count, s->n);
    double *y = status ? NULL : kelvin_alloc(s->n, sizeof *y);
    s->y = s->labels = status ? NULL : kelvin_alloc(s->n, sizeof *s->labels);
    if (!status && (!y || !s->labels)) status = KELVIN_ENOMEM;
    if (!status) kelvin_npy_doubles(y, &array);
    for (size_t i = 0; i < s->n && !status; i++) {
        if (!(y[i] >= 0 && y[i] < (double)s->base.classes))
            status = kelvin_fail(KELVIN_EFORMAT, "%s: label %zu is %g; expected 0 .. %zu", path, i, y[i],
                                 s->base.classes - 1);
        else
            s->labels[i] = (int32_t)y[i];
    }
    kelvin_free(y);
    kelvin_free(bytes);
    return kelvin_remedy(status, samples->folder);
}

/* Its own data: what the linear model says of them is known. */
static kelvin_status take_side(struct source *s, const kelvin_samples *samples, kelvin_side side)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    const kelvin_part *part = kelvin_data_part(samples->run->data, side);
    s->n = s->baseline->n[side];
    if (s->kind == KELVIN_LINEAR) s->z = s->baseline->logits[side];
    s->y = part->y;
    if (s->y || s->n == 0) return KELVIN_OK;
    kelvin_logits_files(files, samples->run->data);
    return read_labels(s, samples, files[side].labels);
}

static kelvin_status take(struct source *s, const kelvin_samples *samples, const char *on, size_t threads)
{
    const size_t classes = s->base.classes;
    if (!(s->rows = kelvin_alloc(ROWS * classes, sizeof *s->rows))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < ROWS; i++) memcpy(s->rows + i * classes, s->baseline->frequency, classes * sizeof *s->rows);
    if (strcmp(on, "test") == 0) return take_side(s, samples, KELVIN_TEST);
    if (strcmp(on, "train") == 0) return take_side(s, samples, KELVIN_TRAIN);
    if (s->kind == KELVIN_LINEAR)
        KELVIN_TRY(kelvin_baseline_pass(&s->pass, s->baseline, threads ? threads : kelvin_cpu_count()));
    return kelvin_inputs_open(&s->inputs, on, samples->run->data, true);
}

kelvin_status kelvin_baseline_on(kelvin_logits **logits, kelvin_samples *samples, kelvin_baseline_kind kind,
                                 const char *on, size_t threads)
{
    const struct kelvin_baseline *baseline;
    KELVIN_NEEDS(logits);
    *logits = NULL;
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(on);
    if (!kelvin_baseline_at((size_t)kind))
        return kelvin_fail(KELVIN_EUSAGE, "there is no baseline of number %d", (int)kind);
    if (strcmp(on, "-") == 0) return KELVIN_OK; /* standard input cannot be read twice */
    KELVIN_TRY(kelvin_run_baseline(&baseline, samples->run, threads));
    if (!baseline) return KELVIN_OK;
    struct source *s = kelvin_alloc(1, sizeof *s);
    if (!s) return KELVIN_ENOMEM;
    s->base = (kelvin_logits){.samples = 1,
                              .classes = samples->run->data->classes,
                              .name = samples->folder,
                              .next = next,
                              .close = close_source};
    s->kind = kind;
    s->baseline = baseline;
    const kelvin_status status = take(s, samples, on, threads);
    if (status)
        close_source(&s->base);
    else
        *logits = &s->base;
    return status;
}

kelvin_status kelvin_baseline_metrics(kelvin_metrics **metrics, kelvin_samples *samples, kelvin_baseline_kind kind,
                                      const char *on, const kelvin_evaluate_options *options)
{
    kelvin_logits *logits;
    KELVIN_NEEDS(metrics);
    *metrics = NULL;
    const kelvin_evaluate_options how = {.bins = options ? options->bins : 0,
                                         .threads = options ? options->threads : 0};
    KELVIN_TRY(kelvin_baseline_on(&logits, samples, kind, on, how.threads));
    if (!logits) return KELVIN_OK;
    const kelvin_status status = kelvin_evaluate(metrics, logits, &how);
    kelvin_logits_close(logits);
    return status;
}
