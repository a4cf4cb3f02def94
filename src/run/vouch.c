/* What a run vouches for, and what helps where a file is not as it was: one that follows from others is made again, and
 * a chain without its folder is sampled anew, to the same bits. */
#include "base/needs.h"
#include "base/words.h"
#include "run/baseline.h"
#include "run/bundle.h"
#include "run/folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

kelvin_status kelvin_find_file(kelvin_path path, bool *there, const char *folder, const char *name, ...)
{
    kelvin_path file;
    va_list args;
    va_start(args, name);
    vsnprintf(file, sizeof file, name, args);
    va_end(args);
    KELVIN_TRY(kelvin_path_join(path, folder, "%s", file));
    *there = access(path, F_OK) == 0;
    if (*there || errno == ENOENT || errno == ENOTDIR) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
}

/* ---- what helps ---- */

kelvin_status kelvin_remedy(kelvin_status status, const char *folder)
{
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, KELVIN_SAID "; " KELVIN_REFER(RESUME, "%s") " makes it again", kelvin_error_raw(),
                       folder);
}

kelvin_status kelvin_remedy_chain(kelvin_status status, const kelvin_run *run, uint32_t chain)
{
    if (status != KELVIN_EFORMAT) return status;
    if (kelvin_run_is_old(run))
        return kelvin_fail(status, KELVIN_SAID "; put it back, or sample the run anew with " KELVIN_REFER(REPEAT, "%s"),
                           kelvin_error_raw(), run->folder);
    return kelvin_fail(status,
                       KELVIN_SAID "; remove %s/" KELVIN_CHAIN_FOLDER
                                   ", and " KELVIN_REFER(RESUME, "%s") " samples that chain anew",
                       kelvin_error_raw(), run->folder, chain, run->folder);
}

kelvin_status kelvin_remedy_begun(const kelvin_run *run, uint32_t chain)
{
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: was begun by kelvin %s, and chain %u has not ended: go on with that version, or sample it "
                       "anew with " KELVIN_REFER(REPEAT, "%s"),
                       run->folder, kelvin_run_inside(run)->version, chain, run->folder);
}

/* ---- reading ---- */

kelvin_status kelvin_vouch_read(struct kelvin_manifest **manifest, const char *folder)
{
    const kelvin_status status = kelvin_manifest_read(manifest, folder);
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, KELVIN_SAID "; remove it, then " KELVIN_REFER(RESUME, "%s") " makes it again",
                       kelvin_error_raw(), folder);
}

kelvin_status kelvin_vouch_config(struct kelvin_manifest *manifest, const char *folder)
{
    if (!manifest) return KELVIN_OK;
    const kelvin_status status = kelvin_manifest_check(manifest, KELVIN_CONFIG_NAME);
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status,
                       KELVIN_SAID "; put it back, or start a new run with " KELVIN_REFER(
                           CONFIG, "%s") ". If its data set has "
                                         "moved, and nothing but that was changed, remove %s/" KELVIN_MANIFEST_FILE
                                         ", and " KELVIN_REFER(RESUME, "%s") " makes it again",
                       kelvin_error_raw(), folder, folder, folder);
}

bool kelvin_run_lists(const kelvin_run *run, const char *name)
{
    const struct kelvin_manifest *manifest = kelvin_run_inside(run)->manifest;
    return manifest && kelvin_manifest_has(manifest, name);
}

kelvin_status kelvin_run_vouch(const kelvin_run *run, const char *name)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    unsigned chain;
    if (!inside->manifest) return KELVIN_OK;
    /* before its end: files of draws have checksums of their own, by which they are believed until then */
    if ((inside->place || inside->partly) && !kelvin_run_lists(run, name)) return KELVIN_OK;
    const kelvin_status status = kelvin_manifest_check(inside->manifest, name);
    const bool of_chain = sscanf(name, "chain-%u/", &chain) == 1 && !strstr(name, "history.csv");
    return of_chain ? kelvin_remedy_chain(status, run, chain) : kelvin_remedy(status, run->folder);
}

/* ---- all files ---- */

KELVIN_PRINTF(4, 5)
static void add(struct kelvin_run_file **end, bool follows, uint32_t chain, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf((*end)->name, sizeof(*end)->name, format, args);
    va_end(args);
    (*end)->follows = follows;
    (*end)++->chain = chain;
}

/* Freed with kelvin_free. Of a run that left no sample there are no logits. */
static kelvin_status list_files(struct kelvin_run_file **files, size_t *n, const kelvin_run *run)
{
    const struct kelvin_place *place = kelvin_run_inside(run)->place;
    struct kelvin_logits_file parts[KELVIN_PARTS];
    size_t most = 3 + 2 * KELVIN_PARTS;
    bool samples = false;
    for (uint32_t i = 0; i < run->config.chains; i++) {
        most += 2 + kelvin_bundle_files(run, place[i].step, true);
        samples |= kelvin_run_draws_by(run, place[i].step / kelvin_run_row_steps(run)) > kelvin_run_warmup(run);
    }
    struct kelvin_run_file *end = *files = kelvin_alloc(most, sizeof *end);
    if (!end) return KELVIN_ENOMEM;
    add(&end, false, UINT32_MAX, KELVIN_CONFIG_NAME);
    add(&end, true, UINT32_MAX, KELVIN_DESCRIPTION_NAME);
    for (uint32_t i = 0; i < run->config.chains; i++) {
        add(&end, false, i, KELVIN_STATE_FILE, i);
        for (uint32_t k = 0; k < kelvin_bundle_files(run, place[i].step, true); k++)
            add(&end, false, i, KELVIN_BUNDLE_FILE, i, k);
        add(&end, true, i, KELVIN_HISTORY_FILE, i);
    }
    kelvin_logits_files(parts, run->data);
    for (size_t i = 0; i < KELVIN_PARTS && samples; i++) {
        if (parts[i].part->n == 0) continue;
        add(&end, true, UINT32_MAX, "%s", parts[i].labels);
        add(&end, true, UINT32_MAX, "%s", parts[i].name);
    }
    if (samples && !kelvin_run_is_old(run)) add(&end, true, UINT32_MAX, KELVIN_BASELINE_FILE);
    *n = (size_t)(end - *files);
    return KELVIN_OK;
}

kelvin_status kelvin_files_each(const kelvin_run *run, kelvin_file_look *look)
{
    struct kelvin_run_file *files;
    size_t n;
    KELVIN_TRY(list_files(&files, &n, run));
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; i < n && !status; i++) status = look(run, &files[i]);
    kelvin_free(files);
    return status;
}

/* ---- writing ---- */

kelvin_status kelvin_vouch_begin(const char *folder)
{
    static const char *const names[] = {KELVIN_CONFIG_NAME, KELVIN_DESCRIPTION_NAME};
    return kelvin_manifest_write(folder, names, sizeof names / sizeof *names);
}

kelvin_status kelvin_vouch_end(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct kelvin_run_file *files;
    size_t n;
    KELVIN_TRY(list_files(&files, &n, run));
    const char **names = kelvin_alloc(n, sizeof *names);
    for (size_t i = 0; i < n && names; i++) names[i] = files[i].name;
    const kelvin_status status = names ? kelvin_manifest_write(run->folder, names, n) : KELVIN_ENOMEM;
    kelvin_free(names);
    kelvin_free(files);
    kelvin_manifest_free(inside->manifest);
    inside->manifest = NULL;
    return status ? status : kelvin_vouch_read(&inside->manifest, run->folder);
}

/* ---- has it ended? ---- */

/* Nothing is listed of runs by earlier versions, and of their files these alone are made again. */
static kelvin_status expect_listed(const kelvin_run *run, const struct kelvin_run_file *file)
{
    kelvin_path path;
    bool there;
    const bool old = kelvin_run_is_old(run);
    if (old && (!file->follows || file->chain != UINT32_MAX)) return KELVIN_OK;
    KELVIN_TRY(kelvin_find_file(path, &there, run->folder, "%s", file->name));
    return there && (old || kelvin_run_lists(run, file->name)) ? KELVIN_OK : KELVIN_EFORMAT;
}

bool kelvin_run_finished(const kelvin_run *run)
{
    const struct kelvin_team *team = &kelvin_run_inside(run)->team;
    if (!kelvin_team_leads(team)) return kelvin_run_inside(run)->told_finished;
    return kelvin_run_chains_ended(run) && (!run->folder || !kelvin_files_each(run, expect_listed));
}

static kelvin_status check_one(const kelvin_run *run, const struct kelvin_run_file *file)
{
    return kelvin_run_vouch(run, file->name);
}

kelvin_status kelvin_run_verify(const kelvin_run *run)
{
    KELVIN_NEEDS(run);
    KELVIN_TRY(kelvin_run_expect_open(run));
    return run->folder && !kelvin_run_is_old(run) ? kelvin_files_each(run, check_one) : KELVIN_OK;
}
