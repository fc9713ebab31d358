/*
 * Who caused the stall: one ledger for each scheduler (each Ractor has its own GVL).
 *
 * W is the number of waiting threads; M is the sum of (change of W) x (time of the change). Then G(t) = W * t
 * - M is the integral of W up to t, without a list of waiters, and the stall that a hold caused is G(end) -
 * G(start). What passes while no thread holds the GVL is the hand-off. Each change of W uses the same time as
 * the waiter's own interval, so
 *
 *     sum caused + handoff = sum stalled
 *
 * holds by construction. All sums are modulo 2^64; differences stay right.
 *
 * Writers are serialised by CRuby's scheduler lock (thread_pthread.c runs READY and RESUMED under it), except
 * where threads or Ractors share native threads (M:N): such a ledger is `shared` and writers take the
 * sequence word by CAS. Readers (unit edges) hold the GVL but not the scheduler lock: they use the sequence
 * word as a seqlock.
 */
#ifndef HOLDUP_BLAME_H
#define HOLDUP_BLAME_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared.h"

#define BLAME_HOLDS 256  /* that are kept at least: a wait passes over as many as threads wait before it */
#define BLAME_WINDOW 384 /* places for them: only when all are used the older ones are dropped */

struct tclock;
struct pair_party;

/* A hold in which others waited, or the part of it that belongs to one party. */
typedef struct {
    uint64_t from, to;
    struct pair_party *holder; /* PAIR_NOBODY: not known */
} blame_hold_t;

typedef struct blame {
    uint64_t seq;            /* odd while it is written; +2 for each event */
    uint64_t waiters;        /* W */
    uint64_t moment;         /* M */
    struct tclock *holder;   /* NULL between two holds */
    struct tclock *alone;    /* the last holder, if it wants the GVL again and nothing has counted that yet */
    uint64_t opened;         /* G when the holder's hold began */
    uint64_t closed;         /* G when the last hold ended */
    uint64_t handoff;        /* ticks that threads stalled while no thread held the GVL */
    uint64_t ran;            /* ticks that its threads have run: the holder writes it */
    bool shared;             /* M:N: events also come outside the scheduler lock */
    bool only;               /* there is no other ledger, and this is not shared */
    uint32_t number;         /* in captures */
    uint32_t clocks;         /* of its threads (registry.h); the main Ractor's are not counted */
    struct blame *next;

    /* Whom waits are for (pairs.h). */
    uint64_t held;           /* holds that were written ... */
    uint64_t held_to;        /* ... and when the last of them ended */
    uint64_t charged, unknown, rests; /* ticks of waits: for a party, beyond the holds, for nobody */
    uint64_t begun;          /* parties */
    struct pair_party *free, *ended, *ended_last, *left_behind;
    struct pair_chunk *chunks;
    uint64_t latest;         /* place of the last hold */
    blame_hold_t holds[1 + BLAME_WINDOW]; /* the first one is no hold, and stands before all */
} blame_t;

#define BLAME_GET(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define BLAME_SET(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

static inline void blame_spin(unsigned *spins)
{
    if (++*spins % 128 == 0) sched_yield();
}

/*
 * The locks of units, registry and segment are for Ractors: with one ledger there is one GVL, and its holder
 * is alone. Nothing inside of a lock gives the GVL up, so the answer does not change between lock and unlock.
 */
SHARED bool blame_many;

static inline void blame_acquire(bool *lock)
{
    unsigned spins = 0;
    while (blame_many && __atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) blame_spin(&spins);
}

static inline void blame_release(bool *lock)
{
    if (blame_many) __atomic_clear(lock, __ATOMIC_RELEASE);
}

/* Takes the sequence word by CAS. */
void blame_lock_shared(blame_t *b) __attribute__((cold));

/* Where the ledger is not shared: the scheduler's lock keeps other writers away. */
static inline void blame_lock_own(blame_t *b)
{
    BLAME_SET(b->seq, BLAME_GET(b->seq) + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void blame_lock(blame_t *b)
{
    if (__builtin_expect(b->shared, 0)) blame_lock_shared(b);
    else blame_lock_own(b);
}

static inline void blame_unlock(blame_t *b)
{
    __atomic_store_n(&b->seq, b->seq + 1, __ATOMIC_RELEASE);
}

/* G(t). The caller has the ledger locked. */
static inline uint64_t blame_integral(const blame_t *b, uint64_t t)
{
    return b->waiters * t - b->moment;
}

static inline void blame_add_waiter(blame_t *b, uint64_t t)
{
    BLAME_SET(b->waiters, b->waiters + 1);
    BLAME_SET(b->moment, b->moment + t);
}

static inline void blame_drop_waiter(blame_t *b, uint64_t t)
{
    BLAME_SET(b->waiters, b->waiters - 1);
    BLAME_SET(b->moment, b->moment - t);
}

/* Ends the open hold at `t`; returns what it caused. */
static inline uint64_t blame_close(blame_t *b, uint64_t t)
{
    uint64_t integral = blame_integral(b, t);
    uint64_t caused = integral - b->opened;
    BLAME_SET(b->closed, integral);
    BLAME_SET(b->holder, NULL);
    return caused;
}

static inline void blame_open(blame_t *b, struct tclock *holder, uint64_t t)
{
    uint64_t integral = blame_integral(b, t);
    BLAME_SET(b->handoff, b->handoff + (integral - b->closed));
    BLAME_SET(b->opened, integral);
    BLAME_SET(b->holder, holder);
}

/*
 * Whether nobody waits, and nobody has since the hold began. Of several Ractors one may let another collect
 * garbage before it runs.
 */
static inline bool blame_undisturbed(const blame_t *b)
{
    return b->only && !b->waiters && b->opened + b->moment == 0;
}

/* The same as blame_close where it is so: the hold has caused nothing. */
static inline void blame_close_undisturbed(blame_t *b)
{
    BLAME_SET(b->closed, b->opened);
    BLAME_SET(b->holder, NULL);
}

/*
 * How long the threads that wait at `t` have waited, summed: an upper bound of the longest wait. Takes no
 * lock; 0 while the ledger is being written.
 */
static inline uint64_t blame_waited(const blame_t *b, uint64_t t)
{
    uint64_t seq = __atomic_load_n(&b->seq, __ATOMIC_ACQUIRE);
    uint64_t waited = BLAME_GET(b->waiters) * t - BLAME_GET(b->moment);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    bool torn = (seq & 1) || seq != BLAME_GET(b->seq);
    return torn || waited >> 63 ? 0 : waited; /* a wait may have begun after `t` */
}

static inline void blame_reset(blame_t *b, struct tclock *holder)
{
    b->seq += b->seq & 1; /* a fork may have come in the middle of an event */
    b->waiters = b->moment = b->opened = b->closed = 0;
    b->holder = holder;
    b->alone = NULL;
}

#endif
