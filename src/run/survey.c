/* What is there of a run by SGHMC and what is not: where each chain stands, which of its files are missing, which of
 * them can be made again from its state, and which cannot. */
#include "run/chains.h"

#include "run/description.h"
#include "run/remedy.h"

#include <unistd.h>

/* ---- files ---- */

static bool is_there(const struct kelvin_chains *chains, const char *name)
{
    kelvin_path path;
    return !kelvin_path_join(path, chains->folder, "%s", name) && access(path, F_OK) == 0;
}

/* All of it, of a chain that ended at this step. */
static bool has_history(const struct kelvin_chains *chains, uint32_t chain, uint32_t step)
{
    kelvin_path path;
    size_t rows;
    return !kelvin_path_join(path, chains->folder, KELVIN_HISTORY_FILE, chain) && access(path, F_OK) == 0 &&
           !kelvin_table_rows(&rows, path) && rows == step / kelvin_steps_per_epoch(chains->run);
}

static bool has_sample(const struct kelvin_chains *chains, uint32_t chain, uint32_t index)
{
    kelvin_path path;
    return !kelvin_path_join(path, chains->folder, KELVIN_SAMPLE_FILE, chain, index) && access(path, F_OK) == 0;
}

/* The first sample that a chain should have by this step, and has not; false if there is none. */
static bool missing_sample(uint32_t *index, const struct kelvin_chains *chains, uint32_t chain, uint32_t step)
{
    const kelvin_run_config *config = &chains->run->config;
    const uint32_t cycles = kelvin_cycles(config), epoch = step / kelvin_steps_per_epoch(chains->run);
    for (*index = 0; *index < cycles; ++*index) {
        if (kelvin_cycle_begin(*index + 1, cycles, config->epochs) > epoch) return false;
        if (!has_sample(chains, chain, *index)) return true;
    }
    return false;
}

/* A state is that of the last sample, or past it: of those before, nothing is left. */
static kelvin_status check_samples(const struct kelvin_chains *chains, uint32_t chain)
{
    const kelvin_run_config *config = &chains->run->config;
    const struct kelvin_place *place = &chains->place[chain];
    uint32_t index;
    if (place->phase == KELVIN_CHAIN_DIVERGED || !missing_sample(&index, chains, chain, place->step)) return KELVIN_OK;
    const uint32_t end = kelvin_cycle_begin(index + 1, kelvin_cycles(config), config->epochs);
    if (place->step == end * kelvin_steps_per_epoch(chains->run)) return KELVIN_OK;
    return kelvin_sample_missing(chains->folder, chain, index, true);
}

/* ---- chains ---- */

kelvin_status kelvin_chains_survey(struct kelvin_chains *chains)
{
    const kelvin_run *run = chains->run;
    const uint32_t steps = kelvin_steps_per_epoch(run) * run->config.epochs;
    for (uint32_t i = 0; i < run->config.chains; i++) {
        struct kelvin_place *place = &chains->place[i];
        kelvin_path path;
        bool begun;
        KELVIN_TRY(kelvin_path_join(path, chains->folder, KELVIN_STATE_FILE, i));
        KELVIN_TRY(kelvin_is_there(&begun, path));
        if (!begun) continue;
        KELVIN_TRY(kelvin_state_peek(&place->step, place->diverged, path, run, i, steps));
        place->phase = place->diverged[0]     ? KELVIN_CHAIN_DIVERGED
                       : place->step == steps ? KELVIN_CHAIN_DONE
                                              : KELVIN_CHAIN_WAITING;
        KELVIN_TRY(check_samples(chains, i));
    }
    return kelvin_description_restore(run->data, chains->folder); /* it costs nothing, and nobody need be told */
}

static bool chain_finished(const struct kelvin_chains *chains, uint32_t chain)
{
    const struct kelvin_place *place = &chains->place[chain];
    uint32_t index;
    if (place->phase != KELVIN_CHAIN_DONE && place->phase != KELVIN_CHAIN_DIVERGED) return false;
    if (!has_history(chains, chain, place->step)) return false;
    return place->phase == KELVIN_CHAIN_DIVERGED || !missing_sample(&index, chains, chain, place->step);
}

bool kelvin_chains_finished(const struct kelvin_chains *chains)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    for (uint32_t i = 0; i < chains->run->config.chains; i++)
        if (!chain_finished(chains, i)) return false;
    const size_t samples = kelvin_sample_count(chains->folder);
    kelvin_logits_files(files, chains->run->data);
    for (size_t i = 0; i < KELVIN_PARTS; i++)
        if (samples > 0 && files[i].part->n > 0 &&
            !(is_there(chains, files[i].labels) && is_there(chains, files[i].name)))
            return false;
    return true;
}

kelvin_status kelvin_chains_verify(const struct kelvin_chains *chains)
{
    kelvin_samples *samples;
    float *theta = kelvin_alloc(chains->run->model->n_params, sizeof *theta);
    if (!theta) return KELVIN_ENOMEM;
    kelvin_status status = kelvin_samples_find(&samples, chains->folder);
    for (size_t i = 0; !status && i < samples->n; i++) status = kelvin_samples_read(samples, theta, i);
    kelvin_samples_close(samples);
    kelvin_free(theta);
    return status;
}

kelvin_status kelvin_chains_restore(const struct kelvin_chains *chains, const struct kelvin_chain *chain)
{
    if (has_history(chains, chain->number, chain->good.step)) return KELVIN_OK;
    return kelvin_chain_history(chain, chains->folder, chain->good.step);
}
