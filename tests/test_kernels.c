/* kernels: every one, under every instruction set that this CPU has, against plain loops in double; and the same bits
 * under all of those with FMA. */
#include "check.h"

#include "kernels/kernels.h"
#include "kernels/vmath.h"

#include <float.h>
#include <stdlib.h>

enum { UNITS = 40, FLOATS = 4096, SLOTS = 5 };

static float noise(uint32_t stream, size_t i)
{
    return (float)kelvin_normal((kelvin_random){3, 1, 4, stream}, i);
}

/* The tables that can run here; the first one is the baseline. */
static size_t tables(const struct kelvin_kernels *out[KELVIN_ISA_COUNT])
{
    size_t n = 0;
    for (int i = 0; i < KELVIN_ISA_COUNT; i++) {
        const struct kelvin_kernels *k = kelvin_kernels_for((kelvin_isa)i);
        if (k && kelvin_isa_supported((kelvin_isa)i)) out[n++] = k;
    }
    assert_true(n > 0 && out[0]->isa == KELVIN_ISA_BASELINE);
    return n;
}

/* Same bits as the first table with FMA, if this one has FMA. What one table makes before the next one's turn is kept
 * in slots of its own. */
static void assert_same_bits(const struct kelvin_kernels *k, int slot, const float *found, size_t n)
{
    static float first[SLOTS][FLOATS];
    static kelvin_isa by = KELVIN_ISA_COUNT;
    if (!k->fma) return;
    assert_true(slot < SLOTS && n <= FLOATS);
    if (by == KELVIN_ISA_COUNT || by == k->isa) {
        by = k->isa;
        memcpy(first[slot], found, n * sizeof *found);
    } else {
        assert_memory_equal(first[slot], found, n * sizeof *found);
    }
}

/* ---- exp, log, sin, cos (compiled for the baseline here; the kernels below use them under each instruction set) ----
 */

static double ulps(float found, double expected)
{
    const double unit = nextafterf((float)fabs(expected), INFINITY) - (float)fabs(expected);
    return fabs((double)found - expected) / unit;
}

static void elementary_functions(void **state)
{
    (void)state;
    double worst[4] = {0};
    for (size_t i = 0; i < 400000; i += 8) {
        float in[8], out[8], other[8];
        for (size_t k = 0; k < 8; k++) in[k] = -87.3f * (float)(i + k) / 400000;
        v8_store(out, v8_exp(v8_load(in)));
        for (size_t k = 0; k < 8; k++) worst[0] = fmax(worst[0], ulps(out[k], exp((double)in[k])));
        for (size_t k = 0; k < 8; k++) in[k] = expf(-70 + 140 * (float)(i + k) / 400000);
        v8_store(out, v8_log1p(v8_load(in)));
        for (size_t k = 0; k < 8; k++) worst[1] = fmax(worst[1], ulps(out[k], log1p((double)in[k])));
        for (size_t k = 0; k < 8; k++) in[k] = (float)(i + k) / 400000;
        v8 c, s;
        v8_sincos2pi(&c, &s, v8_load(in));
        v8_store(out, c);
        v8_store(other, s);
        for (size_t k = 0; k < 8; k++) {
            const double angle = 2 * 3.14159265358979323846 * (double)in[k];
            worst[2] = fmax(worst[2], fabs((double)out[k] - cos(angle)) / FLT_EPSILON);
            worst[3] = fmax(worst[3], fabs((double)other[k] - sin(angle)) / FLT_EPSILON);
        }
    }
    /* units in the last place; without FMA the reductions lose a little */
    assert_below(worst[0], 2.0);
    assert_below(worst[1], 2.5);
    assert_below(worst[2], 1.5);
    assert_below(worst[3], 1.5);

    float edge[8] = {0.0f, -0.0f, -87.33655f, -88.0f, -1e30f, -INFINITY, -1e-30f, -87.33f}, out[8];
    v8_store(out, v8_exp(v8_load(edge)));
    assert_true(out[0] == 1 && out[1] == 1 && out[2] == 0 && out[3] == 0 && out[4] == 0 && out[5] == 0 && out[6] == 1);
    assert_true(out[7] > 0);
    float tiny[8] = {0.0f, 1e-30f, 1e-10f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    v8_store(out, v8_log1p(v8_load(tiny)));
    assert_true(out[0] == 0 && out[1] == 1e-30f && out[2] == 1e-10f);
}

/* ---- vectors ---- */

static void flat_vectors(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    for (size_t n = 0; n < 40; n++)
        for (size_t t = 0; t < n_tables; t++) {
            float y[48], v[48], x[48], guard = 3.25f;
            for (size_t i = 0; i < 48; i++) y[i] = noise(1, i), v[i] = noise(2, i), x[i] = noise(3, i);
            y[n] = v[n] = guard;
            all[t]->axpy(y, 0.3f, x, n);
            for (size_t i = 0; i < n; i++)
                assert_near((double)y[i], (double)noise(1, i) + (double)0.3f * (double)x[i], 3e-7);
            assert_same_bits(all[t], 0, y, n);
            for (size_t i = 0; i < n; i++) y[i] = noise(1, i);
            all[t]->kick_drift(y, v, x, 0.7f, 0.2f, n);
            for (size_t i = 0; i < n; i++) {
                const double moved = (double)noise(2, i) + (double)0.7f * (double)x[i];
                assert_near((double)v[i], moved, 6e-7);
                assert_near((double)y[i], (double)noise(1, i) + (double)0.2f * moved, 6e-7);
            }
            assert_same_bits(all[t], 1, y, n);
            assert_same_bits(all[t], 2, v, n);
            for (size_t i = 0; i < n; i++) y[i] = noise(1, i), v[i] = noise(2, i);
            all[t]->axpy_by(y, 0.7f, x, v, n);
            all[t]->multiply(v, x, n);
            for (size_t i = 0; i < n; i++) {
                const double product = (double)noise(2, i) * (double)x[i];
                assert_near((double)v[i], product, 6e-7);
                assert_near((double)y[i], (double)noise(1, i) + (double)0.7f * product, 6e-7);
            }
            assert_same_bits(all[t], 3, y, n);
            assert_same_bits(all[t], 4, v, n);
            assert_true(y[n] == guard && v[n] == guard);
        }
}

/* Nothing is written beyond the columns, nor between the end of a row and the next. */
static void turned_tables(void **state)
{
    (void)state;
    enum { SIDE = 21, APART = SIDE + 3 };
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    const float guard = 3.25f, scale = 0.7f;
    float from[SIDE * APART], to[APART * APART];
    for (size_t i = 0; i < SIDE * APART; i++) from[i] = noise(1, i);
    for (size_t t = 0; t < n_tables; t++)
        for (size_t rows = 1; rows <= SIDE; rows++)
            for (size_t columns = 1; columns <= SIDE; columns++) {
                const size_t from_row = columns + rows % 4, to_row = rows + columns % 4;
                for (size_t i = 0; i < APART * APART; i++) to[i] = guard;
                all[t]->turn(to, to_row, from, from_row, rows, columns, scale);
                for (size_t i = 0; i < APART * APART; i++) {
                    const size_t c = i / to_row, r = i % to_row;
                    const bool inside = c < columns && r < rows;
                    assert_true(to[i] == (inside ? scale * from[r * from_row + c] : guard));
                }
            }
}

static void normals_are_those_of_base(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    const kelvin_random where = {0xfedcba9876543210u, 12, 345, 6};
    for (size_t t = 0; t < n_tables; t++) {
        static float out[FLOATS + 1];
        const size_t sizes[] = {1, 31, 32, 33, 492, FLOATS};
        for (size_t s = 0; s < 6; s++) {
            const size_t n = sizes[s];
            out[n] = 7.5f;
            all[t]->normals(out, n, where);
            assert_true(out[n] == 7.5f);
            for (size_t i = 0; i < n; i++) assert_near((double)out[i], kelvin_normal(where, i), 2e-6);
            assert_same_bits(all[t], 0, out, n);
        }
    }
}

/* A uniform close to 1 makes a radius close to 0; it keeps its relative accuracy although no float is that close to 1.
 */
static void small_radii(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all), n = 1 << 18;
    const kelvin_random where = {8, 7, 6, 5};
    float *out = kelvin_alloc(n, sizeof *out);
    for (size_t t = 0; t < n_tables; t++) {
        size_t found = 0;
        all[t]->normals(out, n, where);
        for (size_t i = 0; i + 8 < n; i++) {
            const double u = kelvin_uniform(where, i);
            if (i / 8 % 2 || u < 1 - 1e-4) continue;
            const double radius = sqrt(-2 * log(u));
            assert_near(hypot((double)out[i], (double)out[i + 8]) / radius, 1, 3e-6);
            found++;
        }
        assert_true(found > 5);
    }
    kelvin_free(out);
}

/* ---- softmax ---- */

static void softmax_block(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all), classes[] = {2, 3, 10, 100};
    for (size_t c = 0; c < 4; c++)
        for (size_t t = 0; t < n_tables; t++) {
            const size_t K = classes[c], size = K * KELVIN_BLOCK;
            static float z[FLOATS], l[FLOATS], p[FLOATS], q[FLOATS], g[FLOATS], dz[FLOATS];
            for (size_t i = 0; i < size; i++) {
                z[i] = noise(4, i) * expf((float)(i % KELVIN_BLOCK) / 4 - 1); /* from flat to all but certain */
                g[i] = noise(5, i);
                dz[i] = (float)NAN; /* which is set */
            }
            for (size_t k = 0; k < K; k++) z[k * KELVIN_BLOCK] = 1.5f; /* a tie of all */
            all[t]->softmax(l, p, q, z, K, KELVIN_BLOCK);
            all[t]->softmax_backward(dz, g, p, q, K, KELVIN_BLOCK);
            for (size_t i = 0; i < KELVIN_BLOCK; i++) {
                float top = -INFINITY;
                for (size_t k = 0; k < K; k++) top = fmaxf(top, z[k * KELVIN_BLOCK + i]);
                double m = (double)top, sum = 0, all_g = 0;
                for (size_t k = 0; k < K; k++) sum += exp((double)z[k * KELVIN_BLOCK + i] - m);
                for (size_t k = 0; k < K; k++) all_g += (double)g[k * KELVIN_BLOCK + i];
                for (size_t k = 0; k < K; k++) {
                    const size_t at = k * KELVIN_BLOCK + i;
                    double others = 0; /* 1 - p, without cancellation */
                    for (size_t j = 0; j < K; j++)
                        if (j != k) others += exp((double)z[j * KELVIN_BLOCK + i] - m);
                    const double lk = (double)z[at] - m - log(sum), pk = exp(lk);
                    assert_near((double)l[at], lk, 4e-7 * (1 + fabs(lk)));
                    /* a few roundings, and that of z - m (half a unit in its last place), which exp makes relative */
                    const double relative = 6e-7 + 0x1p-24 * fabs(lk), spread = 0x1p-24 * fabs(log(others / sum));
                    assert_near((double)p[at], pk, relative * pk + 1.2e-38);
                    assert_near((double)q[at], others / sum, (6e-7 + spread) * others / sum + 1.2e-38);
                    assert_near((double)dz[at], (double)g[at] - pk * all_g, 1e-6 * (double)K * 4);
                }
            }
            assert_same_bits(all[t], 0, l, size);
            assert_same_bits(all[t], 1, p, size);
            assert_same_bits(all[t], 2, q, size);
            assert_same_bits(all[t], 3, dz, size);
        }
}

/* Anything that logits may be: flat, all but certain, ties, and, where `odd`, some that are not finite. */
static void make_logits(float *z, size_t K, bool odd)
{
    for (size_t i = 0; i < K * KELVIN_BLOCK; i++) z[i] = noise(4, i) * expf((float)(i % KELVIN_BLOCK) / 4 - 1);
    for (size_t k = 0; k < K; k++) {
        z[k * KELVIN_BLOCK] = 1.5f;
        z[k * KELVIN_BLOCK + 9] = k == K - 1 ? 90 : -90;
    }
    if (!odd) return;
    z[5] = (float)NAN;
    z[KELVIN_BLOCK + 6] = INFINITY;
    z[(K - 1) * KELVIN_BLOCK + 7] = -INFINITY;
}

/* By the kernels of any density: softmax, the slope of l_label, and back. */
static void categorical_is_softmax_and_back(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all), classes[] = {2, 3, 10, 100};
    for (size_t c = 0; c < 4; c++)
        for (size_t t = 0; t < n_tables; t++) {
            const size_t K = classes[c], size = K * KELVIN_BLOCK;
            static float z[FLOATS], l[FLOATS], p[FLOATS], q[FLOATS], g[FLOATS], dz[FLOATS], again[FLOATS], want[FLOATS];
            float value[KELVIN_BLOCK], expected[KELVIN_BLOCK];
            int32_t label[KELVIN_BLOCK];
            struct outputs said, otherwise;
            make_logits(z, K, false);
            memset(g, 0, sizeof g);
            memset(want, 0, sizeof want);
            all[t]->softmax(l, p, q, z, K, KELVIN_BLOCK);
            for (size_t i = 0; i < KELVIN_BLOCK; i++) {
                label[i] = i % 11 == 10 ? -1 : (int32_t)(i * 7 % K);
                expected[i] = label[i] < 0 ? 0 : l[(size_t)label[i] * KELVIN_BLOCK + i];
                if (label[i] >= 0) g[(size_t)label[i] * KELVIN_BLOCK + i] = 1;
            }
            all[t]->softmax_backward(want, g, p, q, K, KELVIN_BLOCK);
            for (size_t i = 0; i < size; i++)
                if (label[i % KELVIN_BLOCK] < 0) want[i] = 0;
            for (size_t i = 0; i < size; i++) dz[i] = again[i] = (float)NAN;
            all[t]->categorical(dz, value, &said, z, label, K, KELVIN_BLOCK);
            all[t]->categorical(again, NULL, NULL, z, label, K, KELVIN_BLOCK);
            all[t]->outputs(&otherwise, z, K);
            assert_memory_equal(dz, want, size * sizeof *dz);
            assert_memory_equal(again, want, size * sizeof *dz);
            for (size_t i = 0; i < KELVIN_BLOCK; i++) assert_true(label[i] < 0 || value[i] == expected[i]);
            assert_memory_equal(&said, &otherwise, sizeof said);
            assert_same_bits(all[t], 0, dz, size);
            make_logits(z, K, true); /* what is said of them is the same */
            all[t]->categorical(dz, value, &said, z, label, K, KELVIN_BLOCK);
            all[t]->outputs(&otherwise, z, K);
            assert_memory_equal(said.top, otherwise.top, sizeof said.top);
            for (size_t i = 0; i < KELVIN_BLOCK; i++) {
                assert_true(said.p[i] == otherwise.p[i] || (isnan(said.p[i]) && isnan(otherwise.p[i])));
                assert_true(said.range[i] == otherwise.range[i] || (isnan(said.range[i]) && isnan(otherwise.range[i])));
            }
        }
}

/* Row k of one block out of some that stand side by side. */
static void take_block(float *to, const float *from, size_t K, size_t lanes, size_t at)
{
    for (size_t k = 0; k < K; k++) memcpy(to + k * KELVIN_BLOCK, from + k * lanes + at, KELVIN_BLOCK * sizeof *to);
}

/* dz by softmax, back from g, and by the categorical density: of all lanes at once. */
static void three_ways(float *l, float *dz, float *categorical, const struct kelvin_kernels *kernels, const float *z,
                       const float *g, const int32_t *label, size_t K, size_t lanes)
{
    static float p[FLOATS], q[FLOATS];
    kernels->softmax(l, p, q, z, K, lanes);
    kernels->softmax_backward(dz, g, p, q, K, lanes);
    kernels->categorical(categorical, NULL, NULL, z, label, K, lanes);
}

static void blocks_side_by_side_are_blocks_alone(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all), classes[] = {2, 3, 10};
    for (size_t c = 0; c < 3; c++)
        for (size_t t = 0; t < n_tables; t++)
            for (size_t lanes = KELVIN_BLOCK; lanes <= 8 * KELVIN_BLOCK; lanes += KELVIN_BLOCK) {
                static float z[FLOATS], g[FLOATS], got[3][FLOATS], want[3][FLOATS], part[3][FLOATS];
                int32_t label[8 * KELVIN_BLOCK];
                const size_t K = classes[c], size = K * KELVIN_BLOCK * sizeof(float);
                assert_true(K * lanes <= FLOATS);
                for (size_t i = 0; i < K * lanes; i++) {
                    z[i] = noise(4, i) * expf((float)(i % 31) / 5 - 2);
                    g[i] = noise(5, i);
                }
                for (size_t i = 0; i < lanes; i++) label[i] = i % 7 == 6 ? -1 : (int32_t)(i * 5 % K);
                three_ways(got[0], got[1], got[2], all[t], z, g, label, K, lanes);
                for (size_t at = 0; at < lanes; at += KELVIN_BLOCK) {
                    take_block(part[0], z, K, lanes, at);
                    take_block(part[1], g, K, lanes, at);
                    three_ways(want[0], want[1], want[2], all[t], part[0], part[1], label + at, K, KELVIN_BLOCK);
                    for (size_t i = 0; i < 3; i++) {
                        take_block(part[i], got[i], K, lanes, at);
                        assert_memory_equal(part[i], want[i], size);
                    }
                }
            }
}

/* ---- inner products, and bits ---- */

static void inner_products(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    float a[99], b[99];
    for (size_t i = 0; i < 99; i++) a[i] = noise(1, i), b[i] = noise(2, i);
    for (size_t n = 0; n <= 99; n++)
        for (size_t t = 0; t < n_tables; t++) {
            double ab, bb, alone, sum_ab = 0, sum_bb = 0;
            for (size_t i = 0; i < n; i++) sum_ab += (double)a[i] * (double)b[i], sum_bb += (double)b[i] * (double)b[i];
            all[t]->dots(&ab, &bb, a, b, n);
            all[t]->dots(&alone, NULL, a, b, n);
            assert_near(ab, sum_ab, 1e-13);
            assert_near(bb, sum_bb, 1e-13);
            assert_true(ab == alone && ab == all[t]->dot(a, b, n) && bb == all[t]->dot(b, b, n));
            assert_true(ab == all[0]->dot(a, b, n) && bb == all[0]->dot(b, b, n));
            all[t]->dots(&ab, &alone, b, b, n);
            assert_true(ab == bb && alone == bb);
        }
}

/* As the book has it, one number after the other. */
static void plain_permutation(uint32_t *out, uint32_t n, kelvin_random where)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = kelvin_uniform_int(where, i, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* Of so many as the last size has, some fall into the interval that is thrown away, or might. */
static void bits_are_those_of_base(void **state)
{
    (void)state;
    enum { MANY = 400000 };
    static uint32_t order[MANY], expected[MANY];
    static const uint32_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, MANY};
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    const kelvin_random where = {0x123456789abcdefull, 3, 70000, KELVIN_STREAM_ORDER};
    for (size_t t = 0; t < n_tables; t++) {
        uint32_t bits[KELVIN_BITS];
        for (uint64_t first = 0; first < 4096; first += KELVIN_BITS) {
            all[t]->random_bits(bits, first, where);
            for (uint64_t i = 0; i < KELVIN_BITS; i++) assert_true(bits[i] == kelvin_random_bits(where, first + i));
        }
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        plain_permutation(expected, sizes[s], where);
        kelvin_permutation(order, sizes[s], where);
        assert_memory_equal(order, expected, sizes[s] * sizeof *order);
        for (size_t t = 0; t < n_tables; t++) {
            memset(order, 0, sizeof order);
            kelvin_permutation_of(order, sizes[s], where, all[t]->random_bits);
            assert_memory_equal(order, expected, sizes[s] * sizeof *order);
        }
    }
}

/* ---- dense layers ---- */

enum { BELOW = 3 }; /* inputs of the layer below the one that is looked at */

struct layer_case {
    float theta[(BELOW + 1) * UNITS + (UNITS + 1) * UNITS], x[UNITS][KELVIN_BLOCK], dy[UNITS][KELVIN_BLOCK];
    struct panel act[3], slope[3]; /* x in act[1], dy in slope[2] */
    struct panel_shape shape;
    size_t n;
};

static struct panel new_panel(void)
{
    return (struct panel){kelvin_alloc(panel_rows(UNITS) * KELVIN_BLOCK, sizeof(float)),
                          kelvin_alloc(panel_rows(UNITS) * 2, sizeof(float))};
}

static float *at(const struct layer_case *c, struct panel p, size_t unit, size_t i)
{
    const size_t row = 8 * c->shape.wide;
    assert_true(i < row + (c->shape.rest ? 2 : 0));
    return i < row ? &p.wide[unit * row + i] : &p.rest[2 * unit + i - row];
}

static struct layer_case *new_case(size_t n)
{
    struct layer_case *c = kelvin_alloc(1, sizeof *c);
    c->n = n;
    c->shape = kelvin_panel_shape(n);
    for (size_t i = 0; i < 3; i++) c->act[i] = new_panel(), c->slope[i] = new_panel();
    for (size_t i = 0; i < sizeof c->theta / sizeof *c->theta; i++) c->theta[i] = noise(6, i);
    for (size_t u = 0; u < UNITS; u++)
        for (size_t i = 0; i < n; i++) {
            *at(c, c->act[0], u, i) = noise(9, u * 100 + i);
            *at(c, c->act[1], u, i) = c->x[u][i] = noise(7, u * 100 + i);
            *at(c, c->slope[2], u, i) = c->dy[u][i] = noise(8, u * 100 + i);
        }
    return c;
}

static void free_case(struct layer_case *c)
{
    for (size_t i = 0; i < 3; i++) {
        kelvin_free(c->act[i].wide);
        kelvin_free(c->act[i].rest);
        kelvin_free(c->slope[i].wide);
        kelvin_free(c->slope[i].rest);
    }
    kelvin_free(c);
}

static void check_forward(const struct kelvin_kernels *k, struct layer_case *c, struct dense d)
{
    static float seen[FLOATS];
    size_t n_seen = 0;
    const float *w = c->theta, *bias = w + d.n_in * d.n_out;
    k->mlp_forward(&d, 1, c->shape, c->act + 1, w);
    for (size_t j = 0; j < d.n_out; j++)
        for (size_t i = 0; i < c->n; i++) {
            double s = (double)bias[j];
            for (size_t u = 0; u < d.n_in; u++) s += (double)w[j * d.n_in + u] * (double)c->x[u][i];
            seen[n_seen++] = *at(c, c->act[2], j, i);
            assert_near((double)seen[n_seen - 1], s > 0 ? s : (double)d.leak * s, 1e-6 * (double)(d.n_in + 1));
        }
    assert_same_bits(k, 0, seen, n_seen);
}

/* Backward through d to the layer below it, whose slope left of zero is `leak`; the gradient is added up `times` times.
 */
static void check_backward(const struct kelvin_kernels *k, struct layer_case *c, struct dense d, float leak, int times)
{
    static float seen[FLOATS];
    size_t n_seen = 0;
    const struct dense layers[2] = {{BELOW, d.n_in, leak}, d};
    const size_t below = (BELOW + 1) * d.n_in, n_params = below + (d.n_in + 1) * d.n_out;
    const float *w = c->theta + below;
    float *grad = kelvin_alloc(n_params + 1, sizeof *grad), *g = grad + below;
    grad[n_params] = -77.0f; /* nothing is written beyond the end */
    for (size_t i = 0; i < c->n; i++) *at(c, c->act[0], BELOW, i) = *at(c, c->act[1], d.n_in, i) = 1.0f;
    for (int t = 0; t < times; t++) k->mlp_backward(layers, 2, c->shape, c->slope, c->act, grad, c->theta, t > 0);
    for (size_t i = 0; i < c->n; i++) *at(c, c->act[1], d.n_in, i) = c->x[d.n_in][i];

    for (size_t u = 0; u < d.n_in; u++)
        for (size_t i = 0; i < c->n; i++) {
            double s = 0;
            for (size_t j = 0; j < d.n_out; j++) s += (double)w[j * d.n_in + u] * (double)c->dy[j][i];
            seen[n_seen++] = *at(c, c->slope[1], u, i);
            assert_near((double)seen[n_seen - 1], c->x[u][i] > 0 ? s : (double)leak * s, 1e-6 * (double)d.n_out);
        }
    assert_same_bits(k, 1, seen, n_seen);
    for (size_t j = 0; j < d.n_out; j++)
        for (size_t u = 0; u <= d.n_in; u++) {
            double s = 0;
            for (size_t i = 0; i < c->n; i++) s += (double)c->dy[j][i] * (u < d.n_in ? (double)c->x[u][i] : 1.0);
            assert_near((double)(u < d.n_in ? g[j * d.n_in + u] : g[d.n_in * d.n_out + j]), times * s, 4e-6 * times);
        }
    assert_true(grad[n_params] == -77.0f);
    assert_same_bits(k, 2, grad, n_params);
    kelvin_free(grad);
}

static void dense_layers(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all), widths[] = {1, 2, 3, 5, 8, 10, 15, 16, 33};
    const float leaks[] = {0.0f, 0.01f, 1.0f};
    for (size_t n = 1; n <= KELVIN_BLOCK; n++) {
        struct layer_case *c = new_case(n);
        for (size_t a = 0; a < 9; a++)
            for (size_t b = 0; b < 9; b++)
                for (size_t t = 0; t < n_tables; t++) {
                    struct dense d = {widths[a], widths[b], leaks[(a + b + n) % 3]};
                    check_forward(all[t], c, d);
                    check_backward(all[t], c, d, leaks[(a + n) % 2], 1 + (int)((a + n) % 3));
                }
        free_case(c);
    }
}

static void shapes_hold_their_observations(void **state)
{
    (void)state;
    for (size_t n = 1; n <= KELVIN_BLOCK; n++) {
        const struct panel_shape s = kelvin_panel_shape(n);
        const size_t room = 8 * s.wide + (s.rest ? 2 : 0);
        assert_true(room >= n && room < n + 8 && room <= KELVIN_BLOCK && s.wide >= 1);
    }
}

/* ---- images ---- */

/* Exactly the floats of a plain loop, with and without FMA, and nothing beside them. */
static void check_image(const struct kelvin_kernels *k, const struct image *image)
{
    const size_t size = image->height * image->width, n = image->channels * size;
    uint8_t *in = calloc(n, 1); /* of just this size, so that the address sanitizer sees a read beside it */
    float *out = malloc((n + 2) * sizeof *out);
    for (size_t i = 0; i < n; i++) in[i] = (uint8_t)kelvin_random_bits((kelvin_random){1, 2, 3, 4}, i);
    out[0] = out[n + 1] = 42;
    k->image(out + 1, in, image);
    assert_true(out[0] == 42 && out[n + 1] == 42);
    for (size_t i = 0; i < n; i++) {
        const size_t c = i / size;
        const int height = (int)image->height, width = (int)image->width;
        const int y = (int)(i % size / image->width) + image->dy, x = (int)(i % image->width) + image->dx;
        const bool inside = y >= 0 && y < height && x >= 0 && x < width;
        const size_t from = c * size + (size_t)(inside ? y * width + (image->flip ? width - 1 - x : x) : 0);
        assert_true(out[1 + i] == (inside ? (float)in[from] * image->scale[c] + image->offset[c] : 0));
    }
    free(in);
    free(out);
}

static void images(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 3, 7, 8, 9, 12, 16, 17, 28, 32, 33};
    static const float scale[] = {1.0f / 51, 0.3f, 0.0123f}, offset[] = {-2.45f, 0.1f, -1.0f};
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n = tables(all);
    for (size_t t = 0; t < n; t++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t height = 1; height <= 9; height += 4)
                for (int shift = 0; shift < 81; shift++)
                    for (int flip = 0; flip < 2; flip++)
                        check_image(all[t], &(struct image){1 + 2 * (w % 2), height, widths[w], scale, offset, flip,
                                                            shift / 9 - 4, shift % 9 - 4});
    for (size_t t = 0; t < n; t++) /* farther than an epoch goes: less than a vector is left, or nothing */
        for (int shift = -40; shift <= 40; shift += 5)
            for (int flip = 0; flip < 2; flip++)
                check_image(all[t], &(struct image){1, 9, 32, scale, offset, flip, shift / 8, shift});
}

static void peak_counts_operations(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    for (size_t t = 0; t < n_tables; t++) assert_true(all[t]->fma_peak(2000) == 2 * all[t]->fma_peak(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_functions),
        cmocka_unit_test(flat_vectors),
        cmocka_unit_test(turned_tables),
        cmocka_unit_test(normals_are_those_of_base),
        cmocka_unit_test(small_radii),
        cmocka_unit_test(softmax_block),
        cmocka_unit_test(categorical_is_softmax_and_back),
        cmocka_unit_test(blocks_side_by_side_are_blocks_alone),
        cmocka_unit_test(inner_products),
        cmocka_unit_test(bits_are_those_of_base),
        cmocka_unit_test(shapes_hold_their_observations),
        cmocka_unit_test(dense_layers),
        cmocka_unit_test(images),
        cmocka_unit_test(peak_counts_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
