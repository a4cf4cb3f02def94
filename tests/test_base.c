/* base: random numbers against Random123 and against the distributions they should have; memory; threads; status. */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/texts.h"
#include "base/threads.h"

#include <kelvin/base.h>

#include <Random123/philox.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Random123's own known answers (its file kat_vectors, "philox4x32 10"). */
static void philox_known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        kelvin_philox(out, known[i].counter, known[i].key);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

/* The counter is (block, step, chain, stream), the key is the seed; index i is word i/8 mod 4 of block 8 (i/32) + i
 * mod 8. */
static void bits_are_random123(void **state)
{
    (void)state;
    const kelvin_random where = {0x0123456789abcdefu, 71, 4099, 3};
    for (uint64_t i = 0; i < 1000; i++) {
        const uint64_t index = i * 977;
        const philox4x32_ctr_t counter = {{(uint32_t)(index / 32 * 8 + index % 8), 4099, 71, 3}};
        const philox4x32_key_t key = {{0x89abcdefu, 0x01234567u}};
        const philox4x32_ctr_t out = philox4x32(counter, key);
        assert_int_equal(kelvin_random_bits(where, index), out.v[index / 8 % 4]);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov distance times sqrt(n); above 2.2 with probability 1.3e-4. */
static double kolmogorov(double *x, size_t n, double (*cdf)(double))
{
    double worst = 0;
    qsort(x, n, sizeof *x, compare);
    for (size_t i = 0; i < n; i++) {
        const double f = cdf(x[i]);
        worst = fmax(worst, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return worst * sqrt((double)n);
}

static double uniform_cdf(double x)
{
    return x;
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

enum { DRAWS = 200000 };
static double draws[DRAWS];

static void uniforms_are_uniform(void **state)
{
    (void)state;
    const kelvin_random where = {17, 2, 3, KELVIN_STREAM_USER};
    for (size_t i = 0; i < DRAWS; i++) {
        draws[i] = kelvin_uniform(where, i);
        assert_true(draws[i] > 0 && draws[i] < 1);
    }
    assert_below(kolmogorov(draws, DRAWS, uniform_cdf), 2.2);
}

static void normals_are_normal(void **state)
{
    (void)state;
    const kelvin_random where = {18, 0, 5, KELVIN_STREAM_USER};
    double moment[5] = {0}, lag = 0; /* index i and i + 8 share a radius and an angle: they must not be correlated */
    for (size_t i = 0; i < DRAWS; i++) {
        draws[i] = kelvin_normal(where, i);
        for (int k = 1; k <= 4; k++) moment[k] += pow(draws[i], k) / DRAWS;
        if (i >= 8) lag += draws[i] * draws[i - 8] / DRAWS;
    }
    const double sd = 1 / sqrt((double)DRAWS); /* of the mean; x^2: sqrt 2, x^3: sqrt 15, x^4: sqrt 96 */
    assert_near(moment[1], 0, 4 * sd);
    assert_near(moment[2], 1, 4 * sqrt(2.0) * sd);
    assert_near(moment[3], 0, 4 * sqrt(15.0) * sd);
    assert_near(moment[4], 3, 4 * sqrt(96.0) * sd);
    assert_near(lag, 0, 4 * sd);
    assert_below(kolmogorov(draws, DRAWS, normal_cdf), 2.2);
}

/* A change of any coordinate gives numbers that have nothing to do with the old ones. */
static void streams_are_independent(void **state)
{
    (void)state;
    const kelvin_random base = {5, 6, 7, 8};
    const kelvin_random other[] = {{6, 6, 7, 8}, {5, 7, 7, 8}, {5, 6, 8, 8}, {5, 6, 7, 9}, {5 + (1ull << 32), 6, 7, 8}};
    for (size_t o = 0; o < sizeof other / sizeof *other; o++) {
        double sum = 0;
        const int n = 20000;
        for (int i = 0; i < n; i++) sum += kelvin_normal(base, (uint64_t)i) * kelvin_normal(other[o], (uint64_t)i);
        assert_near(sum / n, 0, 4 / sqrt(n));
    }
}

/* With 3 x 2^30 values, a quarter of all 32-bit numbers would land twice on a third of them if none were thrown away.
 */
static void bounded_integers_have_no_bias(void **state)
{
    (void)state;
    enum { TRIES = 30000 };
    const uint32_t bound = 3u << 30;
    size_t count[3] = {0}; /* by the remainder: x mod 3 is what the doubled ones share */
    for (uint64_t i = 0; i < TRIES; i++) {
        const uint32_t x = kelvin_uniform_int((kelvin_random){4, 3, 2, KELVIN_STREAM_USER}, i, bound);
        assert_true(x < bound);
        count[x % 3]++;
    }
    for (size_t k = 0; k < 3; k++) assert_near((double)count[k], TRIES / 3.0, 4 * sqrt(TRIES * 2 / 9.0));
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(kelvin_uniform_int((kelvin_random){4, 3, 2, KELVIN_STREAM_USER}, i, 1), 0);
}

/* Each of the 24 permutations of four things is equally likely. */
static void permutations_are_uniform(void **state)
{
    (void)state;
    enum { TRIES = 48000 };
    size_t count[256] = {0};
    for (uint32_t t = 0; t < TRIES; t++) {
        uint32_t p[4];
        kelvin_permutation(p, 4, (kelvin_random){9, 1, t, KELVIN_STREAM_USER});
        count[p[0] * 64 + p[1] * 16 + p[2] * 4 + p[3]]++;
    }
    double chi2 = 0;
    size_t seen = 0;
    for (size_t i = 0; i < 256; i++)
        if (count[i]) {
            const double off = (double)count[i] - TRIES / 24.0;
            chi2 += off * off / (TRIES / 24.0);
            seen++;
        }
    assert_int_equal(seen, 24);
    assert_below(chi2, 57.3); /* chi-square, 23 degrees of freedom: above it with probability 1e-4 */

    uint32_t big[1000];
    bool there[1000] = {false};
    kelvin_permutation(big, 1000, (kelvin_random){10, 1, 2, KELVIN_STREAM_USER});
    for (size_t i = 0; i < 1000; i++) {
        assert_true(big[i] < 1000 && !there[big[i]]);
        there[big[i]] = true;
    }
}

static void arena_blocks(void **state)
{
    (void)state;
    kelvin_arena *arena;
    assert_ok(kelvin_arena_create(&arena));
    unsigned char *block[200];
    for (size_t i = 0; i < 200; i++) {
        block[i] = kelvin_arena_alloc(arena, i * 37 + 1, 1);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        for (size_t k = 0; k < i * 37 + 1; k++) assert_int_equal(block[i][k], 0);
        memset(block[i], (int)i, i * 37 + 1);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i * 37 + 1; k++) assert_int_equal(block[i][k], (unsigned char)i);
    assert_true(kelvin_arena_bytes(arena) >= 199 * 200 / 2 * 37);
    assert_null(kelvin_arena_alloc(arena, SIZE_MAX / 2, 4));
    assert_non_null(strstr(kelvin_error(), "out of memory"));
    kelvin_arena_destroy(arena);
    kelvin_arena_destroy(NULL);
}

static void allocation_can_fail(void **state)
{
    (void)state;
    assert_null(kelvin_alloc(SIZE_MAX, 2));
    kelvin_alloc_fail_at(2);
    void *first = kelvin_alloc(1, 1), *second = kelvin_alloc(1, 1), *third = kelvin_alloc(1, 1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    kelvin_free(first);
    kelvin_free(second);
    kelvin_free(third);
}

struct tally {
    atomic_int times[1000];
};

static kelvin_status count_task(void *context, size_t task)
{
    struct tally *tally = context;
    atomic_fetch_add(&tally->times[task], 1);
    return task % 400 == 399 ? kelvin_fail(KELVIN_EIO, "task %zu failed", task) : KELVIN_OK;
}

static void pool_runs_each_task_once(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 5; threads++) {
        kelvin_pool *pool;
        assert_ok(kelvin_pool_create(&pool, threads));
        assert_int_equal(kelvin_pool_threads(pool), threads);
        struct tally *tally = kelvin_alloc(1, sizeof *tally);
        for (int round = 1; round <= 20; round++) {
            assert_ok(kelvin_pool_run(pool, count_task, tally, 399));
            for (size_t i = 0; i < 399; i++) assert_int_equal(atomic_load(&tally->times[i]), round);
        }
        assert_ok(kelvin_pool_run(pool, count_task, tally, 0));
        assert_int_equal(kelvin_pool_run(pool, count_task, tally, 1000), KELVIN_EIO);
        assert_string_equal(kelvin_error(), "task 399 failed"); /* the lowest of two */
        kelvin_free(tally);
        kelvin_pool_destroy(pool);
    }
    kelvin_pool_destroy(NULL);
}

static void errors_are_sentences(void **state)
{
    (void)state;
    assert_int_equal(kelvin_fail(KELVIN_EFORMAT, "%s: row %d", "file.csv", 7), KELVIN_EFORMAT);
    assert_string_equal(kelvin_error(), "file.csv: row 7");
    kelvin_fail(KELVIN_EIO, "%s, and more", kelvin_error());
    assert_string_equal(kelvin_error(), "file.csv: row 7, and more");
}

static void instruction_set_by_name(void **state)
{
    (void)state;
    kelvin_isa isa;
    assert_true(kelvin_isa_supported(KELVIN_ISA_BASELINE));
    setenv("KELVIN_ISA", kelvin_isa_name(KELVIN_ISA_BASELINE), 1);
    assert_ok(kelvin_isa_choose(&isa));
    assert_int_equal(isa, KELVIN_ISA_BASELINE);
    setenv("KELVIN_ISA", "mmx", 1);
    assert_int_equal(kelvin_isa_choose(&isa), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "x86-64-v3"));
    unsetenv("KELVIN_ISA");
    assert_ok(kelvin_isa_choose(&isa));
    assert_true(kelvin_isa_supported(isa));
}

/* Every code point, in the bytes that RFC 3629 has for it; and what it forbids. */
static void utf8_letters(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "\x80",
                                        "\xbf",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xc3",
                                        "\xc3z",
                                        "\xe0\x9f\xbf",
                                        "\xe2\x82",
                                        "\xed\xa0\x80",
                                        "\xed\xbf\xbf",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(kelvin_utf8_letter(NULL, wrong[i]), 0);
    for (uint32_t c = 1; c <= 0x10ffff; c++) {
        const size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        char text[5] = {0};
        uint32_t code = 0, rest = c;
        for (size_t i = bytes; i-- > 1; rest >>= 6) text[i] = (char)(0x80 | (rest & 0x3f));
        text[0] = (char)(lead[bytes] | rest);
        const bool surrogate = c >= 0xd800 && c <= 0xdfff;
        assert_int_equal(kelvin_utf8_letter(&code, text), surrogate ? 0 : bytes);
        assert_int_equal(code, surrogate ? 0 : c);
    }
}

static void what_is_not_utf8_is_latin1(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"gr\xc3\xbcn", "gr\xc3\xbcn"}, {"gr\xfcn", "gr\xc3\xbcn"}, {"\x80\xff", "\xc2\x80\xc3\xbf"}, {"", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = kelvin_utf8(pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
        kelvin_free(text);
    }
}

/* "A", "A or B", "A, B or C"; as much of it as there is room for. */
static void lists_of_names(void **state)
{
    (void)state;
    static const char *const names[] = {"sghmc", "hmc", "mclmc", "walk"};
    static const char *const lists[] = {"sghmc", "sghmc or hmc", "sghmc, hmc or mclmc", "sghmc, hmc, mclmc or walk"};
    char list[64] = "", small[12] = "";
    for (size_t i = 0; i < 4; i++) {
        kelvin_append_name(list, sizeof list, names[i]);
        assert_string_equal(list, lists[i]);
        kelvin_append_name(small, sizeof small, names[i]);
        assert_true(strlen(small) < sizeof small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_names),
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(bits_are_random123),
        cmocka_unit_test(uniforms_are_uniform),
        cmocka_unit_test(normals_are_normal),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(permutations_are_uniform),
        cmocka_unit_test(bounded_integers_have_no_bias),
        cmocka_unit_test(arena_blocks),
        cmocka_unit_test(allocation_can_fail),
        cmocka_unit_test(pool_runs_each_task_once),
        cmocka_unit_test(errors_are_sentences),
        cmocka_unit_test(instruction_set_by_name),
        cmocka_unit_test(utf8_letters),
        cmocka_unit_test(what_is_not_utf8_is_latin1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
