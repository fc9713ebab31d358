#include "unit/retained.h"

#include <ruby.h>
#include <ruby/debug.h>
#include <stdlib.h>

#include "clock.h"
#include "hook/allocations.h"
#include "hook/hook.h"
#include "init.h"

#define RETAINED_OBJECTS 8192 /* kept of a unit; of a larger one every second, fourth, ... */
#define RETAINED_SHARE 200    /* watching takes a 200th of the time, by these estimates: */
#define RETAINED_OBJECT_NS 250 /* an object that goes into the map, and what the next collections pay */
#define RETAINED_REPORT_NS 30 /* an object of any thread while a unit is watched */
#define RETAINED_PAUSE_NS UINT64_C(10000000)
#define RETAINED_LONGEST_NS UINT64_C(30000000000) /* a longer unit is not watched to its end ... */
#define RETAINED_MOST 4000000 /* ... nor one during which more objects are allocated */
#define RETAINED_ENDED 4096   /* watches that nobody has taken */
#define RETAINED_NEVER UINT64_MAX

uint64_t retained_due = RETAINED_NEVER;
uint64_t retained_handle;

#ifdef HAVE_RB_OBJ_MEMSIZE_OF
/* CRuby exports them for its own objspace. */
size_t rb_obj_memsize_of(VALUE object);
int rb_objspace_internal_object_p(VALUE object);

static struct {
    VALUE tracepoint;
    VALUE map, ended; /* nil: off */
    ID aset;
    const unit_t *unit; /* which is watched, or was */
    uint64_t began;   /* ticks */
    uint64_t random;
    uint64_t number;  /* of the watch */
    VALUE *objects;
    uint32_t used;
    uint32_t stride, turn; /* one of `stride` objects is kept */
    uint64_t seen;    /* all that it allocated ... */
    uint64_t reported; /* ... and all threads */
    uint64_t put;     /* into the map */
    bool marked;      /* a collection has marked: what was kept may be freed */
    bool open;        /* from retained_begin to the end of recording or dropping */
    VALUE name;       /* while it is recorded */
} kept;

static uint64_t retained_random(void)
{
    kept.random = kept.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return kept.random >> 33;
}

/* Keeps every second of the objects. Which ones is chance: a unit often allocates in the same order. */
static void retained_thin(void)
{
    uint32_t from = retained_random() & 1, used = 0;
    for (uint32_t i = from; i < kept.used; i += 2) kept.objects[used++] = kept.objects[i];
    kept.used = used;
    kept.stride *= 2;
    kept.turn = (uint32_t)(retained_random() % kept.stride);
}

static const tclock_t *retained_current(void)
{
    const tclock_t *holder = hook_holder();
    return holder ? holder : reg_clock(rb_thread_current());
}

/* Allocation is forbidden here. */
static void retained_on_event(VALUE tracepoint, void *unused)
{
    (void)unused;
    rb_trace_arg_t *event = rb_tracearg_from_tracepoint(tracepoint);
    if (rb_tracearg_event_flag(event) == RUBY_INTERNAL_EVENT_GC_END_MARK) {
        kept.marked = true;
        kept.used = 0;
        return;
    }
    if (!retained_handle) return;
    kept.reported++;
    const tclock_t *c = retained_current();
    if (!c || c->innermost != kept.unit || unit_handle(kept.unit) != retained_handle) return;
    kept.seen++;
    if (kept.turn-- > 0) return;
    kept.turn = kept.stride - 1;
    if (kept.used == RETAINED_OBJECTS) retained_thin();
    kept.objects[kept.used++] = rb_tracearg_object(event);
}

void retained_begin(const unit_t *u, uint64_t t)
{
    retained_due = RETAINED_NEVER;
    if (kept.open || NIL_P(kept.map) || blame_many || hook_forked) return;
    if (RARRAY_LEN(kept.ended) >= RETAINED_ENDED) return;
    kept.open = true;
    kept.unit = u;
    kept.began = t;
    kept.used = 0;
    kept.seen = kept.reported = kept.put = 0;
    kept.stride = 1;
    kept.turn = 0;
    kept.marked = false;
    rb_tracepoint_enable(kept.tracepoint);
    retained_handle = unit_handle(u);
}

void retained_leave(void)
{
    retained_handle = 0;
}

/* The next watch comes after a time of which this one's cost is a small share. */
static void retained_close(void)
{
    retained_handle = 0;
    kept.open = false;
    rb_tracepoint_disable(kept.tracepoint);
    uint64_t t = clk_now();
    uint64_t cost_ns = kept.put * RETAINED_OBJECT_NS + kept.reported * RETAINED_REPORT_NS;
    uint64_t pause_ns = cost_ns * RETAINED_SHARE;
    if (pause_ns < RETAINED_PAUSE_NS) pause_ns = RETAINED_PAUSE_NS;
    pause_ns = pause_ns / 2 + retained_random() % pause_ns; /* units may come at regular times */
    uint64_t rate = __atomic_load_n(&clk.rate, __ATOMIC_RELAXED);
    uint64_t ticks = (uint64_t)(((unsigned __int128)pause_ns << 32) / (rate ? rate : CLK_UNIT));
    retained_due = NIL_P(kept.map) ? RETAINED_NEVER : t + ticks;
}

void retained_drop(void)
{
    if (!kept.open) return;
    retained_close();
}

static VALUE retained_fill(VALUE map)
{
    uint64_t all = kept.used;
    VALUE number = ULL2NUM(kept.number);
    for (uint64_t i = 0; i < all && kept.used; i++) { /* a collection empties it */
        VALUE object = kept.objects[i];
        if (rb_objspace_internal_object_p(object)) continue;
        rb_funcall(map, kept.aset, 2, object, number);
        kept.put++;
    }
    VALUE watch = rb_ary_new_from_args(5, number, kept.name, UINT2NUM(kept.stride), ULL2NUM(kept.seen),
                                       kept.marked ? Qfalse : Qtrue);
    rb_ary_push(kept.ended, watch);
    return Qnil;
}

int retained_record(VALUE name)
{
    if (!kept.open) return 0;
    int raised = 0;
    if (!NIL_P(kept.map) && !blame_many) {
        kept.number++;
        kept.name = name;
        rb_protect(retained_fill, kept.map, &raised);
        if (raised) alloc_note_interruption();
    }
    kept.name = Qnil;
    retained_close();
    return raised;
}

/*
 * watch_objects(map): from now on, the objects of watched units go into that ObjectSpace::WeakMap, each with
 * the number of its watch; nil: no unit is watched any more.
 * @return [Boolean] whether this Ruby can do that
 */
static VALUE probe_watch_objects(VALUE self, VALUE map)
{
    if (!NIL_P(map) && !kept.objects) kept.objects = calloc(RETAINED_OBJECTS, sizeof(*kept.objects));
    if (!kept.objects) return Qfalse;
    kept.map = map;
    if (NIL_P(map)) {
        retained_drop();
        retained_due = RETAINED_NEVER;
    }
    else if (retained_due == RETAINED_NEVER && !kept.open) retained_due = clk_now();
    return Qtrue;
}

/*
 * watched_units: the watches that ended since the last call. Called at each tick: it also ends what takes too
 * long.
 * @return [Array<Array>] number, name, one of how many objects is in the map, how many objects it
 *   allocated, whether none of them is left out because of a collection
 */
static VALUE probe_watched_units(VALUE self)
{
    VALUE ended = kept.ended;
    kept.ended = rb_ary_new();
    uint64_t open_ns = clk_ns(tc_since(kept.began, clk_now()));
    bool over = kept.reported > RETAINED_MOST || open_ns > RETAINED_LONGEST_NS;
    if (retained_handle && (over || !unit_find(retained_handle))) retained_drop();
    return ended;
}

/* object_bytes(object): its slot, and what it has from malloc */
static VALUE probe_object_bytes(VALUE self, VALUE object)
{
    return SIZET2NUM(rb_obj_memsize_of(object));
}

void retained_init(VALUE probe)
{
    kept.map = kept.name = Qnil;
    kept.ended = rb_ary_new();
    kept.random = (uint64_t)(uintptr_t)&kept ^ clk_read_ns(CLOCK_REALTIME);
    kept.aset = rb_intern("[]=");
    kept.tracepoint = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_NEWOBJ | RUBY_INTERNAL_EVENT_GC_END_MARK,
                                        retained_on_event, NULL);
    rb_gc_register_address(&kept.tracepoint);
    rb_gc_register_address(&kept.map);
    rb_gc_register_address(&kept.ended);
    rb_gc_register_address(&kept.name);
    rb_define_singleton_method(probe, "watch_objects", probe_watch_objects, 1);
    rb_define_singleton_method(probe, "watched_units", probe_watched_units, 0);
    rb_define_singleton_method(probe, "object_bytes", probe_object_bytes, 1);
}

#else /* a Ruby without these functions */

void retained_begin(const unit_t *u, uint64_t t)
{
    retained_due = RETAINED_NEVER;
}

void retained_leave(void)
{
}

void retained_drop(void)
{
}

int retained_record(VALUE name)
{
    return 0;
}

static VALUE probe_watch_objects(VALUE self, VALUE map)
{
    return Qfalse;
}

static VALUE probe_watched_units(VALUE self)
{
    return rb_ary_new();
}

static VALUE probe_object_bytes(VALUE self, VALUE object)
{
    return INT2FIX(0);
}

void retained_init(VALUE probe)
{
    rb_define_singleton_method(probe, "watch_objects", probe_watch_objects, 1);
    rb_define_singleton_method(probe, "watched_units", probe_watched_units, 0);
    rb_define_singleton_method(probe, "object_bytes", probe_object_bytes, 1);
}
#endif
