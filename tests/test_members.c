/* Whatever is in the tables of families: names, and what can be checked of any density, prior or model without knowing
 * which it is. Slopes against finite differences in double; float against double, for any number of classes (double
 * sees many classes in pieces, float does not); draws against the density that they are to have, integrated
 * numerically; networks against plain layers in double. A new member is tested by being there. */
#include "nets.h"

#include "density/block.h"
#include "density/types.h"
#include "nn/build.h"

#include <float.h>
#include <stdio.h>

/* ---- texts that choose a member ---- */

enum { VARIANTS = 3 };

/* A value that a parameter may have: awkward ones first, then what its range says. */
static double value_for(const kelvin_parameter *p, size_t variant)
{
    static const double awkward[] = {0.37, 1.6, 2.385, -0.85, -3.1, 0.62, 3, 8, 14, 1};
    enum { VALUES = sizeof awkward / sizeof *awkward };
    for (size_t i = 0; i < VALUES; i++) {
        const double value = awkward[(i + variant) % VALUES];
        if (kelvin_parameter_allows(p, value)) return value;
    }
    const double middle = p->least + (p->most - p->least) / (double)(variant + 2);
    return p->whole ? ceil(middle) : middle;
}

static void text_of(char *text, size_t size, const kelvin_member *member, size_t variant)
{
    const size_t n = strlen(member->name), fixed = n - (member->name[n - 1] == 'N');
    size_t used = (size_t)snprintf(text, size, "%.*s", (int)fixed, member->name);
    for (size_t i = 0; i < member->parameters; i++) {
        const kelvin_parameter *p = &member->parameter[i];
        const double value = value_for(p, variant + i);
        const bool of_name = fixed < n && i == 0;
        const char *before = of_name ? "" : strchr(text, ':') ? "," : ":";
        assert_true(used < size);
        used += (size_t)snprintf(text + used, size - used, p->optional ? "%s%s=%.17g" : "%s%.0s%.17g", before, p->name,
                                 value);
        if (p->list) used += (size_t)snprintf(text + used, size - used, ",%.17g", value_for(p, variant + 1));
    }
}

/* ---- tables ---- */

static void every_member_is_found(void **state)
{
    (void)state;
    const kelvin_family *family;
    const kelvin_member *member, *found;
    size_t f = 0;
    for (; (family = kelvin_family_at(f)); f++) {
        assert_ptr_equal(kelvin_family_of(kelvin_family_key(family)), family);
        assert_true(*kelvin_family_what(family) && *kelvin_family_title(family));
        assert_non_null(kelvin_family_member(family, 0));
        for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) {
            const size_t n = strlen(member->name);
            assert_true(n > 0 && n < KELVIN_NAME_SIZE && strlen(member->about) > 2);
            assert_int_equal(strncmp(member->usage, member->name, n), 0);
            assert_true(member->usage[n] == '\0' || member->usage[n] == ':' || member->usage[n] == '[');
            assert_ok(kelvin_family_find(&found, family, member->name));
            assert_ptr_equal(found, member); /* and no other has its name */
        }
    }
    assert_int_equal(f, kelvin_families());
}

static void parameters_are_as_usage_says(void **state)
{
    (void)state;
    const kelvin_family *family;
    const kelvin_member *member;
    for (size_t f = 0; (family = kelvin_family_at(f)); f++)
        for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) {
            assert_true(member->parameters <= KELVIN_MAX_PARAMETERS);
            for (size_t k = 0; k < member->parameters; k++) {
                const kelvin_parameter *p = &member->parameter[k];
                assert_non_null(strstr(member->usage, p->name));
                assert_true(p->least < p->most);
                if (p->optional) assert_true(kelvin_parameter_allows(p, p->usual));
            }
            for (size_t v = 0; member->parameters > 0 && v < VARIANTS; v++) {
                char text[128];
                struct kelvin_values values;
                const kelvin_member *read;
                text_of(text, sizeof text, member, v);
                assert_ok(kelvin_family_read(&read, &values, family, text));
                assert_ptr_equal(read, member);
            }
        }
}

/* ---- densities ---- */

enum { K_MAX = 200 };

static double awkward(size_t i)
{
    return 2.385 * sin(1.7 + 3.31 * (double)i) + 0.71 * cos(0.37 * (double)(i * i));
}

/* Numbers that roundings are relative to. */
static double size_of(double value, const double *grad, size_t K)
{
    double size = 1 + fabs(value);
    for (size_t k = 0; k < K; k++) size += fabs(grad[k]);
    return size;
}

/* Central differences leave h^2 / 6 times a third derivative (of sums over K classes) and roundings of the value. */
static void check_slopes(const kelvin_density *d, const char *text, const double *z, size_t K, size_t y)
{
    const double h = 1e-5;
    double grad[K_MAX], at[K_MAX];
    memcpy(at, z, K * sizeof *z);
    const double value = kelvin_density_eval(d, grad, z, K, y), size = size_of(value, grad, K);
    for (size_t k = 0; k < K; k++) {
        at[k] = z[k] + h;
        const double up = kelvin_density_eval(d, NULL, at, K, y);
        at[k] = z[k] - h;
        const double down = kelvin_density_eval(d, NULL, at, K, y), slope = (up - down) / (2 * h);
        at[k] = z[k];
        if (!(fabs(slope - grad[k]) <= size * (h * h + 8 * DBL_EPSILON / h)))
            fail_msg("%s, K = %zu, y = %zu: the slope in logit %zu is %.12g, and is said to be %.12g", text, K, y, k,
                     slope, grad[k]);
    }
}

/* A block of n observations in float against the sum of them in double. */
static void check_float(const struct kelvin_kernels *kernels, const kelvin_density *d, const char *text, size_t K,
                        size_t n, double scale)
{
    float *z = room(K * KELVIN_BLOCK, sizeof *z), *dz = room(K * KELVIN_BLOCK, sizeof *dz);
    float *scratch = room(kelvin_density_scratch(K, KELVIN_BLOCK), sizeof *scratch);
    int32_t y[KELVIN_BLOCK];
    double logp, sum = 0, size = 0;
    for (size_t i = 0; i < n; i++) y[i] = (int32_t)((3 * i + 1) % K);
    for (size_t k = 0; k < K; k++)
        for (size_t i = 0; i < n; i++) z[k * KELVIN_BLOCK + i] = (float)(scale * awkward(11 * k + 5 * i));
    kelvin_density_block(kernels, d, &logp, dz, z, y, NULL, K, n, scratch);
    for (size_t i = 0; i < n; i++) {
        double one[K_MAX], grad[K_MAX];
        for (size_t k = 0; k < K; k++) one[k] = (double)z[k * KELVIN_BLOCK + i];
        const double value = kelvin_density_eval(d, grad, one, K, (size_t)y[i]);
        const double own = size_of(value, grad, K);
        sum += value;
        size += own;
        for (size_t k = 0; k < K; k++)
            if (!(fabs((double)dz[k * KELVIN_BLOCK + i] - grad[k]) <= 64 * (double)FLT_EPSILON * own))
                fail_msg("%s, K = %zu, %zu of %zu: slope %zu is %.9g in float and %.9g in double", text, K, i, n, k,
                         (double)dz[k * KELVIN_BLOCK + i], grad[k]);
    }
    if (!(fabs(logp - sum) <= 64 * (double)FLT_EPSILON * size))
        fail_msg("%s, K = %zu, n = %zu: %.9g in float and %.9g in double", text, K, n, logp, sum);
    kelvin_free(z);
    kelvin_free(dz);
    kelvin_free(scratch);
}

static void densities_in_any_size(void **state)
{
    (void)state;
    static const size_t classes[] = {2, 3, 10, 65, 130}, counts[] = {1, 7, 24};
    static const double scales[] = {1, 40}; /* log-probabilities of -5 or so, and beyond any bound in a formula */
    const struct kelvin_kernels *kernels;
    const kelvin_member *member;
    assert_ok(kelvin_kernels_get(&kernels));
    for (size_t m = 0; (member = kelvin_family_member(&kelvin_density_family, m)); m++)
        for (size_t v = 0; v < VARIANTS; v++)
            for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
                const size_t K = classes[c];
                char text[128];
                double z[K_MAX];
                kelvin_density d;
                text_of(text, sizeof text, member, v);
                assert_ok(kelvin_density_parse(&d, text));
                for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
                    for (size_t k = 0; k < K; k++) z[k] = scales[s] * awkward(k + 7 * v);
                    check_slopes(&d, text, z, K, 0);
                    check_slopes(&d, text, z, K, K - 1);
                    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                        check_float(kernels, &d, text, K, counts[i], scales[s]);
                }
            }
}

/* ---- priors ---- */

static double prior_at(const kelvin_prior *prior, double x)
{
    return kelvin_prior_eval(prior, NULL, &x, 1);
}

static void check_prior_slopes(const struct kelvin_kernels *kernels, const kelvin_prior *prior, const char *text)
{
    for (size_t i = 0; i < 50; i++) {
        const double x = awkward(i), h = 1e-5 * (1 + fabs(x));
        const float x32 = (float)x;
        double grad, logp, exact;
        float grad32 = 0;
        const double value = kelvin_prior_eval(prior, &grad, &x, 1), size = 1 + fabs(value) + fabs(grad);
        const double slope = (prior_at(prior, x + h) - prior_at(prior, x - h)) / (2 * h);
        /* third derivatives are below 100 at scales from 0.3 on */
        if (!(fabs(slope - grad) <= size * (100 * h * h + 8 * DBL_EPSILON / h)))
            fail_msg("%s: the slope at %g is %.12g, and is said to be %.12g", text, x, slope, grad);
        kelvin_prior_add(kernels, prior, &logp, &grad32, &x32, 1);
        kelvin_prior_eval(prior, &exact, &(double){(double)x32}, 1);
        assert_near((double)grad32, exact, 64 * (double)FLT_EPSILON * size);
        assert_near(logp, prior_at(prior, (double)x32), 64 * (double)FLT_EPSILON * size);
    }
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The largest distance between the share of draws up to x and the integral of the density up to x, for x = sinh t in
 * steps of t that are small against every scale here, from one end of what counts to the other. */
static double distance(const kelvin_prior *prior, const float *draws, size_t n)
{
    enum { STEPS = 80000 };
    const double end = 60, dt = 2 * end / STEPS;
    double whole = 0, part = 0, largest = 0;
    for (size_t i = 0; i <= STEPS; i++) {
        const double t = -end + (double)i * dt;
        whole += exp(prior_at(prior, sinh(t))) * cosh(t) * dt;
    }
    for (size_t i = 0, k = 0; i <= STEPS; i++) {
        const double t = -end + (double)i * dt, mass = exp(prior_at(prior, sinh(t))) * cosh(t) * dt / whole;
        while (k < n && (double)draws[k] <= sinh(t)) k++;
        part += mass;
        largest = fmax(largest, fabs((double)k / (double)n - part + mass / 2)); /* half of a step's mass is up to x */
    }
    return largest;
}

/* Of draws that have the density, sqrt(n) times the distance is above 2.2 once in 8,000 times (Kolmogorov). */
static void check_draws(const kelvin_prior *prior, const char *text)
{
    enum { N = 400000 };
    float *draws = room(N, sizeof *draws);
    kelvin_prior_draw(prior, draws, N, 20240607, 3);
    qsort(draws, N, sizeof *draws, ascending);
    const double far = distance(prior, draws, N) * sqrt(N);
    if (!(far < 2.2)) fail_msg("%s: draws do not have the density: %g, must be below 2.2", text, far);
    kelvin_free(draws);
}

static void priors_and_their_draws(void **state)
{
    (void)state;
    const struct kelvin_kernels *kernels;
    const kelvin_member *member;
    assert_ok(kelvin_kernels_get(&kernels));
    for (size_t m = 0; (member = kelvin_family_member(&kelvin_prior_family, m)); m++)
        for (size_t v = 0; v < VARIANTS; v++) {
            char text[128];
            kelvin_prior prior;
            text_of(text, sizeof text, member, v);
            assert_ok(kelvin_prior_parse(&prior, text));
            check_prior_slopes(kernels, &prior, text);
            float none;
            kelvin_prior_draw(&prior, &none, 1, 1, 0);
            assert_int_equal(isnan(none) != 0, !prior.type->draw);
            if (prior.type->draw) check_draws(&prior, text);
        }
}

/* ---- models ---- */

/* The first text that can be built: "resnet8" of resnetN; and others of it. */
static kelvin_model *build(const kelvin_member *member, size_t variant, kelvin_shape input, size_t classes)
{
    char text[128];
    kelvin_model *model;
    for (size_t v = 0; v < 10; v++) {
        text_of(text, sizeof text, member, variant + v);
        if (!kelvin_model_create(&model, text, input, classes)) return model;
    }
    fail_msg("no text chooses the model %s: %s", member->usage, kelvin_error());
    return NULL;
}

/* The slope of sum_k w_k z_k along a direction, by central differences of plain layers; kinks that are crossed show as
 * another pattern, and such an observation says nothing. */
static bool check_direction(struct plain_net *net, const float *theta32, const float *x, const double *w)
{
    const kelvin_model *model = net->model;
    double *theta = doubles_of(theta32, model->n_params), *grad = room(model->n_params, sizeof *grad);
    double side[2] = {0, 0}, along = 0, size = 0;
    const double h = 1e-6;
    plain_net_forward(net, theta, x);
    const uint64_t pattern = net->pattern;
    plain_net_backward(net, grad, theta, w);
    bool smooth = true;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < model->n_params; i++)
            theta[i] = (double)theta32[i] + (s ? h : -h) * normal_at(9, i) * fabs((double)theta32[i]);
        const double *z = plain_net_forward(net, theta, x);
        smooth = smooth && net->pattern == pattern;
        for (size_t k = 0; k < model->classes; k++) side[s] += w[k] * z[k];
    }
    for (size_t i = 0; i < model->n_params; i++) {
        along += grad[i] * normal_at(9, i) * fabs((double)theta32[i]);
        size += fabs(grad[i] * normal_at(9, i) * (double)theta32[i]);
    }
    if (smooth) assert_near((side[1] - side[0]) / (2 * h), along, 1e-7 * (1 + size));
    kelvin_free(theta);
    kelvin_free(grad);
    return smooth;
}

/* Logits and gradients in float against plain layers, which against finite differences. */
static void check_model(const kelvin_model *model)
{
    enum { N = 9 };
    const size_t K = model->classes, inputs = model->inputs;
    const double tolerance = 1e-6 * (double)model->n_layers; /* of Winograd's method; sums of products have less */
    float *theta = parameters(model, 2), *x = normals(N * inputs, 1), *w = normals(N * K, 3);
    float *logits = room(N * K, sizeof *logits), *grad = room(model->n_params, sizeof *grad);
    float *packed = room(kelvin_model_packed(model, N), sizeof *packed), *z = room(K * KELVIN_BLOCK, sizeof *z);
    float *dz = room(K * KELVIN_BLOCK, sizeof *dz);
    double *exact = doubles_of(theta, model->n_params), *want = room(model->n_params, sizeof *want);
    double *weight = doubles_of(w, N * K);
    struct plain_net *plain = plain_net_create(model);
    kelvin_weights *weights;
    kelvin_net *net;
    size_t smooth = 0;
    assert_non_null(plain);
    assert_ok(kelvin_weights_create(&weights, model));
    assert_ok(kelvin_net_create(&net, model));
    for (size_t i = 0, tried = 0; i < N; i++) {
        float *xi = x + i * inputs;
        do { /* a unit that a rounding would push over its kink says nothing */
            for (size_t j = 0; j < inputs; j++) xi[j] = (float)normal_at(1, tried * inputs + j);
            assert_true(++tried < 200);
            plain_net_forward(plain, exact, xi);
        } while (!(plain->margin > 2e-6));
        plain_net_backward(plain, want, exact, weight + i * K);
        smooth += check_direction(plain, theta, xi, weight + i * K);
    }
    assert_true(smooth > 0);
    assert_ok(kelvin_model_logits(model, logits, theta, x, N));
    for (size_t i = 0; i < N; i++) {
        const double *zi = plain_net_forward(plain, exact, x + i * inputs);
        for (size_t k = 0; k < K; k++) assert_near((double)logits[i * K + k], zi[k], tolerance * plain->largest);
    }
    kelvin_model_pack(model, packed, x, N);
    kelvin_weights_set(weights, theta, true);
    for (size_t first = 0; first < N; first += model->block) {
        const kelvin_block block = kelvin_model_block(model, packed, N, first);
        kelvin_net_forward(net, z, weights, &block);
        memset(dz, 0, K * KELVIN_BLOCK * sizeof *dz);
        for (size_t i = 0; i < block.n; i++)
            for (size_t k = 0; k < K; k++) dz[k * KELVIN_BLOCK + i] = w[(first + i) * K + k];
        kelvin_net_backward(net, grad, weights, dz, &block);
    }
    assert_gradient(model, grad, want, 2 * tolerance);
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    plain_net_destroy(plain);
    void *const all[] = {theta, x, w, logits, grad, packed, z, dz, exact, want, weight};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) kelvin_free(all[i]);
}

static void models_are_as_plain_layers(void **state)
{
    (void)state;
    static const kelvin_shape shapes[] = {{3, 32, 32}, {1, 28, 28}, {1, 9, 13}};
    const kelvin_member *member;
    for (size_t m = 0; (member = kelvin_family_member(&kelvin_model_family, m)); m++)
        for (size_t v = 0; v < 3; v++) {
            kelvin_model *model = build(member, v, shapes[v], 10);
            check_model(model);
            kelvin_model_destroy(model);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_is_found),      cmocka_unit_test(parameters_are_as_usage_says),
        cmocka_unit_test(densities_in_any_size),      cmocka_unit_test(priors_and_their_draws),
        cmocka_unit_test(models_are_as_plain_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
