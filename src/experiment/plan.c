/* What an experiment will cost: some steps of one cell of each kind, and the rows of all. */
#include "experiment/experiment.h"

#include "base/needs.h"
#include "base/threads.h"
#include "base/words.h"
#include "run/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cells that do the same work in a row: they differ in what changes no speed, or not by much. */
struct kind {
    char text[512];
    double rows_per_s, logits; /* seconds for those of one sample */
    double cpu_share;
};

struct plan {
    kelvin_experiment_plan *out;
    const kelvin_experiment *e;
    size_t threads, n;
    struct kind *kind;
};

static void describe(struct kind *kind, const struct kelvin_cell *cell, size_t threads, uint32_t chains)
{
    static const char *const fields[] = {"sampler", "data", "model", "batch", "augment", "steps"};
    size_t used = (size_t)snprintf(kind->text, sizeof kind->text, "%zu",
                                   threads < chains ? threads : (size_t)chains); /* at once */
    for (size_t i = 0; i < sizeof fields / sizeof *fields && used < sizeof kind->text; i++) {
        char value[KELVIN_CELL_VALUE];
        kelvin_cell_value(value, cell, fields[i]);
        used += (size_t)snprintf(kind->text + used, sizeof kind->text - used, ";%.60s", value);
    }
}

/* A run in memory that starts at random: what it starts from may not be there yet. */
static kelvin_status start(kelvin_run **run, const struct kelvin_cell *cell)
{
    const bool begins_elsewhere = cell->from != KELVIN_NO_CELL;
    if (begins_elsewhere) KELVIN_TRY(kelvin_config_set(cell->config, "init", "none"));
    kelvin_status status = kelvin_run_start_with(run, cell->config, cell->data, NULL);
    if (status) return kelvin_fail(status, "cell %s: " KELVIN_SAID, cell->name, kelvin_error_raw());
    return KELVIN_OK;
}

static kelvin_status restore(const struct kelvin_cell *cell, const kelvin_experiment *e)
{
    if (cell->from == KELVIN_NO_CELL) return KELVIN_OK;
    return kelvin_config_set(cell->config, "init", e->cell[e->cell[cell->from].first].folder);
}

static kelvin_status measure(struct kind *kind, const kelvin_run *run, size_t threads)
{
    kelvin_estimate estimate;
    KELVIN_TRY(kelvin_run_estimate(&estimate, run, threads));
    kind->rows_per_s = estimate.rows_per_s;
    kind->cpu_share = estimate.cpu_share;
    kind->logits = estimate.logits / (double)kelvin_run_samples_asked_for(run);
    return KELVIN_OK;
}

static kelvin_status find_kind(const struct kind **found, struct plan *p, const struct kelvin_cell *cell,
                               const kelvin_run *run)
{
    struct kind kind;
    describe(&kind, cell, p->threads, kelvin_run_chains(run));
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->kind[i].text, kind.text) == 0) {
            *found = &p->kind[i];
            return KELVIN_OK;
        }
    KELVIN_TRY(measure(&kind, run, p->threads));
    *found = &p->kind[p->n];
    p->kind[p->n++] = kind;
    return KELVIN_OK;
}

/* Whether a cell before it that is to be sampled, too, or has been, has its cold beginning. */
static bool is_branch(const kelvin_experiment *e, size_t i)
{
    for (size_t k = 0; k < e->n; k++)
        if (k != i && e->cell[k].first == k && strcmp(e->cell[k].trunk, e->cell[i].trunk) == 0 &&
            (k < i || e->cell[k].done))
            return true;
    return false;
}

static kelvin_status add_run(struct plan *p, size_t i, const kelvin_run *run)
{
    const double chains = kelvin_run_chains(run), rows = kelvin_run_rows(run);
    const double shared = is_branch(p->e, i) ? kelvin_run_cold_rows(run) : 0;
    const struct kind *kind;
    kelvin_experiment_plan *out = p->out;
    KELVIN_TRY(find_kind(&kind, p, &p->e->cell[i], run));
    out->chains += (size_t)chains;
    out->rows += chains * (rows - shared);
    out->rows_apart += chains * rows;
    out->seconds +=
        chains * (rows - shared) / kind->rows_per_s + kind->logits * (double)kelvin_run_samples_asked_for(run);
    out->disk += kelvin_run_disk(run);
    out->cpu_share = fmin(out->cpu_share, kind->cpu_share);
    return KELVIN_OK;
}

static kelvin_status add_cell(struct plan *p, size_t i)
{
    const struct kelvin_cell *cell = &p->e->cell[i];
    kelvin_run *run = NULL;
    kelvin_status status = start(&run, cell);
    if (!status) status = add_run(p, i, run);
    kelvin_run_close(run);
    const kelvin_status restored = restore(cell, p->e);
    return status ? status : restored;
}

kelvin_status kelvin_experiment_estimate(kelvin_experiment_plan *plan, const kelvin_experiment *e, size_t threads)
{
    KELVIN_NEEDS(plan);
    KELVIN_NEEDS(e);
    *plan = (kelvin_experiment_plan){.cpu_share = 1};
    struct plan p = {.out = plan, .e = e, .threads = threads ? threads : kelvin_cpu_count()};
    kelvin_status status = KELVIN_OK;
    if (!(p.kind = kelvin_alloc(e->n ? e->n : 1, sizeof *p.kind))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < e->n && !status; i++) {
        if (e->cell[i].first != i) continue;
        plan->cells++;
        plan->done += e->cell[i].done;
        if (!e->cell[i].done) status = add_cell(&p, i);
    }
    kelvin_free(p.kind);
    return status;
}
