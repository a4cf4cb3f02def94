/* What is there of a run and what is not: where each chain stands, which of its files are missing or damaged, which of
 * them can be made again, and which cannot. */
#include "run/job.h"

#include "run/description.h"
#include "run/remedy.h"
#include "run/vouch.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* ---- chains ---- */

static kelvin_status find_place(kelvin_run *run, uint32_t chain)
{
    struct kelvin_place *place = &kelvin_run_inside(run)->place[chain];
    kelvin_path path;
    bool begun;
    KELVIN_TRY(kelvin_path_join(path, run->folder, KELVIN_STATE_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&begun, path));
    if (!begun) return KELVIN_OK;
    KELVIN_TRY(kelvin_remedy_chain(kelvin_state_peek(&place->step, place->diverged, path, run, chain), run, run->folder,
                                   chain));
    place->phase = place->diverged[0]                     ? KELVIN_CHAIN_DIVERGED
                   : place->step == kelvin_run_steps(run) ? KELVIN_CHAIN_DONE
                                                          : KELVIN_CHAIN_WAITING;
    return KELVIN_OK;
}

/* Of draws before the state nothing else is left. The manifest will vouch for them as they are, so they are looked at
 * before: of a chain that goes on, when its history is made from them. */
static kelvin_status check_draws(const kelvin_run *run, uint32_t chain)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    const struct kelvin_place *stands = &inside->place[chain];
    const bool ended = stands->phase != KELVIN_CHAIN_WAITING;
    const uint32_t files = kelvin_bundle_files(run, stands->step, ended), fit = kelvin_run_bundle_draws(run);
    for (uint32_t i = 0; i < files; i++) {
        const struct kelvin_draw_place place = kelvin_draw_place(run, chain, i * fit);
        struct kelvin_bundle_file file = {0};
        kelvin_path path;
        bool there;
        KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", place.name));
        KELVIN_TRY(kelvin_is_there(&there, path));
        if (!there)
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s is missing, and its chain is past it; put it back, or remove %s/" KELVIN_CHAIN_FOLDER
                               ", and kelvin resume %s samples that chain anew",
                               path, run->folder, chain, run->folder);
        if (!ended || (inside->manifest && kelvin_manifest_has(inside->manifest, place.name))) continue;
        KELVIN_TRY(kelvin_remedy_chain(kelvin_bundle_open(&file, run->folder, run, chain, &place), run, run->folder,
                                       chain));
        kelvin_bundle_close(&file);
    }
    return KELVIN_OK;
}

/* ---- folders of earlier versions ---- */

/* They are read, but not gone on with. By samplers that look at all data they were written when they had ended. */
static kelvin_status survey_old(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        inside->place[i] = (struct kelvin_place){.phase = KELVIN_CHAIN_DONE, .step = kelvin_run_steps(run)};
        if (!run->sampler->batches) continue;
        inside->place[i] = (struct kelvin_place){0};
        KELVIN_TRY(find_place(run, i));
        if (inside->place[i].phase == KELVIN_CHAIN_WAITING) return kelvin_remedy_begun(run, run->folder, i);
    }
    return kelvin_description_write(run->data, run->folder); /* nothing vouches for the one that is there */
}

/* ---- what follows from other files ---- */

static bool goes_on(const kelvin_run *run, uint32_t chain)
{
    return chain != UINT32_MAX && kelvin_run_inside(run)->place[chain].phase == KELVIN_CHAIN_WAITING;
}

/* Removed, if it is not as the manifest says, or if that says nothing of it: it will be made again. */
static kelvin_status drop_if_damaged(void *context, const kelvin_run *run, const char *name, bool follows,
                                     uint32_t chain)
{
    (void)context;
    struct kelvin_manifest *manifest = kelvin_run_inside(run)->manifest;
    kelvin_path path;
    bool there;
    if (!follows || goes_on(run, chain)) return KELVIN_OK;
    KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", name));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!there) unlink(path); /* a link to nothing would be in the way */
    if (!there) return KELVIN_OK;
    const kelvin_status status =
        manifest && kelvin_manifest_has(manifest, name) ? kelvin_manifest_check(manifest, name) : KELVIN_EFORMAT;
    if (status != KELVIN_EFORMAT) return status;
    if (unlink(path)) return kelvin_fail(KELVIN_EIO, "%s: is damaged, and cannot be removed", path);
    return KELVIN_OK;
}

/* What nothing follows from must be as it was, if its chain has ended. */
static kelvin_status check_others(void *context, const kelvin_run *run, const char *name, bool follows, uint32_t chain)
{
    (void)context;
    const struct kelvin_manifest *manifest = kelvin_run_inside(run)->manifest;
    if (follows || goes_on(run, chain) || !manifest || !kelvin_manifest_has(manifest, name)) return KELVIN_OK;
    return kelvin_run_vouch(run, run->folder, name);
}

kelvin_status kelvin_folder_survey(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (kelvin_run_is_old(run)) return survey_old(run);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        KELVIN_TRY(find_place(run, i));
        KELVIN_TRY(check_draws(run, i));
    }
    KELVIN_TRY(kelvin_vouch_each(run, check_others, NULL));
    KELVIN_TRY(kelvin_vouch_each(run, drop_if_damaged, NULL));
    KELVIN_TRY(kelvin_description_restore(run->data, run->folder));
    return inside->manifest || kelvin_run_chains_ended(run) ? KELVIN_OK : kelvin_vouch_begin(run->folder);
}

kelvin_status kelvin_folder_finish(struct kelvin_job *job, kelvin_run *run)
{
    KELVIN_TRY(kelvin_logits_write(job, run));
    if (!kelvin_run_is_old(run)) KELVIN_TRY(kelvin_vouch_end(run));
    run->seconds = kelvin_now() - kelvin_run_inside(run)->started;
    return KELVIN_OK;
}
