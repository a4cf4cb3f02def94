/* plain_net, the oracle of networks: its gradients against signed finite differences of its own logits. */
#include "nets.h"

static const struct {
    const char *spec;
    kelvin_shape input;
    size_t classes;
} rows[] = {
    {"mlp", {3, 1, 1}, 2},  {"mlp:7,13", {5, 1, 1}, 3}, {"mlp:9,6,leak=0.3", {1, 2, 2}, 5}, {"cnn", {1, 8, 8}, 3},
    {"cnn", {2, 5, 26}, 4}, {"resnet8", {2, 5, 6}, 3},  {"resnet8", {1, 6, 7}, 4},          {"resnet14", {1, 3, 4}, 2},
};
enum { ROWS = sizeof rows / sizeof *rows, EACH = 6, DIRECTIONS = 10 };

struct problem {
    kelvin_model *model;
    struct plain_net *net;
    double *theta, *grad, *moved, *weight;
    float *x;
};

static void make(struct problem *p, size_t row)
{
    assert_ok(kelvin_model_create(&p->model, rows[row].spec, rows[row].input, rows[row].classes));
    float *theta = parameters(p->model, 1), *weight = normals(p->model->classes, 3);
    p->net = plain_net_create(p->model);
    assert_non_null(p->net);
    p->theta = doubles_of(theta, p->model->n_params);
    p->moved = doubles_of(theta, p->model->n_params);
    p->weight = doubles_of(weight, p->model->classes);
    p->grad = room(p->model->n_params, sizeof *p->grad);
    p->x = normals(p->model->inputs, 2);
    plain_net_forward(p->net, p->theta, p->x);
    plain_net_backward(p->net, p->grad, p->theta, p->weight);
    kelvin_free(theta);
    kelvin_free(weight);
}

static void unmake(struct problem *p)
{
    kelvin_free(p->theta);
    kelvin_free(p->moved);
    kelvin_free(p->weight);
    kelvin_free(p->grad);
    kelvin_free(p->x);
    plain_net_destroy(p->net);
    kelvin_model_destroy(p->model);
}

/* sum_k weight_k z_k at `moved` */
static double scalar(struct problem *p)
{
    const double *z = plain_net_forward(p->net, p->moved, p->x);
    double sum = 0;
    for (size_t k = 0; k < p->model->classes; k++) sum += p->weight[k] * z[k];
    return sum;
}

/* Moves by h times a direction, that of parameter i if NULL. */
static void move(struct problem *p, const double *direction, size_t i, double h)
{
    if (!direction) p->moved[i] = p->theta[i] + h;
    for (size_t j = 0; direction && j < p->model->n_params; j++) p->moved[j] = p->theta[j] + h * direction[j];
}

/* The central difference; false where a unit's kink lies between the two points. */
static bool difference(struct problem *p, double *quotient, const double *direction, size_t i)
{
    const double h = 1e-6;
    move(p, direction, i, h);
    const double up = scalar(p);
    const uint64_t pattern = p->net->pattern;
    move(p, direction, i, -h);
    const double down = scalar(p);
    const bool smooth = p->net->pattern == pattern;
    move(p, direction, i, 0);
    *quotient = (up - down) / (2 * h);
    return smooth;
}

static double largest_of(const struct problem *p)
{
    double largest = 0;
    for (size_t i = 0; i < p->model->n_params; i++) largest = fmax(largest, fabs(p->grad[i]));
    return largest;
}

/* Numbers of size 1 have roundings of 1e-16, so quotients are good to 1e-10 and a little more for the many sums; the
 * third derivative counts h^2 = 1e-12 times. */
static const double tolerance = 1e-8;

/* All parameters of small models, some of every tensor of large ones. */
static void gradients_are_slopes(void **state)
{
    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        struct problem p;
        make(&p, row);
        const double largest = largest_of(&p);
        size_t tried = 0, kinks = 0;
        for (size_t t = 0; t < p.model->n_tensors; t++) {
            const kelvin_tensor *tensor = &p.model->tensor[t];
            const size_t size = kelvin_tensor_size(tensor), stride = p.model->n_params < 600 ? 1 : 1 + size / EACH;
            for (size_t i = t % stride; i < size; i += stride, tried++) {
                double quotient;
                if (difference(&p, &quotient, NULL, tensor->offset + i))
                    assert_near(p.grad[tensor->offset + i], quotient, tolerance * (largest + 1));
                else
                    kinks++;
            }
        }
        assert_true(tried >= p.model->n_tensors && kinks * 20 < tried);
        unmake(&p);
    }
}

static void gradients_are_slopes_in_any_direction(void **state)
{
    (void)state;
    for (size_t row = 0; row < ROWS; row++) {
        struct problem p;
        make(&p, row);
        size_t kinks = 0;
        for (uint32_t d = 0; d < DIRECTIONS; d++) {
            float *normal = normals(p.model->n_params, 10 + d);
            double *direction = doubles_of(normal, p.model->n_params), quotient, slope = 0, size = 0;
            for (size_t i = 0; i < p.model->n_params; i++) size += direction[i] * direction[i];
            for (size_t i = 0; i < p.model->n_params; i++) {
                direction[i] /= sqrt(size);
                slope += p.grad[i] * direction[i];
            }
            if (difference(&p, &quotient, direction, 0))
                assert_near(slope, quotient, tolerance * (largest_of(&p) + 1));
            else
                kinks++;
            kelvin_free(direction);
            kelvin_free(normal);
        }
        assert_true(kinks * 2 < DIRECTIONS);
        unmake(&p);
    }
}

/* Every tensor has a part in what comes out; half of the taus are where they count. */
static void every_tensor_counts(void **state)
{
    (void)state;
    struct problem p;
    make(&p, ROWS - 2);
    for (size_t t = 0; t < p.model->n_tensors; t++) {
        double largest = 0;
        const size_t size = kelvin_tensor_size(&p.model->tensor[t]);
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(p.grad[p.model->tensor[t].offset + i]));
        if (!(largest > 1e-3)) fail_msg("%s: at most %g", p.model->tensor[t].name, largest);
    }
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(gradients_are_slopes_in_any_direction),
        cmocka_unit_test(every_tensor_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
