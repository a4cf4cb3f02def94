/* What is there of a run and what is not: where each chain stands, which of its files are missing or damaged, which of
 * them can be made again, and which cannot. */
#include "run/folder.h"
#include "run/job.h"

#include <unistd.h>

/* Of draws before the state nothing else is left. Whether those that no manifest vouches for are whole is seen when the
 * chain's history is made from them. */
static kelvin_status check_draws(const kelvin_run *run, uint32_t chain)
{
    const struct kelvin_place *stands = &kelvin_run_inside(run)->place[chain];
    const uint32_t files = kelvin_bundle_files(run, stands->step, stands->phase != KELVIN_CHAIN_WAITING);
    for (uint32_t i = 0; i < files; i++) {
        const struct kelvin_draw_place place = kelvin_draw_place(run, chain, i * kelvin_run_bundle_draws(run));
        kelvin_path path;
        bool there;
        KELVIN_TRY(kelvin_find_file(path, &there, run->folder, "%s", place.name));
        if (!there)
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s is missing, and its chain is past it; put it back, or remove %s/" KELVIN_CHAIN_FOLDER
                               ", and kelvin resume %s samples that chain anew",
                               path, run->folder, chain, run->folder);
    }
    return KELVIN_OK;
}

/* Folders of earlier versions are read, but not gone on with. By samplers that look at all data they were written when
 * they had ended. */
static kelvin_status survey_old(kelvin_run *run)
{
    for (uint32_t i = 0; i < run->config.chains; i++) {
        struct kelvin_place *place = &kelvin_run_inside(run)->place[i];
        *place = (struct kelvin_place){.phase = KELVIN_CHAIN_DONE, .step = kelvin_run_steps(run)};
        if (run->sampler->batches) KELVIN_TRY(kelvin_place_read(place, run, i));
        if (place->phase == KELVIN_CHAIN_WAITING) return kelvin_remedy_begun(run, i);
    }
    return kelvin_description_write(run->data, run->folder); /* nothing vouches for the one that is there */
}

/* ---- what follows from other files ---- */

static bool goes_on(const kelvin_run *run, uint32_t chain)
{
    return chain != UINT32_MAX && kelvin_run_inside(run)->place[chain].phase == KELVIN_CHAIN_WAITING;
}

/* Removed, if it is not as the manifest says, or if that says nothing of it: it will be made again. */
static kelvin_status drop_if_damaged(const kelvin_run *run, const struct kelvin_run_file *file)
{
    kelvin_path path;
    bool there;
    if (!file->follows || goes_on(run, file->chain)) return KELVIN_OK;
    KELVIN_TRY(kelvin_find_file(path, &there, run->folder, "%s", file->name));
    if (!there) unlink(path); /* a link to nothing would be in the way */
    if (!there) return KELVIN_OK;
    const kelvin_status status = kelvin_run_lists(run, file->name)
                                     ? kelvin_manifest_check(kelvin_run_inside(run)->manifest, file->name)
                                     : KELVIN_EFORMAT;
    if (status != KELVIN_EFORMAT) return status;
    return unlink(path) ? kelvin_fail(KELVIN_EIO, "%s: is damaged, and cannot be removed", path) : KELVIN_OK;
}

/* What nothing follows from must be as it was, if its chain has ended. */
static kelvin_status check_others(const kelvin_run *run, const struct kelvin_run_file *file)
{
    return file->follows || goes_on(run, file->chain) ? KELVIN_OK : kelvin_run_vouch(run, file->name);
}

kelvin_status kelvin_folder_survey(kelvin_run *run)
{
    kelvin_path path;
    if (kelvin_run_is_old(run)) return survey_old(run);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        KELVIN_TRY(kelvin_place_read(&kelvin_run_inside(run)->place[i], run, i));
        KELVIN_TRY(check_draws(run, i));
    }
    KELVIN_TRY(kelvin_files_each(run, check_others));
    KELVIN_TRY(kelvin_files_each(run, drop_if_damaged));
    KELVIN_TRY(kelvin_path_join(path, run->folder, KELVIN_DESCRIPTION_NAME));
    if (access(path, F_OK) != 0) KELVIN_TRY(kelvin_description_write(run->data, run->folder));
    return kelvin_run_inside(run)->manifest || kelvin_run_chains_ended(run) ? KELVIN_OK
                                                                            : kelvin_vouch_begin(run->folder);
}
