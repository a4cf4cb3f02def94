/* Cells to their ends, some at a time: enough chains for all threads, and so few runs that they can be open at once.
 * Before these go to their ends, those that share a cold beginning with others have it sampled once. */
#include "experiment/work.h"

#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"
#include "fetch/room.h"
#include "ranks/ranks.h"

#include <string.h>

enum { CHAINS_PER_THREAD = 16 }; /* so that few threads have nothing to do at the end of a job */

/* ---- how far it is ---- */

static double share_of_all(const struct kelvin_work *w)
{
    double done = 0, all = 0;
    for (size_t i = 0; i < w->e->n; i++) {
        const struct kelvin_cell *cell = &w->e->cell[i];
        if (cell->first != i) continue;
        done += cell->work * (cell->done ? 1 : w->share[i]);
        all += cell->work;
    }
    return all > 0 ? done / all : 1;
}

/* Cells that are the same count once. */
static size_t count_cells(const kelvin_experiment *e, bool done)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) n += e->cell[i].first == i && (e->cell[i].done || !done);
    return n;
}

/* Its chains as far as they were heard of. */
static void count_steps(struct kelvin_work *w, size_t i, const kelvin_chain_news *news)
{
    const uint32_t chains = kelvin_run_chains(w->run[i]);
    double done = 0;
    w->step[i][news->chain] = news->phase == KELVIN_CHAIN_DIVERGED ? news->steps : news->step;
    for (uint32_t c = 0; c < chains; c++) done += (double)w->step[i][c];
    w->share[w->cell[i]] = done / (double)news->steps / chains;
}

bool kelvin_work_hear(struct kelvin_work *w, size_t cell, const kelvin_run *run, const kelvin_chain_news *news)
{
    if (!w->watch) return true;
    const kelvin_cell_news all = {.cell = cell,
                                  .done = count_cells(w->e, true),
                                  .cells = count_cells(w->e, false),
                                  .share = share_of_all(w),
                                  .before = w->before,
                                  .cell_share = w->share[cell],
                                  .run = run,
                                  .chain = news};
    return w->watch(w->context, w->e, &all);
}

static bool hear(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct kelvin_work *w = context;
    size_t i = 0;
    pthread_mutex_lock(&w->mutex);
    while (i + 1 < w->n && w->run[i] != run) i++;
    if (news->phase != KELVIN_CHAIN_LOGITS) count_steps(w, i, news);
    const bool goes_on = kelvin_work_hear(w, w->cell[i], run, news);
    pthread_mutex_unlock(&w->mutex);
    if (!goes_on) atomic_store(&w->asked, true);
    if (w->tell) w->tell(w, w->cell[i], news);
    return goes_on && !atomic_load(&w->stop);
}

/* ---- which ones ---- */

struct kelvin_cell *kelvin_cell_start(const kelvin_experiment *e, const struct kelvin_cell *cell)
{
    return cell->from == KELVIN_NO_CELL ? NULL : &e->cell[e->cell[cell->from].first];
}

bool kelvin_cell_waits(const kelvin_experiment *e, size_t i)
{
    const struct kelvin_cell *cell = &e->cell[i], *start = kelvin_cell_start(e, cell);
    return cell->first == i && !cell->done && !cell->lost && !cell->elsewhere && (!start || start->done);
}

bool kelvin_cell_has_samples(const struct kelvin_cell *cell)
{
    kelvin_samples *samples;
    if (kelvin_samples_find(&samples, cell->folder)) return true; /* whoever starts from it says what is wrong */
    const bool some = kelvin_samples_count(samples) > 0;
    kelvin_samples_close(samples);
    return some;
}

/* Cells whose start has come to nothing, and those that start from them in turn: others go on. */
static void find_lost(kelvin_experiment *e)
{
    for (size_t i = 0; i < e->n; i++) {
        struct kelvin_cell *cell = &e->cell[i];
        const struct kelvin_cell *start = kelvin_cell_start(e, cell);
        if (start && !cell->done) cell->lost = start->lost || (start->done && !kelvin_cell_has_samples(start));
    }
}

static kelvin_status tell_lost(const kelvin_experiment *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->cell[i].lost)
            return kelvin_fail(KELVIN_EDIVERGED,
                               "cell %s was not sampled: all chains of %s, which it starts from, have diverged",
                               e->cell[i].name, kelvin_cell_start(e, &e->cell[i])->name);
    return KELVIN_OK;
}

static kelvin_status open_run(kelvin_run **run, const struct kelvin_cell *cell)
{
    const bool begun = kelvin_is_folder(cell->folder);
    kelvin_status status = begun ? kelvin_run_open_with(run, cell->folder, cell->data)
                                 : kelvin_run_start_with(run, cell->config, cell->data, cell->folder);
    if (!status && begun && (status = kelvin_cell_check_run(cell, *run))) {
        kelvin_run_close(*run);
        *run = NULL;
    }
    return status ? kelvin_fail(status, "cell %s: " KELVIN_SAID, cell->name, kelvin_error_raw()) : KELVIN_OK;
}

/* Where it shares its beginning, if it has one to share. */
static kelvin_status prepare_branch(kelvin_run *run, const kelvin_experiment *e, const struct kelvin_cell *cell)
{
    kelvin_path trunk;
    if (kelvin_cell_siblings(e, cell) < 2 || kelvin_run_cold_rows(run) == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_cell_trunk_folder(trunk, e, cell));
    KELVIN_TRY(kelvin_folder_make(trunk));
    return kelvin_run_branch(run, trunk);
}

kelvin_status kelvin_work_take(struct kelvin_work *w, size_t cell)
{
    const size_t i = w->n;
    w->cell[i] = cell;
    KELVIN_TRY(open_run(&w->run[i], &w->e->cell[cell]));
    w->n++;
    w->step[i] = kelvin_alloc(kelvin_run_chains(w->run[i]), sizeof *w->step[i]);
    if (!w->step[i]) return KELVIN_ENOMEM;
    return prepare_branch(w->run[i], w->e, &w->e->cell[cell]);
}

/* Those that can go next, in their order. */
static kelvin_status take_some(struct kelvin_work *w)
{
    size_t chains = 0;
    KELVIN_TRY(kelvin_folder_make(w->e->cache));
    for (size_t i = 0; i < w->e->n && w->n < KELVIN_MOST_RUNS && chains < CHAINS_PER_THREAD * w->options.threads; i++) {
        if (!kelvin_cell_waits(w->e, i)) continue;
        KELVIN_TRY(kelvin_work_take(w, i));
        chains += kelvin_run_chains(w->run[w->n - 1]);
    }
    return KELVIN_OK;
}

void kelvin_work_put_back(struct kelvin_work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        kelvin_run_close(w->run[i]);
        kelvin_free(w->step[i]);
    }
    w->n = 0;
}

/* ---- sampling ---- */

kelvin_status kelvin_work_trunks(struct kelvin_work *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct kelvin_cell *cell = &w->e->cell[w->cell[i]];
        kelvin_run_options options = w->options;
        bool there = true;
        if (kelvin_cell_siblings(w->e, cell) < 2) continue;
        options.rows = kelvin_run_cold_rows(w->run[i]);
        if (options.rows > 0) KELVIN_TRY(kelvin_run_branched(&there, w->run[i]));
        if (!there) KELVIN_TRY(kelvin_run_sample(&w->run[i], 1, &options, hear, w));
    }
    return KELVIN_OK;
}

kelvin_status kelvin_work_runs(struct kelvin_work *w)
{
    return kelvin_run_sample(w->run, w->n, &w->options, hear, w);
}

static kelvin_status sample_some(struct kelvin_work *w)
{
    KELVIN_TRY(take_some(w));
    KELVIN_TRY(kelvin_work_trunks(w));
    KELVIN_TRY(kelvin_work_runs(w));
    for (size_t i = 0; i < w->n; i++) w->e->cell[w->cell[i]].done = true;
    return KELVIN_OK;
}

static bool is_left(const kelvin_experiment *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (kelvin_cell_waits(e, i)) return true;
    return false;
}

/* Other processes may have sampled other parts meanwhile. */
static void look_elsewhere(kelvin_experiment *e)
{
    for (struct kelvin_cell *cell = e->cell; cell < e->cell + e->n; cell++)
        if (cell->elsewhere && !cell->done) cell->done = kelvin_cell_has_ended(cell);
}

/* Whether the ranks that there are can be divided so. */
static kelvin_status check_ranks(const kelvin_run_options *options)
{
    const size_t ranks = kelvin_rank_count(), cell = options->ranks_per_cell;
    const size_t chain = options->ranks_per_chain ? options->ranks_per_chain : 1;
    KELVIN_TRY(kelvin_run_check_options(options));
    if (cell == 0 || (ranks % cell == 0 && cell % chain == 0)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE,
                       KELVIN_REFER(OPTION, "ranks_per_cell") " is %zu; expected a number that divides the %zu rank%s "
                                                              "that there are, and a multiple of " KELVIN_REFER(
                                                                  OPTION, "ranks_per_chain") ", %zu",
                       cell, ranks, ranks == 1 ? "" : "s", chain);
}

static kelvin_status sample_alone(struct kelvin_work *w)
{
    kelvin_status status = KELVIN_OK;
    for (find_lost(w->e); !status && is_left(w->e); find_lost(w->e)) {
        status = sample_some(w);
        kelvin_work_put_back(w);
    }
    return status;
}

kelvin_status kelvin_experiment_sample(kelvin_experiment *e, const kelvin_run_options *options,
                                       kelvin_experiment_watch *watch, void *context)
{
    KELVIN_NEEDS(e);
    static const kelvin_run_options usual = {.checkpoint = 60};
    struct kelvin_work w = {.e = e, .options = options ? *options : usual, .watch = watch, .context = context};
    if (w.options.threads == 0) w.options.threads = kelvin_cpu_count();
    KELVIN_TRY(check_ranks(&w.options));
    if (!(w.share = kelvin_alloc(e->n ? e->n : 1, sizeof *w.share))) return KELVIN_ENOMEM;
    w.before = share_of_all(&w);
    pthread_mutex_init(&w.mutex, NULL);
    find_lost(e);
    const kelvin_status status = kelvin_rank_count() > 1 ? kelvin_work_deal(&w) : sample_alone(&w);
    pthread_mutex_destroy(&w.mutex);
    kelvin_free(w.share);
    look_elsewhere(e);
    return status ? status : tell_lost(e);
}
