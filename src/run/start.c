/* Where chains start: at random, as the model says, or at the samples of another run (fine-tuning). */
#include "run/chain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "FOLDER" or "FOLDER/i" as a folder and the index of a sample; without one, the chain's own number, round and round.
 */
static kelvin_status find_sample(kelvin_path path, const char *init, uint32_t chain)
{
    kelvin_path folder;
    size_t n = kelvin_sample_count(init), index = n ? chain % n : 0;
    const char *slash = strrchr(init, '/');
    KELVIN_TRY(kelvin_path_join(folder, init, "%s", ""));
    for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--) folder[end - 1] = '\0';
    if (n == 0 && slash && isdigit((unsigned char)slash[1]) && strspn(slash + 1, "0123456789") == strlen(slash + 1)) {
        folder[slash - init] = '\0';
        index = strtoul(slash + 1, NULL, 10);
        n = kelvin_sample_count(folder);
        if (n > 0 && index >= n)
            return kelvin_fail(KELVIN_EUSAGE, "init: %s has %zu samples, 0 to %zu; %zu is not among them", folder, n,
                               n - 1, index);
    }
    if (n == 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           "init: %s holds no samples; expected the folder of a finished run by sghmc, or FOLDER/i",
                           init);
    struct kelvin_sample_place place = {0};
    for (size_t i = 0; i <= index; i++)
        if (!kelvin_sample_next(path, &place, folder))
            return kelvin_fail(KELVIN_EIO, "init: sample %zu of %s cannot be found", index, folder);
    return KELVIN_OK;
}

/* A whole file that cannot be read as this model is one of another. */
static kelvin_status read_start(float *theta, const char *path, const kelvin_run *run)
{
    struct kelvin_tensors *file;
    const kelvin_status status = kelvin_sample_read(theta, path, run->model);
    if (status != KELVIN_EFORMAT) return status;
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error());
    const bool whole = kelvin_tensors_open(&file, path) == KELVIN_OK;
    if (whole) kelvin_tensors_close(file);
    if (!whole) return kelvin_fail(status, "init: %s", sentence);
    return kelvin_fail(status, "init is of another model than %s: %s", run->config.model, sentence);
}

kelvin_status kelvin_start(float *theta, const kelvin_run *run, uint32_t chain)
{
    const kelvin_run_config *config = &run->config;
    if (strcmp(config->init, "none") == 0) {
        kelvin_model_init(run->model, theta, config->seed, chain);
        return KELVIN_OK;
    }
    kelvin_path path;
    KELVIN_TRY(find_sample(path, config->init, chain));
    return read_start(theta, path, run);
}
