/* Pictures as inputs: one, or those of a folder. Each call decodes so many of them, on all cores, each into its place.
 */
#include "base/threads.h"
#include "data/inputs.h"

#include "base/texts.h"
#include "data/listing.h"
#include "data/picture.h"

#include <stdio.h>
#include <string.h>

struct state {
    struct listing list;
    int32_t *class; /* of `like`, for each folder */
    kelvin_pool *pool;
};

static kelvin_status one_file(struct listing *list, kelvin_inputs *in)
{
    struct listed *file = kelvin_arena_alloc(in->arena, 1, sizeof *file);
    if (!file) return KELVIN_ENOMEM;
    *file = (struct listed){in->file, -1};
    *list = (struct listing){.files = file, .n = 1};
    return KELVIN_OK;
}

static kelvin_status match(kelvin_inputs *in, struct state *s, const char *folder)
{
    if (!(s->class = kelvin_arena_alloc(in->arena, s->list.n_classes, sizeof *s->class))) return KELVIN_ENOMEM;
    for (size_t c = 0; c < s->list.n_classes; c++) {
        char *utf8 = kelvin_utf8(s->list.classes[c]); /* as classes are, whatever the folders are */
        if (!utf8) return KELVIN_ENOMEM;
        s->class[c] = kelvin_labels_find(in->classes, utf8);
        kelvin_free(utf8);
        char where[KELVIN_PATH_MAX + 16];
        snprintf(where, sizeof where, "%s/%s", folder, s->list.classes[c]);
        if (in->labels && s->class[c] < 0) return kelvin_inputs_no_class(in, where, s->list.classes[c]);
    }
    return KELVIN_OK;
}

static kelvin_status open(kelvin_inputs *in)
{
    struct state *s = in->state;
    const char *place = in->spec.files[0], *test = kelvin_data_spec_value(&in->spec, "test");
    const bool folder = kelvin_is_folder(place);
    if (in->like->channels == 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is %s; the network takes rows of %zu numbers: give a table, as CSV",
                           place, folder ? "a folder" : "a picture", in->like->inputs);
    KELVIN_TRY(in->file && !folder ? one_file(&s->list, in) : kelvin_listing_inputs(&s->list, in->arena, place, test));
    in->rows = s->list.n;
    in->labelled = s->list.n_classes > 0;
    if (in->labels && !in->labelled) return kelvin_inputs_no_labels(place, "pictures in one folder for each class");
    KELVIN_TRY(match(in, s, place));
    return s->list.n > 1 ? kelvin_pool_create(&s->pool, 0) : KELVIN_OK;
}

static kelvin_status load_one(void *context, size_t i)
{
    const kelvin_inputs *in = context;
    const kelvin_data *like = in->like;
    struct picture picture;
    KELVIN_TRY(kelvin_picture_read(&picture, in->names[i]));
    const kelvin_status status = kelvin_picture_fit(in->bytes + i * like->inputs, like, &picture);
    kelvin_picture_free(&picture);
    return status;
}

static kelvin_status next(kelvin_inputs *in)
{
    struct state *s = in->state;
    for (size_t i = 0; i < in->most; i++) in->names[i] = s->list.files[in->before + i].path;
    KELVIN_TRY(s->pool ? kelvin_pool_run(s->pool, load_one, in, in->most) : load_one(in, 0));
    kelvin_inputs_normalise(in);
    for (size_t i = 0; i < in->most && in->labelled; i++) in->y[i] = s->class[s->list.files[in->before + i].class];
    return KELVIN_OK;
}

static void close_pictures(kelvin_inputs *in)
{
    struct state *s = in->state;
    kelvin_pool_destroy(s->pool);
}

static const struct data_type spec = {
    .member = KELVIN_MEMBER("images", "images:FOLDER[,test=FOLDER][,split=SHARE][,seed=N]", NULL),
    .files = {"FOLDER"},
    .keys = {"test", "size", "channels", "split", "seed"}, /* size and channels are as in training */
};

const struct inputs_type kelvin_inputs_pictures = {&spec, sizeof(struct state), open, next, close_pictures, NULL};
