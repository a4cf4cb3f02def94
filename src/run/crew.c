/* A job of several ranks: dealing, news, places, and the end of it. */
#include "run/crew.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

/* ---- what is said ---- */

struct news {
    uint32_t run, has_values;
    kelvin_chain_news news;
    double values[KELVIN_COLUMNS];
};

struct place {
    uint32_t run, chain;
    struct kelvin_place place;
};

static const uint32_t none = UINT32_MAX;

static uint32_t number_of(const struct kelvin_job *job, const kelvin_run *run)
{
    uint32_t r = 0;
    while (job->runs[r] != run) r++;
    return r;
}

/* Who does not hear of it notices that this rank is gone. */
static void say(size_t to, enum kelvin_kind kind, const void *data, size_t bytes)
{
    const kelvin_status status = kelvin_post(to, kind, data, bytes);
    (void)status;
}

/* ---- who is in it ---- */

static size_t count_waiting(const struct kelvin_job *job)
{
    size_t n = 0;
    for (size_t r = 0; r < job->n; r++)
        for (uint32_t i = 0; i < job->runs[r]->config.chains; i++)
            n += kelvin_run_inside(job->runs[r])->place[i].phase == KELVIN_CHAIN_WAITING;
    return n;
}

/* So few ranks to a chain that there are groups for all chains; one, if these are more than the ranks. */
static size_t usual_group(const struct kelvin_job *job)
{
    const size_t ranks = job->team.size, chains = count_waiting(job);
    size_t size = 1;
    for (size_t n = 2; n <= KELVIN_MOST_RANKS_PER_CHAIN; n++)
        if (ranks % n == 0 && ranks / n >= chains) size = n;
    return size;
}

static kelvin_status check_group(size_t size, size_t ranks)
{
    if (size > KELVIN_MOST_RANKS_PER_CHAIN)
        return kelvin_fail(KELVIN_EUSAGE, KELVIN_REFER(OPTION, "ranks_per_chain") " is %zu; expected at most %d", size,
                           KELVIN_MOST_RANKS_PER_CHAIN);
    if (size > 1 && ranks == 1)
        return kelvin_fail(KELVIN_EUSAGE,
                           KELVIN_REFER(OPTION, "ranks_per_chain") " is %zu, and there is one process: several are "
                                                                   "started by mpirun or srun",
                           size);
    if (size > 0 && ranks % size != 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           KELVIN_REFER(OPTION, "ranks_per_chain") " is %zu, which does not divide the %zu ranks that "
                                                                   "there are",
                           size, ranks);
    return KELVIN_OK;
}

kelvin_status kelvin_run_check_options(const kelvin_run_options *options)
{
    const struct kelvin_team team = kelvin_team_now();
    return options ? check_group(options->ranks_per_chain, team.size) : KELVIN_OK;
}

kelvin_status kelvin_crew_make(struct kelvin_job *job)
{
    size_t size = job->options.ranks_per_chain;
    job->team = (struct kelvin_team){kelvin_rank(), 1};
    for (size_t r = 0; r < job->n; r++)
        if (job->runs[r]->folder && kelvin_run_inside(job->runs[r])->team.size > 1)
            job->team = kelvin_run_inside(job->runs[r])->team;
    KELVIN_TRY(check_group(size, job->team.size));
    if (size == 0) size = usual_group(job);
    const double often = 0.1, crowd = 16; /* many ranks would keep the leader busy */
    job->tell_seconds = (double)job->team.size > crowd ? often * (double)job->team.size / crowd : often;
    const size_t me = kelvin_rank() - job->team.first;
    job->group = kelvin_group_of(job->team.first + me / size * size, size);
    return KELVIN_OK;
}

/* ---- stopping ---- */

static void tell_to_stop(const struct kelvin_job *job)
{
    const bool asked = job->asked;
    for (size_t i = 1; i < job->team.size && kelvin_crew_leads(job); i++)
        say(job->team.first + i, KELVIN_KIND_STOP, &asked, sizeof asked);
    if (!kelvin_crew_leads(job)) say(job->team.first, KELVIN_KIND_STOP, &asked, sizeof asked);
}

void kelvin_crew_stop(struct kelvin_job *job)
{
    if (job->team.size < 2 || atomic_exchange(&job->told_to_stop, true)) return;
    tell_to_stop(job);
}

static void hear_stop(void *context, size_t from, const void *data, size_t bytes)
{
    struct kelvin_job *job = context;
    bool asked = false;
    (void)from;
    if (bytes == sizeof asked) memcpy(&asked, data, sizeof asked);
    pthread_mutex_lock(&job->mutex);
    job->asked |= asked;
    pthread_mutex_unlock(&job->mutex);
    atomic_store(&job->stop, true);
    if (kelvin_crew_leads(job)) kelvin_crew_stop(job); /* the others */
}

/* ---- dealing ---- */

/* At the leader; `none` if no chain is left, or none shall begin. */
static uint32_t deal(struct kelvin_job *job)
{
    uint32_t task = none;
    pthread_mutex_lock(&job->mutex);
    if (job->next < job->tasks && !atomic_load(&job->stop)) task = (uint32_t)job->next++;
    job->all_dealt |= task == none;
    pthread_mutex_unlock(&job->mutex);
    return task;
}

static void hear_question(void *context, size_t from, const void *data, size_t bytes)
{
    (void)data, (void)bytes;
    const uint32_t task = deal(context);
    say(from, KELVIN_KIND_TASK, &task, sizeof task);
}

/* One thread asks at a time: answers have no names. */
static kelvin_status ask(struct kelvin_job *job, uint32_t *task)
{
    *task = none;
    if (kelvin_crew_leads(job)) {
        *task = deal(job);
        return KELVIN_OK;
    }
    if (atomic_load(&job->stop)) return KELVIN_OK;
    pthread_mutex_lock(&job->asking);
    kelvin_status status = kelvin_post(job->team.first, KELVIN_KIND_ASK, NULL, 0);
    if (!status) status = kelvin_receive(task, sizeof *task, NULL, (int)job->team.first, KELVIN_KIND_TASK);
    pthread_mutex_unlock(&job->asking);
    pthread_mutex_lock(&job->mutex);
    job->all_dealt |= *task == none;
    pthread_mutex_unlock(&job->mutex);
    return status;
}

kelvin_status kelvin_crew_next(struct kelvin_job *job, size_t *task, bool *there)
{
    uint32_t next = none;
    kelvin_status status = KELVIN_OK;
    if (job->group.me == 0) status = ask(job, &next);
    const kelvin_status spread = kelvin_group_spread(&job->group, &next, sizeof next); /* also if it failed: none */
    *task = next;
    *there = next != none;
    return status ? status : spread;
}

/* ---- news ---- */

void kelvin_crew_tell(struct kelvin_job *job, const kelvin_run *run, const kelvin_chain_news *news)
{
    if (job->team.size < 2 || kelvin_crew_leads(job)) return;
    struct news message = {.run = number_of(job, run), .has_values = news->values != NULL, .news = *news};
    if (news->values) memcpy(message.values, news->values, kelvin_run_width(run) * sizeof *news->values);
    say(job->team.first, KELVIN_KIND_NEWS, &message, sizeof message);
}

static void hear_news(void *context, size_t from, const void *data, size_t bytes)
{
    struct kelvin_job *job = context;
    struct news message;
    (void)from;
    if (bytes != sizeof message) return;
    memcpy(&message, data, sizeof message);
    message.news.values = message.has_values ? message.values : NULL;
    if (message.run < job->n) kelvin_job_tell(job, job->runs[message.run], &message.news);
}

void kelvin_crew_place(struct kelvin_job *job, const kelvin_run *run, uint32_t chain)
{
    if (job->team.size < 2 || kelvin_crew_leads(job)) return;
    struct place message = {.run = number_of(job, run), .chain = chain};
    pthread_mutex_lock(&job->mutex);
    message.place = kelvin_run_inside(run)->place[chain];
    pthread_mutex_unlock(&job->mutex);
    say(job->team.first, KELVIN_KIND_PLACE, &message, sizeof message);
}

static void hear_place(void *context, size_t from, const void *data, size_t bytes)
{
    struct kelvin_job *job = context;
    struct place message;
    (void)from;
    if (bytes != sizeof message) return;
    memcpy(&message, data, sizeof message);
    if (message.run >= job->n || message.chain >= job->runs[message.run]->config.chains) return;
    pthread_mutex_lock(&job->mutex);
    kelvin_run_inside(job->runs[message.run])->place[message.chain] = message.place;
    pthread_mutex_unlock(&job->mutex);
}

static void hear_times(void *context, size_t from, const void *data, size_t bytes)
{
    struct kelvin_job *job = context;
    struct kelvin_times_row row;
    (void)from;
    if (bytes != sizeof row) return;
    memcpy(&row, data, sizeof row);
    const kelvin_status status = kelvin_times_add(&row);
    if (!status || job->unwritten) return;
    job->unwritten = status;
    snprintf(job->why, sizeof job->why, "%s", kelvin_error_raw());
    atomic_store(&job->stop, true);
    kelvin_crew_stop(job);
}

/* ---- beginning and end ---- */

static const struct {
    enum kelvin_kind kind;
    kelvin_server *server;
    bool leader; /* or others */
} servers[] = {
    {KELVIN_KIND_ASK, hear_question, true}, {KELVIN_KIND_NEWS, hear_news, true}, {KELVIN_KIND_PLACE, hear_place, true},
    {KELVIN_KIND_TIMES, hear_times, true},  {KELVIN_KIND_STOP, hear_stop, true}, {KELVIN_KIND_STOP, hear_stop, false},
};
enum { SERVERS = sizeof servers / sizeof *servers };

void kelvin_crew_begin(struct kelvin_job *job)
{
    for (size_t r = 0; r < job->n; r++) {
        job->tasks += job->runs[r]->config.chains;
        kelvin_run_inside(job->runs[r])->started = kelvin_now(); /* others may have all chains */
    }
    for (size_t i = 0; i < SERVERS; i++)
        if (servers[i].leader == kelvin_crew_leads(job)) kelvin_serve(servers[i].kind, servers[i].server, job);
}

/* A leader that is told to stop hears of it from news alone: there may be none of its own. */
kelvin_status kelvin_crew_end(struct kelvin_job *job, kelvin_status status)
{
    status = kelvin_report_status(&job->team, status);
    char sentence[KELVIN_RAW];
    snprintf(sentence, sizeof sentence, "%s", kelvin_error_raw());
    for (size_t i = 0; i < SERVERS && kelvin_crew_leads(job); i++)
        if (servers[i].leader) kelvin_unserve(servers[i].kind);
    if (!status && job->unwritten) {
        status = job->unwritten;
        memcpy(sentence, job->why, sizeof sentence);
    }
    if (status && kelvin_crew_leads(job) && kelvin_ranks_failed_elsewhere()) /* nobody listens any more */
        return kelvin_fail(status, KELVIN_SAID, sentence);
    for (size_t r = 0; r < job->n; r++) {
        struct kelvin_place *place = kelvin_run_inside(job->runs[r])->place;
        const kelvin_status shared = kelvin_share(&job->team, place, job->runs[r]->config.chains * sizeof *place);
        if (shared && !status) return shared;
    }
    const kelvin_status shared = kelvin_share(&job->team, &job->asked, sizeof job->asked);
    if (!kelvin_crew_leads(job)) kelvin_unserve(KELVIN_KIND_STOP);
    return status ? kelvin_fail(status, KELVIN_SAID, sentence) : shared;
}

kelvin_status kelvin_crew_conclude(struct kelvin_job *job, kelvin_status status)
{
    if (job->team.size < 2) return status;
    status = kelvin_share_status(&job->team, status);
    for (size_t r = 0; r < job->n && !status; r++) {
        struct kelvin_run_owned *inside = kelvin_run_inside(job->runs[r]);
        bool finished = kelvin_crew_leads(job) && kelvin_run_finished(job->runs[r]);
        status = kelvin_share(&job->team, &finished, sizeof finished);
        inside->told_finished = finished;
    }
    return status;
}

/* ---- opening a run together ---- */

struct opened {
    char folder[KELVIN_PATH_MAX];
    bool finished;
};

static kelvin_status share_places(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    return kelvin_share(&inside->team, inside->place, run->config.chains * sizeof *inside->place);
}

kelvin_status kelvin_crew_lead(kelvin_run *run, kelvin_status status)
{
    const struct kelvin_team team = kelvin_team_now();
    struct opened opened = {.finished = false};
    if (team.size < 2) return status;
    if (!status) status = kelvin_lock_share(&kelvin_run_inside(run)->lock, run->folder);
    KELVIN_TRY(kelvin_share_status(&team, status));
    kelvin_run_inside(run)->team = team;
    snprintf(opened.folder, sizeof opened.folder, "%s", run->folder);
    opened.finished = kelvin_run_finished(run);
    KELVIN_TRY(kelvin_share(&team, &opened, sizeof opened));
    KELVIN_TRY(share_places(run));
    return kelvin_report_status(&team, KELVIN_OK);
}

static kelvin_status open_after(kelvin_run **run, const struct opened *opened, const kelvin_data *data)
{
    struct kelvin_run_owned *inside;
    const kelvin_status status = kelvin_run_load(run, opened->folder, false, data);
    if (status && !kelvin_is_folder(opened->folder))
        return kelvin_fail(status,
                           "%s is not there: ranks that work on a run need a file system that they share, and to be "
                           "started in the same folder",
                           opened->folder);
    if (status) return status;
    KELVIN_TRY(kelvin_run_get_ready(*run, opened->folder));
    inside = kelvin_run_inside(*run);
    inside->told_finished = opened->finished;
    inside->lock.fd = -1;
    return kelvin_lock_share(&inside->lock, opened->folder);
}

kelvin_status kelvin_crew_follow(kelvin_run **run, const kelvin_data *data)
{
    const struct kelvin_team team = kelvin_team_now();
    struct opened opened;
    KELVIN_TRY(kelvin_share_status(&team, KELVIN_OK));
    KELVIN_TRY(kelvin_share(&team, &opened, sizeof opened));
    kelvin_status status = open_after(run, &opened, data);
    if (!status) {
        kelvin_run_inside(*run)->team = team;
        status = share_places(*run);
    }
    return kelvin_report_status(&team, status);
}
