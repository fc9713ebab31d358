#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "capture/capture_events.h"
#include "hook/allocations.h"
#include "hook/hold_places.h"
#include "hook/pair_records.h"
#include "hook/registry.h"
#include "unit/calls.h"
#include "unit/retained.h"

#define UNIT_RESTED (UINT64_C(1) << 31)

struct units units;

/* --- the pool of units --- */

static bool unit_grow(void)
{
    uint32_t chunk = units.count / UNIT_CHUNK;
    if (chunk == UNIT_CHUNKS) return false;
    unit_t *fresh = calloc(UNIT_CHUNK, sizeof(unit_t));
    if (!fresh) return false;
    units.chunks[chunk] = fresh;
    for (uint32_t i = UNIT_CHUNK; i-- > 0;) {
        fresh[i].slot = units.count + i;
        fresh[i].generation = 1;
        fresh[i].free = units.free;
        units.free = &fresh[i];
    }
    units.count += UNIT_CHUNK;
    return true;
}

void unit_free_places(unit_places_t *places)
{
    places_drop(places->holds);
    places_drop(places->lock_waits);
    places_drop(places->lock_ends);
    memset(places, 0, sizeof(*places));
}

static void unit_release(unit_t *u)
{
    if (u->shown) table_drop(unit_place(u));
    u->shown = u->nameless = 0;
    calls_drop(u->calls);
    unit_drop_places(&u->places);
    free(u->repeats);
    free(u->transactions);
    u->transactions = NULL;
    u->calls = NULL;
    u->repeats = NULL;
    u->clock = NULL;
    u->generation++;
    u->free = units.free;
    units.free = u;
}

unit_t *unit_take(tclock_t *c, uint64_t t, uint8_t pool)
{
    /* It may write what other parties left behind, and a tick takes the segment's lock before this one. */
    pair_party_t *party = pair_begin(c->blame, 0);
    unit_lock();
    unit_t *u = units.free || unit_grow() ? units.free : NULL;
    if (!u) {
        units.discarded++;
        unit_unlock();
        if (party) pair_end(c->blame, party);
        return NULL;
    }
    units.free = u->free;
    u->in_flight_before = tc.in_flight;
    u->rest = u->in_flight_before || !units.empty_since ? 0 : tc_since(units.empty_since, t);
    tc.in_flight++;
    pools_begin(pool, t);
    u->pool = pool;
    u->clock = c;
    u->started = t;
    memset(u->charges, 0, sizeof(u->charges));
    u->party = party;
    if (party) party->id = unit_handle(u);
    u->calls = NULL;
    u->repeats = NULL;
    unit_unlock();
    return u;
}

/* How `u` began, in one number: see docs/internals/segment.md. */
static uint64_t unit_before(const unit_t *u)
{
    if (u->in_flight_before) return u->in_flight_before;
    uint64_t us = clk_ns(u->rest) / 1000;
    return u->rest ? UNIT_RESTED | (us < UNIT_RESTED ? us : UNIT_RESTED - 1) : 0;
}

/* The unit was in flight until `t`. */
static inline void unit_end_flight(const unit_t *u, uint64_t t)
{
    if (--tc.in_flight == 0) units.empty_since = t;
    pools_end(u->pool, t);
}

void unit_give_back(unit_t *u, uint64_t t, bool known)
{
    unit_lock();
    if (!known) units.discarded++;
    unit_end_flight(u, t);
    unit_release(u);
    unit_unlock();
}

/* --- edges --- */

/* Time between two units of a thread belongs to the thread's own account. */
static void unit_open_period(tclock_t *c, const totals_t *now, uint64_t cpu)
{
    totals_t gap = totals_since(now, &c->mark);
    totals_add(&c->outside, &gap);
    c->period_start = *now;
    c->period_cpu_start = cpu;
    c->period_units = 0;
    c->period_spoiled = false;
}

/* Only where units nest is the sum asked for: most often a period is one unit. */
static void unit_add_to_period(tclock_t *c, const totals_t *span, uint64_t cpu)
{
    if (c->period_units++) {
        totals_add(&c->period_sum, span);
        c->period_cpu_sum += cpu;
    }
    else if (c->open_units > 1) {
        c->period_sum = *span;
        c->period_cpu_sum = cpu;
    }
}

uint64_t unit_enter(tclock_t *c, uint8_t pool)
{
    uint64_t t = clk_now();
    uint64_t hold_from = c->hold_from;
    tc_settle(c, t); /* it has not been in flight so far */
    alloc_read(c, hold_from, t);
    unit_t *u = unit_take(c, t, pool);
    if (!u) return 0;
    tc_change_party(c, t, u->party);
    tc_edge(c, t, &u->base);
    tc_read_cpu(c);
    u->cpu_start = c->cpu_ns;
    if (c->open_units++ == 0) unit_open_period(c, &u->base, u->cpu_start);
    u->epoch = c->epoch;
    u->outer = c->innermost;
    if (u->outer) u->outer->longest = c->longest;
    c->innermost = u;
    c->longest = 0;
    if (CAP_ON()) cap_record_unit(c, u, CAP_UNIT_START, 0, t, u->base.caused);
    if (__builtin_expect(t >= retained_due, 0)) retained_begin(u, t);
    return unit_handle(u);
}

/*
 * Takes `u` out of its thread's open units, at any place (fibers end in any order); returns its longest hold.
 */
static uint64_t unit_unlink(tclock_t *c, unit_t *u)
{
    uint64_t longest = c->longest;
    unit_t *inner = NULL;
    for (unit_t *v = c->innermost; v != u; inner = v, v = v->outer)
        if (v->outer->longest > longest) longest = v->outer->longest;
    if (inner) inner->outer = u->outer;
    else c->innermost = u->outer;
    if (u->outer && u->outer->longest < longest) u->outer->longest = longest;
    if (!inner) c->longest = u->outer ? u->outer->longest : 0;
    return longest;
}

/*
 * When the thread leaves its last open unit: what its units counted more than once, because one ran inside
 * another or because fibers interleaved theirs on a thread that does not follow them. True when there is such
 * an excess.
 */
static bool unit_close_period(tclock_t *c, const totals_t *now, uint64_t cpu, measurement_t *excess)
{
    c->mark = *now;
    if (c->period_units < 2 || c->period_spoiled) return false;
    totals_t span = totals_since(now, &c->period_start);
    totals_t more = totals_since(&c->period_sum, &span);
    unit_convert(&more, unit_cpu(c, c->period_cpu_sum - (cpu - c->period_cpu_start)), excess);
    return true;
}

void unit_describe(const unit_t *u, const totals_t *span, uint64_t longest, measurement_t *m)
{
    m->in_flight_milli = 1000;
    if (span->running)
        m->in_flight_milli = (uint64_t)((double)span->running_in_flight * 1000.0 / (double)span->running);
    m->before = unit_before(u);
    m->longest_hold_ns = clk_ns(longest);
    m->started_ns = clk_realtime_ns(u->started);
    m->pool_wait_ns = u->charges[UNIT_POOL_WAIT];
    m->pool_held_ns = u->charges[UNIT_POOL_HELD];
}

void unit_leave_party(tclock_t *c, const unit_t *u, uint64_t t)
{
    const unit_t *around = c->follows ? u->parent : u->outer;
    if (c->party == u->party) tc_change_party(c, t, around ? around->party : c->own_party);
    if (around && around->party && u->party) pair_merge(around->party, u->party);
}

/* Whether the unit was measured. A unit that was left out counts as discarded (unit_give_back). */
bool unit_leave(unit_t *u, tclock_t *current, measurement_t *m, measurement_t *excess, uint32_t *nested)
{
    tclock_t *c = u->clock;
    /* Left out: a unit that ends on another thread, or across a fork or a time without measuring. */
    bool known = c == current && u->epoch == tc.epoch && tc_enabled();
    uint64_t cpu = known ? tc_cpu(c) : 0;
    uint64_t t = clk_now();
    if (known) {
        uint64_t hold_from = c->hold_from;
        tc_settle(c, t);
        alloc_read(c, hold_from, t);
    }
    uint64_t longest = unit_unlink(c, u);
    unit_leave_party(c, u, t);
    totals_t now;
    if (known) tc_edge(c, t, &now);
    else now = c->totals;
    if (CAP_ON()) cap_record_unit(c, u, CAP_UNIT_END, known ? 0 : CAP_LOST, t, now.caused);
    *nested = 0;
    if (known) {
        totals_t span = totals_since(&now, &u->base);
        unit_convert(&span, unit_cpu(c, cpu - u->cpu_start), m);
        unit_describe(u, &span, longest, m);
        unit_add_to_period(c, &span, cpu - u->cpu_start);
    }
    else c->period_spoiled = true;
    if (--c->open_units == 0) {
        if (known && unit_close_period(c, &now, cpu, excess)) *nested = c->period_units - 1;
        else c->mark = now;
    }
    unit_give_back(u, t, known);
    return known;
}

static void unit_abandon_party(const tclock_t *c, const unit_t *u)
{
    if (!u->party) return;
    if (c->blame == reg.main) pair_finish(c->blame, u->party, PAIR_NAMELESS);
    else pair_leave_behind(c->blame, u->party, PAIR_NAMELESS);
}

void unit_abandon_all(tclock_t *c)
{
    unit_lock();
    uint64_t t = clk_now();
    for (unit_t *u = c->innermost, *outer; u; u = outer) {
        outer = u->outer;
        unit_abandon_party(c, u);
        unit_end_flight(u, t);
        units.abandoned++;
        unit_release(u);
    }
    c->innermost = c->current = NULL;
    c->party = c->own_party;
    if (c->open_units) c->mark = c->period_start; /* what was before is in `outside` already */
    c->open_units = 0;
    unit_unlock();
}
