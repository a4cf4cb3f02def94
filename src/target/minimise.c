/* L-BFGS: the direction is -H g, where H is what the last steps s and the changes y of the gradient along them tell of
 * the inverse of the second derivatives (the two loops of Nocedal and Wright, algorithm 7.4). A step is halved until
 * the value falls as a straight line of a ten-thousandth of the slope would. Sums are in order: the same bits on every
 * machine that computes the same gradients. */
#include "target/minimise.h"

#include <math.h>
#include <string.h>

enum { PAST = 10, HALVINGS = 30 };

struct memory {
    size_t n, kept, next;      /* steps that are kept, and where the next one goes */
    double *s[PAST], *y[PAST]; /* (n) each */
    double along[PAST];        /* s . y */
    double *x, *gradient, *direction;
    double *all;
};

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += factor * a[i];
}

static double largest(const double *a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

static kelvin_status make(struct memory *m, size_t n)
{
    *m = (struct memory){.n = n};
    double *next = m->all = kelvin_alloc((2 * PAST + 3) * n, sizeof *m->all);
    if (!next) return KELVIN_ENOMEM;
    for (size_t i = 0; i < PAST; i++) {
        m->s[i] = next + 2 * i * n;
        m->y[i] = next + (2 * i + 1) * n;
    }
    next += (size_t)2 * PAST * n;
    m->x = next;
    m->gradient = next + n;
    m->direction = next + 2 * n;
    return KELVIN_OK;
}

/* The i-th last step. */
static size_t past(const struct memory *m, size_t i)
{
    return (m->next + PAST - 1 - i) % PAST;
}

/* Before there is a step to learn from, one of length 1 at most. */
static void choose_direction(struct memory *m, const double *gradient)
{
    double share[PAST];
    const size_t n = m->n;
    double *d = m->direction;
    for (size_t i = 0; i < n; i++) d[i] = -gradient[i];
    for (size_t i = 0; i < m->kept; i++) {
        const size_t k = past(m, i);
        share[i] = dot(m->s[k], d, n) / m->along[k];
        add(d, -share[i], m->y[k], n);
    }
    const size_t last = past(m, 0);
    const double scale =
        m->kept > 0 ? m->along[last] / dot(m->y[last], m->y[last], n) : fmin(1, 1 / sqrt(dot(gradient, gradient, n)));
    for (size_t i = 0; i < n; i++) d[i] *= scale;
    for (size_t i = m->kept; i-- > 0;) {
        const size_t k = past(m, i);
        add(d, share[i] - dot(m->y[k], d, n) / m->along[k], m->s[k], n);
    }
}

/* A step along which the gradient does not grow tells nothing: rounding has made it. */
static void remember(struct memory *m, const double *x, const double *gradient)
{
    double *s = m->s[m->next], *y = m->y[m->next];
    for (size_t i = 0; i < m->n; i++) {
        s[i] = x[i] - m->x[i];
        y[i] = gradient[i] - m->gradient[i];
    }
    m->along[m->next] = dot(s, y, m->n);
    if (!(m->along[m->next] > 0)) return;
    m->next = (m->next + 1) % PAST;
    if (m->kept < PAST) m->kept++;
}

/* From m->x on. False if the value does not fall any more. */
static bool step(struct memory *m, double *x, double *gradient, double *value, const struct kelvin_descent *d)
{
    const double slope = dot(m->gradient, m->direction, m->n), before = *value, enough = 1e-4;
    double size = 1;
    for (size_t i = 0; i < HALVINGS; i++, size /= 2) {
        memcpy(x, m->x, m->n * sizeof *x);
        add(x, size, m->direction, m->n);
        *value = d->slope(d->context, gradient, x);
        if (*value <= before + enough * size * slope) return *value < before;
    }
    memcpy(x, m->x, m->n * sizeof *x);
    return false;
}

kelvin_status kelvin_minimise(double *x, const struct kelvin_descent *d)
{
    struct memory m;
    double *gradient = kelvin_alloc(d->n, sizeof *gradient);
    kelvin_status status = gradient ? make(&m, d->n) : KELVIN_ENOMEM;
    if (!status) {
        double value = d->slope(d->context, gradient, x);
        for (size_t i = 0; i < d->steps && largest(gradient, d->n) > d->flat; i++) {
            choose_direction(&m, gradient);
            memcpy(m.x, x, d->n * sizeof *x);
            memcpy(m.gradient, gradient, d->n * sizeof *gradient);
            if (!step(&m, x, gradient, &value, d)) break;
            remember(&m, x, gradient);
        }
        kelvin_free(m.all);
    }
    kelvin_free(gradient);
    return status;
}
