/* target and sampler: several chains at once, under every instruction set, to the bits that each would have alone. */
#include "nets.h"
#include "sampler_helpers.h"

#include "data/dataset.h"
#include "density/density.h"
#include "target/target.h"

#include <stdio.h>

static const size_t lanes_of[] = {4, 8};

static const struct net {
    const char *spec;
    size_t inputs, classes;
} nets[] = {
    {"mlp:10,10,10,10,10", 2, 2},    {"mlp:1", 1, 2}, {"mlp:7,3,leak=0.1", 5, 3},
    {"mlp:11,4,13,leak=0.3", 3, 10}, {"mlp:2", 9, 5},
};
enum { NETS = sizeof nets / sizeof *nets, MOST = 250 };

struct problem {
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    kelvin_data data;
    int32_t y[MOST];
    float weight[MOST];
    float *x;
};

/* prior NULL: none */
static void make(struct problem *p, const struct net *net, const char *density, const char *prior, size_t n, bool weigh)
{
    assert_ok(kelvin_model_create(&p->model, net->spec, (kelvin_shape){net->inputs, 1, 1}, net->classes));
    assert_ok(kelvin_density_parse(&p->density, density));
    p->has_prior = prior;
    if (prior) assert_ok(kelvin_prior_parse(&p->prior, prior));
    p->x = normals(n * net->inputs, 6);
    for (size_t i = 0; i < n; i++) p->y[i] = (int32_t)(i * 7 % net->classes);
    for (size_t i = 0; i < n; i++) p->weight[i] = 0.5f + 0.1f * (float)(i % 13);
    p->data = (kelvin_data){.name = "made",
                            .inputs = net->inputs,
                            .classes = net->classes,
                            .train = {.n = n, .x = p->x, .y = p->y, .weight = weigh ? p->weight : NULL}};
}

static void unmake(struct problem *p)
{
    kelvin_free(p->x);
    kelvin_model_destroy(p->model);
}

static const kelvin_prior *prior_of(const struct problem *p)
{
    return p->has_prior ? &p->prior : NULL;
}

static kelvin_posterior *posterior_of(const struct problem *p)
{
    kelvin_posterior *posterior;
    assert_ok(kelvin_posterior_make(&posterior, p->model, &p->density, prior_of(p), &p->data, NULL));
    return posterior;
}

static kelvin_posteriors *posteriors_of(const struct problem *p, size_t lanes)
{
    kelvin_posteriors *posteriors;
    assert_ok(kelvin_posteriors_make(&posteriors, p->model, &p->density, prior_of(p), &p->data, lanes));
    return posteriors;
}

/* ---- gradients ---- */

/* Chain `strange`, if there is one, is where nothing is finite: it is not compared, and harms no other. */
static void same_gradients(const struct problem *p, size_t lanes, size_t strange)
{
    const size_t n = p->model->n_params;
    kelvin_posterior *posterior = posterior_of(p);
    kelvin_posteriors *posteriors = posteriors_of(p, lanes);
    const kelvin_target target = kelvin_posterior_target(posterior);
    const kelvin_lanes all = kelvin_posteriors_lanes(posteriors);
    float *theta = room(n * lanes, sizeof *theta), *grad = room(n * lanes, sizeof *grad);
    float *alone = room(n, sizeof *alone);
    assert_true(all.n == n && all.lanes == lanes);
    for (size_t c = 0; c < lanes; c++) {
        float *own = parameters(p->model, 50 + (uint32_t)c);
        for (size_t i = 0; i < n; i++) theta[i * lanes + c] = c == strange ? 1e30f : own[i];
        kelvin_free(own);
    }
    for (int time = 0; time < 2; time++) { /* nothing is left of the first */
        memset(grad, 0xff, n * lanes * sizeof *grad);
        all.gradient(all.context, grad, theta);
        for (size_t c = 0; c < lanes; c++) {
            float *own = room(n, sizeof *own);
            for (size_t i = 0; i < n; i++) own[i] = theta[i * lanes + c];
            target.eval(target.context, NULL, alone, own);
            for (size_t i = 0; i < n && c != strange; i++)
                if (memcmp(&alone[i], &grad[i * lanes + c], sizeof *grad) != 0)
                    fail_msg("%s, %zu observations, %zu lanes: parameter %zu of chain %zu has %a, alone %a",
                             p->model->spec, p->data.train.n, lanes, i, c, (double)grad[i * lanes + c],
                             (double)alone[i]);
            kelvin_free(own);
        }
    }
    kelvin_free(theta);
    kelvin_free(grad);
    kelvin_free(alone);
    kelvin_posterior_destroy(posterior);
    kelvin_posteriors_destroy(posteriors);
}

static void check(const struct net *net, const char *density, const char *prior, size_t n, bool weigh)
{
    struct problem p = {0};
    make(&p, net, density, prior, n, weigh);
    for (size_t k = 0; k < 2; k++) same_gradients(&p, lanes_of[k], SIZE_MAX);
    unmake(&p);
}

/* Blocks with and without a rest, with lanes that are no observation, and several of them in several shards. */
static void any_number_of_observations(void **state)
{
    (void)state;
    const size_t many[] = {25, 34, 48, 100, 191, 193, MOST};
    for (int isa = 0; use_next(&isa);) {
        for (size_t k = 0; k < NETS; k++) {
            for (size_t n = 1; n <= 24; n++) check(&nets[k], "categorical", "normal:1", n, false);
            for (size_t i = 0; i < sizeof many / sizeof *many; i++)
                check(&nets[k], "dirclip:0.6,-50", "fan-in:4", many[i], i % 2);
        }
    }
}

static void any_density_and_prior(void **state)
{
    (void)state;
    const char *densities[] = {"categorical",      "dirichlet:0.8", "dirclip:1.4,-5",     "ndg-logits:0.01",
                               "ndg-logprobs:0.1", "ndg-prior:0.1", "ndg-likelihood:0.1", "confidence:0.5"};
    const char *priors[] = {NULL,          "none",           "normal:0.7", "fan-in:3",
                            "laplace:0.5", "student-t:1,2.5", "logistic:1", "mixture:0.1,2,0.3"};
    for (int isa = 0; use_next(&isa);)
        for (size_t i = 0; i < sizeof densities / sizeof *densities; i++)
            for (size_t k = 0; k < sizeof priors / sizeof *priors; k++)
                check(&nets[2 + (i + k) % 2], densities[i], priors[k], 3 + (5 * i + k) % 20, (i + k) % 3 == 0);
}

static void what_is_not_finite_stays_where_it_is(void **state)
{
    (void)state;
    for (int isa = 0; use_next(&isa);)
        for (size_t k = 0; k < 2; k++) {
            struct problem p = {0};
            make(&p, &nets[0], "categorical", "normal:1", 18, false);
            for (size_t strange = 0; strange < lanes_of[k]; strange++) same_gradients(&p, lanes_of[k], strange);
            unmake(&p);
        }
}

static kelvin_status make_and_destroy(void *context)
{
    const struct problem *p = context;
    kelvin_posteriors *posteriors;
    KELVIN_TRY(kelvin_posteriors_make(&posteriors, p->model, &p->density, &p->prior, &p->data, 8));
    kelvin_posteriors_destroy(posteriors);
    return KELVIN_OK;
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    struct problem p = {0};
    make(&p, &nets[0], "categorical", "normal:1", 50, true);
    assert_true(without_memory(make_and_destroy, &p) > 3);
    unmake(&p);
}

/* Few chains, convolutions, wide layers and priors of groups are better off, or must be, one by one. */
static void who_is_better_off_alone(void **state)
{
    (void)state;
    kelvin_prior normal, sparse;
    kelvin_model *model;
    assert_ok(kelvin_prior_parse(&normal, "normal:1"));
    assert_ok(kelvin_prior_parse(&sparse, "sparse:1,1"));
    assert_ok(kelvin_model_create(&model, "mlp:10,10", (kelvin_shape){2, 1, 1}, 2));
    assert_int_equal(kelvin_posteriors_fit(model, &normal, 18, 2), 0);
    assert_int_equal(kelvin_posteriors_fit(model, &normal, 18, 3), 4);
    assert_int_equal(kelvin_posteriors_fit(model, NULL, 18, 5), 4);
    assert_true(kelvin_posteriors_fit(model, &normal, 18, 8) >= 4);
    assert_int_equal(kelvin_posteriors_fit(model, &sparse, 18, 8), 0);
    assert_int_equal(kelvin_posteriors_fit(model, &normal, 3000, 8), 0);
    kelvin_model_destroy(model);
    assert_ok(kelvin_model_create(&model, "mlp:10,1000", (kelvin_shape){2, 1, 1}, 2));
    assert_int_equal(kelvin_posteriors_fit(model, &normal, 18, 8), 0);
    kelvin_model_destroy(model);
    assert_ok(kelvin_model_create(&model, "cnn", (kelvin_shape){1, 8, 8}, 2));
    assert_int_equal(kelvin_posteriors_fit(model, &normal, 18, 8), 0);
    kelvin_model_destroy(model);
}

/* ---- steps ---- */

enum { CHAINS = 9, STEPS = 12 };

struct group {
    kelvin_posterior *posterior[CHAINS];
    kelvin_sampler *chain[CHAINS];
};

static void make_group(struct group *g, const struct problem *p, const double *setting, bool tune_scale)
{
    for (size_t c = 0; c < CHAINS; c++) {
        g->posterior[c] = posterior_of(p);
        const kelvin_target target = kelvin_posterior_target(g->posterior[c]);
        const kelvin_sampler_options options = {
            .setting = setting, .observations = 18, .seed = 77, .chain = (uint32_t)c, .tune_scale = tune_scale};
        assert_ok(kelvin_sampler_make(&g->chain[c], sampler_named("hmc"), &target, &options));
        float *theta = parameters(p->model, 90 + (uint32_t)c);
        kelvin_sampler_start(g->chain[c], theta);
        kelvin_free(theta);
    }
}

static void unmake_group(struct group *g)
{
    for (size_t c = 0; c < CHAINS; c++) {
        kelvin_sampler_destroy(g->chain[c]);
        kelvin_posterior_destroy(g->posterior[c]);
    }
}

static void same_chains(const struct group *a, const struct group *b, size_t n)
{
    const size_t vectors = kelvin_sampler_vectors(a->chain[0]->type) + KELVIN_SCALE_VECTORS, size = a->chain[0]->n;
    float *x = room(vectors * size, sizeof *x), *y = room(vectors * size, sizeof *y);
    for (size_t c = 0; c < n; c++) {
        double numbers[2][KELVIN_STATE_NUMBERS] = {{0}};
        kelvin_sampler_save(a->chain[c], x, numbers[0]);
        kelvin_sampler_save(b->chain[c], y, numbers[1]);
        assert_memory_equal(x, y, vectors * size * sizeof *x);
        assert_memory_equal(numbers[0], numbers[1], sizeof *numbers);
    }
    kelvin_free(x);
    kelvin_free(y);
}

/* Chains stand at different steps of their warm-up, at temperatures of their own: with jitter, or steps of their own,
 * none goes as far as another. */
static void same_steps(const struct problem *p, const double *setting, bool tune_scale, size_t n, size_t lanes)
{
    struct group together, alone;
    make_group(&together, p, setting, tune_scale);
    make_group(&alone, p, setting, tune_scale);
    kelvin_posteriors *posteriors = posteriors_of(p, lanes);
    const kelvin_lanes all = kelvin_posteriors_lanes(posteriors);
    float *work = room(kelvin_lanes_work(sampler_named("hmc"), &all), sizeof *work);
    double accepted = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        kelvin_moment moment[CHAINS];
        kelvin_step_info info[CHAINS];
        for (uint32_t c = 0; c < n; c++) moment[c] = (kelvin_moment){step + 2 * c, 15, 1, 1 + 0.1 * c};
        kelvin_sampler_advance_all(together.chain, n, moment, info, &all, work);
        for (size_t c = 0; c < n; c++) {
            const kelvin_step_info own = kelvin_sampler_advance(alone.chain[c], &moment[c]);
            assert_memory_equal(&own, &info[c], sizeof own);
            accepted += told(alone.chain[c], &own, "accepted");
        }
    }
    assert_true(accepted > 0);
    same_chains(&together, &alone, n);
    kelvin_free(work);
    kelvin_posteriors_destroy(posteriors);
    unmake_group(&together);
    unmake_group(&alone);
}

static void steps_together_are_steps_alone(void **state)
{
    (void)state;
    const double plain[KELVIN_SETTINGS] = {0.02, 5, 0}, one[KELVIN_SETTINGS] = {0.02, 1, 0};
    const double jittered[KELVIN_SETTINGS] = {0.02, 9, 0.9}, tuned[KELVIN_SETTINGS] = {0};
    for (int isa = 0; use_next(&isa);) {
        struct problem p = {0};
        make(&p, &nets[2], "categorical", "normal:1", 18, false);
        for (size_t n = 1; n <= CHAINS; n++)
            for (size_t k = 0; k < 2; k++) {
                same_steps(&p, plain, false, n, lanes_of[k]);
                same_steps(&p, one, false, n, lanes_of[k]);
                same_steps(&p, jittered, false, n, lanes_of[k]);
                same_steps(&p, tuned, true, n, lanes_of[k]);
            }
        unmake(&p);
    }
}

/* One block or several, with priors that pull all parameters alike, or weights and biases differently, or by no
 * constant. */
static void steps_whatever_the_data_and_the_prior(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 10, 24, 25, 61};
    static const char *const priors[] = {"normal:0.7", "fan-in:1.3", "student-t:3,1", NULL};
    const double plain[KELVIN_SETTINGS] = {0.02, 4, 0};
    for (int isa = 0; use_next(&isa);)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t j = 0; j < sizeof priors / sizeof *priors; j++)
                for (size_t k = 0; k < 2; k++) {
                    struct problem p = {0};
                    make(&p, &nets[2], "dirclip:1.2,-30", priors[j], sizes[i], i % 2);
                    same_steps(&p, plain, false, 4, lanes_of[k]);
                    unmake(&p);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_observations),
        cmocka_unit_test(any_density_and_prior),
        cmocka_unit_test(what_is_not_finite_stays_where_it_is),
        cmocka_unit_test(without_memory_it_says_so),
        cmocka_unit_test(who_is_better_off_alone),
        cmocka_unit_test(steps_together_are_steps_alone),
        cmocka_unit_test(steps_whatever_the_data_and_the_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
