/* fetch: asks for memory that will be wanted soon, a few lines of it at a time, while something else is computed. */
#ifndef KERNELS_FETCH_H
#define KERNELS_FETCH_H

#include "kernels/kernels.h"
#include "kernels/vec.h"

enum { FETCH_LINE = 64 };

struct fetch {
    const char *at[2];
    size_t lines[2];
    size_t each; /* lines at a time */
};

/* To be called `times` times. */
INLINE struct fetch fetch_make(const struct work *work, size_t times)
{
    struct fetch f = {.each = 0};
    for (int i = 0; i < 2; i++) {
        f.at[i] = (const char *)work->soon[i];
        f.lines[i] = work->soon[i] ? work->floats[i] * sizeof(float) / FETCH_LINE : 0;
    }
    if (times > 0) f.each = (f.lines[0] + f.lines[1] + times - 1) / times;
    return f;
}

INLINE void fetch_some(struct fetch *f)
{
    size_t left = f->each;
    for (int i = 0; i < 2; i++)
        for (; left > 0 && f->lines[i] > 0; left--, f->lines[i]--, f->at[i] += FETCH_LINE)
            __builtin_prefetch(f->at[i], 0, 2);
}

#endif
