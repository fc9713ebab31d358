#include "unit/calls.h"

#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "hook/allocations.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "init.h"
#include "text.h"
#include "unit/transactions.h"

/* The kind of those beyond SEG_CALL_KINDS. */
#define CALLS_OTHERS 0
/* Kinds from this number on do not get the name that they were given. */
#define CALLS_SINGLE (SEG_CALL_KINDS * 3 / 4)

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

/* The number of the kind with that name; CALLS_OTHERS when there is none. */
static uint32_t calls_find_kind(seg_text_t name)
{
    for (uint32_t i = 0; i < calls.count; i++)
        if (calls.bytes[i] == name.bytes && !memcmp(calls.names[i], name.text, name.bytes)) return i;
    return CALLS_OTHERS;
}

/*
 * "http acme.shop.example" as "http *.shop.example", and "sql 10.0.0.7" as "sql *.*.*.*": without what
 * differs from tenant to tenant. Only of names with two dots or more: others have one that means something.
 */
static seg_text_t calls_group(seg_text_t name, char *room)
{
    const char *host = memchr(name.text, ' ', name.bytes), *end = name.text + name.bytes;
    host = host ? host + 1 : name.text;
    const char *dot = memchr(host, '.', (size_t)(end - host));
    if (!dot || dot == host || !memchr(dot + 1, '.', (size_t)(end - dot - 1))) return name;
    size_t used = (size_t)(host - name.text);
    memcpy(room, name.text, used);
    room[used++] = '*';
    for (const char *from = dot; from < end; from++) {
        bool digit = *from >= '0' && *from <= '9';
        if (!digit) room[used++] = *from;
        else if (room[used - 1] != '*') room[used++] = '*';
    }
    return (seg_text_t){room, used};
}

/*
 * When few places are left, names of hosts share one by their domain: those of tenants would take all, and
 * later ones, also important ones, were "others" for good.
 */
static uint32_t calls_kind(seg_text_t name)
{
    char room[SEG_QUEUE_BYTES];
    if (!calls.count) calls_add_kind(seg_text("others"));
    uint32_t kind = calls_find_kind(name);
    if (kind != CALLS_OTHERS) return kind;
    if (calls.count >= CALLS_SINGLE) {
        name = calls_group(name, room);
        kind = calls_find_kind(name);
    }
    if (kind != CALLS_OTHERS || calls.count == SEG_CALL_KINDS) return kind;
    return calls_add_kind(name);
}

bool calls_number(VALUE kind, uint32_t *number)
{
    if (!FIXNUM_P(kind) || (uint64_t)FIX2LONG(kind) >= calls.count) return false;
    *number = (uint32_t)FIX2LONG(kind);
    return true;
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
    tally->count = tally->errors = tally->cpu_ns = 0;
    tally->next = calls.free;
    calls.free = tally;
}

static call_tally_t *calls_clean_tally(void)
{
    unit_lock();
    call_tally_t *tally = calls.free;
    if (tally) calls.free = tally->next;
    unit_unlock();
    if (tally) return tally;
    tally = calloc(1, sizeof(*tally));
    if (tally) tally->wall.lo = tally->idle.lo = HIST_BUCKETS;
    return tally;
}

/* The tally of an open unit, which only its own thread gives calls. */
static call_tally_t *calls_tally(unit_t *u, calls_what what, uint32_t kind)
{
    call_tally_t *tally = u->calls;
    while (tally && (tally->kind != kind || tally->what != what)) tally = tally->next;
    if (tally) return tally;
    tally = calls_clean_tally();
    if (!tally) return NULL;
    tally->what = what;
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

/*
 * Ticks are added up as they are, and become nanoseconds once for all calls. A sum can be some ns less than
 * the same single call was.
 */
static void calls_close_histogram(histogram_t *h, uint64_t sum)
{
    h->sum = sum;
    if (h->max > sum) h->max = sum;
    if (h->min > sum) h->min = sum;
}

/* `cpu_ns`: UNIT_CPU_UNKNOWN where nobody has read it. */
static void calls_convert_all(const totals_t *sums, uint64_t cpu_ns, measurement_t *m)
{
    unit_convert(sums, cpu_ns, m);
    if (m->gc_ns > m->running_ns) m->gc_ns = m->running_ns;
}

void calls_convert(const totals_t *sums, measurement_t *m)
{
    calls_convert_all(sums, UNIT_CPU_UNKNOWN, m);
}

void calls_measure(call_tally_t *tally, bool has_cpu, measurement_t *m)
{
    bool read = has_cpu && tally->what == CALLS_TRANSACTION;
    calls_convert_all(&tally->sums, read ? tally->cpu_ns : UNIT_CPU_UNKNOWN, m);
    calls_close_histogram(&tally->wall, m->wall_ns);
    calls_close_histogram(&tally->idle, m->idle_ns);
}

/* A call begins: the thread's totals at `t`, not an edge, which would cut the hold that others wait in. */
static void calls_begin(tclock_t *c, unit_t *u, uint64_t t)
{
    alloc_read(c, c->hold_from, t);
    c->call_unit = u;
    c->call_others = c->blame->ran - c->totals.running;
    memcpy(&c->call_base, &c->totals, TOTALS_CALL_WORDS * sizeof(uint64_t));
    c->call_base.running += tc_since(c->at, t);
}

/* Whether another thread ran in a call. Where none did, the next reading of allocations is as good. */
static bool calls_others_ran(const tclock_t *c)
{
    return c->blame->ran - c->totals.running != c->call_others;
}

static inline call_tally_t *calls_add_to(unit_t *u, calls_what what, uint32_t kind, const totals_t *base,
                                         uint64_t t, bool error)
{
    const tclock_t *c = u->clock;
    call_tally_t *tally = calls_tally(u, what, kind);
    if (!tally) return NULL;
    const uint64_t *now = (const uint64_t *)&c->totals, *then = (const uint64_t *)base;
    uint64_t *sums = (uint64_t *)&tally->sums, open = tc_since(c->at, t), idle = 0;
    for (int i = 0; i < TC_IDLE_KINDS; i++) idle += c->totals.idle[i] - base->idle[i];
    uint64_t ran = c->totals.running - base->running + open;
    for (size_t i = 0; i < TOTALS_CALL_WORDS; i++) sums[i] += now[i] - then[i];
    tally->sums.running += open;
    tally->count++;
    tally->errors += error;
    hist_observe(&tally->wall, clk_ns(ran + c->totals.stalled - base->stalled + idle), hist_store);
    hist_observe(&tally->idle, clk_ns(idle), hist_store);
    return tally;
}

void calls_add_transaction(unit_t *u, uint32_t kind, const totals_t *base, uint64_t t, uint64_t cpu_ns,
                           bool error)
{
    call_tally_t *tally = calls_add_to(u, CALLS_TRANSACTION, kind, base, t, error);
    if (tally) tally->cpu_ns += cpu_ns;
}

void calls_end(tclock_t *c, unit_t *u, uint32_t kind, bool error, uint64_t t)
{
    if (calls_others_ran(c)) alloc_read(c, c->hold_from, t);
    calls_add_to(u, CALLS_CALL, kind, &c->call_base, t, error);
    if (!transactions_open(u)) return;
    calls_add_to(u, CALLS_IN_TRANSACTION, kind, &c->call_base, t, error);
    transactions_note(u, kind, c->totals.stalled - c->call_base.stalled);
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

/* An edge of a call, where its thread's clock has not been read yet. */
static void calls_turn(void)
{
    int raised = alloc_turn();
    if (raised) rb_jump_tag(raised); /* the call is not measured */
}

bool calls_enter(void)
{
    if (!tc_enabled()) return false;
    tclock_t *c = hook_current();
    unit_t *u = c ? c->innermost : NULL;
    if (!u || c->follows) return false;
    if (!c->call_depth) calls_turn();
    if (!c->call_depth++ && calls_known(c, u)) calls_begin(c, u, clk_now());
    return true;
}

tclock_t *calls_leave(unit_t **unit)
{
    if (!tc_enabled()) return NULL;
    tclock_t *c = hook_current();
    if (!c || !c->call_depth || --c->call_depth) return NULL;
    *unit = c->call_unit;
    c->call_unit = NULL;
    if (*unit && calls_others_ran(c)) calls_turn();
    return *unit && calls_known(c, *unit) ? c : NULL;
}

/* begin_call: a call of the open unit begins on this thread. True: end_call must follow; false: no unit. */
static VALUE probe_begin_call(VALUE self)
{
    return calls_enter() ? Qtrue : Qfalse;
}

/* end_call(kind, error): ends the call. `kind` of nil forgets it, for what turned out not to be one. */
static VALUE probe_end_call(VALUE self, VALUE kind, VALUE error)
{
    unit_t *u = NULL;
    tclock_t *c = calls_leave(&u);
    uint32_t number;
    if (c && calls_number(kind, &number)) calls_end(c, u, number, RTEST(error), clk_now());
    return Qnil;
}

void calls_init(VALUE probe)
{
    rb_define_singleton_method(probe, "call_kind", probe_call_kind, 1);
    rb_define_singleton_method(probe, "begin_call", probe_begin_call, 0);
    rb_define_singleton_method(probe, "end_call", probe_end_call, 2);
}
