/* Branches. As long as a schedule keeps the temperature at 0, runs that differ in nothing but their temperature are the
 * same to the bit. One of them leaves the states of its chains where that ends, and the others begin there:
 *
 *     FOLDER/chain-000.safetensors, ...      states as those of the run at T = 0 would be
 *
 * What is in a run's folder at the end is the same with and without. */
#include "run/branch.h"
#include "base/needs.h"

#include <string.h>
#include <unistd.h>

#define BRANCH_FILE KELVIN_CHAIN_FOLDER ".safetensors"

uint32_t kelvin_run_cold_rows(const kelvin_run *run)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (!run->sampler->batches) return 0;
    const kelvin_schedule *schedule = inside->temperature_schedule;
    const uint32_t epochs = run->config.epochs, draws = kelvin_run_draws(run), first = kelvin_run_draw_row(run, 0);
    uint32_t n = 0;
    while (n < first && schedule->temperature(kelvin_schedule_progress(schedule, n, epochs, draws)) == 0) n++;
    return n;
}

kelvin_status kelvin_run_branch(kelvin_run *run, const char *folder)
{
    KELVIN_NEEDS(run);
    KELVIN_NEEDS(folder);
    KELVIN_TRY(kelvin_run_expect_open(run));
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    inside->cold_rows = run->folder ? kelvin_run_cold_rows(run) : 0;
    inside->branch = kelvin_arena_text(inside->arena, folder, strlen(folder));
    return inside->branch ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_run_branched(bool *there, const kelvin_run *run)
{
    KELVIN_NEEDS(there);
    KELVIN_NEEDS(run);
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    kelvin_path path;
    *there = inside->branch && inside->cold_rows > 0;
    for (uint32_t i = 0; i < run->config.chains && *there; i++)
        KELVIN_TRY(kelvin_find_file(path, there, inside->branch, BRANCH_FILE, i));
    return KELVIN_OK;
}

/* ---- the run at T = 0, whose states they are ---- */

struct trunk {
    kelvin_run run;
    struct kelvin_run_owned inside;
};

static kelvin_status trunk_of(struct trunk *trunk, const kelvin_run *run)
{
    trunk->run = *run;
    trunk->inside = *kelvin_run_inside(run);
    trunk->run.owned = &trunk->inside;
    trunk->run.config.temperature = 0;
    return kelvin_config_mark(&trunk->run);
}

/* One that is damaged can be done without: its chain begins at its start. */
static kelvin_status read_state(struct kelvin_chain *chain, bool *taken, const char *path)
{
    const kelvin_run *run = chain->run;
    struct trunk trunk;
    KELVIN_TRY(trunk_of(&trunk, run));
    chain->run = &trunk.run;
    const kelvin_status status = kelvin_state_read(chain, path);
    chain->run = run;
    *taken = !status;
    if (status != KELVIN_EFORMAT) return status;
    unlink(path);
    kelvin_snapshot_free(&chain->now);
    kelvin_bundle_place(&chain->bundle, run, 0, false);
    return KELVIN_OK;
}

kelvin_status kelvin_branch_take(struct kelvin_chain *chain, bool *taken)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(chain->run);
    kelvin_path path;
    *taken = false;
    if (!inside->branch || inside->cold_rows == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_find_file(path, taken, inside->branch, BRANCH_FILE, chain->number));
    return *taken ? read_state(chain, taken, path) : KELVIN_OK;
}

kelvin_status kelvin_branch_leave(const struct kelvin_chain *chain)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(chain->run);
    struct kelvin_chain cold = *chain;
    struct trunk trunk;
    kelvin_path path;
    bool there;
    if (!inside->branch || chain->step == 0 || chain->step != inside->cold_rows * chain->row_steps) return KELVIN_OK;
    KELVIN_TRY(kelvin_find_file(path, &there, inside->branch, BRANCH_FILE, chain->number));
    if (there) return KELVIN_OK;
    KELVIN_TRY(trunk_of(&trunk, chain->run));
    cold.run = &trunk.run;
    return kelvin_state_write(path, &cold, &chain->good, NULL, &chain->bundle);
}
