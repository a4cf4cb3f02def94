/* A data set without its rows. */
#include "data/features.h"

#include <string.h>

/* ---- texts and numbers become copies in the arena; false if memory is short ---- */

bool kelvin_data_copy_text(const char **text, kelvin_arena *arena)
{
    return !*text || (*text = kelvin_arena_text(arena, *text, strlen(*text)));
}

bool kelvin_data_copy_texts(const char *const **texts, kelvin_arena *arena, size_t n)
{
    if (!*texts) return true;
    const char **copy = kelvin_arena_alloc(arena, n, sizeof *copy);
    if (copy) memcpy(copy, *texts, n * sizeof *copy);
    *texts = copy;
    bool good = copy;
    for (size_t i = 0; i < n && good; i++) good = kelvin_data_copy_text(&copy[i], arena);
    return good;
}

static bool copy_reals(const double **reals, kelvin_arena *arena, size_t n)
{
    double *copy = kelvin_arena_alloc(arena, n, sizeof *copy);
    if (copy) memcpy(copy, *reals, n * sizeof *copy);
    *reals = copy;
    return copy;
}

static kelvin_status describe(kelvin_data *data, const kelvin_data *like)
{
    struct data_owned *owned = data->owned;
    const size_t statistics = like->channels ? like->channels : like->inputs;
    *data = *like;
    data->owned = owned;
    data->train = (kelvin_part){.n = like->train.n};
    data->test = (kelvin_part){.n = like->test.n};
    if (!kelvin_data_copy_text(&data->name, owned->arena) || !kelvin_data_copy_text(&data->label_name, owned->arena) ||
        !kelvin_data_copy_texts(&data->class_names, owned->arena, like->classes) ||
        !kelvin_data_copy_texts(&data->column_names, owned->arena, like->inputs) ||
        !kelvin_features_copy(data, owned->arena) || !copy_reals(&data->mean, owned->arena, statistics) ||
        !copy_reals(&data->deviation, owned->arena, statistics))
        return KELVIN_ENOMEM;
    if (!data->feature && data->channels == 0) KELVIN_TRY(kelvin_features_plain(data, owned->arena));
    return kelvin_data_set_scale(data);
}

kelvin_status kelvin_data_describe(kelvin_data **data, const kelvin_data *like)
{
    kelvin_status status = kelvin_data_create(data);
    if (!status) status = describe(*data, like);
    return kelvin_data_finish(data, status);
}
