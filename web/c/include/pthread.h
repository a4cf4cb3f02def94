/* Threads for code that starts none of them: what a page, or a worker of it, has. */
#ifndef EXPLORER_PTHREAD_H
#define EXPLORER_PTHREAD_H

#include <errno.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t, pthread_once_t;
#define PTHREAD_ONCE_INIT 0

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*main)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)main, (void)argument;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}

static inline int pthread_once(pthread_once_t *once, void (*function)(void))
{
    if (!*once) function();
    *once = 1;
    return 0;
}

static inline int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent, (void)child;
    return 0;
}

#define EXPLORER_NOTHING(name, type)                                                                                   \
    static inline int name(type *it)                                                                                   \
    {                                                                                                                  \
        (void)it;                                                                                                      \
        return 0;                                                                                                      \
    }
EXPLORER_NOTHING(pthread_mutex_lock, pthread_mutex_t)
EXPLORER_NOTHING(pthread_mutex_unlock, pthread_mutex_t)
EXPLORER_NOTHING(pthread_mutex_destroy, pthread_mutex_t)
EXPLORER_NOTHING(pthread_cond_signal, pthread_cond_t)
EXPLORER_NOTHING(pthread_cond_broadcast, pthread_cond_t)
EXPLORER_NOTHING(pthread_cond_destroy, pthread_cond_t)
#undef EXPLORER_NOTHING

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)mutex, (void)attributes;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes)
{
    (void)condition, (void)attributes;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition, (void)mutex;
    return 0;
}

#endif
