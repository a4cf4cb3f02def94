/* What samples say one by one and together. The posterior predictive of M samples is
 *
 *     log p(k | x) = log( 1/M  sum over samples of softmax(logits)_k ),
 *
 * by log-sum-exp over samples where doubles cannot hold p. Its entropy H is what there is of doubt; the mean over
 * samples of their entropies is in the data (aleatoric), the rest, the mutual information of prediction and sample, in
 * the model (epistemic).
 *
 * One pass over the logits, a block of observations at a time, in two stages that threads share: every sample's
 * probabilities and its score; then every ensemble's score. Each score belongs to one task, which adds observations in
 * their order: the bits do not depend on the threads.
 *
 * Memory: some MB for a block, and 8 bytes for each observation and score, for calibration errors of equal mass. */
#include "posterior/evaluate.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 2 << 20 }; /* of probabilities: they stay in the cache between the stages */

/* Sums of probabilities above this have all their digits; below it logarithms are added. */
static const double least = 1e-280;

/* ---- stage 1: a sample ---- */

/* p (classes) of logits z, and the entropy; returns log sum exp z.
 * H = log sum exp(z - m) - sum p (z - m): finite and not negative for any finite z. */
static double softmax(double *restrict p, double *entropy, const float *restrict z, size_t classes)
{
    float largest = z[0];
    double sum = 0, dot = 0;
    for (size_t k = 1; k < classes; k++) largest = z[k] > largest ? z[k] : largest;
    for (size_t k = 0; k < classes; k++) {
        const double below = (double)z[k] - (double)largest;
        p[k] = exp(below);
        sum += p[k];
        dot += p[k] * below;
    }
    for (size_t k = 0; k < classes; k++) p[k] /= sum;
    const double log_sum = log(sum);
    *entropy = log_sum - dot / sum;
    return (double)largest + log_sum;
}

static uint64_t *keys_of(const struct kelvin_evaluation *e, size_t score)
{
    return e->keys->key + score * e->keys->n + e->first;
}

static kelvin_status sample_task(void *context, size_t s)
{
    struct kelvin_evaluation *e = context;
    const float *z = e->piece.z + (s * e->piece.n + e->first) * e->classes;
    double *p = e->p + s * e->most * e->classes, *log_p = e->log_p + s * e->most, *h = e->h + s * e->most;
    for (size_t i = 0; i < e->count; i++, z += e->classes, p += e->classes) {
        const double normaliser = softmax(p, &h[i], z, e->classes);
        if (!e->labelled) continue;
        const size_t label = (size_t)e->piece.y[e->first + i];
        log_p[i] = (double)z[label] - normaliser;
        const struct kelvin_prediction prediction = {.p = p, .log_p = log_p[i], .entropy = h[i], .aleatoric = h[i]};
        keys_of(e, s)[i] = kelvin_score_add(&e->score[s], &prediction, label, e->classes, e->bins);
    }
    return KELVIN_OK;
}

/* ---- stage 2: ensembles ---- */

/* log( 1/m sum exp log_p ) over the first m of a walk, of the i-th observation of the block. */
static double log_mean(const struct kelvin_evaluation *e, const uint32_t *order, size_t m, size_t i)
{
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < m; j++) largest = fmax(largest, e->log_p[order[j] * e->most + i]);
    for (size_t j = 0; j < m; j++) sum += exp(e->log_p[order[j] * e->most + i] - largest);
    return largest + log(sum / (double)m);
}

/* -sum p log p, where p too small for doubles adds nothing. */
static double entropy_of(const double *p, size_t classes)
{
    double h = 0;
    for (size_t k = 0; k < classes; k++)
        if (p[k] > least) h -= p[k] * log(p[k]);
    return h;
}

/* What the first m of a walk say together of the i-th observation. One sample alone is itself, to the last bit. */
static struct kelvin_prediction predict(const struct kelvin_evaluation *e, size_t w, size_t m, size_t i)
{
    const uint32_t *order = e->walk[w].order;
    const size_t at = w * e->most + i, K = e->classes;
    double *mean = e->mean + at * K;
    struct kelvin_prediction out = {.p = mean, .aleatoric = e->sum_h[at] / (double)m};
    for (size_t k = 0; k < K; k++) mean[k] = e->sum[at * K + k] / (double)m;
    out.entropy = m == 1 ? out.aleatoric : entropy_of(mean, K);
    out.epistemic = fmax(out.entropy - out.aleatoric, 0);
    if (!e->labelled) return out;
    const size_t label = (size_t)e->piece.y[e->first + i];
    if (m == 1)
        out.log_p = e->log_p[order[0] * e->most + i];
    else
        out.log_p = mean[label] > least ? log(mean[label]) : log_mean(e, order, m, i);
    return out;
}

static kelvin_verdict verdict_of(const struct kelvin_evaluation *e, const struct kelvin_prediction *of, size_t i)
{
    const size_t best = kelvin_most_likely(of->p, e->classes), at = e->first + i;
    return (kelvin_verdict){.index = e->piece.first + at,
                            .label = e->piece.y ? e->piece.y[at] : -1,
                            .predicted = (int32_t)best,
                            .p = of->p,
                            .confidence = of->p[best],
                            .entropy = of->entropy,
                            .aleatoric = of->aleatoric,
                            .epistemic = of->epistemic,
                            .name = e->piece.name ? e->piece.name[at] : NULL,
                            .last = at + 1 == e->piece.n};
}

static void stop(struct kelvin_evaluation *e, size_t w, size_t m, size_t score)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct kelvin_prediction prediction = predict(e, w, m, i);
        if (w == 0) e->verdict[i] = verdict_of(e, &prediction, i);
        if (e->labelled)
            keys_of(e, score)[i] =
                kelvin_score_add(&e->score[score], &prediction, (size_t)e->piece.y[e->first + i], e->classes, e->bins);
    }
}

static void add(double *restrict to, const double *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

static kelvin_status walk_task(void *context, size_t w)
{
    struct kelvin_evaluation *e = context;
    const struct kelvin_walk *walk = &e->walk[w];
    double *sum = e->sum + w * e->most * e->classes, *sum_h = e->sum_h + w * e->most;
    memset(sum, 0, e->count * e->classes * sizeof *sum);
    memset(sum_h, 0, e->count * sizeof *sum_h);
    for (size_t m = 0, stops = 0; stops < walk->stops;) {
        const size_t s = walk->order[m++];
        add(sum, e->p + s * e->most * e->classes, e->count * e->classes);
        add(sum_h, e->h + s * e->most, e->count);
        if (m == walk->stop[stops]) stop(e, w, m, walk->score + stops++);
    }
    return KELVIN_OK;
}

/* ---- all of them ---- */

static kelvin_status check_labels(const struct kelvin_evaluation *e)
{
    const kelvin_piece *piece = &e->piece;
    for (size_t i = 0; i < piece->n && e->labelled; i++) {
        const int32_t label = piece->y ? piece->y[i] : -1;
        if (label < 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: observation %zu has no label; expected one of each",
                               e->logits->name, piece->first + i);
        if ((size_t)label >= e->classes)
            return kelvin_fail(KELVIN_EFORMAT, "%s: the label of observation %zu is %d; expected 0 .. %zu",
                               e->logits->name, piece->first + i, (int)label, e->classes - 1);
    }
    return KELVIN_OK;
}

static kelvin_status begin_piece(struct kelvin_evaluation *e)
{
    KELVIN_TRY(check_labels(e));
    if (!e->labelled) return KELVIN_OK;
    struct kelvin_keys *keys = kelvin_alloc(1, sizeof *keys + e->scores * e->piece.n * sizeof *keys->key);
    if (!keys) return KELVIN_ENOMEM;
    keys->before = e->keys;
    keys->n = e->piece.n;
    e->keys = keys;
    return KELVIN_OK;
}

static kelvin_status block(struct kelvin_evaluation *e, kelvin_verdict_watch *watch, void *context)
{
    KELVIN_TRY(kelvin_pool_run(e->pool, sample_task, e, e->samples));
    KELVIN_TRY(kelvin_pool_run(e->pool, walk_task, e, e->walks));
    for (size_t i = 0; i < e->count && watch; i++) KELVIN_TRY(watch(context, &e->verdict[i]));
    return KELVIN_OK;
}

static kelvin_status read_all(struct kelvin_evaluation *e, kelvin_verdict_watch *watch, void *context)
{
    for (;;) {
        KELVIN_TRY(kelvin_logits_next(e->logits, &e->piece));
        if (e->piece.n == 0) return KELVIN_OK;
        KELVIN_TRY(begin_piece(e));
        for (e->first = 0; e->first < e->piece.n; e->first += e->count) {
            const size_t left = e->piece.n - e->first;
            e->count = left < e->most ? left : e->most;
            KELVIN_TRY(block(e, watch, context));
        }
        e->n += e->piece.n;
    }
}

static kelvin_status allocate(struct kelvin_evaluation *e)
{
    const size_t row = e->samples * e->classes;
    const size_t most = BLOCK_BYTES / sizeof(double) / (row + 2 * e->walks * e->classes);
    kelvin_arena *a = e->arena;
    e->most = most > 0 ? most : 1;
    if (!(e->p = kelvin_arena_alloc(a, e->most * row, sizeof *e->p)) ||
        !(e->log_p = kelvin_arena_alloc(a, e->most * e->samples, sizeof *e->log_p)) ||
        !(e->h = kelvin_arena_alloc(a, e->most * e->samples, sizeof *e->h)) ||
        !(e->sum = kelvin_arena_alloc(a, e->most * e->walks * e->classes, sizeof *e->sum)) ||
        !(e->sum_h = kelvin_arena_alloc(a, e->most * e->walks, sizeof *e->sum_h)) ||
        !(e->mean = kelvin_arena_alloc(a, e->most * e->walks * e->classes, sizeof *e->mean)) ||
        !(e->verdict = kelvin_arena_alloc(a, e->most, sizeof *e->verdict)) ||
        !(e->score = kelvin_arena_alloc(a, e->scores + 1, sizeof *e->score)))
        return KELVIN_ENOMEM;
    kelvin_bin *bins = kelvin_arena_alloc(a, (e->scores + 1) * e->bins, sizeof *bins);
    if (!bins) return KELVIN_ENOMEM;
    for (size_t i = 0; i < e->scores; i++) e->score[i].width = bins + i * e->bins;
    return KELVIN_OK;
}

static kelvin_status begin(struct kelvin_evaluation *e, size_t threads, bool sizes)
{
    KELVIN_TRY(kelvin_arena_create(&e->arena));
    KELVIN_TRY(kelvin_pool_create(&e->pool, threads));
    KELVIN_TRY(kelvin_choose_walks(e, sizes));
    return allocate(e);
}

static void end(struct kelvin_evaluation *e)
{
    for (struct kelvin_keys *keys = e->keys, *before; keys; keys = before) {
        before = keys->before;
        kelvin_free(keys);
    }
    kelvin_pool_destroy(e->pool);
    kelvin_arena_destroy(e->arena);
}

kelvin_status kelvin_evaluate(kelvin_metrics *out, kelvin_logits *logits, const kelvin_evaluate_options *options)
{
    static const kelvin_evaluate_options usual = {0};
    if (!options) options = &usual;
    struct kelvin_evaluation e = {.logits = logits,
                                  .samples = logits->samples,
                                  .classes = logits->classes,
                                  .bins = options->bins ? options->bins : KELVIN_BINS,
                                  .labelled = true};
    if (e.bins > KELVIN_MOST_BINS)
        return kelvin_fail(KELVIN_EUSAGE, "%zu bins are too many; expected 1 .. %d", e.bins, (int)KELVIN_MOST_BINS);
    kelvin_status status = begin(&e, options->threads, options->sizes);
    if (!status) status = read_all(&e, options->watch, options->context);
    if (!status && e.n == 0) status = kelvin_fail(KELVIN_EFORMAT, "%s: has no observations to evaluate", logits->name);
    if (!status) status = kelvin_conclude(out, &e);
    end(&e);
    return status;
}

kelvin_status kelvin_judge(kelvin_logits *logits, kelvin_verdict_watch *watch, void *context)
{
    struct kelvin_evaluation e = {.logits = logits, .samples = logits->samples, .classes = logits->classes, .bins = 1};
    kelvin_status status = begin(&e, 1, false);
    if (!status) status = read_all(&e, watch, context);
    end(&e);
    return status;
}
