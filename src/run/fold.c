/* Training rows are dealt to parts, class by class, so that each part has its share of every class: one is held out,
 * the others are data of their own. */
#include "run/choose.h"

/* index: the rows that stay, then those that are held out; returns how many stay. */
static size_t deal(uint32_t *index, size_t *dealt, const kelvin_data *data, size_t held_out, const uint32_t *order)
{
    const kelvin_part *part = &data->train;
    size_t kept = 0, held = part->n;
    for (size_t k = 0; k < data->classes; k++) dealt[k] = k; /* classes begin with different parts */
    for (size_t i = 0; i < part->n; i++) {
        const uint32_t row = order[i];
        if (dealt[part->y[row]]++ % KELVIN_FOLDS == held_out)
            index[--held] = row;
        else
            index[kept++] = row;
    }
    return kept;
}

/* What a row is, in the form that the part has. */
static kelvin_status take_rows(kelvin_part *to, kelvin_arena *arena, const kelvin_data *data, const uint32_t *index,
                               size_t n)
{
    const kelvin_part *from = &data->train;
    const size_t inputs = data->inputs;
    float *x = from->x ? kelvin_arena_alloc(arena, n * inputs, sizeof *x) : NULL;
    uint8_t *bytes = from->bytes ? kelvin_arena_alloc(arena, n * inputs, sizeof *bytes) : NULL;
    int32_t *y = kelvin_arena_alloc(arena, n, sizeof *y);
    float *weight = from->weight ? kelvin_arena_alloc(arena, n, sizeof *weight) : NULL;
    if ((from->x && !x) || (from->bytes && !bytes) || !y || (from->weight && !weight)) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (x) memcpy(x + i * inputs, from->x + index[i] * inputs, inputs * sizeof *x);
        if (bytes) memcpy(bytes + i * inputs, from->bytes + index[i] * inputs, inputs);
        if (weight) weight[i] = from->weight[index[i]];
        y[i] = from->y[index[i]];
    }
    *to = (kelvin_part){.n = n, .bytes = bytes, .x = x, .y = y, .weight = weight};
    return KELVIN_OK;
}

static kelvin_status hold_out(struct kelvin_fold *fold, const kelvin_data *data, const uint32_t *index)
{
    kelvin_part held;
    KELVIN_TRY(take_rows(&held, fold->arena, data, index, fold->held));
    float *x = kelvin_arena_alloc(fold->arena, fold->held * data->inputs, sizeof *x);
    if (!x) return KELVIN_ENOMEM;
    kelvin_part_slice(data, &held, x, 0, fold->held);
    fold->x = x;
    fold->y = held.y;
    fold->weight = held.weight;
    return KELVIN_OK;
}

static kelvin_status make(struct kelvin_fold *fold, const kelvin_data *data, size_t held_out, uint64_t seed)
{
    const size_t n = data->train.n;
    uint32_t *order = kelvin_arena_alloc(fold->arena, n, sizeof *order);
    uint32_t *index = kelvin_arena_alloc(fold->arena, n, sizeof *index);
    size_t *dealt = kelvin_arena_alloc(fold->arena, data->classes, sizeof *dealt);
    if (!order || !index || !dealt) return KELVIN_ENOMEM;
    kelvin_permutation(order, (uint32_t)n,
                       (kelvin_random){seed, 0, (uint32_t)(held_out / KELVIN_FOLDS), KELVIN_STREAM_FOLDS});
    const size_t kept = deal(index, dealt, data, held_out % KELVIN_FOLDS, order);
    fold->held = n - kept;
    KELVIN_TRY(take_rows(&fold->data.train, fold->arena, data, index, kept));
    return hold_out(fold, data, index + kept);
}

kelvin_status kelvin_fold_create(struct kelvin_fold *fold, const kelvin_data *data, size_t held_out, uint64_t seed)
{
    *fold = (struct kelvin_fold){.data = *data};
    fold->data.test = (kelvin_part){0};
    if (held_out == KELVIN_NO_FOLD) return KELVIN_OK;
    KELVIN_TRY(kelvin_arena_create(&fold->arena));
    const kelvin_status status = make(fold, data, held_out, seed);
    if (status) kelvin_fold_free(fold);
    return status;
}

void kelvin_fold_free(struct kelvin_fold *fold)
{
    kelvin_arena_destroy(fold->arena);
    *fold = (struct kelvin_fold){0};
}
