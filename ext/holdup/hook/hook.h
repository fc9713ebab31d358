/*
 * The one hook of the process. It is installed once, before fork, and never removed: removing it while a
 * thread runs it hangs forked children (Bug #21959). A flag (tc.enabled) switches it.
 */
#ifndef HOLDUP_HOOK_H
#define HOLDUP_HOOK_H

#include "hook/registry.h"
#include "unit/unit.h"

SHARED VALUE hook_error; /* Holdup::UnsupportedError */
SHARED bool hook_forked; /* set in a child until it is re-armed */

/* Keeps Ruby objects of the hook alive. Once, when the extension is loaded. */
void hook_prepare(VALUE holdup);

/* Takes one of Ruby's per-thread storage keys; raises hook_error when all are taken. */
void hook_make_key(void);

/* Installs the hooks of threads and GC, once. */
void hook_install(void);

/* Gives a clock to each thread that began before the hook was there. */
void hook_add_living_threads(void);

/* Begins a new epoch: the calling thread runs; the state of the others is unknown until their next event. */
void hook_begin_epoch(void);

/*
 * The clock of the ledger's holder, if that is the current thread; else NULL, and Ruby has to be asked, whose
 * memory an edge finds cold. The holder runs if its phase and epoch are those of a thread that does, and it
 * is the current thread if it has the current native thread, which no other has without M:N.
 */
static inline tclock_t *hook_holder(void)
{
    const blame_t *b = reg.main;
    if (blame_many || b->shared) return NULL;
    tclock_t *c = BLAME_GET(b->holder);
    if (!c || c->phase != TC_RUNNING || c->epoch != tc.epoch) return NULL;
    return pthread_equal(c->native, pthread_self()) ? c : NULL;
}

/* The clock of the current thread, which holds the GVL; NULL when out of memory. */
static inline tclock_t *hook_current(void)
{
    tclock_t *holder = hook_holder();
    if (holder) return holder;
    VALUE thread = rb_thread_current();
    tclock_t *c = reg_clock(thread);
    return c ? c : reg_add_clock(thread, reg_ledger_of_current());
}

/* The open unit of that handle. NULL when it is unknown, or when another thread than its own asks. */
unit_t *hook_own_unit(VALUE handle);

#endif
