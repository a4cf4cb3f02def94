/* What holds for every sampler of the table: it samples what it is told, its chains can be cut anywhere, moves are
 * functions of their place, the same bits under every instruction set with FMA, settings have ranges, memory may run
 * out. */
#include "sampler_helpers.h"

#include "base/random.h"
#include "density/density.h"

enum { DIM = 77, WARMUP = 12, STEPS = 30 };

/* A double well in each coordinate, coupled with the next one; tilted, so that no sign may be lost. */
static void wells_eval(void *context, double *logp, float *grad, const float *theta)
{
    const double *tilt = context;
    double sum = 0;
    for (int i = 0; i < DIM; i++) {
        const double x = (double)theta[i], next = (double)theta[(i + 1) % DIM];
        const double before = (double)theta[(i + DIM - 1) % DIM];
        sum -= (x * x - 1) * (x * x - 1) + 0.3 * x * next - *tilt * x;
        if (grad) grad[i] = (float)(-4 * x * (x * x - 1) - 0.3 * (next + before) + *tilt);
    }
    if (logp) *logp = sum;
}

static double tilt = 0.4, other_tilt = -0.2;
static const kelvin_target wells = {DIM, wells_eval, &tilt}, other_wells = {DIM, wells_eval, &other_tilt};

/* Settings that suit the wells, by name; the others are the usual ones. */
static const struct {
    const char *sampler, *setting;
    double value;
} suited[] = {{"hmc", "step_size", 0.03}, {"hmc", "steps", 7}, {"sghmc", "lr", 0.3}, {"mclmc", "steps", 7}};

static void suit(double setting[KELVIN_SETTINGS], const kelvin_sampler_type *type)
{
    for (size_t i = 0; i < kelvin_count_settings(type); i++) {
        setting[i] = type->setting[i].usual;
        for (size_t k = 0; k < sizeof suited / sizeof *suited; k++)
            if (!strcmp(suited[k].sampler, type->member.name) && !strcmp(suited[k].setting, type->setting[i].name))
                setting[i] = suited[k].value;
    }
}

static kelvin_sampler *make(const kelvin_sampler_type *type, uint64_t seed, uint32_t chain)
{
    double setting[KELVIN_SETTINGS];
    suit(setting, type);
    return chain_of(type->member.name, &wells, setting, 500, seed, chain);
}

static void start(float theta[DIM])
{
    for (int i = 0; i < DIM; i++) theta[i] = 0.8f - 0.03f * (float)i;
}

/* A warm-up, in which samplers tune themselves, and what comes after it; so hot that the wells stop nobody. */
static kelvin_step_info next(kelvin_sampler *chain, uint32_t step)
{
    return kelvin_sampler_advance(chain, &(kelvin_moment){step, WARMUP, 1, 5});
}

/* All that a chain remembers. */
struct memory {
    float vector[1 + KELVIN_STATE_VECTORS][DIM];
    double number[KELVIN_STATE_NUMBERS];
};

static struct memory memory_of(const kelvin_sampler *chain)
{
    struct memory m;
    memset(&m, 0, sizeof m);
    kelvin_sampler_save(chain, m.vector[0], m.number);
    assert_memory_equal(m.vector[0], kelvin_sampler_theta(chain), sizeof m.vector[0]);
    return m;
}

static bool same(const struct memory *a, const struct memory *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* ---- the table ---- */

static void samplers_are_found_by_name(void **state)
{
    (void)state;
    const kelvin_sampler_type *type, *found;
    size_t count = 0;
    for (; (type = kelvin_sampler_info(count)); count++) {
        assert_ok(kelvin_sampler_find(&found, type->member.name));
        assert_ptr_equal(found, type);
    }
    assert_true(count >= 3);
    static const char *const unknown[] = {"", NULL, "hm", "hmcs"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kelvin_sampler_find(&found, unknown[i]), KELVIN_EUSAGE);
        assert_null(found);
        for (size_t k = 0; i < 2 && k < count; k++)
            if (!strstr(kelvin_error(), kelvin_sampler_info(k)->member.name)) fail_msg("not in: %s", kelvin_error());
        if (i >= 2) assert_non_null(strstr(kelvin_error(), "; did you mean 'hmc'?"));
    }
}

static void lists_are_whole(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        kelvin_density density;
        kelvin_prior prior;
        bool listed = false;
        assert_ok(kelvin_density_parse(&density, type->usual.density));
        assert_ok(kelvin_prior_parse(&prior, type->usual.prior));
        assert_true(type->usual.chains > 0 && type->usual.rows > 0 && type->work <= KELVIN_WORK_VECTORS);
        for (size_t i = 0; i < kelvin_count_settings(type); i++) {
            assert_true(type->setting[i].value && type->setting[i].about);
            listed |= strcmp(type->setting[i].name, type->step_setting) == 0;
        }
        assert_true(listed);
        for (size_t i = 0; i < kelvin_count_statistics(type); i++)
            for (size_t j = 0; j < i; j++) assert_string_not_equal(type->statistic[i].name, type->statistic[j].name);
    }
}

/* ---- settings ---- */

static kelvin_status with(const kelvin_sampler_type *type, size_t i, double value)
{
    double setting[KELVIN_SETTINGS];
    kelvin_sampler *chain;
    suit(setting, type);
    setting[i] = value;
    const kelvin_status status =
        kelvin_sampler_make(&chain, type, &wells, &(kelvin_sampler_options){.setting = setting});
    assert_int_equal(chain == NULL, status != KELVIN_OK);
    kelvin_sampler_destroy(chain);
    return status;
}

static void refused(const kelvin_sampler_type *type, size_t i, double value)
{
    const kelvin_setting *s = &type->setting[i];
    if (with(type, i, value) != KELVIN_EUSAGE) fail_msg("%s: %s may be %g", type->member.name, s->name, value);
    if (!strstr(kelvin_error(), s->name) || !strstr(kelvin_error(), "expected"))
        fail_msg("%s of %g: %s", s->name, value, kelvin_error());
}

static void settings_have_ranges(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++)
        for (size_t i = 0; i < kelvin_count_settings(type); i++) {
            const kelvin_setting *s = &type->setting[i];
            assert_ok(with(type, i, s->usual));
            if (s->above)
                refused(type, i, s->least);
            else
                assert_ok(with(type, i, s->least));
            refused(type, i, s->least - 1);
            refused(type, i, (double)NAN);
            refused(type, i, (double)INFINITY);
            refused(type, i, -(double)INFINITY);
            if (s->whole) refused(type, i, s->least + 0.5);
            if (!isfinite(s->most)) continue;
            if (s->below)
                refused(type, i, s->most);
            else
                assert_ok(with(type, i, s->most));
            refused(type, i, nextafter(s->most, INFINITY));
        }
}

/* ---- chains ---- */

/* Cut in the warm-up, at its end and after it, into a sampler that has been somewhere else. */
static void a_chain_can_be_cut_anywhere(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    float theta[DIM], elsewhere[DIM] = {0};
    start(theta);
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++)
        for (uint32_t cut = 0; cut <= STEPS; cut++) {
            kelvin_sampler *whole = make(type, 5, 2), *part = make(type, 5, 2);
            kelvin_sampler_start(whole, theta);
            kelvin_sampler_start(part, elsewhere);
            next(part, 3);
            for (uint32_t i = 0; i < cut; i++) next(whole, i);
            struct memory m = memory_of(whole), n;
            kelvin_sampler_load(part, m.vector[0], m.number);
            n = memory_of(part);
            assert_true(same(&m, &n));
            for (uint32_t i = cut; i < STEPS; i++) {
                const kelvin_step_info a = next(whole, i), b = next(part, i);
                if (memcmp(&a, &b, sizeof a))
                    fail_msg("%s, cut at %u: step %u tells another story", type->member.name, cut, i);
            }
            m = memory_of(whole);
            n = memory_of(part);
            if (!same(&m, &n)) fail_msg("%s, cut at %u: goes somewhere else", type->member.name, cut);
            kelvin_sampler_destroy(whole);
            kelvin_sampler_destroy(part);
        }
}

static void a_sampler_can_start_again(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    float theta[DIM];
    start(theta);
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        kelvin_sampler *chain = make(type, 5, 2);
        struct memory after[2];
        for (int k = 0; k < 2; k++) {
            kelvin_sampler_start(chain, theta);
            for (uint32_t i = 0; i < STEPS; i++) next(chain, i);
            after[k] = memory_of(chain);
        }
        if (!same(&after[0], &after[1])) fail_msg("%s remembers its last chain", type->member.name);
        kelvin_sampler_destroy(chain);
    }
}

/* The seed, the chain and the step pick the random numbers, and nothing else does. */
static void moves_are_functions_of_their_place(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        uint32_t chain, step;
    } places[] = {{1, 0, 3}, {1, 0, 3}, {1, 0, 4}, {1, 1, 3}, {2, 0, 3}};
    const kelvin_sampler_type *type;
    float theta[DIM];
    start(theta);
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        kelvin_sampler *from = make(type, 9, 9);
        kelvin_sampler_start(from, theta);
        const struct memory before = memory_of(from);
        struct memory first = before;
        for (int i = 0; i < 5; i++) {
            kelvin_sampler *chain = make(type, places[i].seed, places[i].chain);
            kelvin_sampler_load(chain, before.vector[0], before.number);
            for (uint32_t k = 0; k < STEPS; k++) next(chain, places[i].step + k); /* some may be rejected */
            const struct memory after = memory_of(chain);
            if (i == 0) first = after;
            if (same(&before, &after))
                fail_msg("%s does not move: `suited` may have settings for it", type->member.name);
            if (same(&first, &after) != (i < 2)) fail_msg("%s, place %d", type->member.name, i);
            kelvin_sampler_destroy(chain);
        }
        kelvin_sampler_destroy(from);
    }
}

static void same_bits_with_every_fma(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    float theta[DIM];
    start(theta);
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        const struct kelvin_kernels *k;
        struct memory first;
        bool have = false;
        for (int isa = 0; (k = use_next(&isa));) {
            if (!k->fma) continue;
            kelvin_sampler *chain = make(type, 5, 2);
            kelvin_sampler_start(chain, theta);
            for (uint32_t i = 0; i < STEPS; i++) next(chain, i);
            const struct memory after = memory_of(chain);
            if (!have) first = after;
            if (!same(&first, &after)) fail_msg("%s: other bits with %s", type->member.name, kelvin_isa_name(k->isa));
            have = true;
            kelvin_sampler_destroy(chain);
        }
    }
}

/* The same density behind another target goes on as if nothing had been; another density does not. */
static void another_target_takes_over(void **state)
{
    (void)state;
    double same_tilt = tilt;
    const kelvin_target targets[] = {wells, {DIM, wells_eval, &same_tilt}, other_wells};
    const kelvin_sampler_type *type;
    float theta[DIM];
    start(theta);
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        struct memory after[3];
        for (int k = 0; k < 3; k++) {
            kelvin_sampler *chain = make(type, 5, 2);
            kelvin_sampler_start(chain, theta);
            next(chain, 0);
            kelvin_sampler_retarget(chain, &targets[k]);
            next(chain, 1);
            next(chain, 2);
            after[k] = memory_of(chain);
            kelvin_sampler_destroy(chain);
        }
        assert_true(same(&after[0], &after[1]));
        assert_false(same(&after[0], &after[2]));
    }
}

/* ---- what is sampled ---- */

/* Pairs of numbers that go together: N(mean, T s^2), with a correlation within each pair. */
enum { SIDES = 4, MOMENTS = 5 * SIDES / 2, BATCHES = 50, DRAWS = 200000 };
static const double mean[SIDES] = {0.3, -0.2, 0.5, 1.1}, s[SIDES] = {0.5, 0.8, 0.7, 1.2}, r[SIDES / 2] = {0.6, -0.3};

static void pairs_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    double sum = 0;
    for (int i = 0; i < SIDES; i += 2) {
        const double a = ((double)theta[i] - mean[i]) / s[i], b = ((double)theta[i + 1] - mean[i + 1]) / s[i + 1];
        const double c = r[i / 2], d = 1 - c * c;
        sum -= (a * a - 2 * c * a * b + b * b) / (2 * d);
        if (grad) grad[i] = (float)((c * b - a) / (d * s[i]));
        if (grad) grad[i + 1] = (float)((c * a - b) / (d * s[i + 1]));
    }
    if (logp) *logp = sum;
}

/* What is 0 on average: numbers, squares and products, in units of what they should be. */
static void moments(double out[MOMENTS], const float *theta, double T)
{
    double z[SIDES];
    for (int i = 0; i < SIDES; i++) z[i] = ((double)theta[i] - mean[i]) / (s[i] * sqrt(T));
    for (int i = 0; i < SIDES; i++) *out++ = z[i];
    for (int i = 0; i < SIDES; i++) *out++ = z[i] * z[i] - 1;
    for (int i = 0; i < SIDES; i += 2) *out++ = z[i] * z[i + 1] - r[i / 2];
}

/* Errors by means of batches, each far longer than a chain remembers. A sampler that rejects is right whatever its
 * steps; of the others those of these sizes are off by 1 or 2 % (mclmc's squares, as test_mclmc.c has it), where
 * a wrong temperature, sign or noise is off by far more. */
static void samples_what_it_is_told(const kelvin_sampler_type *type, double T)
{
    const kelvin_target pairs = {SIDES, pairs_eval, NULL};
    const double allowed = type->accepts ? 0 : 0.03;
    const float theta[SIDES] = {1, 1, 1, 1};
    double setting[KELVIN_SETTINGS], sum[MOMENTS][BATCHES] = {{0}};
    enum { FIRST = 3000 };
    suit(setting, type);
    kelvin_sampler *chain = chain_of(type->member.name, &pairs, setting, 500, 11, 0);
    kelvin_sampler_start(chain, theta);
    for (uint32_t i = 0; i < FIRST + DRAWS; i++) {
        double now[MOMENTS];
        kelvin_sampler_advance(chain, &(kelvin_moment){i, FIRST, 1, T});
        if (i < FIRST) continue;
        moments(now, kelvin_sampler_theta(chain), T);
        for (int k = 0; k < MOMENTS; k++) sum[k][(i - FIRST) / (DRAWS / BATCHES)] += now[k] / (DRAWS / BATCHES);
    }
    kelvin_sampler_destroy(chain);
    for (int k = 0; k < MOMENTS; k++) {
        double average = 0, square = 0;
        for (int b = 0; b < BATCHES; b++) average += sum[k][b] / BATCHES;
        for (int b = 0; b < BATCHES; b++) square += (sum[k][b] - average) * (sum[k][b] - average);
        const double error = sqrt(square / (BATCHES * (BATCHES - 1)));
        if (!(error < 0.1)) fail_msg("%s hardly moves: `suited` may have settings for it", type->member.name);
        if (!(fabs(average) < allowed + 5 * error)) fail_msg("%s, T = %g: moment %d", type->member.name, T, k);
    }
}

static void every_sampler_samples_what_it_is_told(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++)
        for (double T = 0.5; T < 3; T *= 4) samples_what_it_is_told(type, T);
}

/* ---- random numbers ---- */

/* Flat; writes down the first place it is asked at that is not the start, 0. */
static void flat_eval(void *context, double *logp, float *grad, const float *theta)
{
    float *seen = context;
    float zeros[DIM] = {0};
    if (logp) *logp = 0;
    if (grad) memset(grad, 0, sizeof zeros);
    if (memcmp(seen, zeros, sizeof zeros) == 0) memcpy(seen, theta, sizeof zeros);
}

/* Without noise, as far as a sampler can do without. */
static void first_move(float seen[DIM], const kelvin_sampler_type *type)
{
    const float zeros[DIM] = {0};
    const kelvin_target flat = {DIM, flat_eval, seen};
    double setting[KELVIN_SETTINGS];
    suit(setting, type);
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        if (strcmp(type->setting[i].name, "length") == 0) setting[i] = 1e9;
    memset(seen, 0, sizeof zeros);
    kelvin_sampler *chain = chain_of(type->member.name, &flat, setting, 500, 5, 2);
    kelvin_sampler_start(chain, zeros);
    for (uint32_t i = 0; i < 2; i++) move(chain, i, type->anneals ? 0 : 1);
    kelvin_sampler_destroy(chain);
}

static double cosine(const float *a, const float *b)
{
    double ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < DIM; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return ab / sqrt(aa * bb);
}

/* With one seed and chain, every sampler goes its own way from the start: their first momenta are not the same numbers.
 * Of independent ones the cosine is 0.11 or so. */
static void every_sampler_has_its_own_numbers(void **state)
{
    (void)state;
    enum { MOST = 16 };
    float seen[MOST][DIM], normals[DIM];
    size_t count = 0;
    for (; kelvin_sampler_info(count); count++) {
        assert_true(count < MOST);
        first_move(seen[count], kelvin_sampler_info(count));
        for (size_t k = 0; k < count; k++)
            if (!(fabs(cosine(seen[count], seen[k])) < 0.5))
                fail_msg("%s and %s start in the same direction", kelvin_sampler_info(count)->member.name,
                         kelvin_sampler_info(k)->member.name);
    }
    /* the way of each is what was meant to be seen: its first momentum */
    static const struct {
        const char *name;
        uint32_t stream;
    } streams[] = {
        {"sghmc", KELVIN_STREAM_MOMENTUM}, {"hmc", KELVIN_STREAM_REFRESH}, {"mclmc", KELVIN_STREAM_DIRECTION}};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        for (int i = 0; i < DIM; i++)
            normals[i] = (float)kelvin_normal((kelvin_random){5, 2, 0, streams[k].stream}, (uint64_t)i);
        first_move(seen[0], sampler_named(streams[k].name));
        assert_near(cosine(seen[0], normals), 1, 1e-6);
    }
}

/* ---- memory ---- */

static kelvin_status create(void *context)
{
    kelvin_sampler *chain;
    KELVIN_TRY(kelvin_sampler_make(&chain, context, &wells, &(kelvin_sampler_options){0}));
    kelvin_sampler_destroy(chain);
    return KELVIN_OK;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    kelvin_sampler_type type;
    for (size_t t = 0; kelvin_sampler_info(t); t++) {
        type = *kelvin_sampler_info(t);
        assert_int_equal(without_memory(create, &type), 2 + kelvin_sampler_vectors(&type) + type.work);
    }
    kelvin_sampler_destroy(NULL);
}

/* What programs call: by name, settings by name, statistics one by one. The same chain as from within. */
static void by_name_the_same_chain(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t t = 0; (type = kelvin_sampler_info(t)); t++) {
        kelvin_sampler *inside, *outside;
        double setting[KELVIN_SETTINGS];
        const kelvin_setting *listed;
        const char *name;
        float theta[DIM];
        suit(setting, type);
        const kelvin_sampler_options options = {
            .setting = setting, .observations = 500, .seed = 11, .chain = 2, .tune_scale = true};
        assert_ok(kelvin_sampler_make(&inside, type, &wells, &options));
        assert_ok(kelvin_sampler_create(&outside, type->member.name, &wells, 11, 2));
        kelvin_sampler_set_observations(outside, 500);
        size_t n = 0;
        for (; (listed = kelvin_sampler_setting(outside, n)); n++)
            assert_ok(kelvin_sampler_set(outside, listed->name, setting[n]));
        assert_int_equal(n, kelvin_count_settings(type));
        start(theta);
        kelvin_sampler_start(inside, theta);
        kelvin_sampler_start(outside, theta);
        for (uint32_t step = 0; step < STEPS; step++) {
            const kelvin_moment moment = {step, WARMUP, 1, 5};
            const kelvin_step_info info = next(inside, step);
            assert_true(kelvin_sampler_step(outside, &moment) == info.logp);
            for (size_t i = 0; i < kelvin_count_statistics(type); i++) {
                const double value = kelvin_sampler_statistic(outside, i, &name);
                assert_memory_equal(&value, &info.value[i], sizeof value);
                assert_string_equal(name, type->statistic[i].name);
            }
        }
        assert_memory_equal(kelvin_sampler_theta(inside), kelvin_sampler_theta(outside), sizeof theta);
        assert_true(isnan(kelvin_sampler_statistic(outside, kelvin_count_statistics(type), &name)));
        assert_null(name);
        assert_int_equal(kelvin_sampler_set(outside, "steepness", 1), KELVIN_EUSAGE);
        assert_non_null(strstr(kelvin_error(), "unknown setting 'steepness'"));
        assert_int_equal(kelvin_sampler_set(outside, type->setting[0].name, (double)NAN), KELVIN_EUSAGE);
        kelvin_sampler_destroy(inside);
        kelvin_sampler_destroy(outside);
    }
    kelvin_sampler *none;
    assert_int_equal(kelvin_sampler_create(&none, "hmcs", &wells, 1, 0), KELVIN_EUSAGE);
    assert_null(none);
    assert_string_equal(kelvin_error(), "unknown sampler 'hmcs'; did you mean 'hmc'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_are_found_by_name),
        cmocka_unit_test(lists_are_whole),
        cmocka_unit_test(settings_have_ranges),
        cmocka_unit_test(a_chain_can_be_cut_anywhere),
        cmocka_unit_test(a_sampler_can_start_again),
        cmocka_unit_test(moves_are_functions_of_their_place),
        cmocka_unit_test(same_bits_with_every_fma),
        cmocka_unit_test(another_target_takes_over),
        cmocka_unit_test(every_sampler_samples_what_it_is_told),
        cmocka_unit_test(every_sampler_has_its_own_numbers),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(by_name_the_same_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
