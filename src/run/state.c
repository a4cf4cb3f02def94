/* The checkpoint of a chain: what its sampler must remember, the sums of the row so far, and what it has collected
 * since its last file of draws. It is one file, so that its parts are of one moment. */
#include "run/chain.h"

#include <stdio.h>
#include <string.h>

enum { CONFIG, STEP, SEED, CHAIN, DIVERGED, N_NOTES };
enum { NUMBERS, SUMS, ROWS, OTHERS }; /* arrays after the vectors and the draws */

static struct kelvin_array table(const char *name, enum kelvin_dtype type, size_t rows, size_t columns, void *data)
{
    struct kelvin_array array = {.dtype = type, .ndim = 2, .shape = {rows, columns}, .data = data};
    snprintf(array.name, sizeof array.name, "%s", name);
    return array;
}

static size_t array_count(const kelvin_run *run)
{
    return (kelvin_sampler_vectors(run->sampler) + 1) * run->model->n_tensors + OTHERS;
}

/* Vectors under the names of tensors, theta without a prefix, the others as "momentum.conv1.weight"; draws that are in
 * no file yet as "draws.conv1.weight". */
static void name_arrays(struct kelvin_array *arrays, const struct kelvin_chain *chain,
                        const struct kelvin_snapshot *state, const struct kelvin_bundle *bundle)
{
    const kelvin_run *run = chain->run;
    const kelvin_model *model = run->model;
    const size_t vectors = kelvin_sampler_vectors(run->sampler), n = model->n_params;
    for (size_t i = 0; i < vectors; i++) {
        char prefix[32] = "";
        if (i > 0) snprintf(prefix, sizeof prefix, "%s.", run->sampler->vector[i - 1]);
        kelvin_name_tensors(arrays, model, prefix, NULL, state->vectors + i * n);
        arrays += model->n_tensors;
    }
    kelvin_bundle_arrays(arrays, bundle, run, "draws.");
    arrays += model->n_tensors;
    arrays[NUMBERS] = table("numbers", KELVIN_F64, 1, kelvin_sampler_numbers(run->sampler), (void *)state->numbers);
    arrays[SUMS] = table("row_so_far", KELVIN_F64, 1, KELVIN_ROW_SUMS, (void *)&state->sums);
    arrays[ROWS] = table("history", KELVIN_F64, bundle->rows, chain->columns, bundle->row);
}

kelvin_status kelvin_state_write(const char *path, const struct kelvin_chain *chain,
                                 const struct kelvin_snapshot *state, const struct kelvin_bundle *bundle)
{
    const size_t n = array_count(chain->run);
    struct kelvin_array *arrays = kelvin_alloc(n, sizeof *arrays);
    if (!arrays) return KELVIN_ENOMEM;
    struct kelvin_note notes[N_NOTES] = {[DIVERGED] = {.name = "diverged", .text = state->diverged}};
    kelvin_note_config(&notes[CONFIG], chain->run);
    kelvin_note_number(&notes[STEP], "step", state->step);
    kelvin_note_number(&notes[SEED], "seed", chain->run->config.seed);
    kelvin_note_number(&notes[CHAIN], "chain", chain->number);
    name_arrays(arrays, chain, state, bundle);
    const kelvin_status status = kelvin_tensors_write(path, arrays, n, notes, N_NOTES);
    kelvin_free(arrays);
    return status;
}

/* ---- reading ---- */

static kelvin_status read_notes(uint32_t *step, char diverged[KELVIN_NOTE], const struct kelvin_tensors *file,
                                const char *path, const kelvin_run *run, uint32_t chain)
{
    const char *text;
    uint64_t value;
    KELVIN_TRY(kelvin_note_check(file, path, run, chain));
    KELVIN_TRY(kelvin_note_read(&value, file, path, "step", 0, kelvin_run_steps(run)));
    KELVIN_TRY(kelvin_tensors_note(&text, file, "diverged"));
    *step = (uint32_t)value;
    snprintf(diverged, KELVIN_NOTE, "%s", text);
    return KELVIN_OK;
}

kelvin_status kelvin_state_peek(uint32_t *step, char diverged[KELVIN_NOTE], const char *path, const kelvin_run *run,
                                uint32_t chain)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(kelvin_tensors_peek(&file, path));
    const kelvin_status status = read_notes(step, diverged, file, path, run, chain);
    kelvin_tensors_close(file);
    return status;
}

static kelvin_status read_arrays(struct kelvin_chain *chain, const struct kelvin_tensors *file)
{
    const size_t n = array_count(chain->run);
    struct kelvin_array *arrays = kelvin_alloc(n, sizeof *arrays);
    if (!arrays) return KELVIN_ENOMEM;
    const bool ended = chain->good.diverged[0] || chain->good.step == chain->steps;
    kelvin_bundle_place(&chain->bundle, chain->run, chain->good.step, ended);
    name_arrays(arrays, chain, &chain->good, &chain->bundle);
    const kelvin_status status = kelvin_tensors_read(file, arrays, n);
    kelvin_free(arrays);
    return status;
}

kelvin_status kelvin_state_read(struct kelvin_chain *chain, const char *path)
{
    struct kelvin_tensors *file;
    KELVIN_TRY(kelvin_tensors_open(&file, path));
    kelvin_status status = read_notes(&chain->good.step, chain->good.diverged, file, path, chain->run, chain->number);
    if (!status) status = read_arrays(chain, file);
    kelvin_tensors_close(file);
    return status;
}
