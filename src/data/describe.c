/* A data set without its rows. */
#include "data/data.h"

#include "kernels/kernels.h"

#include <string.h>

/* ---- copies in the arena; false if memory is short ---- */

static bool copy_text(const char **to, kelvin_arena *arena, const char *from)
{
    return !from || (*to = kelvin_arena_text(arena, from, strlen(from)));
}

static bool copy_texts(const char *const **to, kelvin_arena *arena, const char *const *from, size_t n)
{
    if (!from) return true;
    const char **copy = kelvin_arena_alloc(arena, n, sizeof *copy);
    bool good = copy;
    for (size_t i = 0; i < n && good; i++) good = copy_text(&copy[i], arena, from[i]);
    *to = copy;
    return good;
}

static bool copy_reals(const double **to, kelvin_arena *arena, const double *from, size_t n)
{
    double *copy = kelvin_arena_alloc(arena, n, sizeof *copy);
    if (copy) memcpy(copy, from, n * sizeof *copy);
    *to = copy;
    return copy;
}

static kelvin_status describe(kelvin_data *data, const kelvin_data *like)
{
    struct data_owned *owned = data->owned = kelvin_alloc(1, sizeof *owned);
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_kernels_get(&owned->kernels));
    KELVIN_TRY(kelvin_arena_create(&owned->arena));
    const size_t statistics = like->channels ? like->channels : like->inputs;
    if (!copy_text(&data->name, owned->arena, like->name) ||
        !copy_text(&data->label_name, owned->arena, like->label_name) ||
        !copy_texts(&data->class_names, owned->arena, like->class_names, like->classes) ||
        !copy_texts(&data->column_names, owned->arena, like->column_names, like->inputs) ||
        !copy_reals(&data->mean, owned->arena, like->mean, statistics) ||
        !copy_reals(&data->deviation, owned->arena, like->deviation, statistics))
        return KELVIN_ENOMEM;
    return data_set_scale(data);
}

kelvin_status kelvin_data_describe(kelvin_data **out, const kelvin_data *like)
{
    kelvin_data *data = *out = kelvin_alloc(1, sizeof *data);
    if (!data) return KELVIN_ENOMEM;
    data->inputs = like->inputs;
    data->classes = like->classes;
    data->channels = like->channels;
    data->height = like->height;
    data->width = like->width;
    data->white = like->white;
    data->train.n = like->train.n;
    data->test.n = like->test.n;
    const kelvin_status status = describe(data, like);
    if (status) {
        kelvin_data_close(data);
        *out = NULL;
    }
    return status;
}
