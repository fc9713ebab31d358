/*
 * Where units wait for locks, and where others end these waits: places in the application (hold_places.h).
 * They are sampled together with holds. When a long wait ends, a postponed job asks two threads for their
 * stacks: the one that ends the wait, at once, and the one that has waited, when it gets the GVL. Each
 * answers at its next check for interrupts. Who has waited checks before it returns from the lock. Who ends a
 * wait may be at its own end and never check: then only the place of the wait is known. A sample weighs as
 * much as its wait.
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

/*
 * Asks the waker, which holds the GVL, and notes that the victim is to be asked. In the hook: under the
 * scheduler's lock, on the waker.
 */
void lock_ask(tclock_t *victim, const tclock_t *waker, uint64_t t) __attribute__((cold));

/* Asks the thread that has just got the GVL. In the hook, on that thread. */
void lock_ask_here(void) __attribute__((cold));

/* The waker has just ended the victim's wait of `region` ticks. */
static inline void lock_sample(tclock_t *victim, const tclock_t *waker, uint64_t t)
{
    if (lock_sampling.on && victim->region >= lock_sampling.least) lock_ask(victim, waker, t);
}

/* The thread has got the GVL, which another one has held since the wait of `c` began. */
static inline void lock_resumed(const tclock_t *c)
{
    if (__builtin_expect(c->lock_waited != 0, 0)) lock_ask_here();
}

/* From now on, or no more. False where Ruby has no postponed job left. */
bool lock_samples_switch(bool on);

/* A forked child calls it. */
void lock_samples_abandon(void);

#endif
