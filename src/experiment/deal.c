/* Cells over ranks. Rank 0 has the list, and deals one to whoever asks: a rank, or a team of ranks that share chains.
 * Who has finished takes the next. Cells that start from the samples of another wait until it is done, and those that
 * share a cold beginning until the first of them has left it. A cell is one team's alone: it has the lock of its
 * folder, and writes its files. */
#include "experiment/work.h"

#include "base/words.h"
#include "fetch/room.h"
#include "ranks/ranks.h"
#include "run/folder.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Answers that are no cell. */
enum { WAIT = -1, NONE = -2 };

enum event { TRUNK, DONE, PROGRESS, STOP };

struct news {
    uint32_t cell, event, empty, asked;
    double share;
    kelvin_chain_news chain; /* without values: they are of a run that rank 0 has not opened */
};

struct kelvin_dealer {
    struct kelvin_work *w;
    struct kelvin_team all, team;
    bool *taken, *trunk,
        *empty;         /* (cells), at rank 0: dealt; its cold beginning is there; it has ended without samples */
    double *told;       /* (cells): when rank 0 was last told of it */
    struct news *state; /* (cells), for the end */
};

static void say(size_t to, const struct news *news)
{
    const kelvin_status status = kelvin_post(to, KELVIN_KIND_CELL_NEWS, news, sizeof *news);
    (void)status; /* who does not hear of it notices that this rank is gone */
}

/* ---- rank 0 ---- */

/* Another cell with the same cold beginning is about to leave it. */
static bool trunk_is_busy(const struct kelvin_dealer *d, size_t cell)
{
    const kelvin_experiment *e = d->w->e;
    bool busy = false;
    for (size_t i = 0; i < e->n; i++) {
        if (i == cell || e->cell[i].first != i || strcmp(e->cell[i].trunk, e->cell[cell].trunk) != 0) continue;
        if (d->trunk[i] || (d->taken[i] && e->cell[i].done)) return false;
        busy |= d->taken[i];
    }
    return busy;
}

static void find_lost(struct kelvin_dealer *d)
{
    kelvin_experiment *e = d->w->e;
    for (size_t i = 0; i < e->n; i++) {
        const struct kelvin_cell *start = kelvin_cell_start(e, &e->cell[i]);
        if (start && !e->cell[i].done) e->cell[i].lost |= start->lost || d->empty[start - e->cell];
    }
}

/* A cell that can be sampled now; or whether there will be one. With the mutex held. */
static int32_t pick(struct kelvin_dealer *d)
{
    const kelvin_experiment *e = d->w->e;
    bool later = false;
    if (atomic_load(&d->w->stop)) return NONE;
    find_lost(d);
    for (size_t i = 0; i < e->n; i++) {
        const struct kelvin_cell *cell = &e->cell[i];
        if (cell->first != i || cell->done || cell->lost || cell->elsewhere || d->taken[i]) continue;
        later = true;
        if (!kelvin_cell_waits(e, i) || trunk_is_busy(d, i)) continue;
        d->taken[i] = true;
        return (int32_t)i;
    }
    return later ? WAIT : NONE;
}

static int32_t pick_locked(struct kelvin_dealer *d)
{
    pthread_mutex_lock(&d->w->mutex);
    const int32_t cell = pick(d);
    pthread_mutex_unlock(&d->w->mutex);
    return cell;
}

static void hear_question(void *context, size_t from, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    const int32_t cell = pick_locked(context);
    const kelvin_status status = kelvin_post(from, KELVIN_KIND_CELL, &cell, sizeof cell);
    (void)status;
}

static void stop_all(struct kelvin_dealer *d, bool asked)
{
    const struct news news = {.event = STOP, .asked = asked};
    if (asked) atomic_store(&d->w->asked, true);
    if (atomic_exchange(&d->w->stop, true)) return;
    for (size_t i = 0; i < d->all.size; i++)
        if (i != kelvin_rank() && (kelvin_rank() == 0 || i == 0)) say(i, &news);
}

static void note(struct kelvin_dealer *d, const struct news *news)
{
    struct kelvin_work *w = d->w;
    bool goes_on = true;
    pthread_mutex_lock(&w->mutex);
    if (news->event == TRUNK) d->trunk[news->cell] = true;
    if (news->event == DONE) {
        w->e->cell[news->cell].done = true;
        d->empty[news->cell] = news->empty;
    }
    if (news->event == PROGRESS) {
        w->share[news->cell] = news->share;
        goes_on = kelvin_work_hear(w, news->cell, NULL, &news->chain);
    }
    pthread_mutex_unlock(&w->mutex);
    if (!goes_on) stop_all(d, true);
}

/* Of ranks other than the first: that all stop. */
static void hear_news(void *context, size_t from, const void *data, size_t bytes)
{
    struct kelvin_dealer *d = context;
    struct news news;
    (void)from;
    if (bytes != sizeof news) return;
    memcpy(&news, data, sizeof news);
    if (news.event == STOP)
        stop_all(d, news.asked);
    else if (news.cell < d->w->e->n)
        note(d, &news);
}

/* ---- the teams ---- */

static void tell(struct kelvin_dealer *d, const struct news *news)
{
    if (kelvin_rank() == 0)
        note(d, news);
    else if (kelvin_team_leads(&d->team))
        say(0, news);
}

/* Rank 0 has heard of its own runs. */
static void tell_progress(struct kelvin_work *w, size_t cell, const kelvin_chain_news *chain)
{
    struct kelvin_dealer *d = w->dealer;
    const double often = 0.5, now = kelvin_now();
    struct news news = {.cell = (uint32_t)cell, .event = PROGRESS, .share = w->share[cell], .chain = *chain};
    news.chain.values = NULL;
    if (kelvin_ranks_failed_elsewhere()) atomic_store(&w->stop, true);
    if (atomic_load(&w->asked)) stop_all(d, true);
    if (kelvin_rank() == 0 || now - d->told[cell] < often) return;
    d->told[cell] = now;
    tell(d, &news);
}

static kelvin_status ask_once(struct kelvin_dealer *d, int32_t *cell)
{
    *cell = kelvin_rank() == 0 ? pick_locked(d) : NONE;
    if (kelvin_rank() == 0 || !kelvin_team_leads(&d->team)) return KELVIN_OK;
    KELVIN_TRY(kelvin_post(0, KELVIN_KIND_CELL_ASK, NULL, 0));
    return kelvin_receive(cell, sizeof *cell, NULL, 0, KELVIN_KIND_CELL);
}

/* A watch is asked while there is nothing to watch, too: someone may want to stop. */
static kelvin_status wait_a_little(struct kelvin_dealer *d)
{
    const struct timespec time = {.tv_nsec = 200 * 1000 * 1000};
    const kelvin_chain_news nothing = {.phase = KELVIN_CHAIN_WAITING};
    nanosleep(&time, NULL);
    pthread_mutex_lock(&d->w->mutex);
    const bool goes_on = kelvin_work_hear(d->w, 0, NULL, &nothing);
    pthread_mutex_unlock(&d->w->mutex);
    if (!goes_on) stop_all(d, true);
    return kelvin_ranks_trouble();
}

/* For a whole team: the next cell, as soon as there is one. */
static kelvin_status ask(struct kelvin_dealer *d, int32_t *cell)
{
    kelvin_status status = ask_once(d, cell);
    while (!status && *cell == WAIT) {
        status = wait_a_little(d);
        if (!status) status = ask_once(d, cell);
    }
    if (status) return status;
    return kelvin_share(&d->team, cell, sizeof *cell);
}

/* One, and more if its chains are fewer than the threads. */
static kelvin_status take_some(struct kelvin_dealer *d)
{
    struct kelvin_work *w = d->w;
    int32_t cell;
    size_t chains = 0;
    KELVIN_TRY(ask(d, &cell));
    while (cell >= 0) {
        KELVIN_TRY(kelvin_work_take(w, (size_t)cell));
        chains += kelvin_run_chains(w->run[w->n - 1]);
        if (d->team.size > 1 || chains >= w->options.threads || w->n == KELVIN_MOST_RUNS) break;
        KELVIN_TRY(ask_once(d, &cell));
    }
    return KELVIN_OK;
}

static void tell_event(struct kelvin_dealer *d, enum event event)
{
    const kelvin_experiment *e = d->w->e;
    for (size_t i = 0; i < d->w->n; i++) {
        const size_t cell = d->w->cell[i];
        const struct news news = {
            .cell = (uint32_t)cell, .event = event, .empty = event == DONE && !kelvin_cell_has_samples(&e->cell[cell])};
        tell(d, &news);
    }
}

static kelvin_status sample_some(struct kelvin_dealer *d, bool *more)
{
    KELVIN_TRY(take_some(d));
    *more = d->w->n > 0;
    if (!*more) return KELVIN_OK;
    KELVIN_TRY(kelvin_work_trunks(d->w));
    tell_event(d, TRUNK);
    KELVIN_TRY(kelvin_work_runs(d->w));
    tell_event(d, DONE);
    return KELVIN_OK;
}

static kelvin_status sample_all(struct kelvin_dealer *d)
{
    kelvin_status status = KELVIN_OK;
    for (bool more = true; more && !status;) {
        status = sample_some(d, &more);
        kelvin_work_put_back(d->w);
    }
    if (status && status != KELVIN_ESTOP) {
        char sentence[KELVIN_RAW];
        snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
        stop_all(d, false);
        return kelvin_fail(status, KELVIN_SAID, sentence);
    }
    return KELVIN_OK; /* who asked for it is known at rank 0 */
}

/* ---- beginning and end ---- */

/* Every rank must have found the same cells: their names follow from the data, too. */
static kelvin_status compare_cells(const struct kelvin_dealer *d)
{
    const kelvin_experiment *e = d->w->e;
    uint64_t n = e->n;
    char key[KELVIN_CELL_KEY];
    kelvin_status status = KELVIN_OK;
    KELVIN_TRY(kelvin_share(&d->all, &n, sizeof n));
    if (n != e->n) status = kelvin_fail(KELVIN_EUSAGE, "finds %zu cells, and rank 0 %zu", e->n, (size_t)n);
    for (size_t i = 0; i < n; i++) {
        if (i < e->n) memcpy(key, e->cell[i].key, sizeof key);
        KELVIN_TRY(kelvin_share(&d->all, key, sizeof key));
        if (!status && strcmp(key, e->cell[i].key) != 0)
            status = kelvin_fail(KELVIN_EFORMAT, "cell %s: its data are not those of rank 0", e->cell[i].name);
    }
    return kelvin_share_status(&d->all, kelvin_report_status(&d->all, status));
}

/* Where runs are kept is one folder for all ranks: what rank 0 leaves there for a moment must be seen by the others. */
static kelvin_status compare_folders(const struct kelvin_dealer *d)
{
    const char *cache = d->w->e->cache;
    kelvin_path path;
    bool there;
    kelvin_status status = KELVIN_OK;
    struct kelvin_writer file = {.fd = -1};
    KELVIN_TRY(kelvin_path_join(path, cache, ".ranks"));
    if (kelvin_rank() == 0) {
        status = kelvin_folder_make(cache);
        if (!status) status = kelvin_writer_open(&file, path);
        if (!status) status = kelvin_writer_close(&file, KELVIN_OK);
    }
    KELVIN_TRY(kelvin_share_status(&d->all, status));
    if (kelvin_rank() > 0) {
        status = kelvin_find_file(path, &there, cache, ".ranks");
        if (!status && !there)
            status = kelvin_fail(
                KELVIN_EUSAGE, "%s is another folder here: runs must be on a file system that all ranks share", cache);
    }
    status = kelvin_share_status(&d->all, kelvin_report_status(&d->all, status));
    if (kelvin_rank() == 0 && !kelvin_path_join(path, cache, ".ranks")) remove(path);
    return status;
}

/* Where all cells are, as rank 0 knows it. */
static kelvin_status share_cells(struct kelvin_dealer *d)
{
    kelvin_experiment *e = d->w->e;
    for (size_t i = 0; i < e->n; i++) d->state[i] = (struct news){.event = e->cell[i].done, .empty = e->cell[i].lost};
    KELVIN_TRY(kelvin_share(&d->all, d->state, e->n * sizeof *d->state));
    for (size_t i = 0; i < e->n; i++) e->cell[i].done = d->state[i].event, e->cell[i].lost = d->state[i].empty;
    return KELVIN_OK;
}

static kelvin_status deal(struct kelvin_dealer *d)
{
    KELVIN_TRY(compare_cells(d));
    KELVIN_TRY(compare_folders(d));
    kelvin_serve(KELVIN_KIND_CELL_NEWS, hear_news, d);
    if (kelvin_rank() == 0) kelvin_serve(KELVIN_KIND_CELL_ASK, hear_question, d);
    kelvin_status status = sample_all(d);
    status = kelvin_report_status(&d->all, status);
    if (!status && kelvin_rank() == 0 && atomic_load(&d->w->asked))
        status = kelvin_fail(KELVIN_ESTOP, "stopped on request");
    if (kelvin_rank() == 0) kelvin_unserve(KELVIN_KIND_CELL_ASK);
    if (kelvin_rank() == 0 || !status) status = kelvin_share_status(&d->all, status);
    kelvin_unserve(KELVIN_KIND_CELL_NEWS);
    return status ? status : share_cells(d);
}

static size_t count_left(const kelvin_experiment *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        const struct kelvin_cell *cell = &e->cell[i];
        n += cell->first == i && !cell->done && !cell->lost && !cell->elsewhere;
    }
    return n;
}

/* How many ranks take a cell together: as was said, or so many that there are teams for all cells that are left. */
static kelvin_status size_teams(struct kelvin_dealer *d)
{
    const kelvin_run_options *options = &d->w->options;
    const size_t ranks = d->all.size, share = options->ranks_per_chain ? options->ranks_per_chain : 1;
    size_t size = options->ranks_per_cell;
    uint64_t left = count_left(d->w->e);
    KELVIN_TRY(kelvin_share(&d->all, &left, sizeof left)); /* another process may have sampled some meanwhile */
    if (size == 0) size = share;
    for (size_t n = share; n <= ranks && options->ranks_per_cell == 0; n += share)
        if (ranks % n == 0 && ranks / n >= left) size = n;
    d->team = (struct kelvin_team){kelvin_rank() / size * size, size};
    return KELVIN_OK;
}

kelvin_status kelvin_work_deal(struct kelvin_work *w)
{
    const size_t n = w->e->n ? w->e->n : 1;
    struct kelvin_dealer d = {.w = w, .all = kelvin_team_all()};
    KELVIN_TRY(size_teams(&d));
    d.taken = kelvin_alloc(n, sizeof *d.taken);
    d.trunk = kelvin_alloc(n, sizeof *d.trunk);
    d.empty = kelvin_alloc(n, sizeof *d.empty);
    d.told = kelvin_alloc(n, sizeof *d.told);
    d.state = kelvin_alloc(n, sizeof *d.state);
    w->dealer = &d;
    w->tell = tell_progress;
    kelvin_team_set(d.team);
    const kelvin_status status = d.taken && d.trunk && d.empty && d.told && d.state ? deal(&d) : KELVIN_ENOMEM;
    kelvin_team_set((struct kelvin_team){0, 0});
    kelvin_free(d.taken);
    kelvin_free(d.trunk);
    kelvin_free(d.empty);
    kelvin_free(d.told);
    kelvin_free(d.state);
    return status;
}
