/* kelvin-bench data: what opening a data set costs, in time and in memory, and what a batch costs. CIFAR-10 where it is
 * in the cache; the built-in digits where not. */
#include "bench/bench.h"
#include "data/dataset.h"

#include <kelvin/data.h>

#include <stdio.h>

enum { OPENINGS = 5, BATCH = 125, ORDERS = 20 };

enum {
    OPEN_SECONDS,
    RESIDENT_MB_BEFORE,
    RESIDENT_MB,
    US_PER_BATCH,
    US_PER_BATCH_MEDIAN,
    US_PER_PLAIN_BATCH,
    IMAGES_PER_S,
    GB_PER_S,
    US_PER_ORDER,
    TRAIN_IMAGES,
    CHANNELS,
    HEIGHT,
    WIDTH,
    BATCH_IMAGES,
    ROWS
};
_Static_assert((int)ROWS <= (int)BENCH_ROWS, "there is room for all values");

static const struct bench_row rows[ROWS] = {
    [OPEN_SECONDS] = {"open_seconds", "opening, best", "s", 3, 1, 0.3},
    [RESIDENT_MB_BEFORE] = {"resident_mb_before", "resident before", "MB", 1, 1, 0},
    [RESIDENT_MB] = {"resident_mb", "resident at most", "MB", 1, 1, 190},
    [US_PER_BATCH] = {"us_per_batch", "batch, augmented, best", "us", 1, 1, 500},
    [US_PER_BATCH_MEDIAN] = {"us_per_batch_median", "batch, augmented, median", "us", 1, 1, 0},
    [US_PER_PLAIN_BATCH] = {"us_per_plain_batch", "batch, as it is, best", "us", 1, 1, 0},
    [IMAGES_PER_S] = {"images_per_s", "augmented images per second", "", 0, 1, 0},
    [GB_PER_S] = {"gb_per_s", "augmented, written", "GB/s", 2, 1, 0},
    [US_PER_ORDER] = {"us_per_order", "order of an epoch, best", "us", 1, 1, 0},
    [TRAIN_IMAGES] = {"train_images", NULL, "", 0, 1, 0},
    [CHANNELS] = {"channels", NULL, "", 0, 1, 0},
    [HEIGHT] = {"height", NULL, "", 0, 1, 0},
    [WIDTH] = {"width", NULL, "", 0, 1, 0},
    [BATCH_IMAGES] = {"batch_images", NULL, "", 0, 1, 0},
};

static kelvin_status open_best(kelvin_data **data, double *value, const char *name)
{
    double seconds[OPENINGS];
    value[RESIDENT_MB_BEFORE] = bench_resident_mb("VmRSS");
    for (size_t i = 0; i < OPENINGS; i++) {
        kelvin_data_close(*data);
        const double start = kelvin_now();
        KELVIN_TRY(kelvin_data_open(data, name));
        seconds[i] = kelvin_now() - start;
    }
    value[OPEN_SECONDS] = bench_times(seconds, OPENINGS).best;
    value[RESIDENT_MB] = bench_resident_mb("VmHWM");
    return KELVIN_OK;
}

/* Memory of one epoch. */
struct room {
    uint32_t *order;
    float *x;
    int32_t *y;
    double *seconds; /* one per batch */
};

/* All batches of an epoch, each timed. */
static struct bench_times time_batches(const struct room *room, const kelvin_data *data, const kelvin_epoch *epoch)
{
    const size_t batches = data->train.n / BATCH;
    for (size_t i = 0; i < batches; i++) {
        const double start = kelvin_now();
        kelvin_data_gather(data, &data->train, room->x, room->y, room->order + i * BATCH, BATCH, epoch);
        room->seconds[i] = kelvin_now() - start;
    }
    return bench_times(room->seconds, batches);
}

static struct bench_times time_orders(const struct room *room, const kelvin_data *data)
{
    double seconds[ORDERS];
    for (uint32_t i = 0; i < ORDERS; i++) {
        const double start = kelvin_now();
        kelvin_data_order(room->order, data->train.n, &(kelvin_epoch){.seed = 1, .epoch = i});
        seconds[i] = kelvin_now() - start;
    }
    return bench_times(seconds, ORDERS);
}

static kelvin_status measure_batches(double *value, struct room *room, const kelvin_data *data)
{
    const kelvin_epoch augmented = {.seed = 1, .augment = KELVIN_AUGMENT_PAPER};
    room->order = kelvin_alloc(data->train.n, sizeof *room->order);
    room->x = kelvin_alloc(BATCH * data->inputs, sizeof *room->x);
    room->y = kelvin_alloc(BATCH, sizeof *room->y);
    room->seconds = kelvin_alloc(data->train.n / BATCH, sizeof *room->seconds);
    if (!room->order || !room->x || !room->y || !room->seconds) return KELVIN_ENOMEM;
    value[US_PER_ORDER] = time_orders(room, data).best * 1e6;
    time_batches(room, data, &augmented); /* once, for the caches */
    const struct bench_times times = time_batches(room, data, &augmented);
    value[US_PER_BATCH] = times.best * 1e6;
    value[US_PER_BATCH_MEDIAN] = times.median * 1e6;
    value[US_PER_PLAIN_BATCH] = time_batches(room, data, NULL).best * 1e6;
    value[IMAGES_PER_S] = BATCH / times.best;
    value[GB_PER_S] = (double)(BATCH * data->inputs * sizeof *room->x) / times.best / 1e9;
    return KELVIN_OK;
}

static void describe(struct bench_results *r, const kelvin_data *data)
{
    r->value[TRAIN_IMAGES] = (double)data->train.n;
    r->value[CHANNELS] = (double)data->channels;
    r->value[HEIGHT] = (double)data->height;
    r->value[WIDTH] = (double)data->width;
    r->value[BATCH_IMAGES] = BATCH;
    snprintf(r->about, sizeof r->about, "%s: %zu training images of %zux%zux%zu, batches of %d, one core%s", r->data,
             data->train.n, data->channels, data->height, data->width, BATCH,
             r->aims ? "" : " (cifar10 is not in the cache: kelvin data cifar10)");
}

static kelvin_status measure(struct bench_results *r, const struct bench_settings *settings,
                             const struct kelvin_kernels *kernels)
{
    (void)settings, (void)kernels;
    kelvin_data *data = NULL;
    struct room room = {0};
    r->threads = 1;
    r->data = "cifar10";
    r->aims = true;
    kelvin_status status = open_best(&data, r->value, r->data);
    if (status == KELVIN_EIO || status == KELVIN_EUSAGE) { /* it is not there, or there is no cache */
        r->data = "digits";
        r->aims = false;
        status = open_best(&data, r->value, r->data);
    }
    if (!status) status = measure_batches(r->value, &room, data);
    if (!status) describe(r, data);
    kelvin_free(room.order);
    kelvin_free(room.x);
    kelvin_free(room.y);
    kelvin_free(room.seconds);
    kelvin_data_close(data);
    return status;
}

const struct benchmark data_benchmark = {"data", rows, ROWS, measure};
