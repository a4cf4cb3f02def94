/* Inputs in memory, as a caller has them: normalised as the training data were, some at a time. */
#include "data/inputs.h"

#include <math.h>

struct state {
    kelvin_new_rows given;
    double *aside; /* (inputs) */
};

static kelvin_status take_row(kelvin_inputs *in, const struct state *s, size_t i)
{
    const size_t inputs = in->like->inputs, row = in->before + i;
    for (size_t j = 0; j < inputs; j++) {
        s->aside[j] = s->given.x ? (double)s->given.x[row * inputs + j] : s->given.doubles[row * inputs + j];
        if (!isfinite(s->aside[j]))
            return kelvin_fail(KELVIN_EUSAGE, "x: row %zu, column %zu (from 1): %g; expected a finite number", row + 1,
                               j + 1, s->aside[j]);
    }
    return kelvin_data_standardise(in->x + i * inputs, s->aside, in->like, "x", "row", row + 1);
}

static kelvin_status take_label(kelvin_inputs *in, const struct state *s, size_t i)
{
    const int32_t label = s->given.labels[in->before + i];
    if (label < -1 || label >= (int32_t)in->like->classes)
        return kelvin_fail(KELVIN_EUSAGE, "labels: row %zu (from 1): %d; expected 0 to %zu, or -1 for none",
                           in->before + i + 1, (int)label, in->like->classes - 1);
    in->y[i] = label;
    return KELVIN_OK;
}

static kelvin_status next(kelvin_inputs *in)
{
    const struct state *s = in->state;
    const uint8_t *bytes = s->given.bytes;
    for (size_t i = 0; s->given.labels && i < in->most; i++) KELVIN_TRY(take_label(in, s, i));
    for (size_t i = 0; !bytes && i < in->most; i++) KELVIN_TRY(take_row(in, s, i));
    if (bytes) kelvin_part_slice(in->like, &(kelvin_part){.bytes = bytes}, in->x, in->before, in->most);
    return KELVIN_OK;
}

/* All that there is belongs to the arena, or to the caller. */
static void close_array(kelvin_inputs *in)
{
    (void)in;
}

kelvin_status kelvin_inputs_array_of(kelvin_inputs *in, const kelvin_new_rows *rows)
{
    const bool images = in->like->channels > 0, table = rows->x || rows->doubles;
    if (rows->x && rows->doubles)
        return kelvin_fail(KELVIN_EUSAGE, "x is given together with doubles; expected one of the two");
    if (rows->rows > 0 && (images ? !rows->bytes || table : !table || rows->bytes))
        return kelvin_fail(KELVIN_EUSAGE, "the network takes %s; expected %s, and no %s",
                           images ? "images" : "rows of a table", images ? "bytes" : "x", images ? "x" : "bytes");
    struct state *s = in->state;
    *s = (struct state){.given = *rows};
    s->aside = kelvin_arena_alloc(in->arena, in->like->inputs, sizeof *s->aside);
    in->rows = rows->rows;
    in->labelled = rows->labels;
    return s->aside ? KELVIN_OK : KELVIN_ENOMEM;
}

const struct inputs_type kelvin_inputs_array = {.state = sizeof(struct state), .next = next, .close = close_array};
