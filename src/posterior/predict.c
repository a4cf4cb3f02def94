/* Predictions for arrays in memory: what the network and the verdicts say of them, put where the caller wants it. */
#include "run/room.h"

#include "base/needs.h"
#include <kelvin/posterior.h>

static kelvin_status open_logits(kelvin_logits **logits, kelvin_samples *samples, const kelvin_new_rows *rows,
                                 size_t threads)
{
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_from_rows(&inputs, rows, samples->run->data));
    return kelvin_logits_computed(logits, samples, inputs, threads);
}

/* ---- probabilities ---- */

struct probabilities {
    double *p;     /* (n, classes) */
    double *doubt; /* (n, 3); or NULL */
    size_t classes;
};

static kelvin_status keep(void *context, const kelvin_verdict *verdict)
{
    const struct probabilities *to = context;
    memcpy(to->p + verdict->index * to->classes, verdict->p, to->classes * sizeof *to->p);
    if (to->doubt)
        memcpy(to->doubt + verdict->index * 3,
               (const double[]){verdict->entropy, verdict->aleatoric, verdict->epistemic}, 3 * sizeof *to->doubt);
    return KELVIN_OK;
}

kelvin_status kelvin_predict_rows(kelvin_samples *samples, double *p, double *doubt, const kelvin_new_rows *rows,
                                  size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(p);
    KELVIN_NEEDS(rows);
    struct probabilities to = {p, doubt, samples->run->data->classes};
    kelvin_logits *logits;
    KELVIN_TRY(open_logits(&logits, samples, rows, threads));
    const kelvin_status status = kelvin_judge(logits, keep, &to);
    kelvin_logits_close(logits);
    return status;
}

kelvin_status kelvin_predict(kelvin_samples *samples, double *p, const float *x, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(p);
    return kelvin_predict_rows(samples, p, NULL, &(kelvin_new_rows){.rows = n, .x = x}, threads);
}

kelvin_status kelvin_predict_images(kelvin_samples *samples, double *p, const uint8_t *bytes, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(p);
    return kelvin_predict_rows(samples, p, NULL, &(kelvin_new_rows){.rows = n, .bytes = bytes}, threads);
}

/* ---- logits ---- */

static void put_piece(float *z, const kelvin_piece *piece, size_t n, size_t classes)
{
    for (size_t s = 0; s < piece->samples; s++)
        memcpy(z + ((piece->first_sample + s) * n + piece->first) * classes, piece->z + s * piece->n * classes,
               piece->n * classes * sizeof *z);
}

kelvin_status kelvin_predict_logits_rows(kelvin_samples *samples, float *z, const kelvin_new_rows *rows, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(z);
    KELVIN_NEEDS(rows);
    kelvin_logits *logits;
    kelvin_piece piece;
    KELVIN_TRY(open_logits(&logits, samples, rows, threads));
    kelvin_status status;
    while (!(status = kelvin_logits_next(logits, &piece)) && piece.n > 0)
        put_piece(z, &piece, rows->rows, samples->run->data->classes);
    kelvin_logits_close(logits);
    return status;
}

kelvin_status kelvin_predict_logits(kelvin_samples *samples, float *z, const float *x, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(z);
    return kelvin_predict_logits_rows(samples, z, &(kelvin_new_rows){.rows = n, .x = x}, threads);
}

kelvin_status kelvin_predict_logits_images(kelvin_samples *samples, float *z, const uint8_t *bytes, size_t n,
                                           size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(z);
    return kelvin_predict_logits_rows(samples, z, &(kelvin_new_rows){.rows = n, .bytes = bytes}, threads);
}
