/*
 * Who takes a unit of a replay: its group, a process of it, and in there a thread of its pool, or the queue before these.
 */
#ifndef HOLDUP_REPLAY_TAKE_H
#define HOLDUP_REPLAY_TAKE_H

#include "replay_gvl.h"

static rp_pool_t *rp_pool_of(const rp_t *r, const rp_process_t *p, uint32_t unit)
{
    return &r->pools[p->first_pool + r->units[unit].pool];
}

static enum rp_assignment rp_assignment_of(const rp_t *r, uint32_t unit)
{
    return r->assignment[rp_company(r, unit)];
}

/* Only who takes a unit learns that it is one for io: it needs an ordinary thread first, and leaves room for another as
 * long as there are not more of them than io_threads. */
static bool rp_has_room(const rp_pool_t *pool)
{
    uint32_t beyond = pool->busy[1] > pool->io_threads ? pool->busy[1] - pool->io_threads : 0;
    return pool->busy[0] + beyond < pool->threads;
}

static void rp_take(rp_t *r, uint32_t process, uint32_t unit)
{
    rp_process_t *p = &r->processes[process];
    const rp_unit_t *recorded = &r->units[unit];
    rp_live_t *u = &r->live[unit];
    double rest = p->in_flight ? 0 : r->now - p->empty_since;
    u->factor = rp_cold(r, rest) / rp_cold(r, (double)recorded->rest_ns) / rp_cost(r, (double)recorded->in_flight_milli / 1000.0);
    rp_pool_of(r, p, unit)->busy[recorded->io != 0]++;
    if (!recorded->before) p->in_flight++;
    u->before_left = (uint32_t)recorded->before;
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

static uint32_t rp_choose(rp_t *r, const rp_group_t *g, uint32_t unit)
{
    if (rp_assignment_of(r, unit) == RP_RANDOM) return g->first + (uint32_t)(rp_random(r) % g->processes);
    uint32_t best = g->first, least = UINT32_MAX, from = (uint32_t)(rp_random(r) % g->processes);
    for (uint32_t i = 0; i < g->processes; i++) {
        uint32_t process = g->first + (from + i) % g->processes;
        const rp_pool_t *pool = rp_pool_of(r, &r->processes[process], unit);
        uint32_t load = pool->busy[0] + pool->busy[1] + pool->waiting.size;
        if (load < least) best = process, least = load;
    }
    return best;
}

/* Where units of that kind wait for a thread of that process. */
static rp_queue_t *rp_queue_of(rp_t *r, const rp_process_t *p, uint32_t unit)
{
    return rp_assignment_of(r, unit) == RP_SHARED ? &r->groups[p->group].shared[r->units[unit].pool] : &rp_pool_of(r, p, unit)->waiting;
}

static void rp_arrive(rp_t *r, uint32_t unit)
{
    uint32_t process = rp_choose(r, &r->groups[r->units[unit].group], unit);
    rp_process_t *p = &r->processes[process];
    if (rp_has_room(rp_pool_of(r, p, unit))) rp_take(r, process, unit);
    else rp_push(r, rp_queue_of(r, p, unit), unit);
}

/* The thread that had this unit is free again: it takes those that wait longest. */
static void rp_take_next(rp_t *r, uint32_t process, uint32_t ended)
{
    rp_process_t *p = &r->processes[process];
    rp_pool_t *pool = rp_pool_of(r, p, ended);
    rp_queue_t *queue = rp_queue_of(r, p, ended);
    while (queue->size && rp_has_room(pool)) rp_take(r, process, rp_shift(r, queue));
}

static void rp_finish(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    uint32_t process = u->process;
    double response = r->now - (double)r->units[unit].arrival_ns;
    r->results[unit] = (rp_result_t){(uint64_t)llround(u->queued), (uint64_t)llround(u->stalled), (uint64_t)llround(u->held),
                                     (uint64_t)llround(response)};
    rp_process_t *p = &r->processes[process];
    rp_pool_of(r, p, unit)->busy[r->units[unit].io != 0]--;
    p->in_flight--;
    p->empty_since = r->now;
    if (!rp_company(r, unit)) r->done++;
    rp_take_next(r, process, unit);
}

#endif
