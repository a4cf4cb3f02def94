/* The vocabulary of the kernels: vectors of eight floats, whatever the machine has.
 *
 * With AVX2 a v8 is one register; elsewhere it is two of four lanes (SSE2, NEON, WebAssembly). Eight lanes everywhere is
 * what makes sums over lanes the same bits everywhere. v8_fma is fused where the instruction set has FMA; nothing else is fused
 * (the build turns contraction off). */
#ifndef KERNELS_VEC_H
#define KERNELS_VEC_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* gcc 12 keeps a loop in registers in a function of its own, and loses it in a large one. */
#define NOINLINE __attribute__((noinline))

#if defined(__AVX2__)
#include <immintrin.h>
#define VEC_PARTS 1
#define VEC_FMA   1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define VEC_PARTS 2
#define VEC_FMA   1
#elif defined(__wasm_relaxed_simd__)
/* A relaxed multiply-add is fused or not as the browser likes, always or never: web/c/known.c finds out. */
#define VEC_PARTS 2
#define VEC_FMA   1
#else
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define VEC_PARTS 2
#define VEC_FMA   0
#endif

typedef float vec_f __attribute__((vector_size(32 / VEC_PARTS)));
typedef int32_t vec_i __attribute__((vector_size(32 / VEC_PARTS)));
typedef uint32_t vec_u __attribute__((vector_size(32 / VEC_PARTS)));

/* for (int i = 0; i < n; i++), n a constant up to 12, unrolled: arrays of vectors stay in registers only if no index is
 * left. */
#if defined(__SANITIZE_ADDRESS__) /* checks in so much unrolled code would take minutes to compile */
#define UNROLLED(i, n) for (int i = 0; i < (n); i++)
#elif defined(__clang__)
#define UNROLLED(i, n) _Pragma("clang loop unroll(full)") for (int i = 0; i < (n); i++)
#else
#define UNROLLED(i, n) _Pragma("GCC unroll 12") for (int i = 0; i < (n); i++)
#endif

/* EACH(type, expression of P(a), P(b), ...) returns the expression applied to every part. m8 is a mask (all ones or
 * zero in each lane), or eight integers. A bare vector type where one part will do, or NEON's own
 * pair of vectors: gcc keeps other structs of vectors in memory. */
#if VEC_PARTS == 1
typedef vec_f v8;
typedef vec_i m8;
#define P(a)            (a)
#define EACH(type, ...) return (type)(__VA_ARGS__)
#else
#if defined(__aarch64__)
typedef float32x4x2_t v8;
typedef int32x4x2_t m8;
#else
typedef struct v8 {
    vec_f val[2];
} v8;
typedef struct m8 {
    vec_i val[2];
} m8;
#endif
#define P(a) (a).val[h]
#define EACH(type, ...)                                                                                                \
    type r;                                                                                                            \
    UNROLLED(h, 2) r.val[h] = (__VA_ARGS__);                                                                           \
    return r
#endif

/* Lanes 0-3 and lanes 4-7 at two places. */
INLINE v8 v8_load_halves(const float *low, const float *high)
{
#if defined(__AVX2__)
    return (v8)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
#else
    v8 r;
    memcpy(&r.val[0], low, sizeof r.val[0]);
    memcpy(&r.val[1], high, sizeof r.val[1]);
    return r;
#endif
}

INLINE void v8_store_halves(float *low, float *high, v8 a)
{
#if defined(__AVX2__)
    _mm_storeu_ps(low, _mm256_castps256_ps128((__m256)a));
    _mm_storeu_ps(high, _mm256_extractf128_ps((__m256)a, 1));
#else
    memcpy(low, &a.val[0], sizeof a.val[0]);
    memcpy(high, &a.val[1], sizeof a.val[1]);
#endif
}

INLINE v8 v8_load(const float *p)
{
#if VEC_PARTS == 1
    v8 r;
    memcpy(&r, p, sizeof r);
    return r;
#else
    return v8_load_halves(p, p + 4);
#endif
}

INLINE void v8_store(float *p, v8 a)
{
#if VEC_PARTS == 1
    memcpy(p, &a, sizeof a);
#else
    v8_store_halves(p, p + 4, a);
#endif
}

INLINE v8 v8_set(float x)
{
#if VEC_PARTS == 1
    const vec_f s = {x, x, x, x, x, x, x, x};
#else
    const vec_f s = {x, x, x, x};
#endif
    EACH(v8, s);
}

INLINE m8 m8_set(int32_t x)
{
#if VEC_PARTS == 1
    const vec_i s = {x, x, x, x, x, x, x, x};
#else
    const vec_i s = {x, x, x, x};
#endif
    EACH(m8, s);
}

INLINE v8 v8_add(v8 a, v8 b)
{
    EACH(v8, P(a) + P(b));
}
INLINE v8 v8_sub(v8 a, v8 b)
{
    EACH(v8, P(a) - P(b));
}
INLINE v8 v8_mul(v8 a, v8 b)
{
    EACH(v8, P(a) * P(b));
}
INLINE v8 v8_div(v8 a, v8 b)
{
    EACH(v8, P(a) / P(b));
}

/* a b + c */
INLINE v8 v8_fma(v8 a, v8 b, v8 c)
{
#if defined(__AVX2__)
    EACH(v8, (vec_f)_mm256_fmadd_ps((__m256)P(a), (__m256)P(b), (__m256)P(c)));
#elif defined(__aarch64__)
    EACH(v8, (vec_f)vfmaq_f32((float32x4_t)P(c), (float32x4_t)P(a), (float32x4_t)P(b)));
#elif defined(__wasm_relaxed_simd__)
    EACH(v8, __builtin_wasm_relaxed_madd_f32x4(P(a), P(b), P(c)));
#else
    EACH(v8, P(a) * P(b) + P(c));
#endif
}

/* The same for one float: what a lane would get. */
INLINE float float_fma(float a, float b, float c)
{
#if defined(__wasm_relaxed_simd__) /* fmaf would be a function in software there */
    const vec_f r = __builtin_wasm_relaxed_madd_f32x4((vec_f){a}, (vec_f){b}, (vec_f){c});
    return r[0];
#else
    return VEC_FMA ? __builtin_fmaf(a, b, c) : a * b + c;
#endif
}

INLINE m8 v8_bits(v8 a)
{
    EACH(m8, (vec_i)P(a));
}
INLINE v8 m8_floats(m8 a)
{
    EACH(v8, (vec_f)P(a));
}
INLINE m8 v8_gt(v8 a, v8 b)
{
    EACH(m8, (vec_i)(P(a) > P(b)));
}
INLINE m8 v8_eq(v8 a, v8 b)
{
    EACH(m8, (vec_i)(P(a) == P(b)));
}
INLINE m8 m8_and(m8 a, m8 b)
{
    EACH(m8, P(a) & P(b));
}
INLINE m8 m8_xor(m8 a, m8 b)
{
    EACH(m8, P(a) ^ P(b));
}
INLINE m8 m8_add(m8 a, m8 b)
{
    EACH(m8, P(a) + P(b));
}
INLINE m8 m8_sub(m8 a, m8 b)
{
    EACH(m8, P(a) - P(b));
}
INLINE m8 m8_eq(m8 a, m8 b)
{
    EACH(m8, (vec_i)(P(a) == P(b)));
}
INLINE m8 m8_shl(m8 a, int n)
{
    EACH(m8, P(a) << n);
}
INLINE m8 m8_sar(m8 a, int n)
{
    EACH(m8, P(a) >> n);
}
INLINE m8 m8_shr(m8 a, int n)
{
    EACH(m8, (vec_i)((vec_u)P(a) >> (uint32_t)n));
}
INLINE v8 m8_to_float(m8 a)
{
    EACH(v8, __builtin_convertvector(P(a), vec_f));
}

/* Eight bytes, the lowest first, as floats. */
INLINE v8 v8_from_bytes(uint64_t bytes)
{
#if defined(__AVX2__)
    return (v8)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes)));
#elif defined(__aarch64__)
    const uint16x8_t wide = vmovl_u8(vcreate_u8(bytes));
    return (v8){{(vec_f)vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide))), (vec_f)vcvtq_f32_u32(vmovl_high_u16(wide))}};
#elif defined(__SSE2__)
    const __m128i zero = _mm_setzero_si128(), wide = _mm_unpacklo_epi8(_mm_cvtsi64_si128((long long)bytes), zero);
    return (v8){{(vec_f)_mm_cvtepi32_ps(_mm_unpacklo_epi16(wide, zero)),
                 (vec_f)_mm_cvtepi32_ps(_mm_unpackhi_epi16(wide, zero))}};
#else
    m8 r;
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 4; i++) r.val[h][i] = (int32_t)(bytes >> (32 * h + 8 * i) & 0xff);
    return m8_to_float(r);
#endif
}

/* mask ? a : b, lane by lane */
INLINE v8 v8_select(m8 mask, v8 a, v8 b)
{
#if defined(__AVX2__)
    EACH(v8, (vec_f)_mm256_blendv_ps((__m256)P(b), (__m256)P(a), (__m256)P(mask)));
#else
    EACH(v8, (vec_f)(((vec_i)P(a) & P(mask)) | ((vec_i)P(b) & ~P(mask))));
#endif
}

/* The larger one; b where one is not a number. */
INLINE v8 v8_max(v8 a, v8 b)
{
#if defined(__AVX2__)
    EACH(v8, (vec_f)_mm256_max_ps((__m256)P(a), (__m256)P(b)));
#else
    return v8_select(v8_gt(a, b), a, b);
#endif
}

INLINE v8 v8_sqrt(v8 a)
{
#if defined(__AVX2__)
    EACH(v8, (vec_f)_mm256_sqrt_ps((__m256)P(a)));
#elif defined(__aarch64__)
    EACH(v8, (vec_f)vsqrtq_f32((float32x4_t)P(a)));
#elif defined(__wasm_simd128__)
    EACH(v8, __builtin_wasm_sqrt_f32x4(P(a)));
#else
    float x[8];
    v8_store(x, a);
    for (int i = 0; i < 8; i++) x[i] = __builtin_sqrtf(x[i]);
    return v8_load(x);
#endif
}

/* In each half: a0 b0 a1 b1, and a2 b2 a3 b3. */
INLINE v8 v8_zip_low(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_unpacklo_ps((__m256)a, (__m256)b);
#else
    EACH(v8, __builtin_shufflevector(P(a), P(b), 0, 4, 1, 5));
#endif
}

INLINE v8 v8_zip_high(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_unpackhi_ps((__m256)a, (__m256)b);
#else
    EACH(v8, __builtin_shufflevector(P(a), P(b), 2, 6, 3, 7));
#endif
}

/* Four vectors become their columns, in each half. */
INLINE void v8_turn(v8 *r)
{
    const v8 a = v8_zip_low(r[0], r[2]), b = v8_zip_high(r[0], r[2]);
    const v8 c = v8_zip_low(r[1], r[3]), d = v8_zip_high(r[1], r[3]);
    r[0] = v8_zip_low(a, c);
    r[1] = v8_zip_high(a, c);
    r[2] = v8_zip_low(b, d);
    r[3] = v8_zip_high(b, d);
}

/* ---- four units x two observations: the rest of a panel ---- */

/* p0 p1 p0 p1 p0 p1 p0 p1 */
INLINE v8 v8_pair(const float *p)
{
    double both;
    memcpy(&both, p, sizeof both);
#if defined(__AVX2__)
    return (v8)_mm256_set1_pd(both);
#else
    typedef double two __attribute__((vector_size(16)));
    const two t = {both, both};
    EACH(v8, (vec_f)t);
#endif
}

/* Lane pairs 0, 1, 2, 3 from a, b, c, d. */
INLINE v8 v8_pairs_of(v8 a, v8 b, v8 c, v8 d)
{
#if defined(__AVX2__)
    const __m256 ab = _mm256_blend_ps((__m256)a, (__m256)b, 0x0c), cd = _mm256_blend_ps((__m256)c, (__m256)d, 0xc0);
    return (v8)_mm256_blend_ps(ab, cd, 0xf0);
#else
    return (v8){{__builtin_shufflevector(a.val[0], b.val[0], 0, 1, 6, 7),
                 __builtin_shufflevector(c.val[1], d.val[1], 0, 1, 6, 7)}};
#endif
}

/* p0 p1 p2 p3 0 0 0 0 */
INLINE v8 v8_load_low(const float *p)
{
#if defined(__AVX2__)
    return (v8)_mm256_zextps128_ps256(_mm_loadu_ps(p));
#else
    v8 r = v8_set(0.0f);
    memcpy(&r.val[0], p, sizeof r.val[0]);
    return r;
#endif
}

/* ---- four units of two rows, or of two columns ---- */

/* p0 p1 p2 p3 p0 p1 p2 p3 */
INLINE v8 v8_twice(const float *p)
{
#if defined(__AVX2__)
    return (v8)_mm256_broadcast_ps((const __m128 *)(const void *)p);
#else
    return v8_load_halves(p, p);
#endif
}

/* Lanes 0-3 of a, then zeros; lanes 4-7 of a, then zeros. */
INLINE v8 v8_low(v8 a)
{
#if defined(__AVX2__)
    return (v8)_mm256_zextps128_ps256(_mm256_castps256_ps128((__m256)a));
#else
    return (v8){{a.val[0], (vec_f){0}}};
#endif
}

INLINE v8 v8_high(v8 a)
{
#if defined(__AVX2__)
    return (v8)_mm256_zextps128_ps256(_mm256_extractf128_ps((__m256)a, 1));
#else
    return (v8){{a.val[1], (vec_f){0}}};
#endif
}

/* Lanes 0-3 of a, lanes 4-7 of b. */
INLINE v8 v8_halves_of(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_blend_ps((__m256)a, (__m256)b, 0xf0);
#else
    return (v8){{a.val[0], b.val[1]}};
#endif
}

/* gcc would rather load again than keep a vector in a register: this hides from it where it came from. */
INLINE v8 keep(v8 a)
{
#if defined(__AVX2__)
    __asm__("" : "+x"(a));
#endif
    return a;
}

/* ---- sums over lanes, eight vectors at a time: fold2, fold1, fold4 in this order ---- */

/* In each half: a0+a2, a1+a3, b0+b2, b1+b3. */
INLINE v8 v8_fold2(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_add_ps(_mm256_blend_ps((__m256)a, (__m256)b, 0xcc),
                             _mm256_shuffle_ps((__m256)a, (__m256)b, 0x4e));
#else
    EACH(v8, __builtin_shufflevector(P(a), P(b), 0, 1, 6, 7) + __builtin_shufflevector(P(a), P(b), 2, 3, 4, 5));
#endif
}

/* In each half: a0+a1, a2+a3, b0+b1, b2+b3. */
INLINE v8 v8_fold1(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_add_ps(_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88),
                             _mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd));
#else
    EACH(v8, __builtin_shufflevector(P(a), P(b), 0, 2, 4, 6) + __builtin_shufflevector(P(a), P(b), 1, 3, 5, 7));
#endif
}

/* low(a) + high(a) in the low half, low(b) + high(b) in the high half. */
INLINE v8 v8_fold4(v8 a, v8 b)
{
#if defined(__AVX2__)
    return (v8)_mm256_add_ps(_mm256_blend_ps((__m256)a, (__m256)b, 0xf0),
                             _mm256_permute2f128_ps((__m256)a, (__m256)b, 0x21));
#else
    return (v8){{a.val[0] + a.val[1], b.val[0] + b.val[1]}};
#endif
}

#endif
