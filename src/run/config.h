/* config: a configuration as a run uses it, with every field filled in. A kelvin_config (kelvin/run.h) is what someone
 * has said of one; kelvin_config_resolve makes this of it.
 *
 *     kelvin_run_config config;
 *     kelvin_status st = kelvin_run_defaults(&config, "hmc");
 *     config.density = "dirclip:1.4,-50";
 *     if (!st) st = kelvin_run_begin(&run, &config, "RUN");
 */
#ifndef RUN_CONFIG_H
#define RUN_CONFIG_H

#include "sampler/sampler.h"

#include <kelvin/run.h>

/* The file that a configuration was read from, for the sentences of what is wrong in it. */
typedef struct kelvin_run_source {
    const char *path;              /* NULL: none */
    uint64_t overruled;            /* fields that someone set, which counts for more; see run/fields.h */
    const char *data, *data_crc32; /* this data set must have these checksums; NULL: any */
    const char *preset;            /* where unsaid fields come from: "auto" or "paper"; NULL: auto */
    const char *init, *init_crc32; /* and the chains that start there this one of where they do */
} kelvin_run_source;

typedef struct kelvin_run_config {
    const char *sampler;
    const char *data, *model, *density, *prior; /* prior may be "none" */
    uint64_t seed;
    uint32_t chains;
    double temperature;
    const char *init;   /* "none", a run's folder (chain i starts at the last of its chain i), FOLDER/i, a file */
    double logit_limit; /* a chain whose logits of one observation differ by more has diverged */

    /* of samplers that look at batches */
    uint32_t samples; /* of all chains together: a multiple of chains */
    uint32_t epochs;
    uint32_t batch; /* observations per step; 0: the paper's 125, or all if there are fewer */
    const char *schedule, *temperature_schedule; /* of the size of steps; of the temperature */
    const char *augment;

    /* of samplers that look at all data: every iteration is a draw */
    uint32_t iterations;
    uint32_t warmup; /* iterations that are kept and marked, and left out of every answer */

    const char *scale;               /* of the parameters of each tensor, "0.31,1.4,..."; "none": 1 */
    double setting[KELVIN_SETTINGS]; /* of the sampler, as it lists them */

    kelvin_run_source source; /* filled in by kelvin_config_resolve; a run keeps none */
} kelvin_run_config;

/* What a run by a sampler is if nobody says otherwise. KELVIN_EUSAGE if there is no such sampler. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler);

/* A setting of the configuration's sampler, by its name. KELVIN_EUSAGE if it has none of that name. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_set(kelvin_run_config *config, const char *name, double value);

/* What someone has said, over what is usual. Texts live as long as the configuration does, and nobody sets its fields.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_config_resolve(kelvin_run_config *resolved, const kelvin_config *config);

/* kelvin_run_start, of a configuration that is filled in. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_begin(kelvin_run **run, const kelvin_run_config *config, const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_run_begin_with(kelvin_run **run, const kelvin_run_config *config,
                                                      const kelvin_data *data, const char *folder);

#endif
