#include "reader/replay_gvl.h"

double rp_concurrency_cost(const rp_t *r, double units)
{
    const rp_options_t *o = &r->options;
    if (units <= 1) return 1.0;
    return 1.0 + (o->growth > 0 ? o->growth * log2(units) : 0) + o->marking * (units - 1);
}

double rp_idle_cost(const rp_t *r, double units)
{
    return units > 1 ? 1.0 + r->options.idle_growth * log2(units) : 1.0;
}

double rp_idle_cost_now(const rp_t *r)
{
    if (r->in_flight < RP_COSTS) return r->idle_costs[r->in_flight];
    return rp_idle_cost(r, r->in_flight / r->options.recorded_processes);
}

void rp_compute_costs(rp_t *r)
{
    for (uint32_t units = 0; units < RP_COSTS; units++) {
        r->hold_costs[units] = rp_concurrency_cost(r, units);
        r->idle_costs[units] = rp_idle_cost(r, units / r->options.recorded_processes);
    }
}

/* The cost of a hold with as many units in the process as there are now. */
static double rp_hold_cost_now(const rp_t *r, const rp_process_t *p)
{
    return p->in_flight < RP_COSTS ? r->hold_costs[p->in_flight] : rp_concurrency_cost(r, p->in_flight);
}

static void rp_set_active(rp_t *r, const rp_process_t *p, bool active)
{
    size_t index = (size_t)(p - r->processes);
    uint64_t bit = UINT64_C(1) << index % RP_WORD_BITS, *word = &r->active[index / RP_WORD_BITS];
    *word = active ? *word | bit : *word & ~bit;
}

double rp_rest_cost(const rp_t *r, double rest)
{
    return 1.0 + r->options.cold * rest / (rest + r->options.rest_half);
}

/* The length of a unit's next hold, with as many units in its process as there are now. */
static double rp_next_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    if (u->after_left) return (double)r->units[unit].after_ns / (double)r->units[unit].after;
    uint32_t holds_left = u->holds_left--;
    u->gap_follows = u->lengths_left >= holds_left || rp_random(r) % holds_left < u->lengths_left;
    if (!u->gap_follows) return 0;
    double longest = (double)r->units[unit].longest_ns, part;
    if (u->lengths_left <= 1) part = u->held_left;
    else if (u->longest_at == 0) {
        part = longest < u->held_left ? longest : u->held_left;
        u->longest_at = RP_NONE;
    }
    else {
        double others = u->longest_at == RP_NONE ? u->held_left : u->held_left - longest;
        uint32_t parts = u->longest_at == RP_NONE ? u->lengths_left : u->lengths_left - 1;
        part = rp_part(r, others > 0 ? others : 0, parts);
        if (u->longest_at != RP_NONE) u->longest_at--;
    }
    u->held_left -= part;
    u->lengths_left--;
    return part * u->factor * rp_hold_cost_now(r, p);
}

static double rp_slice(const rp_t *r, const rp_process_t *p)
{
    uint64_t own = r->units[p->holder].slice_ns;
    return own ? (double)own : r->groups[p->group].slice;
}

static double rp_handoff(const rp_t *r, const rp_process_t *p)
{
    uint32_t waiters = p->ready.size;
    return r->options.handoff[(waiters < RP_HANDOFFS ? waiters : RP_HANDOFFS) - 1];
}

void rp_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    u->stalled += r->now - u->since;
    u->since = r->now;
    if (u->part_left <= 0) u->part_left = rp_next_hold(r, p, unit);
    p->holder = unit;
    p->ends_at = r->virtual_now + u->part_left;
    p->slice_at = p->ready.size ? r->now + rp_slice(r, p) : RP_NEVER;
    r->holders++;
    rp_set_active(r, p, true);
}

void rp_release(rp_t *r, rp_process_t *p)
{
    rp_live_t *u = &r->live[p->holder];
    u->part_left = p->ends_at - r->virtual_now;
    u->held += r->now - u->since;
    p->used += r->now - u->since;
    u->since = r->now;
    p->holder = RP_NONE;
    p->slice_at = RP_NEVER;
    r->holders--;
    if (!p->ready.size) {
        rp_set_active(r, p, false);
        return;
    }
    double handoff = rp_handoff(r, p);
    p->handoff_at = r->now + handoff;
    r->handed += handoff * p->ready.size;
}

void rp_want(rp_t *r, rp_process_t *p, uint32_t unit)
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
