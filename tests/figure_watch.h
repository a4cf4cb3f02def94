/* A watch for tests of figures: it counts, and stops after `patience` pieces. Included once per test program. */
#ifndef FIGURE_WATCH_H
#define FIGURE_WATCH_H

#include "check.h"

#include <kelvin/figures.h>

static uint64_t patience;

static void watch_start(void *context, const char *what, uint64_t total)
{
    (void)context;
    assert_true(*what && total > 0);
}

static bool watch_piece(void *context)
{
    (void)context;
    uint64_t left = __atomic_load_n(&patience, __ATOMIC_RELAXED);
    while (left > 0 &&
           !__atomic_compare_exchange_n(&patience, &left, left - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return left > 0;
}

static void watch_end(void *context)
{
    (void)context;
}

static const kelvin_figure_watch watch = {.start = watch_start, .piece = watch_piece, .end = watch_end};

#endif
