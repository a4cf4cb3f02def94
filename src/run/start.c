/* Where chains start: at random, at the samples of another run (fine-tuning), or at the parameters of a file. */
#include "base/words.h"
#include "run/bundle.h"
#include "run/chain.h"

#include "kernels/kernels.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_FILE ".safetensors"

/* ---- at random ---- */

/* As the network says. Samplers that look at all data start networks of tables, the toy one among them, from N(0, 1)
 * for every parameter, as the paper does. */
static kelvin_status at_random(float *theta, const kelvin_run *run, uint32_t chain)
{
    const kelvin_random where = {.seed = run->config.seed, .chain = chain, .stream = KELVIN_STREAM_INIT};
    const struct kelvin_kernels *kernels;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    if (run->sampler->batches || run->data->channels > 0)
        kelvin_model_start(run->model, theta, run->config.seed, chain);
    else
        kernels->normals(theta, run->model->n_params, where);
    return KELVIN_OK;
}

/* ---- at a sample ---- */

bool kelvin_start_split(kelvin_path folder, size_t *index, const char *init)
{
    const char *slash = strrchr(init, '/');
    if (!slash || !isdigit((unsigned char)slash[1]) || strspn(slash + 1, "0123456789") != strlen(slash + 1))
        return false;
    snprintf(folder, KELVIN_PATH_MAX, "%.*s", (int)(slash - init), init);
    *index = strtoul(slash + 1, NULL, 10);
    return true;
}

static bool is_last(const kelvin_samples *s, size_t i)
{
    return i + 1 == s->n || s->chain[i + 1] != s->chain[i];
}

/* The i-th in the order in which they are worth starting from, round and round: of each chain the last, which has come
 * farthest, then of each the one before it. */
static size_t ranked(const kelvin_samples *s, uint32_t i)
{
    size_t left = i % s->n;
    for (size_t before = 0;; before++)
        for (size_t k = 0; k + before < s->n; k++)
            if (is_last(s, k + before) && s->chain[k] == s->chain[k + before] && left-- == 0) return k;
}

/* "FOLDER", or "FOLDER/i", which may also be the name of a folder: that is looked for first. */
static kelvin_status open_run(kelvin_samples **samples, size_t *index, const char *init, uint32_t chain)
{
    kelvin_path folder;
    bool said = false;
    snprintf(folder, sizeof folder, "%s", init);
    if (!kelvin_is_folder(init)) said = kelvin_start_split(folder, index, init);
    if (!said && !kelvin_is_folder(init) && access(init, F_OK) == 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           "init: %s: is a file; expected the folder of a run, or a file that ends in " START_FILE,
                           init);
    const kelvin_status status = kelvin_samples_open(samples, folder);
    if (status)
        return kelvin_fail(status == KELVIN_ENOMEM ? status : KELVIN_EUSAGE, "init: " KELVIN_SAID, kelvin_error_raw());
    if (!said) *index = ranked(*samples, chain);
    if (*index < (*samples)->n) return KELVIN_OK;
    const size_t n = (*samples)->n;
    kelvin_samples_close(*samples);
    *samples = NULL;
    return kelvin_fail(KELVIN_EUSAGE, "init: %s has %zu samples, 0 to %zu; %zu is not among them", folder, n, n - 1,
                       *index);
}

static kelvin_status check_model(const kelvin_samples *from, const kelvin_run *run)
{
    if (kelvin_model_alike(from->run->model, run->model)) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT, "init is of another model than %s on %s: %s has %s on %s, with other parameters or shapes",
        run->config.model, run->config.data, from->folder, from->run->config.model, from->run->config.data);
}

static kelvin_status at_sample(float *theta, const kelvin_run *run, uint32_t chain)
{
    kelvin_samples *samples;
    size_t index = 0;
    KELVIN_TRY(open_run(&samples, &index, run->config.init, chain));
    kelvin_status status = check_model(samples, run);
    if (!status) status = kelvin_samples_read(samples, theta, index);
    kelvin_samples_close(samples);
    return status;
}

/* ---- at the parameters of a file ---- */

bool kelvin_start_is_file(const char *init)
{
    const size_t n = strlen(init), ending = strlen(START_FILE);
    return n >= ending && strcmp(init + n - ending, START_FILE) == 0 && !kelvin_is_folder(init);
}

/* By their names in the file, to their places in theta. */
static struct kelvin_array *name_parameters(float *theta, const kelvin_model *model)
{
    struct kelvin_array *arrays = kelvin_alloc(model->n_tensors, sizeof *arrays);
    for (size_t i = 0; arrays && i < model->n_tensors; i++) {
        arrays[i] = kelvin_name_tensor(model, i, "", NULL);
        arrays[i].data = theta + model->tensor[i].offset;
    }
    return arrays;
}

static kelvin_status read_parameters(const struct kelvin_tensors *file, const struct kelvin_array *arrays,
                                     const kelvin_run *run)
{
    const size_t n = run->model->n_tensors;
    kelvin_status status = kelvin_tensors_expect(file, arrays, n);
    if (status == KELVIN_EFORMAT)
        return kelvin_fail(status,
                           "init does not fit %s on %s; set " KELVIN_REFER(
                               FIELD, "model") " to its network, or rename its tensors: " KELVIN_SAID,
                           run->config.model, run->config.data, kelvin_error_raw());
    if (!status) status = kelvin_tensors_floats(file, arrays, n);
    return status ? kelvin_fail(status, "init: " KELVIN_SAID, kelvin_error_raw()) : KELVIN_OK;
}

/* What kelvin writes are draws of chains. */
static kelvin_status open_file(struct kelvin_tensors **file, const char *init)
{
    const char *version;
    const kelvin_status status = kelvin_tensors_open_any(file, init);
    if (status)
        return kelvin_fail(status == KELVIN_EIO ? KELVIN_EUSAGE : status, "init: " KELVIN_SAID, kelvin_error_raw());
    if (kelvin_tensors_note(&version, *file, "kelvin")) return KELVIN_OK;
    kelvin_tensors_close(*file);
    *file = NULL;
    return kelvin_fail(
        KELVIN_EUSAGE,
        "init: %s: holds what kelvin writes of a run, not the state dict of one network; start from the "
        "folder of the run: " KELVIN_REFER(SETTING, "init=RUN") " or " KELVIN_REFER(SETTING, "init=RUN/SAMPLE"),
        init);
}

static kelvin_status at_file(float *theta, const kelvin_run *run)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(open_file(&file, run->config.init));
    struct kelvin_array *arrays = name_parameters(theta, run->model);
    const kelvin_status status = arrays ? read_parameters(file, arrays, run) : KELVIN_ENOMEM;
    kelvin_free(arrays);
    kelvin_tensors_close(file);
    return status;
}

/* ---- any of them ---- */

kelvin_status kelvin_start(float *theta, const kelvin_run *run, uint32_t chain)
{
    if (strcmp(run->config.init, "none") == 0) return at_random(theta, run, chain);
    return kelvin_start_is_file(run->config.init) ? at_file(theta, run) : at_sample(theta, run, chain);
}

kelvin_status kelvin_starts_mark(char mark[KELVIN_CONFIG_MARK], const kelvin_run *run)
{
    const size_t n = run->model->n_params;
    float *theta = kelvin_alloc(n, sizeof *theta);
    kelvin_status status = theta ? KELVIN_OK : KELVIN_ENOMEM;
    uint32_t crc32 = 0;
    for (uint32_t i = 0; i < run->config.chains && !status; i++) {
        status = kelvin_start(theta, run, i);
        if (!status) crc32 = kelvin_crc32_more(crc32, theta, n * sizeof *theta);
    }
    snprintf(mark, KELVIN_CONFIG_MARK, "%08" PRIx32, crc32);
    kelvin_free(theta);
    return status;
}
