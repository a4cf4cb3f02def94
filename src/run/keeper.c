/* The thread that writes checkpoints. A chain copies its state into its slot and goes on; the slot is the keeper's
 * until the state is on disk. What the chain has collected is not copied: it only ever adds to it, until it waits for
 * the keeper and empties it. Before a state come the last rows of history.csv: who is killed between the two finds
 * rows too many, which will be written again, but after the last state no row would be. After it comes a row of
 * times.csv, which differs between two runs of one configuration, as lock does. */
#include "run/crew.h"

#include "base/c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kelvin_keeper {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    bool quit;
    struct kelvin_slot *first; /* all that are open */
};

/* ---- files ---- */

/* A row at the end of times.csv, under a head if it is the first; none, if it cannot be a whole one. */
static bool add_row(int fd, const char *row, size_t bytes, const char *unit)
{
    char head[64];
    const int used = snprintf(head, sizeof head, "chain,step,%s,seconds,steps_per_s,threads\n", unit);
    struct stat about;
    if (fstat(fd, &about)) return false;
    if ((about.st_size > 0 || kelvin_write_all(fd, head, (size_t)used)) && kelvin_write_all(fd, row, bytes))
        return true;
    const int reason = errno;
    const int undone = ftruncate(fd, about.st_size);
    (void)undone; /* no more can be done */
    errno = reason;
    return false;
}

/* Rows are only ever added; whoever loses the last one in a power cut has lost nothing of the run. */
kelvin_status kelvin_times_add(const struct kelvin_times_row *row)
{
    kelvin_path path;
    int fd;
    KELVIN_TRY(kelvin_path_join(path, row->folder, KELVIN_TIMES_FILE));
    KELVIN_TRY(kelvin_open_regular(&fd, path, O_WRONLY | O_CREAT | O_APPEND));
    const bool added = add_row(fd, row->row, strlen(row->row), row->unit);
    const int reason = errno;
    const bool closed = close(fd) == 0;
    if (added && closed) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: could not be written: %s", path, strerror(added ? errno : reason));
}

/* One rank writes them for all of its team: rows that two machines add to one file may be lost. */
static kelvin_status note_times(struct kelvin_slot *slot)
{
    struct kelvin_times_row row;
    const struct kelvin_chain *chain = slot->chain;
    /* a chain that diverged goes back to its last good state */
    const uint32_t steps = slot->state.step < slot->noted ? 0 : slot->state.step - slot->noted;
    const double seconds = slot->offered - slot->noted_at;
    const struct kelvin_team *team = &kelvin_run_inside(chain->run)->team;
    locale_t c, before = enter_c_locale(&c);
    snprintf(row.row, sizeof row.row, "%u,%u,%.6g,%.6g,%.6g,%zu\n", chain->number, slot->state.step,
             (double)slot->state.step / chain->row_steps, seconds, seconds > 0 ? steps / seconds : 0.0, slot->threads);
    leave_c_locale(c, before);
    snprintf(row.unit, sizeof row.unit, "%s", kelvin_run_row_name(chain->run));
    snprintf(row.folder, sizeof row.folder, "%s", chain->run->folder);
    KELVIN_TRY(kelvin_team_leads(team) ? kelvin_times_add(&row)
                                       : kelvin_post(team->first, KELVIN_KIND_TIMES, &row, sizeof row));
    slot->noted = slot->state.step;
    slot->noted_at = slot->offered;
    return KELVIN_OK;
}

static kelvin_status write_state(struct kelvin_slot *slot)
{
    const struct kelvin_chain *chain = slot->chain;
    uint64_t bytes = slot->history_bytes;
    kelvin_path path;
    if (slot->bundle.rows > 0)
        KELVIN_TRY(kelvin_history_put(chain->run, chain->number, &bytes, slot->bundle.row, slot->bundle.rows));
    KELVIN_TRY(kelvin_path_join(path, chain->run->folder, KELVIN_STATE_FILE, chain->number));
    KELVIN_TRY(kelvin_state_write(path, chain, &slot->state, &slot->row, &slot->bundle));
    return note_times(slot);
}

/* ---- the thread ---- */

/* The one that has been full for longest: chains whose epochs are short would otherwise keep others waiting. */
static struct kelvin_slot *full_slot(const struct kelvin_keeper *keeper)
{
    struct kelvin_slot *oldest = NULL;
    for (struct kelvin_slot *slot = keeper->first; slot; slot = slot->next)
        if (slot->full && (!oldest || slot->offered < oldest->offered)) oldest = slot;
    return oldest;
}

/* The first one counts. */
static void note_failure(struct kelvin_slot *slot, kelvin_status status)
{
    if (!status || slot->status) return;
    slot->status = status;
    snprintf(slot->sentence, sizeof slot->sentence, "%s", kelvin_error_raw());
}

static void *keep(void *argument)
{
    struct kelvin_keeper *keeper = argument;
    pthread_mutex_lock(&keeper->mutex);
    for (;;) {
        struct kelvin_slot *slot;
        while (!(slot = full_slot(keeper)) && !keeper->quit) pthread_cond_wait(&keeper->work, &keeper->mutex);
        if (!slot) break;
        pthread_mutex_unlock(&keeper->mutex);
        const kelvin_status status = write_state(slot);
        pthread_mutex_lock(&keeper->mutex);
        note_failure(slot, status);
        slot->full = false;
        pthread_cond_broadcast(&keeper->done);
    }
    pthread_mutex_unlock(&keeper->mutex);
    return NULL;
}

kelvin_status kelvin_keeper_start(struct kelvin_keeper **out)
{
    struct kelvin_keeper *keeper = kelvin_alloc(1, sizeof *keeper);
    *out = NULL;
    if (!keeper) return KELVIN_ENOMEM;
    pthread_mutex_init(&keeper->mutex, NULL);
    pthread_cond_init(&keeper->work, NULL);
    pthread_cond_init(&keeper->done, NULL);
    if (pthread_create(&keeper->thread, NULL, keep, keeper)) {
        kelvin_free(keeper);
        return kelvin_fail(KELVIN_ENOMEM, "the thread that writes checkpoints could not be started");
    }
    *out = keeper;
    return KELVIN_OK;
}

void kelvin_keeper_stop(struct kelvin_keeper *keeper)
{
    if (!keeper) return;
    pthread_mutex_lock(&keeper->mutex);
    keeper->quit = true;
    pthread_cond_signal(&keeper->work);
    pthread_mutex_unlock(&keeper->mutex);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->done);
    pthread_cond_destroy(&keeper->work);
    pthread_mutex_destroy(&keeper->mutex);
    kelvin_free(keeper);
}

/* ---- slots ---- */

kelvin_status kelvin_slot_open(struct kelvin_slot *slot, struct kelvin_keeper *keeper, const struct kelvin_chain *chain,
                               uint64_t history_bytes)
{
    *slot = (struct kelvin_slot){.keeper = keeper,
                                 .chain = chain,
                                 .history_bytes = history_bytes,
                                 .noted = chain->step,
                                 .noted_at = kelvin_now()};
    kelvin_status status = kelvin_snapshot_create(&slot->state, chain->run);
    if (!status && chain->row_steps > 1) status = kelvin_snapshot_create(&slot->row, chain->run);
    if (status) {
        kelvin_snapshot_free(&slot->state);
        return status;
    }
    pthread_mutex_lock(&keeper->mutex);
    slot->next = keeper->first;
    keeper->first = slot;
    pthread_mutex_unlock(&keeper->mutex);
    return KELVIN_OK;
}

static void wait_until_idle(struct kelvin_slot *slot)
{
    pthread_mutex_lock(&slot->keeper->mutex);
    while (slot->full) pthread_cond_wait(&slot->keeper->done, &slot->keeper->mutex);
    pthread_mutex_unlock(&slot->keeper->mutex);
}

/* The state in the slot becomes the keeper's, with what the chain has collected. */
static void hand_over(struct kelvin_slot *slot)
{
    slot->bundle = slot->chain->bundle;
    slot->offered = kelvin_now();
    slot->threads = slot->chain->threads;
    pthread_mutex_lock(&slot->keeper->mutex);
    slot->full = true;
    pthread_cond_signal(&slot->keeper->work);
    pthread_mutex_unlock(&slot->keeper->mutex);
}

/* A chain that diverged is left where it was good, any other where it is. */
static void take_state(struct kelvin_slot *slot)
{
    const struct kelvin_chain *chain = slot->chain;
    if (chain->good.diverged[0])
        kelvin_snapshot_copy(&slot->state, &chain->good, chain->run);
    else
        kelvin_chain_now(&slot->state, chain);
    if (!kelvin_chain_row_ended(chain)) kelvin_snapshot_copy(&slot->row, &chain->good, chain->run);
    hand_over(slot);
}

bool kelvin_slot_offer(struct kelvin_slot *slot)
{
    if (slot->full) return false;
    take_state(slot);
    return true;
}

/* Where it fails, no state may follow: one of a chain that is past these draws says that they are in a file. */
kelvin_status kelvin_slot_collect(struct kelvin_slot *slot, struct kelvin_chain *chain)
{
    const struct kelvin_bundle *bundle = &chain->bundle;
    wait_until_idle(slot); /* the keeper may be at the rows that come before these */
    if (bundle->rows == 0) return KELVIN_OK;
    kelvin_status status =
        kelvin_history_put(chain->run, chain->number, &slot->history_bytes, bundle->row, bundle->rows);
    if (!status) status = kelvin_bundle_write(&chain->bundle, chain->run, chain->number);
    note_failure(slot, status);
    return status;
}

void kelvin_slot_give_up(struct kelvin_slot *slot, kelvin_status status)
{
    wait_until_idle(slot);
    note_failure(slot, status);
}

kelvin_status kelvin_slot_close(struct kelvin_slot *slot)
{
    struct kelvin_keeper *keeper = slot->keeper;
    wait_until_idle(slot);
    if (!slot->status) {
        take_state(slot);
        wait_until_idle(slot);
    }
    pthread_mutex_lock(&keeper->mutex);
    struct kelvin_slot **link = &keeper->first;
    while (*link != slot) link = &(*link)->next;
    *link = slot->next;
    pthread_mutex_unlock(&keeper->mutex);
    kelvin_snapshot_free(&slot->state);
    kelvin_snapshot_free(&slot->row);
    return slot->status ? kelvin_fail(slot->status, KELVIN_SAID, slot->sentence) : KELVIN_OK;
}
