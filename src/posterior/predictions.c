/* One pass over logits, some observations at a time: softmax of all of them, then whoever wants to see probabilities.
 */
#include "posterior/predictions.h"

#include "posterior/agreement.h"
#include "posterior/convergence.h"
#include "posterior/stats.h"

#include <math.h>

struct pass {
    const struct kelvin_lineup *lineup;
    size_t samples, n, observed, classes;
    size_t told; /* classes whose probabilities are not the rest of the others' */
    kelvin_pool *pool;
    struct kelvin_converging *converging;
    struct kelvin_agreeing *agreeing;
    kelvin_piece piece;
    size_t room; /* for so many observations in p and x */
    double *p;   /* (samples, n, classes) of the piece */
    double *x;   /* (observed, told, chains, draws) of those in the piece that are looked at */
};

/* Of single samples on labelled data, added up over (sample, observation). */
struct sums {
    size_t n, hits;
    double log_likelihood, confidence;
};

static kelvin_status make_room(struct pass *pass, size_t n)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    if (n <= pass->room) return KELVIN_OK;
    kelvin_free(pass->p);
    kelvin_free(pass->x);
    pass->p = kelvin_alloc(pass->samples * n * pass->classes, sizeof *pass->p);
    pass->x = kelvin_alloc(n * pass->told * lineup->chains * lineup->draws, sizeof *pass->x);
    pass->room = pass->p && pass->x ? n : 0;
    return pass->room ? KELVIN_OK : KELVIN_ENOMEM;
}

/* Probabilities of one sample. */
static kelvin_status soften(void *context, size_t sample)
{
    struct pass *pass = context;
    const size_t n = pass->piece.n, classes = pass->classes;
    for (size_t row = sample * n; row < (sample + 1) * n; row++) {
        const float *z = pass->piece.z + row * classes;
        const double normaliser = kelvin_log_sum_exp(z, classes);
        for (size_t k = 0; k < classes; k++) pass->p[row * classes + k] = exp((double)z[k] - normaliser);
    }
    return KELVIN_OK;
}

/* Observation floor(i n / observed), i = 0, 1, ..., is looked at. */
static size_t place(const struct pass *pass, size_t i)
{
    return i * pass->n / pass->observed;
}

/* The probabilities of one observation, in the order of kelvin_converging_add. */
static void line_up(double *x, const struct pass *pass, size_t observation)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    const size_t size = lineup->chains * lineup->draws, classes = pass->classes;
    for (size_t s = 0; s < size; s++) {
        const double *p = pass->p + (kelvin_lineup_sample(lineup, s) * pass->piece.n + observation) * classes;
        for (size_t k = 0; k < pass->told; k++) x[k * size + s] = p[k];
    }
}

static kelvin_status add_observed(struct pass *pass)
{
    const size_t row = pass->told * pass->lineup->chains * pass->lineup->draws;
    const size_t first = pass->piece.first, end = first + pass->piece.n;
    size_t i = (first * pass->observed + pass->n - 1) / pass->n, found = 0; /* the first place that is not before it */
    for (; i < pass->observed && place(pass, i) < end; i++)
        line_up(pass->x + found++ * row, pass, place(pass, i) - first);
    return kelvin_converging_add(pass->converging, pass->x, found * pass->told);
}

static kelvin_status add_piece(struct pass *pass)
{
    KELVIN_TRY(make_room(pass, pass->piece.n));
    KELVIN_TRY(kelvin_pool_run(pass->pool, soften, pass, pass->samples));
    if (pass->lineup->draws > 1) KELVIN_TRY(add_observed(pass));
    return kelvin_agreeing_add(pass->agreeing, pass->p, pass->piece.n);
}

/* Whether the label's logit is the largest; the first of equal ones counts as the largest. */
static bool is_hit(const float *z, size_t label, size_t classes)
{
    bool largest = true;
    for (size_t k = 0; k < classes; k++) largest &= k < label ? z[label] > z[k] : z[label] >= z[k];
    return largest;
}

static void add_up(struct sums *sums, const kelvin_piece *piece, size_t samples, size_t classes)
{
    const float *z = piece->z;
    for (size_t s = 0; s < samples; s++)
        for (size_t i = 0; i < piece->n; i++, z += classes) {
            const double normaliser = kelvin_log_sum_exp(z, classes);
            float largest = z[0];
            for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
            sums->hits += is_hit(z, (size_t)piece->y[i], classes);
            sums->log_likelihood += (double)z[piece->y[i]] - normaliser;
            sums->confidence += exp((double)largest - normaliser);
        }
    sums->n += samples * piece->n;
}

static void set_training(kelvin_diagnosis *out, const struct sums *sums)
{
    out->training_accuracy = (double)sums->hits / (double)sums->n;
    out->training_log_likelihood = sums->log_likelihood / (double)sums->n;
    out->training_confidence = sums->confidence / (double)sums->n;
}

/* sums: NULL if nobody asks for them. */
static kelvin_status go_through(struct pass *pass, struct sums *sums, kelvin_logits *logits)
{
    for (;;) {
        KELVIN_TRY(kelvin_logits_next(logits, &pass->piece));
        if (pass->piece.n == 0) return KELVIN_OK;
        KELVIN_TRY(add_piece(pass));
        if (sums) add_up(sums, &pass->piece, pass->samples, pass->classes);
    }
}

static void finish(kelvin_diagnosis *out, struct pass *pass)
{
    kelvin_converging_result(&out->predictions, pass->converging);
    out->predictions.quantities = pass->observed * pass->told;
    out->observations = pass->observed;
}

kelvin_status kelvin_predictions_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, const kelvin_samples *samples,
                                          size_t n, const struct kelvin_lineup *lineup, kelvin_pool *pool,
                                          kelvin_arena *arena)
{
    const size_t classes = samples->run->data->classes;
    struct pass pass = {.lineup = lineup, .samples = samples->n, .n = n, .classes = classes, .pool = pool};
    struct sums sums = {0};
    pass.observed = n < KELVIN_MOST_OBSERVED ? n : KELVIN_MOST_OBSERVED;
    pass.told = classes == 2 ? 1 : classes;
    kelvin_status status =
        kelvin_converging_create(&pass.converging, pass.observed * pass.told, lineup->chains, lineup->draws, pool);
    if (!status) status = kelvin_agreeing_create(&pass.agreeing, samples->chain, samples->n, classes, pool);
    if (!status) status = go_through(&pass, out->side == KELVIN_TRAIN ? &sums : NULL, logits);
    if (!status) finish(out, &pass);
    if (!status && sums.n > 0) set_training(out, &sums);
    if (!status) status = kelvin_agreeing_result(&out->agreement, pass.agreeing, arena);
    kelvin_converging_destroy(pass.converging);
    kelvin_agreeing_destroy(pass.agreeing);
    kelvin_free(pass.p);
    kelvin_free(pass.x);
    return status;
}

kelvin_status kelvin_training_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t samples, size_t classes)
{
    struct sums sums = {0};
    for (;;) {
        kelvin_piece piece;
        KELVIN_TRY(kelvin_logits_next(logits, &piece));
        if (piece.n == 0) break;
        add_up(&sums, &piece, samples, classes);
    }
    set_training(out, &sums);
    return KELVIN_OK;
}
