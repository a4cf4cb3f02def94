/* batches: what an epoch does to images, against plain loops and the frequencies that it should have. */
#include "check.h"

#include "base/threads.h"
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

/* ---- views ---- */

enum { DRAWS = 100000 };

/* A count of `n` draws with probability p, within five standard errors. */
static void assert_frequency(size_t count, size_t n, double p)
{
    assert_near((double)count, (double)n * p, 5 * sqrt((double)n * p * (1 - p)));
}

static void paper_frequencies(void **state)
{
    (void)state;
    static size_t crops[9][9][2];
    size_t flips = 0, same[4] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        const kelvin_epoch epoch = {7, 3, (uint32_t)(i / 1000), KELVIN_AUGMENT_PAPER};
        /* The same image in another epoch, chain, seed; another image. */
        const kelvin_epoch others[4] = {{7, 3, epoch.epoch + 1000, epoch.augment},
                                        {7, 4, epoch.epoch, epoch.augment},
                                        {8, 3, epoch.epoch, epoch.augment},
                                        epoch};
        const kelvin_view v = kelvin_epoch_view(&epoch, i % 1000);
        for (size_t k = 0; k < 4; k++) {
            const kelvin_view u = kelvin_epoch_view(&others[k], i % 1000 + (k == 3));
            same[k] += v.dy == u.dy && v.dx == u.dx && v.flip == u.flip;
        }
        assert_in_range(v.dy + 4, 0, 8);
        assert_in_range(v.dx + 4, 0, 8);
        flips += v.flip;
        crops[v.dy + 4][v.dx + 4][v.flip]++;
    }
    assert_frequency(flips, DRAWS, 0.5);
    for (size_t k = 0; k < 4; k++) assert_frequency(same[k], DRAWS, 1.0 / 162);
    /* All 162 views are equally likely: chi-squared with 161 degrees of freedom has mean 161 and deviation 17.9. */
    double chi2 = 0;
    for (size_t i = 0; i < 162; i++) {
        const double expected = DRAWS / 162.0, found = (double)(&crops[0][0][0])[i];
        chi2 += (found - expected) * (found - expected) / expected;
    }
    assert_near(chi2, 161, 5 * sqrt(2 * 161));
}

static void reference_frequencies(void **state)
{
    (void)state;
    size_t flips = 0, crops[7][7] = {{0}};
    for (size_t e = 0; e < DRAWS / 10; e++) {
        const kelvin_epoch epoch = {7, 3, (uint32_t)e, KELVIN_AUGMENT_REFERENCE};
        const kelvin_view first = kelvin_epoch_view(&epoch, 0);
        assert_in_range(first.dy + 4, 0, 6);
        assert_in_range(first.dx + 4, 0, 6);
        crops[first.dy + 4][first.dx + 4]++;
        for (size_t i = 0; i < 10; i++) {
            const kelvin_view v = kelvin_epoch_view(&epoch, i);
            assert_true(v.dy == first.dy && v.dx == first.dx);
            flips += v.flip;
        }
    }
    assert_frequency(flips, DRAWS, 0.5);
    for (size_t i = 0; i < 49; i++) assert_frequency((&crops[0][0])[i], DRAWS / 10, 1.0 / 49);
}

static void no_augmentation(void **state)
{
    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        const kelvin_view v = kelvin_epoch_view(&(kelvin_epoch){1, 2, 3, KELVIN_AUGMENT_NONE}, i);
        assert_true(!v.flip && v.dy == 0 && v.dx == 0);
    }
}

static void names(void **state)
{
    (void)state;
    const kelvin_member *member;
    kelvin_augment found;
    size_t n = 0;
    for (; (member = kelvin_family_member(&kelvin_augment_family, n)); n++) {
        assert_ok(kelvin_augment_parse(&found, member->name));
        assert_int_equal(found, n);
        assert_true(*member->about);
    }
    assert_int_equal(n, KELVIN_AUGMENT_COUNT);
    assert_int_equal(kelvin_augment_parse(&found, "papers"), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "unknown augmentation 'papers'; did you mean 'paper'?");
}

/* ---- order ---- */

static void orders(void **state)
{
    (void)state;
    enum { N = 1000, EPOCHS = 2000 };
    static uint32_t order[N], other[N];
    static bool seen[N];
    const kelvin_epoch epoch = {.seed = 5, .chain = 2, .epoch = 9};
    kelvin_data_order(order, N, &epoch);
    for (size_t i = 0; i < N; i++) {
        assert_true(order[i] < N && !seen[order[i]]);
        seen[order[i]] = true;
    }
    const kelvin_epoch others[] = {{6, 2, 9, 0}, {5, 3, 9, 0}, {5, 2, 10, 0}};
    for (size_t k = 0; k < 3; k++) {
        kelvin_data_order(other, N, &others[k]);
        size_t same = 0; /* Poisson with mean 1 */
        for (size_t i = 0; i < N; i++) same += order[i] == other[i];
        assert_true(same < 12);
    }
    kelvin_epoch augmented = epoch; /* the order is the same whatever is done to the images */
    augmented.augment = KELVIN_AUGMENT_PAPER;
    kelvin_data_order(other, N, &augmented);
    assert_memory_equal(order, other, sizeof order);

    double sum = 0; /* the first of an order is uniform: mean (n - 1) / 2, variance (n^2 - 1) / 12 */
    for (uint32_t e = 0; e < EPOCHS; e++) {
        kelvin_data_order(order, 10, &(kelvin_epoch){.epoch = e});
        sum += order[0];
    }
    assert_near(sum / EPOCHS, 4.5, 5 * sqrt(99.0 / 12 / EPOCHS));
}

/* ---- batches ---- */

/* Pixel (y, x) of channel c of an observation, by definition. */
static double expected_pixel(const kelvin_data *data, size_t index, kelvin_view view, size_t c, size_t y, size_t x)
{
    const int from_y = (int)y + view.dy, from_x = (int)x + view.dx, height = (int)data->height,
              width = (int)data->width;
    if (from_y < 0 || from_y >= height || from_x < 0 || from_x >= width) return 0;
    const int column = view.flip ? width - 1 - from_x : from_x;
    const uint8_t byte =
        data->train.bytes[index * data->inputs + (c * data->height + (size_t)from_y) * data->width + (size_t)column];
    return ((double)byte / (double)data->white - (double)data->mean[c]) / (double)data->deviation[c];
}

static void gathered_images(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, "digits"));
    uint32_t *order = calloc(data->train.n, sizeof *order);
    float *x = calloc(COUNT * data->inputs, sizeof *x);
    int32_t y[COUNT];
    for (int a = 0; a < KELVIN_AUGMENT_COUNT; a++) {
        const kelvin_epoch epoch = {11, 1, 4, (kelvin_augment)a};
        size_t zeros = 0;
        kelvin_data_order(order, data->train.n, &epoch);
        kelvin_data_gather(data, &data->train, x, y, order, COUNT, &epoch);
        for (size_t i = 0; i < COUNT; i++) {
            const kelvin_view view = kelvin_epoch_view(&epoch, order[i]);
            assert_int_equal(y[i], data->train.y[order[i]]);
            for (size_t j = 0; j < data->inputs; j++) {
                const double expected = expected_pixel(data, order[i], view, 0, j / data->width, j % data->width);
                /* two roundings of numbers up to 3, and the rounded factor and summand */
                assert_near((double)x[i * data->inputs + j], expected, 1e-6);
                zeros += x[i * data->inputs + j] == 0;
            }
        }
        assert_true(a == KELVIN_AUGMENT_NONE ? zeros == 0 : zeros > 1000); /* what is padded is 0, not black */
    }
    free(order);
    free(x);
    kelvin_data_close(data);
}

static void slices_are_plain(void **state)
{
    (void)state;
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, "digits"));
    const uint32_t index[] = {20, 21, 22};
    float a[3 * 64], b[3 * 64];
    kelvin_part_slice(data, &data->test, a, 20, 3);
    kelvin_data_gather(data, &data->test, b, NULL, index, 3, NULL);
    assert_memory_equal(a, b, sizeof a);
    assert_near((double)a[70],
                ((double)data->test.bytes[21 * 64 + 6] / 16 - (double)data->mean[0]) / (double)data->deviation[0],
                1e-6);
    kelvin_data_close(data);

    kelvin_epoch epoch = {.augment = KELVIN_AUGMENT_PAPER}; /* a table has nothing to flip */
    assert_ok(kelvin_data_open(&data, "toy"));
    kelvin_data_gather(data, &data->train, a, NULL, (uint32_t[]){3, 17}, 2, &epoch);
    assert_memory_equal(a, data->train.x + 6, 2 * sizeof(float));
    assert_memory_equal(a + 2, data->train.x + 34, 2 * sizeof(float));
    kelvin_data_close(data);
}

/* ---- threads ---- */

enum { PIECES = 23 };

struct shared {
    const kelvin_data *data;
    const kelvin_epoch *epoch;
    const uint32_t *order;
    float *x;
    int32_t *y;
};

static kelvin_status piece(void *context, size_t task)
{
    const struct shared *s = context;
    const size_t n = s->data->train.n, first = n * task / PIECES, last = n * (task + 1) / PIECES;
    kelvin_data_gather(s->data, &s->data->train, s->x + first * s->data->inputs, s->y + first, s->order + first,
                       last - first, s->epoch);
    return KELVIN_OK;
}

static void same_bits_with_any_threads(void **state)
{
    (void)state;
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, "digits"));
    const kelvin_epoch epoch = {1, 0, 2, KELVIN_AUGMENT_PAPER};
    const size_t n = data->train.n, bytes = n * data->inputs * sizeof(float);
    uint32_t *order = calloc(n, sizeof *order);
    float *whole = calloc(n, data->inputs * sizeof *whole), *x = calloc(n, data->inputs * sizeof *x);
    int32_t *y = calloc(n, sizeof *y);
    kelvin_data_order(order, n, &epoch);
    kelvin_data_gather(data, &data->train, whole, NULL, order, n, &epoch);
    for (size_t threads = 1; threads <= 7; threads += threads) {
        kelvin_pool *pool;
        struct shared shared = {data, &epoch, order, x, y};
        memset(x, 0xff, bytes);
        assert_ok(kelvin_pool_create(&pool, threads));
        assert_ok(kelvin_pool_run(pool, piece, &shared, PIECES));
        kelvin_pool_destroy(pool);
        assert_memory_equal(whole, x, bytes);
        for (size_t i = 0; i < n; i++) assert_int_equal(y[i], data->train.y[order[i]]);
    }
    free(order);
    free(whole);
    free(x);
    free(y);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_frequencies),
        cmocka_unit_test(reference_frequencies),
        cmocka_unit_test(no_augmentation),
        cmocka_unit_test(names),
        cmocka_unit_test(orders),
        cmocka_unit_test(gathered_images),
        cmocka_unit_test(slices_are_plain),
        cmocka_unit_test(same_bits_with_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
