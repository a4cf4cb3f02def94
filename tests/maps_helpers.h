/* What the tests of kernels on maps share: numbers, maps from planes and back, the same bits under every instruction
 * set. */
#ifndef TESTS_MAPS_HELPERS_H
#define TESTS_MAPS_HELPERS_H

#include "check.h"

#include "kernels/kernels.h"

/* The tables that can run here. */
static inline size_t tables(const struct kelvin_kernels *out[KELVIN_ISA_COUNT])
{
    size_t n = 0;
    for (int i = 0; i < KELVIN_ISA_COUNT; i++) {
        const struct kelvin_kernels *k = kelvin_kernels_for((kelvin_isa)i);
        if (k && kelvin_isa_supported((kelvin_isa)i)) out[n++] = k;
    }
    assert_true(n > 0);
    return n;
}

/* n standard normals; zeros for stream 0. */
static inline float *floats(kelvin_arena *arena, size_t n, uint32_t stream)
{
    float *x = kelvin_arena_alloc(arena, n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = stream ? (float)kelvin_normal((kelvin_random){7, 5, 3, stream}, i) : 0;
    return x;
}

/* n values of x; zeros if that is NULL. */
static inline double *doubles(kelvin_arena *arena, size_t n, const float *x)
{
    double *copy = kelvin_arena_alloc(arena, n, sizeof *copy);
    assert_non_null(copy);
    for (size_t i = 0; i < n; i++) copy[i] = x ? (double)x[i] : 0;
    return copy;
}

static inline double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static inline struct frame frame_max(struct frame a, struct frame b)
{
    return (struct frame){a.before > b.before ? a.before : b.before, a.after > b.after ? a.after : b.after};
}

/* n maps from planes, and a float after their end that nobody may touch. */
enum { AFTER_THE_END = 12345 };
static inline float *map_fill(kelvin_arena *arena, const struct map *map, const float *planes, size_t n,
                              const struct kelvin_kernels *k)
{
    float *x = floats(arena, n * map->size + 1, 0);
    x[n * map->size] = AFTER_THE_END;
    k->map_from_planes(x, planes, map, n);
    return x;
}

/* Where pixel (h, w), lane c of image i stands in the planes; NULL in frames and unused lanes. */
static inline const double *plane_at(const double *planes, const struct map *map, size_t i, size_t c, size_t h,
                                     size_t w)
{
    const size_t before = map->frame.before;
    if (c >= map->channels || h < before || h - before >= map->height || w < before || w - before >= map->width)
        return NULL;
    return planes + ((i * map->channels + c) * map->height + h - before) * map->width + w - before;
}

/* The pixels are as expected, planes (n, channels, height, width); frames and unused lanes are zero. */
static inline void assert_map(const float *x, const struct map *map, const double *planes, size_t n, double tolerance)
{
    const size_t around = map->frame.before + map->frame.after;
    const float *at = x;
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < map->blocks; b++)
            for (size_t h = 0; h < map->height + around; h++)
                for (size_t w = 0; w < map->width + around; w++)
                    for (size_t lane = 0; lane < KELVIN_LANES; lane++, at++) {
                        const double *expected = plane_at(planes, map, i, b * KELVIN_LANES + lane, h, w);
                        if (!(fabs((double)*at - (expected ? *expected : 0)) <= (expected ? tolerance : 0)))
                            fail_msg("image %zu, block %zu, lane %zu, place (%zu, %zu): %.9g instead of %.9g, allowed "
                                     "%g",
                                     i, b, lane, h, w, (double)*at, expected ? *expected : 0, tolerance);
                    }
    assert_true(*at == (float)AFTER_THE_END);
}

/* ---- the same bits ---- */

/* What the first table with FMA made, as one number per array, in the order of the calls. */
static struct made {
    uint64_t sum[256];
    size_t n, next;
} made;

/* Before all tables. */
static inline void forget_bits(void)
{
    made = (struct made){.n = 0};
}

/* Before each table. */
static inline void next_table(void)
{
    made.next = 0;
}

static inline void assert_same_bits(const struct kelvin_kernels *k, const float *x, size_t n)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a, by words */
    if (!k->fma) return;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    assert_true(made.next < sizeof made.sum / sizeof *made.sum);
    if (made.next == made.n) made.sum[made.n++] = sum;
    if (made.sum[made.next++] != sum)
        fail_msg("array %zu: other bits under instruction set %d", made.next, (int)k->isa);
}

#endif
