/* The samples that a run has left, by any sampler: which there are. */
#include "run/samples.h"
#include "run/chain.h"
#include "run/remedy.h"

#include <stdio.h>
#include <unistd.h>

/* ---- which there are ---- */

/* Of a run that is read, not sampled: its manifest names the states of chains when all has been written. */
static kelvin_status vouch_state(const kelvin_samples *s, uint32_t chain)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(s->run);
    char name[KELVIN_FILE_NAME];
    snprintf(name, sizeof name, KELVIN_STATE_FILE, chain);
    if (inside->place || !inside->manifest || !kelvin_manifest_has(inside->manifest, name)) return KELVIN_OK;
    return kelvin_run_vouch(s->run, s->folder, name);
}

/* How far a chain came, from its state. */
static kelvin_status ask_state(uint32_t *rows, char diverged[KELVIN_NOTE], const kelvin_samples *s, uint32_t chain)
{
    const kelvin_run *run = s->run;
    kelvin_path path;
    uint32_t step = 0;
    bool begun;
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_STATE_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&begun, path));
    if (begun)
        KELVIN_TRY(kelvin_remedy_chain(kelvin_state_peek(&step, diverged, path, run, chain), run, s->folder, chain));
    *rows = step / kelvin_run_row_steps(run);
    if (diverged[0] || step == kelvin_run_steps(run)) return vouch_state(s, chain);
    if (kelvin_run_is_old(run)) return kelvin_remedy_begun(run, s->folder, chain);
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: the run has not ended: chain %u has %u of %u %ss; go on with: kelvin resume %s", s->folder,
                       chain, *rows, kelvin_run_rows(run), kelvin_run_row_name(run), s->folder);
}

/* Runs by earlier versions: those of samplers that look at all data were written when they had ended; of others the
 * last sample tells. */
static bool has_ended(const kelvin_samples *s, uint32_t chain)
{
    kelvin_path path;
    const struct kelvin_draw_place last = kelvin_draw_place(s->run, chain, kelvin_run_draws(s->run) - 1);
    if (!kelvin_run_is_old(s->run)) return false;
    return !s->run->sampler->batches ||
           (!kelvin_path_join(path, s->folder, "%s", last.name) && access(path, F_OK) == 0);
}

/* The one file of all draws must have as many as run.json says, before memory is asked for so many. */
static kelvin_status check_draws(const kelvin_samples *s, uint32_t chain)
{
    const size_t draws = kelvin_run_draws(s->run);
    struct kelvin_array array;
    struct kelvin_tensors *file;
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_DRAWS_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!there) return KELVIN_OK; /* taken away: the logits must fit */
    KELVIN_TRY(kelvin_tensors_peek(&file, path));
    array = kelvin_name_tensor(s->run->model, 0, "", &draws);
    kelvin_status status = kelvin_tensors_shape(&array, file);
    if (!status && array.shape[0] != draws)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu draws, and " KELVIN_CONFIG_NAME " says %zu", path,
                             array.shape[0], draws);
    kelvin_tensors_close(file);
    return status;
}

static kelvin_status look_at(uint32_t *draws, char diverged[KELVIN_NOTE], const kelvin_samples *s, uint32_t chain)
{
    uint32_t rows = kelvin_run_rows(s->run);
    if (!has_ended(s, chain))
        KELVIN_TRY(ask_state(&rows, diverged, s, chain));
    else if (!s->run->sampler->batches)
        KELVIN_TRY(check_draws(s, chain));
    *draws = kelvin_run_draws_by(s->run, rows);
    return KELVIN_OK;
}

static kelvin_status look_in_memory(uint32_t *draws, char diverged[KELVIN_NOTE], const kelvin_samples *s,
                                    uint32_t chain)
{
    const char *sentence = kelvin_run_diverged(s->run, chain);
    if (kelvin_run_inside(s->run)->place[chain].phase == KELVIN_CHAIN_WAITING)
        return kelvin_fail(KELVIN_EUSAGE, "%s: has not been sampled to its end", s->folder);
    *draws = kelvin_run_inside(s->run)->kept[chain].draws;
    snprintf(diverged, KELVIN_NOTE, "%s", sentence ? sentence : "");
    return KELVIN_OK;
}

static kelvin_status list(kelvin_samples *s, const uint32_t *count, kelvin_arena *arena)
{
    for (uint32_t i = 0; i < s->run->config.chains; i++) s->n += count[i];
    uint32_t *chain = kelvin_arena_alloc(arena, s->n, sizeof *chain);
    uint32_t *draw = kelvin_arena_alloc(arena, s->n, sizeof *draw);
    if (!chain || !draw) return KELVIN_ENOMEM;
    for (size_t i = 0, n = 0; i < s->run->config.chains; i++)
        for (uint32_t k = 0; k < count[i]; k++, n++) chain[n] = (uint32_t)i, draw[n] = k;
    s->chain = chain;
    s->draw = draw;
    return KELVIN_OK;
}

static kelvin_status find(kelvin_samples *s, kelvin_arena *arena)
{
    const uint32_t chains = s->run->config.chains, warmup = kelvin_run_warmup(s->run);
    uint32_t *count = kelvin_arena_alloc(arena, chains, sizeof *count);
    const char **diverged = kelvin_arena_alloc(arena, chains, sizeof *diverged);
    if (!count || !diverged) return KELVIN_ENOMEM;
    s->diverged = diverged;
    for (uint32_t i = 0; i < chains; i++) {
        char sentence[KELVIN_NOTE] = "";
        KELVIN_TRY((s->run->folder ? look_at : look_in_memory)(&count[i], sentence, s, i));
        count[i] = count[i] > warmup ? count[i] - warmup : 0;
        if (sentence[0] && !(diverged[i] = kelvin_arena_text(arena, sentence, strlen(sentence)))) return KELVIN_ENOMEM;
    }
    return list(s, count, arena);
}

kelvin_status kelvin_samples_none(const kelvin_samples *s)
{
    char advice[KELVIN_NOTE];
    kelvin_advise_stable(advice, s->run);
    return kelvin_fail(KELVIN_EDIVERGED, "%s: %s diverged: %s (%s)", s->folder,
                       s->run->config.chains == 1 ? "the chain" : "all chains", advice,
                       s->diverged[0] ? s->diverged[0] : "before the end of the warm-up");
}

size_t kelvin_samples_beside(const kelvin_samples *s, size_t i, const struct kelvin_draw_place *place)
{
    const size_t left = s->n - i, fit = kelvin_file_draws(s->run) - place->index, most = fit < left ? fit : left;
    size_t n = 1;
    while (n < most && s->chain[i + n] == s->chain[i]) n++;
    return n;
}

kelvin_status kelvin_samples_are_there(bool *there, const kelvin_samples *s)
{
    *there = true;
    for (size_t i = 0, n; s->run->folder && i < s->n && *there; i += n) {
        const struct kelvin_draw_place place =
            kelvin_draw_place(s->run, s->chain[i], kelvin_run_warmup(s->run) + s->draw[i]);
        kelvin_path path;
        n = kelvin_samples_beside(s, i, &place);
        KELVIN_TRY(kelvin_path_join(path, s->folder, "%s", place.name));
        KELVIN_TRY(kelvin_is_there(there, path));
    }
    return KELVIN_OK;
}

/* ---- opening ---- */

/* What vouches for the files of chains comes last, after the logits. */
static kelvin_status check_end(const kelvin_samples *s)
{
    const struct kelvin_manifest *manifest = kelvin_run_inside(s->run)->manifest;
    char name[KELVIN_FILE_NAME];
    snprintf(name, sizeof name, KELVIN_STATE_FILE, 0u);
    if (!manifest || kelvin_manifest_has(manifest, name)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: the run has not ended: its chains have, but not all was written; go on with: kelvin resume "
                       "%s",
                       s->folder, s->folder);
}

static kelvin_status open_samples(kelvin_samples *s, const char *folder)
{
    struct kelvin_samples_owned *owned = s->owned = kelvin_alloc(1, sizeof *owned);
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_arena_create(&owned->arena));
    if (!(s->folder = kelvin_arena_text(owned->arena, folder, strlen(folder)))) return KELVIN_ENOMEM;
    if (!s->run) {
        KELVIN_TRY(kelvin_config_read_alone(&s->run, folder));
        owned->owns_run = true;
        s->run->folder = s->folder;
    }
    if (kelvin_run_is_old(s->run))
        snprintf(owned->note, sizeof owned->note,
                 "%.300s was written by kelvin %s, which kept no checksums: damage to it may not show", s->folder,
                 kelvin_run_inside(s->run)->version);
    KELVIN_TRY(find(s, owned->arena));
    return owned->owns_run ? check_end(s) : KELVIN_OK;
}

static kelvin_status keep_if(kelvin_status status, kelvin_samples **samples)
{
    if (status) {
        kelvin_samples_close(*samples);
        *samples = NULL;
    }
    return status;
}

static kelvin_status find_of(kelvin_samples **samples, kelvin_run *run, const char *folder)
{
    kelvin_samples *s = *samples = kelvin_alloc(1, sizeof *s);
    if (!s) return KELVIN_ENOMEM;
    s->run = run;
    return keep_if(open_samples(s, folder), samples);
}

kelvin_status kelvin_samples_find(kelvin_samples **samples, const char *folder)
{
    return find_of(samples, NULL, folder);
}

static kelvin_status expect_some(kelvin_samples **samples)
{
    return (*samples)->n > 0 ? KELVIN_OK : keep_if(kelvin_samples_none(*samples), samples);
}

kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder)
{
    KELVIN_TRY(find_of(samples, NULL, folder));
    return expect_some(samples);
}

kelvin_status kelvin_samples_of(kelvin_samples **samples, kelvin_run *run)
{
    KELVIN_TRY(find_of(samples, run, run->folder ? run->folder : "the run"));
    return expect_some(samples);
}

const char *kelvin_samples_note(const kelvin_samples *s)
{
    const struct kelvin_samples_owned *owned = s->owned;
    return owned->note[0] ? owned->note : NULL;
}

void kelvin_samples_close(kelvin_samples *s)
{
    if (!s) return;
    struct kelvin_samples_owned *owned = s->owned;
    if (owned) {
        if (owned->owns_run) kelvin_run_close(s->run);
        kelvin_bundle_close(&owned->file);
        kelvin_free(owned->cache);
        kelvin_free(owned->cached);
        kelvin_arena_destroy(owned->arena);
    }
    kelvin_free(owned);
    kelvin_free(s);
}
