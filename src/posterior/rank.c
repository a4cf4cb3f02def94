/* Rank-normalised diagnostics (Vehtari, Gelman, Simpson, Carpenter, Buerkner: "Rank-normalization, folding, and
 * localization: an improved R-hat", Bayesian Analysis 2021). Every chain is cut into halves, so that a drift within a
 * chain looks like a difference between chains; draws are replaced by the normal scores of their ranks,
 *     z = Phi^-1((r - 3/8) / (S + 1/4)),
 * so that heavy tails do no harm; and |x - median| goes the same way, so that chains of different width are found. */
#include <kelvin/posterior.h>

#include "posterior/stats.h"

#include <math.h>
#include <string.h>

enum { LEAST = 5 }; /* draws of half a chain in which kelvin_ess looks at a lag at all */

struct kelvin_rank_tables {
    size_t given, draws;            /* chains and draws of x */
    size_t chains, n;               /* of the halves; for an odd number of draws the middle one is left out */
    double *score;                  /* (chains n): of rank 1, 2, ... */
    struct kelvin_fourier *fourier; /* of half a chain; NULL if that is short */
};

struct kelvin_rank_work {
    const struct kelvin_rank_tables *tables;
    double *values;            /* (given, draws): of x, or of its halves, whatever is looked at */
    uint32_t *order, *scratch; /* (given, draws) each: of values that are being sorted */
    double *lags;              /* of values that are not: kelvin_ess, in the same memory */
};

/* The same of values that have an order. */
static double quantile(const struct kelvin_rank_work *w, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;
    const double pair[] = {w->values[w->order[below]], w->values[w->order[above]]};
    return kelvin_quantile(pair, 2, place - (double)below);
}

/* The values become those of the halves of x. */
static void split(struct kelvin_rank_work *w, const double *x)
{
    const struct kelvin_rank_tables *t = w->tables;
    for (size_t half = 0; half < t->chains; half++) {
        const double *from = x + half / 2 * t->draws + (half % 2 == 0 ? 0 : t->draws - t->n);
        memcpy(w->values + half * t->n, from, t->n * sizeof *from);
    }
}

static double score_of(double rank, size_t size)
{
    return kelvin_normal_quantile((rank - 0.375) / ((double)size + 0.25));
}

/* Values that have an order become the normal scores of their ranks; equal ones share the mean of their ranks. */
static void normal_scores(struct kelvin_rank_work *w)
{
    const size_t size = w->tables->chains * w->tables->n;
    for (size_t i = 0, end; i < size; i = end) {
        const double value = w->values[w->order[i]];
        for (end = i + 1; end < size && w->values[w->order[end]] == value;) end++;
        const size_t twice = i + 1 + end; /* first and last of their ranks */
        const double score = twice % 2 == 0 ? w->tables->score[twice / 2 - 1] : score_of(0.5 * (double)twice, size);
        for (size_t j = i; j < end; j++) w->values[w->order[j]] = score;
    }
}

static double rhat_of_values(const struct kelvin_rank_work *w)
{
    return kelvin_rhat(w->values, w->tables->chains, w->tables->n);
}

static double ess_of_values(struct kelvin_rank_work *w)
{
    return kelvin_ess(w->values, w->tables->chains, w->tables->n, w->tables->fourier, w->lags);
}

static void sort(struct kelvin_rank_work *w, size_t size)
{
    kelvin_sort_order(w->order, w->scratch, w->values, size);
}

/* Between which draws a twentieth of all lie below, and above. */
struct tails {
    double low, high;
};

static struct tails tails_of(const struct kelvin_rank_work *w, size_t size)
{
    return (struct tails){quantile(w, size, 0.05), quantile(w, size, 0.95)};
}

/* Tails are of all draws: where halves have them all, they are sorted but once. */
static void rank_rhat_and_bulk(struct kelvin_rank_work *w, double *rhat, double *ess_bulk, struct tails *tails,
                               const double *x)
{
    const size_t size = w->tables->chains * w->tables->n;
    split(w, x);
    sort(w, size);
    if (w->tables->draws % 2 == 0) *tails = tails_of(w, size);
    const double left = w->values[w->order[size / 2 - 1]], right = w->values[w->order[size / 2]];
    normal_scores(w);
    const double location = rhat_of_values(w);
    if (ess_bulk) *ess_bulk = ess_of_values(w);

    /* Twice the distance from the median, summed so that the two draws around it tie as they should. */
    split(w, x);
    for (size_t i = 0; i < size; i++) w->values[i] = fabs((w->values[i] - left) + (w->values[i] - right));
    sort(w, size);
    normal_scores(w);
    *rhat = fmax(location, rhat_of_values(w));
}

/* Effective sample size behind the share of draws below a quantile. */
static double ess_below(struct kelvin_rank_work *w, const double *x, double quantile)
{
    split(w, x);
    for (size_t i = 0; i < w->tables->chains * w->tables->n; i++) w->values[i] = w->values[i] <= quantile ? 1.0 : 0.0;
    return ess_of_values(w);
}

/* All draws are finite, and not all are equal. */
static bool worth_looking(const double *x, size_t size)
{
    bool moved = false;
    for (size_t i = 0; i < size; i++) {
        if (!isfinite(x[i])) return false;
        moved |= x[i] != x[0];
    }
    return moved;
}

void kelvin_rank_run(struct kelvin_rank_work *w, double *rhat, double *ess_bulk, double *ess_tail, const double *x)
{
    const struct kelvin_rank_tables *t = w->tables;
    const size_t size = t->given * t->draws;
    struct tails tails;
    *rhat = NAN;
    if (ess_bulk) *ess_bulk = NAN;
    if (ess_tail) *ess_tail = NAN;
    if (t->draws < 4 || !worth_looking(x, size)) return;
    const bool enough = t->n >= LEAST; /* else an effective size would be S log10 S, whatever the draws */
    if (t->draws % 2 != 0 && ess_tail && enough) {
        memcpy(w->values, x, size * sizeof *x);
        sort(w, size);
        tails = tails_of(w, size);
    }
    rank_rhat_and_bulk(w, rhat, enough ? ess_bulk : NULL, &tails, x);
    if (!ess_tail || !enough) return;
    /* Where a twentieth of the draws share one extreme value, that side has no tail (NaN): the other one decides. */
    *ess_tail = fmin(ess_below(w, x, tails.low), ess_below(w, x, tails.high));
}

/* ---- memory ---- */

static kelvin_status fill(struct kelvin_rank_tables *t)
{
    const size_t size = t->chains * t->n;
    if (!(t->score = kelvin_alloc(size, sizeof *t->score))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < size; i++) t->score[i] = score_of((double)(i + 1), size);
    return t->n > KELVIN_DIRECT_LAGS ? kelvin_fourier_create(&t->fourier, t->n) : KELVIN_OK;
}

kelvin_status kelvin_rank_prepare(struct kelvin_rank_tables **out, size_t chains, size_t draws)
{
    struct kelvin_rank_tables *t = *out = NULL;
    if (chains > 0 && draws > UINT32_MAX / chains)
        return kelvin_fail(KELVIN_EUSAGE, "%zu chains of %zu draws are more than can be ranked", chains, draws);
    if (!(t = kelvin_alloc(1, sizeof *t))) return KELVIN_ENOMEM;
    *t = (struct kelvin_rank_tables){.given = chains, .draws = draws, .chains = 2 * chains, .n = draws / 2};
    const kelvin_status status = fill(t);
    if (status)
        kelvin_rank_done(t);
    else
        *out = t;
    return status;
}

void kelvin_rank_done(struct kelvin_rank_tables *t)
{
    if (!t) return;
    kelvin_fourier_destroy(t->fourier);
    kelvin_free(t->score);
    kelvin_free(t);
}

/* Of what is sorted by, or transformed in. */
static size_t shared_bytes(size_t chains, size_t draws)
{
    const size_t n = draws / 2, sorting = 2 * chains * draws * sizeof(uint32_t);
    const size_t lags = n > KELVIN_DIRECT_LAGS ? kelvin_fourier_room(n) * sizeof(double) : 0;
    return sorting > lags ? sorting : lags;
}

size_t kelvin_rank_bytes(size_t chains, size_t draws)
{
    return sizeof(struct kelvin_rank_work) + chains * draws * sizeof(double) + shared_bytes(chains, draws);
}

kelvin_status kelvin_rank_create(struct kelvin_rank_work **out, const struct kelvin_rank_tables *t)
{
    struct kelvin_rank_work *w = *out = kelvin_alloc(1, sizeof *w);
    if (!w) return KELVIN_ENOMEM;
    w->tables = t;
    w->values = kelvin_alloc(t->given * t->draws, sizeof *w->values);
    void *shared = kelvin_alloc(shared_bytes(t->given, t->draws), 1);
    w->lags = shared;
    w->order = shared;
    if (!w->values || !shared) {
        kelvin_rank_destroy(w);
        *out = NULL;
        return KELVIN_ENOMEM;
    }
    w->scratch = w->order + t->given * t->draws;
    return KELVIN_OK;
}

void kelvin_rank_destroy(struct kelvin_rank_work *w)
{
    if (!w) return;
    kelvin_free(w->values);
    kelvin_free(w->lags);
    kelvin_free(w);
}

kelvin_status kelvin_rank_diagnostics(double *rhat, double *ess_bulk, double *ess_tail, const double *x, size_t chains,
                                      size_t draws)
{
    struct kelvin_rank_tables *tables;
    struct kelvin_rank_work *w;
    KELVIN_TRY(kelvin_rank_prepare(&tables, chains, draws));
    const kelvin_status status = kelvin_rank_create(&w, tables);
    if (!status) kelvin_rank_run(w, rhat, ess_bulk, ess_tail, x);
    kelvin_rank_destroy(w);
    kelvin_rank_done(tables);
    return status;
}
