#include "hook/registry.h"

#include <stdlib.h>
#include <string.h>

#include "capture/capture_ask.h"
#include "hook/accounts.h"
#include "hook/pair_records.h"
#include "unit/unit.h"

#define REG_MOST_ENDED 256 /* clocks of ended threads that wait for a tick */

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

/* A ledger whose Ractor is gone. Its threads have ended, so no event is on its way to it. */
static blame_t *reg_unused_ledger(void)
{
    for (blame_t *b = reg.ledgers; b; b = b->next)
        if (b != reg.main && !b->clocks) return b;
    return NULL;
}

static blame_t *reg_new_ledger(void)
{
    blame_t *b = calloc(1, sizeof(*b));
    if (!b) return NULL;
    b->next = reg.ledgers;
    reg.ledgers = b;
    return b;
}

blame_t *reg_add_ledger(bool shared)
{
    if (reg.ledgers) blame_many = true;
    if (reg.main) reg.main->only = false;
    reg_lock();
    blame_t *b = reg_unused_ledger();
    if (!b) b = reg_new_ledger();
    if (b) {
        b->shared = shared;
        b->only = !shared && !blame_many;
        b->number = ++reg.ledgers_numbered;
        b->clocks = 1;
    }
    reg_unlock();
    return b ? b : reg.main; /* blame degrades, nothing breaks */
}

/* One more clock, or one less, uses the ledger. */
static blame_t *reg_use_ledger(blame_t *ledger, int32_t clocks)
{
    if (ledger == reg.main) return ledger;
    reg_lock();
    ledger->clocks += (uint32_t)clocks;
    reg_unlock();
    return ledger;
}

tclock_t *reg_add_clock(VALUE thread, blame_t *ledger)
{
    tclock_t *c = calloc(1, sizeof(*c));
    if (!c) {
        reg_use_ledger(ledger, -1);
        return NULL;
    }
    c->blame = ledger;
    c->thread = thread;
    c->cpu_ns = TC_CPU_UNREAD;
    c->party = c->own_party = pair_begin(ledger, account_name(c) << UNIT_SLOT_BITS);
    reg_lock();
    c->number = ++reg.numbered;
    c->next = reg.clocks;
    if (reg.clocks) reg.clocks->previous = c;
    reg.clocks = c;
    reg_unlock();
    rb_internal_thread_specific_set(thread, reg.key, c);
    return c;
}

static bool reg_one_ractor(void)
{
    return NUM2LONG(rb_funcall(reg.ractor_class, rb_intern("count"), 0)) < 2;
}

static bool reg_in_main_ractor(void)
{
    VALUE current = rb_funcall(reg.ractor_class, rb_intern("current"), 0);
    return current == rb_funcall(reg.ractor_class, rb_intern("main"), 0);
}

static VALUE reg_threads_of_ractor(void)
{
    return rb_funcall(rb_cThread, rb_intern("list"), 0);
}

blame_t *reg_ledger_of_new(VALUE thread)
{
    if (reg_one_ractor()) return reg.main;
    bool own = !RTEST(rb_funcall(reg_threads_of_ractor(), rb_intern("include?"), 1, thread));
    if (own) return reg_add_ledger(true);
    tclock_t *creator = reg_clock(rb_thread_current());
    return creator ? reg_use_ledger(creator->blame, 1) : reg_ledger_of_current();
}

blame_t *reg_ledger_of_current(void)
{
    if (reg_one_ractor() || reg_in_main_ractor()) return reg.main;
    VALUE threads = reg_threads_of_ractor();
    for (long i = 0; i < RARRAY_LEN(threads); i++) {
        tclock_t *other = reg_clock(RARRAY_AREF(threads, i));
        if (other) return reg_use_ledger(other->blame, 1);
    }
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
 * GVL, or when measuring is off and no event comes. False: the next holder will end it.
 */
static bool reg_end_hold(tclock_t *c)
{
    blame_t *b = c->blame;
    if (BLAME_GET(b->holder) != c) return true;
    if (tc_enabled()) {
        if (!b->shared) return false; /* the ledger is written under the scheduler's lock only */
        if (!c->hold_end) return false; /* when the hold ended is unknown */
    }
    blame_lock(b);
    if (b->alone == c) b->alone = NULL;
    if (b->holder == c) {
        if (c->hold_end) tc_close_hold(b, c->hold_end);
        else BLAME_SET(b->holder, NULL); /* it ended while measuring was off */
    }
    blame_unlock(b);
    return true;
}

/* Its account may have no slot yet: the tick makes it, and finishes the party. */
static void reg_end_party(tclock_t *c)
{
    if (!c->own_party) return;
    if (c->blame == reg.main) account_keep_party(c);
    else pair_leave_behind(c->blame, c->own_party, account_series(c));
}

static void reg_free_clock(tclock_t *c, uint64_t t)
{
    unit_abandon_all(c);
    account_publish(c, t);
    reg_end_party(c);
    account_leave(c);
    totals_add(&reg.departed, &c->totals);
    reg_unlist(c);
    reg_use_ledger(c->blame, -1);
    if (c->blame != reg.main && !c->blame->clocks) pairs_finish_left_behind(c->blame);
    __atomic_fetch_sub(&reg.ended, 1, __ATOMIC_RELAXED);
    free(c);
}

void reg_reap(uint64_t t)
{
    if (!__atomic_load_n(&reg.ended, __ATOMIC_ACQUIRE)) return;
    if (!ask_try_lock()) return; /* the next tick will do */
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        if (!tc_lives(c) && reg_end_hold(c)) reg_free_clock(c, t);
    }
    ask_unlock();
}

void reg_reap_at_start(void)
{
    uint32_t ended = __atomic_load_n(&reg.ended, __ATOMIC_ACQUIRE);
    if (ended < (tc_enabled() ? REG_MOST_ENDED : 1)) return;
    if (reg_one_ractor() || reg_in_main_ractor()) reg_reap(clk_now());
}

uint64_t reg_count_clocks(void)
{
    uint64_t clocks = 0;
    for (const tclock_t *c = reg.clocks; c; c = c->next) clocks++;
    return clocks;
}

uint64_t reg_count_ledgers(void)
{
    uint64_t ledgers = 0;
    for (const blame_t *b = reg.ledgers; b; b = b->next) ledgers += b == reg.main || b->clocks;
    return ledgers;
}

void reg_reset_after_fork(tclock_t *current)
{
    reg.lock = units.lock = false;
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        unit_abandon_all(c);
        if (c->own_party) pair_end(c->blame, c->own_party);
        c->party = c->own_party = NULL;
        if (c != current) free(c);
    }
    reg.clocks = current;
    reg.ended = 0;
    memset(&reg.departed, 0, sizeof(reg.departed));
    accounts_reset();
    pairs_generation++;
    for (blame_t *b = reg.ledgers; b; b = b->next) {
        b->seq &= ~UINT64_C(1);
        blame_reset(b, NULL);
        pairs_reset(b);
        b->handoff = 0;
        b->clocks = current && current->blame == b;
    }
    if (current) current->party = current->own_party = pair_begin(current->blame, 0);
    if (current) current->native_id = 0;
    memset(&pools, 0, sizeof(pools));
    tc.in_flight = units.empty_since = units.discarded = units.abandoned = 0;
    tc.resumed_without_ready = tc.suspended_twice = tc.unknown_holder = tc.clock_backward = 0;
}
