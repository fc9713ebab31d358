#include "calls.h"

#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "hook.h"
#include "init.h"
#include "text.h"

/* The kind of those beyond SEG_CALL_KINDS. */
#define CALLS_OTHERS 0

static struct {
    char names[SEG_CALL_KINDS][SEG_QUEUE_BYTES];
    size_t bytes[SEG_CALL_KINDS];
    uint32_t count;
    call_tally_t *free; /* cleared */
} calls;

seg_text_t calls_name(uint32_t kind)
{
    seg_text_t name = {calls.names[kind], calls.bytes[kind]};
    return name;
}

static uint32_t calls_add_kind(seg_text_t name)
{
    calls.bytes[calls.count] = seg_copy(calls.names[calls.count], name);
    return calls.count++;
}

static uint32_t calls_kind(seg_text_t name)
{
    if (!calls.count) calls_add_kind(seg_text("others"));
    for (uint32_t i = 0; i < calls.count; i++)
        if (calls.bytes[i] == name.bytes && !memcmp(calls.names[i], name.text, name.bytes)) return i;
    return calls.count < SEG_CALL_KINDS ? calls_add_kind(name) : CALLS_OTHERS;
}

/* --- tallies: kept for the next unit, because one has 8 kB --- */

static void calls_clear_histogram(histogram_t *h)
{
    if (h->lo <= h->hi) memset(&h->buckets[h->lo], 0, (h->hi - h->lo + 1) * sizeof(*h->buckets));
    memset(h, 0, offsetof(histogram_t, buckets));
    h->lo = HIST_BUCKETS;
}

static void calls_release(call_tally_t *tally)
{
    calls_clear_histogram(&tally->wall);
    calls_clear_histogram(&tally->idle);
    memset(&tally->sums, 0, sizeof(tally->sums));
    tally->count = tally->errors = 0;
    tally->next = calls.free;
    calls.free = tally;
}

static call_tally_t *calls_tally(unit_t *u, uint32_t kind)
{
    call_tally_t *tally = u->calls;
    while (tally && tally->kind != kind) tally = tally->next;
    if (tally) return tally;
    if (!calls.free) {
        call_tally_t *fresh = calloc(1, sizeof(*fresh));
        if (!fresh) return NULL;
        calls_release(fresh);
    }
    tally = calls.free;
    calls.free = tally->next;
    tally->kind = kind;
    tally->next = u->calls;
    u->calls = tally;
    return tally;
}

call_tally_t *calls_take(unit_t *u)
{
    call_tally_t *tallies = u->calls;
    tclock_t *c = u->clock;
    u->calls = NULL;
    if (c->call_unit == u || !u->outer) { /* a call that never ended must not hide those of the next unit */
        c->call_unit = NULL;
        c->call_depth = 0;
    }
    return tallies;
}

void calls_drop(call_tally_t *tallies)
{
    for (call_tally_t *next; tallies; tallies = next) {
        next = tallies->next;
        calls_release(tallies);
    }
}

/* --- edges --- */

/* The totals now, without an edge: it would cut the hold that others may be waiting in. */
static totals_t calls_totals(tclock_t *c)
{
    uint64_t t = clk_now();
    alloc_read(c, c->hold_from, t);
    totals_t now = c->totals;
    now.running += tc_since(c->at, t);
    return now;
}

static bool calls_known(const tclock_t *c, const unit_t *u)
{
    return u->epoch == tc.epoch && c->epoch == tc.epoch && c->phase == TC_RUNNING && tc_enabled();
}

static void calls_observe(histogram_t *h, uint64_t value)
{
    if (!h->count++ || value < h->min) h->min = value;
    if (value > h->max) h->max = value;
    h->sum += value;
    if (value <= HIST_ZERO_MAX) {
        h->zero++;
        return;
    }
    uint64_t slot = hist_slot(value);
    h->buckets[slot]++;
    if (slot < h->lo) h->lo = slot;
    if (slot > h->hi) h->hi = slot;
}

static void calls_count(call_tally_t *tally, const measurement_t *m, bool error)
{
    measurement_t *sums = &tally->sums;
    tally->count++;
    tally->errors += error;
    sums->running_ns += m->running_ns;
    sums->stalled_ns += m->stalled_ns;
    sums->io_ns += m->io_ns;
    sums->lock_ns += m->lock_ns;
    sums->sleep_ns += m->sleep_ns;
    sums->native_ns += m->native_ns;
    sums->gc_ns += m->gc_ns < m->running_ns ? m->gc_ns : m->running_ns;
    sums->acquisitions += m->acquisitions;
    sums->preemptions += m->preemptions;
    calls_observe(&tally->wall, m->wall_ns);
    calls_observe(&tally->idle, m->idle_ns);
}

/* call_kind(name): the number by which end_call names "sql primary", "http api.example.com" ... */
static VALUE probe_call_kind(VALUE self, VALUE name)
{
    char room[SEG_QUEUE_BYTES];
    Check_Type(name, T_STRING);
    seg_text_t text = text_of(name, room, sizeof(room));
    unit_lock();
    uint32_t kind = calls_kind(text);
    unit_unlock();
    return UINT2NUM(kind);
}

/* begin_call: a call of the open unit begins on this thread; end_call must follow. */
static VALUE probe_begin_call(VALUE self)
{
    if (!tc_enabled()) return Qnil;
    tclock_t *c = hook_current();
    unit_t *u = c ? c->innermost : NULL;
    if (!u || c->follows) return Qnil;
    if (c->call_depth++) return Qnil; /* inside another one */
    if (!calls_known(c, u)) return Qnil;
    c->call_unit = u;
    c->call_base = calls_totals(c);
    return Qnil;
}

/* end_call(kind, error): ends the call. `kind` of nil forgets it, for what turned out not to be one. */
static VALUE probe_end_call(VALUE self, VALUE kind, VALUE error)
{
    if (!tc_enabled()) return Qnil;
    tclock_t *c = hook_current();
    if (!c || !c->call_depth || --c->call_depth) return Qnil;
    unit_t *u = c->call_unit;
    c->call_unit = NULL;
    if (!u || !calls_known(c, u) || !FIXNUM_P(kind)) return Qnil;
    uint64_t number = (uint64_t)FIX2LONG(kind);
    if (number >= calls.count) return Qnil;
    measurement_t m;
    totals_t now = calls_totals(c), span = totals_since(&now, &c->call_base);
    unit_convert(&span, 0, &m);
    unit_lock();
    call_tally_t *tally = calls_tally(u, (uint32_t)number);
    if (tally) calls_count(tally, &m, RTEST(error));
    unit_unlock();
    return Qnil;
}

void calls_init(VALUE probe)
{
    rb_define_singleton_method(probe, "call_kind", probe_call_kind, 1);
    rb_define_singleton_method(probe, "begin_call", probe_begin_call, 0);
    rb_define_singleton_method(probe, "end_call", probe_end_call, 2);
}
