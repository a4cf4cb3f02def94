/* bundle: some draws of a chain, one after the other, and the rows of its history up to the last of them. A chain
 * collects them in memory until there are enough, then they go into a file of their own, and the memory is used again.
 * Of a run without a folder all draws of a chain are one bundle, which the run keeps.
 *
 *     struct kelvin_bundle bundle;
 *     kelvin_status st = kelvin_bundle_create(&bundle, run);
 *     if (!st) kelvin_bundle_place(&bundle, run, step, false);      // what a chain at this step has collected
 *     ... kelvin_bundle_add(&bundle, run, row, theta) ...
 *     if (kelvin_bundle_full(&bundle, run)) st = kelvin_bundle_write(&bundle, run, chain);
 */
#ifndef RUN_BUNDLE_H
#define RUN_BUNDLE_H

#include "run/room.h"

#define KELVIN_BUNDLE_FILE KELVIN_CHAIN_FOLDER "/samples-%03u.safetensors"
/* Of folders before version 0.7: one sample each, or all draws of a chain. */
#define KELVIN_SAMPLE_FILE KELVIN_CHAIN_FOLDER "/sample-%03u.safetensors"
#define KELVIN_DRAWS_FILE  KELVIN_CHAIN_FOLDER "/samples.safetensors"

struct kelvin_bundle {
    uint32_t first_row, rows, first_draw, draws;
    size_t room; /* for so many draws */
    double *row; /* (rows, columns) */
    float *draw; /* as in a file: of each tensor (room, ...), one tensor behind the other */
};

/* Where a tensor of draw i is. */
static inline float *kelvin_bundle_at(const struct kelvin_bundle *bundle, const kelvin_tensor *tensor, size_t i)
{
    return bundle->draw + bundle->room * tensor->offset + i * kelvin_tensor_size(tensor);
}

KELVIN_MUST_CHECK kelvin_status kelvin_bundle_create(struct kelvin_bundle *bundle, const kelvin_run *run);
void kelvin_bundle_free(struct kelvin_bundle *bundle); /* fine on a zeroed one */

/* Memory that it takes, in bytes. */
size_t kelvin_bundle_bytes(const kelvin_run *run);

/* How many rows and draws a chain at a step has collected since its last file; none, if it has ended. */
void kelvin_bundle_place(struct kelvin_bundle *bundle, const kelvin_run *run, uint32_t step, bool ended);

/* A row that has ended, and a draw at theta if one is due. */
void kelvin_bundle_add(struct kelvin_bundle *bundle, const kelvin_run *run, const double *row, const float *theta);
bool kelvin_bundle_full(const struct kelvin_bundle *bundle, const kelvin_run *run);

/* Writes it and makes it empty; of a run without a folder, all that the chain has left becomes the run's. Nothing, if
 * it is empty. */
KELVIN_MUST_CHECK kelvin_status kelvin_bundle_write(struct kelvin_bundle *bundle, const kelvin_run *run,
                                                    uint32_t chain);

/* Its draws under the names of tensors with a prefix, (draws, ...) each: n_tensors arrays, whose data are its own. */
void kelvin_bundle_arrays(struct kelvin_array *arrays, const struct kelvin_bundle *bundle, const kelvin_run *run,
                          const char *prefix);

/* ---- files ---- */

/* Where a draw of a chain is. */
struct kelvin_draw_place {
    char name[KELVIN_FILE_NAME]; /* of the file, in the folder of the run */
    uint32_t chain;
    uint32_t number, index; /* of the file, and of the draw in it */
};
uint32_t kelvin_file_draws(const kelvin_run *run); /* of a file that is full */
struct kelvin_draw_place kelvin_draw_place(const kelvin_run *run, uint32_t chain, uint32_t draw);

/* A file of draws, of this chain of this run. */
struct kelvin_bundle_file {
    struct kelvin_tensors *file; /* NULL: none is open */
    uint32_t draws, rows;
    const double *row;    /* (rows, columns); NULL in files of earlier versions */
    const float **tensor; /* (n_tensors): (draws, ...) each */
};
/* whole: with its data, checksums right; otherwise these are not looked at, and rows and tensors are NULL. A sentence
 * of one that is damaged says what helps. */
KELVIN_MUST_CHECK kelvin_status kelvin_bundle_open(struct kelvin_bundle_file *file, const kelvin_run *run,
                                                   const struct kelvin_draw_place *place, bool whole);
void kelvin_bundle_close(struct kelvin_bundle_file *file); /* fine on a zeroed one */

/* Parameters of its i-th draw (n_params); i < draws. */
void kelvin_bundle_theta(float *theta, const struct kelvin_bundle_file *file, const kelvin_model *model, uint32_t i);

/* How many such files a chain has left when it was at a step. */
uint32_t kelvin_bundle_files(const kelvin_run *run, uint32_t step, bool ended);

/* ---- notes of files ---- */

/* The strings by which it is seen whose a file is. */
struct kelvin_note kelvin_note_number(const char *name, uint64_t value);

/* A number between two bounds. */
KELVIN_MUST_CHECK kelvin_status kelvin_note_read(uint64_t *value, const struct kelvin_tensors *file, const char *path,
                                                 const char *name, uint64_t lowest, uint64_t highest);
/* Is a file of a run with this configuration? */
KELVIN_MUST_CHECK kelvin_status kelvin_note_check(const struct kelvin_tensors *file, const char *path,
                                                  const kelvin_run *run, uint32_t chain);

/* A tensor of a model under its name, with a prefix. `draws` NULL: of one draw; otherwise shapes begin with that. */
struct kelvin_array kelvin_name_tensor(const kelvin_model *model, size_t t, const char *prefix, const size_t *draws);

#endif
