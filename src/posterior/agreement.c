/* How far chains are apart. Of two predictions p and q of one observation: whether their most likely classes differ,
 * and the total variation, sum_k |p_k - q_k| / 2, which is the largest difference between what they say of any set of
 * classes. Between chains p and q are the means over each one's samples. Within a chain they are single samples half of
 * the chain apart, where samples of a chain that mixes are as different as they become: a yardstick for the first. */
#include "posterior/agreement.h"
#include "base/threads.h"

#include "posterior/lineup.h"
#include "posterior/logits.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

struct pair {
    size_t sample[2];
    double differ, variation; /* sums over observations */
};

struct kelvin_agreeing {
    size_t samples, classes, seen;
    kelvin_pool *pool;
    size_t chains;
    struct kelvin_members *chain; /* (chains) */
    kelvin_agreement found;       /* its arrays: sums over observations, above the diagonal */
    size_t pairs;
    struct pair *within; /* (pairs) */

    size_t room;  /* numbers in `rows` */
    double *rows; /* (chains + 2 pairs, n, classes): means of the samples so far; then the samples in pairs */
    const kelvin_piece *piece; /* at work */
    const double *p;           /* (piece->samples, piece->n, classes) */
};

/* Of equal ones the first. */
static size_t most_likely(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[best]) best = k;
    return best;
}

static void compare(double *differ, double *variation, const double *p, const double *q, size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++, p += classes, q += classes) {
        double apart = 0;
        for (size_t k = 0; k < classes; k++) apart += fabs(p[k] - q[k]);
        *variation += apart / 2;
        *differ += most_likely(p, classes) != most_likely(q, classes);
    }
}

/* ---- who is compared with whom ---- */

/* Leaves some chains, at equal distances. */
static void thin(struct kelvin_agreeing *a)
{
    const size_t all = a->chains;
    if (all <= KELVIN_MOST_COMPARED) return;
    a->chains = KELVIN_MOST_COMPARED;
    for (size_t i = 0; i < a->chains; i++) a->chain[i] = a->chain[kelvin_spaced(i, a->chains, all)];
}

static size_t pairs_of(const struct kelvin_members *chain)
{
    const size_t pairs = chain->n > 1 ? chain->n - chain->n / 2 : 0;
    return pairs < KELVIN_MOST_PAIRS ? pairs : KELVIN_MOST_PAIRS;
}

static void find_pairs(struct kelvin_agreeing *a)
{
    struct pair *pair = a->within;
    for (size_t c = 0; c < a->chains; c++) {
        const struct kelvin_members *chain = &a->chain[c];
        const size_t pairs = pairs_of(chain), half = chain->n / 2;
        for (size_t i = 0; i < pairs; i++) {
            const size_t first = chain->first + kelvin_spaced(i, pairs, chain->n - half);
            *pair++ = (struct pair){.sample = {first, first + half}};
        }
    }
}

kelvin_status kelvin_agreeing_create(struct kelvin_agreeing **out, const uint32_t *chain, size_t samples,
                                     size_t classes, kelvin_pool *pool, kelvin_arena *arena)
{
    struct kelvin_agreeing *a = *out = kelvin_arena_alloc(arena, 1, sizeof *a);
    if (!a) return KELVIN_ENOMEM;
    *a = (struct kelvin_agreeing){.samples = samples, .classes = classes, .pool = pool};
    KELVIN_TRY(kelvin_members_find(&a->chain, &a->chains, chain, samples, arena));
    thin(a);
    for (size_t c = 0; c < a->chains; c++) a->pairs += pairs_of(&a->chain[c]);
    a->found.number = kelvin_arena_alloc(arena, a->chains, sizeof *a->found.number);
    a->found.disagreement = kelvin_arena_alloc(arena, a->chains * a->chains, sizeof *a->found.disagreement);
    a->found.variation = kelvin_arena_alloc(arena, a->chains * a->chains, sizeof *a->found.variation);
    a->within = kelvin_arena_alloc(arena, a->pairs, sizeof *a->within);
    if (!a->found.number || !a->found.disagreement || !a->found.variation || !a->within) return KELVIN_ENOMEM;
    find_pairs(a);
    return KELVIN_OK;
}

void kelvin_agreeing_end(struct kelvin_agreeing *a)
{
    if (a) kelvin_free(a->rows);
}

/* ---- some observations ---- */

static size_t size_of_row(const struct kelvin_agreeing *a)
{
    return a->piece->n * a->classes;
}

static double *row(const struct kelvin_agreeing *a, size_t i)
{
    return a->rows + i * size_of_row(a);
}

/* Probabilities of a sample; NULL: it is not in the piece. */
static const double *of_sample(const struct kelvin_agreeing *a, size_t sample)
{
    const size_t at = sample - a->piece->first_sample; /* very large, if it came before */
    return at < a->piece->samples ? a->p + at * size_of_row(a) : NULL;
}

static kelvin_status average(void *context, size_t c)
{
    struct kelvin_agreeing *a = context;
    const struct kelvin_members *chain = &a->chain[c];
    const size_t size = size_of_row(a);
    double *mean = row(a, c);
    if (a->piece->first_sample == 0) memset(mean, 0, size * sizeof *mean);
    for (size_t s = 0; s < chain->n; s++) {
        const double *p = of_sample(a, chain->first + s);
        for (size_t i = 0; i < size && p; i++) mean[i] += p[i] / (double)chain->n;
    }
    return KELVIN_OK;
}

static kelvin_status keep_samples(void *context, size_t i)
{
    struct kelvin_agreeing *a = context;
    for (size_t k = 0; k < 2; k++) {
        const double *p = of_sample(a, a->within[i].sample[k]);
        if (p) memcpy(row(a, a->chains + 2 * i + k), p, size_of_row(a) * sizeof *p);
    }
    return KELVIN_OK;
}

static kelvin_status compare_chains(void *context, size_t i)
{
    struct kelvin_agreeing *a = context;
    for (size_t j = i + 1, at; j < a->chains; j++) {
        at = i * a->chains + j;
        compare(&a->found.disagreement[at], &a->found.variation[at], row(a, i), row(a, j), a->piece->n, a->classes);
    }
    return KELVIN_OK;
}

static kelvin_status compare_samples(void *context, size_t i)
{
    struct kelvin_agreeing *a = context;
    const size_t first = a->chains + 2 * i;
    compare(&a->within[i].differ, &a->within[i].variation, row(a, first), row(a, first + 1), a->piece->n, a->classes);
    return KELVIN_OK;
}

kelvin_status kelvin_agreeing_add(struct kelvin_agreeing *a, const kelvin_piece *piece, const double *p)
{
    a->piece = piece;
    a->p = p;
    a->rows = kelvin_logits_room(a->rows, &a->room, (a->chains + 2 * a->pairs) * size_of_row(a), sizeof *a->rows);
    if (!a->rows) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_pool_run(a->pool, average, a, a->chains));
    KELVIN_TRY(kelvin_pool_run(a->pool, keep_samples, a, a->pairs));
    if (piece->first_sample + piece->samples < a->samples) return KELVIN_OK;
    KELVIN_TRY(kelvin_pool_run(a->pool, compare_chains, a, a->chains));
    KELVIN_TRY(kelvin_pool_run(a->pool, compare_samples, a, a->pairs));
    a->seen += piece->n;
    return KELVIN_OK;
}

/* ---- all of them ---- */

/* Sums over observations become means over them, on both sides of the diagonal; those over pairs of chains follow. */
static void average_pairs(double *mean, double *largest, double *sums, size_t n, size_t seen)
{
    const double pairs = (double)n * (double)(n - 1) / 2;
    *mean = n > 1 ? 0 : (double)NAN;
    *largest = NAN;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double value = sums[i * n + j] = sums[j * n + i] = sums[i * n + j] / (double)seen;
            *mean += value / pairs;
            *largest = fmax(*largest, value);
        }
}

void kelvin_agreeing_result(kelvin_agreement *out, struct kelvin_agreeing *a)
{
    double differ = 0, variation = 0;
    *out = a->found;
    out->observations = a->seen;
    out->chains = a->chains;
    for (size_t i = 0; i < a->chains; i++) out->number[i] = a->chain[i].number;
    average_pairs(&out->disagreement_mean, &out->disagreement_max, out->disagreement, a->chains, a->seen);
    average_pairs(&out->variation_mean, &out->variation_max, out->variation, a->chains, a->seen);
    for (size_t i = 0; i < a->pairs; i++) {
        differ += a->within[i].differ;
        variation += a->within[i].variation;
    }
    const double compared = (double)a->pairs * (double)a->seen; /* 0 / 0 where there are none: not a number */
    out->within_disagreement = differ / compared;
    out->within_variation = variation / compared;
}
