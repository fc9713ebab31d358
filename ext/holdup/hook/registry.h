/*
 * All living thread clocks and their ledgers.
 *
 * Clocks hang in the VM's per-thread storage, where the hook finds them, and in a list, which ticks walk.
 * They are made where allocation is allowed (enable, STARTED, a unit's start) and freed after EXITED: at a
 * tick, and at the start of another thread, because nothing ticks while measuring is off. A thread that
 * starts while it is off has none.
 */
#ifndef HOLDUP_REGISTRY_H
#define HOLDUP_REGISTRY_H

#include <ruby.h>
#include <ruby/thread.h>

#include "hook/thread_clock.h"

/* RB_INTERNAL_THREAD_SPECIFIC_KEY_MAX: a 9th key is handed out and overflows the heap. */
#define REG_KEY_LIMIT 8

struct reg {
    rb_internal_thread_specific_key_t key;
    bool has_key;
    VALUE ractor_class;
    bool lock;
    tclock_t *clocks;
    uint32_t numbered;     /* clocks ever made */
    uint32_t ended;        /* threads that have ended and still have their clock; atomic */
    blame_t *ledgers;      /* the main Ractor's is the last of the list */
    uint32_t ledgers_numbered; /* ledgers ever begun */
    blame_t *main;
    totals_t departed;      /* totals of threads that are gone */
};

SHARED struct reg reg;

static inline tclock_t *reg_clock(VALUE thread)
{
    return rb_internal_thread_specific_get(thread, reg.key);
}

/* A ledger for one more Ractor; without memory the main one's. `shared`: its threads share native threads. */
blame_t *reg_add_ledger(bool shared);

/* NULL when out of memory. The ledger is reg.main, or one that a function below has given for this clock. */
tclock_t *reg_add_clock(VALUE thread, blame_t *ledger);

/*
 * The ledger of a thread that is being created. Ruby's API can't name a thread's Ractor, but a Ractor's first
 * thread is not in its creator's Thread.list (rb_ractor_living_threads_insert), and its other threads are
 * created by threads of its own.
 */
blame_t *reg_ledger_of_new(VALUE thread);

/* The ledger of the current thread, which has no clock yet: it started while measuring was off. */
blame_t *reg_ledger_of_current(void);

/*
 * Frees the clocks of threads that are gone. Under the main Ractor's GVL. A ledger without clocks is used
 * again for another Ractor.
 */
void reg_reap(uint64_t t);

/* The same at the start of a thread, when there are many of them, or no tick will come. */
void reg_reap_at_start(void);

/* Clocks, also of threads that have ended. The caller holds the GVL. */
uint64_t reg_count_clocks(void);

/* Ledgers that have a clock, the main Ractor's included. */
uint64_t reg_count_ledgers(void);

/* Only the forking thread lives after a fork; all counts start again at zero. */
void reg_reset_after_fork(tclock_t *current);

#endif
