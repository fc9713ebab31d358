#include "registry.h"

#include <stdlib.h>
#include <string.h>

#include "accounts.h"
#include "capture_ask.h"
#include "unit.h"

bool blame_many;
struct reg reg;

void blame_lock_shared(blame_t *b)
{
    uint64_t seq = BLAME_GET(b->seq);
    unsigned spins = 0;
    while ((seq & 1) || !__atomic_compare_exchange_n(&b->seq, &seq, seq + 1, true, __ATOMIC_ACQUIRE,
                                                     __ATOMIC_RELAXED)) {
        blame_spin(&spins);
        seq = BLAME_GET(b->seq);
    }
}

static inline void reg_lock(void)
{
    blame_acquire(&reg.lock);
}

static inline void reg_unlock(void)
{
    blame_release(&reg.lock);
}

blame_t *reg_add_ledger(bool shared)
{
    blame_t *b = calloc(1, sizeof(*b));
    if (!b) return reg.main; /* blame degrades, nothing breaks */
    b->shared = shared;
    if (reg.ledgers) blame_many = true;
    reg_lock();
    b->number = reg.ledgers ? reg.ledgers->number + 1 : 1;
    b->next = reg.ledgers;
    reg.ledgers = b;
    reg_unlock();
    return b;
}

tclock_t *reg_add_clock(VALUE thread, blame_t *ledger)
{
    tclock_t *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    c->blame = ledger;
    c->thread = thread;
    c->cpu_ns = TC_CPU_UNREAD;
    reg_lock();
    c->number = ++reg.numbered;
    c->next = reg.clocks;
    if (reg.clocks) reg.clocks->previous = c;
    reg.clocks = c;
    reg_unlock();
    rb_internal_thread_specific_set(thread, reg.key, c);
    return c;
}

blame_t *reg_ledger_of_new(VALUE thread)
{
    tclock_t *creator = reg_clock(rb_thread_current());
    blame_t *ledger = creator ? creator->blame : reg.main;
    if (NUM2LONG(rb_funcall(reg.ractor_class, rb_intern("count"), 0)) < 2) return ledger;
    if (RTEST(rb_funcall(rb_funcall(rb_cThread, rb_intern("list"), 0), rb_intern("include?"), 1, thread)))
        return ledger;
    return reg_add_ledger(true);
}

static void reg_unlist(tclock_t *c)
{
    reg_lock();
    if (c->previous) c->previous->next = c->next;
    else reg.clocks = c->next;
    if (c->next) c->next->previous = c->previous;
    reg_unlock();
}

/*
 * Ends the last hold of a thread that has ended, when its Ractor may have ended too and no thread takes its
 * GVL. False: the next holder will end it.
 */
static bool reg_end_hold(tclock_t *c)
{
    blame_t *b = c->blame;
    if (BLAME_GET(b->holder) != c) return true;
    if (!b->shared) return false; /* the ledger is written under the scheduler's lock only */
    if (!c->hold_end) return false; /* when the hold ended is unknown */
    blame_lock(b);
    if (b->holder == c) tc_close_hold(b, c->hold_end);
    blame_unlock(b);
    return true;
}

/* Ledgers are never freed: a Ractor's is 64 bytes, and events may still be on their way to it. */
void reg_reap(uint64_t t)
{
    if (!ask_try_lock()) return; /* the next tick will do */
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        if (tc_lives(c) || !reg_end_hold(c)) continue;
        unit_abandon_all(c);
        account_publish(c, t);
        totals_add(&reg.departed, &c->totals);
        reg_unlist(c);
        free(c);
    }
    ask_unlock();
}

void reg_reset_after_fork(tclock_t *current)
{
    reg.lock = units.lock = false;
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        unit_abandon_all(c);
        if (c != current) free(c);
    }
    reg.clocks = current;
    memset(&reg.departed, 0, sizeof(reg.departed));
    accounts_reset();
    for (blame_t *b = reg.ledgers; b; b = b->next) {
        b->seq &= ~UINT64_C(1);
        blame_reset(b, NULL);
        b->handoff = 0;
    }
    memset(&pools, 0, sizeof(pools));
    tc.in_flight = units.empty_since = units.discarded = units.abandoned = 0;
    tc.resumed_without_ready = tc.suspended_twice = tc.unknown_holder = tc.clock_backward = 0;
}
