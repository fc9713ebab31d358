/*
 * Asking a thread for its stack: by a postponed job, which Ruby runs on the thread that holds the GVL at its
 * next check for interrupts. Triggering one is allowed anywhere: in the hook, and on threads that Ruby does
 * not know.
 */
#ifndef HOLDUP_CAPTURE_ASK_H
#define HOLDUP_CAPTURE_ASK_H

#include <ruby.h>
#include <ruby/debug.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared.h"

#define ASK_SHARE 32

struct ask {
    uint64_t over_ns;      /* stacks are taken when a thread waits longer; 0: never */
    rb_postponed_job_handle_t job;
    uint32_t thread;       /* number of the thread that was asked and has not answered; 0: none */
    uint64_t answered;     /* when a thread last answered (ticks) ... */
    /* ... and until when no thread is asked again, so that stacks take a 32nd of the time at most. */
    uint64_t rest;
    uint64_t missed;       /* the GVL went on to another thread before it answered */
    bool elsewhere;        /* another sampler takes the stacks of threads that run ... */
    uint64_t elsewhere_ns; /* ... and has cost so much CPU */
    /* Held while the watching thread reads clocks without the GVL: no clock is freed meanwhile. */
    bool lock;
};

SHARED struct ask ask;

/* A caller that does not get the lock does without, this time. */
static inline bool ask_try_lock(void)
{
    return !__atomic_test_and_set(&ask.lock, __ATOMIC_ACQUIRE);
}

static inline void ask_unlock(void)
{
    __atomic_clear(&ask.lock, __ATOMIC_RELEASE);
}

static inline bool ask_rests(uint64_t t)
{
    return t < __atomic_load_n(&ask.rest, __ATOMIC_RELAXED);
}

/* A stack was taken from one tick to another. */
static inline void ask_spent(uint64_t from, uint64_t to)
{
    __atomic_store_n(&ask.answered, to, __ATOMIC_RELAXED);
    __atomic_store_n(&ask.rest, to + (to - from) * ASK_SHARE, __ATOMIC_RELAXED);
}

static inline void ask_missed(void)
{
    __atomic_fetch_add(&ask.missed, 1, __ATOMIC_RELAXED);
}

static inline uint64_t ask_over_ns(void)
{
    return __atomic_load_n(&ask.over_ns, __ATOMIC_ACQUIRE);
}

#endif
