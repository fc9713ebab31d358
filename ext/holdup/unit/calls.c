#include "unit/calls.h"

#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "text.h"
#include "unit/call_edges.h"

/* The kind of those beyond SEG_CALL_KINDS. */
#define CALLS_OTHERS 0
/* Kinds from this number on do not get the name that they were given. */
#define CALLS_SINGLE (SEG_CALL_KINDS * 3 / 4)

uint32_t calls_kinds;

static struct {
    char names[SEG_CALL_KINDS][SEG_QUEUE_BYTES];
    size_t bytes[SEG_CALL_KINDS];
    call_tally_t *free; /* cleared */
} calls;

seg_text_t calls_name(uint32_t kind)
{
    seg_text_t name = {calls.names[kind], calls.bytes[kind]};
    return name;
}

static uint32_t calls_add_kind(seg_text_t name)
{
    calls.bytes[calls_kinds] = seg_copy(calls.names[calls_kinds], name);
    return calls_kinds++;
}

/* The number of the kind with that name; CALLS_OTHERS when there is none. */
static uint32_t calls_find_kind(seg_text_t name)
{
    for (uint32_t i = 0; i < calls_kinds; i++)
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
    if (!calls_kinds) calls_add_kind(seg_text("others"));
    uint32_t kind = calls_find_kind(name);
    if (kind != CALLS_OTHERS) return kind;
    if (calls_kinds >= CALLS_SINGLE) {
        name = calls_group(name, room);
        kind = calls_find_kind(name);
    }
    if (kind != CALLS_OTHERS || calls_kinds == SEG_CALL_KINDS) return kind;
    return calls_add_kind(name);
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

call_tally_t *calls_add_tally(unit_t *u, calls_what what, uint32_t kind)
{
    call_tally_t *tally = calls_clean_tally();
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

/* --- what they took --- */

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

/*
 * begin_call(kind = nil): a call of the open unit begins on this thread, of that kind, if it is known by now.
 * True: end_call must follow; false: no unit.
 */
static VALUE probe_begin_call(int argc, VALUE *argv, VALUE self)
{
    return calls_enter(argc ? argv[0] : Qnil) ? Qtrue : Qfalse;
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
    rb_define_singleton_method(probe, "begin_call", probe_begin_call, -1);
    rb_define_singleton_method(probe, "end_call", probe_end_call, 2);
}
