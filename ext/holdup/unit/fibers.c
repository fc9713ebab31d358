#include "unit/fibers.h"

#include <ruby/debug.h>
#include <ruby/fiber/scheduler.h>
#include <string.h>

#include "capture/capture_events.h"
#include "hook/allocations.h"
#include "hook/registry.h"

#define FIB_HANDLE "holdup_handle" /* the storage's key */
#define FIB_CPU_NS UINT64_C(20000) /* how old a reading of the CPU clock may be at a switch */

struct fib fib;

/* The open unit that the running fiber of the thread of `c` is in. */
static unit_t *fib_unit(const tclock_t *c)
{
    VALUE handle = rb_funcall(fib.class, fib.get, 1, fib.key);
    unit_t *u = unit_of(handle);
    /* A thread that a unit starts inherits the storage, but is not its work. */
    return u && u->clock == c ? u : NULL;
}

static void fib_remember(const unit_t *u)
{
    rb_funcall(fib.class, fib.set, 2, fib.key, u ? ULL2NUM(unit_handle(u)) : Qnil);
}

static void span_add(span_t *sum, const span_t *more)
{
    totals_add(&sum->totals, &more->totals);
    sum->cpu_ns += more->cpu_ns;
}

static inline uint64_t fib_elapsed(const totals_t *totals)
{
    uint64_t idle = totals->idle[TC_IO] + totals->idle[TC_LOCK] + totals->idle[TC_SLEEP];
    return totals->running + totals->stalled + idle;
}

/* The time in which none of the unit's fibers had a turn is idle (io). */
static void fib_add_rest(const unit_t *u, uint64_t t, span_t *span)
{
    uint64_t wall = tc_since(u->started, t), own = fib_elapsed(&span->totals);
    if (wall > own) span->totals.idle[TC_IO] += wall - own;
}

/* What the unit has done by `t`, with all turns credited. */
static span_t fib_span(const unit_t *u, uint64_t t)
{
    span_t span = u->sum;
    fib_add_rest(u, t, &span);
    return span;
}

/* Whether the open turn is one of the unit, or of a unit inside it. */
static bool fib_has_turn(const tclock_t *c, const unit_t *u)
{
    const unit_t *v = c->current;
    while (v && v != u) v = v->parent;
    return v;
}

uint64_t fib_stalled(const tclock_t *c, const unit_t *u)
{
    return u->sum.totals.stalled + (fib_has_turn(c, u) ? c->totals.stalled - c->mark.stalled : 0);
}

span_t fib_so_far(const tclock_t *c, const unit_t *u, const span_t *now, uint64_t t)
{
    span_t span = u->sum;
    if (fib_has_turn(c, u)) {
        uint64_t cpu = now->cpu_ns > c->mark_cpu ? now->cpu_ns - c->mark_cpu : 0;
        span_t turn = {totals_since(&now->totals, &c->mark), cpu};
        span_add(&span, &turn);
    }
    fib_add_rest(u, t, &span);
    return span;
}

/*
 * The thread's CPU clock now. A reading costs more than the rest of a switch, so between two readings the
 * clock advances by what the thread ran under the GVL: wrong by FIB_CPU_NS at most, and only until the next
 * reading.
 */
static uint64_t fib_cpu(tclock_t *c, bool edge)
{
    if (edge || c->cpu_ns == TC_CPU_UNREAD || clk_ns(tc_since(c->mark_read, clk_now())) > FIB_CPU_NS) {
        c->cpu_ns = tc_cpu(c);
        c->mark_read = clk_now();
        tc_settle(c, c->mark_read);
        c->cpu_running = c->totals.running;
    }
    else tc_settle(c, clk_now());
    uint64_t cpu = c->cpu_ns + clk_ns(c->totals.running - c->cpu_running);
    return cpu > c->mark_cpu ? cpu : c->mark_cpu;
}

/*
 * Ends the turn now, and begins the next for the same unit. Runs on the thread itself, which holds the GVL.
 * `edge`: of a unit, where CPU must be exact.
 */
static uint64_t fib_end_turn(tclock_t *c, bool edge)
{
    uint64_t hold_from = c->hold_from, cpu = fib_cpu(c, edge), t = c->at;
    totals_t now;
    alloc_read(c, hold_from, t);
    tc_edge(c, t, &now);
    span_t turn = {totals_since(&now, &c->mark), cpu - c->mark_cpu};
    if (!c->current) totals_add(&c->outside, &turn.totals);
    for (unit_t *u = c->current; u; u = u->parent) {
        span_add(&u->sum, &turn);
        if (u->longest < c->longest) u->longest = c->longest;
    }
    c->mark = now;
    c->mark_cpu = cpu;
    c->longest = 0;
    return t;
}

static void fib_on_switch(rb_event_flag_t event, VALUE data, VALUE thread, ID method, VALUE class)
{
    tclock_t *c = reg_clock(thread);
    if (!c || !c->follows || !c->open_units || !tc_enabled()) return;
    unit_t *u = fib_unit(c);
    if (u == c->current) return; /* of the same unit, or both outside of units */
    int raised = alloc_turn();
    uint64_t t = fib_end_turn(c, false);
    c->current = u;
    tc_change_party(c, t, u ? u->party : c->own_party);
    if (CAP_ON()) cap_record_unit(c, u, CAP_UNIT_TURN, 0, t, c->mark.caused);
    if (raised) rb_jump_tag(raised);
}

void fib_prepare(void)
{
    fib.class = rb_const_get(rb_cObject, rb_intern("Fiber"));
    rb_gc_register_mark_object(fib.class);
    fib.key = ID2SYM(rb_intern(FIB_HANDLE));
    fib.get = rb_intern("[]");
    fib.set = rb_intern("[]=");
}

static void fib_hook(void)
{
    if (fib.hooked) return;
    fib.hooked = true;
    rb_add_event_hook(fib_on_switch, RUBY_EVENT_FIBER_SWITCH, Qnil);
}

bool fib_follow(tclock_t *c)
{
    if (c->open_units) return c->follows;
    c->follows = (fib.always || !NIL_P(rb_fiber_scheduler_get())) && c->blame == reg.main;
    if (c->follows) fib_hook();
    return c->follows;
}

uint64_t fib_enter(tclock_t *c, uint8_t pool)
{
    unit_t *u = unit_take(c, fib_end_turn(c, true), pool);
    if (!u) return 0;
    c->current = fib_unit(c); /* the event of its switch may be missing */
    u->epoch = c->epoch;
    u->parent = c->current;
    if (u->parent) u->parent->inside++;
    u->inside = u->twice_units = 0;
    u->longest = 0;
    memset(&u->sum, 0, sizeof(u->sum));
    memset(&u->twice, 0, sizeof(u->twice));
    u->newer = NULL;
    u->outer = c->innermost;
    if (u->outer) u->outer->newer = u;
    c->innermost = c->current = u;
    tc_change_party(c, u->started, u->party);
    c->open_units++;
    if (CAP_ON()) cap_record_unit(c, u, CAP_UNIT_START, CAP_FIBERS, u->started, c->mark.caused);
    uint64_t handle = unit_handle(u);
    fib_remember(u);
    return handle;
}

static void fib_unlink(tclock_t *c, unit_t *u)
{
    if (u->newer) u->newer->outer = u->outer;
    else c->innermost = u->outer;
    if (u->outer) u->outer->newer = u->newer;
    if (u->parent) u->parent->inside--;
    c->open_units--;
}

/*
 * `u` ends before units inside it do. They get its parent; without one, what both were in is counted twice
 * when they end.
 */
static void fib_orphan(tclock_t *c, unit_t *u, uint64_t t, bool counted)
{
    for (unit_t *v = c->innermost; u->inside && v; v = v->outer) {
        if (v->parent != u) continue;
        u->inside--;
        v->parent = u->parent;
        if (u->parent) u->parent->inside++;
        else if (counted) {
            span_t both = fib_span(v, t);
            span_add(&v->twice, &both);
            v->twice_units++;
        }
    }
}

/*
 * Notes in the unit around `u` what both have counted: all of `u`, or, when `u` is not recorded, what the
 * units inside `u` have recorded.
 */
static void fib_note_in_parent(const unit_t *u, const span_t *span, bool counted)
{
    if (!u->parent) return;
    span_add(&u->parent->twice, counted ? span : &u->twice);
    u->parent->twice_units += counted ? 1 : u->twice_units;
}

bool fib_leave(unit_t *u, tclock_t *current, bool counted, measurement_t *m, measurement_t *excess,
               uint32_t *nested)
{
    tclock_t *c = u->clock;
    bool known = c == current && u->epoch == tc.epoch && tc_enabled();
    uint64_t t = known ? fib_end_turn(c, true) : clk_now();
    counted &= known;
    *nested = counted ? u->twice_units : 0;
    span_t span = fib_span(u, t);
    if (known) unit_convert(&span.totals, unit_cpu(c, span.cpu_ns), m);
    if (known) unit_describe(u, &span.totals, u->longest, m);
    if (*nested) unit_convert(&u->twice.totals, unit_cpu(c, u->twice.cpu_ns), excess);
    fib_note_in_parent(u, &span, counted);
    fib_orphan(c, u, t, counted);
    fib_unlink(c, u);
    unit_leave_party(c, u, t);
    if (c->current == u) c->current = u->parent;
    if (CAP_ON())
        cap_record_unit(c, u, CAP_UNIT_END, known ? CAP_FIBERS : CAP_FIBERS | CAP_LOST, t,
                        known ? c->mark.caused : c->totals.caused);
    bool here = c == current && fib_unit(c) == u;
    unit_t *parent = u->parent;
    unit_give_back(u, t, known);
    if (here) fib_remember(parent);
    return known;
}
