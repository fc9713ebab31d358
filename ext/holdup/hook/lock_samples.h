/*
 * Where units wait for locks, and where others end these waits: places in the application (hold_places.h).
 * They are sampled together with holds. When a long wait ends, the thread that ends it is asked by a
 * postponed job for both stacks: its own, and that of the thread that has waited, which still waits for the
 * GVL then. A sample weighs as much as its wait.
 */
#ifndef HOLDUP_LOCK_SAMPLES_H
#define HOLDUP_LOCK_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/thread_clock.h"
#include "shared.h"

#define LOCK_LONG_NS UINT64_C(5000000) /* shorter waits have no sample */

struct lock_sampling {
    bool on;
    uint64_t least; /* LOCK_LONG_NS in ticks */
};

SHARED struct lock_sampling lock_sampling;

/* Asks for the stacks. In the hook: under the scheduler's lock, on the waker, which holds the GVL. */
void lock_ask(const tclock_t *victim, const tclock_t *waker, uint64_t t) __attribute__((cold));

/* The waker has just ended the victim's wait of `region` ticks. */
static inline void lock_sample(const tclock_t *victim, const tclock_t *waker, uint64_t t)
{
    if (lock_sampling.on && victim->region >= lock_sampling.least) lock_ask(victim, waker, t);
}

/* From now on, or no more. False where Ruby has no postponed job left. */
bool lock_samples_switch(bool on);

/* A forked child calls it. */
void lock_samples_abandon(void);

#endif
