/* The files of a chain: its state (parameters, momenta, the history, the sums of the epoch so far) and its samples.
 * A state is one file, so that its parts are of one moment. */
#include "run/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTUM "momentum."
enum { CONFIG, STEP, SEED, CHAIN, DIVERGED, N_NOTES };

/* ---- arrays ---- */

/* The tensors of a model as views on a vector of all parameters. */
static void name_tensors(struct kelvin_array *arrays, const kelvin_model *model, const char *prefix,
                         const float *vector)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        struct kelvin_array *array = &arrays[t];
        snprintf(array->name, sizeof array->name, "%s%s", prefix, tensor->name);
        array->dtype = KELVIN_F32;
        array->ndim = tensor->ndim;
        memcpy(array->shape, tensor->shape, tensor->ndim * sizeof *tensor->shape);
        array->data = (void *)(vector + tensor->offset);
    }
}

static struct kelvin_array table_array(const char *name, size_t rows, size_t columns, double *data)
{
    struct kelvin_array array = {.dtype = KELVIN_F64, .ndim = 2, .shape = {rows, columns}, .data = data};
    snprintf(array.name, sizeof array.name, "%s", name);
    return array;
}

/* Parameters, momenta, history, sums. */
static size_t state_arrays(struct kelvin_array *arrays, const struct kelvin_chain *chain,
                           const struct kelvin_snapshot *state, struct kelvin_epoch_sums *sums)
{
    const kelvin_model *model = chain->run->model;
    const size_t n = model->n_tensors;
    name_tensors(arrays, model, "", state->theta);
    name_tensors(arrays + n, model, MOMENTUM, state->v);
    arrays[2 * n] = table_array("history", state->step / chain->steps_per_epoch, KELVIN_EPOCH_COLUMNS, chain->history);
    arrays[2 * n + 1] = table_array("epoch_so_far", 1, KELVIN_EPOCH_SUMS, &sums->steps);
    return 2 * n + 2;
}

static struct kelvin_array *alloc_arrays(const kelvin_model *model)
{
    return kelvin_alloc(2 * model->n_tensors + 2, sizeof(struct kelvin_array));
}

/* ---- strings ---- */

static void number_note(struct kelvin_note *note, const char *name, uint64_t value)
{
    note->name = name;
    snprintf(note->text, sizeof note->text, "%" PRIu64, value);
}

static void config_note(struct kelvin_note *note, const kelvin_run *run)
{
    note->name = "config";
    snprintf(note->text, sizeof note->text, "%s", kelvin_run_inside(run)->mark);
}

/* run.json lies in the folder of the chain's. */
static kelvin_status check_config(const struct kelvin_tensors *file, const char *path, const kelvin_run *run,
                                  uint32_t chain)
{
    const char *text;
    char name[64];
    KELVIN_TRY(kelvin_tensors_note(&text, file, "config"));
    if (strcmp(text, kelvin_run_inside(run)->mark) == 0) return KELVIN_OK;
    const size_t n = (size_t)snprintf(name, sizeof name, KELVIN_STATE_FILE, chain), all = strlen(path);
    return kelvin_fail(KELVIN_EFORMAT,
                       "%.*s" KELVIN_CONFIG_NAME
                       " has changed since %s was written; put it back, or start a new run with --config",
                       (int)(all > n ? all - n : 0), path, name);
}

static kelvin_status read_number(uint64_t *value, const struct kelvin_tensors *file, const char *path, const char *name,
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

/* ---- states ---- */

kelvin_status kelvin_state_write(const char *path, const struct kelvin_chain *chain,
                                 const struct kelvin_snapshot *state)
{
    struct kelvin_array *arrays = alloc_arrays(chain->run->model);
    if (!arrays) return KELVIN_ENOMEM;
    struct kelvin_note notes[N_NOTES] = {[DIVERGED] = {.name = "diverged"}};
    struct kelvin_epoch_sums sums = state->sums;
    config_note(&notes[CONFIG], chain->run);
    number_note(&notes[STEP], "step", state->step);
    number_note(&notes[SEED], "seed", chain->run->config.seed);
    number_note(&notes[CHAIN], "chain", chain->number);
    snprintf(notes[DIVERGED].text, sizeof notes[DIVERGED].text, "%s", state->diverged);
    const size_t n = state_arrays(arrays, chain, state, &sums);
    const kelvin_status status = kelvin_tensors_write(path, arrays, n, notes, N_NOTES);
    kelvin_free(arrays);
    return status;
}

/* Whose it is. */
static kelvin_status check_notes(const struct kelvin_tensors *file, const char *path, const kelvin_run *run,
                                 uint32_t chain)
{
    const uint64_t seed = run->config.seed;
    uint64_t value;
    KELVIN_TRY(read_number(&value, file, path, "seed", seed, seed));
    KELVIN_TRY(read_number(&value, file, path, "chain", chain, chain));
    return check_config(file, path, run, chain);
}

static kelvin_status read_notes(uint32_t *step, char diverged[KELVIN_NOTE], const struct kelvin_tensors *file,
                                const char *path, const kelvin_run *run, uint32_t chain, uint32_t steps)
{
    const char *text;
    uint64_t value;
    KELVIN_TRY(check_notes(file, path, run, chain));
    KELVIN_TRY(read_number(&value, file, path, "step", 0, steps));
    KELVIN_TRY(kelvin_tensors_note(&text, file, "diverged"));
    *step = (uint32_t)value;
    snprintf(diverged, KELVIN_NOTE, "%s", text);
    return KELVIN_OK;
}

static kelvin_status open_state(struct kelvin_tensors **file, const char *path)
{
    const kelvin_status status = kelvin_tensors_open(file, path);
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, "%s; remove it to sample this chain from its start", kelvin_error());
}

kelvin_status kelvin_state_check(const char *path, const kelvin_run *run, uint32_t chain)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(open_state(&file, path));
    const kelvin_status status = check_notes(file, path, run, chain);
    kelvin_tensors_close(file);
    return status;
}

kelvin_status kelvin_state_peek(uint32_t *step, char diverged[KELVIN_NOTE], const char *path, const kelvin_run *run,
                                uint32_t chain, uint32_t steps)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(open_state(&file, path));
    const kelvin_status status = read_notes(step, diverged, file, path, run, chain, steps);
    kelvin_tensors_close(file);
    return status;
}

/* The checksum does not see the step: it must fit what it does see. */
static kelvin_status check_sums(const struct kelvin_chain *chain, const char *path)
{
    const uint32_t steps = chain->good.step % chain->steps_per_epoch;
    if (chain->good.sums.steps == steps) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: \"epoch_so_far\" is of %g steps, expected %u of step %u", path,
                       chain->good.sums.steps, steps, chain->good.step);
}

kelvin_status kelvin_state_read(struct kelvin_chain *chain, const char *path)
{
    struct kelvin_tensors *file;
    struct kelvin_array *arrays = alloc_arrays(chain->run->model);
    if (!arrays) return KELVIN_ENOMEM;
    kelvin_status status = open_state(&file, path);
    if (!status) {
        status =
            read_notes(&chain->good.step, chain->good.diverged, file, path, chain->run, chain->number, chain->steps);
        if (!status)
            status = kelvin_tensors_read(file, arrays, state_arrays(arrays, chain, &chain->good, &chain->good.sums));
        if (!status) status = check_sums(chain, path);
        kelvin_tensors_close(file);
    }
    kelvin_free(arrays);
    return status;
}

/* ---- samples ---- */

kelvin_status kelvin_sample_write(const char *path, const kelvin_run *run, uint32_t chain, uint32_t index,
                                  const float *theta)
{
    enum { N = 4 };
    struct kelvin_array *arrays = alloc_arrays(run->model);
    if (!arrays) return KELVIN_ENOMEM;
    struct kelvin_note notes[N];
    number_note(&notes[0], "seed", run->config.seed);
    number_note(&notes[1], "chain", chain);
    number_note(&notes[2], "sample", index);
    config_note(&notes[3], run);
    name_tensors(arrays, run->model, "", theta);
    const kelvin_status status = kelvin_tensors_write(path, arrays, run->model->n_tensors, notes, N);
    kelvin_free(arrays);
    return status;
}

/* `run` NULL: anyone's. */
static kelvin_status check_sample(const struct kelvin_tensors *file, const char *path, const kelvin_run *run,
                                  uint32_t chain, uint32_t index)
{
    const char *config;
    uint64_t value;
    if (!run) return KELVIN_OK;
    KELVIN_TRY(read_number(&value, file, path, "chain", chain, chain));
    KELVIN_TRY(read_number(&value, file, path, "sample", index, index));
    KELVIN_TRY(kelvin_tensors_note(&config, file, "config"));
    if (strcmp(config, kelvin_run_inside(run)->mark) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: is a sample of another run, or " KELVIN_CONFIG_NAME " has changed since",
                       path);
}

static kelvin_status read_sample(float *theta, const char *path, const kelvin_model *model, const kelvin_run *run,
                                 uint32_t chain, uint32_t index)
{
    struct kelvin_tensors *file;
    struct kelvin_array *arrays = alloc_arrays(model);
    if (!arrays) return KELVIN_ENOMEM;
    kelvin_status status = kelvin_tensors_open(&file, path);
    if (!status) {
        name_tensors(arrays, model, "", theta);
        status = check_sample(file, path, run, chain, index);
        if (!status) status = kelvin_tensors_read(file, arrays, model->n_tensors);
        kelvin_tensors_close(file);
    }
    kelvin_free(arrays);
    return status;
}

kelvin_status kelvin_sample_read(float *theta, const char *path, const kelvin_model *model)
{
    return read_sample(theta, path, model, NULL, 0, 0);
}

kelvin_status kelvin_sample_read_of(float *theta, const char *path, const kelvin_run *run, uint32_t chain,
                                    uint32_t index)
{
    return read_sample(theta, path, run->model, run, chain, index);
}

bool kelvin_sample_next(kelvin_path path, struct kelvin_sample_place *place, const char *folder)
{
    size_t bytes;
    for (;; place->chain++, place->index = 0) {
        if (kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, place->chain) || !kelvin_is_folder(path)) return false;
        if (kelvin_path_join(path, folder, KELVIN_SAMPLE_FILE, place->chain, place->index)) return false;
        if (kelvin_file_size(&bytes, path) == KELVIN_OK) break;
    }
    place->index++;
    return true;
}

size_t kelvin_sample_count(const char *folder)
{
    struct kelvin_sample_place place = {0};
    kelvin_path path;
    size_t n = 0;
    while (kelvin_sample_next(path, &place, folder)) n++;
    return n;
}
