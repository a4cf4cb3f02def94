/* Figures that run networks of their own: planes through networks, networks drawn from priors, biases that move, and
 * distributions of what samples predict. Against plain loops in double, and closed forms. */
#include "run_helpers.h"

#include "figure_watch.h"

#include "figures/cells.h"
#include "figures/distribution.h"
#include "figures/moved_bias.h"
#include "figures/prior_confidence.h"
#include "figures/surface.h"
#include "logits_in_memory.h"
#include "plain_net.h"

enum { MODELS = PLANE_MODELS, K = 10, IMAGES = 50, GRID = 7 };

static kelvin_run *trained;
static kelvin_samples *samples;
static float *theta[MODELS];
static struct looked_at images;
static FILE *nowhere;

static struct figure_options with_threads(size_t threads)
{
    patience = UINT64_MAX;
    return (struct figure_options){.grid = GRID, .threads = threads, .seed = 5, .watch = &watch};
}

/* ---- three networks, and images ---- */

static int start(void **state)
{
    kelvin_run_config config;
    if (make_quick_base(state)) return -1;
    nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    assert_ok(kelvin_run_defaults(&config, "sghmc"));
    config.data = "digits";
    config.model = "mlp:12,9";
    config.density = "categorical";
    config.prior = "normal:1";
    config.chains = config.samples = MODELS;
    config.epochs = 40;
    config.temperature = 0;
    config.seed = 11;
    assert_ok(kelvin_run_set(&config, "lr", 3e-3));
    trained = sampled(&config, 2);
    samples = samples_from(trained);
    assert_int_equal(samples->n, MODELS);
    for (size_t i = 0; i < MODELS; i++) {
        theta[i] = kelvin_alloc(trained->model->n_params, sizeof **theta);
        assert_ok(kelvin_samples_read(samples, theta[i], i));
    }
    assert_ok(kelvin_looked_at_open(&images, "digits", "mlp:12,9"));
    assert_ok(kelvin_looked_at_take(&images, 0, IMAGES));
    return 0;
}

static int stop(void **state)
{
    kelvin_looked_at_close(&images);
    for (size_t i = 0; i < MODELS; i++) kelvin_free(theta[i]);
    kelvin_samples_close(samples);
    kelvin_run_close(trained);
    fclose(nowhere);
    return remove_base(state);
}

static void through(struct plane *plane)
{
    *plane = (struct plane){0};
    assert_ok(kelvin_plane_through(plane, (const float *const *)theta, trained->model->n_params));
}

static double distance2(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < trained->model->n_params; i++) sum += pow((double)a[i] - (double)b[i], 2);
    return sum;
}

/* ---- plain versions ---- */

/* Log-probabilities of one training image, in double all the way. */
static void plain_log_p(double log_p[K], struct plain_net *net, const double *at, size_t image)
{
    float *x = kelvin_alloc(trained->model->inputs, sizeof *x);
    kelvin_part_slice(trained->data, &trained->data->train, x, image, 1);
    const double *z = plain_net_forward(net, at, x);
    double sum = 0;
    for (size_t k = 0; k < K; k++) sum += exp(z[k]);
    for (size_t k = 0; k < K; k++) log_p[k] = z[k] - log(sum);
    kelvin_free(x);
}

static size_t most_likely(const double log_p[K])
{
    size_t best = 0;
    for (size_t k = 1; k < K; k++)
        if (log_p[k] > log_p[best]) best = k;
    return best;
}

/* What the paper says of one point, as sums over all training data. */
static void plain_surface(double value[SURFACE_VALUES], struct plain_net *net, const double *at)
{
    double log_p[K];
    memset(value, 0, SURFACE_VALUES * sizeof *value);
    for (size_t i = 0; i < IMAGES; i++) {
        const size_t y = (size_t)trained->data->train.y[i];
        const double all = (double)trained->data->train.n / IMAGES;
        plain_log_p(log_p, net, at, i);
        const size_t best = most_likely(log_p);
        value[SURFACE_ACCURACY] += (best == y) / (double)IMAGES;
        value[SURFACE_CATEGORICAL] += all * log_p[y];
        value[SURFACE_COLD] += all * log_p[y] / 0.01;
        value[SURFACE_CONFIDENCE] += all * (99 * log_p[best] + log_p[y]);
        value[SURFACE_DIRCLIP] += all * log_p[y];
        for (size_t k = 0; k < K; k++) value[SURFACE_DIRCLIP] += all * -0.3 * fmax(log_p[k], -20);
    }
}

static void same_values(const double value[SURFACE_VALUES], const double plain[SURFACE_VALUES])
{
    assert_near(value[SURFACE_ACCURACY], plain[SURFACE_ACCURACY], 1e-12);
    for (size_t v = SURFACE_CATEGORICAL; v < SURFACE_VALUES; v++)
        assert_near(value[v], plain[v], 1e-4 * fabs(plain[v]));
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* ---- planes ---- */

/* By its distances from the other two, the third is above (d31^2 - d32^2) / d21^2. */
static void the_plane_goes_through_its_networks(void **state)
{
    (void)state;
    struct plane plane;
    const size_t n = trained->model->n_params;
    float *point = kelvin_alloc(n, sizeof *point);
    through(&plane);
    const double between = distance2(theta[1], theta[0]), left = distance2(theta[2], theta[0]),
                 right = distance2(theta[2], theta[1]), along = kelvin_plane_unit(&plane, plane.along),
                 across = kelvin_plane_unit(&plane, plane.across);
    assert_near(plane.x[2], (left - right) / between, 1e-9);
    assert_near(4 * along * along, between, 1e-9 * between);
    assert_near(pow((plane.x[2] + 1) * along, 2) + across * across, left, 1e-9 * left);
    for (size_t m = 0; m < MODELS; m++) {
        kelvin_plane_at(&plane, point, plane.x[m], plane.y[m]);
        for (size_t i = 0; i < n; i++) assert_near((double)point[i], (double)theta[m][i], 1e-6);
    }
    kelvin_plane_free(&plane);
    kelvin_free(point);
}

static void networks_in_one_line_are_refused(void **state)
{
    (void)state;
    struct plane plane = {0};
    const float a[] = {1, 2, 3}, b[] = {2, 4, 6}, c[] = {4, 8, 12};
    assert_int_equal(kelvin_plane_through(&plane, (const float *const[]){a, b, c}, 3), KELVIN_EUSAGE);
    kelvin_plane_free(&plane);
    plane = (struct plane){0};
    assert_int_equal(kelvin_plane_through(&plane, (const float *const[]){a, a, c}, 3), KELVIN_EUSAGE);
    kelvin_plane_free(&plane);
}

/* A lattice whose lower corners and left upper one are the networks themselves. */
static void at_its_networks_a_surface_is_theirs(void **state)
{
    (void)state;
    struct plane plane;
    struct surface surface = {.images = &images};
    double value[SURFACE_VALUES];
    const size_t n = trained->model->n_params;
    double *at = kelvin_alloc(n, sizeof *at);
    struct plain_net *net = plain_net_create(trained->model);
    for (size_t m = 0; m < MODELS; m++) {
        struct figure_options options = with_threads(1);
        options.grid = 2; /* four corners, of which the left lower one is looked at */
        through(&plane);
        /* The corner is 1.3 left of x[0], and 1.3 below y[0]: the plane is moved so that network m is there. */
        for (size_t i = 0; i < n; i++) {
            at[i] = (double)theta[m][i];
            plane.origin[i] = at[i] + 2.3 * plane.along[i] + 1.3 * plane.across[i];
        }
        surface.plane = &plane;
        assert_ok(kelvin_surface_densities(&surface, 0.7, -20));
        assert_ok(kelvin_surface_compute(&surface, &options));
        plain_surface(value, net, at);
        same_values(surface.point[0].value, value);
        kelvin_free(surface.point);
        kelvin_plane_free(&plane);
    }
    plain_net_destroy(net);
    kelvin_free(at);
}

/* Every point is a weighted sum of the three networks. */
static void a_surface_is_that_of_sums_of_networks(void **state)
{
    (void)state;
    struct plane plane;
    struct surface surface = {.plane = &plane, .images = &images};
    const struct figure_options options = with_threads(2);
    const size_t n = trained->model->n_params;
    double value[SURFACE_VALUES], *at = kelvin_alloc(n, sizeof *at);
    struct plain_net *net = plain_net_create(trained->model);
    through(&plane);
    assert_ok(kelvin_surface_densities(&surface, 0.7, -20));
    assert_ok(kelvin_surface_compute(&surface, &options));
    for (size_t point = 0; point < GRID * GRID; point++) {
        const double x = -2.3 + 4.6 * (double)(point % GRID) / (GRID - 1),
                     y = -1.3 + 3.6 * (double)(point / GRID) / (GRID - 1);
        const double second = (1 - y + x - y * plane.x[2]) / 2, first = 1 - y - second;
        for (size_t i = 0; i < n; i++)
            at[i] = first * (double)theta[0][i] + second * (double)theta[1][i] + y * (double)theta[2][i];
        plain_surface(value, net, at);
        same_values(surface.point[point].value, value);
    }
    plain_net_destroy(net);
    kelvin_free(at);
    kelvin_free(surface.point);
    kelvin_plane_free(&plane);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    struct plane plane;
    struct surface surface[2];
    struct prior_confidence prior[2][3];
    through(&plane);
    for (size_t i = 0; i < 2; i++) {
        const struct figure_options options = with_threads(1 + 2 * i);
        surface[i] = (struct surface){.plane = &plane, .images = &images};
        assert_ok(kelvin_surface_densities(&surface[i], 0.7, -50));
        assert_ok(kelvin_surface_compute(&surface[i], &options));
        for (size_t s = 0; s < 3; s++) prior[i][s] = (struct prior_confidence){.scale = 0.1 + (double)s};
        assert_ok(kelvin_prior_confidence(prior[i], 3, 5, &images, &options));
    }
    assert_memory_equal(surface[0].point, surface[1].point, GRID * GRID * sizeof *surface->point);
    assert_memory_equal(prior[0], prior[1], sizeof prior[0]);
    for (size_t i = 0; i < 2; i++) kelvin_free(surface[i].point);
    kelvin_plane_free(&plane);
}

/* ---- networks from priors ---- */

static void priors_are_sure_by_their_scale(void **state)
{
    (void)state;
    struct prior_confidence of[] = {{.scale = 1e-6}, {.scale = 0.3}, {.scale = 1e3}};
    const struct figure_options options = with_threads(2);
    assert_ok(kelvin_prior_confidence(of, 3, 20, &images, &options));
    assert_near(of[0].mean, 1.0 / K, 1e-6);
    assert_true(of[1].mean > 0.12 && of[1].mean < 0.9);
    assert_true(of[2].mean > 0.99);
    assert_true(of[1].low < of[1].mean && of[1].mean < of[1].high);
}

/* Networks of the stream that the header names. */
static void prior_networks_are_those_of_their_stream(void **state)
{
    (void)state;
    enum { SCALES = 2, DRAWS = 3 };
    static const double scale[SCALES] = {0.2, 0.7};
    struct prior_confidence of[SCALES] = {{.scale = 0.2}, {.scale = 0.7}};
    const struct figure_options options = with_threads(2);
    const size_t n = trained->model->n_params;
    struct plain_net *net = plain_net_create(trained->model);
    double *at = kelvin_alloc(n, sizeof *at), log_p[K];
    assert_ok(kelvin_prior_confidence(of, SCALES, DRAWS, &images, &options));
    for (uint32_t s = 0; s < SCALES; s++) {
        double one[DRAWS] = {0};
        for (uint32_t d = 0; d < DRAWS; d++) {
            for (size_t i = 0; i < n; i++)
                at[i] = scale[s] * kelvin_normal((kelvin_random){5, s, d, PRIOR_CONFIDENCE_STREAM}, i);
            for (size_t i = 0; i < IMAGES; i++) {
                plain_log_p(log_p, net, at, i);
                one[d] += exp(log_p[most_likely(log_p)]) / IMAGES;
            }
        }
        const double mean = (one[0] + one[1] + one[2]) / DRAWS;
        const double square = pow(one[0] - mean, 2) + pow(one[1] - mean, 2) + pow(one[2] - mean, 2);
        assert_near(of[s].mean, mean, 1e-5);
        assert_near(of[s].high - of[s].mean, sqrt(square / (DRAWS - 1) / DRAWS), 1e-5);
        assert_near(of[s].mean - of[s].low, of[s].high - of[s].mean, 1e-12);
    }
    kelvin_free(at);
    plain_net_destroy(net);
}

/* ---- a bias that moves ---- */

/* Far to the right p_0 is 1, and all other l_k fall as the bias rises: the prior's slope is (a - 1) (1 - K), the
 * likelihood's -1. Far to the left l_0 alone moves, with the bias: (a - 1) and 0. */
static void densities_have_the_slopes_of_their_formulas(void **state)
{
    (void)state;
    static const double alpha[] = {1e-4, 0.3};
    struct looked_at one = {0};
    size_t image = 0;
    while (trained->data->train.y[image] == 0) image++;
    assert_ok(kelvin_looked_at_open(&one, "digits", "mlp:12,9"));
    assert_ok(kelvin_looked_at_take(&one, image, 1));
    assert_int_equal(one.y[0], trained->data->train.y[image]);
    for (size_t a = 0; a < 2; a++) {
        struct moved_bias of[] = {{.bias = -100}, {.bias = -90}, {.bias = 90}, {.bias = 100}};
        assert_ok(kelvin_move_bias(of, 4, &one, theta[0], alpha[a]));
        assert_near((of[1].prior - of[0].prior) / 10, alpha[a] - 1, 1e-4);
        assert_near((of[3].prior - of[2].prior) / 10, (alpha[a] - 1) * (1 - K), 1e-4);
        assert_near((of[1].likelihood - of[0].likelihood) / 10, 0, 1e-4);
        assert_near((of[3].likelihood - of[2].likelihood) / 10, -1, 1e-4);
        for (size_t i = 0; i < 4; i++) assert_near(of[i].posterior, of[i].prior + of[i].likelihood, 1e-9);
    }
    kelvin_looked_at_close(&one);
}

static void a_bias_that_stays_changes_nothing(void **state)
{
    (void)state;
    const size_t n = trained->model->n_params;
    const size_t image = 30; /* not the first of a block */
    struct looked_at one = {0};
    struct plain_net *net = plain_net_create(trained->model);
    double *at = kelvin_alloc(n, sizeof *at), log_p[K], prior = 0;
    for (size_t i = 0; i < n; i++) at[i] = (double)theta[0][i];
    plain_log_p(log_p, net, at, image);
    assert_ok(kelvin_looked_at_open(&one, "digits", "mlp:12,9"));
    assert_ok(kelvin_looked_at_take(&one, image, 1));
    struct moved_bias of = {.bias = at[n - K]}; /* the last tensor is that of these biases */
    assert_ok(kelvin_move_bias(&of, 1, &one, theta[0], 0.5));
    for (size_t k = 0; k < K; k++) prior -= 0.5 * log_p[k];
    assert_near(of.prior, prior, 1e-4);
    assert_near(of.likelihood, log_p[trained->data->train.y[image]], 1e-4);
    kelvin_looked_at_close(&one);
    kelvin_free(at);
    plain_net_destroy(net);
}

/* ---- distributions ---- */

/* Logits of many samples in memory, so that pieces have a part of them. */
enum { SAMPLES = 9, ROWS = 37, CLASSES = 4, ALL = SAMPLES * ROWS * CLASSES };
static float logit[ALL];
static int32_t label[ROWS];

static kelvin_logits *some_logits(size_t most, size_t block)
{
    static const size_t shape[] = {SAMPLES, ROWS, CLASSES};
    kelvin_logits *logits;
    for (size_t i = 0; i < ALL; i++) logit[i] = (float)(20 * kelvin_normal((kelvin_random){.stream = 7}, i));
    for (size_t i = 0; i < ROWS; i++) label[i] = (int32_t)(i * i % CLASSES);
    assert_ok(logits_in_blocks(&logits, logit, label, NULL, shape, most, block));
    return logits;
}

/* Values of a sample that are less than a bound, or equal to it, by plain loops. */
static size_t count_directly(size_t sample, bool labels, double bound, bool or_equal)
{
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < CLASSES; k++) {
            const float *z = logit + (sample * ROWS + i) * CLASSES;
            long double sum = 0;
            for (size_t j = 0; j < CLASSES; j++) sum += expl((long double)z[j] - (long double)z[k]);
            const double log_p = (double)-logl(sum);
            if (labels && k != (size_t)label[i]) continue;
            count += or_equal ? log_p <= bound : log_p < bound;
        }
    return count;
}

/* At equal distances in between: of nine sorted numbers, 10 % are at number 0.8, 90 % at number 7.2. */
static void same_share(const struct distribution *of, size_t i, double bound)
{
    const struct distribution_share share = kelvin_distribution_at(of, i);
    double one[SAMPLES], sum = 0;
    for (size_t s = 0; s < SAMPLES; s++)
        sum += one[s] = (double)count_directly(s, of->kind->label, bound, true) / (double)of->values;
    qsort(one, SAMPLES, sizeof *one, compare);
    assert_near(share.mean, sum / SAMPLES, 1e-12);
    assert_near(share.low, 0.2 * one[0] + 0.8 * one[1], 1e-12);
    assert_near(share.high, 0.8 * one[7] + 0.2 * one[8], 1e-12);
}

static void distributions_are_counts(void **state)
{
    (void)state;
    static const struct distribution_kind kinds[] = {{"train", false, -70, -10}, {"test", true, -50, -5}};
    static const size_t pieces[][2] = {{ROWS, SAMPLES}, {5, 2}, {1, 4}};
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t p = 0; p < 3; p++) {
            struct distribution of = {.kind = &kinds[kind]};
            kelvin_logits *logits = some_logits(pieces[p][0], pieces[p][1]);
            uint64_t below = 0;
            assert_ok(kelvin_distribution_count(&of, logits));
            kelvin_logits_close(logits);
            assert_int_equal(of.samples, SAMPLES);
            assert_int_equal(of.values, kind ? ROWS : ROWS * CLASSES);
            for (size_t i = 0; i <= 1000; i += 7) {
                const double point = kinds[kind].lowest - (double)i * kinds[kind].lowest / 1000;
                assert_near(kelvin_distribution_point(&kinds[kind], i), point, 1e-12);
                same_share(&of, i, point);
            }
            for (size_t s = 0; s < SAMPLES; s++) below += count_directly(s, kind, kinds[kind].bound, false);
            assert_true(below > 0 && below < SAMPLES * of.values);
            assert_int_equal(of.below, below);
            kelvin_distribution_free(&of);
        }
}

/* A value that is a point counts there, and not only behind it. Two classes far apart: l = -50, and 0. */
static void a_value_at_a_point_counts_there(void **state)
{
    (void)state;
    static const float z[] = {0, -50};
    static const int32_t y[] = {1};
    const struct distribution_kind kind = {"test", true, -100, -50};
    struct distribution of = {.kind = &kind};
    kelvin_logits *logits;
    assert_ok(logits_in_blocks(&logits, z, y, NULL, (size_t[]){1, 1, 2}, 1, 1));
    assert_ok(kelvin_distribution_count(&of, logits));
    kelvin_logits_close(logits);
    assert_near(kelvin_distribution_at(&of, 499).mean, 0, 0);
    assert_near(kelvin_distribution_at(&of, 500).mean, 1, 0);
    assert_int_equal(of.below, 0);
    assert_near(kelvin_distribution_median(&of), -50, 0);
    kelvin_distribution_free(&of);
}

/* What is below the first point counts from there on; the last one has all. */
static void distributions_begin_with_what_is_less(void **state)
{
    (void)state;
    const struct distribution_kind kind = {"train", false, -1e-3, -1};
    struct distribution of = {.kind = &kind};
    kelvin_logits *logits = some_logits(10, 10);
    assert_ok(kelvin_distribution_count(&of, logits));
    kelvin_logits_close(logits);
    assert_true(kelvin_distribution_at(&of, 0).mean > 0.7);
    assert_near(kelvin_distribution_at(&of, DISTRIBUTION_BINS).low, 1, 0);
    assert_near(kelvin_distribution_median(&of), -1e-3, 0);
    kelvin_distribution_free(&of);
    const struct distribution none = {.kind = &kind};
    assert_true(isnan(kelvin_distribution_at(&none, 3).mean) && isnan(kelvin_distribution_below(&none)));
    assert_true(isnan(kelvin_distribution_median(&none)));
}

/* ---- what can go wrong ---- */

static kelvin_status all_of_it(void *context)
{
    const struct figure_options *options = context;
    static const struct distribution_kind kind = {"test", true, -100, -10};
    struct looked_at some = {0};
    struct plane plane = {0};
    struct surface surface = {.plane = &plane, .images = &some};
    struct prior_confidence prior = {.scale = 1};
    struct moved_bias moved = {.bias = 1};
    struct distribution distribution = {.kind = &kind};
    kelvin_logits *logits = NULL;
    const char *found;
    kelvin_status status = kelvin_looked_at_open(&some, "digits", "mlp:12,9");
    if (!status) status = kelvin_looked_at_take(&some, 3, 30);
    if (!status) status = kelvin_plane_through(&plane, (const float *const *)theta, trained->model->n_params);
    if (!status) status = kelvin_surface_densities(&surface, 0.7, -50);
    if (!status) status = kelvin_surface_compute(&surface, options);
    if (!status) status = kelvin_prior_confidence(&prior, 1, 3, &some, options);
    if (!status) status = kelvin_move_bias(&moved, 1, &some, theta[0], 0.1);
    if (!status) status = kelvin_logits_on(&logits, &found, samples, "test", 1);
    if (!status) status = kelvin_distribution_count(&distribution, logits);
    kelvin_logits_close(logits);
    kelvin_distribution_free(&distribution);
    kelvin_free(surface.point);
    kelvin_plane_free(&plane);
    kelvin_looked_at_close(&some);
    return status;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    struct figure_options options = with_threads(1);
    options.grid = 2;
    assert_true(without_memory(all_of_it, &options) > 20);
}

static void a_wish_to_stop_is_heeded(void **state)
{
    (void)state;
    struct figure_options options = with_threads(2);
    for (uint64_t pieces = 0; pieces < GRID * GRID + 3; pieces += 10) {
        patience = pieces;
        assert_int_equal(all_of_it(&options), KELVIN_ESTOP);
    }
}

/* No more than there are, from any place. */
static void images_end_where_the_data_do(void **state)
{
    (void)state;
    struct looked_at last = {0};
    const size_t n = trained->data->train.n;
    assert_ok(kelvin_looked_at_open(&last, "digits", "mlp:12,9"));
    assert_ok(kelvin_looked_at_take(&last, n - 30, 1000));
    assert_int_equal(last.n, 30);
    assert_int_equal(last.y[29], trained->data->train.y[n - 1]);
    kelvin_looked_at_close(&last);
}

/* Where nothing has been sampled, and only what is there was asked for. */
static void figures_say_that_they_have_no_posteriors(void **state)
{
    (void)state;
    for (size_t i = 0; kelvin_figures[i]; i++) {
        const struct figure *figure = kelvin_figures[i];
        static const char *const mine[] = {"landscapes", "dirichlet-diverges", "logprob-cdf", "true-class-cdf",
                                           "normal-confidence"};
        size_t which = 0;
        while (which < 5 && strcmp(figure->member.name, mine[which]) != 0) which++;
        if (which == 5) continue;
        struct figure_options options = kelvin_figure_defaults(figure, FIGURE_SMOKE);
        options.data = "digits", options.model = "mlp:12,9";
        options.ready = true;
        options.threads = 2;
        options.out = nowhere;
        options.folder = in_base("empty");
        options.watch = &watch;
        patience = UINT64_MAX;
        assert_int_equal(kelvin_figure_run(figure, &options), which < 4 ? KELVIN_EUSAGE : KELVIN_OK);
        if (which < 4) continue;
        size_t bytes;
        char *text = slurp(in_base("empty/normal-confidence-posteriors.csv"), &bytes);
        assert_non_null(strstr(text, ",nan\n"));
        kelvin_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plane_goes_through_its_networks),
        cmocka_unit_test(networks_in_one_line_are_refused),
        cmocka_unit_test(at_its_networks_a_surface_is_theirs),
        cmocka_unit_test(a_surface_is_that_of_sums_of_networks),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(priors_are_sure_by_their_scale),
        cmocka_unit_test(prior_networks_are_those_of_their_stream),
        cmocka_unit_test(densities_have_the_slopes_of_their_formulas),
        cmocka_unit_test(a_bias_that_stays_changes_nothing),
        cmocka_unit_test(distributions_are_counts),
        cmocka_unit_test(a_value_at_a_point_counts_there),
        cmocka_unit_test(distributions_begin_with_what_is_less),
        cmocka_unit_test(memory_may_be_short),
        cmocka_unit_test(a_wish_to_stop_is_heeded),
        cmocka_unit_test(images_end_where_the_data_do),
        cmocka_unit_test(figures_say_that_they_have_no_posteriors),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
