/* The only door to the heap, so that a test can make the n-th allocation fail, for every n. */
#include "base/memory.h"

#include <kelvin/base.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 64, CHUNK = 1 << 16, PAGE = 4096, LARGE = 1 << 23 };

static atomic_size_t fail_at;

void kelvin_alloc_fail_at(size_t n)
{
    atomic_store(&fail_at, n);
}

static bool must_fail(void)
{
    size_t left = atomic_load(&fail_at);
    while (left > 0)
        if (atomic_compare_exchange_weak(&fail_at, &left, left - 1)) return left == 1;
    return false;
}

/* Large blocks get large pages where the system has them to give: a hundred faults instead of fifty thousand for the
 * pixels of CIFAR-10. All of a block is written at once, so that this takes no more memory. */
static void advise(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t skipped = (PAGE - (uintptr_t)p % PAGE) % PAGE;
    if (bytes >= LARGE) (void)madvise((char *)p + skipped, bytes - skipped, MADV_HUGEPAGE);
#else
    (void)p, (void)bytes;
#endif
}

void *kelvin_alloc(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - ALIGN) / size) {
        kelvin_fail(KELVIN_ENOMEM, "out of memory: %zu x %zu bytes is more than can be addressed", count, size);
        return NULL;
    }
    const size_t bytes = count * size > 0 ? count * size : 1;
    void *p = NULL; /* not aligned_alloc: it wants whole multiples, behind which a sanitizer sees nothing amiss */
    if (must_fail() || posix_memalign(&p, ALIGN, bytes)) {
        kelvin_fail(KELVIN_ENOMEM, "out of memory: %zu bytes could not be had", bytes);
        return NULL;
    }
    advise(p, bytes);
    return memset(p, 0, bytes);
}

void kelvin_free(void *p)
{
    free(p);
}

char *kelvin_strdup(const char *s)
{
    const size_t n = strlen(s) + 1;
    char *copy = kelvin_alloc(n, 1);
    return copy ? memcpy(copy, s, n) : NULL;
}

/* ---- arena: a list of chunks, each twice the last up to LARGE, or as large as it must be, freed together ---- */

struct chunk {
    struct chunk *next;
    size_t size, used; /* bytes after the header, which takes ALIGN bytes */
};

struct kelvin_arena {
    struct chunk *last;
    size_t bytes;
};

kelvin_status kelvin_arena_create(kelvin_arena **arena)
{
    *arena = kelvin_alloc(1, sizeof **arena);
    return *arena ? KELVIN_OK : KELVIN_ENOMEM;
}

void *kelvin_arena_alloc(kelvin_arena *arena, size_t count, size_t size)
{
    _Static_assert(sizeof(struct chunk) <= ALIGN, "a chunk's header fits before its first block");
    if (size != 0 && count > (SIZE_MAX - 2 * ALIGN) / size)
        return kelvin_alloc(count, size); /* fails, with its sentence */
    const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    struct chunk *c = arena->last;
    if (!c || c->size - c->used < bytes) {
        size_t want = c ? 2 * c->size : CHUNK;
        if (want > LARGE) want = LARGE; /* all of it is written, so all of it counts as used */
        if (want < bytes) want = bytes;
        struct chunk *fresh = kelvin_alloc(1, ALIGN + want);
        if (!fresh) return NULL;
        fresh->next = c;
        fresh->size = want;
        arena->last = c = fresh;
        arena->bytes += ALIGN + want;
    }
    void *p = (char *)c + ALIGN + c->used;
    c->used += bytes;
    return p;
}

char *kelvin_arena_text(kelvin_arena *arena, const char *text, size_t length)
{
    char *copy = kelvin_arena_alloc(arena, length + 1, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

size_t kelvin_arena_bytes(const kelvin_arena *arena)
{
    return arena->bytes;
}

void kelvin_arena_destroy(kelvin_arena *arena)
{
    if (!arena) return;
    for (struct chunk *c = arena->last, *next; c; c = next) {
        next = c->next;
        kelvin_free(c);
    }
    kelvin_free(arena);
}
