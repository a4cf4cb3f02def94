/* Rank-normalised diagnostics (Vehtari, Gelman, Simpson, Carpenter, Buerkner: "Rank-normalization, folding, and
 * localization: an improved R-hat", Bayesian Analysis 2021). Every chain is cut into halves, so that a drift within a
 * chain looks like a difference between chains; draws are replaced by the normal scores of their ranks,
 *     z = Phi^-1((r - 3/8) / (S + 1/4)),
 * so that heavy tails do no harm; and |x - median| goes the same way, so that chains of different width are found. */
#include <kelvin/posterior.h>

#include "posterior/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 5 }; /* draws of half a chain in which kelvin_ess looks at a lag at all */

struct ranked {
    double value;
    size_t index;
};

struct kelvin_rank_work {
    size_t given, draws;   /* chains and draws of x */
    size_t chains, n;      /* of the halves */
    double *score;         /* (2 chains n + 1): the score of half a rank, of a whole one, ... */
    double *sorted;        /* (given, draws) */
    double *split;         /* (chains, n); for an odd number of draws the middle one is left out */
    double *scores;        /* (chains, n) */
    double *scratch;       /* (chains, n) */
    struct ranked *ranked; /* chains * n */
};

int kelvin_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b; /* also of structs that begin with a double */
    return (x > y) - (x < y);
}

double kelvin_quantile(const double *sorted, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place;
    const double share = place - (double)below;
    if (share == 0.0 || sorted[below] == sorted[below + 1]) return sorted[below]; /* also where they are infinite */
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}

static void split(struct kelvin_rank_work *w, const double *x)
{
    for (size_t half = 0; half < w->chains; half++) {
        const double *from = x + half / 2 * w->draws + (half % 2 == 0 ? 0 : w->draws - w->n);
        memcpy(w->split + half * w->n, from, w->n * sizeof *from);
    }
}

/* scores = normal scores of the ranks of x; equal values share the mean of their ranks. */
static void normal_scores(struct kelvin_rank_work *w, const double *x)
{
    const size_t size = w->chains * w->n;
    for (size_t i = 0; i < size; i++) w->ranked[i] = (struct ranked){x[i], i};
    qsort(w->ranked, size, sizeof *w->ranked, kelvin_compare);
    for (size_t i = 0, end; i < size; i = end) {
        for (end = i + 1; end < size && w->ranked[end].value == w->ranked[i].value;) end++;
        for (size_t j = i; j < end; j++) w->scores[w->ranked[j].index] = w->score[i + 1 + end];
    }
}

static void rank_rhat_and_bulk(struct kelvin_rank_work *w, double *rhat, double *ess_bulk)
{
    const size_t size = w->chains * w->n;
    normal_scores(w, w->split);
    for (size_t i = 0; i < size; i++) w->sorted[i] = w->ranked[i].value;
    const double location = kelvin_rhat(w->scores, w->chains, w->n);
    if (ess_bulk) *ess_bulk = kelvin_ess(w->scores, w->chains, w->n, w->scratch);

    /* Twice the distance from the median, summed so that the two draws around it tie as they should. */
    const double left = w->ranked[size / 2 - 1].value, right = w->ranked[size / 2].value;
    for (size_t i = 0; i < size; i++) w->scratch[i] = fabs((w->split[i] - left) + (w->split[i] - right));
    normal_scores(w, w->scratch);
    *rhat = fmax(location, kelvin_rhat(w->scores, w->chains, w->n));
}

/* Effective sample size behind the share of draws below a quantile. */
static double ess_below(struct kelvin_rank_work *w, double quantile)
{
    for (size_t i = 0; i < w->chains * w->n; i++) w->scores[i] = w->split[i] <= quantile ? 1.0 : 0.0;
    return kelvin_ess(w->scores, w->chains, w->n, w->scratch);
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
    const size_t size = w->given * w->draws;
    *rhat = NAN;
    if (ess_bulk) *ess_bulk = NAN;
    if (ess_tail) *ess_tail = NAN;
    if (w->draws < 4 || !worth_looking(x, size)) return;
    split(w, x);
    const bool enough = w->n >= LEAST; /* else an effective size would be S log10 S, whatever the draws */
    rank_rhat_and_bulk(w, rhat, enough ? ess_bulk : NULL);
    if (!ess_tail || !enough) return;
    if (w->draws % 2 != 0) { /* else the halves have all draws, and are sorted already */
        memcpy(w->sorted, x, size * sizeof *x);
        qsort(w->sorted, size, sizeof *w->sorted, kelvin_compare);
    }
    /* Where a twentieth of the draws share one extreme value, that side has no tail (NaN): the other one decides. */
    *ess_tail = fmin(ess_below(w, kelvin_quantile(w->sorted, size, 0.05)),
                     ess_below(w, kelvin_quantile(w->sorted, size, 0.95)));
}

kelvin_status kelvin_rank_create(struct kelvin_rank_work **out, size_t chains, size_t draws)
{
    struct kelvin_rank_work *w = *out = kelvin_alloc(1, sizeof *w);
    if (!w) return KELVIN_ENOMEM;
    *w = (struct kelvin_rank_work){.given = chains, .draws = draws, .chains = 2 * chains, .n = draws / 2};
    const size_t size = chains * draws, halves = w->chains * w->n;
    w->score = kelvin_alloc(6 * size + 1, sizeof *w->score);
    w->ranked = kelvin_alloc(size, sizeof *w->ranked);
    if (!w->score || !w->ranked) {
        kelvin_rank_destroy(w);
        *out = NULL;
        return KELVIN_ENOMEM;
    }
    w->sorted = w->score + 2 * size + 1;
    w->split = w->sorted + size;
    w->scores = w->split + size;
    w->scratch = w->scores + size;
    for (size_t i = 2; i <= 2 * halves; i++)
        w->score[i] = kelvin_normal_quantile((0.5 * (double)i - 0.375) / ((double)halves + 0.25));
    return KELVIN_OK;
}

void kelvin_rank_destroy(struct kelvin_rank_work *w)
{
    if (!w) return;
    kelvin_free(w->score);
    kelvin_free(w->ranked);
    kelvin_free(w);
}

kelvin_status kelvin_rank_diagnostics(double *rhat, double *ess_bulk, double *ess_tail, const double *x, size_t chains,
                                      size_t draws)
{
    struct kelvin_rank_work *w;
    KELVIN_TRY(kelvin_rank_create(&w, chains, draws));
    kelvin_rank_run(w, rhat, ess_bulk, ess_tail, x);
    kelvin_rank_destroy(w);
    return KELVIN_OK;
}
