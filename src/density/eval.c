/* A density of one observation in double precision.
 *
 *     m = max_k z_k,  s = sum of exp(z_k - m) over all classes but the first largest,
 *     l_k = (z_k - m) - log1p(s),   dz_k = g_k (1 - p_k) - p_k sum_{j != k} g_j   for a gradient g in l.
 *
 * Leaving the largest out of s keeps value and gradient accurate where a prediction is all but certain. */
#include "density/types.h"

#include <math.h>

/* Classes are taken this many at a time, on the stack: any number of them, and nothing is allocated. */
enum { PIECE = 64 };

struct softmax {
    size_t top;      /* the first class with the largest logit, */
    double max;      /* that logit, */
    double sum, log; /* s and log1p(s) */
};

static struct softmax softmax_of(const double *z, size_t K)
{
    struct softmax s = {.top = 0};
    for (size_t k = 1; k < K; k++)
        if (z[k] > z[s.top]) s.top = k;
    s.max = z[s.top];
    for (size_t k = 0; k < K; k++)
        if (k != s.top) s.sum += exp(z[k] - s.max);
    s.log = log1p(s.sum);
    return s;
}

static double log_probability(const struct softmax *s, double z)
{
    return (z - s->max) - s->log;
}

/* 1 / number of classes whose log-probability is the largest */
static double top_share(const struct softmax *s, const double *z, size_t K)
{
    size_t ties = 0;
    for (size_t k = 0; k < K; k++) ties += log_probability(s, z[k]) == -s->log;
    return 1.0 / (double)ties;
}

/* In place: from the gradient in l to that in z. */
static void to_logits(double *grad, const struct softmax *s, const double *z, size_t K)
{
    double others = 0.0;
    const double top = grad[s->top];
    for (size_t k = 0; k < K; k++)
        if (k != s->top) others += grad[k];
    for (size_t k = 0; k < K; k++) {
        const double g = grad[k], p = exp(z[k] - s->max) / (1.0 + s->sum);
        grad[k] = g * (1.0 - p) - p * (others - g + top);
    }
    grad[s->top] = (top * s->sum - others) / (1.0 + s->sum);
}

double kelvin_density_eval(const kelvin_density *density, double *grad, const double *z, size_t K, size_t y)
{
    const kelvin_density_type *type = density->type;
    const struct softmax s = softmax_of(z, K);
    const double top = -s.log, share = type->uses_top ? top_share(&s, z, K) : 0.0;
    double value = 0.0;
    for (size_t first = 0; first < K; first += PIECE) {
        double l[PIECE], g[PIECE];
        const size_t n = K - first < PIECE ? K - first : PIECE;
        const int32_t label = y >= first && y < first + n ? (int32_t)(y - first) : -1;
        for (size_t k = 0; k < n; k++) {
            l[k] = log_probability(&s, z[first + k]);
            g[k] = 0.0; /* these alone: with two classes, clearing all 64 took a third of the time */
        }
        const struct block_double b = {.K = n,
                                       .classes = K,
                                       .row = 1,
                                       .x = type->on_logits ? z + first : l,
                                       .y = &label,
                                       .top = &top,
                                       .share = &share,
                                       .value = &value,
                                       .g = g};
        type->add_double(&b, density->param);
        if (adds_likelihood(density)) kelvin_density_categorical.add_double(&b, NULL);
        if (grad)
            for (size_t k = 0; k < n; k++) grad[first + k] = g[k];
    }
    if (grad && !type->on_logits) to_logits(grad, &s, z, K);
    return value;
}
