/*
 * Wakes of one thread, which sleeps without any cost until somebody posts one: a semaphore of this process.
 * macOS has no unnamed POSIX semaphores.
 */
#ifndef HOLDUP_WAKES_H
#define HOLDUP_WAKES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __APPLE__
#include <dispatch/dispatch.h>

typedef dispatch_semaphore_t wakes_t;

static inline void wakes_make(wakes_t *w)
{
    *w = dispatch_semaphore_create(0);
}

static inline void wakes_wait(wakes_t *w)
{
    dispatch_semaphore_wait(*w, DISPATCH_TIME_FOREVER);
}

static inline bool wakes_wait_for(wakes_t *w, uint64_t ns)
{
    return !dispatch_semaphore_wait(*w, dispatch_time(DISPATCH_TIME_NOW, (int64_t)ns));
}

static inline void wakes_post(wakes_t *w)
{
    dispatch_semaphore_signal(*w);
}
#else
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "clock.h"

typedef sem_t wakes_t;

static inline void wakes_make(wakes_t *w)
{
    sem_init(w, 0, 0);
}

static inline void wakes_wait(wakes_t *w)
{
    while (sem_wait(w) && errno == EINTR)
        ;
}

/* False: nobody has posted in that time, which real time measures: where it is set back, it takes longer. */
static inline bool wakes_wait_for(wakes_t *w, uint64_t ns)
{
    uint64_t at = clk_read_ns(CLOCK_REALTIME) + ns;
    struct timespec end = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)};
    int failed;
    do failed = sem_timedwait(w, &end);
    while (failed && errno == EINTR);
    return !failed;
}

static inline void wakes_post(wakes_t *w)
{
    sem_post(w);
}
#endif

#endif
