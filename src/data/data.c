/* The table of data sets, and what comes after every loader: a test part, normalisation. */
#include "data/data.h"
#include "base/needs.h"
#include "base/words.h"

#include "base/c_locale.h"
#include "data/features.h"
#include "data/inputs.h"
#include "kernels/kernels.h"

#include <string.h>

static const struct data_type *const types[] = {&kelvin_data_toy,    &kelvin_data_digits, &kelvin_data_cifar10,
                                                &kelvin_data_mnist,  &kelvin_data_csv,    &kelvin_data_npy,
                                                &kelvin_data_images, &kelvin_data_idx,    &kelvin_data_cifar};
enum { TYPES = sizeof types / sizeof *types };

static const kelvin_member *type_at(size_t i)
{
    return i < TYPES ? &types[i]->member : NULL;
}

const kelvin_family kelvin_data_family = {"data_sets", "data set", "data sets", NULL, type_at};

/* ---- for loaders ---- */

kelvin_status kelvin_data_alloc_rows(struct data_loader *loader, size_t n)
{
    kelvin_data *data = loader->data;
    const bool images = data->channels > 0;
    if (images) data->inputs = data->channels * data->height * data->width;
    if (images && data->white == 0) data->white = 255;
    loader->n = loader->n_train = n;
    loader->bytes = images ? kelvin_alloc(n, data->inputs) : NULL;
    loader->values = images ? NULL : kelvin_alloc(n * data->inputs, sizeof *loader->values);
    loader->y = kelvin_alloc(n, sizeof *loader->y);
    return (loader->bytes || loader->values) && loader->y ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_data_load_files(struct data_loader *loader, const char *const *paths, size_t n,
                                     kelvin_status (*load)(struct data_loader *, const struct data_file *))
{
    struct data_file files[2 * DATA_FILES] = {0};
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; !status && i < n; i++)
        if ((files[i].path = paths[i])) status = kelvin_file_read(&files[i].bytes, &files[i].size, paths[i]);
    if (!status) status = load(loader, files);
    for (size_t i = 0; i < n; i++) kelvin_free(files[i].bytes);
    return status;
}

/* ---- opening ---- */

const struct data_type *kelvin_data_find_type(const char *spec)
{
    const kelvin_member *member;
    return kelvin_family_find(&member, &kelvin_data_family, spec) ? NULL : (const struct data_type *)member;
}

kelvin_status kelvin_data_set_scale(const kelvin_data *data)
{
    struct data_owned *owned = data->owned;
    float *scale = kelvin_arena_alloc(owned->arena, data->channels, sizeof *scale);
    float *offset = kelvin_arena_alloc(owned->arena, data->channels, sizeof *offset);
    if (!scale || !offset) return KELVIN_ENOMEM;
    for (size_t c = 0; c < data->channels; c++) {
        scale[c] = (float)(1 / ((double)data->white * data->deviation[c]));
        offset[c] = (float)(-data->mean[c] / data->deviation[c]);
    }
    owned->scale = scale;
    owned->offset = offset;
    return KELVIN_OK;
}

bool kelvin_data_is_split(const struct data_loader *l)
{
    if (l->parted || !l->spec->splits || l->n_train < l->n || l->spec->split == 0) return false;
    return !l->like || kelvin_data_spec_value(l->spec, "split");
}

static kelvin_status load(struct data_loader *loader, struct data_owned *owned)
{
    KELVIN_TRY(loader->spec->type->open(loader));
    if (loader->n > UINT32_MAX) /* an order of them has indices of 32 bits */
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu rows; expected at most %u", loader->data->name, loader->n,
                           UINT32_MAX);
    if (kelvin_data_is_split(loader)) KELVIN_TRY(kelvin_data_split(loader));
    if (loader->like) {
        KELVIN_TRY(kelvin_inputs_check_shape(loader->data->name, loader->data, loader->like));
        loader->data->mean = loader->like->mean;
        loader->data->deviation = loader->like->deviation;
    }
    if (loader->data->channels == 0 && !loader->data->feature)
        KELVIN_TRY(kelvin_features_plain(loader->data, loader->arena));
    KELVIN_TRY(kelvin_data_normalise(loader, &owned->x));
    return kelvin_data_set_scale(loader->data);
}

static void set_parts(kelvin_data *data, const struct data_loader *l)
{
    const struct data_owned *owned = data->owned;
    const size_t train = l->n_train, start = train * data->inputs;
    data->train = (kelvin_part){train, owned->bytes, owned->x, owned->y, owned->weight, l->id};
    data->test = (kelvin_part){
        l->n - train,     owned->bytes ? owned->bytes + start : NULL,   owned->x ? owned->x + start : NULL,
        owned->y + train, owned->weight ? owned->weight + train : NULL, l->id ? l->id + train : NULL};
}

/* What the loader has taken in becomes the data's, or is freed with them. */
static kelvin_status fill(struct data_loader *loader)
{
    struct data_owned *owned = loader->data->owned;
    const kelvin_status status = load(loader, owned);
    owned->bytes = loader->bytes;
    owned->y = loader->y;
    owned->weight = loader->weight;
    kelvin_free(loader->values);
    if (!status) set_parts(loader->data, loader);
    return status;
}

static kelvin_status open_type(kelvin_data *data, const struct data_type *type, const char *text,
                               const kelvin_data *like)
{
    struct data_owned *owned = data->owned;
    struct data_spec spec;
    struct data_loader loader = {.spec = &spec, .data = data, .arena = owned->arena, .like = like};
    kelvin_status status = kelvin_data_spec_parse(&spec, type, text);
    if (!status) status = kelvin_data_absolute(&data->name, owned->arena, &spec, text);
    if (!status) status = fill(&loader);
    kelvin_data_spec_free(&spec);
    return status;
}

static kelvin_status take_arrays(kelvin_data *data, const kelvin_arrays *arrays)
{
    struct data_owned *owned = data->owned;
    const char *name = arrays->name ? arrays->name : "arrays";
    const struct data_spec spec = {
        .name = name,
        .type = &kelvin_data_arrays,
        .files = {name},
        .splits = true,
        .split = arrays->split == 0  ? kelvin_data_usual_split
                 : arrays->split < 0 ? 0
                                     : arrays->split,
        .seed = arrays->split_seed,
        .keep_tails = arrays->keep_tails,
    };
    struct data_loader loader = {.spec = &spec, .data = data, .arena = owned->arena, .arrays = arrays};
    data->name = name;
    return kelvin_data_copy_text(&data->name, owned->arena) ? fill(&loader) : KELVIN_ENOMEM;
}

kelvin_status kelvin_data_create(kelvin_data **out)
{
    kelvin_data *data = *out = kelvin_alloc(1, sizeof *data);
    struct data_owned *owned = data ? data->owned = kelvin_alloc(1, sizeof *owned) : NULL;
    if (!owned) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_kernels_get(&owned->kernels));
    return kelvin_arena_create(&owned->arena);
}

kelvin_status kelvin_data_finish(kelvin_data **data, kelvin_status status)
{
    if (status) {
        kelvin_data_close(*data);
        *data = NULL;
    }
    return status;
}

static kelvin_status open_text(kelvin_data **data, const char *text, const kelvin_data *like)
{
    const struct data_type *type = kelvin_data_find_type(text);
    if (!type) return KELVIN_EUSAGE;
    kelvin_status status = kelvin_data_create(data);
    locale_t c, before = enter_c_locale(&c);
    if (!status) status = open_type(*data, type, text, like);
    leave_c_locale(c, before);
    return kelvin_data_finish(data, status);
}

kelvin_status kelvin_data_open_like(kelvin_data **data, const char *spec, const kelvin_data *like)
{
    char *text;
    *data = NULL;
    KELVIN_TRY(kelvin_data_spell(&text, spec));
    const kelvin_status status = open_text(data, text, like);
    kelvin_free(text);
    return status;
}

kelvin_status kelvin_data_open(kelvin_data **out, const char *spec)
{
    KELVIN_NEEDS(out);
    *out = NULL;
    KELVIN_NEEDS(spec);
    return kelvin_data_open_like(out, spec, NULL);
}

kelvin_status kelvin_data_from_arrays(kelvin_data **data, const kelvin_arrays *arrays)
{
    KELVIN_NEEDS(data);
    *data = NULL;
    KELVIN_NEEDS(arrays);
    kelvin_status status = kelvin_data_create(data);
    if (!status) status = take_arrays(*data, arrays);
    return kelvin_data_finish(data, status);
}

void kelvin_data_close(kelvin_data *data)
{
    if (!data) return;
    struct data_owned *owned = data->owned;
    if (owned) {
        kelvin_free(owned->bytes);
        kelvin_free(owned->x);
        kelvin_free(owned->y);
        kelvin_free(owned->weight);
        kelvin_arena_destroy(owned->arena);
    }
    kelvin_free(owned);
    kelvin_free(data);
}
