/* Folders of pictures: one folder for each class. Files are decoded on all cores, each into its place. */
#include "base/texts.h"
#include "base/threads.h"
#include "data/inputs.h"
#include "data/listing.h"
#include "data/picture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 4096, USUAL_SIDE = 32 /* of pictures of different sizes */ };

struct images {
    struct data_loader *loader;
    struct listing list;
    bool resize;         /* to the height and width in loader->data; otherwise all have it */
    bool fixed_channels; /* channels= was given */
    atomic_bool colour;  /* a picture has colour although all before seemed to be grey */
    atomic_bool differ;  /* a picture has another size than the first, and none was given */
};

/* ---- the name ---- */

static bool read_side(size_t *side, const char **at)
{
    char *end;
    if (**at < '1' || **at > '9') return false;
    const unsigned long value = strtoul(*at, &end, 10);
    *at = end;
    *side = value;
    return value <= MAX_SIDE;
}

static kelvin_status read_size(struct images *images)
{
    kelvin_data *data = images->loader->data;
    const char *size = kelvin_data_spec_value(images->loader->spec, "size"), *at = size;
    if (!size) return KELVIN_OK;
    images->resize = true;
    bool good = read_side(&data->width, &at);
    data->height = data->width;
    if (good && *at == 'x') {
        at++;
        good = read_side(&data->height, &at);
    }
    if (good && !*at) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': size is '%s'; expected a side or WIDTHxHEIGHT, each from 1 to %d",
                       data->name, size, MAX_SIDE);
}

static kelvin_status read_channels(struct images *images)
{
    kelvin_data *data = images->loader->data;
    const char *channels = kelvin_data_spec_value(images->loader->spec, "channels");
    if (!channels) return KELVIN_OK;
    images->fixed_channels = true;
    data->channels = channels[0] == '1' ? 1 : 3;
    if ((channels[0] == '1' || channels[0] == '3') && !channels[1]) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': channels is '%s'; expected 1 (grey) or 3 (colour)", data->name,
                       channels);
}

/* ---- one picture ---- */

static kelvin_status take(struct images *images, size_t i, const struct picture *picture)
{
    const kelvin_data *data = images->loader->data;
    const bool same = picture->height == data->height && picture->width == data->width;
    if (!same && !images->resize) {
        atomic_store(&images->differ, true);
        return KELVIN_OK;
    }
    if (picture->channels > data->channels && !images->fixed_channels) {
        atomic_store(&images->colour, true);
        return KELVIN_OK;
    }
    return kelvin_picture_fit(images->loader->bytes + i * data->inputs, data, picture);
}

static kelvin_status load_one(void *context, size_t i)
{
    struct images *images = context;
    struct picture picture;
    if (atomic_load(&images->colour) || atomic_load(&images->differ)) return KELVIN_OK; /* all are loaded again */
    KELVIN_TRY(kelvin_picture_read(&picture, images->list.files[i].path));
    const kelvin_status status = take(images, i, &picture);
    kelvin_picture_free(&picture);
    return status;
}

/* ---- all of them ---- */

/* What was not given is as in the first picture. */
static kelvin_status look_at_first(struct images *images)
{
    kelvin_data *data = images->loader->data;
    struct picture first;
    KELVIN_TRY(kelvin_picture_read(&first, images->list.files[0].path));
    if (!images->resize) data->height = first.height, data->width = first.width;
    if (!images->fixed_channels) data->channels = first.channels;
    kelvin_picture_free(&first);
    return KELVIN_OK;
}

static kelvin_status load_all(struct images *images)
{
    struct data_loader *loader = images->loader;
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_data_alloc_rows(loader, images->list.n));
    KELVIN_TRY(kelvin_pool_create(&pool, 0));
    const kelvin_status status = kelvin_pool_run(pool, load_one, images, images->list.n);
    kelvin_pool_destroy(pool);
    const bool colour = atomic_exchange(&images->colour, false), differ = atomic_exchange(&images->differ, false);
    if (!colour && !differ) return status;
    /* Grey ones came first, or those of one size: once more, in colour or in a size for all. What failed will again. */
    kelvin_free(loader->bytes);
    kelvin_free(loader->y);
    loader->bytes = NULL;
    loader->y = NULL;
    if (colour) loader->data->channels = 3;
    if (differ) {
        images->resize = true;
        loader->data->height = loader->data->width = USUAL_SIDE;
    }
    return load_all(images);
}

static kelvin_status keep_labels(struct images *images)
{
    struct data_loader *loader = images->loader;
    const struct listing *list = &images->list;
    const char **names = kelvin_arena_alloc(loader->arena, list->n_classes, sizeof *names);
    if (!names) return KELVIN_ENOMEM;
    for (size_t c = 0; c < list->n_classes; c++) {
        char *utf8 = kelvin_utf8(list->classes[c]); /* a run is described in JSON */
        names[c] = utf8 ? kelvin_arena_text(loader->arena, utf8, strlen(utf8)) : NULL;
        kelvin_free(utf8);
        if (!names[c]) return KELVIN_ENOMEM;
    }
    for (size_t i = 0; i < list->n; i++) loader->y[i] = list->files[i].class;
    loader->data->class_names = names;
    loader->data->classes = list->n_classes;
    loader->n_train = list->n_train;
    return KELVIN_OK;
}

static kelvin_status load(struct images *images, kelvin_arena *names)
{
    const struct data_spec *spec = images->loader->spec;
    const kelvin_data *like = images->loader->like;
    kelvin_data *data = images->loader->data;
    KELVIN_TRY(read_size(images));
    KELVIN_TRY(read_channels(images));
    if (like && like->channels > 0) { /* new inputs become as those that a network was trained on */
        images->resize = images->fixed_channels = true;
        data->channels = like->channels;
        data->height = like->height;
        data->width = like->width;
    }
    KELVIN_TRY(kelvin_listing_make(&images->list, names, spec->files[0], kelvin_data_spec_value(spec, "test")));
    if (images->list.n_train < images->list.n) KELVIN_TRY(kelvin_data_spec_no_split(spec, "a folder for testing"));
    KELVIN_TRY(look_at_first(images));
    KELVIN_TRY(load_all(images));
    return keep_labels(images);
}

static kelvin_status open(struct data_loader *loader)
{
    struct images images = {.loader = loader};
    kelvin_arena *names;
    KELVIN_TRY(kelvin_arena_create(&names));
    const kelvin_status status = load(&images, names);
    kelvin_arena_destroy(names);
    return status;
}

const struct data_type kelvin_data_images = {
    .member =
        KELVIN_MEMBER("images", "images:FOLDER[,test=FOLDER][,size=S|WxH][,channels=1|3][,split=SHARE][,seed=N]",
                      "PNG and JPEG pictures, one folder per class; train and test folders, or a share for testing"),
    .files = {"FOLDER"},
    .keys = {"test", "size", "channels", "split", "seed"},
    .open = open,
    .inputs = &kelvin_inputs_pictures,
};
