/* R-hat and effective sample sizes of many quantities: parameters, or probabilities. Each is looked at by itself; what
 * is told of all of them is taken in their order at the end, so that nothing depends on the number of threads. */
#include "posterior/convergence.h"
#include "base/threads.h"

#include "posterior/stats.h"
#include "run/room.h"

#include <math.h>

/* Of the draws of a block, and of the work of all threads. Both can be much in a run of very many draws, whose samples
 * are never all in memory; what is told of them should not take more than having drawn them did. */
enum { BYTES = 1 << 22 };

/* As many quantities as fit beside the work on one of them, which takes as much as two; at least one. */
static size_t block_of(const struct kelvin_converging *c)
{
    enum { WORK = 2 };
    if (c->draws < 2) return 0;
    const size_t fit = BYTES / sizeof(double) / (c->chains * c->draws), block = fit > WORK ? fit - WORK : 1;
    return block < c->quantities ? block : c->quantities;
}

static size_t threads_of(const struct kelvin_converging *c)
{
    const size_t fit = BYTES / c->bytes;
    size_t threads = kelvin_pool_threads(c->pool);
    if (threads > c->quantities) threads = c->quantities;
    if (threads > fit) threads = fit;
    return threads > 0 ? threads : 1;
}

static kelvin_status prepare(struct kelvin_converging *c)
{
    c->block = block_of(c);
    c->bytes = kelvin_rank_bytes(c->chains, c->draws);
    c->threads = threads_of(c);
    c->rhat = kelvin_alloc(4 * c->quantities, sizeof *c->rhat);
    c->x = kelvin_alloc(c->block * c->chains * c->draws, sizeof *c->x);
    c->work = kelvin_alloc(c->threads, c->bytes);
    if (!c->rhat || !c->x || !c->work) return KELVIN_ENOMEM;
    c->rank = c->rhat + c->quantities;
    c->bulk = c->rank + c->quantities;
    c->tail = c->bulk + c->quantities;
    return kelvin_rank_prepare(&c->tables, c->chains, c->draws);
}

kelvin_status kelvin_converging_create(struct kelvin_converging **out, size_t quantities, size_t chains, size_t draws,
                                       kelvin_pool *pool)
{
    struct kelvin_converging *c = *out = kelvin_alloc(1, sizeof *c);
    if (!c) return KELVIN_ENOMEM;
    *c = (struct kelvin_converging){.quantities = quantities, .chains = chains, .draws = draws, .pool = pool};
    const kelvin_status status = prepare(c);
    if (status) {
        kelvin_converging_destroy(c);
        *out = NULL;
    }
    return status;
}

void kelvin_converging_destroy(struct kelvin_converging *c)
{
    if (!c) return;
    kelvin_rank_done(c->tables);
    kelvin_free(c->work);
    kelvin_free(c->x);
    kelvin_free(c->rhat);
    kelvin_free(c);
}

/* Every so many-th quantity of the block, beginning with this task's. */
static kelvin_status look(void *context, size_t task)
{
    struct kelvin_converging *c = context;
    for (size_t i = task; i < c->waiting; i += c->threads) {
        const double *x = c->x + i * c->chains * c->draws;
        const size_t at = c->seen + i;
        c->rhat[at] = kelvin_rhat(x, c->chains, c->draws);
        kelvin_rank_run(c->tables, c->work + task * c->bytes, &c->rank[at], &c->bulk[at], &c->tail[at], x);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_converging_add(struct kelvin_converging *c, size_t n)
{
    const size_t left = c->quantities - c->seen - c->waiting;
    if (n > left) return kelvin_fail(KELVIN_EUSAGE, "more quantities than were promised");
    c->waiting += n;
    if (c->waiting < c->block && n < left) return KELVIN_OK;
    KELVIN_TRY(kelvin_pool_run(c->pool, look, c, c->threads));
    c->seen += c->waiting;
    c->waiting = 0;
    return KELVIN_OK;
}

/* Sorts the numbers among x to the front; how many. */
static size_t sort_numbers(double *x, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) x[kept++] = x[i];
    kelvin_sort(x, kept);
    return kept;
}

static double quantile_of(double *x, size_t n, double q)
{
    return n > 0 ? kelvin_quantile(x, n, q) : (double)NAN;
}

void kelvin_converging_result(kelvin_convergence *out, struct kelvin_converging *c)
{
    *out = (kelvin_convergence){
        .quantities = c->quantities, .chains = c->chains, .draws = c->draws, .rhat_max = -INFINITY};
    for (size_t i = 0; i < c->seen; i++) {
        out->rhat_mean += c->rhat[i] / (double)c->seen;
        if (!(c->rhat[i] <= out->rhat_max)) out->rhat_max = isnan(out->rhat_max) ? (double)NAN : c->rhat[i];
    }
    if (c->seen == 0) out->rhat_mean = out->rhat_max = NAN;
    size_t n = sort_numbers(c->rank, c->seen);
    out->rank_rhat_median = quantile_of(c->rank, n, 0.5);
    out->rank_rhat_max = quantile_of(c->rank, n, 1);
    n = sort_numbers(c->bulk, c->seen);
    out->ess_bulk_median = quantile_of(c->bulk, n, 0.5);
    out->ess_bulk_min = quantile_of(c->bulk, n, 0);
    n = sort_numbers(c->tail, c->seen);
    out->ess_tail_min = quantile_of(c->tail, n, 0);
}

/* ---- parameters ---- */

/* x (n, chains, draws): parameters first .. first + n - 1 of the draws in the line-up. */
static kelvin_status read_block(double *x, const kelvin_samples *samples, const struct kelvin_lineup *lineup,
                                size_t first, size_t n)
{
    const size_t draws = lineup->draws, size = lineup->chains * draws;
    for (size_t c = 0; c < lineup->chains; c++)
        KELVIN_TRY(kelvin_samples_columns(samples, x + c * draws, size, lineup->chain[c].first, draws, first, n));
    return KELVIN_OK;
}

/* Samples are read again for each block of parameters, and of their files those parts that have them: in memory are all
 * draws of some parameters, never all of all. */
kelvin_status kelvin_converge_parameters(kelvin_convergence *out, kelvin_samples *samples,
                                         const struct kelvin_lineup *lineup, kelvin_pool *pool)
{
    const size_t params = samples->run->model->n_params;
    struct kelvin_converging *c;
    KELVIN_TRY(kelvin_converging_create(&c, params, lineup->chains, lineup->draws, pool));
    kelvin_status status = KELVIN_OK;
    for (size_t first = 0; first < params && c->block > 0 && !status; first += c->block) {
        const size_t n = params - first < c->block ? params - first : c->block;
        status = read_block(c->x, samples, lineup, first, n);
        if (!status) status = kelvin_converging_add(c, n);
    }
    if (!status) kelvin_converging_result(out, c);
    kelvin_converging_destroy(c);
    return status;
}
