/* The one loop that all convolutions come down to: a small block of outer products, summed in registers.
 *
 *     sum[r][lane] += sum over i of a[i * step_a + r * row_a] * b[i * step_b + lane],   r = 0 .. rows - 1
 *
 * Forward and backward to the data, i are input channels, r pixels (or tiles), lanes output channels; for gradients of
 * weights, i are pixels (or tiles) and r input channels. Each element of the sum is one chain of fused multiply-adds in
 * the order of i, whatever the size of the block: the bits do not depend on the instruction set. */
#ifndef KERNELS_PRODUCT_H
#define KERNELS_PRODUCT_H

#include "kernels/wide.h"

/* Rows that fit into the registers beside one block of lanes. */
#if defined(__AVX512F__)
enum { PRODUCT_ROWS = 12 };
#elif defined(__AVX2__) || defined(__aarch64__)
enum { PRODUCT_ROWS = 6 };
#else
enum { PRODUCT_ROWS = 2 };
#endif

/* Blocks of lanes whose sums fit side by side: each a is then loaded once for all of them. */
#if defined(__AVX512F__)
enum { PRODUCT_BLOCKS = 2 };
#else
enum { PRODUCT_BLOCKS = 1 };
#endif

enum { PRODUCT_UNROLL = 2, PRODUCT_VECTORS = PRODUCT_BLOCKS * PER_BLOCK };

struct product {
    const float *a, *b;
    size_t n, step_a, row_a, step_b;
    size_t next_b; /* floats of b from one block of lanes to the next; of one block alone it does not matter */
};

/* Where vector v of some blocks stands, `next` floats from block to block. */
INLINE size_t product_lane(int v, size_t next)
{
    return (size_t)(v / PER_BLOCK) * next + (size_t)(v % PER_BLOCK) * WIDE;
}

/* Number i of p->n: `first` of its sum, or to be added. Sums stay in registers only if `rows` and `blocks` are
 * constants where this is inlined. */
INLINE void product_one(wide sum[][PRODUCT_VECTORS], int rows, int blocks, const struct product *p, size_t i,
                        bool first)
{
    wide b[PRODUCT_VECTORS];
    UNROLLED(v, blocks * PER_BLOCK) b[v] = wide_load(p->b + i * p->step_b + product_lane(v, p->next_b));
    UNROLLED(r, rows) {
        const wide a = wide_set(p->a[i * p->step_a + (size_t)r * p->row_a]);
        UNROLLED(v, blocks * PER_BLOCK) sum[r][v] = first ? a * b[v] : wide_fma(a, b[v], sum[r][v]);
    }
}

/* What was multiplied is stepped over. */
INLINE void product_step(struct product *p, size_t n)
{
    p->a += n * p->step_a;
    p->b += n * p->step_b;
    p->n -= n;
}

/* A sum starts with its first product: nothing has to be set to zero. */
INLINE void product_first(wide sum[][PRODUCT_VECTORS], int rows, int blocks, struct product *p)
{
    product_one(sum, rows, blocks, p, 0, true);
    product_step(p, 1);
}

/* All that are left. */
INLINE void product_add(wide sum[][PRODUCT_VECTORS], int rows, int blocks, struct product *p)
{
    for (; p->n >= PRODUCT_UNROLL; product_step(p, PRODUCT_UNROLL))
        UNROLLED(i, PRODUCT_UNROLL) product_one(sum, rows, blocks, p, (size_t)i, false);
    for (; p->n > 0; product_step(p, 1)) product_one(sum, rows, blocks, p, 0, false);
}

/* rows of 16, block after block */
INLINE void product_load(wide sum[][PRODUCT_VECTORS], const float *from, int rows, int blocks, size_t next)
{
    UNROLLED(r, rows)
        UNROLLED(v, blocks * PER_BLOCK) sum[r][v] = wide_load(from + r * KELVIN_LANES + product_lane(v, next));
}

INLINE void product_store(float *to, wide sum[][PRODUCT_VECTORS], int rows, int blocks, size_t next)
{
    UNROLLED(r, rows)
        UNROLLED(v, blocks * PER_BLOCK) wide_store(to + r * KELVIN_LANES + product_lane(v, next), sum[r][v]);
}

/* Calls CALL(rows) with the constant that `rows` is, 1 .. PRODUCT_ROWS. */
#define ROWS_CASE(CALL, n)                                                                                             \
    case n:                                                                                                            \
        CALL(n);                                                                                                       \
        break;
#if defined(__AVX512F__)
#define ROWS_CASES(CALL)                                                                                               \
    ROWS_CASE(CALL, 2)                                                                                                 \
    ROWS_CASE(CALL, 3)                                                                                                 \
    ROWS_CASE(CALL, 4)                                                                                                 \
    ROWS_CASE(CALL, 5)                                                                                                 \
    ROWS_CASE(CALL, 6)                                                                                                 \
    ROWS_CASE(CALL, 7)                                                                                                 \
    ROWS_CASE(CALL, 8) ROWS_CASE(CALL, 9) ROWS_CASE(CALL, 10) ROWS_CASE(CALL, 11)
#elif defined(__AVX2__) || defined(__aarch64__)
#define ROWS_CASES(CALL) ROWS_CASE(CALL, 2) ROWS_CASE(CALL, 3) ROWS_CASE(CALL, 4) ROWS_CASE(CALL, 5)
#else
#define ROWS_CASES(CALL)
#endif
#define WITH_CONSTANT_ROWS(rows, CALL)                                                                                 \
    switch (rows) {                                                                                                    \
        ROWS_CASE(CALL, 1)                                                                                             \
        ROWS_CASES(CALL)                                                                                               \
    default:                                                                                                           \
        CALL(PRODUCT_ROWS);                                                                                            \
        break;                                                                                                         \
    }

/* How many of `left` rows to take now: as many as fit, but the last two times about as many each, so that no short one,
 * which would wait for its own sums, is left over. */
INLINE size_t product_rows(size_t left)
{
    if (left >= 2 * PRODUCT_ROWS) return PRODUCT_ROWS;
    return left <= PRODUCT_ROWS ? left : (left + 1) / 2;
}

#endif
