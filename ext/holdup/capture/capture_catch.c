#include "capture/capture_catch.h"

#include <stdlib.h>

#include "hook/registry.h"
#include "init.h"
#include "unit/unit.h"

#define CAPC_PATIENCE_NS UINT64_C(10000000000)

static inline bool capc_over(const cap_limit_t *limit, const measurement_t *m)
{
    return (limit->stalled_ns && m->stalled_ns > limit->stalled_ns) ||
           (limit->wall_ns && m->wall_ns > limit->wall_ns);
}

void capc_check(const measurement_t *m, uint64_t series, uint32_t unit, uint64_t event)
{
    cap_header_t *h = cap.header;
    cap_limit_t *own = __atomic_load_n(&cap.own_limits, __ATOMIC_ACQUIRE);
    uint64_t now = clk_now();
    if (h->caught || m->started_ns < clk_realtime_ns(h->begin_ticks) ||
        !(capc_over(&cap.limit, m) || (own && capc_over(&own[series], m))))
        return;
    h->caught_stalled_ns = m->stalled_ns;
    h->caught_wall_ns = m->wall_ns;
    h->caught_event = event;
    h->caught_series = series;
    cap.caught_at = now;
    __atomic_store_n(&h->caught, unit, __ATOMIC_RELEASE);
}

/* Whether a unit is still open that began before the caught one ended. */
static bool capc_overlapping_p(void)
{
    for (const tclock_t *c = reg.clocks; c; c = c->next)
        for (const unit_t *u = c->innermost; u; u = u->outer)
            if (u->started < cap.caught_at) return true;
    return false;
}

/*
 * capture_complete?: whether the caught unit has ended, and all units that overlapped it: a unit gets its
 * name at its end, and one of them may have made the caught one wait. Gives up after CAPC_PATIENCE_NS, and
 * before newer events overwrite those that led to the caught unit.
 */
static VALUE capc_complete_p(VALUE self)
{
    const cap_header_t *h = cap.header;
    if (!cap_there() || !h->caught) return Qfalse;
    if (h->head - h->caught_event > h->capacity / 2 || clk_ns(clk_now() - cap.caught_at) > CAPC_PATIENCE_NS)
        return Qtrue;
    return capc_overlapping_p() ? Qfalse : Qtrue;
}

/* limit_capture(series, stalled_ns, wall_ns): what units of this series may stall and take; 0: no limit */
static VALUE capc_limit(VALUE self, VALUE series, VALUE stalled, VALUE wall)
{
    uint64_t number = NUM2ULL(series);
    cap_limit_t limit = {NUM2ULL(stalled), NUM2ULL(wall)};
    if (!cap_there() || number >= cap.header->name_capacity) return Qnil;
    cap_limit_t *own = cap.own_limits;
    if (!own) own = calloc(cap.header->name_capacity, sizeof(cap_limit_t));
    if (!own) return Qnil;
    CAP_SET(own[number].stalled_ns, limit.stalled_ns);
    CAP_SET(own[number].wall_ns, limit.wall_ns);
    __atomic_store_n(&cap.own_limits, own, __ATOMIC_RELEASE);
    return Qtrue;
}

static VALUE capc_caught_p(VALUE self)
{
    return cap_there() && cap.header->caught ? Qtrue : Qfalse;
}

void capture_catch_init(VALUE probe)
{
    rb_define_singleton_method(probe, "caught?", capc_caught_p, 0);
    rb_define_singleton_method(probe, "capture_complete?", capc_complete_p, 0);
    rb_define_singleton_method(probe, "limit_capture", capc_limit, 3);
}
