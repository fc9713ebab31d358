/*
 * All living thread clocks, their ledgers, and the accounts of what threads do outside of units.
 *
 * Clocks hang in the VM's per-thread storage, where the hook finds them, and in a list, where ticks do. They are made
 * where allocation is allowed (enable, STARTED, a unit's start) and freed at a tick, after EXITED.
 */
#ifndef HOLDUP_REGISTRY_H
#define HOLDUP_REGISTRY_H

#include "unit.h"

#define REG_LABEL_BYTES 64
#define REG_ACCOUNTS 62 /* plus the two reserved ones */
#define REG_KEY_LIMIT 8 /* RB_INTERNAL_THREAD_SPECIFIC_KEY_MAX: a 9th key is handed out and overflows the heap */
#define REG_UNNAMED 0
#define REG_OTHERS 1

typedef struct {
    char label[REG_LABEL_BYTES];
    tally_t tally;
} reg_account_t;

static struct {
    rb_internal_thread_specific_key_t key;
    bool has_key;
    VALUE ractor_class;
    bool lock;
    tclock_t *clocks;
    uint32_t numbered;     /* clocks ever made */
    blame_t *ledgers;      /* the main Ractor's is the last of the list */
    blame_t *main;
    reg_account_t accounts[REG_ACCOUNTS + 2];
    uint32_t account_count;
    tally_t departed;      /* tallies of threads that are gone */
} reg = {.accounts = {{.label = "thread:(unnamed)"}, {.label = "thread:(others)"}}, .account_count = 2};

static inline void reg_lock(void)
{
    blame_acquire(&reg.lock);
}

static inline void reg_unlock(void)
{
    blame_release(&reg.lock);
}

static inline tclock_t *reg_clock(VALUE thread)
{
    return rb_internal_thread_specific_get(thread, reg.key);
}

static blame_t *reg_add_ledger(bool shared)
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

static tclock_t *reg_add_clock(VALUE thread, blame_t *ledger)
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

/*
 * The ledger of a thread that is being created. There is no API for a thread's Ractor; but a Ractor's first thread is
 * not in its creator's Thread.list (rb_ractor_living_threads_insert), and its other threads are made by itself.
 */
static blame_t *reg_ledger_of_new(VALUE thread)
{
    tclock_t *creator = reg_clock(rb_thread_current());
    blame_t *ledger = creator ? creator->blame : reg.main;
    if (NUM2LONG(rb_funcall(reg.ractor_class, rb_intern("count"), 0)) < 2) return ledger;
    if (RTEST(rb_funcall(rb_funcall(rb_cThread, rb_intern("list"), 0), rb_intern("include?"), 1, thread))) return ledger;
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

static uint32_t reg_account(const char *label)
{
    for (uint32_t i = 0; i < reg.account_count; i++)
        if (!strcmp(reg.accounts[i].label, label)) return i;
    if (reg.account_count == REG_ACCOUNTS + 2) return REG_OTHERS;
    snprintf(reg.accounts[reg.account_count].label, REG_LABEL_BYTES, "%s", label);
    return reg.account_count++;
}

/* Moves what the thread did outside of units, since the last time, to its account. */
static void reg_publish(tclock_t *c, uint64_t t)
{
    tally_t outside = c->outside;
    if (c->follows ? !c->current : !c->open_units) {
        tally_t now = tc_tally(c, t); /* as the mark: with the open hold's share of blame */
        tally_t gap = tally_since(&now, &c->mark);
        tally_add(&outside, &gap);
    }
    tally_t more = tally_since(&outside, &c->published);
    tally_add(&reg.accounts[c->account].tally, &more);
    c->published = outside;
}

/* Ends the last hold of a thread that is gone: nobody takes the GVL of a Ractor that is gone too. False: the next holder will. */
static bool reg_end_hold(tclock_t *c)
{
    blame_t *b = c->blame;
    if (BLAME_GET(b->holder) != c) return true;
    if (!b->shared || !c->hold_end) return false; /* the one is written under the scheduler's lock only, of the other no end is known */
    blame_lock(b);
    if (b->holder == c) tc_close_hold(b, c->hold_end);
    blame_unlock(b);
    return true;
}

/* Under the GVL. Ledgers are never freed: a Ractor's is 64 bytes, and events may still be on their way to it. */
static void reg_reap(uint64_t t)
{
    if (!ask_try_lock()) return; /* the next tick will do */
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        if (tc_lives(c) || !reg_end_hold(c)) continue;
        unit_abandon_all(c);
        reg_publish(c, t);
        tally_add(&reg.departed, &c->tally);
        reg_unlist(c);
        free(c);
    }
    ask_unlock();
}

static void reg_publish_all(uint64_t t)
{
    for (tclock_t *c = reg.clocks; c; c = c->next) reg_publish(c, t);
    reg_reap(t);
}

/* After fork only the forking thread lives; all counts start again at zero. */
static void reg_reset_after_fork(tclock_t *current)
{
    reg.lock = units.lock = false;
    for (tclock_t *c = reg.clocks, *next; c; c = next) {
        next = c->next;
        unit_abandon_all(c);
        if (c != current) free(c);
    }
    reg.clocks = current;
    memset(&reg.departed, 0, sizeof(reg.departed));
    for (uint32_t i = 0; i < reg.account_count; i++) memset(&reg.accounts[i].tally, 0, sizeof(tally_t));
    for (blame_t *b = reg.ledgers; b; b = b->next) {
        b->seq &= ~UINT64_C(1);
        blame_reset(b, NULL);
        b->handoff = 0;
    }
    memset(&pools, 0, sizeof(pools));
    tc.flight = units.empty_since = units.discarded = units.abandoned = 0;
    tc.resumed_without_ready = tc.suspended_twice = tc.unknown_holder = tc.clock_backward = 0;
}

#endif
