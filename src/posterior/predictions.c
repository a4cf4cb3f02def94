/* One pass over logits, a piece at a time: softmax of all of them, then whoever wants to see probabilities. */
#include "posterior/predictions.h"

#include "posterior/agreement.h"
#include "posterior/convergence.h"
#include "posterior/logits.h"
#include "posterior/stats.h"

#include <math.h>

struct pass {
    const struct kelvin_lineup *lineup;
    kelvin_logits *logits;
    size_t samples, n, observed, classes;
    size_t told; /* classes whose probabilities are not the rest of the others' */
    kelvin_pool *pool;
    struct kelvin_agreeing *agreeing;
    kelvin_piece piece;
    size_t room; /* for so many samples and observations in p */
    double *p;   /* (samples, n, classes) of the piece */

    struct kelvin_converging *converging;
    size_t waiting, block; /* quantities in x, and how many make it full */
    double *x;             /* (block, chains, draws) */
    double *normaliser;    /* (samples), of one observation */
    float *z;              /* (samples, classes), of one observation of samples that come in parts */
};

/* Of single samples on labelled data, added up over (sample, observation). */
struct sums {
    size_t n, hits;
    double log_likelihood, confidence;
};

/* ---- agreement ---- */

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

static kelvin_status compare(struct pass *pass)
{
    const size_t size = pass->piece.samples * pass->piece.n;
    if (size > pass->room) {
        kelvin_free(pass->p);
        pass->p = kelvin_alloc(size * pass->classes, sizeof *pass->p);
        pass->room = pass->p ? size : 0;
        if (!pass->p) return KELVIN_ENOMEM;
    }
    KELVIN_TRY(kelvin_pool_run(pass->pool, soften, pass, pass->piece.samples));
    return kelvin_agreeing_add(pass->agreeing, &pass->piece, pass->p);
}

/* ---- convergence ---- */

static kelvin_status flush(struct pass *pass)
{
    const size_t n = pass->waiting;
    pass->waiting = 0;
    return kelvin_converging_add(pass->converging, pass->x, n);
}

/* One observation, z (samples, stride): the probabilities of each class are a quantity. */
static kelvin_status observe(struct pass *pass, const float *z, size_t stride)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    const size_t size = lineup->chains * lineup->draws;
    for (size_t s = 0; s < size; s++)
        pass->normaliser[s] = kelvin_log_sum_exp(z + kelvin_lineup_sample(lineup, s) * stride, pass->classes);
    for (size_t k = 0; k < pass->told; k++) {
        double *x = pass->x + pass->waiting++ * size;
        for (size_t s = 0; s < size; s++)
            x[s] = exp((double)z[kelvin_lineup_sample(lineup, s) * stride + k] - pass->normaliser[s]);
        if (pass->waiting == pass->block) KELVIN_TRY(flush(pass));
    }
    return KELVIN_OK;
}

/* Those of the piece, which has all samples. */
static kelvin_status observe_piece(struct pass *pass)
{
    const kelvin_piece *piece = &pass->piece;
    const size_t end = piece->first + piece->n;
    for (size_t i = kelvin_spaced_from(piece->first, pass->observed, pass->n), at;
         i < pass->observed && (at = kelvin_spaced(i, pass->observed, pass->n)) < end; i++)
        KELVIN_TRY(observe(pass, piece->z + (at - piece->first) * pass->classes, piece->n * pass->classes));
    return KELVIN_OK;
}

/* Samples that come in parts are read once more, at these observations. */
static kelvin_status observe_alone(struct pass *pass)
{
    if (!(pass->z = kelvin_alloc(pass->samples * pass->classes, sizeof *pass->z))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < pass->observed; i++) {
        KELVIN_TRY(pass->logits->at(pass->logits, pass->z, kelvin_spaced(i, pass->observed, pass->n)));
        KELVIN_TRY(observe(pass, pass->z, pass->classes));
    }
    return KELVIN_OK;
}

static kelvin_status begin_converging(struct pass *pass)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    const size_t size = lineup->chains * lineup->draws, quantities = pass->observed * pass->told;
    KELVIN_TRY(kelvin_converging_create(&pass->converging, quantities, lineup->chains, lineup->draws, pass->pool));
    if (lineup->draws < 2) return KELVIN_OK; /* nothing can be told */
    pass->block = kelvin_converging_block(quantities, lineup->chains, lineup->draws);
    pass->x = kelvin_alloc(pass->block * size, sizeof *pass->x);
    pass->normaliser = kelvin_alloc(size, sizeof *pass->normaliser);
    return pass->x && pass->normaliser ? KELVIN_OK : KELVIN_ENOMEM;
}

static void stop_converging(struct pass *pass)
{
    kelvin_converging_destroy(pass->converging);
    kelvin_free(pass->x);
    kelvin_free(pass->normaliser);
    kelvin_free(pass->z);
    pass->converging = NULL;
    pass->x = pass->normaliser = NULL;
    pass->z = NULL;
}

static kelvin_status end_converging(kelvin_diagnosis *out, struct pass *pass)
{
    KELVIN_TRY(flush(pass));
    kelvin_converging_result(&out->predictions, pass->converging);
    out->predictions.quantities = pass->observed * pass->told;
    out->observations = pass->observed;
    stop_converging(pass);
    return KELVIN_OK;
}

static size_t choose_observed(const struct pass *pass)
{
    const size_t looks = pass->lineup->chains * pass->lineup->draws * pass->told;
    size_t most = looks > 0 ? KELVIN_MOST_LOOKED_AT / looks : KELVIN_MOST_OBSERVED;
    if (most > KELVIN_MOST_OBSERVED) most = KELVIN_MOST_OBSERVED;
    if (most < KELVIN_LEAST_OBSERVED) most = KELVIN_LEAST_OBSERVED;
    return pass->n < most ? pass->n : most;
}

/* ---- single samples ---- */

/* Whether the label's logit is the largest; the first of equal ones counts as the largest. */
static bool is_hit(const float *z, size_t label, size_t classes)
{
    bool largest = true;
    for (size_t k = 0; k < classes; k++) largest &= k < label ? z[label] > z[k] : z[label] >= z[k];
    return largest;
}

static void add_up(struct sums *sums, const kelvin_piece *piece, size_t classes)
{
    const float *z = piece->z;
    for (size_t s = 0; s < piece->samples; s++)
        for (size_t i = 0; i < piece->n; i++, z += classes) {
            const double normaliser = kelvin_log_sum_exp(z, classes);
            float largest = z[0];
            for (size_t k = 1; k < classes; k++) largest = fmaxf(largest, z[k]);
            sums->hits += is_hit(z, (size_t)piece->y[i], classes);
            sums->log_likelihood += (double)z[piece->y[i]] - normaliser;
            sums->confidence += exp((double)largest - normaliser);
        }
    sums->n += piece->samples * piece->n;
}

static void set_training(kelvin_diagnosis *out, const struct sums *sums)
{
    out->training_accuracy = (double)sums->hits / (double)sums->n;
    out->training_log_likelihood = sums->log_likelihood / (double)sums->n;
    out->training_confidence = sums->confidence / (double)sums->n;
}

/* ---- all of it ---- */

/* sums: NULL if nobody asks for them. */
static kelvin_status go_through(struct pass *pass, struct sums *sums)
{
    for (;;) {
        KELVIN_TRY(kelvin_logits_next(pass->logits, &pass->piece));
        if (pass->piece.n == 0) return KELVIN_OK;
        KELVIN_TRY(compare(pass));
        if (pass->x) KELVIN_TRY(observe_piece(pass));
        if (sums) add_up(sums, &pass->piece, pass->classes);
    }
}

/* Samples that are so many that they come in parts are done with convergence, and its memory, before the rest. */
static kelvin_status diagnose(kelvin_diagnosis *out, struct pass *pass, struct sums *sums)
{
    KELVIN_TRY(begin_converging(pass));
    if (pass->x && pass->logits->at) {
        KELVIN_TRY(observe_alone(pass));
        KELVIN_TRY(end_converging(out, pass));
    }
    KELVIN_TRY(go_through(pass, sums));
    return pass->converging ? end_converging(out, pass) : KELVIN_OK;
}

kelvin_status kelvin_predictions_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, const kelvin_samples *samples,
                                          size_t n, const struct kelvin_lineup *lineup, kelvin_pool *pool,
                                          kelvin_arena *arena)
{
    const size_t classes = samples->run->data->classes;
    struct pass pass = {
        .lineup = lineup, .logits = logits, .samples = samples->n, .n = n, .classes = classes, .pool = pool};
    struct sums sums = {0};
    pass.told = classes == 2 ? 1 : classes;
    pass.observed = choose_observed(&pass);
    kelvin_status status = kelvin_agreeing_create(&pass.agreeing, samples->chain, samples->n, classes, pool);
    if (!status) status = diagnose(out, &pass, out->side == KELVIN_TRAIN ? &sums : NULL);
    if (!status && sums.n > 0) set_training(out, &sums);
    if (!status) status = kelvin_agreeing_result(&out->agreement, pass.agreeing, arena);
    stop_converging(&pass);
    kelvin_agreeing_destroy(pass.agreeing);
    kelvin_free(pass.p);
    return status;
}

kelvin_status kelvin_training_diagnose(kelvin_diagnosis *out, kelvin_logits *logits)
{
    struct sums sums = {0};
    for (;;) {
        kelvin_piece piece;
        KELVIN_TRY(kelvin_logits_next(logits, &piece));
        if (piece.n == 0) break;
        add_up(&sums, &piece, logits->classes);
    }
    set_training(out, &sums);
    return KELVIN_OK;
}
