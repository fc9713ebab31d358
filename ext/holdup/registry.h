/*
 * All living thread clocks and their ledgers.
 *
 * Clocks hang in the VM's per-thread storage, where the hook finds them, and in a list, which ticks walk.
 * They are made where allocation is allowed (enable, STARTED, a unit's start) and freed at a tick, after
 * EXITED.
 */
#ifndef HOLDUP_REGISTRY_H
#define HOLDUP_REGISTRY_H

#include <ruby.h>
#include <ruby/thread.h>

#include "thread_clock.h"

/* RB_INTERNAL_THREAD_SPECIFIC_KEY_MAX: a 9th key is handed out and overflows the heap. */
#define REG_KEY_LIMIT 8

struct reg {
    rb_internal_thread_specific_key_t key;
    bool has_key;
    VALUE ractor_class;
    bool lock;
    tclock_t *clocks;
    uint32_t numbered;     /* clocks ever made */
    blame_t *ledgers;      /* the main Ractor's is the last of the list */
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

/* NULL when out of memory. */
tclock_t *reg_add_clock(VALUE thread, blame_t *ledger);

/*
 * The ledger of a thread that is being created. Ruby's API can't name a thread's Ractor, but a Ractor's first
 * thread is not in its creator's Thread.list (rb_ractor_living_threads_insert), and its other threads are
 * created by threads of its own.
 */
blame_t *reg_ledger_of_new(VALUE thread);

/* Frees the clocks of threads that are gone. Under the GVL. */

/*
 * Under the GVL. Ledgers are never freed: a Ractor's is 64 bytes, and events may still be on their way to it.
 */
void reg_reap(uint64_t t);

/* After fork only the forking thread lives; all counts start again at zero. */
void reg_reset_after_fork(tclock_t *current);

#endif
