/* MCLMC on the posterior of figure 1: predictions on a grid, the size of parameters and the log-posterior are those of
 * HMC, which has no bias, within the errors of both. */
#include "averages.h"
#include "base/random.h"
#include "data/dataset.h"
#include "density/density.h"
#include "sampler_helpers.h"

#include "target/target.h"

enum { SIDE = 8, GRID = SIDE * SIDE, CLASSES = 2, CHAINS = 4 };

struct problem {
    kelvin_data *data;
    kelvin_model *model;
    kelvin_prior prior;
    kelvin_posterior *posterior, *grid;
};

static void make(struct problem *p)
{
    static float x[GRID][2];
    const int32_t y[GRID] = {0};
    const kelvin_usual_run *usual = &sampler_named("mclmc")->usual;
    kelvin_density density;
    assert_ok(kelvin_data_open(&p->data, usual->data));
    assert_int_equal(p->data->classes, CLASSES);
    assert_int_equal(p->data->inputs, 2);
    assert_ok(kelvin_model_create(&p->model, usual->model, kelvin_data_shape(p->data), CLASSES));
    assert_ok(kelvin_density_parse(&density, usual->density));
    assert_ok(kelvin_prior_parse(&p->prior, usual->prior));
    assert_ok(kelvin_posterior_make(&p->posterior, p->model, &density, &p->prior, p->data, NULL));
    const kelvin_posterior_options batch = {.batch = GRID};
    assert_ok(kelvin_posterior_make(&p->grid, p->model, &density, &p->prior, p->data, &batch));
    for (int i = 0; i < GRID; i++) {
        x[i][0] = -3 + 6 * (float)(i % SIDE) / (SIDE - 1);
        x[i][1] = -3 + 6 * (float)(i / SIDE) / (SIDE - 1);
    }
    assert_ok(kelvin_posterior_set_batch(p->grid, x[0], y, GRID));
}

static void unmake(struct problem *p)
{
    kelvin_posterior_destroy(p->grid);
    kelvin_posterior_destroy(p->posterior);
    kelvin_model_destroy(p->model);
    kelvin_data_close(p->data);
}

struct found {
    struct average prediction[GRID], square, logp;
};

static void add_draw(struct found *f, struct problem *p, const float *theta, double logp, uint32_t draw, uint32_t draws)
{
    float logits[GRID][CLASSES];
    double square = 0;
    for (size_t i = 0; i < p->model->n_params; i++) square += (double)theta[i] * (double)theta[i];
    kelvin_posterior_logits(p->grid, logits[0], theta);
    for (int i = 0; i < GRID; i++)
        add(&f->prediction[i], 1 / (1 + exp((double)logits[i][0] - (double)logits[i][1])), draw, draws);
    add(&f->square, square, draw, draws);
    add(&f->logp, logp, draw, draws);
}

/* Chains one after the other, each from a draw of the prior. */
static void sample(struct found *f, struct problem *p, const char *name, const double *setting, uint32_t warmup,
                   uint32_t draws)
{
    const kelvin_target target = kelvin_posterior_target(p->posterior);
    float *theta = kelvin_alloc(target.n, sizeof *theta);
    memset(f, 0, sizeof *f);
    for (uint32_t c = 0; c < CHAINS; c++) {
        kelvin_sampler *chain = chain_of(name, &target, setting, 0, 3, c);
        kelvin_prior_draw_at(&p->prior, theta, target.n, (kelvin_random){3, c, 0, KELVIN_STREAM_INIT});
        kelvin_sampler_start(chain, theta);
        for (uint32_t i = 0; i < warmup + draws; i++) {
            const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){i, warmup, 1, 1});
            if (i < warmup) continue;
            add_draw(f, p, kelvin_sampler_theta(chain), info.logp, c * draws + i - warmup, CHAINS * draws);
        }
        kelvin_sampler_destroy(chain);
    }
    kelvin_free(theta);
}

/* Apart by so many standard errors, of which each must be small enough to say something. */
static double apart(const char *what, const struct average *a, const struct average *b, double most)
{
    const struct estimate x = estimate(a), y = estimate(b);
    const double error = hypot(x.error, y.error), off = (x.mean - y.mean) / error;
    if (!(fabs(off) < 4.5 && error < most))
        fail_msg("%s: %g +- %g by MCLMC, %g +- %g by HMC", what, x.mean, x.error, y.mean, y.error);
    return off;
}

static void predictions_are_those_of_hmc(void **state)
{
    (void)state;
    struct problem p;
    static struct found mclmc, hmc;
    make(&p);
    sample(&mclmc, &p, "mclmc", NULL, 200, 800);
    sample(&hmc, &p, "hmc", (double[]){1e-3, 2000, 0}, 30, 300);
    double square = 0;
    for (int i = 0; i < GRID; i++)
        square += pow(apart("prediction", &mclmc.prediction[i], &hmc.prediction[i], 0.04), 2) / GRID;
    const double size = apart("|theta|^2", &mclmc.square, &hmc.square, 4);
    const double logp = apart("log-posterior", &mclmc.logp, &hmc.logp, 2);
    print_message("apart, in standard errors: predictions %.2f (root of the mean square), |theta|^2 %.2f, "
                  "log-posterior %.2f\n",
                  sqrt(square), size, logp);
    assert_below(sqrt(square), 2);
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_hmc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
