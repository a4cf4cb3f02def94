/* What a run vouches for, and what helps where a file is not as it was. */
#include "run/vouch.h"

#include "run/bundle.h"
#include "run/remedy.h"

#include <stdio.h>
#include <unistd.h>

/* ---- reading ---- */

kelvin_status kelvin_vouch_missing(const char *folder)
{
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: has no " KELVIN_MANIFEST_FILE ", so nothing says that its files are whole; kelvin resume "
                       "%s makes it again",
                       folder, folder);
}

kelvin_status kelvin_vouch_read(struct kelvin_manifest **manifest, const char *folder)
{
    const kelvin_status status = kelvin_manifest_read(manifest, folder);
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, "%s; remove it, then kelvin resume %s makes it again", kelvin_error(), folder);
}

kelvin_status kelvin_vouch_config(struct kelvin_manifest *manifest, const char *folder)
{
    if (!manifest) return KELVIN_OK;
    const kelvin_status status = kelvin_manifest_check(manifest, KELVIN_CONFIG_NAME);
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status,
                       "%s; put it back, or start a new run with --config. If its data set has moved, and nothing but "
                       "that was changed, remove %s/" KELVIN_MANIFEST_FILE ", and kelvin resume %s makes it again",
                       kelvin_error(), folder, folder);
}

/* It can be made again, as long as the data set is there. */
kelvin_status kelvin_vouch_description(struct kelvin_manifest *manifest, const char *folder)
{
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_DESCRIPTION_NAME));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!manifest || !there) return KELVIN_OK;
    return kelvin_remedy(kelvin_manifest_check(manifest, KELVIN_DESCRIPTION_NAME), folder);
}

/* chain-003/...: its chain; UINT32_MAX if it is of none. */
static uint32_t chain_of(const char *name)
{
    unsigned chain;
    return sscanf(name, KELVIN_CHAIN_FOLDER "/", &chain) == 1 ? chain : UINT32_MAX;
}

kelvin_status kelvin_run_vouch(const kelvin_run *run, const char *folder, const char *name)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct kelvin_manifest *manifest = inside->manifest;
    if (!manifest) return KELVIN_OK;
    /* while it is being sampled: files of draws have checksums of their own, by which they are believed until then */
    if (inside->place && !kelvin_manifest_has(manifest, name)) return KELVIN_OK;
    const kelvin_status status = kelvin_manifest_check(manifest, name);
    const uint32_t chain = chain_of(name);
    const bool follows = chain == UINT32_MAX || strstr(name, "history.csv");
    return follows ? kelvin_remedy(status, folder) : kelvin_remedy_chain(status, run, folder, chain);
}

/* ---- all files ---- */

struct list {
    const kelvin_run *run;
    kelvin_file_look *look;
    void *context;
};

static kelvin_status of_chain(const struct list *list, uint32_t chain)
{
    const struct kelvin_place *place = &kelvin_run_inside(list->run)->place[chain];
    const uint32_t files = kelvin_bundle_files(list->run, place->step, true);
    char name[KELVIN_FILE_NAME];
    snprintf(name, sizeof name, KELVIN_STATE_FILE, chain);
    KELVIN_TRY(list->look(list->context, list->run, name, false, chain));
    for (uint32_t i = 0; i < files; i++) {
        snprintf(name, sizeof name, KELVIN_BUNDLE_FILE, chain, i);
        KELVIN_TRY(list->look(list->context, list->run, name, false, chain));
    }
    snprintf(name, sizeof name, KELVIN_HISTORY_FILE, chain);
    return list->look(list->context, list->run, name, true, chain);
}

/* Of a run that left no sample there are none. */
static bool has_samples(const kelvin_run *run)
{
    const struct kelvin_place *place = kelvin_run_inside(run)->place;
    for (uint32_t i = 0; i < run->config.chains; i++)
        if (kelvin_run_draws_by(run, place[i].step / kelvin_run_row_steps(run)) > kelvin_run_warmup(run)) return true;
    return false;
}

kelvin_status kelvin_vouch_each(const kelvin_run *run, kelvin_file_look *look, void *context)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    const struct list list = {run, look, context};
    KELVIN_TRY(look(context, run, KELVIN_CONFIG_NAME, false, UINT32_MAX));
    KELVIN_TRY(look(context, run, KELVIN_DESCRIPTION_NAME, true, UINT32_MAX));
    for (uint32_t i = 0; i < run->config.chains; i++) KELVIN_TRY(of_chain(&list, i));
    kelvin_logits_files(files, run->data);
    for (size_t i = 0; i < KELVIN_PARTS && has_samples(run); i++) {
        if (files[i].part->n == 0) continue;
        KELVIN_TRY(look(context, run, files[i].labels, true, UINT32_MAX));
        KELVIN_TRY(look(context, run, files[i].name, true, UINT32_MAX));
    }
    return KELVIN_OK;
}

/* ---- writing ---- */

struct names {
    kelvin_arena *arena;
    const char **name; /* NULL: they are counted first */
    size_t n;
};

static kelvin_status add_name(void *context, const kelvin_run *run, const char *name, bool follows, uint32_t chain)
{
    (void)run, (void)follows, (void)chain;
    struct names *names = context;
    if (names->name && !(names->name[names->n] = kelvin_arena_text(names->arena, name, strlen(name))))
        return KELVIN_ENOMEM;
    names->n++;
    return KELVIN_OK;
}

static kelvin_status list_names(struct names *names, const kelvin_run *run)
{
    KELVIN_TRY(kelvin_vouch_each(run, add_name, names));
    if (!(names->name = kelvin_arena_alloc(names->arena, names->n, sizeof *names->name))) return KELVIN_ENOMEM;
    names->n = 0;
    return kelvin_vouch_each(run, add_name, names);
}

kelvin_status kelvin_vouch_begin(const char *folder)
{
    static const char *const names[] = {KELVIN_CONFIG_NAME, KELVIN_DESCRIPTION_NAME};
    return kelvin_manifest_write(folder, names, sizeof names / sizeof *names);
}

kelvin_status kelvin_vouch_end(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct names names = {0};
    KELVIN_TRY(kelvin_arena_create(&names.arena));
    kelvin_status status = list_names(&names, run);
    if (!status) status = kelvin_manifest_write(run->folder, names.name, names.n);
    kelvin_arena_destroy(names.arena);
    kelvin_manifest_free(inside->manifest);
    inside->manifest = NULL;
    return status ? status : kelvin_vouch_read(&inside->manifest, run->folder);
}

/* ---- has it ended? ---- */

/* Nothing is listed of runs by earlier versions, and of their files these alone are made again. */
static kelvin_status is_listed(void *context, const kelvin_run *run, const char *name, bool follows, uint32_t chain)
{
    kelvin_path path;
    bool *all = context, there;
    const bool old = kelvin_run_is_old(run);
    if (old && (!follows || chain != UINT32_MAX)) return KELVIN_OK;
    KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", name));
    KELVIN_TRY(kelvin_is_there(&there, path));
    *all &= there && (old || kelvin_manifest_has(kelvin_run_inside(run)->manifest, name));
    return KELVIN_OK;
}

bool kelvin_run_finished(const kelvin_run *run)
{
    bool all = true;
    if (!kelvin_run_chains_ended(run)) return false;
    if (!run->folder) return true;
    if (!kelvin_run_is_old(run) && !kelvin_run_inside(run)->manifest) return false;
    return !kelvin_vouch_each(run, is_listed, &all) && all;
}

static kelvin_status check_one(void *context, const kelvin_run *run, const char *name, bool follows, uint32_t chain)
{
    (void)context, (void)follows, (void)chain;
    return kelvin_run_vouch(run, run->folder, name);
}

kelvin_status kelvin_run_verify(const kelvin_run *run)
{
    return run->folder && !kelvin_run_is_old(run) ? kelvin_vouch_each(run, check_one, NULL) : KELVIN_OK;
}
