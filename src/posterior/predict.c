/* Predictions for arrays in memory: what the network and the verdicts say of them, put where the caller wants it. */
#include "run/room.h"

#include "base/needs.h"
#include <kelvin/posterior.h>

/* What is to be predicted: one of the two. */
struct array {
    const float *x;
    const uint8_t *bytes;
    size_t n;
};

static kelvin_status open_logits(kelvin_logits **logits, kelvin_samples *samples, const struct array *array,
                                 size_t threads)
{
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_from_array(&inputs, array->x, array->bytes, NULL, array->n, samples->run->data));
    return kelvin_logits_computed(logits, samples, inputs, threads);
}

/* ---- probabilities ---- */

struct probabilities {
    double *p; /* (n, classes) */
    size_t classes;
};

static kelvin_status keep(void *context, const kelvin_verdict *verdict)
{
    const struct probabilities *to = context;
    memcpy(to->p + verdict->index * to->classes, verdict->p, to->classes * sizeof *to->p);
    return KELVIN_OK;
}

static kelvin_status predict(kelvin_samples *samples, double *p, const struct array *array, size_t threads)
{
    struct probabilities to = {p, samples->run->data->classes};
    kelvin_logits *logits;
    KELVIN_TRY(open_logits(&logits, samples, array, threads));
    const kelvin_status status = kelvin_judge(logits, keep, &to);
    kelvin_logits_close(logits);
    return status;
}

kelvin_status kelvin_predict(kelvin_samples *samples, double *p, const float *x, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(p);
    return predict(samples, p, &(struct array){.x = x, .n = n}, threads);
}

kelvin_status kelvin_predict_images(kelvin_samples *samples, double *p, const uint8_t *bytes, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(p);
    return predict(samples, p, &(struct array){.bytes = bytes, .n = n}, threads);
}

/* ---- logits ---- */

static void put_piece(float *z, const kelvin_piece *piece, size_t n, size_t classes)
{
    for (size_t s = 0; s < piece->samples; s++)
        memcpy(z + ((piece->first_sample + s) * n + piece->first) * classes, piece->z + s * piece->n * classes,
               piece->n * classes * sizeof *z);
}

static kelvin_status predict_logits(kelvin_samples *samples, float *z, const struct array *array, size_t threads)
{
    kelvin_logits *logits;
    kelvin_piece piece;
    KELVIN_TRY(open_logits(&logits, samples, array, threads));
    kelvin_status status;
    while (!(status = kelvin_logits_next(logits, &piece)) && piece.n > 0)
        put_piece(z, &piece, array->n, samples->run->data->classes);
    kelvin_logits_close(logits);
    return status;
}

kelvin_status kelvin_predict_logits(kelvin_samples *samples, float *z, const float *x, size_t n, size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(z);
    return predict_logits(samples, z, &(struct array){.x = x, .n = n}, threads);
}

kelvin_status kelvin_predict_logits_images(kelvin_samples *samples, float *z, const uint8_t *bytes, size_t n,
                                           size_t threads)
{
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(z);
    return predict_logits(samples, z, &(struct array){.bytes = bytes, .n = n}, threads);
}
