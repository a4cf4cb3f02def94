/* Lots: which chains one thread takes together. Who is with whom changes nothing in what is drawn. */
#include "run/job.h"

static bool waits(const kelvin_run *run, uint32_t chain)
{
    return kelvin_run_inside(run)->place[chain].phase == KELVIN_CHAIN_WAITING;
}

static size_t count_waiting(const struct kelvin_job *job)
{
    size_t n = 0;
    for (size_t r = 0; r < job->n; r++)
        for (uint32_t i = 0; i < job->runs[r]->config.chains; i++) n += waits(job->runs[r], i);
    return n;
}

/* Chains that wait, for each thread as many; so that lots are as large as they may be, but equal. Several ranks deal
 * them one by one: they know nothing of each other's threads. */
static size_t size_of_lots(const struct kelvin_job *job)
{
    const size_t threads = job->options.threads, each = (count_waiting(job) + threads - 1) / threads;
    const size_t rounds = (each + KELVIN_BAND - 1) / KELVIN_BAND;
    return job->team.size > 1 || each == 0 ? 1 : (each + rounds - 1) / rounds;
}

static void add_lot(struct kelvin_job *job, kelvin_run *run, const uint32_t *chain, size_t n)
{
    struct kelvin_lot *lot = &job->lot[job->lots++];
    *lot = (struct kelvin_lot){.run = run, .n = n};
    memcpy(lot->chain, chain, n * sizeof *chain);
}

/* So few that they are better off one by one may go to several threads. */
static void add_lots(struct kelvin_job *job, kelvin_run *run, const uint32_t *chain, size_t n)
{
    if (kelvin_band_suits(run, n))
        add_lot(job, run, chain, n);
    else
        for (size_t i = 0; i < n; i++) add_lot(job, run, &chain[i], 1);
}

static void deal_run(struct kelvin_job *job, kelvin_run *run, size_t size)
{
    uint32_t chain[KELVIN_BAND];
    size_t n = 0;
    for (uint32_t i = 0; i < run->config.chains; i++) {
        if (size == 1 || !waits(run, i))
            add_lot(job, run, &i, 1);
        else
            chain[n++] = i;
        if (n < size) continue;
        add_lots(job, run, chain, n);
        n = 0;
    }
    add_lots(job, run, chain, n);
}

kelvin_status kelvin_lots_make(struct kelvin_job *job)
{
    size_t most = 0;
    for (size_t r = 0; r < job->n; r++) most += job->runs[r]->config.chains;
    job->lots = 0;
    if (!(job->lot = kelvin_alloc(most, sizeof *job->lot))) return KELVIN_ENOMEM;
    const size_t size = size_of_lots(job);
    for (size_t r = 0; r < job->n; r++) deal_run(job, job->runs[r], size);
    return KELVIN_OK;
}
