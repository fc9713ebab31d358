/*
 * Objects that a thread allocates. Ruby counts them for the whole process only. But a thread allocates only
 * while it holds the GVL, so what the count grew by between two readings belongs to the threads that ran
 * meanwhile. It is read where Ruby may be called: at edges of units, turns of fibers and calls, and at ticks.
 *
 * The thread that reads gets the growth since any thread's last reading, with the time that it ran itself and
 * that others ran. Where no other ran, the growth is exactly its own. What others allocated is taken off
 * later, at the mean rate of the process (lib/holdup/analysis/allocations.rb). With several Ractors nothing
 * is read: their threads allocate at the same time.
 */
#ifndef HOLDUP_ALLOCATIONS_H
#define HOLDUP_ALLOCATIONS_H

#include "thread_clock.h"

/* Makes Ruby ready to be asked: the first question may allocate. The caller holds the GVL. */
void alloc_prepare(void);

/*
 * Reads the count at `t` on the current thread, which holds the GVL. `hold_from`: of its clock, before it was
 * settled at `t`.
 */
void alloc_read(tclock_t *c, uint64_t hold_from, uint64_t t);

#endif
