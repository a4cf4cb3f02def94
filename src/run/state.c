/* The checkpoint of a chain: what its sampler must remember, the sums of the row so far, and what it has collected
 * since its last file of draws. It is one file, so that its parts are of one moment. */
#include "run/chain.h"
#include "run/folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct kelvin_array table(const char *name, size_t rows, size_t columns, const void *data)
{
    struct kelvin_array array = {.dtype = KELVIN_F64, .ndim = 2, .shape = {rows, columns}, .data = (void *)data};
    snprintf(array.name, sizeof array.name, "%s", name);
    return array;
}

/* Vectors of a state under the names of tensors, theta without a name of its own, the others as "momentum.NAME"; and
 * its numbers. Returns what comes after them. */
static struct kelvin_array *name_snapshot(struct kelvin_array *next, const kelvin_run *run, const char *prefix,
                                          const struct kelvin_snapshot *state)
{
    const kelvin_model *model = run->model;
    char name[64];
    for (size_t i = 0; i < kelvin_sampler_vectors(run->sampler); i++) {
        const char *vector = i > 0 ? run->sampler->vector[i - 1] : "";
        snprintf(name, sizeof name, "%s%s%s", prefix, vector, i > 0 ? "." : "");
        for (size_t t = 0; t < model->n_tensors; t++, next++) {
            *next = kelvin_name_tensor(model, t, name, NULL);
            next->data = state->vectors + i * model->n_params + model->tensor[t].offset;
        }
    }
    snprintf(name, sizeof name, "%snumbers", prefix);
    *next++ = table(name, 1, kelvin_sampler_numbers(run->sampler), state->numbers);
    return next;
}

/* In the middle of a row also where it began, as "row.NAME": a chain that diverges goes back there. Draws that are in
 * no file yet are "draws.NAME". Freed with kelvin_free; NULL if memory is short. */
static struct kelvin_array *name_arrays(size_t *n, const struct kelvin_chain *chain,
                                        const struct kelvin_snapshot *state, const struct kelvin_snapshot *row,
                                        const struct kelvin_bundle *bundle)
{
    const kelvin_run *run = chain->run;
    const size_t tensors = run->model->n_tensors, each = kelvin_sampler_vectors(run->sampler) * tensors + 1;
    struct kelvin_array *arrays = kelvin_alloc(2 * each + tensors + 2, sizeof *arrays);
    if (!arrays) return NULL;
    struct kelvin_array *next = name_snapshot(arrays, run, "", state);
    if (state->step % chain->row_steps != 0) next = name_snapshot(next, run, "row.", row);
    kelvin_bundle_arrays(next, bundle, run, "draws.");
    next += tensors;
    *next++ = table("row_so_far", 1, KELVIN_ROW_SUMS, &state->sums);
    *next++ = table("history", bundle->rows, chain->columns, bundle->row);
    *n = (size_t)(next - arrays);
    return arrays;
}

kelvin_status kelvin_state_write(const char *path, const struct kelvin_chain *chain,
                                 const struct kelvin_snapshot *state, const struct kelvin_snapshot *row,
                                 const struct kelvin_bundle *bundle)
{
    size_t n;
    struct kelvin_array *arrays = name_arrays(&n, chain, state, row, bundle);
    const struct kelvin_note notes[] = {
        {.name = "config", .text = kelvin_run_inside(chain->run)->mark},
        kelvin_note_number("step", state->step),
        kelvin_note_number("seed", chain->run->config.seed),
        kelvin_note_number("chain", chain->number),
        {.name = "diverged", .text = state->diverged},
    };
    const kelvin_status status =
        arrays ? kelvin_tensors_write(path, arrays, n, notes, sizeof notes / sizeof *notes) : KELVIN_ENOMEM;
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

kelvin_status kelvin_place_read(struct kelvin_place *place, const kelvin_run *run, uint32_t chain)
{
    struct kelvin_tensors *file;
    kelvin_path path;
    bool begun;
    *place = (struct kelvin_place){.phase = KELVIN_CHAIN_WAITING};
    KELVIN_TRY(kelvin_find_file(path, &begun, run->folder, KELVIN_STATE_FILE, chain));
    if (!begun) return KELVIN_OK;
    kelvin_status status = kelvin_tensors_peek(&file, path);
    if (!status) status = read_notes(&place->step, place->diverged, file, path, run, chain);
    kelvin_tensors_close(file);
    if (place->diverged[0])
        place->phase = KELVIN_CHAIN_DIVERGED;
    else if (place->step == kelvin_run_steps(run))
        place->phase = KELVIN_CHAIN_DONE;
    return kelvin_remedy_chain(status, run, chain);
}

static kelvin_status read_arrays(struct kelvin_chain *chain, const struct kelvin_tensors *file)
{
    struct kelvin_snapshot *now = &chain->now, *good = &chain->good;
    const uint32_t amid = now->step % chain->row_steps;
    size_t n;
    kelvin_bundle_place(&chain->bundle, chain->run, now->step, now->diverged[0] || now->step == chain->steps);
    struct kelvin_array *arrays = name_arrays(&n, chain, now, good, &chain->bundle);
    const kelvin_status status = arrays ? kelvin_tensors_read(file, arrays, n) : KELVIN_ENOMEM;
    kelvin_free(arrays);
    if (amid == 0) kelvin_snapshot_copy(good, now, chain->run);
    good->step = now->step - amid;
    return status;
}

kelvin_status kelvin_state_read(struct kelvin_chain *chain, const char *path)
{
    struct kelvin_tensors *file;
    kelvin_snapshot_free(&chain->now);
    KELVIN_TRY(kelvin_snapshot_create(&chain->now, chain->run));
    KELVIN_TRY(kelvin_tensors_open(&file, path));
    kelvin_status status = read_notes(&chain->now.step, chain->now.diverged, file, path, chain->run, chain->number);
    if (!status) status = read_arrays(chain, file);
    kelvin_tensors_close(file);
    return status;
}
