/* Logits, whatever their source: what all of them have in common. */
#include "posterior/logits.h"

#include "kernels/kernels.h"
#include "run/remedy.h"

#include <math.h>

size_t kelvin_logits_chunk(size_t samples, size_t classes, size_t bytes)
{
    const size_t row = samples * classes * sizeof(float);
    return row < bytes ? bytes / row : 1;
}

static kelvin_status check_finite(const kelvin_logits *l, const kelvin_piece *piece)
{
    const struct kelvin_kernels *kernels;
    const size_t row = piece->n * l->classes;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    for (size_t s = 0; s < l->samples; s++) {
        const float *z = piece->z + s * row;
        if (isfinite(kernels->dot(z, z, row))) continue; /* so are all: squares of floats fit into a double */
        for (size_t i = 0; i < row; i++)
            if (!isfinite(z[i]))
                return kelvin_fail(KELVIN_EFORMAT,
                                   "%s: sample %zu, observation %zu, class %zu: the logit is %g; expected a number",
                                   l->name, s, piece->first + i / l->classes, i % l->classes, (double)z[i]);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_logits_next(kelvin_logits *logits, kelvin_piece *piece)
{
    *piece = (kelvin_piece){0};
    kelvin_status status = logits->next(logits, piece);
    if (!status) status = check_finite(logits, piece);
    return logits->run ? kelvin_remedy(status, logits->run) : status;
}

const char *kelvin_logits_note(const kelvin_logits *logits, size_t i)
{
    return logits->note ? logits->note(logits, i) : NULL;
}

double kelvin_logits_seconds(const kelvin_logits *logits)
{
    return logits->seconds;
}

void kelvin_logits_close(kelvin_logits *logits)
{
    if (logits) logits->close(logits);
}

/* ---- in memory ---- */

struct in_memory {
    kelvin_logits base;
    const float *z;
    const int32_t *y;
    size_t n, done, most;
    float *chunk; /* (samples, most, classes) */
};

static kelvin_status next_in_memory(kelvin_logits *logits, kelvin_piece *piece)
{
    struct in_memory *m = (struct in_memory *)logits;
    const size_t left = m->n - m->done, n = left < m->most ? left : m->most, row = n * logits->classes;
    for (size_t s = 0; s < logits->samples; s++)
        for (size_t i = 0; i < row; i++) m->chunk[s * row + i] = m->z[(s * m->n + m->done) * logits->classes + i];
    *piece = (kelvin_piece){.n = n, .first = m->done, .z = m->chunk, .y = m->y + m->done};
    m->done += n;
    return KELVIN_OK;
}

static void close_in_memory(kelvin_logits *logits)
{
    struct in_memory *m = (struct in_memory *)logits;
    kelvin_free(m->chunk);
    kelvin_free(m);
}

kelvin_status kelvin_logits_in_memory(kelvin_logits **logits, const float *z, const int32_t *y, const uint32_t *chain,
                                      const size_t shape[3], size_t most)
{
    *logits = NULL;
    struct in_memory *m = kelvin_alloc(1, sizeof *m);
    if (!m) return KELVIN_ENOMEM;
    *m = (struct in_memory){.base = {.samples = shape[0],
                                     .classes = shape[2],
                                     .chain = chain,
                                     .name = "logits in memory",
                                     .next = next_in_memory,
                                     .close = close_in_memory},
                            .z = z,
                            .y = y,
                            .n = shape[1],
                            .most = most};
    if (!(m->chunk = kelvin_alloc(shape[0] * most * shape[2], sizeof *m->chunk))) {
        close_in_memory(&m->base);
        return KELVIN_ENOMEM;
    }
    *logits = &m->base;
    return KELVIN_OK;
}
