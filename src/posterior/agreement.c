/* How far chains are apart. Of two predictions p and q of one observation: whether their most likely classes differ,
 * and the total variation, sum_k |p_k - q_k| / 2, which is the largest difference between what they say of any set of
 * classes. Between chains p and q are the means over each one's samples. Within a chain they are single samples half of
 * the chain apart, where samples of a chain that mixes are as different as they become: a yardstick for the first. */
#include "posterior/agreement.h"

#include "posterior/lineup.h"
#include "posterior/score.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

struct gap {
    double differ, variation; /* sums over observations */
};

struct pair {
    size_t a, b;
    struct gap gap;
};

struct kelvin_agreeing {
    size_t samples, classes, seen;
    kelvin_pool *pool;
    size_t chains;
    struct kelvin_members *chain; /* (chains) */
    struct gap *between;          /* (chains, chains), above the diagonal */
    size_t pairs;
    struct pair *within; /* (pairs), of samples */

    size_t room;               /* for so many observations in `mean` and `kept` */
    double *mean;              /* (chains, n, classes), of the samples so far */
    double *kept;              /* (pairs, 2, n, classes), of the samples in pairs */
    const kelvin_piece *piece; /* at work */
    const double *p;           /* (piece->samples, piece->n, classes) */
};

static void compare(struct gap *gap, const double *p, const double *q, size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++, p += classes, q += classes) {
        double apart = 0;
        for (size_t k = 0; k < classes; k++) apart += fabs(p[k] - q[k]);
        gap->variation += apart / 2;
        gap->differ += kelvin_most_likely(p, classes) != kelvin_most_likely(q, classes);
    }
}

/* ---- who is compared with whom ---- */

/* Leaves `most` of n chains, at equal distances. */
static size_t thin(struct kelvin_members *chain, size_t n, size_t most)
{
    if (n <= most) return n;
    for (size_t i = 0; i < most; i++) chain[i] = chain[kelvin_spaced(i, most, n)];
    return most;
}

static size_t pairs_of(const struct kelvin_members *chain)
{
    const size_t pairs = chain->n > 1 ? chain->n - chain->n / 2 : 0;
    return pairs < KELVIN_MOST_PAIRS ? pairs : KELVIN_MOST_PAIRS;
}

static void find_pairs(struct kelvin_agreeing *a)
{
    size_t at = 0;
    for (size_t c = 0; c < a->chains; c++) {
        const struct kelvin_members *chain = &a->chain[c];
        const size_t pairs = pairs_of(chain), half = chain->n / 2;
        for (size_t i = 0; i < pairs; i++) {
            const size_t first = chain->first + kelvin_spaced(i, pairs, chain->n - half);
            a->within[at++] = (struct pair){.a = first, .b = first + half};
        }
    }
}

static kelvin_status find_all(struct kelvin_agreeing *a, const uint32_t *chain)
{
    const size_t all = kelvin_members_find(NULL, chain, a->samples);
    a->chain = kelvin_alloc(all, sizeof *a->chain);
    if (!a->chain) return KELVIN_ENOMEM;
    kelvin_members_find(a->chain, chain, a->samples);
    a->chains = thin(a->chain, all, KELVIN_MOST_COMPARED);
    for (size_t c = 0; c < a->chains; c++) a->pairs += pairs_of(&a->chain[c]);
    a->between = kelvin_alloc(a->chains * a->chains, sizeof *a->between);
    a->within = kelvin_alloc(a->pairs, sizeof *a->within);
    if (!a->between || !a->within) return KELVIN_ENOMEM;
    find_pairs(a);
    return KELVIN_OK;
}

kelvin_status kelvin_agreeing_create(struct kelvin_agreeing **out, const uint32_t *chain, size_t samples,
                                     size_t classes, kelvin_pool *pool)
{
    struct kelvin_agreeing *a = *out = kelvin_alloc(1, sizeof *a);
    if (!a) return KELVIN_ENOMEM;
    *a = (struct kelvin_agreeing){.samples = samples, .classes = classes, .pool = pool};
    const kelvin_status status = find_all(a, chain);
    if (status) {
        kelvin_agreeing_destroy(a);
        *out = NULL;
    }
    return status;
}

void kelvin_agreeing_destroy(struct kelvin_agreeing *a)
{
    if (!a) return;
    kelvin_free(a->chain);
    kelvin_free(a->between);
    kelvin_free(a->within);
    kelvin_free(a->mean);
    kelvin_free(a->kept);
    kelvin_free(a);
}

/* ---- some observations ---- */

static size_t row_of(const struct kelvin_agreeing *a)
{
    return a->piece->n * a->classes;
}

/* Probabilities of a sample; NULL: it is not in the piece. */
static const double *of_sample(const struct kelvin_agreeing *a, size_t sample)
{
    const size_t at = sample - a->piece->first_sample; /* very large, if it came before */
    return at < a->piece->samples ? a->p + at * row_of(a) : NULL;
}

static kelvin_status average(void *context, size_t c)
{
    struct kelvin_agreeing *a = context;
    const struct kelvin_members *chain = &a->chain[c];
    const size_t size = row_of(a);
    double *mean = a->mean + c * size;
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
    const size_t sample[] = {a->within[i].a, a->within[i].b};
    for (size_t k = 0; k < 2; k++) {
        const double *p = of_sample(a, sample[k]);
        if (p) memcpy(a->kept + (2 * i + k) * row_of(a), p, row_of(a) * sizeof *p);
    }
    return KELVIN_OK;
}

static kelvin_status compare_chains(void *context, size_t i)
{
    struct kelvin_agreeing *a = context;
    const size_t size = row_of(a);
    for (size_t j = i + 1; j < a->chains; j++)
        compare(&a->between[i * a->chains + j], a->mean + i * size, a->mean + j * size, a->piece->n, a->classes);
    return KELVIN_OK;
}

static kelvin_status compare_samples(void *context, size_t i)
{
    struct kelvin_agreeing *a = context;
    const double *p = a->kept + 2 * i * row_of(a);
    compare(&a->within[i].gap, p, p + row_of(a), a->piece->n, a->classes);
    return KELVIN_OK;
}

static kelvin_status make_room(struct kelvin_agreeing *a, size_t n)
{
    if (n <= a->room) return KELVIN_OK;
    kelvin_free(a->mean);
    kelvin_free(a->kept);
    a->mean = kelvin_alloc(a->chains * n * a->classes, sizeof *a->mean);
    a->kept = kelvin_alloc(2 * a->pairs * n * a->classes, sizeof *a->kept);
    a->room = a->mean && a->kept ? n : 0;
    return a->room ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_agreeing_add(struct kelvin_agreeing *a, const kelvin_piece *piece, const double *p)
{
    KELVIN_TRY(make_room(a, piece->n));
    a->piece = piece;
    a->p = p;
    KELVIN_TRY(kelvin_pool_run(a->pool, average, a, a->chains));
    KELVIN_TRY(kelvin_pool_run(a->pool, keep_samples, a, a->pairs));
    if (piece->first_sample + piece->samples < a->samples) return KELVIN_OK;
    KELVIN_TRY(kelvin_pool_run(a->pool, compare_chains, a, a->chains));
    KELVIN_TRY(kelvin_pool_run(a->pool, compare_samples, a, a->pairs));
    a->seen += piece->n;
    return KELVIN_OK;
}

/* ---- all of them ---- */

static void sum_up_pairs(kelvin_agreement *out)
{
    const size_t n = out->chains;
    const double pairs = (double)n * (double)(n - 1) / 2;
    out->disagreement_mean = out->variation_mean = n > 1 ? 0 : (double)NAN;
    out->disagreement_max = out->variation_max = NAN;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            out->disagreement_mean += out->disagreement[i * n + j] / pairs;
            out->variation_mean += out->variation[i * n + j] / pairs;
            out->disagreement_max = fmax(out->disagreement_max, out->disagreement[i * n + j]);
            out->variation_max = fmax(out->variation_max, out->variation[i * n + j]);
        }
    }
}

static void sum_up_within(kelvin_agreement *out, const struct kelvin_agreeing *a)
{
    struct gap sum = {0};
    for (size_t i = 0; i < a->pairs; i++) {
        sum.differ += a->within[i].gap.differ;
        sum.variation += a->within[i].gap.variation;
    }
    const double compared = (double)a->pairs * (double)a->seen; /* 0 / 0 where there are none: not a number */
    out->within_disagreement = sum.differ / compared;
    out->within_variation = sum.variation / compared;
}

kelvin_status kelvin_agreeing_result(kelvin_agreement *out, const struct kelvin_agreeing *a, kelvin_arena *arena)
{
    const size_t n = a->chains;
    *out = (kelvin_agreement){.observations = a->seen, .chains = n};
    out->number = kelvin_arena_alloc(arena, n, sizeof *out->number);
    out->disagreement = kelvin_arena_alloc(arena, n * n, sizeof *out->disagreement);
    out->variation = kelvin_arena_alloc(arena, n * n, sizeof *out->variation);
    if (!out->number || !out->disagreement || !out->variation) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        out->number[i] = a->chain[i].number;
        for (size_t j = i + 1; j < n; j++) {
            const struct gap *gap = &a->between[i * n + j];
            out->disagreement[i * n + j] = out->disagreement[j * n + i] = gap->differ / (double)a->seen;
            out->variation[i * n + j] = out->variation[j * n + i] = gap->variation / (double)a->seen;
        }
    }
    sum_up_pairs(out);
    sum_up_within(out, a);
    return KELVIN_OK;
}
