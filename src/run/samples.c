/* The samples that a run has left, by any sampler: which there are. */
#include "run/samples.h"
#include "base/needs.h"
#include "base/words.h"
#include "run/chain.h"
#include "run/folder.h"

#include <stdio.h>
#include <unistd.h>

/* ---- which there are ---- */

/* Runs by earlier versions: those of samplers that look at all data were written when they had ended; of others the
 * last sample tells. */
static bool has_ended(const kelvin_run *run, uint32_t chain)
{
    kelvin_path path;
    const struct kelvin_draw_place last = kelvin_draw_place(run, chain, kelvin_run_draws(run) - 1);
    if (!kelvin_run_is_old(run)) return false;
    return !run->sampler->batches || (!kelvin_path_join(path, run->folder, "%s", last.name) && access(path, F_OK) == 0);
}

/* The one file of all draws must have as many as run.json says, before memory is asked for so many. */
static kelvin_status check_draws(const kelvin_run *run, uint32_t chain)
{
    const size_t draws = kelvin_run_draws(run);
    struct kelvin_array array = kelvin_name_tensor(run->model, 0, "", &draws);
    struct kelvin_tensors *file;
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_find_file(path, &there, run->folder, KELVIN_DRAWS_FILE, chain));
    if (!there) return KELVIN_OK; /* taken away: the logits must fit */
    KELVIN_TRY(kelvin_tensors_peek(&file, path));
    kelvin_status status = kelvin_tensors_shape(&array, file);
    if (!status && array.shape[0] != draws)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu draws, and " KELVIN_CONFIG_NAME " says %zu", path,
                             array.shape[0], draws);
    kelvin_tensors_close(file);
    return status;
}

/* Of a run that is read, not sampled, the manifest names the states of chains when all has been written. */
static kelvin_status find_place(struct kelvin_place *place, const kelvin_run *run, uint32_t chain)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    char state[KELVIN_FILE_NAME];
    if (kelvin_run_is_old(run) && !run->sampler->batches) KELVIN_TRY(check_draws(run, chain));
    *place = (struct kelvin_place){.phase = KELVIN_CHAIN_DONE, .step = kelvin_run_steps(run)};
    if (inside->place) *place = inside->place[chain];
    if (inside->place || has_ended(run, chain)) return KELVIN_OK;
    KELVIN_TRY(kelvin_place_read(place, run, chain));
    snprintf(state, sizeof state, KELVIN_STATE_FILE, chain);
    if (place->phase == KELVIN_CHAIN_WAITING || !kelvin_run_lists(run, state)) return KELVIN_OK;
    return kelvin_run_vouch(run, state);
}

/* Its manifest is that of a run that has just begun: what vouches for the files of chains comes last, after the logits.
 * One that names them is of a run that had ended, and has lost something. */
static bool has_begun(const kelvin_run *run)
{
    char name[KELVIN_FILE_NAME];
    snprintf(name, sizeof name, KELVIN_STATE_FILE, 0u);
    return run->folder && kelvin_run_inside(run)->manifest && !kelvin_run_lists(run, name);
}

static kelvin_status not_ended(const kelvin_samples *s, uint32_t chain, uint32_t step)
{
    const kelvin_run *run = s->run;
    if (!run->folder) return kelvin_fail(KELVIN_EUSAGE, "%s: has not been sampled to its end", s->folder);
    if (kelvin_run_is_old(run)) return kelvin_remedy_begun(run, chain);
    return kelvin_fail(
        KELVIN_EFORMAT, "%s: the run has not ended: chain %u has %u of %u %ss; " KELVIN_REFER(GO_ON, "%s"), s->folder,
        chain, step / kelvin_run_row_steps(run), kelvin_run_rows(run), kelvin_run_row_name(run), s->folder);
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

/* Nothing vouches yet for the state of a chain that has ended before the others: all of it is read once, for its
 * checksum. */
static kelvin_status check_state(const kelvin_run *run, uint32_t chain)
{
    struct kelvin_tensors *file;
    kelvin_path path;
    char state[KELVIN_FILE_NAME];
    snprintf(state, sizeof state, KELVIN_STATE_FILE, chain);
    if (!kelvin_run_inside(run)->partly || kelvin_run_lists(run, state)) return KELVIN_OK;
    KELVIN_TRY(kelvin_path_join(path, run->folder, "%s", state));
    const kelvin_status status = kelvin_tensors_open(&file, path);
    kelvin_tensors_close(file);
    return kelvin_remedy_chain(status, run, chain);
}

/* partly: chains that have not ended are passed over. */
static kelvin_status find(kelvin_samples *s, kelvin_arena *arena, bool partly)
{
    const uint32_t chains = s->run->config.chains, warmup = kelvin_run_warmup(s->run);
    uint32_t *count = kelvin_arena_alloc(arena, chains, sizeof *count);
    uint32_t *left_at = kelvin_arena_alloc(arena, chains, sizeof *left_at);
    bool *waiting = kelvin_arena_alloc(arena, chains, sizeof *waiting);
    const char **diverged = kelvin_arena_alloc(arena, chains, sizeof *diverged);
    if (!count || !diverged || !left_at || !waiting) return KELVIN_ENOMEM;
    s->diverged = diverged;
    s->left_at = left_at;
    s->waiting = waiting;
    for (uint32_t i = 0; i < chains; i++) {
        struct kelvin_place place;
        KELVIN_TRY(find_place(&place, s->run, i));
        left_at[i] = place.step;
        waiting[i] = place.phase == KELVIN_CHAIN_WAITING;
        s->n_waiting += waiting[i];
        if (waiting[i] && !partly) return not_ended(s, i, place.step);
        if (waiting[i]) continue;
        KELVIN_TRY(check_state(s->run, i));
        const uint32_t draws = kelvin_run_draws_by(s->run, place.step / kelvin_run_row_steps(s->run));
        count[i] = draws > warmup ? draws - warmup : 0;
        if (place.diverged[0] && !(diverged[i] = kelvin_arena_text(arena, place.diverged, strlen(place.diverged))))
            return KELVIN_ENOMEM;
    }
    return list(s, count, arena);
}

kelvin_status kelvin_samples_none(const kelvin_samples *s)
{
    char advice[KELVIN_NOTE];
    kelvin_advise_stable(advice, s->run);
    return kelvin_fail(KELVIN_EDIVERGED, "%s: %s diverged: " KELVIN_SAID " (%s)", s->folder,
                       s->run->config.chains == 1 ? "the chain" : "all chains", advice,
                       s->diverged[0] ? s->diverged[0] : "before the end of the warm-up");
}

struct kelvin_draw_place kelvin_sample_place(const kelvin_samples *s, size_t i)
{
    return kelvin_draw_place(s->run, s->chain[i], kelvin_run_warmup(s->run) + s->draw[i]);
}

size_t kelvin_samples_beside(const kelvin_samples *s, size_t i)
{
    const size_t left = s->n - i, fit = kelvin_file_draws(s->run) - kelvin_sample_place(s, i).index;
    size_t n = 1;
    while (n < fit && n < left && s->chain[i + n] == s->chain[i]) n++;
    return n;
}

kelvin_status kelvin_samples_are_there(bool *there, const kelvin_samples *s)
{
    *there = true;
    for (size_t i = 0; s->run->folder && i < s->n && *there; i += kelvin_samples_beside(s, i)) {
        kelvin_path path;
        KELVIN_TRY(kelvin_find_file(path, there, s->folder, "%s", kelvin_sample_place(s, i).name));
    }
    return KELVIN_OK;
}

/* ---- opening ---- */

static kelvin_status check_end(const kelvin_samples *s)
{
    if (!has_begun(s->run)) return KELVIN_OK;
    return kelvin_fail(
        KELVIN_EFORMAT,
        "%s: the run has not ended: its chains have, but not all was written; " KELVIN_REFER(GO_ON, "%s"), s->folder,
        s->folder);
}

/* Where logits are not kept yet they will be computed: the data are needed. */
static kelvin_status load_partly(kelvin_samples *s, const char *folder)
{
    kelvin_run_close(s->run);
    s->run = NULL;
    KELVIN_TRY(kelvin_run_load(&s->run, folder, false, NULL));
    s->run->folder = s->folder;
    s->n_waiting = 0;
    s->n = 0;
    struct kelvin_samples_owned *owned = s->owned;
    kelvin_run_inside(s->run)->partly = true;
    KELVIN_TRY(find(s, owned->arena, true));
    const uint32_t chains = s->run->config.chains, ended = chains - s->n_waiting;
    if (s->n == 0) {
        uint32_t first = 0;
        while (first + 1 < chains && !s->waiting[first]) first++;
        return not_ended(s, first, s->left_at[first]);
    }
    if (s->n_waiting > 0)
        snprintf(owned->note, sizeof owned->note, "%.300s has not ended: this is of the %u of its %u chains that have",
                 s->folder, ended, chains);
    else
        snprintf(owned->note, sizeof owned->note, "%.300s has not ended: its chains have, but not all was written",
                 s->folder);
    return KELVIN_OK;
}

/* How much of a run there must be. */
enum extent { WHOLE, WITH_SAMPLES, PARTLY };

static kelvin_status open_samples(kelvin_samples *s, const char *folder)
{
    struct kelvin_samples_owned *owned = s->owned = kelvin_alloc(1, sizeof *owned);
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_arena_create(&owned->arena));
    if (!(s->folder = kelvin_arena_text(owned->arena, folder, strlen(folder)))) return KELVIN_ENOMEM;
    if (!s->run) {
        KELVIN_TRY(kelvin_run_load(&s->run, folder, true, NULL));
        owned->owns_run = true;
        s->run->folder = s->folder;
    }
    if (kelvin_run_is_old(s->run))
        snprintf(owned->note, sizeof owned->note,
                 "%.300s was written by kelvin %s, which kept no checksums: damage to it may not show", s->folder,
                 kelvin_run_inside(s->run)->version);
    KELVIN_TRY(find(s, owned->arena, false));
    return owned->owns_run ? check_end(s) : KELVIN_OK;
}

/* One that has ended is opened as ever. */
static kelvin_status open_extent(kelvin_samples *s, const char *folder, enum extent extent)
{
    const kelvin_status status = open_samples(s, folder);
    const struct kelvin_samples_owned *owned = s->owned;
    if (status != KELVIN_EFORMAT || extent != PARTLY || !owned || !s->run || !s->left_at || !has_begun(s->run))
        return status;
    return load_partly(s, folder);
}

static kelvin_status make(kelvin_samples **samples, kelvin_run *run, const char *folder, enum extent extent)
{
    kelvin_samples *s = kelvin_alloc(1, sizeof *s);
    *samples = NULL;
    if (!s) return KELVIN_ENOMEM;
    s->run = run;
    kelvin_status status = open_extent(s, folder, extent);
    if (!status && extent != WHOLE && s->n == 0) status = kelvin_samples_none(s);
    if (status)
        kelvin_samples_close(s);
    else
        *samples = s;
    return status;
}

kelvin_status kelvin_samples_find(kelvin_samples **samples, const char *folder)
{
    KELVIN_NEEDS(samples);
    *samples = NULL;
    KELVIN_NEEDS(folder);
    return make(samples, NULL, folder, WHOLE);
}

kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder)
{
    KELVIN_NEEDS(samples);
    *samples = NULL;
    KELVIN_NEEDS(folder);
    return make(samples, NULL, folder, WITH_SAMPLES);
}

kelvin_status kelvin_samples_open_partly(kelvin_samples **samples, const char *folder)
{
    KELVIN_NEEDS(samples);
    *samples = NULL;
    KELVIN_NEEDS(folder);
    return make(samples, NULL, folder, PARTLY);
}

kelvin_status kelvin_samples_of(kelvin_samples **samples, kelvin_run *run)
{
    KELVIN_NEEDS(samples);
    *samples = NULL;
    KELVIN_NEEDS(run);
    return make(samples, run, run->folder ? run->folder : "the run", WITH_SAMPLES);
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
        kelvin_arena_destroy(owned->arena);
    }
    kelvin_free(owned);
    kelvin_free(s);
}
