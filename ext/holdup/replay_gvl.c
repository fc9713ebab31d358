#include "replay_gvl.h"

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

double rp_rest_cost(const rp_t *r, double rest)
{
    return 1.0 + r->options.cold * rest / (rest + r->options.rest_half);
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
    return part * u->factor * rp_concurrency_cost(r, p->in_flight);
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
    if (!p->ready.size) return;
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
