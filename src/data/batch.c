/* Batches: in which order observations come, what an epoch does to images, and the two put together.
 *
 * The paper flips and crops each image by itself. Its authors' program draws one crop per epoch, in 0 .. 6 of the 0 ..
 * 8 that a padding by 4 allows. */
#include "base/words.h"
#include "data/data.h"
#include "kernels/kernels.h"

#include <string.h>

enum { PAD = 4 };

static const struct augmentation {
    kelvin_member member;
    uint32_t offsets; /* of a crop, along each axis; 0: images stay as they are */
    bool each;        /* every image has a crop of its own */
} augmentations[KELVIN_AUGMENT_COUNT] = {
    [KELVIN_AUGMENT_NONE] = {KELVIN_PLAIN_MEMBER("none", "images as they are"), 0, false},
    [KELVIN_AUGMENT_PAPER] = {KELVIN_PLAIN_MEMBER(
                                  "paper", "each image flipped or not, padded by 4, cropped at an offset of its own"),
                              9, true},
    [KELVIN_AUGMENT_REFERENCE] = {KELVIN_PLAIN_MEMBER("reference",
                                                      "as the authors' program: flips per image, one crop per epoch"),
                                  7, false},
};

static const kelvin_member *augmentation_at(size_t i)
{
    return i < KELVIN_AUGMENT_COUNT ? &augmentations[i].member : NULL;
}

const kelvin_family kelvin_augment_family = {"augmentations", "augmentation", "augmentations", "of training images",
                                             augmentation_at};

kelvin_status kelvin_augment_parse(kelvin_augment *augment, const char *name)
{
    const kelvin_member *member;
    KELVIN_TRY(kelvin_family_find(&member, &kelvin_augment_family, name));
    *augment = (kelvin_augment)((const struct augmentation *)member - augmentations);
    return KELVIN_OK;
}

void kelvin_data_order(uint32_t *order, size_t n, const kelvin_epoch *epoch)
{
    const kelvin_random where = {epoch->seed, epoch->chain, epoch->epoch, KELVIN_STREAM_ORDER};
    const struct kelvin_kernels *kernels;
    if (kelvin_kernels_get(&kernels) == KELVIN_OK)
        kelvin_permutation_of(order, (uint32_t)n, where, kernels->random_bits);
    else
        kelvin_permutation(order, (uint32_t)n, where);
}

kelvin_view kelvin_epoch_view(const kelvin_epoch *epoch, size_t index)
{
    const uint32_t offsets = augmentations[epoch->augment].offsets;
    if (offsets == 0) return (kelvin_view){0};
    /* Three numbers per image; the crop of an epoch is that of its image 0. */
    const kelvin_random where = {epoch->seed, epoch->chain, epoch->epoch, KELVIN_STREAM_AUGMENT};
    const uint64_t own = 3 * (uint64_t)index, crop = augmentations[epoch->augment].each ? own : 0;
    return (kelvin_view){
        .flip = kelvin_random_bits(where, own) >> 31,
        .dy = (int)kelvin_uniform_int(where, crop + 1, offsets) - PAD,
        .dx = (int)kelvin_uniform_int(where, crop + 2, offsets) - PAD,
    };
}

static void put(float *x, const kelvin_data *data, const kelvin_part *part, size_t index, kelvin_view view)
{
    const struct data_owned *owned = data->owned;
    if (part->bytes)
        owned->kernels->image(x, part->bytes + index * data->inputs,
                              &(struct image){data->channels, data->height, data->width, owned->scale, owned->offset,
                                              view.flip, view.dy, view.dx});
    else
        memcpy(x, part->x + index * data->inputs, data->inputs * sizeof *x);
}

/* Observations that are asked for before they are needed: memory takes as long to answer as a small image takes to be
 * put together. */
enum { AHEAD = 2 };

/* Asks for the bytes of an image, which is anywhere in memory: they are on their way while another is put together. Of
 * a large one the first will do, the CPU itself asks for what follows. */
static void announce(const kelvin_data *data, const kelvin_part *part, size_t index)
{
    enum { LINE = 64, MOST = 4096 };
    const size_t bytes = data->inputs < MOST ? data->inputs : MOST;
    for (size_t i = 0; part->bytes && i < bytes; i += LINE) __builtin_prefetch(part->bytes + index * data->inputs + i);
}

void kelvin_data_announce(const kelvin_data *data, const kelvin_part *part, const uint32_t *index, size_t count)
{
    for (size_t i = 0; i < count && i < AHEAD; i++) announce(data, part, index[i]);
}

void kelvin_data_gather(const kelvin_data *data, const kelvin_part *part, float *x, int32_t *y, const uint32_t *index,
                        size_t count, const kelvin_epoch *epoch)
{
    for (size_t i = 0; x && i < count; i++) {
        if (i + AHEAD < count) announce(data, part, index[i + AHEAD]);
        put(x + i * data->inputs, data, part, index[i], epoch ? kelvin_epoch_view(epoch, index[i]) : (kelvin_view){0});
    }
    for (size_t i = 0; y && i < count; i++) y[i] = part->y[index[i]];
}

void kelvin_part_slice(const kelvin_data *data, const kelvin_part *part, float *x, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) put(x + i * data->inputs, data, part, first + i, (kelvin_view){0});
}
