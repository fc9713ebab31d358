/*
 * Which method keeps the others waiting, always on: while a thread holds the main Ractor's GVL for long and
 * others wait, its stack is taken from time to time, and weighs as much as the stall that the hold caused
 * since the last one.
 *
 * A thread of ours, which Ruby does not know, looks at the ledger while threads wait and sleeps without any
 * cost while none does; the first thread that waits for a holder wakes it. It asks the holder by a postponed
 * job (see capture_ask.h), so no signal is sent. GC can't answer, nor can C code that never checks for
 * interrupts: they answer late, which identifies them.
 */
#ifndef HOLDUP_HOLD_SAMPLES_H
#define HOLDUP_HOLD_SAMPLES_H

#include <ruby.h>
#include <stdbool.h>

#include "hook/thread_clock.h"
#include "shared.h"

struct hold {
    bool parked; /* the watching thread sleeps until hold_wake */
};

SHARED struct hold hold;

void hold_wake(void) __attribute__((cold));

/* A thread begins to wait: in the hook, under the scheduler's lock. */
static inline void hold_waits(const blame_t *b)
{
    if (__builtin_expect(__atomic_load_n(&hold.parked, __ATOMIC_RELAXED), 0) && BLAME_GET(b->holder))
        hold_wake();
}

/* A tick: units that begin while the watching thread sleeps don't wake it, so this does. */
static inline void hold_tick(void)
{
    if (tc.in_flight && __atomic_load_n(&hold.parked, __ATOMIC_RELAXED)) hold_wake();
}

/* hook_install registers it for Ruby's exit. */
void hold_at_exit(VALUE unused);

/* A forked child calls it: it has no such thread. */
void hold_abandon(void);

#endif
