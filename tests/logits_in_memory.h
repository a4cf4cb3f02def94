/* Logits for tests that are in memory and stay there: z (samples, n, classes), y (n). They come as `most` observations
 * and `block` samples at a time. */
#ifndef LOGITS_IN_MEMORY_H
#define LOGITS_IN_MEMORY_H

#include "posterior/logits.h"

#include <string.h>

struct in_memory {
    kelvin_logits base;
    const float *z;
    const int32_t *y;
    size_t n, done, most, done_samples, block;
    float *chunk; /* (block, most, classes) */
};

static inline kelvin_status next_in_memory(kelvin_logits *logits, kelvin_piece *piece)
{
    struct in_memory *m = (struct in_memory *)logits;
    const size_t left = m->n - m->done, n = left < m->most ? left : m->most, row = n * logits->classes;
    const size_t rest = logits->samples - m->done_samples, samples = rest < m->block ? rest : m->block;
    *piece = (kelvin_piece){.n = n,
                            .first = m->done,
                            .samples = samples,
                            .first_sample = m->done_samples,
                            .z = m->chunk,
                            .y = m->y + m->done};
    for (size_t s = 0; s < samples && n > 0; s++)
        memcpy(m->chunk + s * row, m->z + ((m->done_samples + s) * m->n + m->done) * logits->classes,
               row * sizeof *m->chunk);
    m->done_samples = samples < rest ? m->done_samples + samples : 0;
    if (m->done_samples == 0) m->done += n;
    return KELVIN_OK;
}

static inline kelvin_status at_in_memory(const kelvin_logits *logits, float *z, size_t observation)
{
    const struct in_memory *m = (const struct in_memory *)logits;
    for (size_t s = 0; s < logits->samples; s++)
        memcpy(z + s * logits->classes, m->z + (s * m->n + observation) * logits->classes, logits->classes * sizeof *z);
    return KELVIN_OK;
}

static inline void close_in_memory(kelvin_logits *logits)
{
    struct in_memory *m = (struct in_memory *)logits;
    kelvin_free(m->chunk);
    kelvin_free(m);
}

static inline kelvin_status logits_in_blocks(kelvin_logits **logits, const float *z, const int32_t *y,
                                             const uint32_t *chain, const size_t shape[3], size_t most, size_t block)
{
    struct in_memory *m = kelvin_alloc(1, sizeof *m);
    *logits = m ? &m->base : NULL;
    if (!m) return KELVIN_ENOMEM;
    *m = (struct in_memory){.base = {.samples = shape[0],
                                     .classes = shape[2],
                                     .chain = chain,
                                     .name = "logits in memory",
                                     .next = next_in_memory,
                                     .at = block < shape[0] ? at_in_memory : NULL,
                                     .close = close_in_memory},
                            .z = z,
                            .y = y,
                            .n = shape[1],
                            .most = most,
                            .block = block};
    if ((m->chunk = kelvin_alloc(block * most * shape[2], sizeof *m->chunk))) return KELVIN_OK;
    close_in_memory(&m->base);
    return KELVIN_ENOMEM;
}

/* All samples at once. */
static inline kelvin_status logits_in_memory(kelvin_logits **logits, const float *z, const int32_t *y,
                                             const uint32_t *chain, const size_t shape[3], size_t most)
{
    return logits_in_blocks(logits, z, y, chain, shape, most, shape[0]);
}

#endif
