/* What is there of a run and what is not: where each chain stands, which of its files are missing or damaged, which of
 * them can be made again, and which cannot. */
#include "base/words.h"
#include "run/folder.h"
#include "run/job.h"

#include <errno.h>
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
                               ", and " KELVIN_REFER(RESUME, "%s") " samples that chain anew",
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

/* ---- where chains start ---- */

/* Chains that do not start at random and have lost their first states get them again only from the same start. */
static kelvin_status check_starts(const kelvin_run *run)
{
    const char *known = kelvin_run_inside(run)->starts;
    char mark[KELVIN_CONFIG_MARK];
    kelvin_path path;
    uint32_t chain = 0;
    for (bool begun = true; chain < run->config.chains; chain++) {
        KELVIN_TRY(kelvin_find_file(path, &begun, run->folder, KELVIN_STATE_FILE, chain));
        if (!begun) break;
    }
    if (chain == run->config.chains || strcmp(run->config.init, "none") == 0) return KELVIN_OK;
    const kelvin_status status = kelvin_starts_mark(mark, run);
    const bool file = kelvin_start_is_file(run->config.init);
    if (!status && (!*known || strcmp(known, mark) == 0)) return KELVIN_OK;
    return kelvin_fail(status ? status : KELVIN_EFORMAT,
                       "%s: chain %u cannot be begun anew: " KELVIN_SAID
                       "; put that %s back as it was, or sample this %s anew "
                       "with " KELVIN_REFER(SAMPLE, ""),
                       run->folder, chain,
                       status ? kelvin_error_raw()
                       : file ? "the parameters that it starts from have changed"
                              : "the samples that it starts from have changed",
                       file ? "file" : "run", file ? "run" : "one");
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

/* A run that goes on, though it may have ended once and lost a chain, is as one that has begun: nothing vouches for
 * draws that are to come, and logits follow from all of them. Files of chains that have ended were compared before, and
 * have checksums of their own. */
static kelvin_status begin_again(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct kelvin_logits_file parts[KELVIN_PARTS];
    kelvin_logits_files(parts, run->data);
    for (size_t i = 0; i < KELVIN_PARTS; i++) {
        kelvin_path path;
        KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", parts[i].name));
        if (unlink(path) && errno != ENOENT) return kelvin_cannot_write(path);
    }
    KELVIN_TRY(kelvin_vouch_begin(run->folder));
    kelvin_manifest_free(inside->manifest);
    inside->manifest = NULL;
    return kelvin_vouch_read(&inside->manifest, run->folder);
}

kelvin_status kelvin_folder_survey(kelvin_run *run)
{
    kelvin_path path;
    if (kelvin_run_is_old(run)) return survey_old(run);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        KELVIN_TRY(kelvin_place_read(&kelvin_run_inside(run)->place[i], run, i));
        KELVIN_TRY(check_draws(run, i));
    }
    KELVIN_TRY(check_starts(run));
    KELVIN_TRY(kelvin_files_each(run, check_others));
    KELVIN_TRY(kelvin_files_each(run, drop_if_damaged));
    KELVIN_TRY(kelvin_path_join(path, run->folder, KELVIN_DESCRIPTION_NAME));
    if (access(path, F_OK) != 0) KELVIN_TRY(kelvin_description_write(run->data, run->folder));
    return kelvin_run_chains_ended(run) ? KELVIN_OK : begin_again(run);
}
