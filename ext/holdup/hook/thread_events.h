/*
 * The hook path: what a GVL event does to the clock of its thread.
 *
 * These handlers run inside CRuby's scheduler: no allocation, no Ruby call, no lock of ours, at most one
 * clock read an event. READY and RESUMED run under the scheduler lock (M:N's first run excepted); SUSPENDED
 * runs on the thread that still holds the GVL.
 */
#ifndef HOLDUP_THREAD_EVENTS_H
#define HOLDUP_THREAD_EVENTS_H

#include <ruby.h>
#include <ruby/thread.h>

#include "capture/capture.h"
#include "capture/capture_events.h"
#include "hook/hold_samples.h"
#include "hook/lock_ends.h"
#include "hook/lock_samples.h"
#include "hook/thread_clock.h"

int ruby_thread_has_gvl_p(void); /* exported by 3.3, declared from 3.4 */

/*
 * After a blocking region this long the thread's CPU clock is read: was it waiting, or computing without the
 * GVL?
 */
#define TC_LONG_REGION_NS UINT64_C(1000000)

/*
 * CPU that the thread used since the clock was last read, less what it ran under the GVL since: work without
 * the GVL. Limited by the region, so that it never exceeds the idle time that it is part of. Exact while
 * `watched`.
 */
static inline void tc_attribute_native(tclock_t *c)
{
    if (!tc_has_cpu(c)) return;
    uint64_t cpu = clk_cpu_ns();
    if (c->cpu_ns == TC_CPU_UNREAD) c->cpu_ns = cpu, c->cpu_running = c->totals.running;
    uint64_t region = clk_ns(c->region);
    uint64_t ran = clk_ns(c->totals.running - c->cpu_running);
    uint64_t burnt = cpu - c->cpu_ns;
    uint64_t native = burnt > ran ? burnt - ran : 0;
    if (native > region) native = region;
    c->totals.native_ns += native;
    c->watched = native > region / 10;
    c->cpu_ns = cpu;
    c->cpu_running = c->totals.running;
}

/* When the open hold ended, or 0 while it lasts. Written at SUSPENDED, perhaps outside the scheduler lock. */
static inline uint64_t tc_hold_end(const blame_t *b)
{
    return b->holder ? __atomic_load_n(&b->holder->hold_end, __ATOMIC_ACQUIRE) : 0;
}

/*
 * Whether the thread yielded (time slice or Thread.pass): SUSPENDED, hand-over and READY run under one
 * scheduler lock, so no other event of this scheduler comes between, and another thread waits
 * (thread_sched_yield in thread_pthread.c).
 */
static inline bool tc_yielded(const tclock_t *c)
{
    const blame_t *b = c->blame;
    return !c->blocking && !b->shared && c->seen == b->seq && b->waiters &&
           pthread_equal(c->native, pthread_self());
}

static inline void tc_end_idle(tclock_t *c, uint64_t t)
{
    tc_idle_kind kind = tc_classify(c);
    c->region = tc_since(c->at, t);
    c->totals.idle[kind] += c->region;
    if (kind == TC_LOCK) lock_wait_ends(c, t);
}

/*
 * READY of a thread that comes from a blocking region (so this is that thread, on its native one), and that
 * was the last to hold the GVL. In that hold nobody has waited, and nobody waits now: it gets the GVL at
 * once, unless another one comes first. So the ledger stays as it is, and only notes who it is: RESUMED of
 * that thread undoes the note, and any other event that writes the ledger counts it first
 * (tc_count_alone). False where that is not so; then nothing is done.
 */
static inline bool tc_ready_alone(tclock_t *c, uint64_t t)
{
    blame_t *b = c->blame;
    bool last = c->phase == TC_IDLE && c->blocking && b->holder == c;
    if (!last || !blame_undisturbed(b) || c->epoch != tc.epoch || t < c->at || CAP_ON()) return false;
    c->region = t - c->at;
    c->totals.idle[TC_IO] += c->region;
    c->at = t;
    c->phase = TC_WAITING;
    b->alone = c;
    return true;
}

/* The caller has the ledger locked. What tc_ready_alone left out: the hold is over, and the thread waits. */
static inline void tc_count_alone(blame_t *b)
{
    const tclock_t *c = b->alone;
    if (__builtin_expect(!c, 1)) return;
    b->alone = NULL;
    if (c->phase != TC_WAITING) return;
    blame_close_undisturbed(b);
    blame_add_waiter(b, c->at);
}

/*
 * READY. Runs on a waker, on the thread itself without the GVL, or on a timer thread; under the scheduler
 * lock.
 */
static __attribute__((noinline)) void tc_ready(tclock_t *c, uint64_t t)
{
    blame_t *b = c->blame;
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    if (c->phase == TC_WAITING) return;
    if (c->phase == TC_IDLE && tc_yielded(c)) {
        c->totals.preemptions++;
        c->region = 0;
        t = c->at;
    }
    else if (c->phase == TC_IDLE) tc_end_idle(c, t);
    blame_lock(b);
    tc_count_alone(b);
    uint64_t end = tc_hold_end(b);
    if (end && end <= t) tc_close_hold(b, end);
    blame_add_waiter(b, t);
    if (end > t) tc_close_hold(b, end); /* the wait began inside that hold */
    if (CAP_ON()) cap_record_event(c, CAP_READY, t, end);
    c->at = t;
    c->phase = TC_WAITING;
    blame_unlock(b);
    hold_waits(b);
}

/* After a region that may have computed, the CPU clock says how much. */
static inline void tc_look_at_region(tclock_t *c)
{
    bool computed = c->blocking && (c->watched || clk_ns(c->region) > TC_LONG_REGION_NS);
    if (__builtin_expect(computed, 0)) tc_attribute_native(c);
}

/*
 * RESUMED right after such a READY, without any event between: it has not waited, and the hold begins with
 * the wish for it. So there is no stall to charge, and no clock to read. False where it is another one.
 */
static inline bool tc_resumed_alone(tclock_t *c)
{
    if (c->blame->alone != c || CAP_ON()) return false;
    c->blame->alone = NULL;
    __atomic_store_n(&c->hold_end, 0, __ATOMIC_RELAXED);
    c->phase = TC_RUNNING;
    c->hold_from = c->party_from = c->at;
    c->totals.acquisitions++;
    tc_look_at_region(c);
    return true;
}

/*
 * RESUMED. Runs on the thread itself, which has the GVL now; under the scheduler lock (M:N's first run
 * excepted).
 */
static __attribute__((noinline)) void tc_resumed(tclock_t *c, uint64_t t)
{
    blame_t *b = c->blame;
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    blame_lock(b);
    tc_count_alone(b);
    if (CAP_ON()) cap_record_event(c, CAP_RESUMED, t, tc_hold_end(b));
    if (b->holder) {
        uint64_t end = tc_hold_end(b);
        if (!end) TC_COUNT(unknown_holder); /* its SUSPENDED never came */
        tc_close_hold(b, end ? end : t);
    }
    if (c->phase == TC_WAITING) {
        c->totals.stalled += t - c->at; /* the ledger's very interval: the identity is exact */
        blame_drop_waiter(b, t);
        bool others_ran = pair_charge(b, c->party, c->at, t);
        if (others_ran) lock_resumed(c); /* who ended a wait for a lock held the GVL then */
    }
    __atomic_store_n(&c->hold_end, 0, __ATOMIC_RELAXED);
    blame_open(b, c, t);
    blame_unlock(b);
    if (c->phase == TC_IDLE) {
        TC_COUNT(resumed_without_ready);
        tc_end_idle(c, t);
    }
    c->native = pthread_self();
    c->phase = TC_RUNNING;
    c->at = c->hold_from = c->party_from = t;
    c->totals.acquisitions++;
    tc_look_at_region(c);
}

/*
 * SUSPENDED. Runs on the thread itself, which still has the GVL; often, not always, under the scheduler lock.
 */
static inline void tc_suspended(tclock_t *c, uint64_t t)
{
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    c->blocking = !ruby_thread_has_gvl_p();
    if (c->phase == TC_WAITING) return;
    /* An interrupt was pending: it never stopped running. */
    if (c->phase == TC_IDLE) TC_COUNT(suspended_twice);
    if (c->phase != TC_UNKNOWN) tc_run_until(c, t);
    if (c->blocking && c->watched) tc_read_cpu(c);
    if (CAP_ON()) cap_record_event(c, CAP_SUSPENDED, t, 0);
    c->at = t;
    c->seen = BLAME_GET(c->blame->seq);
    c->phase = TC_IDLE;
    __atomic_store_n(&c->hold_end, t, __ATOMIC_RELEASE);
}

/*
 * EXITED. Runs on the thread itself after the hand-over, under the scheduler lock. Freed later, under the
 * GVL.
 */
static inline void tc_exited(tclock_t *c)
{
    __atomic_store_n(&c->exited, true, __ATOMIC_RELEASE);
}

#endif
