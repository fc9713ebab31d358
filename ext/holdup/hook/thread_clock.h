/*
 * One clock for each thread: which state it is in (running, stalled, idle) and how long it was in each.
 * Events move it (thread_events.h). Its own thread writes it, or a waker while that thread is parked.
 */
#ifndef HOLDUP_THREAD_CLOCK_H
#define HOLDUP_THREAD_CLOCK_H

#include <pthread.h>
#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "hook/blame.h"
#include "hook/pairs.h"
#include "hook/totals.h"

#define TC_CPU_UNREAD UINT64_MAX

typedef enum { TC_UNKNOWN, TC_RUNNING, TC_WAITING, TC_IDLE } tc_phase;

typedef struct tclock {
    uint64_t at;           /* when the phase began */
    uint64_t hold_from;    /* where the current hold began, or where a unit's edge cut it */
    uint64_t hold_end;     /* set at SUSPENDED; 0 while holding */
    blame_t *blame;
    pair_party_t *party;   /* who holds the GVL, or waits for it, on this thread */
    uint64_t party_from;   /* where the current hold began, or its part that belongs to the party */
    uint32_t epoch;
    uint8_t phase;
    bool blocking;         /* the last SUSPENDED was a blocking region */
    bool watched;          /* that region used CPU: read the CPU clock at both ends of the next ones */
    bool exited;
    uint64_t seen;         /* the ledger's sequence at SUSPENDED */
    pthread_t native;      /* the native thread that ran it last: whether it woke itself */
    uint64_t region;       /* ticks of the last idle period */
    uint64_t lock_waited;  /* ticks of a wait for a lock whose place is to be taken, or 0 ... */
    uint64_t lock_hold;    /* ... and `acquisitions` in the hold after it */
    uint64_t longest;      /* longest hold of the innermost open unit */
    uint64_t gc_from;
    uint64_t gc_hold;      /* `acquisitions` in the hold that last collected garbage ... */
    uint64_t gc_held;      /* ... and for how long it did */
    uint64_t cpu_ns;       /* the thread's CPU clock when it was last read ... */
    uint64_t cpu_running;  /* ... and what it had run under the GVL by then */
    totals_t totals;

    /* Touched at edges of units and calls, fiber switches and ticks only. */
    bool follows;          /* its units are the sums of their fibers' turns (fibers.h) */
    uint32_t call_depth;   /* calls that it is in (calls.h), one inside the other */
    uint32_t call_kind;    /* of the outermost one, + 1, where it is known before its end; 0: unknown */
    bool awaits_connection; /* of a pool */
    pair_party_t *own_party; /* outside of units */
    struct unit *innermost;
    struct unit *call_unit; /* of the outermost call; NULL: it is not measured */
    uint64_t call_others;  /* how long other threads had run when that began ... */
    totals_t call_base;    /* ... and its totals: next to the above, for an edge of a call finds them cold */
    struct unit *current;  /* then: the unit that the running fiber is in */
    uint64_t mark_cpu;     /* ... the thread's CPU clock at the mark */
    uint64_t mark_read;    /* ... and when it was read for one */
    VALUE thread;          /* unmarked: only while the thread lives, which keeps it and its place */
    uint32_t number;       /* of this thread in captures */
    uint64_t native_id;    /* the kernel's number of its native thread; 0: not asked yet */
    uint32_t unit;         /* while a capture is on: the number in captures of the unit that it is in */
    uint32_t listed;       /* its place in the capture's table of threads, + 1 */
    uint64_t due;          /* when a long wait ended whose stack is still to be taken; 0: none */
    uint64_t waited_stack;   /* `at` of the last wait whose stack was taken while it lasted */
    uint64_t held_stack;   /* `acquisitions` when the stack of a hold was last taken */
    uint32_t open_units;
    uint32_t period_units; /* units ended since the thread was last outside of all units */
    bool period_spoiled;   /* one of them is unknown */
    totals_t period_start;
    totals_t period_sum;
    uint64_t period_cpu_start;
    uint64_t period_cpu_sum;
    totals_t outside;       /* what fell outside of all units ... */
    totals_t published;     /* ... and how much of it the accounts have */
    totals_t mark;          /* totals when the last unit ended, or the last turn of a fiber began */
    uint64_t edge_caused;  /* what it had caused at the last edge of a unit or turn */
    uint32_t account;      /* index of the account, 0 = not named yet */
    struct tclock *next, *previous;
} tclock_t;

struct tc {
    bool enabled;
    bool mn;               /* main-Ractor threads share native threads */
    uint32_t epoch;        /* +1 at each enable and fork: older states are unknown */
    uint64_t in_flight;    /* units in flight: begun and ended by threads that hold the GVL (unit.h) */
    uint64_t resumed_without_ready, suspended_twice, unknown_holder, clock_backward;
};

SHARED struct tc tc;

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
    c->edge_caused = c->totals.caused;
    c->watched = false;
}

static inline bool tc_lives(const tclock_t *c)
{
    return !__atomic_load_n(&c->exited, __ATOMIC_ACQUIRE);
}

/* Whether the clock's state is known: it is not when it is from an older epoch. */
static inline bool tc_known(const tclock_t *c)
{
    return c->epoch == tc.epoch && tc_lives(c);
}

/* Adds everything up to `t` to the totals. Runs on the thread itself, which holds the GVL. */
static inline void tc_run_until(tclock_t *c, uint64_t t)
{
    uint64_t hold = tc_since(c->hold_from, t);
    uint64_t coarse = hold >> TC_SQUARE_SHIFT;
    uint64_t ran = tc_since(c->at, t);
    c->totals.running += ran;
    c->blame->ran += ran;
    c->totals.running_in_flight += ran * tc.in_flight;
    c->totals.squares += coarse * coarse;
    if (hold > c->longest) c->longest = hold;
    c->at = c->hold_from = t;
}

/*
 * The CPU clock is the native thread's. Where Ruby's threads share those (M:N, Ractors), one thread continues
 * on another's, and the difference of two readings is of two clocks: none is read.
 */
static inline bool tc_has_cpu(const tclock_t *c)
{
    return !c->blame->shared;
}

static inline uint64_t tc_cpu(const tclock_t *c)
{
    return tc_has_cpu(c) ? clk_cpu_ns() : 0;
}

/*
 * The kernel's number of the current thread, whose clock is `c`; 0 where Ruby's threads share native threads.
 */
uint64_t tc_native_id(tclock_t *c);

static inline void tc_read_cpu(tclock_t *c)
{
    c->cpu_ns = tc_cpu(c);
    c->cpu_running = c->totals.running;
}

static inline void tc_close_hold(blame_t *b, uint64_t end)
{
    tclock_t *holder = b->holder;
    uint64_t caused = blame_close(b, end);
    holder->totals.caused += caused;
    if (caused) pair_put(b, holder->party, holder->party_from, end);
}

/*
 * The kind of idle that ended, by how it began and by what ends it (no allocation, no Ruby call). A blocking
 * region is io (or native work, which the CPU clock shows). Woken by another thread it is a lock, queue or
 * join; woken by itself a sleep or a timed wait. Under M:N only "parked" is known; it is counted as io.
 */
static inline tc_idle_kind tc_classify(const tclock_t *c)
{
    if (c->blocking || c->blame->shared) return TC_IO;
    return pthread_equal(c->native, pthread_self()) ? TC_SLEEP : TC_LOCK;
}

/*
 * From `t` on the thread does the work of that party. It runs, or waits with its hold closed. An edge looks
 * for waiters only: one that is about to be counted began to wait in a part that the ring does not have.
 */
static inline void tc_change_party(tclock_t *c, uint64_t t, pair_party_t *party)
{
    blame_t *b = c->blame;
    if (c->phase == TC_RUNNING && BLAME_GET(b->waiters)) pair_put(b, c->party, c->party_from, t);
    c->party = party;
    c->party_from = t;
}

/* The thread runs, and no event said so. */
void tc_settle_unseen(tclock_t *c, uint64_t t) __attribute__((cold));

/* Brings the totals up to `t`. Runs on the thread itself, which holds the GVL. */
static inline void tc_settle(tclock_t *c, uint64_t t)
{
    if (c->epoch != tc.epoch) tc_begin_epoch(c);
    if (__builtin_expect(c->phase != TC_RUNNING, 0)) tc_settle_unseen(c, t);
    tc_run_until(c, t);
}

/* The totals as of `t`, with what the open hold has caused and what the open wait has taken. Settle first. */
void tc_totals(const tclock_t *c, uint64_t t, totals_t *now);

/*
 * The totals at an edge of the current thread: a unit or a turn is the difference of two edges. The caller
 * reads the clock first and the ledger second. If a thread begins to wait between the two, what the hold has
 * caused by `t` is too low, perhaps lower than at the last edge. It must not decrease: the span that ends
 * here would be negative, which is recorded as 0, and the next span would count the same time again.
 */
void tc_edge(tclock_t *c, uint64_t t, totals_t *now);

#endif
