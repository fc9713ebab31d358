/*
 * The two edges of a call (calls.h): where it begins and where it ends, on its own thread. Inline, because
 * each query, command and request passes both, by different methods.
 */
#ifndef HOLDUP_CALL_EDGES_H
#define HOLDUP_CALL_EDGES_H

#include <ruby.h>
#include <string.h>

#include "hook/allocations.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "unit/calls.h"
#include "unit/shown_units.h"
#include "unit/transactions.h"

/* Whether the thread's totals go on from those at the unit's begin. */
static inline bool calls_known(const tclock_t *c, const unit_t *u)
{
    return u->epoch == tc.epoch && c->epoch == tc.epoch && c->phase == TC_RUNNING && tc_enabled();
}

/* A call begins: the thread's totals at `t`, not an edge, which would cut the hold that others wait in. */
static inline void calls_begin(tclock_t *c, unit_t *u, uint64_t t)
{
    alloc_read(c, c->hold_from, t);
    c->call_unit = u;
    c->call_others = c->blame->ran - c->totals.running;
    memcpy(&c->call_base, &c->totals, TOTALS_CALL_WORDS * sizeof(uint64_t));
    c->call_base.running += tc_since(c->at, t);
}

/* Whether another thread ran in a call. Where none did, the next reading of allocations is as good. */
static inline bool calls_others_ran(const tclock_t *c)
{
    return c->blame->ran - c->totals.running != c->call_others;
}

/* Whether that is the number of a kind, as call_kind gives it. */
static inline bool calls_number(VALUE kind, uint32_t *number)
{
    if (!FIXNUM_P(kind) || (uint64_t)FIX2LONG(kind) >= calls_kinds) return false;
    *number = (uint32_t)FIX2LONG(kind);
    return true;
}

/* The tally of an open unit, which only its own thread gives calls; NULL without memory. */
static inline call_tally_t *calls_tally(unit_t *u, calls_what what, uint32_t kind)
{
    call_tally_t *tally = u->calls;
    while (tally && (tally->kind != kind || tally->what != what)) tally = tally->next;
    return tally ? tally : calls_add_tally(u, what, kind);
}

/*
 * Adds what the unit's thread did from the totals `base` until `t`. Returns the tally; NULL without memory.
 */
static inline call_tally_t *calls_add(unit_t *u, calls_what what, uint32_t kind, const totals_t *base,
                                      uint64_t t, bool error)
{
    const tclock_t *c = u->clock;
    call_tally_t *tally = calls_tally(u, what, kind);
    if (!tally) return NULL;
    const uint64_t *now = (const uint64_t *)&c->totals, *then = (const uint64_t *)base;
    uint64_t *sums = (uint64_t *)&tally->sums, open = tc_since(c->at, t), idle = 0;
    for (int i = 0; i < TC_IDLE_KINDS; i++) idle += c->totals.idle[i] - base->idle[i];
    uint64_t ran = c->totals.running - base->running + open;
    for (size_t i = 0; i < TOTALS_CALL_WORDS; i++) sums[i] += now[i] - then[i];
    tally->sums.running += open;
    tally->count++;
    tally->errors += error;
    hist_observe(&tally->wall, clk_ns(ran + c->totals.stalled - base->stalled + idle), hist_store);
    hist_observe(&tally->idle, clk_ns(idle), hist_store);
    return tally;
}

/* The call that calls_leave ended, at `t`. */
static inline void calls_end(tclock_t *c, unit_t *u, uint32_t kind, bool error, uint64_t t)
{
    if (calls_others_ran(c)) alloc_read(c, c->hold_from, t);
    calls_add(u, CALLS_CALL, kind, &c->call_base, t, error);
    if (!transactions_open(u)) return;
    calls_add(u, CALLS_IN_TRANSACTION, kind, &c->call_base, t, error);
    transactions_note(u, kind, c->totals.stalled - c->call_base.stalled);
}

/* An edge of a call, where its thread's clock has not been read yet. */
static inline void calls_turn(void)
{
    int raised = alloc_turn();
    if (raised) rb_jump_tag(raised); /* the call is not measured */
}

/*
 * A call begins on the current thread. One inside another one is a part of it. `kind`: its kind where that is
 * known already, for those who look at open units; else nil. False: no unit is open.
 */
static inline bool calls_enter(VALUE kind)
{
    uint32_t number;
    if (!tc_enabled()) return false;
    tclock_t *c = hook_current();
    unit_t *u = c ? c->innermost : NULL;
    if (!u || c->follows) return false;
    if (!c->call_depth) {
        shown_call(u);
        calls_turn();
        BLAME_SET(c->call_kind, calls_number(kind, &number) ? number + 1 : 0);
    }
    if (!c->call_depth++ && calls_known(c, u)) calls_begin(c, u, clk_now());
    return true;
}

/* The clock of the current thread, if its outermost call ends, and that is measured; else NULL. */
static inline tclock_t *calls_leave(unit_t **unit)
{
    if (!tc_enabled()) return NULL;
    tclock_t *c = hook_current();
    if (!c || !c->call_depth || --c->call_depth) return NULL;
    *unit = c->call_unit;
    c->call_unit = NULL;
    if (*unit && calls_others_ran(c)) calls_turn();
    return *unit && calls_known(c, *unit) ? c : NULL;
}

#endif
