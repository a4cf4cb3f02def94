/* Inputs that are in memory: the rows of a data set that is open, or is opened as a whole. */
#include "data/inputs.h"

#include "files/text.h"

#include <stdio.h>
#include <string.h>

struct state {
    kelvin_data *own; /* NULL: somebody else's */
    const kelvin_data *data;
    const kelvin_part *part;
    int32_t *class; /* of `like`, for each of the data's; NULL: the same */
};

void kelvin_inputs_part_of(kelvin_inputs *in, const kelvin_data *data, const kelvin_part *part)
{
    struct state *s = in->state;
    s->data = data;
    s->part = part;
    in->rows = part->n;
    in->labelled = part->y;
}

/* Which class of the network each class of the data is: by its name, or by its number where it has no other. */
static kelvin_status match(kelvin_inputs *in, struct state *s)
{
    if (!(s->class = kelvin_arena_alloc(in->arena, s->own->classes, sizeof *s->class))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < s->own->classes; i++) {
        double number = (double)i;
        const char *name = s->own->class_names ? s->own->class_names[i] : NULL;
        const bool is_number = !name || kelvin_text_number(&number, name) == TEXT_NUMBER;
        s->class[i] =
            is_number ? kelvin_labels_find_number(in->classes, number) : kelvin_labels_find(in->classes, name);
    }
    return KELVIN_OK;
}

static kelvin_status open(kelvin_inputs *in)
{
    struct state *s = in->state;
    KELVIN_TRY(kelvin_data_open_like(&s->own, in->text, in->like));
    KELVIN_TRY(match(in, s));
    for (size_t i = 0; kelvin_data_note(s->own, i); i++)
        KELVIN_TRY(kelvin_inputs_add_note(in, "%s: %s", s->own->name, kelvin_data_note(s->own, i)));
    kelvin_inputs_part_of(in, s->own, s->own->test.n > 0 ? &s->own->test : &s->own->train);
    return KELVIN_OK;
}

static kelvin_status take_label(kelvin_inputs *in, const struct state *s, size_t i)
{
    const int32_t own = s->part->y[in->before + i];
    in->y[i] = s->class ? s->class[own] : own;
    if (in->y[i] >= 0 || !in->labels) return KELVIN_OK;
    char where[256], number[24];
    snprintf(where, sizeof where, "%.200s: row %zu", s->data->name, in->before + i + 1);
    snprintf(number, sizeof number, "%d", (int)own);
    return kelvin_inputs_no_class(in, where, s->data->class_names ? s->data->class_names[own] : number);
}

static kelvin_status next(kelvin_inputs *in)
{
    const struct state *s = in->state;
    for (size_t i = 0; s->part->y && i < in->most; i++) KELVIN_TRY(take_label(in, s, i));
    if (s->part->bytes)
        kelvin_part_slice(s->data, s->part, in->x, in->before, in->most);
    else
        in->shown = s->part->x + in->before * s->data->inputs;
    return KELVIN_OK;
}

static void close_part(kelvin_inputs *in)
{
    const struct state *s = in->state;
    kelvin_data_close(s->own);
}

const struct inputs_type kelvin_inputs_part = {NULL, sizeof(struct state), open, next, close_part, NULL};
