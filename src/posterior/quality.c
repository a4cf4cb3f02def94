/* How good predictions are. Of each observation: log p of its label, the confidence, and whether it was right, by the
 * ensemble of all samples; of each chain the same of its single samples, on average.
 *
 * The baselines see the same rows, so that what is compared is the difference row by row: its standard error is that of
 * the mean of n differences, which is smaller than that of either.
 *
 * By chance a calibrated model has errors as well. Of confidences c_i the number of hits is a sum of independent draws
 * with variance V = sum c_i (1 - c_i), so that accuracy less confidence has the standard deviation sqrt(V) / n. In each
 * bin |hits - sum of c_i| is about that of a normal number: its mean is sqrt(2 V / pi), its variance (1 - 2 / pi) V,
 * with the V of the bin; the calibration error is the sum of these over n. */
#include "posterior/quality.h"

#include "posterior/lineup.h"
#include "posterior/score.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 64 }; /* in which a piece's observations are taken, whatever the number of threads */

/* Sums over (sample, observation). */
struct sums {
    size_t n, hits;
    double log_likelihood, confidence;
};

struct kelvin_rating {
    const kelvin_logits *logits;
    size_t n, done; /* observations, and those that all samples have been seen of */
    kelvin_pool *pool;
    kelvin_arena *arena;
    size_t chains;
    struct kelvin_members *members; /* (chains) */
    struct sums *chain;             /* (chains) */
    double *log_p;                  /* (n), of the ensemble */
    uint64_t *keys;                 /* (n): confidence, and whether it was right */

    const kelvin_piece *piece;
    size_t room, blocks;
    double *p,
        *largest;      /* (piece->n, classes), (piece->n): sum of p over samples so far; the largest log p of a label */
    struct sums *part; /* (blocks, chains) */
};

static void add(struct sums *to, const struct sums *from)
{
    to->n += from->n;
    to->hits += from->hits;
    to->log_likelihood += from->log_likelihood;
    to->confidence += from->confidence;
}

/* ---- a piece ---- */

static size_t first_of(const struct kelvin_rating *r, size_t block)
{
    return block * r->piece->n / r->blocks;
}

/* Number s of the piece at observation i of it. */
static void look(struct kelvin_rating *r, struct sums *sums, const float *z, size_t i)
{
    const size_t classes = r->logits->classes, label = (size_t)r->piece->y[i];
    const double normaliser = kelvin_log_sum_exp(z, classes), log_p = (double)z[label] - normaliser;
    size_t top = 0;
    for (size_t k = 0; k < classes; k++) {
        r->p[i * classes + k] += exp((double)z[k] - normaliser);
        if (z[k] > z[top]) top = k;
    }
    sums->n++;
    sums->hits += top == label;
    sums->log_likelihood += log_p;
    sums->confidence += exp((double)z[top] - normaliser);
    r->largest[i] = fmax(r->largest[i], log_p);
}

static kelvin_status look_at_block(void *context, size_t block)
{
    struct kelvin_rating *r = context;
    const kelvin_piece *piece = r->piece;
    const size_t classes = r->logits->classes, last = piece->first_sample + piece->samples;
    for (size_t c = 0; c < r->chains; c++) {
        const struct kelvin_members *chain = &r->members[c];
        const size_t from = chain->first > piece->first_sample ? chain->first : piece->first_sample;
        const size_t to = chain->first + chain->n < last ? chain->first + chain->n : last;
        for (size_t s = from; s < to; s++)
            for (size_t i = first_of(r, block); i < first_of(r, block + 1); i++)
                look(r, &r->part[block * r->chains + c],
                     piece->z + ((s - piece->first_sample) * piece->n + i) * classes, i);
    }
    return KELVIN_OK;
}

/* What all samples say together, once the last of them is in. Where doubles cannot hold p, the largest of the samples'
 * is nearly all of it. */
static void conclude_rows(struct kelvin_rating *r)
{
    const kelvin_piece *piece = r->piece;
    const size_t classes = r->logits->classes;
    const double samples = (double)r->logits->samples;
    for (size_t i = 0; i < piece->n && r->done < r->n; i++, r->done++) {
        const double *p = r->p + i * classes, own = p[piece->y[i]];
        size_t top = 0;
        for (size_t k = 1; k < classes; k++)
            if (p[k] > p[top]) top = k;
        r->log_p[r->done] = own > 1e-300 ? log(own / samples) : r->largest[i] - log(samples);
        r->keys[r->done] = kelvin_calibration_key(fmin(p[top] / samples, 1), top == (size_t)piece->y[i]);
    }
}

static kelvin_status make_room(struct kelvin_rating *r)
{
    const size_t n = r->piece->n, classes = r->logits->classes;
    if (r->piece->first_sample > 0) return KELVIN_OK;
    if (!(r->p = kelvin_logits_room(r->p, &r->room, n * (classes + 1), sizeof *r->p))) return KELVIN_ENOMEM;
    memset(r->p, 0, n * classes * sizeof *r->p);
    r->largest = r->p + n * classes;
    for (size_t i = 0; i < n; i++) r->largest[i] = -INFINITY;
    return KELVIN_OK;
}

kelvin_status kelvin_rating_add(struct kelvin_rating *r, const kelvin_piece *piece)
{
    r->piece = piece;
    r->blocks = piece->n < BLOCKS ? piece->n : BLOCKS;
    KELVIN_TRY(make_room(r));
    memset(r->part, 0, BLOCKS * r->chains * sizeof *r->part);
    KELVIN_TRY(kelvin_pool_run(r->pool, look_at_block, r, r->blocks));
    for (size_t i = 0; i < r->blocks * r->chains; i++) add(&r->chain[i % r->chains], &r->part[i]);
    if (piece->first_sample + piece->samples == r->logits->samples) conclude_rows(r);
    return KELVIN_OK;
}

kelvin_status kelvin_rating_create(struct kelvin_rating **out, const kelvin_logits *logits, size_t n, kelvin_pool *pool,
                                   kelvin_arena *arena)
{
    struct kelvin_rating *r = *out = kelvin_arena_alloc(arena, 1, sizeof *r);
    if (!r) return KELVIN_ENOMEM;
    *r = (struct kelvin_rating){.logits = logits, .n = n, .pool = pool, .arena = arena};
    KELVIN_TRY(kelvin_members_find(&r->members, &r->chains, logits->chain, logits->samples, arena));
    const bool enough = (r->chain = kelvin_arena_alloc(arena, r->chains, sizeof *r->chain)) &&
                        (r->part = kelvin_arena_alloc(arena, BLOCKS * r->chains, sizeof *r->part)) &&
                        (r->log_p = kelvin_arena_alloc(arena, n, sizeof *r->log_p)) &&
                        (r->keys = kelvin_arena_alloc(arena, 2 * n, sizeof *r->keys));
    return enough ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_rating_end(struct kelvin_rating *r)
{
    if (r) kelvin_free(r->p);
}

/* ---- calibration ---- */

static void calibrate(struct kelvin_quality *out, uint64_t *keys, size_t n)
{
    const double pi = 3.14159265358979323846;
    kelvin_bin bins[KELVIN_BINS];
    double hits = 0, confidence = 0, variance = 0, errors = 0;
    kelvin_sort_keys(keys, keys + n, n);
    kelvin_width_bins(bins, keys, n, KELVIN_BINS);
    for (size_t b = 0, i = 0; b < KELVIN_BINS; b++) {
        double v = 0;
        for (const size_t end = i + bins[b].n; i < end; i++) {
            const double c = kelvin_key_confidence(keys[i]);
            v += c * (1 - c);
        }
        hits += (double)bins[b].hits;
        confidence += bins[b].confidence;
        variance += v;
        out->ece_by_chance += sqrt(2 * v / pi) / (double)n;
        errors += (1 - 2 / pi) * v;
    }
    out->accuracy = hits / (double)n;
    out->confidence = confidence / (double)n;
    out->gap_by_chance = sqrt(variance) / (double)n;
    out->ece = kelvin_calibration_error(bins, KELVIN_BINS, n);
    out->ece_error = sqrt(errors) / (double)n;
}

/* ---- beside the baselines ---- */

static double largest_of(const float *z, size_t classes)
{
    double largest = 0;
    for (size_t k = 0; k < classes; k++) largest = fmax(largest, exp((double)z[k] - kelvin_log_sum_exp(z, classes)));
    return largest;
}

/* Of log p, row by row. Where there is no baseline, all stays as it was. */
static kelvin_status compare(struct kelvin_quality *out, const struct kelvin_rating *r, kelvin_samples *samples,
                             kelvin_baseline_kind kind, kelvin_side side)
{
    const size_t classes = r->logits->classes;
    kelvin_logits *logits;
    kelvin_piece piece;
    double *x = NULL, sum = 0;
    size_t n = 0;
    KELVIN_TRY(kelvin_baseline_on(&logits, samples, kind, side == KELVIN_TEST ? "test" : "train",
                                  kelvin_pool_threads(r->pool)));
    if (!logits) return KELVIN_OK;
    kelvin_status status = (x = kelvin_alloc(r->n, sizeof *x)) ? KELVIN_OK : KELVIN_ENOMEM;
    while (!status && !(status = kelvin_logits_next(logits, &piece)) && piece.n > 0) {
        if (n == 0 && kind == KELVIN_FREQUENCIES) out->majority = largest_of(piece.z, classes);
        for (size_t i = 0; i < piece.n && n < r->done; i++, n++) {
            const float *z = piece.z + i * classes;
            const double log_p = (double)z[piece.y[i]] - kelvin_log_sum_exp(z, classes);
            x[n] = r->log_p[n] - log_p;
            sum += log_p;
        }
    }
    if (!status && n == r->done && n > 0) {
        out->beyond[kind] = kelvin_averaged(x, n);
        out->baseline[kind] = sum / (double)n;
    }
    kelvin_free(x);
    kelvin_logits_close(logits);
    return status;
}

static struct kelvin_chain_score score(const struct sums *sums, uint32_t number)
{
    const double n = (double)sums->n;
    return (struct kelvin_chain_score){.number = number,
                                       .n = sums->n,
                                       .accuracy = (double)sums->hits / n,
                                       .log_likelihood = sums->log_likelihood / n,
                                       .confidence = sums->confidence / n};
}

static kelvin_status rate_chains(struct kelvin_quality *out, const struct kelvin_rating *r)
{
    struct sums all = {0};
    struct kelvin_chain_score *chain = kelvin_arena_alloc(r->arena, r->chains, sizeof *chain);
    if (!chain) return KELVIN_ENOMEM;
    for (size_t c = 0; c < r->chains; c++) {
        chain[c] = score(&r->chain[c], r->members[c].number);
        add(&all, &r->chain[c]);
    }
    out->chains = r->chains;
    out->chain = chain;
    out->single = score(&all, 0);
    return KELVIN_OK;
}

kelvin_status kelvin_rating_conclude(struct kelvin_rating *r, struct kelvin_quality *out, kelvin_samples *samples,
                                     kelvin_side side)
{
    *out = kelvin_quality_unknown();
    out->n = r->done;
    if (r->done == 0) return KELVIN_OK;
    calibrate(out, r->keys, r->done);
    out->log_likelihood = kelvin_mean(r->log_p, r->done);
    KELVIN_TRY(rate_chains(out, r));
    for (kelvin_baseline_kind kind = KELVIN_FREQUENCIES; kind <= KELVIN_LINEAR && samples; kind++)
        KELVIN_TRY(compare(out, r, samples, kind, side));
    return KELVIN_OK;
}

struct kelvin_quality kelvin_quality_unknown(void)
{
    const kelvin_average unknown = {NAN, NAN};
    return (struct kelvin_quality){.accuracy = NAN,
                                   .confidence = NAN,
                                   .log_likelihood = NAN,
                                   .majority = NAN,
                                   .beyond = {unknown, unknown},
                                   .baseline = {(double)NAN, (double)NAN}};
}
