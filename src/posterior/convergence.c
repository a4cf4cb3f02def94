/* R-hat and effective sample sizes of many quantities: parameters, or probabilities. Each is looked at by itself; what
 * is told of all of them is taken in their order at the end, so that nothing depends on the number of threads. */
#include "posterior/convergence.h"

#include "posterior/stats.h"

#include <math.h>

struct kelvin_converging {
    size_t quantities, chains, draws, seen;
    double *rhat, *rank, *bulk, *tail; /* (quantities) */
    kelvin_pool *pool;
    size_t threads;                    /* that work at once */
    struct kelvin_rank_tables *tables; /* of all threads */
    struct kelvin_rank_work **work;    /* (threads) */
    const double *x;                   /* the block at work, (n, chains, draws) */
    size_t n;
};

/* Of the draws of a block, and of the work of all threads. Both can be much in a run of very many draws, whose samples
 * are never all in memory; what is told of them should not take more than having drawn them did. */
enum { BYTES = 1 << 22 };

/* As many as fit beside the work on one of them, which takes as much as two. */
size_t kelvin_converging_block(size_t quantities, size_t chains, size_t draws)
{
    enum { WORK = 2 };
    const size_t fit = BYTES / sizeof(double) / (chains * draws), block = fit > WORK ? fit - WORK : 1;
    return block < quantities ? block : quantities;
}

static size_t threads_of(size_t quantities, size_t chains, size_t draws, const kelvin_pool *pool)
{
    const size_t fit = BYTES / kelvin_rank_bytes(chains, draws);
    size_t threads = kelvin_pool_threads(pool);
    if (threads > quantities) threads = quantities;
    if (threads > fit) threads = fit;
    return threads > 0 ? threads : 1;
}

static kelvin_status prepare(struct kelvin_converging *c)
{
    c->rhat = kelvin_alloc(4 * c->quantities, sizeof *c->rhat);
    c->work = kelvin_alloc(c->threads, sizeof(struct kelvin_rank_work *));
    if (!c->rhat || !c->work) return KELVIN_ENOMEM;
    c->rank = c->rhat + c->quantities;
    c->bulk = c->rank + c->quantities;
    c->tail = c->bulk + c->quantities;
    KELVIN_TRY(kelvin_rank_prepare(&c->tables, c->chains, c->draws));
    for (size_t i = 0; i < c->threads; i++) KELVIN_TRY(kelvin_rank_create(&c->work[i], c->tables));
    return KELVIN_OK;
}

kelvin_status kelvin_converging_create(struct kelvin_converging **out, size_t quantities, size_t chains, size_t draws,
                                       kelvin_pool *pool)
{
    struct kelvin_converging *c = *out = kelvin_alloc(1, sizeof *c);
    if (!c) return KELVIN_ENOMEM;
    *c = (struct kelvin_converging){.quantities = quantities, .chains = chains, .draws = draws, .pool = pool};
    c->threads = threads_of(quantities, chains, draws, pool);
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
    for (size_t i = 0; i < c->threads && c->work; i++) kelvin_rank_destroy(c->work[i]);
    kelvin_rank_done(c->tables);
    kelvin_free(c->work);
    kelvin_free(c->rhat);
    kelvin_free(c);
}

/* Every so many-th quantity of the block, beginning with this task's. */
static kelvin_status look(void *context, size_t task)
{
    struct kelvin_converging *c = context;
    for (size_t i = task; i < c->n; i += c->threads) {
        const double *x = c->x + i * c->chains * c->draws;
        const size_t at = c->seen + i;
        c->rhat[at] = kelvin_rhat(x, c->chains, c->draws);
        kelvin_rank_run(c->work[task], &c->rank[at], &c->bulk[at], &c->tail[at], x);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_converging_add(struct kelvin_converging *c, const double *x, size_t n)
{
    if (n > c->quantities - c->seen) return kelvin_fail(KELVIN_EUSAGE, "more quantities than were promised");
    c->x = x;
    c->n = n;
    KELVIN_TRY(kelvin_pool_run(c->pool, look, c, c->threads));
    c->seen += n;
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
    *out = (kelvin_convergence){.quantities = c->seen, .chains = c->chains, .draws = c->draws, .rhat_max = -INFINITY};
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
