/* Rank-normalised diagnostics (Vehtari, Gelman, Simpson, Carpenter, Buerkner: "Rank-normalization, folding, and
 * localization: an improved R-hat", Bayesian Analysis 2021). Every chain is cut into halves, so that a drift within a
 * chain looks like a difference between chains; draws are replaced by the normal scores of their ranks,
 *     z = Phi^-1((r - 3/8) / (S + 1/4)),
 * so that heavy tails do no harm; and |x - median| goes the same way, so that chains of different width are found. */
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

enum { LEAST = 5 }; /* draws of half a chain in which kelvin_ess looks at a lag at all */

struct kelvin_rank_tables {
    size_t given, draws;            /* chains and draws of x */
    size_t chains, n;               /* of the halves; for an odd number of draws the middle one is left out */
    struct kelvin_fourier *fourier; /* of half a chain; NULL if that is short */
    double score[];                 /* (chains n): of rank 1, 2, ... */
};

struct work {
    const struct kelvin_rank_tables *tables;
    double *values;            /* (given, draws): of x, or of its halves, whatever is looked at */
    uint32_t *order, *scratch; /* (given, draws) each: of values that are being sorted */
    double *lags;              /* of values that are not: kelvin_ess, in the same memory */
};

/* ---- values ---- */

static size_t size_of_halves(const struct work *w)
{
    return w->tables->chains * w->tables->n;
}

/* The values become those of the halves of x. */
static void split(struct work *w, const double *x)
{
    const struct kelvin_rank_tables *t = w->tables;
    for (size_t half = 0; half < t->chains; half++) {
        const double *from = x + half / 2 * t->draws + (half % 2 == 0 ? 0 : t->draws - t->n);
        memcpy(w->values + half * t->n, from, t->n * sizeof *from);
    }
}

static void sort(struct work *w, size_t size)
{
    kelvin_sort_order(w->order, w->scratch, w->values, size);
}

/* kelvin_quantile of values that have an order. */
static double quantile(const struct work *w, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;
    const double pair[] = {w->values[w->order[below]], w->values[w->order[above]]};
    return kelvin_quantile(pair, 2, place - (double)below);
}

static double score_of(double rank, size_t size)
{
    return kelvin_normal_quantile((rank - 0.375) / ((double)size + 0.25));
}

/* R-hat of the halves, whose values have an order and become the normal scores of their ranks; equal ones share the
 * mean of their ranks. */
static double rank_rhat(struct work *w)
{
    const size_t size = size_of_halves(w);
    for (size_t i = 0, end; i < size; i = end) {
        const double value = w->values[w->order[i]];
        for (end = i + 1; end < size && w->values[w->order[end]] == value;) end++;
        const size_t twice = i + 1 + end; /* first and last of their ranks */
        const double score = twice % 2 == 0 ? w->tables->score[twice / 2 - 1] : score_of(0.5 * (double)twice, size);
        for (size_t j = i; j < end; j++) w->values[w->order[j]] = score;
    }
    return kelvin_rhat(w->values, w->tables->chains, w->tables->n);
}

static double ess_of_halves(struct work *w)
{
    return kelvin_ess(w->values, w->tables->chains, w->tables->n, w->tables->fourier, w->lags);
}

/* ---- diagnostics ---- */

/* Of twice the distance from the median, which lies between two draws, summed so that these tie as they should. */
static double folded_rhat(struct work *w, const double *x, double left, double right)
{
    const size_t size = size_of_halves(w);
    split(w, x);
    for (size_t i = 0; i < size; i++) w->values[i] = fabs((w->values[i] - left) + (w->values[i] - right));
    sort(w, size);
    return rank_rhat(w);
}

/* Effective sample size behind the share of draws below a quantile. */
static double ess_below(struct work *w, const double *x, double quantile)
{
    split(w, x);
    for (size_t i = 0; i < size_of_halves(w); i++) w->values[i] = w->values[i] <= quantile ? 1.0 : 0.0;
    return ess_of_halves(w);
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

void kelvin_rank_run(const struct kelvin_rank_tables *t, void *memory, double *rhat, double *ess_bulk, double *ess_tail,
                     const double *x)
{
    const size_t all = t->given * t->draws;
    const bool enough = t->n >= LEAST; /* else an effective size would be S log10 S, whatever the draws */
    struct work w = {.tables = t, .values = memory};
    double low = NAN, high = NAN;
    void *shared = w.values + all;
    w.lags = shared;
    w.order = shared;
    w.scratch = w.order + all;
    *rhat = NAN;
    if (ess_bulk) *ess_bulk = NAN;
    if (ess_tail) *ess_tail = NAN;
    if (t->draws < 4 || !worth_looking(x, all)) return;

    /* Tails are of all draws: where halves have them all, they are sorted but once. */
    const bool odd = t->draws % 2 != 0;
    if (!odd || enough) {
        memcpy(w.values, x, all * sizeof *x);
        sort(&w, all);
        low = quantile(&w, all, 0.05);
        high = quantile(&w, all, 0.95);
    }
    if (odd) {
        split(&w, x);
        sort(&w, size_of_halves(&w));
    }
    const uint32_t *middle = w.order + size_of_halves(&w) / 2;
    const double left = w.values[middle[-1]], right = w.values[middle[0]], location = rank_rhat(&w);
    if (ess_bulk && enough) *ess_bulk = ess_of_halves(&w);
    *rhat = fmax(location, folded_rhat(&w, x, left, right));
    /* Where a twentieth of the draws share one extreme value, that side has no tail (NaN): the other one decides. */
    if (ess_tail && enough) *ess_tail = fmin(ess_below(&w, x, low), ess_below(&w, x, high));
}

/* ---- memory ---- */

kelvin_status kelvin_rank_prepare(struct kelvin_rank_tables **out, size_t chains, size_t draws)
{
    const size_t n = draws / 2, size = 2 * chains * n;
    struct kelvin_fourier *fourier = NULL;
    *out = NULL;
    if (chains > 0 && draws > UINT32_MAX / chains)
        return kelvin_fail(KELVIN_EUSAGE, "%zu chains of %zu draws are more than can be ranked", chains, draws);
    if (n > KELVIN_DIRECT_LAGS) KELVIN_TRY(kelvin_fourier_create(&fourier, n));
    struct kelvin_rank_tables *t = *out = kelvin_alloc(1, sizeof *t + size * sizeof *t->score);
    if (!t) {
        kelvin_free(fourier);
        return KELVIN_ENOMEM;
    }
    *t = (struct kelvin_rank_tables){.given = chains, .draws = draws, .chains = 2 * chains, .n = n, .fourier = fourier};
    for (size_t i = 0; i < size; i++) t->score[i] = score_of((double)(i + 1), size);
    return KELVIN_OK;
}

void kelvin_rank_done(struct kelvin_rank_tables *t)
{
    if (t) kelvin_free(t->fourier);
    kelvin_free(t);
}

/* Values, and what they are sorted by, or transformed in. */
size_t kelvin_rank_bytes(size_t chains, size_t draws)
{
    const size_t n = draws / 2, sorting = 2 * chains * draws * sizeof(uint32_t);
    const size_t lags = n > KELVIN_DIRECT_LAGS ? kelvin_fourier_room(n) * sizeof(double) : 0;
    return (chains * draws + 1) * sizeof(double) + (sorting > lags ? sorting : lags);
}

kelvin_status kelvin_rank_diagnostics(double *rhat, double *ess_bulk, double *ess_tail, const double *x, size_t chains,
                                      size_t draws)
{
    struct kelvin_rank_tables *tables;
    KELVIN_TRY(kelvin_rank_prepare(&tables, chains, draws));
    void *work = kelvin_alloc(1, kelvin_rank_bytes(chains, draws));
    const kelvin_status status = work ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) kelvin_rank_run(tables, work, rhat, ess_bulk, ess_tail, x);
    kelvin_free(work);
    kelvin_rank_done(tables);
    return status;
}
