/* A tile of observations under evaluation: every sample's probabilities and its score; then every ensemble's. */
#include "posterior/evaluate.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

enum { AT_ONCE = 16 }; /* samples that are added together: their rows are still near */

/* ---- memory ---- */

static size_t row_of(const struct kelvin_evaluation *e)
{
    return (e->classes + 1) * KELVIN_TILE;
}

kelvin_status kelvin_bench_create(struct kelvin_bench *b, const struct kelvin_evaluation *e)
{
    const size_t rows = e->singles + AT_ONCE;
    const bool enough = (b->rows = kelvin_arena_alloc(e->arena, rows * row_of(e), sizeof *b->rows)) &&
                        (b->log_p = kelvin_arena_alloc(e->arena, e->singles * KELVIN_TILE, sizeof *b->log_p)) &&
                        (b->all = kelvin_arena_alloc(e->arena, row_of(e), sizeof *b->all)) &&
                        (b->sum = kelvin_arena_alloc(e->arena, row_of(e), sizeof *b->sum)) &&
                        (b->p = kelvin_arena_alloc(e->arena, e->classes, sizeof *b->p));
    return enough ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- scores ---- */

/* For metrics that look at each observation by themselves. sum (classes, KELVIN_TILE), of m samples. */
static void enter_own(struct kelvin_evaluation *e, struct kelvin_bench *b, size_t score, const double *sum, size_t m,
                      const double *log_p, const double *entropy, const double *aleatoric)
{
    const struct kelvin_own *own = &e->own;
    double *at = own->part + (b->tile * e->scores + score) * own->n;
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < e->classes; k++) b->p[k] = sum[k * KELVIN_TILE + i] / (double)m;
        const struct kelvin_prediction seen = {.classes = e->classes,
                                               .label = (size_t)e->piece.y[b->first + i],
                                               .p = b->p,
                                               .log_p = log_p[i],
                                               .predicted = (size_t)b->appraisal.top[i],
                                               .confidence = b->appraisal.confidence[i],
                                               .entropy = entropy[i],
                                               .aleatoric = aleatoric[i]};
        for (size_t j = 0; j < own->n; j++) at[j] += own->type[j]->of_one(&seen);
    }
}

/* sum (classes, KELVIN_TILE): the probabilities of m samples, of which the bench has the appraisal. */
static void enter(struct kelvin_evaluation *e, struct kelvin_bench *b, size_t score, const double *sum, size_t m,
                  const double *log_p, const double *entropy, const double *aleatoric)
{
    if (e->own.n > 0) enter_own(e, b, score, sum, m, log_p, entropy, aleatoric);
    struct kelvin_sums *at = &e->part[b->tile * e->scores + score], s = *at;
    uint64_t *key = e->keys->key + score * e->keys->n + b->first;
    const struct appraisal *a = &b->appraisal;
    for (size_t i = 0; i < b->count; i++) {
        const double epistemic = entropy[i] - aleatoric[i];
        s.log_likelihood += log_p[i];
        s.brier += a->brier[i];
        s.entropy += entropy[i];
        s.aleatoric += aleatoric[i];
        s.epistemic += epistemic > 0 ? epistemic : 0;
        key[i] = kelvin_calibration_key(a->confidence[i], a->top[i] == b->label[i]);
    }
    *at = s;
}

/* Asks memory for floats that will be wanted soon: those of the next sample are elsewhere. */
static void announce(const float *z, size_t n)
{
    for (size_t i = 0; i < n; i += 16) __builtin_prefetch(z + i);
}

static const double *of_label(const struct kelvin_evaluation *e, const struct kelvin_bench *b, const double *row,
                              size_t i)
{
    return row + (size_t)e->piece.y[b->first + i] * KELVIN_TILE + i;
}

/* Unless a sample gives so much to the label, by its probabilities p, that the mean of all is a double. */
static void remember_small(struct kelvin_evaluation *e, struct kelvin_bench *b, const double *p, const double *log_p)
{
    const double enough = e->samples > 1 ? 2 * KELVIN_LEAST_P * (double)e->samples : INFINITY;
    for (size_t i = 0; i < b->count; i++) {
        if (*of_label(e, b, p, i) > enough) continue;
        const double larger = fmax(b->largest[i], log_p[i]);
        b->rest[i] = b->rest[i] * exp(b->largest[i] - larger) + exp(log_p[i] - larger);
        b->largest[i] = larger;
    }
}

/* Number s of the piece; its row is that of the single sample that it is, or the spare one. */
static uint32_t score_sample(struct kelvin_evaluation *e, struct kelvin_bench *b, size_t s, size_t spare)
{
    const float *z = e->piece.z + (s * e->piece.n + b->first) * e->classes;
    const size_t number = e->piece.first_sample + s;
    const size_t single = kelvin_spaced_from(number, e->singles, e->samples);
    const bool is_single = single < e->singles && kelvin_spaced(single, e->singles, e->samples) == number;
    const size_t row = is_single ? single : e->singles + spare;
    double *p = b->rows + row * row_of(e), *h = p + e->classes * KELVIN_TILE;
    double log_sum[KELVIN_TILE], log_p[KELVIN_TILE];
    announce(z + e->piece.n * e->classes, s + 1 < e->piece.samples ? b->count * e->classes : 0);
    e->kernels->softmax_double(p, log_sum, h, z, b->count, e->classes);
    if (!e->labelled) return (uint32_t)row;
    for (size_t i = 0; i < b->count; i++)
        log_p[i] = (double)z[i * e->classes + (size_t)e->piece.y[b->first + i]] - log_sum[i];
    remember_small(e, b, p, log_p);
    if (!is_single) return (uint32_t)row;
    memcpy(b->log_p + single * KELVIN_TILE, log_p, b->count * sizeof *log_p);
    e->kernels->appraise(&b->appraisal, p, 1, b->label, e->classes);
    enter(e, b, single, p, 1, log_p, h, h);
    return (uint32_t)row;
}

static void score_samples(struct kelvin_evaluation *e, struct kelvin_bench *b)
{
    for (size_t first = 0, m; first < e->piece.samples; first += m) {
        uint32_t row[AT_ONCE];
        m = e->piece.samples - first < AT_ONCE ? e->piece.samples - first : AT_ONCE;
        for (size_t j = 0; j < m; j++) row[j] = score_sample(e, b, first + j, j);
        e->kernels->add_rows(b->all, b->rows, row, m, row_of(e));
    }
}

/* ---- ensembles ---- */

/* log( 1/m sum exp log_p ) over the first m of a walk, of the i-th observation of the tile. */
static double log_mean(const struct kelvin_bench *b, const uint32_t *order, size_t m, size_t i)
{
    double largest = -INFINITY, sum = 0;
    if (!order) return b->largest[i] + log(b->rest[i] / (double)m);
    for (size_t j = 0; j < m; j++) largest = fmax(largest, b->log_p[order[j] * KELVIN_TILE + i]);
    for (size_t j = 0; j < m; j++) sum += exp(b->log_p[order[j] * KELVIN_TILE + i] - largest);
    return largest + log(sum / (double)m);
}

/* What the first m of a walk say together. One sample alone is itself, to the last bit. */
static void predict(double aleatoric[KELVIN_TILE], const struct kelvin_evaluation *e, struct kelvin_bench *b,
                    const uint32_t *order, size_t m)
{
    struct appraisal *a = &b->appraisal;
    e->kernels->appraise(a, b->sum, m, b->label, e->classes);
    for (size_t i = 0; i < KELVIN_TILE; i++) aleatoric[i] = b->sum[e->classes * KELVIN_TILE + i] / (double)m;
    if (m == 1) memcpy(a->entropy, aleatoric, sizeof a->entropy);
    for (size_t i = 0; i < b->count && e->labelled; i++) {
        const double p = *of_label(e, b, b->sum, i) / (double)m;
        if (m == 1 || !(p > KELVIN_LEAST_P)) a->log_p[i] = log_mean(b, order, m, i);
    }
}

static void give_verdicts(struct kelvin_evaluation *e, const struct kelvin_bench *b, const double *aleatoric)
{
    const struct appraisal *a = &b->appraisal;
    for (size_t i = 0; i < b->count; i++) {
        const size_t at = b->first + i;
        double *p = e->p + at * e->classes;
        for (size_t k = 0; k < e->classes; k++) p[k] = b->sum[k * KELVIN_TILE + i] / (double)e->samples;
        e->verdict[at] = (kelvin_verdict){.index = e->piece.first + at,
                                          .label = e->piece.y ? e->piece.y[at] : -1,
                                          .predicted = (int32_t)a->top[i],
                                          .p = p,
                                          .confidence = a->confidence[i],
                                          .entropy = a->entropy[i],
                                          .aleatoric = aleatoric[i],
                                          .epistemic = fmax(a->entropy[i] - aleatoric[i], 0),
                                          .name = e->piece.name ? e->piece.name[at] : NULL,
                                          .last = at + 1 == e->piece.n};
    }
}

static void score_walk(struct kelvin_evaluation *e, struct kelvin_bench *b, size_t w)
{
    const struct kelvin_walk *walk = &e->walk[w];
    const double *first = walk->order ? b->rows + walk->order[0] * row_of(e) : b->all;
    memcpy(b->sum, first, row_of(e) * sizeof *b->sum);
    for (size_t stop = 0, m = 1; stop < walk->stops; m = walk->stop[stop++]) {
        double aleatoric[KELVIN_TILE];
        if (walk->order) e->kernels->add_rows(b->sum, b->rows, walk->order + m, walk->stop[stop] - m, row_of(e));
        predict(aleatoric, e, b, walk->order, walk->stop[stop]);
        if (w == 0 && e->verdict) give_verdicts(e, b, aleatoric);
        if (e->labelled)
            enter(e, b, walk->score + stop, b->sum, walk->stop[stop], b->appraisal.log_p, b->appraisal.entropy,
                  aleatoric);
    }
}

static void begin_tile(const struct kelvin_evaluation *e, struct kelvin_bench *b, size_t tile)
{
    const size_t before = e->n % KELVIN_TILE, end = (tile + 1) * KELVIN_TILE - before;
    b->tile = tile;
    b->first = tile > 0 ? tile * KELVIN_TILE - before : 0;
    b->count = (end < e->piece.n ? end : e->piece.n) - b->first;
    for (size_t i = 0; i < KELVIN_TILE; i++)
        b->label[i] = e->labelled && i < b->count ? (double)e->piece.y[b->first + i] : -1;
    memset(b->all, 0, row_of(e) * sizeof *b->all);
    for (size_t i = 0; i < KELVIN_TILE; i++) b->largest[i] = -INFINITY, b->rest[i] = 0;
}

void kelvin_score_tile(struct kelvin_evaluation *e, struct kelvin_bench *b, size_t tile)
{
    if (e->piece.first_sample == 0) begin_tile(e, b, tile);
    score_samples(e, b);
    if (!kelvin_piece_is_last(e)) return;
    for (size_t w = 0; w < e->walks; w++) score_walk(e, b, w);
}
