/* run: chains over cores, and the folder in which they are kept.
 *
 *     kelvin_run_config config = kelvin_run_defaults();
 *     config.density = "dirclip:1.4,-50";
 *     kelvin_run *run;
 *     kelvin_status st = kelvin_run_create(&run, &config);            // checks everything, samples nothing
 *     if (!st) st = kelvin_run_sample(&run, 1, 0, NULL, NULL);        // several runs can share the cores
 *     if (!st) st = kelvin_run_write(run, "RUN");
 *     kelvin_run_close(run);
 *
 * The folder: run.json (the configuration: enough to repeat the run), chain-000/samples.safetensors (all draws, named
 * tensors of shape (iterations, ...)), chain-000/history.csv, logits_train.npy (samples, n, classes; warm-up left out).
 * The bytes depend on the configuration alone, except for times.json.
 */
#ifndef KELVIN_RUN_H
#define KELVIN_RUN_H

#include <kelvin/base.h>
#include <kelvin/data.h>
#include <kelvin/nn.h>
#include <kelvin/sampler.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kelvin_run_config {
    const char *sampler;                        /* "hmc" */
    const char *data, *model, *density, *prior; /* prior may be "none" */
    uint64_t seed;
    uint32_t chains, iterations;
    uint32_t warmup; /* iterations left out of every summary; they are kept in the samples file */
    kelvin_hmc_options hmc;
} kelvin_run_config;

typedef struct kelvin_run {
    kelvin_run_config config; /* texts are the run's own */
    kelvin_data *data;
    kelvin_model *model;
    float *draws;          /* (chains, iterations, n_params) */
    kelvin_hmc_info *info; /* (chains, iterations) */
    float *logits;         /* (chains, iterations - warmup, n, classes), of the training data */
    double seconds;        /* from the first to the last iteration of its chains */
    void *owned;
} kelvin_run;

/* Of all the runs sampled together: leapfrog iterations done and to do. Return false to stop: the runs are then
 * incomplete, and kelvin_run_sample returns KELVIN_ESTOP. Called from any thread, one at a time. */
typedef bool kelvin_run_progress(void *context, const kelvin_run *run, uint32_t chain, uint32_t iteration,
                                 const kelvin_hmc_info *info);

kelvin_run_config kelvin_run_defaults(void); /* figure 1 of the paper with DirClip(1.4) */

KELVIN_MUST_CHECK kelvin_status kelvin_run_create(kelvin_run **run, const kelvin_run_config *config);

/* Samples all chains of n runs on `threads` threads (0: one per CPU). The draws do not depend on `threads`. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n, size_t threads,
                                                  kelvin_run_progress *progress, void *context);

/* Makes the folder (KELVIN_EUSAGE if it exists or cannot be made), so that a long run does not end at a closed door. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_claim(const char *folder);
void kelvin_run_abandon(const char *folder); /* removes a folder that was claimed and never written */

KELVIN_MUST_CHECK kelvin_status kelvin_run_write(const kelvin_run *run, const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_run_read(kelvin_run **run, const char *folder);
void kelvin_run_close(kelvin_run *run);

#ifdef __cplusplus
}
#endif
#endif
