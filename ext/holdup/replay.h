/*
 * Replays recorded units on another deployment: a discrete-event simulation of processes with a GVL each, capped threads
 * and shared CPUs. It knows nothing of the probe; it is C because a candidate takes half a million events.
 *
 * In a process one unit holds the GVL, others wait in a FIFO. A hold ends by itself, or at the end of the time slice when
 * somebody waits. (Ruby looks at ticks of 10 ms only, but these begin with the wait: slices of 100, 50, 20 and 10 ms were
 * measured to be 101.3, 50.6, 21.3 and 10.3 ms long, the median of two threads that compute.) Who gets the GVL after another
 * has it `handoff` later. The holders of all processes share the CPUs: each progresses at min(1, vcpus / holders), so that
 * their ends lie on one virtual clock.
 * Source: research on trace-driven replay and thread_pthread.c (FIFO ready queue, slice counted while somebody waits).
 *
 * Everything here runs without the GVL on memory of its own.
 */
#ifndef HOLDUP_REPLAY_H
#define HOLDUP_REPLAY_H

#include "replay_state.h"

/* --- holding the GVL --- */

static double rp_rate(const rp_t *r)
{
    return r->holders > r->vcpus ? r->vcpus / r->holders : 1.0;
}

static double rp_cost(const rp_t *r, double units)
{
    return units > 1 ? 1.0 + (r->growth > 0 ? r->growth * log2(units) : 0) + r->marking * (units - 1) : 1.0;
}

static double rp_cold(const rp_t *r, double rest)
{
    return 1.0 + r->cold * rest / (rest + RP_REST_HALF_NS);
}

/* The length of a unit's next hold, with as many units in its process as there are now. */
static double rp_next_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    double longest = (double)r->units[unit].longest_ns, part;
    if (u->holds_left <= 1) part = u->held_left;
    else if (u->longest_at == 0) {
        part = longest < u->held_left ? longest : u->held_left;
        u->longest_at = RP_NONE;
    }
    else {
        double others = u->longest_at == RP_NONE ? u->held_left : u->held_left - longest;
        uint32_t parts = u->longest_at == RP_NONE ? u->holds_left : u->holds_left - 1;
        part = rp_part(r, others > 0 ? others : 0, parts);
        if (u->longest_at != RP_NONE) u->longest_at--;
    }
    u->held_left -= part;
    u->holds_left--;
    return part * u->factor * rp_cost(r, p->busy[0] + p->busy[1]);
}

static double rp_slice(const rp_t *r, const rp_process_t *p)
{
    uint64_t own = r->units[p->holder].slice_ns;
    return own ? (double)own : r->groups[p->group].slice;
}

static void rp_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    u->stalled += r->now - u->since;
    u->since = r->now;
    if (u->part_left <= 0) u->part_left = rp_next_hold(r, p, unit);
    p->holder = unit;
    p->ends_at = r->virtual_now + u->part_left;
    p->slice_at = p->ready.size ? r->now + rp_slice(r, p) : RP_NEVER;
    r->holders++;
}

static void rp_release(rp_t *r, rp_process_t *p)
{
    rp_live_t *u = &r->live[p->holder];
    u->part_left = p->ends_at - r->virtual_now;
    u->held += r->now - u->since;
    p->used += r->now - u->since;
    u->since = r->now;
    p->holder = RP_NONE;
    p->slice_at = RP_NEVER;
    r->holders--;
    if (!p->ready.size) return;
    p->handoff_at = r->now + r->handoff;
    r->handed += r->handoff * p->ready.size;
}

/* A unit wants the GVL. */
static void rp_want(rp_t *r, rp_process_t *p, uint32_t unit)
{
    r->live[unit].since = r->now;
    if (p->holder == RP_NONE && p->handoff_at == RP_NEVER) {
        rp_hold(r, p, unit);
        return;
    }
    rp_push(r, &p->ready, unit);
    if (p->handoff_at != RP_NEVER) r->handed += p->handoff_at - r->now;
    if (p->holder != RP_NONE && p->slice_at == RP_NEVER) p->slice_at = r->now + rp_slice(r, p);
}

/* --- taking units --- */

/* Only who takes a unit learns that it is one for io: it needs an ordinary thread first, and leaves room for another as
 * long as there are not more of them than io_threads. */
static bool rp_has_room(const rp_t *r, const rp_process_t *p)
{
    const rp_group_t *g = &r->groups[p->group];
    uint32_t beyond = p->busy[1] > g->io_threads ? p->busy[1] - g->io_threads : 0;
    return p->busy[0] + beyond < g->threads;
}

static void rp_take(rp_t *r, uint32_t process, uint32_t unit)
{
    rp_process_t *p = &r->processes[process];
    const rp_unit_t *recorded = &r->units[unit];
    rp_live_t *u = &r->live[unit];
    double rest = p->busy[0] + p->busy[1] ? 0 : r->now - p->empty_since;
    u->factor = rp_cold(r, rest) / rp_cold(r, (double)recorded->rest_ns) / rp_cost(r, (double)recorded->in_flight_milli / 1000.0);
    p->busy[recorded->io != 0]++;
    u->process = process;
    u->queued = r->now - (double)recorded->arrival_ns;
    u->held_left = (double)recorded->held_ns;
    u->idle_left = (double)recorded->idle_ns;
    u->holds_left = (uint32_t)recorded->holds;
    u->gaps_left = (uint32_t)recorded->gaps;
    u->longest_at = recorded->longest_ns ? (uint32_t)(rp_random(r) % recorded->holds) : RP_NONE;
    u->stalled = u->held = u->part_left = 0;
    rp_want(r, p, unit);
}

static uint32_t rp_choose(rp_t *r, const rp_group_t *g)
{
    if (r->assignment == RP_RANDOM) return g->first + (uint32_t)(rp_random(r) % g->processes);
    uint32_t best = g->first, least = UINT32_MAX, from = (uint32_t)(rp_random(r) % g->processes);
    for (uint32_t i = 0; i < g->processes; i++) {
        uint32_t process = g->first + (from + i) % g->processes;
        rp_process_t *p = &r->processes[process];
        uint32_t load = p->busy[0] + p->busy[1] + p->waiting.size;
        if (load < least) best = process, least = load;
    }
    return best;
}

static void rp_arrive(rp_t *r, uint32_t unit)
{
    rp_group_t *g = &r->groups[r->units[unit].group];
    uint32_t process = rp_choose(r, g);
    rp_process_t *p = &r->processes[process];
    if (rp_has_room(r, p)) rp_take(r, process, unit);
    else rp_push(r, r->assignment == RP_SHARED ? &g->shared : &p->waiting, unit);
}

/* A thread of a process is free again: the units that wait longest. */
static void rp_take_next(rp_t *r, uint32_t process)
{
    rp_process_t *p = &r->processes[process];
    rp_queue_t *queue = r->assignment == RP_SHARED ? &r->groups[p->group].shared : &p->waiting;
    while (queue->size && rp_has_room(r, p)) rp_take(r, process, rp_shift(r, queue));
}

static void rp_finish(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    uint32_t process = u->process;
    double response = r->now - (double)r->units[unit].arrival_ns;
    r->results[unit] = (rp_result_t){(uint64_t)llround(u->queued), (uint64_t)llround(u->stalled), (uint64_t)llround(u->held),
                                     (uint64_t)llround(response)};
    rp_process_t *p = &r->processes[process];
    p->busy[r->units[unit].io != 0]--;
    p->empty_since = r->now;
    r->done++;
    rp_take_next(r, process);
}

/* After a hold: io, the next hold without any, or the end. */
static void rp_go_on(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    if (u->gaps_left) {
        double idle = rp_part(r, u->idle_left, u->gaps_left--);
        u->idle_left -= idle;
        rp_io_push(r, r->now + idle, unit);
    }
    else if (u->holds_left) rp_want(r, &r->processes[u->process], unit);
    else rp_finish(r, unit);
}

/* --- the loop --- */

static void rp_advance(rp_t *r, double to)
{
    double rate = rp_rate(r), passed = to - r->now;
    r->virtual_now += rate * passed;
    r->cpu += rate * r->holders * passed;
    r->now = to;
}

static void rp_end_hold(rp_t *r, rp_process_t *p)
{
    uint32_t unit = p->holder;
    p->ends_at = r->virtual_now; /* rounding leaves no remainder */
    rp_release(r, p);
    rp_go_on(r, unit);
}

static void rp_end_slice(rp_t *r, rp_process_t *p)
{
    uint32_t unit = p->holder;
    rp_release(r, p);
    rp_push(r, &p->ready, unit);
}

static void rp_end_handoff(rp_t *r, rp_process_t *p)
{
    p->handoff_at = RP_NEVER;
    uint32_t unit = rp_shift(r, &p->ready);
    rp_hold(r, p, unit);
}

/* The next thing that happens in a process, and when. */
static double rp_next_of(const rp_t *r, const rp_process_t *p, double rate)
{
    if (p->handoff_at != RP_NEVER) return p->handoff_at;
    if (p->holder == RP_NONE) return RP_NEVER;
    double left = p->ends_at - r->virtual_now;
    double end = r->now + (left > 0 ? left / rate : 0);
    return end <= p->slice_at ? end : p->slice_at;
}

static void rp_happen(rp_t *r, rp_process_t *p)
{
    if (p->handoff_at != RP_NEVER) rp_end_handoff(r, p);
    else if (r->now >= p->slice_at && p->ends_at > r->virtual_now) rp_end_slice(r, p);
    else rp_end_hold(r, p);
}

static bool rp_step(rp_t *r)
{
    double rate = rp_rate(r), soonest = RP_NEVER;
    uint32_t process = 0;
    for (uint32_t i = 0; i < r->process_count; i++) {
        double at = rp_next_of(r, &r->processes[i], rate);
        if (at < soonest) soonest = at, process = i;
    }
    double io = r->heap_size ? r->heap[0].at : RP_NEVER;
    double arrival = r->arrived < r->count ? (double)r->units[r->arrived].arrival_ns : RP_NEVER;
    double at = fmin(soonest, fmin(io, arrival));
    if (at == RP_NEVER) return false;
    if (at > r->now) rp_advance(r, at);
    r->events++;
    if (arrival <= at) rp_arrive(r, r->arrived++);
    else if (io <= at) {
        uint32_t unit = rp_io_shift(r);
        if (r->live[unit].holds_left) rp_want(r, &r->processes[r->live[unit].process], unit);
        else rp_finish(r, unit);
    }
    else rp_happen(r, &r->processes[process]);
    return true;
}

static void *rp_run(void *data)
{
    rp_t *r = data;
    while (!r->cancelled && rp_step(r)) {}
    return NULL;
}

static void rp_cancel(void *data)
{
    ((rp_t *)data)->cancelled = true;
}

#endif
