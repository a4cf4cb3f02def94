/* One pass over logits, a piece at a time: softmax of all of them, then whoever wants to see probabilities. */
#include "posterior/predictions.h"
#include "base/threads.h"

#include "posterior/agreement.h"
#include "posterior/convergence.h"
#include "posterior/logits.h"
#include "posterior/quality.h"
#include "posterior/stats.h"

#include <math.h>

struct pass {
    kelvin_logits *logits;
    size_t n, observed;
    size_t told; /* classes whose probabilities are not the rest of the others' */
    kelvin_pool *pool;
    kelvin_piece piece;

    struct kelvin_agreeing *agreeing;
    size_t room; /* numbers in p */
    double *p;   /* (samples, n, classes) of the piece */

    const struct kelvin_lineup *lineup;
    struct kelvin_converging *converging; /* NULL: its result is known */
    double *normaliser;                   /* (chains, draws), of one observation */

    struct kelvin_rating *rating;
};

/* ---- agreement ---- */

/* Probabilities of one sample. */
static kelvin_status soften(void *context, size_t sample)
{
    struct pass *pass = context;
    const size_t n = pass->piece.n, classes = pass->logits->classes;
    for (size_t row = sample * n; row < (sample + 1) * n; row++) {
        const float *z = pass->piece.z + row * classes;
        const double normaliser = kelvin_log_sum_exp(z, classes);
        for (size_t k = 0; k < classes; k++) pass->p[row * classes + k] = exp((double)z[k] - normaliser);
    }
    return KELVIN_OK;
}

static kelvin_status compare(struct pass *pass)
{
    const size_t size = pass->piece.samples * pass->piece.n * pass->logits->classes;
    if (!(pass->p = kelvin_logits_room(pass->p, &pass->room, size, sizeof *pass->p))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_pool_run(pass->pool, soften, pass, pass->piece.samples));
    return kelvin_agreeing_add(pass->agreeing, &pass->piece, pass->p);
}

/* ---- convergence ---- */

/* One observation, z (samples, stride): the probabilities of each class are a quantity. */
static kelvin_status observe(struct pass *pass, const float *z, size_t stride)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    const size_t size = lineup->chains * lineup->draws;
    for (size_t s = 0; s < size; s++)
        pass->normaliser[s] = kelvin_log_sum_exp(z + kelvin_lineup_sample(lineup, s) * stride, pass->logits->classes);
    for (size_t k = 0; k < pass->told; k++) {
        double *x = kelvin_converging_next(pass->converging);
        for (size_t s = 0; s < size; s++)
            x[s] = exp((double)z[kelvin_lineup_sample(lineup, s) * stride + k] - pass->normaliser[s]);
        KELVIN_TRY(kelvin_converging_add(pass->converging, 1));
    }
    return KELVIN_OK;
}

/* Those of the piece, which has all samples. */
static kelvin_status observe_piece(struct pass *pass)
{
    const kelvin_piece *piece = &pass->piece;
    const size_t end = piece->first + piece->n, classes = pass->logits->classes;
    for (size_t i = kelvin_spaced_from(piece->first, pass->observed, pass->n), at;
         i < pass->observed && (at = kelvin_spaced(i, pass->observed, pass->n)) < end; i++)
        KELVIN_TRY(observe(pass, piece->z + (at - piece->first) * classes, piece->n * classes));
    return KELVIN_OK;
}

/* Samples that come in parts are read once more, at these observations. */
static kelvin_status observe_alone(struct pass *pass)
{
    const kelvin_logits *logits = pass->logits;
    float *z = kelvin_alloc(logits->samples * logits->classes, sizeof *z);
    kelvin_status status = z ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < pass->observed && !status; i++) {
        status = logits->at(logits, z, kelvin_spaced(i, pass->observed, pass->n));
        if (!status) status = observe(pass, z, logits->classes);
    }
    kelvin_free(z);
    return status;
}

static kelvin_status begin_converging(struct pass *pass)
{
    const struct kelvin_lineup *lineup = pass->lineup;
    pass->normaliser = kelvin_alloc(lineup->chains * lineup->draws, sizeof *pass->normaliser);
    if (!pass->normaliser) return KELVIN_ENOMEM;
    return kelvin_converging_create(&pass->converging, pass->observed * pass->told, lineup->chains, lineup->draws,
                                    pass->pool);
}

static void end_converging(kelvin_diagnosis *out, struct pass *pass)
{
    if (pass->converging) kelvin_converging_result(&out->predictions, pass->converging);
    out->observations = pass->observed;
    kelvin_converging_destroy(pass->converging);
    kelvin_free(pass->normaliser);
    pass->converging = NULL;
    pass->normaliser = NULL;
}

static size_t choose_observed(const struct pass *pass)
{
    const size_t looks = pass->lineup->chains * pass->lineup->draws * pass->told;
    size_t most = looks > 0 ? KELVIN_MOST_LOOKED_AT / looks : KELVIN_MOST_OBSERVED;
    if (most > KELVIN_MOST_OBSERVED) most = KELVIN_MOST_OBSERVED;
    if (most < KELVIN_LEAST_OBSERVED) most = KELVIN_LEAST_OBSERVED;
    return pass->n < most ? pass->n : most;
}

/* ---- all of it ---- */

kelvin_status kelvin_logits_go_through(void *context, kelvin_logits *logits, const struct kelvin_reader *reader)
{
    (void)context;
    for (;;) {
        kelvin_piece piece;
        KELVIN_TRY(kelvin_logits_next(logits, &piece));
        if (piece.n == 0) return KELVIN_OK;
        KELVIN_TRY(reader->read(reader->context, &piece));
    }
}

static kelvin_status read_piece(void *context, const kelvin_piece *piece)
{
    struct pass *pass = context;
    pass->piece = *piece;
    if (pass->agreeing) KELVIN_TRY(compare(pass));
    if (pass->converging && pass->converging->block > 0) KELVIN_TRY(observe_piece(pass));
    if (pass->rating && piece->y) KELVIN_TRY(kelvin_rating_add(pass->rating, piece));
    return KELVIN_OK;
}

/* Samples that are so many that they come in parts are done with convergence, and its memory, before the rest. */
static kelvin_status diagnose(kelvin_diagnosis *out, struct pass *pass, kelvin_go_through *go_through, void *context)
{
    kelvin_logits *logits = pass->logits;
    KELVIN_TRY(begin_converging(pass));
    if (logits->at) {
        if (pass->converging->block > 0) KELVIN_TRY(observe_alone(pass));
        end_converging(out, pass);
    }
    KELVIN_TRY(kelvin_agreeing_create(&pass->agreeing, logits->chain, logits->samples, logits->classes, pass->pool,
                                      out->owned));
    KELVIN_TRY(go_through(context, logits, &(struct kelvin_reader){read_piece, pass}));
    kelvin_agreeing_result(&out->agreement, pass->agreeing);
    return KELVIN_OK;
}

static void set_training(kelvin_diagnosis *out, const struct kelvin_quality *training)
{
    const struct kelvin_chain_score *single = &training->single;
    out->training = *training;
    if (single->n == 0) return;
    out->training_accuracy = single->accuracy;
    out->training_log_likelihood = single->log_likelihood;
    out->training_confidence = single->confidence;
}

kelvin_status kelvin_predictions_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t n,
                                          kelvin_samples *samples, const struct kelvin_lineup *lineup,
                                          kelvin_pool *pool, kelvin_go_through *go_through, void *context)
{
    struct pass pass = {.logits = logits, .n = n, .lineup = lineup, .pool = pool};
    pass.told = logits->classes == 2 ? 1 : logits->classes;
    pass.observed = choose_observed(&pass);
    kelvin_status status = kelvin_rating_create(&pass.rating, logits, n, pool, out->owned);
    if (!status) status = diagnose(out, &pass, go_through, context);
    if (!status) status = kelvin_rating_conclude(pass.rating, &out->quality, samples, out->side);
    if (!status && out->side == KELVIN_TRAIN) set_training(out, &out->quality);
    end_converging(out, &pass);
    kelvin_agreeing_end(pass.agreeing);
    kelvin_rating_end(pass.rating);
    kelvin_free(pass.p);
    return status;
}

kelvin_status kelvin_training_diagnose(kelvin_diagnosis *out, kelvin_logits *logits, size_t n, kelvin_samples *samples,
                                       kelvin_pool *pool, kelvin_go_through *go_through, void *context)
{
    struct pass pass = {.logits = logits};
    struct kelvin_quality training;
    kelvin_status status = kelvin_rating_create(&pass.rating, logits, n, pool, out->owned);
    if (!status) status = go_through(context, logits, &(struct kelvin_reader){read_piece, &pass});
    if (!status) status = kelvin_rating_conclude(pass.rating, &training, samples, KELVIN_TRAIN);
    if (!status) set_training(out, &training);
    kelvin_rating_end(pass.rating);
    return status;
}
