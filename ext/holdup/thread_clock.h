/*
 * One clock for each thread: which state it is in (running, stalled, idle) and how long it was in each.
 *
 * The handlers below run inside CRuby's scheduler: no allocation, no Ruby call, no lock of ours, one clock read an event.
 * READY and RESUMED run under the scheduler lock (M:N's first run excepted); SUSPENDED runs on the thread that still holds
 * the GVL. So a clock is written by its own thread, or by a waker while its thread is parked.
 */
#ifndef HOLDUP_THREAD_CLOCK_H
#define HOLDUP_THREAD_CLOCK_H

#include <pthread.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <stdbool.h>
#include <stdint.h>

#include "blame.h"
#include "capture.h"
#include "capture_ask.h"
#include "clock.h"
#include "holders.h"
#include "tally.h"

int ruby_thread_has_gvl_p(void); /* exported by 3.3, declared from 3.4 */

/* After a blocking region this long the thread's CPU clock is read: was it waiting, or computing without the GVL? */
#define TC_LONG_REGION_NS UINT64_C(1000000)
#define TC_CPU_UNREAD UINT64_MAX

typedef enum { TC_UNKNOWN, TC_RUNNING, TC_WAITING, TC_IDLE } tc_phase;

typedef struct tclock {
    uint64_t at;           /* when the phase began */
    uint64_t hold_from;    /* where the current hold began, or where a unit's edge cut it */
    uint64_t hold_end;     /* set at SUSPENDED; 0 while holding */
    blame_t *blame;
    uint32_t epoch;
    uint8_t phase;
    bool blocking;         /* the last SUSPENDED was a blocking region */
    bool watched;          /* that region burnt CPU: read the CPU clock at both ends of the next ones */
    bool exited;
    uint64_t seen;         /* the ledger's sequence at SUSPENDED */
    pthread_t native;      /* who ran it last: tells whether it woke itself */
    uint64_t region;       /* ticks of the last idle period */
    uint64_t longest;      /* longest hold of the innermost open unit */
    uint64_t gc_from;
    uint64_t cpu_ns;       /* the thread's CPU clock when it was last read ... */
    uint64_t cpu_running;  /* ... and what it had run under the GVL by then */
    tally_t tally;

    /* Touched at unit edges, fiber switches and ticks only. */
    bool follows;          /* its units are the sums of their fibers' turns (fibers.h) */
    struct unit *current;  /* then: the unit that the running fiber is in */
    uint64_t mark_cpu;     /* ... the thread's CPU clock at the mark */
    uint64_t mark_read;    /* ... and when it was read for one */
    struct unit *innermost;
    VALUE thread;          /* unmarked: only while the thread lives, which keeps it and its place */
    uint32_t number;       /* of this thread in captures */
    uint32_t unit;         /* while a capture is on: the unit that it is in, as captures call it */
    uint32_t listed;       /* its place in the capture's table of threads, + 1 */
    uint64_t due;          /* when a long wait ended of which the stack is still to be taken; 0: none did */
    uint64_t told;         /* `at` of the last wait whose stack was taken meanwhile */
    uint64_t shown;        /* acquisitions when the stack of a hold was last taken */
    uint32_t open_units;
    uint32_t period_units; /* units ended since the thread was last outside of all units */
    bool period_spoiled;   /* one of them could not be told */
    tally_t period_start;
    tally_t period_sum;
    uint64_t period_cpu_start;
    uint64_t period_cpu_sum;
    tally_t outside;       /* what fell outside of all units ... */
    tally_t published;     /* ... and how much of it the accounts have */
    tally_t mark;          /* tally when the last unit ended, or the last turn of a fiber began */
    uint64_t edge_caused;  /* what it had caused at the last edge of a unit or turn */
    uint32_t account;      /* index of the account, 0 = not named yet */
    struct tclock *next, *previous;
} tclock_t;

static struct {
    bool enabled;
    bool mn;               /* main-Ractor threads share native threads */
    uint32_t epoch;        /* +1 at each enable and fork: older states are unknown */
    uint64_t flight;       /* units in flight: begun and ended by who holds the GVL (unit.h) */
    uint64_t resumed_without_ready, suspended_twice, unknown_holder, clock_backward;
} tc;

#define TC_COUNT(name) __atomic_fetch_add(&tc.name, 1, __ATOMIC_RELAXED)

static inline bool tc_enabled(void)
{
    return __atomic_load_n(&tc.enabled, __ATOMIC_ACQUIRE);
}

/* Clocks of several CPUs may differ by a few ticks; an interval is never negative. */
static inline uint64_t tc_since(uint64_t from, uint64_t t)
{
    if (__builtin_expect(t >= from, 1)) return t - from;
    TC_COUNT(clock_backward);
    return 0;
}

static inline void tc_begin_epoch(tclock_t *c)
{
    c->epoch = tc.epoch;
    c->phase = TC_UNKNOWN;
    c->hold_end = 0;
    c->cpu_ns = TC_CPU_UNREAD;
    c->edge_caused = c->tally.caused;
    c->watched = false;
}

/* Who held long and who waited long: holders_methods.h. */
static void __attribute__((noinline, cold)) hld_held(const tclock_t *c, uint64_t to);
static void __attribute__((noinline, cold)) hld_waited(const tclock_t *c, uint64_t to);

static inline bool tc_lives(const tclock_t *c)
{
    return !__atomic_load_n(&c->exited, __ATOMIC_ACQUIRE);
}

/* What a clock says of an older epoch is nothing. */
static inline bool tc_known(const tclock_t *c)
{
    return c->epoch == tc.epoch && tc_lives(c);
}

/* Everything up to `t` into the tally; the caller is the thread itself and holds the GVL. */
static inline void tc_run_until(tclock_t *c, uint64_t t)
{
    uint64_t hold = tc_since(c->hold_from, t);
    uint64_t coarse = hold >> TC_SQUARE_SHIFT;
    uint64_t ran = tc_since(c->at, t);
    c->tally.running += ran;
    c->tally.company += ran * tc.flight;
    c->tally.squares += coarse * coarse;
    if (hold > c->longest) c->longest = hold;
    if (hld_long(hold)) hld_held(c, t);
    c->at = c->hold_from = t;
}

/*
 * CPU that the thread burnt since the clock was last read, less what it ran under the GVL since: work without the GVL.
 * Bounded by the region, so that it never exceeds the idle time it is taken from. Exact while `watched`.
 */
static inline void tc_attribute_native(tclock_t *c)
{
    uint64_t cpu = clk_cpu_ns();
    if (c->cpu_ns == TC_CPU_UNREAD) c->cpu_ns = cpu, c->cpu_running = c->tally.running;
    uint64_t region = clk_ns(c->region);
    uint64_t ran = clk_ns(c->tally.running - c->cpu_running);
    uint64_t burnt = cpu - c->cpu_ns;
    uint64_t native = burnt > ran ? burnt - ran : 0;
    if (native > region) native = region;
    c->tally.native_ns += native;
    c->watched = native > region / 10;
    c->cpu_ns = cpu;
    c->cpu_running = c->tally.running;
}

static inline void tc_read_cpu(tclock_t *c)
{
    c->cpu_ns = clk_cpu_ns();
    c->cpu_running = c->tally.running;
}

/* When the open hold ended, or 0 while it lasts. Written at SUSPENDED, perhaps outside the scheduler lock. */
static inline uint64_t tc_hold_end(const blame_t *b)
{
    return b->holder ? __atomic_load_n(&b->holder->hold_end, __ATOMIC_ACQUIRE) : 0;
}

static inline void tc_close_hold(blame_t *b, uint64_t end)
{
    tclock_t *holder = b->holder;
    holder->tally.caused += blame_close(b, end);
}

/*
 * What kind of idle ended: told by how it began and by who ends it (no allocation, no Ruby call).
 * A blocking region is io (or native work, told apart by the CPU clock); woken by another thread is a lock, queue or
 * join; woken by itself is a sleep or a timed wait. Under M:N only "parked" is known; it is counted as io.
 */
static inline tc_idle_kind tc_classify(const tclock_t *c)
{
    if (c->blocking || c->blame->shared) return TC_IO;
    return pthread_equal(c->native, pthread_self()) ? TC_SLEEP : TC_LOCK;
}

/*
 * A yield (time slice or Thread.pass) runs SUSPENDED, hand-over and READY under one scheduler lock: no other event of
 * this scheduler comes between, and somebody waits (thread_sched_yield in thread_pthread.c).
 */
static inline bool tc_yielded(const tclock_t *c)
{
    const blame_t *b = c->blame;
    return !c->blocking && !b->shared && c->seen == b->seq && b->waiters && pthread_equal(c->native, pthread_self());
}

static inline void tc_end_idle(tclock_t *c, uint64_t t)
{
    c->region = tc_since(c->at, t);
    c->tally.idle[tc_classify(c)] += c->region;
}

/* A wait ends at `t`: the thread has the stack still that it waited with. */
static void tc_end_wait(tclock_t *c, uint64_t t)
{
    uint64_t over_ns = ask_over_ns();
    if (!over_ns || c->told == c->at || ask_rests(t) || clk_ns(tc_since(c->at, t)) < over_ns) return;
    c->due = t;
    rb_postponed_job_trigger(ask.job);
}

/* It gives the GVL up before it was asked. */
static void tc_drop_due(tclock_t *c)
{
    if (c->due) ask_missed();
    c->due = 0;
}

/*
 * To the capture: an event of the scheduler, before it changes the phase. `end` is when the open hold ended, 0 while it
 * lasts or where there is none.
 */
static void __attribute__((noinline, cold)) tc_tell(tclock_t *c, enum cap_kind kind, uint64_t t, uint64_t end)
{
    const blame_t *b = c->blame;
    uint64_t waiters = BLAME_GET(b->waiters);
    uint8_t flags = c->phase;
    if (kind == CAP_SUSPENDED) flags |= c->blocking ? CAP_BLOCKING : 0;
    else if (c->phase == TC_IDLE) flags |= (uint8_t)(tc_classify(c) << CAP_KIND_SHIFT);
    if (kind == CAP_READY) {
        if (end) flags |= CAP_CLOSED;
        if (c->phase == TC_IDLE && t == c->at) flags |= CAP_YIELDED;
    }
    if (kind == CAP_RESUMED) {
        if (b->holder) flags |= end ? CAP_CLOSED : CAP_CLOSED | CAP_UNENDED;
        if (c->phase == TC_WAITING) waiters--, tc_end_wait(c, t);
    }
    else tc_drop_due(c);
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = b->number, .unit = c->unit,
                          .waiters = (uint16_t)waiters, .kind = (uint8_t)kind, .flags = flags});
}

/* To the capture: something that is no event of the scheduler. */
static void __attribute__((noinline, cold)) tc_mark(const tclock_t *c, enum cap_kind kind, uint64_t t)
{
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = c->blame->number, .unit = c->unit,
                          .waiters = (uint16_t)BLAME_GET(c->blame->waiters), .kind = (uint8_t)kind, .flags = c->phase});
}

/* READY. Runs on a waker, on the thread itself without the GVL, or on a timer thread; under the scheduler lock. */
static inline void tc_ready(tclock_t *c, uint64_t t)
{
    blame_t *b = c->blame;
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    if (c->phase == TC_WAITING) return;
    if (c->phase == TC_IDLE && tc_yielded(c)) {
        c->tally.preemptions++;
        c->region = 0;
        t = c->at;
    }
    else if (c->phase == TC_IDLE) tc_end_idle(c, t);
    blame_lock(b);
    uint64_t end = tc_hold_end(b);
    if (end && end <= t) tc_close_hold(b, end);
    blame_add_waiter(b, t);
    if (end > t) tc_close_hold(b, end); /* the wait began inside that hold */
    if (CAP_ON()) tc_tell(c, CAP_READY, t, end);
    c->at = t;
    c->phase = TC_WAITING;
    blame_unlock(b);
}

/* RESUMED. Runs on the thread itself, which has the GVL now; under the scheduler lock (M:N's first run excepted). */
static inline void tc_resumed(tclock_t *c, uint64_t t)
{
    blame_t *b = c->blame;
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    blame_lock(b);
    if (CAP_ON()) tc_tell(c, CAP_RESUMED, t, tc_hold_end(b));
    if (b->holder) {
        uint64_t end = tc_hold_end(b);
        if (!end) TC_COUNT(unknown_holder); /* its SUSPENDED never came */
        tc_close_hold(b, end ? end : t);
    }
    if (c->phase == TC_WAITING) {
        c->tally.stalled += t - c->at; /* the ledger's very interval: the identity is exact */
        blame_drop_waiter(b, t);
        if (hld_long(t - c->at)) hld_waited(c, t);
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
    c->at = c->hold_from = t;
    c->tally.acquisitions++;
    if (c->blocking && (c->watched || clk_ns(c->region) > TC_LONG_REGION_NS)) tc_attribute_native(c);
}

/* SUSPENDED. Runs on the thread itself, which still has the GVL; often, not always, under the scheduler lock. */
static inline void tc_suspended(tclock_t *c, uint64_t t)
{
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    c->blocking = !ruby_thread_has_gvl_p();
    if (c->phase == TC_WAITING) return;
    if (c->phase == TC_IDLE) TC_COUNT(suspended_twice); /* an interrupt was pending: it never stopped running */
    if (c->phase != TC_UNKNOWN) tc_run_until(c, t);
    if (c->blocking && c->watched) tc_read_cpu(c);
    if (CAP_ON()) tc_tell(c, CAP_SUSPENDED, t, 0);
    c->at = t;
    c->seen = BLAME_GET(c->blame->seq);
    c->phase = TC_IDLE;
    __atomic_store_n(&c->hold_end, t, __ATOMIC_RELEASE);
}

/* EXITED. Runs on the thread itself after the hand-over; under the scheduler lock. Freed later, under the GVL. */
static inline void tc_exited(tclock_t *c)
{
    __atomic_store_n(&c->exited, true, __ATOMIC_RELEASE);
}

/* The thread itself, holding the GVL: brings its tally up to `t`. */
static void tc_settle(tclock_t *c, uint64_t t)
{
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    if (c->phase == TC_UNKNOWN) c->at = c->hold_from = t;
    c->phase = TC_RUNNING;
    tc_run_until(c, t);
}

/* What the thread's open hold has caused up to `t`. A unit's edge reads it outside the scheduler lock: a seqlock. */
static uint64_t tc_open_caused(const tclock_t *c, uint64_t t)
{
    const blame_t *b = c->blame;
    unsigned spins = 0;
    for (;;) {
        uint64_t seq = __atomic_load_n(&b->seq, __ATOMIC_ACQUIRE);
        uint64_t waiters = BLAME_GET(b->waiters), moment = BLAME_GET(b->moment), opened = BLAME_GET(b->opened);
        bool mine = BLAME_GET(b->holder) == c;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(seq & 1) && seq == BLAME_GET(b->seq)) return mine ? waiters * t - moment - opened : 0;
        blame_spin(&spins);
    }
}

/*
 * How long the thread has waited by `t`, if it waits: its cause has that already. The caller holds the GVL that it waits
 * for, so the wait can't end meanwhile; it can begin, hence the seqlock. Of another GVL that is not known.
 */
static uint64_t tc_open_stalled(const tclock_t *c, uint64_t t)
{
    const blame_t *b = c->blame;
    unsigned spins = 0;
    if (b->shared || c->epoch != tc.epoch) return 0;
    for (;;) {
        uint64_t seq = __atomic_load_n(&b->seq, __ATOMIC_ACQUIRE);
        uint8_t phase = BLAME_GET(c->phase);
        uint64_t at = BLAME_GET(c->at);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(seq & 1) && seq == BLAME_GET(b->seq)) return phase == TC_WAITING && t > at ? t - at : 0;
        blame_spin(&spins);
    }
}

/* The tally as of `t`, with what the open hold has caused and the open wait has taken; settle first. */
static tally_t tc_tally(const tclock_t *c, uint64_t t)
{
    tally_t now = c->tally;
    now.caused += tc_open_caused(c, t);
    now.stalled += tc_open_stalled(c, t);
    return now;
}

/*
 * The tally at an edge of the current thread: a unit or a turn is the difference of two edges. The caller reads
 * the clock first and the ledger second. If a thread begins to wait between the two, what the hold has caused by
 * `t` is too low, perhaps lower than at the last edge. It must not go back: the span that ends here would be
 * negative, which is recorded as 0, and the next span would count the same time again.
 */
static tally_t tc_edge(tclock_t *c, uint64_t t)
{
    tally_t now = tc_tally(c, t);
    if ((int64_t)(now.caused - c->edge_caused) < 0) now.caused = c->edge_caused;
    c->edge_caused = now.caused;
    return now;
}

#endif
