/* The logits of all samples, in a clean pass over plain data: RUN/logits_train.npy and logits_test.npy, (samples, n,
 * classes), with labels_train.npy and labels_test.npy beside them, so that the folder can be judged without the data.
 * One sample's logits are in memory at a time. */
#include "run/chains.h"

#include <unistd.h>

enum { BATCH = 500 };

struct pass {
    const kelvin_run *run;
    const kelvin_part *part;
    kelvin_posterior *posterior;
    float *theta, *x, *logits;
};

static kelvin_status make_pass(struct pass *pass, size_t threads)
{
    const kelvin_run *run = pass->run;
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    const kelvin_posterior_options options = {.batch = BATCH, .threads = threads, .total = pass->part->n};
    pass->theta = kelvin_alloc(run->model->n_params, sizeof *pass->theta);
    pass->x = kelvin_alloc(BATCH * run->data->inputs, sizeof *pass->x);
    pass->logits = kelvin_alloc(pass->part->n * run->data->classes, sizeof *pass->logits);
    if (!pass->theta || !pass->x || !pass->logits) return KELVIN_ENOMEM;
    return kelvin_posterior_create(&pass->posterior, run->model, &inside->density, NULL, NULL, &options);
}

static void free_pass(struct pass *pass)
{
    kelvin_posterior_destroy(pass->posterior);
    kelvin_free(pass->theta);
    kelvin_free(pass->x);
    kelvin_free(pass->logits);
}

static kelvin_status predict(struct pass *pass, const char *path)
{
    const kelvin_part *part = pass->part;
    KELVIN_TRY(kelvin_sample_read(pass->theta, path, pass->run->model));
    for (size_t first = 0; first < part->n; first += BATCH) {
        const size_t n = part->n - first < BATCH ? part->n - first : BATCH;
        kelvin_data_slice(pass->run->data, part, pass->x, first, n);
        KELVIN_TRY(kelvin_posterior_set_batch(pass->posterior, pass->x, part->y + first, n));
        kelvin_posterior_logits(pass->posterior, pass->logits + first * pass->run->data->classes, pass->theta);
    }
    return KELVIN_OK;
}

static kelvin_status write_part(struct kelvin_chains *chains, const kelvin_part *part, const char *path, size_t samples,
                                size_t done)
{
    const kelvin_run *run = chains->run;
    const struct kelvin_npy form = {KELVIN_NPY_F32, 3, {samples, part->n, run->data->classes}};
    struct pass pass = {.run = run, .part = part};
    struct kelvin_writer file = {.fd = -1};
    struct kelvin_sample_place place = {0};
    kelvin_path sample;
    kelvin_status status = make_pass(&pass, chains->options.threads);
    if (!status) status = kelvin_npy_begin(&file, path, &form);
    for (size_t i = 0; i < samples && !status; i++) {
        const kelvin_chain_news news = {
            .phase = KELVIN_CHAIN_LOGITS, .step = done + i, .steps = KELVIN_PARTS * samples};
        if (!kelvin_chains_tell(chains, &news)) status = kelvin_fail(KELVIN_ESTOP, "stopped on request");
        if (!status && !kelvin_sample_next(sample, &place, chains->folder))
            status = kelvin_fail(KELVIN_EIO, "%s: sample %zu is gone", chains->folder, i);
        if (!status) status = predict(&pass, sample);
        if (!status) status = kelvin_writer_put(&file, pass.logits, part->n * run->data->classes * sizeof *pass.logits);
    }
    status = kelvin_writer_close(&file, status);
    free_pass(&pass);
    return status;
}

void kelvin_logits_files(struct kelvin_logits_file files[KELVIN_PARTS], const kelvin_data *data)
{
    files[0] = (struct kelvin_logits_file){"logits_train.npy", KELVIN_LABELS_TRAIN, &data->train};
    files[1] = (struct kelvin_logits_file){"logits_test.npy", "labels_test.npy", &data->test};
}

kelvin_status kelvin_logits_write(struct kelvin_chains *chains)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    const size_t samples = kelvin_sample_count(chains->folder);
    kelvin_logits_files(files, chains->run->data);
    for (size_t i = 0; i < KELVIN_PARTS; i++) {
        kelvin_path path;
        const kelvin_part *part = files[i].part;
        if (samples == 0 || part->n == 0) continue;
        KELVIN_TRY(kelvin_path_join(path, chains->folder, "%s", files[i].labels));
        if (access(path, F_OK) != 0) KELVIN_TRY(kelvin_labels_write(path, part->y, part->n));
        KELVIN_TRY(kelvin_path_join(path, chains->folder, "%s", files[i].name));
        if (access(path, F_OK) != 0) KELVIN_TRY(write_part(chains, part, path, samples, i * samples));
    }
    return KELVIN_OK;
}
