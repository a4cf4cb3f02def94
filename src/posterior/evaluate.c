/* What samples say one by one and together. The posterior predictive of M samples is
 *
 *     log p(k | x) = log( 1/M  sum over samples of softmax(logits)_k ),
 *
 * by log-sum-exp over samples where doubles cannot hold p. Its entropy H is what there is of doubt; the mean over
 * samples of their entropies is in the data (aleatoric), the rest, the mutual information of prediction and sample, in
 * the model (epistemic).
 *
 * One pass over the logits, in tiles of 16 observations that threads take (tile.c); a tile's probabilities, those of
 * all samples, stay in the thread's cache while ensembles are made of them. Sums are over the observations of a tile,
 * then over tiles, in their order: the bits depend neither on the threads nor on how the logits come in pieces.
 *
 * Of very many samples a piece has a part, and a tile's sums wait for the rest of them.
 *
 * Memory: some hundred KB for each thread, and 8 bytes for each observation and score, for calibration errors. It does
 * not grow with samples beyond those that are looked at one by one. */
#include "posterior/evaluate.h"
#include "base/needs.h"
#include "base/threads.h"

#include "posterior/predictions.h"

#include <string.h>

/* ---- a piece ---- */

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

static kelvin_status add_keys(struct kelvin_evaluation *e)
{
    struct kelvin_keys *keys = kelvin_alloc(1, sizeof *keys + e->scores * e->piece.n * sizeof *keys->key);
    if (!keys) return KELVIN_ENOMEM;
    keys->before = e->keys;
    keys->n = e->piece.n;
    e->keys = keys;
    return KELVIN_OK;
}

static kelvin_status make_benches(struct kelvin_evaluation *e)
{
    const size_t n = e->piece.samples < e->samples ? e->tiles : kelvin_pool_threads(e->pool);
    if (n <= e->benches) return KELVIN_OK;
    if (!(e->bench = kelvin_arena_alloc(e->arena, n, sizeof *e->bench))) return KELVIN_ENOMEM;
    for (e->benches = 0; e->benches < n; e->benches++) KELVIN_TRY(kelvin_bench_create(&e->bench[e->benches], e));
    return KELVIN_OK;
}

static kelvin_status begin_own(struct kelvin_evaluation *e)
{
    struct kelvin_own *own = &e->own;
    const size_t scores = e->scores * own->n, all = e->tiles * scores;
    if (own->n == 0) return KELVIN_OK;
    if (!(own->part = kelvin_logits_room(own->part, &own->room, all, sizeof *own->part))) return KELVIN_ENOMEM;
    memset(own->part, 0, all * sizeof *own->part);
    memcpy(own->part, own->open, scores * sizeof *own->part);
    return KELVIN_OK;
}

/* The first samples at these observations. */
static kelvin_status begin_piece(struct kelvin_evaluation *e, bool watched)
{
    KELVIN_TRY(check_labels(e));
    e->tiles = (e->n % KELVIN_TILE + e->piece.n + KELVIN_TILE - 1) / KELVIN_TILE;
    KELVIN_TRY(make_benches(e));
    if (watched && (!(e->verdict = kelvin_logits_room(e->verdict, &e->verdicts, e->piece.n, sizeof *e->verdict)) ||
                    !(e->p = kelvin_logits_room(e->p, &e->probabilities, e->piece.n * e->classes, sizeof *e->p))))
        return KELVIN_ENOMEM;
    if (!e->labelled) return KELVIN_OK;
    if (!(e->part = kelvin_logits_room(e->part, &e->room, e->tiles * e->scores, sizeof *e->part))) return KELVIN_ENOMEM;
    memset(e->part, 0, e->tiles * e->scores * sizeof *e->part);
    memcpy(e->part, e->open, e->scores * sizeof *e->part);
    KELVIN_TRY(begin_own(e));
    return add_keys(e);
}

/* As many tasks as threads. */
static kelvin_status tiles_task(void *context, size_t thread)
{
    struct kelvin_evaluation *e = context;
    const bool whole = e->piece.samples == e->samples;
    for (size_t tile; (tile = atomic_fetch_add(&e->next, 1)) < e->tiles;)
        kelvin_score_tile(e, &e->bench[whole ? thread : tile], tile);
    return KELVIN_OK;
}

static void add_sums(struct kelvin_sums *to, const struct kelvin_sums *from)
{
    to->log_likelihood += from->log_likelihood;
    to->brier += from->brier;
    to->entropy += from->entropy;
    to->aleatoric += from->aleatoric;
    to->epistemic += from->epistemic;
}

static void add_up_own(struct kelvin_own *own, size_t scores, size_t tiles, size_t whole)
{
    const size_t row = scores * own->n;
    if (own->n == 0) return;
    for (size_t i = 0; i < whole * row; i++) own->sums[i % row] += own->part[i];
    memset(own->open, 0, row * sizeof *own->open);
    if (whole < tiles) memcpy(own->open, own->part + whole * row, row * sizeof *own->open);
}

/* The last tile may not be whole: the next piece goes on with it. */
static void add_up(struct kelvin_evaluation *e)
{
    const size_t tiles = (e->n % KELVIN_TILE + e->piece.n) / KELVIN_TILE, whole = tiles * e->scores;
    for (size_t i = 0; i < whole; i++) add_sums(&e->sums[i % e->scores], &e->part[i]);
    memset(e->open, 0, e->scores * sizeof *e->open);
    if (tiles < e->tiles) memcpy(e->open, e->part + whole, e->scores * sizeof *e->open);
    add_up_own(&e->own, e->scores, e->tiles, tiles);
}

static kelvin_status do_piece(struct kelvin_evaluation *e, kelvin_verdict_watch *watch, void *context)
{
    if (e->piece.first_sample == 0) KELVIN_TRY(begin_piece(e, watch));
    e->next = 0;
    KELVIN_TRY(kelvin_pool_run(e->pool, tiles_task, e, kelvin_pool_threads(e->pool)));
    if (!kelvin_piece_is_last(e)) return KELVIN_OK;
    for (size_t i = 0; i < e->piece.n && watch; i++) KELVIN_TRY(watch(context, &e->verdict[i]));
    if (e->labelled) add_up(e);
    e->n += e->piece.n;
    return KELVIN_OK;
}

/* ---- all of them ---- */

static kelvin_status read_all(struct kelvin_evaluation *e, kelvin_verdict_watch *watch, void *context,
                              const struct kelvin_reader *reader)
{
    for (;;) {
        KELVIN_TRY(kelvin_logits_next(e->logits, &e->piece));
        if (e->piece.n == 0) break;
        KELVIN_TRY(do_piece(e, watch, context));
        if (reader) KELVIN_TRY(reader->read(reader->context, &e->piece));
    }
    for (size_t i = 0; i < e->scores; i++) add_sums(&e->sums[i], &e->open[i]);
    for (size_t i = 0; i < e->scores * e->own.n; i++) e->own.sums[i] += e->own.open[i];
    return KELVIN_OK;
}

/* Metrics that look at each observation by themselves, and their sums. */
static kelvin_status find_own(struct kelvin_evaluation *e)
{
    struct kelvin_own *own = &e->own;
    for (size_t i = 0; i < KELVIN_METRICS && e->labelled; i++)
        if (kelvin_metric_types[i]->of_one) own->type[own->n++] = kelvin_metric_types[i];
    own->sums = kelvin_arena_alloc(e->arena, e->scores * own->n + 1, sizeof *own->sums);
    own->open = kelvin_arena_alloc(e->arena, e->scores * own->n + 1, sizeof *own->open);
    return own->sums && own->open ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status begin(struct kelvin_evaluation *e, size_t threads, bool sizes)
{
    KELVIN_TRY(kelvin_arena_create(&e->arena));
    KELVIN_TRY(kelvin_kernels_get(&e->kernels));
    KELVIN_TRY(kelvin_pool_create(&e->pool, threads));
    e->logits->pool = e->pool;
    KELVIN_TRY(kelvin_choose_walks(e, sizes));
    e->sums = kelvin_arena_alloc(e->arena, e->scores + 1, sizeof *e->sums);
    e->open = kelvin_arena_alloc(e->arena, e->scores + 1, sizeof *e->open);
    if (!e->sums || !e->open) return KELVIN_ENOMEM;
    return find_own(e);
}

static void end(struct kelvin_evaluation *e)
{
    for (struct kelvin_keys *keys = e->keys, *before; keys; keys = before) {
        before = keys->before;
        kelvin_free(keys);
    }
    kelvin_free(e->part);
    kelvin_free(e->own.part);
    kelvin_free(e->verdict);
    kelvin_free(e->p);
    e->logits->pool = NULL;
    kelvin_pool_destroy(e->pool);
    kelvin_arena_destroy(e->arena);
}

/* out: NULL if verdicts are all that is asked for. */
static kelvin_status evaluate(kelvin_metrics *out, kelvin_logits *logits, const kelvin_evaluate_options *options,
                              const struct kelvin_reader *reader)
{
    struct kelvin_evaluation e = {.logits = logits,
                                  .samples = logits->samples,
                                  .classes = logits->classes,
                                  .bins = options->bins ? options->bins : KELVIN_BINS,
                                  .labelled = out};
    if (e.bins > KELVIN_MOST_BINS)
        return kelvin_fail(KELVIN_EUSAGE, "%zu bins are too many; expected 1 .. %d", e.bins, (int)KELVIN_MOST_BINS);
    if (logits->ended)
        return kelvin_fail(KELVIN_EUSAGE, "%s: its logits have been read to their end already; expected them anew",
                           logits->name);
    kelvin_status status = begin(&e, options->threads, options->sizes);
    if (!status) status = read_all(&e, options->watch, options->context, reader);
    if (!status && out && e.n == 0)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: has no observations to evaluate", logits->name);
    if (!status && out) status = kelvin_conclude(out, &e);
    end(&e);
    return status;
}

kelvin_status kelvin_evaluate_into(kelvin_metrics *out, kelvin_logits *logits, const kelvin_evaluate_options *options,
                                   const struct kelvin_reader *reader)
{
    static const kelvin_evaluate_options usual = {0};
    return evaluate(out, logits, options ? options : &usual, reader);
}

kelvin_status kelvin_evaluate(kelvin_metrics **metrics, kelvin_logits *logits, const kelvin_evaluate_options *options)
{
    KELVIN_NEEDS(metrics);
    *metrics = NULL;
    KELVIN_NEEDS(logits);
    kelvin_metrics *out = kelvin_alloc(1, sizeof *out);
    if (!out) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_evaluate_into(out, logits, options, NULL);
    if (status)
        kelvin_metrics_free(out);
    else
        *metrics = out;
    return status;
}

kelvin_status kelvin_judge(kelvin_logits *logits, kelvin_verdict_watch *watch, void *context)
{
    KELVIN_NEEDS(logits);
    KELVIN_NEEDS(watch);
    const kelvin_evaluate_options options = {.threads = 1, .watch = watch, .context = context};
    return evaluate(NULL, logits, &options, NULL);
}
