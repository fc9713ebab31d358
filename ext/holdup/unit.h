/*
 * Units: a unit is the difference of its thread's tally between two edges, so nesting costs nothing in the hook. Where a
 * thread follows its fibers (fibers.h), a unit is the sum of its fibers' turns instead.
 *
 * A unit is named by a handle (slot and generation), not by an object: entering allocates nothing, and a handle that is
 * ended twice, or whose thread has died, is simply unknown. Callers hold the GVL; the pool's lock is for Ractors.
 */
#ifndef HOLDUP_UNIT_H
#define HOLDUP_UNIT_H

#include "measurement.h"
#include "thread_clock.h"
#include "unit_pools.h"

#define UNIT_CHUNK 64
#define UNIT_CHUNKS 1024
#define UNIT_SLOT_BITS 20
#define UNIT_RESTED (UINT64_C(1) << 31)
#define UNIT_CHARGES 2 /* waited for a pool, held something of it: told by Ruby code */

/* A tally with the CPU that belongs to it. */
typedef struct {
    tally_t tally;
    uint64_t cpu_ns;
} span_t;

typedef struct unit {
    tclock_t *clock;       /* NULL: free, or its thread died */
    struct unit *outer;    /* the next older open unit of the thread */
    uint32_t slot;
    uint32_t generation;
    uint32_t epoch;
    uint8_t pool;          /* of its thread */
    uint64_t started;
    uint64_t cpu_start;
    uint64_t company;      /* units in flight when it began */
    uint64_t rest;         /* how long there had been none then */
    uint64_t longest;      /* while an inner unit is open; the innermost's is in its clock */
    uint64_t charges[UNIT_CHARGES];
    hld_table_t holders;   /* for whom it waited */
    tally_t base;
    struct unit *free;

    /* On a thread that follows its fibers. */
    struct unit *newer;    /* the next newer open unit of the thread */
    struct unit *parent;   /* the unit that the fiber was in when this began, while that is open */
    uint32_t inside;       /* open units whose parent this is */
    uint32_t twice_units;
    span_t sum;            /* what its fibers did in their turns */
    span_t twice;          /* the part of it that ended units inside have recorded too */
} unit_t;

static struct {
    unit_t *chunks[UNIT_CHUNKS];
    uint32_t count;
    unit_t *free;
    bool lock;
    uint64_t empty_since;  /* when the last one in flight ended; 0: none has */
    uint64_t discarded, abandoned;
} units;

static inline void unit_lock(void)
{
    blame_acquire(&units.lock);
}

static inline void unit_unlock(void)
{
    blame_release(&units.lock);
}

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

static void unit_release(unit_t *u)
{
    u->clock = NULL;
    u->generation++;
    u->free = units.free;
    units.free = u;
}

static inline uint64_t unit_handle(const unit_t *u)
{
    return ((uint64_t)u->generation << UNIT_SLOT_BITS) | (u->slot + 1);
}

/* What captures call it: as much of its handle as they have room for. */
static inline uint32_t unit_number_of(uint64_t handle)
{
    return (uint32_t)(handle >> UNIT_SLOT_BITS) << 17 | (uint32_t)(handle & ((UINT64_C(1) << UNIT_SLOT_BITS) - 1));
}

static inline uint32_t unit_number(const unit_t *u)
{
    return u ? unit_number_of(unit_handle(u)) : 0;
}

/* To the capture: an edge of `u`, and what the thread's open hold has caused by then. */
static void __attribute__((noinline, cold)) unit_tell(tclock_t *c, const unit_t *u, enum cap_kind kind, uint8_t flags, uint64_t t, uint64_t caused)
{
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = caused - c->tally.caused, .unit = unit_number(u),
                          .waiters = (uint16_t)BLAME_GET(c->blame->waiters), .kind = (uint8_t)kind, .flags = (uint8_t)(flags | c->phase)});
    c->unit = unit_number(c->follows ? c->current : c->innermost);
}

static unit_t *unit_find(uint64_t handle)
{
    uint32_t slot = (uint32_t)(handle & ((UINT64_C(1) << UNIT_SLOT_BITS) - 1));
    if (slot == 0 || slot > units.count) return NULL;
    unit_t *u = &units.chunks[(slot - 1) / UNIT_CHUNK][(slot - 1) % UNIT_CHUNK];
    return u->clock && u->generation == (uint32_t)(handle >> UNIT_SLOT_BITS) ? u : NULL;
}

/* Time between two units of a thread belongs to the thread's own account. */
static void unit_open_period(tclock_t *c, const tally_t *now, uint64_t cpu)
{
    tally_t gap = tally_since(now, &c->mark);
    tally_add(&c->outside, &gap);
    c->period_start = *now;
    c->period_cpu_start = cpu;
    c->period_units = 0;
    c->period_spoiled = false;
    memset(&c->period_sum, 0, sizeof(c->period_sum));
    c->period_cpu_sum = 0;
}

/* A unit that begins at `t` and belongs to the thread of `c`, which is of that pool; NULL when there is no room. */
static unit_t *unit_take(tclock_t *c, uint64_t t, uint8_t pool)
{
    unit_lock();
    unit_t *u = units.free || unit_grow() ? units.free : NULL;
    if (!u) {
        units.discarded++;
        unit_unlock();
        return NULL;
    }
    units.free = u->free;
    u->company = tc.flight;
    u->rest = u->company || !units.empty_since ? 0 : tc_since(units.empty_since, t);
    tc.flight++;
    pools_begin(pool, t);
    u->pool = pool;
    u->clock = c;
    u->started = t;
    memset(u->charges, 0, sizeof(u->charges));
    u->holders.count = 0;
    unit_unlock();
    return u;
}

/* How `u` began, in one number: see docs/segment.md. */
static uint64_t unit_before(const unit_t *u)
{
    if (u->company) return u->company;
    uint64_t us = clk_ns(u->rest) / 1000;
    return u->rest ? UNIT_RESTED | (us < UNIT_RESTED ? us : UNIT_RESTED - 1) : 0;
}

/* It is no longer in flight since `t`. */
static inline void unit_land(const unit_t *u, uint64_t t)
{
    if (--tc.flight == 0) units.empty_since = t;
    pools_end(u->pool, t);
}

/* It ended at `t`. */
static void unit_give_back(unit_t *u, uint64_t t, bool known)
{
    unit_lock();
    if (!known) units.discarded++;
    unit_land(u, t);
    unit_release(u);
    unit_unlock();
}

/* Starts a unit on the current thread, whose clock is `c`. Returns its handle, or 0 when there is no room. */
static uint64_t unit_enter(tclock_t *c, uint8_t pool)
{
    uint64_t t = clk_now();
    tc_settle(c, t); /* it has not been in flight so far */
    unit_t *u = unit_take(c, t, pool);
    if (!u) return 0;
    u->base = tc_edge(c, t);
    tc_read_cpu(c);
    u->cpu_start = c->cpu_ns;
    if (c->open_units++ == 0) unit_open_period(c, &u->base, u->cpu_start);
    u->epoch = c->epoch;
    u->outer = c->innermost;
    if (u->outer) u->outer->longest = c->longest;
    c->innermost = u;
    c->longest = 0;
    if (CAP_ON()) unit_tell(c, u, CAP_UNIT_START, 0, t, u->base.caused);
    return unit_handle(u);
}

/* Takes `u` out of its thread's open units, wherever it stands (fibers end in any order); returns its longest hold. */
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
 * When the thread leaves its last open unit: what its units counted more than once (one ran inside another, or fibers
 * that nobody follows interleaved theirs). True when there is such an excess.
 */
static bool unit_close_period(tclock_t *c, const tally_t *now, uint64_t cpu, measurement_t *excess)
{
    c->mark = *now;
    if (c->period_units < 2 || c->period_spoiled) return false;
    tally_t span = tally_since(now, &c->period_start);
    tally_t more = tally_since(&c->period_sum, &span);
    unit_convert(&more, c->period_cpu_sum - (cpu - c->period_cpu_start), excess);
    return true;
}

/* What is known of a unit besides its times. */
static void unit_describe(const unit_t *u, const tally_t *span, uint64_t longest, measurement_t *m)
{
    m->in_flight_milli = span->running ? (uint64_t)((double)span->company * 1000.0 / (double)span->running) : 1000;
    m->before = unit_before(u);
    m->longest_hold_ns = clk_ns(longest);
    m->started_ns = clk_realtime_ns(u->started);
    m->pool_wait_ns = u->charges[0];
    m->pool_held_ns = u->charges[1];
}

/*
 * Ends a unit. False when it can't be told: it spanned disable, enable or fork, or another thread ends it.
 * `nested` gets the number of units to take off the totals, and `excess` their sums (see unit_close_period).
 */
static bool unit_leave(unit_t *u, tclock_t *current, measurement_t *m, measurement_t *excess, uint32_t *nested)
{
    tclock_t *c = u->clock;
    bool known = c == current && u->epoch == tc.epoch && tc_enabled();
    uint64_t cpu = known ? clk_cpu_ns() : 0;
    uint64_t t = clk_now();
    if (known) tc_settle(c, t);
    uint64_t longest = unit_unlink(c, u);
    tally_t now = known ? tc_edge(c, t) : c->tally;
    if (CAP_ON()) unit_tell(c, u, CAP_UNIT_END, known ? 0 : CAP_LOST, t, now.caused);
    *nested = 0;
    if (known) {
        tally_t span = tally_since(&now, &u->base);
        unit_convert(&span, cpu - u->cpu_start, m);
        unit_describe(u, &span, longest, m);
        c->period_units++;
        tally_add(&c->period_sum, &span);
        c->period_cpu_sum += cpu - u->cpu_start;
    }
    else c->period_spoiled = true;
    if (--c->open_units == 0) {
        if (known && unit_close_period(c, &now, cpu, excess)) *nested = c->period_units - 1;
        else c->mark = now;
    }
    unit_give_back(u, t, known);
    return known;
}

/* Its thread died with units open: nothing can be told of them. */
static void unit_abandon_all(tclock_t *c)
{
    unit_lock();
    uint64_t t = clk_now();
    for (unit_t *u = c->innermost, *outer; u; u = outer) {
        outer = u->outer;
        unit_land(u, t);
        units.abandoned++;
        unit_release(u);
    }
    c->innermost = c->current = NULL;
    c->open_units = 0;
    unit_unlock();
}

#endif
