/* What is taken for what: observations by their class and by the one that the ensemble finds most likely; and each
 * class against the rest, by the probability that it is given. */
#include "posterior/confusion.h"
#include "base/needs.h"

#include <math.h>
#include <string.h>

kelvin_status kelvin_confusion_create(kelvin_confusion **confusion, size_t classes)
{
    KELVIN_NEEDS(confusion);
    kelvin_arena *arena;
    *confusion = NULL;
    if (classes > KELVIN_CONFUSION_CLASSES)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%zu classes are too many to be compared with each other; expected at most %d", classes,
                           (int)KELVIN_CONFUSION_CLASSES);
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_confusion *c = kelvin_arena_alloc(arena, 1, sizeof *c);
    size_t *count = kelvin_arena_alloc(arena, classes * classes, sizeof *count);
    struct kelvin_roc *roc = kelvin_arena_alloc(arena, classes, sizeof *roc);
    if (!c || !count || !roc) {
        kelvin_arena_destroy(arena);
        return KELVIN_ENOMEM;
    }
    *c = (kelvin_confusion){.classes = classes, .count = count, .roc = roc, .arena = arena};
    *confusion = c;
    return KELVIN_OK;
}

static void forget(kelvin_confusion *c)
{
    kelvin_free(c->label);
    kelvin_free(c->p);
    c->label = NULL;
    c->p = NULL;
    c->room = 0;
}

void kelvin_confusion_free(kelvin_confusion *c)
{
    if (!c) return;
    forget(c);
    kelvin_arena_destroy(c->arena);
}

/* ---- one by one ---- */

static kelvin_status grow(kelvin_confusion *c)
{
    const size_t room = c->room ? 2 * c->room : 256;
    int32_t *label = kelvin_alloc(room, sizeof *label);
    double *p = kelvin_alloc(room * c->classes, sizeof *p);
    if (!label || !p) {
        kelvin_free(label);
        kelvin_free(p);
        return KELVIN_ENOMEM;
    }
    if (c->n > 0) {
        memcpy(label, c->label, c->n * sizeof *label);
        memcpy(p, c->p, c->n * c->classes * sizeof *p);
    }
    forget(c);
    c->label = label;
    c->p = p;
    c->room = room;
    return KELVIN_OK;
}

kelvin_status kelvin_confusion_add(void *confusion, const kelvin_verdict *v)
{
    KELVIN_NEEDS(confusion);
    KELVIN_NEEDS(v);
    kelvin_confusion *c = confusion;
    if (v->label < 0 || (size_t)v->label >= c->classes || (size_t)v->predicted >= c->classes) return KELVIN_OK;
    if (c->n == c->room) KELVIN_TRY(grow(c));
    c->label[c->n] = v->label;
    memcpy(c->p + c->n++ * c->classes, v->p, c->classes * sizeof *c->p);
    c->count[(size_t)v->label * c->classes + (size_t)v->predicted]++;
    return KELVIN_OK;
}

/* ---- all together ---- */

static kelvin_status find_curve(kelvin_confusion *c, size_t label, double *scores, kelvin_roc_point *scratch)
{
    const size_t n_own = kelvin_confusion_observations(c, label), n_others = c->n - n_own;
    double *others = scores, *own = scores + n_others;
    for (size_t i = 0; i < c->n; i++) {
        double **to = (size_t)c->label[i] == label ? &own : &others;
        *(*to)++ = c->p[i * c->classes + label];
    }
    return kelvin_roc_find(&c->roc[label], c->arena, scores, n_others, scores + n_others, n_own, scratch);
}

kelvin_status kelvin_confusion_conclude(kelvin_confusion *confusion)
{
    KELVIN_NEEDS(confusion);
    kelvin_confusion *c = confusion;
    double *scores = kelvin_alloc(c->n + 1, sizeof *scores);
    kelvin_roc_point *scratch = kelvin_alloc(c->n + 1, sizeof *scratch);
    kelvin_status status = scores && scratch ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t k = 0; k < c->classes && !status; k++) status = find_curve(c, k, scores, scratch);
    kelvin_free(scores);
    kelvin_free(scratch);
    if (!status) forget(c);
    return status;
}

/* ---- what was found ---- */

size_t kelvin_confusion_classes(const kelvin_confusion *c)
{
    return c->classes;
}

size_t kelvin_confusion_count(const kelvin_confusion *c, size_t label, size_t predicted)
{
    return label < c->classes && predicted < c->classes ? c->count[label * c->classes + predicted] : 0;
}

size_t kelvin_confusion_observations(const kelvin_confusion *c, size_t label)
{
    size_t n = 0;
    for (size_t k = 0; k < c->classes; k++) n += kelvin_confusion_count(c, label, k);
    return n;
}

double kelvin_confusion_recall(const kelvin_confusion *c, size_t label)
{
    const size_t n = kelvin_confusion_observations(c, label);
    return n > 0 ? (double)kelvin_confusion_count(c, label, label) / (double)n : (double)NAN;
}

double kelvin_confusion_precision(const kelvin_confusion *c, size_t predicted)
{
    size_t n = 0;
    for (size_t k = 0; k < c->classes; k++) n += kelvin_confusion_count(c, k, predicted);
    return n > 0 ? (double)kelvin_confusion_count(c, predicted, predicted) / (double)n : (double)NAN;
}

double kelvin_confusion_auc(const kelvin_confusion *c, size_t label)
{
    return label < c->classes ? c->roc[label].auc : (double)NAN;
}

double kelvin_confusion_auc_mean(const kelvin_confusion *c)
{
    double sum = 0;
    size_t n = 0;
    for (size_t k = 0; k < c->classes; k++)
        if (!isnan(c->roc[k].auc)) sum += c->roc[k].auc, n++;
    return n > 0 ? sum / (double)n : (double)NAN;
}

const kelvin_roc_point *kelvin_confusion_roc(const kelvin_confusion *c, size_t label, size_t *n)
{
    *n = label < c->classes ? c->roc[label].n : 0;
    return *n > 0 ? c->roc[label].points : NULL;
}
