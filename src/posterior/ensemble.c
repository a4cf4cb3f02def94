/* What samples say together and one by one: accuracy, confidence, log-likelihood. The posterior predictive of M samples
 * is
 *
 *     log p(k | x) = log( 1/M  sum over samples of softmax(logits)_k ),
 *
 * for the label by log-sum-exp over samples, so that no probability is too small. One pass over the file: for a chunk
 * of observations the logits of all samples are read, then each observation is scored by every sample and by every set
 * of samples: all of them, and the random subsets that give the error bars. */
#include <kelvin/posterior.h>

#include "base/files.h"
#include "data/npy.h"
#include "posterior/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SUBSET = 8, /* samples make a posterior of the paper */
    SUBSETS = 100,
    HEAD = 4096,            /* bytes in which a header must be; ours have 128 */
    CHUNK_FLOATS = 1 << 18, /* read at a time, unless one observation has more */
    SETS = 1 + SUBSETS,
};

/* What was said of the observations so far. */
struct score {
    size_t hits;
    double confidence, log_likelihood; /* sums */
};

struct ensemble {
    const char *path;
    const int32_t *y;
    const uint32_t *chain; /* (samples), that they are of, in order; NULL: each of its own */
    size_t n, classes, samples, sets, data_at;
    size_t chunk;             /* observations at a time */
    uint32_t *order;          /* (sets, samples): a set's members come first; set 0 has all of them */
    float *logits;            /* (samples, chunk, classes) */
    double *p, *log_p, *mean; /* of one observation: (samples, classes); of its label (samples); (classes) */
    struct score *single;     /* (samples) */
    struct score set[SETS];
};

/* ---- the file ---- */

static kelvin_status read_head(struct ensemble *e)
{
    unsigned char head[HEAD];
    size_t bytes;
    struct npy array;
    KELVIN_TRY(kelvin_file_size(&bytes, e->path));
    const size_t used = bytes < HEAD ? bytes : HEAD;
    KELVIN_TRY(kelvin_file_read_part(head, e->path, 0, used));
    KELVIN_TRY(npy_parse_head(&array, &e->data_at, head, used, bytes, e->path));
    if (array.kind != 'f' || array.item != sizeof(float) || array.big_endian || array.fortran)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %s%c%zu%s; expected logits as <f4 in C order", e->path,
                           array.big_endian ? ">" : "<", array.kind, array.item,
                           array.fortran ? " in Fortran order" : "");
    if (array.axes != 3 || array.shape[1] != e->n || array.shape[2] != e->classes || array.shape[0] > UINT32_MAX)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: shape is %s; expected (samples, %zu, %zu) for %zu observations of %zu classes", e->path,
                           npy_shape_text(&array).text, e->n, e->classes, e->n, e->classes);
    e->samples = array.shape[0];
    return KELVIN_OK;
}

/* Logits of `count` observations from `first` on, of all samples: (samples, count, classes). */
static kelvin_status read_chunk(struct ensemble *e, size_t first, size_t count)
{
    const size_t floats = count * e->classes;
    for (size_t s = 0; s < e->samples; s++) {
        float *to = e->logits + s * floats;
        const size_t from = e->data_at + (s * e->n + first) * e->classes * sizeof *to;
        KELVIN_TRY(kelvin_file_read_part(to, e->path, from, floats * sizeof *to));
        for (size_t i = 0; i < floats; i++)
            if (!isfinite(to[i]))
                return kelvin_fail(KELVIN_EFORMAT,
                                   "%s: sample %zu, observation %zu, class %zu: is %g; expected a number", e->path, s,
                                   first + i / e->classes, i % e->classes, (double)to[i]);
    }
    return KELVIN_OK;
}

/* ---- one observation ---- */

/* The prediction p with its label's log-probability. */
static void add(struct score *score, const double *p, double log_p, size_t label, size_t classes)
{
    size_t largest = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[k] > p[largest]) largest = k;
    score->hits += largest == label;
    score->confidence += p[largest];
    score->log_likelihood += log_p;
}

/* log( 1/m sum exp log_p ) over the members. */
static double log_mean(const double *log_p, const uint32_t *members, size_t m)
{
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i < m; i++) largest = fmax(largest, log_p[members[i]]);
    for (size_t i = 0; i < m; i++) sum += exp(log_p[members[i]] - largest);
    return largest + log(sum / (double)m);
}

static void score_set(struct ensemble *e, size_t set, size_t label)
{
    const uint32_t *members = e->order + set * e->samples;
    const size_t m = set == 0 ? e->samples : SUBSET;
    for (size_t k = 0; k < e->classes; k++) e->mean[k] = 0;
    for (size_t i = 0; i < m; i++) {
        const double *p = e->p + members[i] * e->classes;
        for (size_t k = 0; k < e->classes; k++) e->mean[k] += p[k];
    }
    for (size_t k = 0; k < e->classes; k++) e->mean[k] /= (double)m;
    add(&e->set[set], e->mean, log_mean(e->log_p, members, m), label, e->classes);
}

/* The i-th of `count` observations in the chunk. */
static void score_observation(struct ensemble *e, size_t i, size_t count, size_t label)
{
    for (size_t s = 0; s < e->samples; s++) {
        const float *z = e->logits + (s * count + i) * e->classes;
        double *p = e->p + s * e->classes;
        const double normaliser = kelvin_log_sum_exp(z, e->classes);
        for (size_t k = 0; k < e->classes; k++) p[k] = exp((double)z[k] - normaliser);
        e->log_p[s] = (double)z[label] - normaliser;
        add(&e->single[s], p, e->log_p[s], label, e->classes);
    }
    for (size_t set = 0; set < e->sets; set++) score_set(e, set, label);
}

/* ---- all of them ---- */

/* Which samples are in which set. A set's order is a permutation: the members are its head. */
static void choose_sets(struct ensemble *e)
{
    for (uint32_t s = 0; s < e->samples; s++) e->order[s] = s;
    for (uint32_t set = 1; set < e->sets; set++)
        kelvin_permutation(e->order + set * e->samples, (uint32_t)e->samples,
                           (kelvin_random){.step = set - 1, .stream = KELVIN_STREAM_USER});
}

static kelvin_status allocate(struct ensemble *e, kelvin_arena *arena)
{
    const size_t row = e->samples * e->classes; /* no overflow: the file has so many numbers */
    e->chunk = row < CHUNK_FLOATS ? CHUNK_FLOATS / row : 1;
    if (e->chunk > e->n) e->chunk = e->n;
    if (!(e->order = kelvin_arena_alloc(arena, e->sets * e->samples, sizeof *e->order)) ||
        !(e->logits = kelvin_arena_alloc(arena, e->chunk * row, sizeof *e->logits)) ||
        !(e->p = kelvin_arena_alloc(arena, row, sizeof *e->p)) ||
        !(e->log_p = kelvin_arena_alloc(arena, e->samples, sizeof *e->log_p)) ||
        !(e->mean = kelvin_arena_alloc(arena, e->classes, sizeof *e->mean)) ||
        !(e->single = kelvin_arena_alloc(arena, e->samples, sizeof *e->single)))
        return KELVIN_ENOMEM;
    return KELVIN_OK;
}

/* ---- what the scores come to ---- */

static double accuracy_of(const struct score *score, size_t n)
{
    return (double)score->hits / (double)n;
}

static double confidence_of(const struct score *score, size_t n)
{
    return score->confidence / (double)n;
}

static double log_likelihood_of(const struct score *score, size_t n)
{
    (void)n;
    return score->log_likelihood;
}

static double mean_log_likelihood_of(const struct score *score, size_t n)
{
    return score->log_likelihood / (double)n;
}

typedef double measure(const struct score *score, size_t n);

/* The next sample of another chain. */
static size_t end_of_chain(const struct ensemble *e, size_t s)
{
    const size_t first = s++;
    while (e->chain && s < e->samples && e->chain[s] == e->chain[first]) s++;
    return s;
}

static size_t count_chains(const struct ensemble *e)
{
    size_t chains = 0;
    for (size_t s = 0; s < e->samples; s = end_of_chain(e, s)) chains++;
    return chains;
}

/* Chains are independent, samples of one chain are not: the error is that of the chains' means. `scratch` holds one
 * number per sample; a chain's mean takes the place of numbers that are no longer needed. */
static kelvin_average average(const struct ensemble *e, measure *of, double *scratch)
{
    for (size_t s = 0; s < e->samples; s++) scratch[s] = of(&e->single[s], e->n);
    const double mean = kelvin_averaged(scratch, e->samples).mean;
    size_t chains = 0;
    for (size_t s = 0, end; s < e->samples; s = end) {
        end = end_of_chain(e, s);
        scratch[chains++] = kelvin_mean(scratch + s, end - s);
    }
    return (kelvin_average){mean, kelvin_averaged(scratch, chains).error};
}

static kelvin_percentiles percentiles(const struct ensemble *e, measure *of)
{
    double x[SUBSETS];
    if (e->sets == 1) return (kelvin_percentiles){(double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < SUBSETS; i++) x[i] = of(&e->set[1 + i], e->n);
    qsort(x, SUBSETS, sizeof *x, kelvin_compare);
    return (kelvin_percentiles){kelvin_quantile(x, SUBSETS, 0.1), kelvin_quantile(x, SUBSETS, 0.5),
                                kelvin_quantile(x, SUBSETS, 0.9)};
}

static void conclude(kelvin_old_metrics *out, const struct ensemble *e)
{
    *out = (kelvin_old_metrics){.samples = e->samples, .chains = count_chains(e), .n = e->n};
    out->single.accuracy = average(e, accuracy_of, e->log_p);
    out->single.confidence = average(e, confidence_of, e->log_p);
    out->single.log_likelihood = average(e, mean_log_likelihood_of, e->log_p);
    out->ensemble.accuracy = accuracy_of(&e->set[0], e->n);
    out->ensemble.confidence = confidence_of(&e->set[0], e->n);
    out->ensemble.log_likelihood = log_likelihood_of(&e->set[0], e->n);
    out->subsets = e->sets - 1;
    out->subset = e->sets > 1 ? SUBSET : 0;
    out->spread.accuracy = percentiles(e, accuracy_of);
    out->spread.confidence = percentiles(e, confidence_of);
    out->spread.log_likelihood = percentiles(e, log_likelihood_of);
}

static kelvin_status evaluate(struct ensemble *e, kelvin_arena *arena)
{
    KELVIN_TRY(allocate(e, arena));
    choose_sets(e);
    for (size_t first = 0; first < e->n; first += e->chunk) {
        const size_t count = e->n - first < e->chunk ? e->n - first : e->chunk;
        KELVIN_TRY(read_chunk(e, first, count));
        for (size_t i = 0; i < count; i++) score_observation(e, i, count, (size_t)e->y[first + i]);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_ensemble_of_chains(kelvin_old_metrics *out, const char *path, const int32_t *y,
                                        const uint32_t *chain, size_t samples, size_t n, size_t classes)
{
    struct ensemble e = {.path = path, .y = y, .chain = chain, .n = n, .classes = classes};
    kelvin_arena *arena;
    if (n == 0) return kelvin_fail(KELVIN_EUSAGE, "%s: no observations to evaluate; expected at least one", path);
    for (size_t i = 0; i < n; i++)
        if (y[i] < 0 || (size_t)y[i] >= classes)
            return kelvin_fail(KELVIN_EUSAGE, "label %zu is %d; expected 0 .. %zu", i, (int)y[i], classes - 1);
    KELVIN_TRY(read_head(&e));
    if (chain && e.samples != samples)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu samples; expected %zu, as the chains have", path, e.samples,
                           samples);
    e.sets = e.samples > SUBSET ? SETS : 1;
    KELVIN_TRY(kelvin_arena_create(&arena));
    const kelvin_status status = evaluate(&e, arena);
    if (!status) conclude(out, &e);
    kelvin_arena_destroy(arena);
    return status;
}

kelvin_status kelvin_ensemble_evaluate(kelvin_old_metrics *out, const char *path, const int32_t *y, size_t n,
                                       size_t classes)
{
    return kelvin_ensemble_of_chains(out, path, y, NULL, 0, n, classes);
}
