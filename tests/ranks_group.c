/* What ranks compute together, on any number of them: mpirun -n N ranks_group. Sums are compared with plain loops over
 * what every rank has, in the order of ranks; posteriors with those that a rank evaluates alone, to the bit.
 * test_ranks.sh runs it. */
#include "base/random.h"
#include "kernels/kernels.h"
#include "target/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kelvin_group group;
static int passed, failed;

static void check(bool good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) fprintf(stderr, "rank %zu: FAILED: %s\n", kelvin_rank(), what);
}

static void stop_if(kelvin_status status)
{
    if (!status) return;
    fprintf(stderr, "rank %zu: %s\n", kelvin_rank(), kelvin_error());
    exit(1);
}

/* ---- sums ---- */

/* Awkward numbers, whose sum depends on the order. */
static float number(size_t rank, size_t i)
{
    return sinf(2.385f * (float)(i % 1000 + 1) + (float)rank) * powf(10, (float)((i + rank) % 7) - 3);
}

static void add_own(void *context, float *sum, size_t from, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n; i++) sum[i] += number(group.me, from + i);
}

static void test_sum(size_t n)
{
    char what[64];
    float *sum = kelvin_alloc(n + 1, sizeof *sum);
    size_t wrong = 0;
    for (size_t i = 0; i < n && group.me > 0; i++) sum[i] = 7; /* what was there does not count */
    sum[n] = 42;
    stop_if(kelvin_group_sum(&group, sum, n, add_own, NULL));
    for (size_t i = 0; i < n; i++) {
        float plain = 0;
        for (size_t rank = 0; rank < group.size; rank++) plain += number(rank, i);
        wrong += memcmp(&plain, &sum[i], sizeof plain) != 0;
    }
    snprintf(what, sizeof what, "a sum of %zu numbers: %zu are wrong", n, wrong);
    check(wrong == 0 && sum[n] == 42, what);
    kelvin_free(sum);
}

static void test_exchange(void)
{
    struct slot {
        char text[40];
    } slots[16] = {{""}};
    snprintf(slots[group.me].text, sizeof slots->text, "rank %zu", group.me);
    stop_if(kelvin_group_exchange(&group, slots, sizeof *slots));
    for (size_t i = 0; i < group.size; i++) {
        char text[40];
        snprintf(text, sizeof text, "rank %zu", i);
        check(strcmp(text, slots[i].text) == 0, "an exchange");
    }
    for (size_t who = 0; who <= group.size; who++) {
        bool any = group.me == who;
        stop_if(kelvin_group_any(&group, &any));
        check(any == (who < group.size), "whether any rank says so");
    }
}

static void test_spread(size_t n)
{
    unsigned char *bytes = kelvin_alloc(n, 1);
    size_t wrong = 0;
    for (size_t i = 0; i < n && group.me == 0; i++) bytes[i] = (unsigned char)(i * i % 251);
    stop_if(kelvin_group_spread(&group, bytes, n));
    for (size_t i = 0; i < n; i++) wrong += bytes[i] != (unsigned char)(i * i % 251);
    check(wrong == 0, "what the first rank spreads");
    kelvin_free(bytes);
}

static void test_agree(void)
{
    stop_if(kelvin_group_agree(&group, KELVIN_OK));
    for (size_t who = 0; who < group.size; who++) {
        kelvin_status status = KELVIN_OK;
        if (group.me == who) status = kelvin_fail(KELVIN_EFORMAT, "the reason");
        status = kelvin_group_agree(&group, status);
        check(status == (group.me == who ? KELVIN_EFORMAT : group.size > 1 ? KELVIN_ESTOP : KELVIN_OK), "a failure");
        if (group.me == who) check(strcmp(kelvin_error(), "the reason") == 0, "its sentence");
    }
}

/* ---- posteriors ---- */

static void test_posterior(const char *spec, kelvin_shape input, size_t classes, size_t batch, size_t threads)
{
    const struct kelvin_kernels *kernels;
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    kelvin_posterior *alone, *shared;
    char what[128];
    stop_if(kelvin_kernels_get(&kernels));
    stop_if(kelvin_model_create(&model, spec, input, classes));
    stop_if(kelvin_density_parse(&density, "dirclip:0.85,-50"));
    stop_if(kelvin_prior_parse(&prior, "normal:0.3"));
    kelvin_posterior_options options = {.batch = batch, .total = 977, .threads = threads, .outputs = true};
    stop_if(kelvin_posterior_make(&alone, model, &density, &prior, NULL, &options));
    options.group = &group;
    stop_if(kelvin_posterior_make(&shared, model, &density, &prior, NULL, &options));
    float *x = kelvin_alloc(batch * model->inputs, sizeof *x), *theta = kelvin_alloc(model->n_params, sizeof *theta);
    float *grad[2] = {kelvin_alloc(model->n_params, sizeof(float)), kelvin_alloc(model->n_params, sizeof(float))};
    int32_t *y = kelvin_alloc(batch, sizeof *y);
    kernels->normals(x, batch * model->inputs, (kelvin_random){5, 0, 0, KELVIN_STREAM_USER});
    for (size_t i = 0; i < batch; i++) y[i] = (int32_t)(i % classes);
    kelvin_model_start(model, theta, 3, 0);
    for (size_t n = batch; n > 0; n = n > 3 ? n / 3 : n - 1) {
        double logp[2];
        kelvin_posterior *each[2] = {alone, shared};
        kelvin_outputs outputs[2];
        for (size_t k = 0; k < 2; k++) {
            const kelvin_target target = kelvin_posterior_target(each[k]);
            stop_if(kelvin_posterior_set_batch(each[k], x, y, n));
            target.eval(target.context, &logp[k], grad[k], theta);
            outputs[k] = kelvin_posterior_outputs(each[k]);
        }
        snprintf(what, sizeof what, "%s, %zu of a batch of %zu, %zu threads", spec, n, batch, threads);
        check(memcmp(grad[0], grad[1], model->n_params * sizeof(float)) == 0, what);
        check(logp[0] == logp[1] && isfinite(logp[0]), what);
        check(outputs[0].n == outputs[1].n && outputs[0].hits == outputs[1].hits &&
                  outputs[0].confidence == outputs[1].confidence && outputs[0].range == outputs[1].range,
              what);
    }
    kelvin_posterior_destroy(alone);
    kelvin_posterior_destroy(shared);
    kelvin_model_destroy(model);
    kelvin_free(x);
    kelvin_free(y);
    kelvin_free(theta);
    kelvin_free(grad[0]);
    kelvin_free(grad[1]);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 1000, 32767, 32768, 32769, 98304, 2097152, 2097153, 5000011};
    const kelvin_status joined = kelvin_ranks_join();
    stop_if(joined);
    group = kelvin_group_of(0, kelvin_rank_count());
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) test_sum(sizes[i]);
    test_exchange();
    test_spread(1);
    test_spread((1 << 24) + 7);
    test_agree();
    for (size_t threads = 1; threads < 4; threads += 2) {
        test_posterior("mlp:7,5", (kelvin_shape){9, 1, 1}, 3, 200, threads);
        test_posterior("mlp", (kelvin_shape){4, 1, 1}, 2, 24, threads);
        test_posterior("cnn:4,8,8,kernel=3,stride=2", (kelvin_shape){1, 8, 8}, 10, 77, threads);
        test_posterior("resnet8", (kelvin_shape){3, 8, 8}, 10, 45, threads);
    }
    if (kelvin_rank() == 0) printf("%d passed, %d failed\n", passed, failed);
    kelvin_ranks_leave(failed ? KELVIN_EIO : KELVIN_OK, failed > 0);
    return failed > 0;
}
