/* The draws of a chain of HMC as named tensors. In memory a draw is one row of all parameters; in the file a tensor is
 * one block of all iterations. */
#include "run/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static kelvin_status data_bytes(size_t *bytes, const struct kelvin_draws *about)
{
    if (__builtin_mul_overflow(about->iterations, about->model->n_params, bytes) ||
        __builtin_mul_overflow(*bytes, sizeof(float), bytes))
        return kelvin_fail(KELVIN_ENOMEM, "%zu draws of %zu parameters are more than can be addressed",
                           about->iterations, about->model->n_params);
    return KELVIN_OK;
}

enum direction { TO_FILE, TO_MEMORY };

/* Copies between the two orders: rows of all parameters in memory, tensor by tensor in the file. */
static void reorder(void *to, const void *from, const struct kelvin_draws *about, enum direction direction)
{
    size_t in_file = 0;
    for (size_t t = 0; t < about->model->n_tensors; t++) {
        const kelvin_tensor *tensor = &about->model->tensor[t];
        const size_t bytes = kelvin_tensor_size(tensor) * sizeof(float);
        for (size_t i = 0; i < about->iterations; i++, in_file += bytes) {
            const size_t in_memory = (i * about->model->n_params + tensor->offset) * sizeof(float);
            if (direction == TO_FILE)
                memcpy((char *)to + in_file, (const char *)from + in_memory, bytes);
            else
                memcpy((char *)to + in_memory, (const char *)from + in_file, bytes);
        }
    }
}

/* The strings about the draws, for both directions. */
enum { SEED, CHAIN, N_NOTES };

static void notes_of(struct kelvin_note notes[N_NOTES], const struct kelvin_draws *about)
{
    notes[SEED].name = "seed";
    snprintf(notes[SEED].text, KELVIN_NOTE, "%" PRIu64, about->seed);
    notes[CHAIN].name = "chain";
    snprintf(notes[CHAIN].text, KELVIN_NOTE, "%" PRIu32, about->chain);
}

/* All draws in the order of the file, and which arrays they are. */
struct blocks {
    struct kelvin_array *arrays;
    char *data;
};

static void free_blocks(struct blocks *b)
{
    kelvin_free(b->arrays);
    kelvin_free(b->data);
}

static kelvin_status make_blocks(struct blocks *b, const struct kelvin_draws *about)
{
    const kelvin_model *model = about->model;
    size_t bytes, offset = 0;
    KELVIN_TRY(data_bytes(&bytes, about));
    *b = (struct blocks){.arrays = kelvin_alloc(model->n_tensors, sizeof *b->arrays)};
    if (!b->arrays || !(b->data = kelvin_alloc(bytes, 1))) {
        free_blocks(b);
        return KELVIN_ENOMEM;
    }
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        struct kelvin_array *array = &b->arrays[t];
        snprintf(array->name, sizeof array->name, "%s", tensor->name);
        array->ndim = tensor->ndim + 1;
        array->shape[0] = about->iterations;
        memcpy(array->shape + 1, tensor->shape, tensor->ndim * sizeof *array->shape);
        array->data = b->data + offset;
        offset += about->iterations * kelvin_tensor_size(tensor) * sizeof(float);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_safetensors_write(const char *path, const float *draws, const struct kelvin_draws *about)
{
    struct blocks blocks;
    struct kelvin_note notes[N_NOTES];
    KELVIN_TRY(make_blocks(&blocks, about));
    reorder(blocks.data, draws, about, TO_FILE);
    notes_of(notes, about);
    const kelvin_status status = kelvin_tensors_write(path, blocks.arrays, about->model->n_tensors, notes, N_NOTES);
    free_blocks(&blocks);
    return status;
}

static kelvin_status check_notes(const struct kelvin_tensors *file, const struct kelvin_draws *about, const char *path)
{
    struct kelvin_note notes[N_NOTES];
    notes_of(notes, about);
    for (int i = 0; i < N_NOTES; i++) {
        const char *text;
        KELVIN_TRY(kelvin_tensors_note(&text, file, notes[i].name));
        if (strcmp(text, notes[i].text) != 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: %s is %.100s in the header, expected %s", path, notes[i].name, text,
                               notes[i].text);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_safetensors_read(float *draws, const char *path, const struct kelvin_draws *about)
{
    struct blocks blocks;
    struct kelvin_tensors *file;
    KELVIN_TRY(make_blocks(&blocks, about));
    kelvin_status status = kelvin_tensors_open(&file, path);
    if (!status) status = kelvin_tensors_read(file, blocks.arrays, about->model->n_tensors);
    if (!status) status = check_notes(file, about, path);
    if (!status) reorder(draws, blocks.data, about, TO_MEMORY);
    kelvin_tensors_close(file);
    free_blocks(&blocks);
    return status;
}
