/* Logits, whatever their source: what all of them have in common. */
#include "posterior/logits.h"

#include "base/needs.h"
#include "kernels/kernels.h"
#include "run/folder.h"

#include <math.h>

size_t kelvin_logits_chunk(size_t samples, size_t classes, size_t bytes)
{
    const size_t row = samples * classes * sizeof(float);
    return row < bytes ? bytes / row : 1;
}

void *kelvin_logits_room(void *p, size_t *room, size_t n, size_t size)
{
    if (p && n <= *room) return p;
    kelvin_free(p);
    *room = n;
    return kelvin_alloc(n, size);
}

static kelvin_status check_finite(const kelvin_logits *l, const kelvin_piece *piece)
{
    const struct kelvin_kernels *kernels;
    const size_t row = piece->n * l->classes;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    for (size_t s = 0; s < piece->samples; s++) {
        const float *z = piece->z + s * row;
        if (isfinite(kernels->dot(z, z, row))) continue; /* so are all: squares of floats fit into a double */
        for (size_t i = 0; i < row; i++)
            if (!isfinite(z[i]))
                return kelvin_fail(
                    KELVIN_EFORMAT, "%s: sample %zu, observation %zu, class %zu: the logit is %g; expected a number",
                    l->name, piece->first_sample + s, piece->first + i / l->classes, i % l->classes, (double)z[i]);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_logits_next(kelvin_logits *logits, kelvin_piece *piece)
{
    KELVIN_NEEDS(logits);
    KELVIN_NEEDS(piece);
    *piece = (kelvin_piece){0};
    kelvin_status status = logits->next(logits, piece);
    if (!status) status = check_finite(logits, piece);
    logits->ended = !status && piece->n == 0;
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
