/* The baselines of a run: fitted when it has ended, kept in its folder, and made again where they are not there. */
#include "run/baseline.h"
#include "run/folder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- making ---- */

static kelvin_status count_classes(struct kelvin_baseline *b, const kelvin_data *data)
{
    const kelvin_part *part = &data->train;
    double *count = kelvin_alloc(data->classes, sizeof *count), total = 0;
    b->frequency = kelvin_alloc(data->classes, sizeof *b->frequency);
    const kelvin_status status = count && b->frequency ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < part->n && !status; i++) count[part->y[i]] += part->weight ? (double)part->weight[i] : 1;
    for (size_t k = 0; k < data->classes && !status; k++) total += count[k] = count[k] > 0 ? count[k] : 0.5;
    for (size_t k = 0; k < data->classes && !status; k++) b->frequency[k] = (float)log(count[k] / total);
    kelvin_free(count);
    return status;
}

kelvin_status kelvin_baseline_pass(kelvin_posterior **pass, const struct kelvin_baseline *b, size_t threads)
{
    const kelvin_posterior_options options = {.batch = KELVIN_PASS, .threads = threads, .total = KELVIN_PASS};
    kelvin_density density;
    *pass = NULL;
    KELVIN_TRY(kelvin_density_parse(&density, "categorical"));
    return kelvin_posterior_make(pass, b->linear.model, &density, NULL, NULL, &options);
}

kelvin_status kelvin_baseline_look(const struct kelvin_baseline *b, kelvin_posterior *pass, float *z, const float *x,
                                   size_t n)
{
    const kelvin_model *model = b->linear.model;
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < KELVIN_PASS ? n - first : KELVIN_PASS;
        KELVIN_TRY(kelvin_posterior_set_batch(pass, x + first * model->inputs, kelvin_unlabelled, some));
        kelvin_posterior_logits(pass, z + first * model->classes, b->linear.theta);
    }
    return KELVIN_OK;
}

static kelvin_status predict(struct kelvin_baseline *b, const kelvin_data *data, const kelvin_part *part, float *z,
                             kelvin_posterior *pass)
{
    float *x = kelvin_alloc(KELVIN_PASS * data->inputs, sizeof *x);
    kelvin_status status = x ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t first = 0, n; first < part->n && !status; first += n) {
        n = part->n - first < KELVIN_PASS ? part->n - first : KELVIN_PASS;
        kelvin_part_slice(data, part, x, first, n);
        status = kelvin_baseline_look(b, pass, z + first * data->classes, x, n);
    }
    kelvin_free(x);
    return status;
}

/* Room for what it says of both parts. */
static kelvin_status make_room(struct kelvin_baseline *b, const kelvin_data *data)
{
    for (size_t i = 0; i < KELVIN_PARTS; i++) {
        b->n[i] = kelvin_data_part(data, (kelvin_side)i)->n;
        if (b->n[i] == 0) continue;
        if (!(b->logits[i] = kelvin_alloc(b->n[i] * data->classes, sizeof *b->logits[i]))) return KELVIN_ENOMEM;
    }
    return KELVIN_OK;
}

static kelvin_status fill(struct kelvin_baseline *b, const kelvin_data *data, size_t threads)
{
    kelvin_posterior *pass;
    KELVIN_TRY(count_classes(b, data));
    KELVIN_TRY(make_room(b, data));
    KELVIN_TRY(kelvin_linear_fit(&b->linear, data, threads));
    KELVIN_TRY(kelvin_baseline_pass(&pass, b, threads));
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < KELVIN_PARTS && !status; i++)
        if (b->n[i] > 0) status = predict(b, data, kelvin_data_part(data, (kelvin_side)i), b->logits[i], pass);
    kelvin_posterior_destroy(pass);
    return status;
}

static kelvin_status keep_if(kelvin_status status, struct kelvin_baseline **baseline)
{
    if (status) {
        kelvin_baseline_free(*baseline);
        *baseline = NULL;
    }
    return status;
}

kelvin_status kelvin_baseline_make(struct kelvin_baseline **baseline, const kelvin_data *data, size_t threads)
{
    if (!(*baseline = kelvin_alloc(1, sizeof **baseline))) return KELVIN_ENOMEM;
    return keep_if(fill(*baseline, data, threads), baseline);
}

void kelvin_baseline_free(struct kelvin_baseline *b)
{
    if (!b) return;
    kelvin_linear_free(&b->linear);
    kelvin_free(b->frequency);
    for (size_t i = 0; i < KELVIN_PARTS; i++) kelvin_free(b->logits[i]);
    kelvin_free(b);
}

/* ---- the file ---- */

enum { MOST_ARRAYS = 3 + KELVIN_PARTS };

static struct kelvin_array *name_array(struct kelvin_array *next, const char *name, size_t rows, size_t columns,
                                       float *data)
{
    *next = (struct kelvin_array){.dtype = KELVIN_F32, .ndim = rows ? 2 : 1, .data = data};
    snprintf(next->name, sizeof next->name, "%s", name);
    next->shape[0] = rows ? rows : columns;
    next->shape[1] = rows ? columns : 0;
    return next + 1;
}

static size_t name_arrays(struct kelvin_array arrays[MOST_ARRAYS], const struct kelvin_baseline *b)
{
    static const char *const parts[KELVIN_PARTS] = {"logits_train", "logits_test"};
    const kelvin_model *model = b->linear.model;
    const size_t classes = model->classes;
    struct kelvin_array *next = arrays;
    next = name_array(next, "weight", classes, model->inputs, b->linear.theta);
    next = name_array(next, "bias", 0, classes, b->linear.theta + classes * model->inputs);
    next = name_array(next, "log_frequency", 0, classes, b->frequency);
    for (size_t i = 0; i < KELVIN_PARTS; i++)
        if (b->n[i] > 0) next = name_array(next, parts[i], b->n[i], classes, b->logits[i]);
    return (size_t)(next - arrays);
}

static kelvin_status write_file(const struct kelvin_baseline *b, const char *path)
{
    struct kelvin_array arrays[MOST_ARRAYS];
    struct kelvin_note notes[] = {{.name = "strength"}, {.name = "rows"}};
    snprintf(notes[0].number, sizeof notes[0].number, "%.17g", b->linear.strength);
    snprintf(notes[1].number, sizeof notes[1].number, "%zu", b->linear.rows);
    return kelvin_tensors_write(path, arrays, name_arrays(arrays, b), notes, sizeof notes / sizeof *notes);
}

kelvin_status kelvin_baseline_write(const kelvin_run *run, size_t threads)
{
    struct kelvin_baseline *baseline;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, run->folder, KELVIN_BASELINE_FILE));
    if (access(path, F_OK) == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_baseline_make(&baseline, run->data, threads));
    const kelvin_status status = write_file(baseline, path);
    kelvin_baseline_free(baseline);
    return status;
}

static kelvin_status take(struct kelvin_baseline *b, const struct kelvin_tensors *file, const kelvin_data *data)
{
    struct kelvin_array arrays[MOST_ARRAYS];
    const char *strength, *rows;
    KELVIN_TRY(kelvin_model_create(&b->linear.model, "mlp", (kelvin_shape){data->inputs, 1, 1}, data->classes));
    b->linear.theta = kelvin_alloc(b->linear.model->n_params, sizeof *b->linear.theta);
    b->frequency = kelvin_alloc(data->classes, sizeof *b->frequency);
    if (!b->linear.theta || !b->frequency) return KELVIN_ENOMEM;
    KELVIN_TRY(make_room(b, data));
    KELVIN_TRY(kelvin_tensors_note(&strength, file, "strength"));
    KELVIN_TRY(kelvin_tensors_note(&rows, file, "rows"));
    b->linear.strength = strtod(strength, NULL);
    b->linear.rows = (size_t)strtoull(rows, NULL, 10);
    return kelvin_tensors_read(file, arrays, name_arrays(arrays, b));
}

static kelvin_status read_file(struct kelvin_baseline **baseline, const kelvin_run *run, const char *path)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(kelvin_run_vouch(run, KELVIN_BASELINE_FILE));
    KELVIN_TRY(kelvin_remedy(kelvin_tensors_open(&file, path), run->folder));
    *baseline = kelvin_alloc(1, sizeof **baseline);
    const kelvin_status status = *baseline ? take(*baseline, file, run->data) : KELVIN_ENOMEM;
    kelvin_tensors_close(file);
    return keep_if(kelvin_remedy(status, run->folder), baseline);
}

/* ---- of a run ---- */

/* Data that are gone, or have changed, are no reason to say nothing at all. */
static kelvin_status make_anew(struct kelvin_baseline **baseline, const kelvin_run *run, size_t threads)
{
    kelvin_run *whole = NULL;
    kelvin_status status = KELVIN_OK;
    if (!run->data->train.y) status = kelvin_run_load(&whole, run->folder, false, NULL);
    if (!status) status = kelvin_baseline_make(baseline, whole ? whole->data : run->data, threads);
    kelvin_run_close(whole);
    return status == KELVIN_ENOMEM ? status : KELVIN_OK;
}

kelvin_status kelvin_run_baseline(const struct kelvin_baseline **out, kelvin_run *run, size_t threads)
{
    struct kelvin_baseline **kept = &kelvin_run_inside(run)->baseline;
    kelvin_path path;
    bool there = false;
    *out = NULL;
    if (threads == 0) threads = kelvin_cpu_count();
    if (!*kept && run->folder) KELVIN_TRY(kelvin_find_file(path, &there, run->folder, KELVIN_BASELINE_FILE));
    if (!*kept) KELVIN_TRY(there ? read_file(kept, run, path) : make_anew(kept, run, threads));
    *out = *kept;
    return KELVIN_OK;
}
