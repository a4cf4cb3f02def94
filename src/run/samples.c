/* The samples that a run has left, by either sampler. Of SGHMC each is a file of its own; of HMC the draws of a chain
 * are one file, of which one chain at a time is in memory. */
#include "run/chain.h"
#include "run/remedy.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { CACHE_BYTES = 64 << 20 }; /* samples that all fit in here are read once */

/* What kelvin_samples.owned points to. */
struct owned {
    kelvin_arena *arena;
    float *cache;   /* SGHMC: (n, n_params), or NULL: too large; HMC: (iterations, n_params) of one chain */
    bool *cached;   /* SGHMC: (n) */
    uint32_t chain; /* HMC: whose draws are in the cache, + 1; 0: nobody's */
};

/* ---- which there are ---- */

/* How a chain of SGHMC ended that has fewer samples than it should. If it did not diverge and came to its end, all of
 * them are in the logits, wherever the files are now. */
static kelvin_status look_at(char diverged[KELVIN_NOTE], uint32_t *n, const kelvin_samples *s, uint32_t chain)
{
    const kelvin_run *run = s->run;
    const uint32_t steps = kelvin_steps_per_epoch(run) * run->config.epochs, cycles = kelvin_cycles(&run->config);
    kelvin_path path;
    uint32_t step = 0;
    bool begun;
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_STATE_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&begun, path));
    if (begun) KELVIN_TRY(kelvin_state_peek(&step, diverged, path, run, chain, steps));
    if (diverged[0]) return KELVIN_OK;
    if (step < steps)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: the run has not ended: chain %u has %u of %u sample%s; go on with: kelvin resume %s",
                           s->folder, chain, *n, cycles, cycles == 1 ? "" : "s", s->folder);
    *n = cycles;
    return KELVIN_OK;
}

static kelvin_status keep_sentence(const char **kept, kelvin_arena *arena, const char *sentence)
{
    return !sentence[0] || (*kept = kelvin_arena_text(arena, sentence, strlen(sentence))) ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status count_sghmc(kelvin_samples *s, uint32_t *count, const char **diverged, kelvin_arena *arena)
{
    const kelvin_run_config *config = &s->run->config;
    struct kelvin_sample_place place = {0};
    kelvin_path path;
    while (kelvin_sample_next(path, &place, s->folder) && place.chain < config->chains) count[place.chain]++;
    for (uint32_t i = 0; i < config->chains; i++) {
        char sentence[KELVIN_NOTE] = "";
        if (count[i] < kelvin_cycles(config)) KELVIN_TRY(look_at(sentence, &count[i], s, i));
        KELVIN_TRY(keep_sentence(&diverged[i], arena, sentence));
    }
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

kelvin_status kelvin_samples_none(const kelvin_samples *s)
{
    char advice[KELVIN_NOTE];
    kelvin_advise_stable(advice, &s->run->config);
    return kelvin_fail(KELVIN_EDIVERGED, "%s: %s diverged: %s (%s)", s->folder,
                       s->run->config.chains == 1 ? "the chain" : "all chains", advice, s->diverged[0]);
}

static kelvin_status find_samples(kelvin_samples *s, kelvin_arena *arena)
{
    const kelvin_run_config *config = &s->run->config;
    uint32_t *count = kelvin_arena_alloc(arena, config->chains, sizeof *count);
    const char **diverged = kelvin_arena_alloc(arena, config->chains, sizeof *diverged);
    if (!count || !diverged) return KELVIN_ENOMEM;
    s->diverged = diverged;
    if (kelvin_run_is_hmc(s->run))
        for (uint32_t i = 0; i < config->chains; i++) count[i] = config->iterations - config->warmup;
    else
        KELVIN_TRY(count_sghmc(s, count, diverged, arena));
    return list(s, count, arena);
}

/* ---- memory ---- */

static kelvin_status alloc_cache(const kelvin_samples *s, struct owned *owned)
{
    const size_t n_params = s->run->model->n_params;
    const size_t rows = kelvin_run_is_hmc(s->run) ? s->run->config.iterations : s->n;
    size_t floats;
    if (!(owned->cached = kelvin_alloc(s->n, sizeof *owned->cached))) return KELVIN_ENOMEM;
    if (!kelvin_run_is_hmc(s->run) && s->n > CACHE_BYTES / sizeof *owned->cache / n_params) return KELVIN_OK;
    if (__builtin_mul_overflow(rows, n_params, &floats)) floats = SIZE_MAX;
    if ((owned->cache = kelvin_alloc(floats, sizeof *owned->cache))) return KELVIN_OK;
    kelvin_free(owned->cached);
    owned->cached = NULL;
    return KELVIN_ENOMEM;
}

static kelvin_status open_samples(kelvin_samples *s, const char *folder)
{
    struct owned *owned = s->owned = kelvin_alloc(1, sizeof *owned);
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_arena_create(&owned->arena));
    if (!(s->folder = kelvin_arena_text(owned->arena, folder, strlen(folder)))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_run_open(&s->run, folder));
    return find_samples(s, owned->arena);
}

static kelvin_status keep_if(kelvin_status status, kelvin_samples **samples)
{
    if (status) {
        kelvin_samples_close(*samples);
        *samples = NULL;
    }
    return status;
}

kelvin_status kelvin_samples_find(kelvin_samples **samples, const char *folder)
{
    kelvin_samples *s = *samples = kelvin_alloc(1, sizeof *s);
    if (!s) return KELVIN_ENOMEM;
    return keep_if(open_samples(s, folder), samples);
}

kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder)
{
    KELVIN_TRY(kelvin_samples_find(samples, folder));
    const kelvin_samples *s = *samples;
    if (s->n > 0) return KELVIN_OK;
    return keep_if(kelvin_samples_none(s), samples);
}

void kelvin_samples_close(kelvin_samples *s)
{
    if (!s) return;
    struct owned *owned = s->owned;
    if (owned) {
        kelvin_free(owned->cache);
        kelvin_free(owned->cached);
        kelvin_arena_destroy(owned->arena);
    }
    kelvin_free(owned);
    kelvin_run_close(s->run);
    kelvin_free(s);
}

/* ---- reading one ---- */

static kelvin_status check_finite(const float *theta, const kelvin_model *model, const char *path)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        for (size_t i = 0; i < kelvin_tensor_size(tensor); i++)
            if (!isfinite(theta[tensor->offset + i]))
                return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\", value %zu (from 0) is %g; expected a number",
                                   path, tensor->name, i, (double)theta[tensor->offset + i]);
    }
    return KELVIN_OK;
}

/* The last sample of a chain is its state; those before it are made again with the whole chain, to the same bits. */
static bool is_last(const kelvin_samples *s, size_t i)
{
    return s->draw[i] + 1 == kelvin_cycles(&s->run->config) && !s->diverged[s->chain[i]];
}

static kelvin_status way_out(const kelvin_samples *s, kelvin_status status, size_t i)
{
    kelvin_path chain;
    if (is_last(s, i) || kelvin_path_join(chain, s->folder, KELVIN_CHAIN_FOLDER, s->chain[i]))
        return kelvin_remedy(status, s->folder, "it");
    return kelvin_remedy(status, s->folder, chain);
}

static kelvin_status read_sghmc(const kelvin_samples *s, float *theta, size_t i)
{
    kelvin_path path;
    bool there;
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_SAMPLE_FILE, s->chain[i], s->draw[i]));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!there) return kelvin_sample_missing(s->folder, s->chain[i], s->draw[i], !is_last(s, i));
    kelvin_status status = kelvin_sample_read_of(theta, path, s->run, s->chain[i], s->draw[i]);
    if (!status) status = check_finite(theta, s->run->model, path);
    return way_out(s, status, i);
}

static kelvin_status read_hmc(const kelvin_samples *s, float *theta, size_t i)
{
    struct owned *owned = s->owned;
    const kelvin_run_config *config = &s->run->config;
    const size_t n = s->run->model->n_params;
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_DRAWS_FILE, s->chain[i]));
    if (owned->chain != s->chain[i] + 1) {
        const struct kelvin_draws about = {s->run->model, config->iterations, config->seed, s->chain[i]};
        owned->chain = 0;
        KELVIN_TRY(kelvin_safetensors_read(owned->cache, path, &about));
        owned->chain = s->chain[i] + 1;
    }
    memcpy(theta, owned->cache + (config->warmup + s->draw[i]) * n, n * sizeof *theta);
    return check_finite(theta, s->run->model, path);
}

kelvin_status kelvin_samples_read(kelvin_samples *s, float *theta, size_t i)
{
    struct owned *owned = s->owned;
    const size_t n = s->run->model->n_params;
    if (!owned->cached) KELVIN_TRY(alloc_cache(s, owned));
    if (kelvin_run_is_hmc(s->run)) return read_hmc(s, theta, i);
    if (!owned->cache) return read_sghmc(s, theta, i);
    float *kept = owned->cache + i * n;
    if (!owned->cached[i]) KELVIN_TRY(read_sghmc(s, kept, i));
    owned->cached[i] = true;
    memcpy(theta, kept, n * sizeof *theta);
    return KELVIN_OK;
}

/* ---- histories ---- */

static size_t rows_of(const kelvin_run *run)
{
    return kelvin_run_is_hmc(run) ? run->config.iterations : run->config.epochs;
}

static kelvin_status tell_lost(char out[KELVIN_LOST], const char *what, const kelvin_samples *s, uint32_t chain)
{
    const bool hmc = kelvin_run_is_hmc(s->run);
    snprintf(out, KELVIN_LOST, "%s/" KELVIN_HISTORY_FILE " %s%s%s%s", s->folder, chain, what,
             hmc ? "" : "kelvin resume ", hmc ? "" : s->folder, hmc ? "" : " makes it again");
    return KELVIN_OK;
}

kelvin_status kelvin_history_lost(char out[KELVIN_LOST], const kelvin_samples *s, uint32_t chain)
{
    const bool hmc = kelvin_run_is_hmc(s->run);
    kelvin_path path;
    size_t rows;
    bool there;
    char what[128];
    *out = '\0';
    if (s->diverged[chain]) return KELVIN_OK; /* how far it came is in its state alone */
    KELVIN_TRY(kelvin_path_join(path, s->folder, KELVIN_HISTORY_FILE, chain));
    KELVIN_TRY(kelvin_is_there(&there, path));
    if (!there) return tell_lost(out, hmc ? "is missing" : "is missing; ", s, chain);
    KELVIN_TRY(kelvin_table_rows(&rows, path));
    if (rows >= rows_of(s->run)) return KELVIN_OK;
    snprintf(what, sizeof what, "ends after %zu of %zu %s", rows, rows_of(s->run),
             hmc ? "iterations" : "epochs; remove it, then ");
    return tell_lost(out, what, s, chain);
}

static kelvin_status read_history(kelvin_history *history, const char *path, const kelvin_run *run)
{
    const bool hmc = kelvin_run_is_hmc(run);
    const struct kelvin_column *columns = hmc ? kelvin_iteration_columns : kelvin_epoch_columns;
    const size_t most = rows_of(run);
    *history = (kelvin_history){.columns = hmc ? KELVIN_ITERATION_COLUMNS : KELVIN_EPOCH_COLUMNS};
    KELVIN_TRY(kelvin_table_rows(&history->rows, path));
    if (history->rows > most)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu rows; expected at most %zu", path, history->rows, most);
    const char **names = kelvin_alloc(history->columns, sizeof *names);
    history->names = names;
    history->values = kelvin_alloc(history->rows * history->columns, sizeof *history->values);
    kelvin_status status = names && history->values ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < history->columns && names; i++) names[i] = columns[i].name;
    if (!status) status = kelvin_table_read(history->values, path, columns, history->columns, history->rows);
    if (status) kelvin_history_close(history);
    return status;
}

kelvin_status kelvin_history_open(kelvin_history *history, const kelvin_samples *samples, uint32_t chain)
{
    char lost[KELVIN_LOST];
    kelvin_path path;
    *history = (kelvin_history){0};
    KELVIN_TRY(kelvin_path_join(path, samples->folder, KELVIN_HISTORY_FILE, chain));
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    if (*lost) return kelvin_fail(KELVIN_EFORMAT, "%s", lost);
    const kelvin_status status = read_history(history, path, samples->run);
    return kelvin_run_is_hmc(samples->run) ? status : kelvin_remedy(status, samples->folder, "it");
}

void kelvin_history_close(kelvin_history *history)
{
    kelvin_free((void *)history->names);
    kelvin_free(history->values);
    *history = (kelvin_history){0};
}

const double *kelvin_history_at(const kelvin_history *history, size_t row, const char *name)
{
    for (size_t i = 0; i < history->columns; i++)
        if (strcmp(history->names[i], name) == 0) return &history->values[row * history->columns + i];
    return NULL;
}
