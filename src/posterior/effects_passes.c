/* Some samples over some rows: what the ensemble gives to the labels, and what each sample gives to classes. */
#include "posterior/effects.h"

#include "posterior/stats.h"

#include <math.h>
#include <string.h>

kelvin_status kelvin_effects_bench_create(struct kelvin_effects_bench *b, const struct kelvin_effects_work *w)
{
    KELVIN_TRY(kelvin_pass_create(&b->pass, w->run, 1));
    b->x = kelvin_alloc(w->rows * w->inputs, sizeof *b->x);
    b->z = kelvin_alloc(KELVIN_PASS * w->classes, sizeof *b->z);
    b->log_p = kelvin_alloc(w->rows, sizeof *b->log_p);
    b->rest = kelvin_alloc(w->rows, sizeof *b->rest);
    b->change = kelvin_alloc(w->rows, sizeof *b->change);
    b->p = kelvin_alloc(w->samples * w->classes, sizeof *b->p);
    b->sorted = kelvin_alloc(w->samples, sizeof *b->sorted);
    b->order = kelvin_alloc(w->rows, sizeof *b->order);
    const bool enough = b->x && b->z && b->log_p && b->rest && b->change && b->p && b->sorted && b->order;
    return enough ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_effects_bench_destroy(struct kelvin_effects_bench *b)
{
    kelvin_posterior_destroy(b->pass);
    kelvin_free(b->x);
    kelvin_free(b->z);
    kelvin_free(b->log_p);
    kelvin_free(b->rest);
    kelvin_free(b->change);
    kelvin_free(b->p);
    kelvin_free(b->sorted);
    kelvin_free(b->order);
}

/* What is made of the logits of one sample, b->z, at n rows from `first` on. */
typedef void take(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, size_t sample, size_t first,
                  size_t n);

static kelvin_status go_through(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, size_t rows,
                                take *taken)
{
    for (size_t first = 0, n; first < rows; first += n) {
        n = rows - first < KELVIN_PASS ? rows - first : KELVIN_PASS;
        KELVIN_TRY(kelvin_posterior_set_batch(b->pass, b->x + first * w->inputs, kelvin_unlabelled, n));
        for (size_t s = 0; s < w->samples; s++) {
            kelvin_posterior_logits(b->pass, b->z, w->theta + s * w->run->model->n_params);
            taken(w, b, s, first, n);
        }
    }
    return KELVIN_OK;
}

/* log sum exp over samples, one after the other: the largest so far, and the sum of exp(log p - largest). */
static void take_labels(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, size_t sample,
                        size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float *z = b->z + i * w->classes;
        const double log_p = (double)z[w->y[first + i]] - kelvin_log_sum_exp(z, w->classes);
        double *largest = &b->log_p[first + i], *rest = &b->rest[first + i];
        const double larger = sample > 0 ? fmax(*largest, log_p) : log_p;
        *rest = (sample > 0 ? *rest * exp(*largest - larger) : 0) + exp(log_p - larger);
        *largest = larger;
    }
}

kelvin_status kelvin_effects_log_p(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b)
{
    KELVIN_TRY(go_through(w, b, w->rows, take_labels));
    for (size_t i = 0; i < w->rows; i++) b->log_p[i] += log(b->rest[i] / (double)w->samples);
    return KELVIN_OK;
}

static void take_classes(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, size_t sample,
                         size_t first, size_t n)
{
    (void)first;
    for (size_t i = 0; i < n; i++) {
        const float *z = b->z + i * w->classes;
        const double log_sum = kelvin_log_sum_exp(z, w->classes);
        for (size_t k = 0; k < w->classes; k++) b->p[sample * w->classes + k] += exp((double)z[k] - log_sum);
    }
}

kelvin_status kelvin_effects_mean_p(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, size_t n)
{
    memset(b->p, 0, w->samples * w->classes * sizeof *b->p);
    KELVIN_TRY(go_through(w, b, n, take_classes));
    for (size_t i = 0; i < w->samples * w->classes; i++) b->p[i] /= (double)n;
    return KELVIN_OK;
}
