/*
 * Who ends a wait for a lock: Mutex, Monitor, Queue, ConditionVariable, Thread#join and the like. Ruby makes
 * the waiting thread ready while another one unlocks, pushes, signals or ends. That one runs meanwhile, so
 * the wait is charged to its unit, or to its account outside of units. In a convoy that is the last owner,
 * whoever had the lock before: it "ended" the wait.
 *
 * Unknown is who ended a wait where no thread of this GVL did: another Ractor, a signal, M:N's timer; and
 * where one interrupted it (Thread#raise, as Timeout does, and Thread#kill). Waits outside of units are left
 * out. Whether a wait was for a lock is known when it ends (tc_classify): one with a
 * timeout that passes is sleep.
 */
#ifndef HOLDUP_LOCK_ENDS_H
#define HOLDUP_LOCK_ENDS_H

#include "hook/thread_clock.h"

/*
 * READY ends the victim's wait of `region` ticks at `t`. Under the scheduler's lock, and without allocation.
 */
void lock_wait_ends(tclock_t *victim, uint64_t t);

/* Once, when the extension is loaded. */
void lock_ends_prepare(void);

#endif
