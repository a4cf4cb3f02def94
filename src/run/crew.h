/* crew: a job of several ranks. The leader of the team deals chains, one at a time to whoever asks; the others tell it
 * how far they are, where each chain ended, and what goes into times.csv. Each writes the files of its own chains.
 *
 *     kelvin_crew_begin(job);
 *     while (kelvin_crew_next(job, &task)) ...
 *     status = kelvin_crew_end(job, status);          // waits for all; then every rank knows where chains are
 */
#ifndef RUN_CREW_H
#define RUN_CREW_H

#include "run/job.h"

/* How many ranks share a chain: as was asked, or so many that none has nothing to do. */
KELVIN_MUST_CHECK kelvin_status kelvin_crew_make(struct kelvin_job *job);

void kelvin_crew_begin(struct kelvin_job *job);

/* The next chain for this rank, or for the group that it is in; false if there is none. */
KELVIN_MUST_CHECK kelvin_status kelvin_crew_next(struct kelvin_job *job, size_t *task, bool *there);

/* Tells the leader, unless this is it. */
void kelvin_crew_tell(struct kelvin_job *job, const kelvin_run *run, const kelvin_chain_news *news);
void kelvin_crew_place(struct kelvin_job *job, const kelvin_run *run, uint32_t chain);

/* Everybody stops. */
void kelvin_crew_stop(struct kelvin_job *job);

KELVIN_MUST_CHECK kelvin_status kelvin_crew_end(struct kelvin_job *job, kelvin_status status);

/* What every rank returns: how it went at the leader, and which runs have ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_crew_conclude(struct kelvin_job *job, kelvin_status status);

static inline bool kelvin_crew_leads(const struct kelvin_job *job)
{
    return kelvin_team_leads(&job->team);
}

/* ---- opening a run together ---- */

/* At the leader, when it has opened or started a run with a folder, or failed to; and at the others, which open it
 * after it. */
KELVIN_MUST_CHECK kelvin_status kelvin_crew_lead(kelvin_run *run, kelvin_status status);
KELVIN_MUST_CHECK kelvin_status kelvin_crew_follow(kelvin_run **run, const kelvin_data *data);

/* A row of times.csv, which the leader writes. */
struct kelvin_times_row {
    char unit[16], row[240], folder[KELVIN_PATH_MAX];
};
KELVIN_MUST_CHECK kelvin_status kelvin_times_add(const struct kelvin_times_row *row);

#endif
