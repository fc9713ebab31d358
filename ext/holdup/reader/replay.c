#include "reader/replay.h"
#include "reader/replay_gvl.h"

/* --- which thread takes a unit: of a process of its group, one of its pool; or the queue before these --- */

static rp_pool_t *rp_pool_of(const rp_t *r, const rp_process_t *p, uint32_t unit)
{
    return &r->pools[p->first_pool + r->units[unit].pool];
}

static enum rp_assignment rp_assignment_of(const rp_t *r, uint32_t unit)
{
    return r->options.assignment[rp_other(r, unit)];
}

/*
 * That a unit is one for io shows only when a thread has taken it: it needs an ordinary thread first, and
 * leaves room for another unit as long as there are not more of them than io_threads.
 */
static bool rp_has_room(const rp_pool_t *pool)
{
    uint32_t beyond = pool->busy[1] > pool->io_threads ? pool->busy[1] - pool->io_threads : 0;
    return pool->busy[0] + beyond < pool->threads;
}

/* What this deployment makes of the unit's holds, against the one that it was recorded on. */
static double rp_factor(const rp_t *r, const rp_process_t *p, const rp_unit_t *recorded)
{
    double rest = p->in_flight ? 0 : r->now - p->empty_since;
    return rp_rest_cost(r, rest) / rp_rest_cost(r, (double)recorded->rest_ns) /
           rp_concurrency_cost(r, (double)recorded->in_flight_milli / 1000.0);
}

static void rp_begin(rp_t *r, rp_process_t *p)
{
    p->in_flight++;
    r->in_flight++;
}

/* The length of a unit's next wait, with as many units on the host as there are now. */
static double rp_next_idle(rp_t *r, rp_live_t *u)
{
    double part = rp_part(r, u->idle_left, u->gaps_left--);
    u->idle_left -= part;
    return part * u->idle_factor * rp_idle_cost_now(r);
}

static void rp_take(rp_t *r, uint32_t process, uint32_t unit)
{
    rp_process_t *p = &r->processes[process];
    const rp_unit_t *recorded = &r->units[unit];
    rp_live_t *u = &r->live[unit];
    u->factor = rp_factor(r, p, recorded);
    u->idle_factor = 1.0 / rp_idle_cost(r, (double)recorded->in_flight_milli / 1000.0);
    rp_pool_of(r, p, unit)->busy[recorded->io != 0]++;
    if (!recorded->before) rp_begin(r, p);
    u->before_left = (uint32_t)recorded->before;
    u->process = process;
    double queued = r->now - u->arrived, arriving = fmin((double)recorded->arriving_ns, queued);
    u->queued = queued - arriving;
    u->held_left = (double)recorded->held_ns;
    u->idle_left = (double)recorded->idle_ns - arriving;
    u->holds_left = (uint32_t)recorded->holds;
    u->gaps_left = (uint32_t)recorded->gaps;
    u->lengths_left = u->gaps_left < u->holds_left ? u->gaps_left + 1 : u->holds_left;
    u->longest_at = recorded->longest_ns ? (uint32_t)(rp_random(r) % u->lengths_left) : RP_NONE;
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

/* The first of the lanes in which units of that pool wait, of all processes of a group. */
static rp_queue_t *rp_lanes_of(rp_t *r, const rp_process_t *p, uint32_t unit)
{
    return r->groups[p->group].shared + r->units[unit].pool * r->options.lane_count;
}

/* The queue in which this unit waits for a thread of that process. */
static rp_queue_t *rp_queue_of(rp_t *r, const rp_process_t *p, uint32_t unit)
{
    if (rp_assignment_of(r, unit) == RP_SHARED) return rp_lanes_of(r, p, unit) + r->units[unit].lane;
    return &rp_pool_of(r, p, unit)->waiting;
}

/* Weights of the lanes that have a unit, all added up. */
static double rp_weight_of(const rp_t *r, const rp_queue_t *lanes)
{
    double weight = 0;
    for (uint32_t i = 0; i < r->options.lane_count; i++)
        if (lanes[i].size) weight += r->options.lanes[i];
    return weight;
}

/* The lane from which a free thread takes: see rp_options_t. Without units it is an empty one. */
static rp_queue_t *rp_next_lane(rp_t *r, rp_queue_t *lanes)
{
    if (r->options.lane_count == 1) return lanes;
    double weight = rp_weight_of(r, lanes), left = weight > 0 ? rp_chance(r) * weight : 0;
    rp_queue_t *last = lanes;
    for (uint32_t i = 0; i < r->options.lane_count; i++) {
        if (!lanes[i].size || (weight > 0 && !(r->options.lanes[i] > 0))) continue;
        last = &lanes[i];
        left -= r->options.lanes[i];
        if (left <= 0) break;
    }
    return last;
}

/* The queue from which a thread takes that had this unit. */
static rp_queue_t *rp_next_queue(rp_t *r, const rp_process_t *p, uint32_t ended)
{
    if (rp_assignment_of(r, ended) == RP_SHARED) return rp_next_lane(r, rp_lanes_of(r, p, ended));
    return &rp_pool_of(r, p, ended)->waiting;
}

/* Users come when they have thought, whatever the trace says. */
static bool rp_thinks(const rp_t *r, uint32_t unit)
{
    return r->options.think > 0 && !rp_other(r, unit);
}

static void rp_think(rp_t *r)
{
    rp_io_push(r, r->now - log(rp_chance(r)) * r->options.think, RP_NONE);
}

static void rp_arrive(rp_t *r, uint32_t unit, double at)
{
    r->live[unit].arrived = at;
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
    while (rp_has_room(pool)) {
        rp_queue_t *queue = rp_next_queue(r, p, ended);
        if (!queue->size) break;
        rp_take(r, process, rp_shift(r, queue));
    }
}

/* Its thread is free, and takes the next one. */
static void rp_free(rp_t *r, uint32_t unit)
{
    uint32_t process = r->live[unit].process;
    rp_pool_of(r, &r->processes[process], unit)->busy[r->units[unit].io != 0]--;
    rp_take_next(r, process, unit);
}

/* It ends. Its thread may have something to do for it yet. */
static void rp_finish(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    double response = r->now - u->arrived;
    r->results[unit] = (rp_result_t){(uint64_t)llround(u->queued), (uint64_t)llround(u->stalled),
                                     (uint64_t)llround(u->held), (uint64_t)llround(response)};
    rp_process_t *p = &r->processes[u->process];
    p->in_flight--;
    r->in_flight--;
    p->empty_since = r->now;
    if (!rp_other(r, unit)) r->done++;
    if (rp_thinks(r, unit)) rp_think(r);
    u->after_left = (uint32_t)r->units[unit].after;
    if (u->after_left) rp_want(r, p, unit);
    else rp_free(r, unit);
}

/* --- the loop --- */

/* A hold is followed by io, the next hold without any, the end, or, after that, a free thread. */
static void rp_go_on(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    if (u->after_left) {
        if (--u->after_left) rp_want(r, &r->processes[u->process], unit);
        else rp_free(r, unit);
        return;
    }
    if (u->before_left && --u->before_left == 0) rp_begin(r, &r->processes[u->process]);
    if (u->gaps_left && u->gap_follows) rp_io_push(r, r->now + rp_next_idle(r, u), unit);
    else if (u->holds_left) rp_want(r, &r->processes[u->process], unit);
    else rp_finish(r, unit);
}

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

static void rp_end_io(rp_t *r)
{
    uint32_t unit = rp_io_shift(r);
    if (unit == RP_NONE) {
        if (r->arrived[0] < r->options.own) rp_arrive(r, r->arrived[0]++, r->now);
    } else if (r->live[unit].holds_left) rp_want(r, &r->processes[r->live[unit].process], unit);
    else rp_finish(r, unit);
}

/* When the next event of an active process is due. */
static double rp_next_of(const rp_t *r, const rp_process_t *p, double rate)
{
    if (p->handoff_at != RP_NEVER) return p->handoff_at;
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

/* When the next unit arrives: one in question, unless as many as the limit are there, or another one. */
static double rp_next_arrival(const rp_t *r, bool *other)
{
    double own_at = RP_NEVER, other_at = RP_NEVER;
    bool below_limit = r->options.think <= 0 && r->arrived[0] - r->done < r->options.limit;
    if (r->arrived[0] < r->options.own && below_limit) own_at = (double)r->units[r->arrived[0]].arrival_ns;
    if (r->arrived[1] < r->count) other_at = (double)r->units[r->arrived[1]].arrival_ns;
    *other = other_at < own_at;
    return *other ? other_at : own_at;
}

/* The first of the processes with the soonest event. */
static rp_process_t *rp_soonest(const rp_t *r, double *soonest)
{
    double rate = rp_rate(r);
    rp_process_t *found = NULL;
    *soonest = RP_NEVER;
    for (uint32_t first = 0; first < r->process_count; first += RP_WORD_BITS) {
        for (uint64_t left = r->active[first / RP_WORD_BITS]; left; left &= left - 1) {
            rp_process_t *p = &r->processes[first + (uint32_t)__builtin_ctzll(left)];
            double at = rp_next_of(r, p, rate);
            if (at < *soonest) *soonest = at, found = p;
        }
    }
    return found;
}

static bool rp_step(rp_t *r)
{
    double soonest;
    rp_process_t *process = rp_soonest(r, &soonest);
    double io = r->heap_size ? r->heap[0].at : RP_NEVER;
    bool other;
    double arrival = rp_next_arrival(r, &other);
    double at = fmin(soonest, fmin(io, arrival));
    if (at == RP_NEVER) return false;
    if (at > r->now) rp_advance(r, at);
    r->events++;
    if (arrival <= at) rp_arrive(r, r->arrived[other]++, arrival);
    else if (io <= at) rp_end_io(r);
    else rp_happen(r, process);
    return true;
}

static bool rp_cancelled(const rp_t *r)
{
    return __atomic_load_n(&r->cancelled, __ATOMIC_RELAXED);
}

/*
 * With as many of the users who wait for an answer, as there are on average if it takes `answer`. If all of
 * them thought at first, it would take a think time until as many wait.
 */
static void rp_start_users(rp_t *r)
{
    const rp_options_t *o = &r->options;
    uint32_t users = o->limit;
    uint32_t waiting = (uint32_t)fmin(o->own, users * (o->answer / (o->answer + o->think)));
    for (uint32_t user = waiting; user < users; user++) rp_think(r);
    while (r->arrived[0] < waiting) {
        double ago = o->answer * (waiting - r->arrived[0]) / waiting;
        rp_arrive(r, r->arrived[0]++, -ago);
    }
}

void *rp_run(void *data)
{
    rp_t *r = data;
    rp_compute_costs(r);
    if (r->options.think > 0) rp_start_users(r);
    while (!rp_cancelled(r) && r->done < r->options.own && rp_step(r)) {}
    return NULL;
}

void rp_cancel(void *data)
{
    __atomic_store_n(&((rp_t *)data)->cancelled, true, __ATOMIC_RELAXED);
}
