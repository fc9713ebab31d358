#include "unit/retained.h"

#include <ruby.h>
#include <ruby/debug.h>

#include "clock.h"
#include "hook/allocations.h"
#include "hook/hook.h"
#include "init.h"
#include "random.h"
#include "unit/followed_objects.h"

#define RETAINED_SHARE 200     /* watching takes a 200th of the time, by these estimates: */
#define RETAINED_UNIT_NS 5000  /* a watch */
#define RETAINED_OBJECT_NS 60  /* an object that is followed, until a collection frees it */
#define RETAINED_REPORT_NS 30  /* an object of any thread while a unit is watched */
#define RETAINED_WAIT_NS UINT64_C(50000000) /* for room */
#define RETAINED_LONGEST_NS UINT64_C(30000000000) /* a longer unit is not watched to its end ... */
#define RETAINED_MOST 4000000 /* ... nor one during which more objects are allocated */
#define RETAINED_ENDED 4096   /* watches that nobody has taken */
#define RETAINED_NEVER UINT64_MAX

uint64_t retained_due = RETAINED_NEVER;
uint64_t retained_handle;

#if FOLLOWED_EXIST

static struct {
    VALUE reports;     /* trace point of new objects, on while a unit is watched */
    VALUE collections; /* trace point of the ends of marking */
    VALUE ended; /* watches: see watched_units */
    VALUE name;  /* while a watch is recorded */
    VALUE major_by;
    bool on;
    bool open;        /* from retained_begin to the end of recording or dropping */
    const unit_t *unit; /* which is watched, or was */
    uint64_t began;   /* ticks */
    uint64_t random;
    uint32_t number;  /* of the watch */
    uint64_t seen;     /* all that it allocated ... */
    uint64_t reported; /* ... and all threads */
    uint64_t peak;     /* most bytes of its objects at once, with those that the next collection frees ... */
    uint64_t live;     /* ... and without them */
} kept;

static const tclock_t *retained_current(void)
{
    const tclock_t *holder = hook_holder();
    return holder ? holder : reg_clock(rb_thread_current());
}

/* Ruby reports a new object. Allocation is forbidden here. */
static void retained_on_object(VALUE tracepoint, void *unused)
{
    (void)unused;
    if (!retained_handle || blame_many) return;
    kept.reported++;
    const tclock_t *c = retained_current();
    if (!c || c->innermost != kept.unit || unit_handle(kept.unit) != retained_handle) return;
    kept.seen++;
    followed_add(rb_tracearg_object(rb_tracearg_from_tracepoint(tracepoint)));
}

static void retained_raise(uint64_t *most, uint64_t bytes)
{
    if (bytes > *most) *most = bytes;
}

/* A collection has marked, and frees nothing before this returns. Allocation is forbidden here. */
static void retained_on_collection(VALUE tracepoint, void *unused)
{
    (void)tracepoint;
    (void)unused;
    followed_leave_latest();
    if (retained_handle) retained_raise(&kept.peak, followed_bytes());
    followed_select_marked(!NIL_P(rb_gc_latest_gc_info(kept.major_by)));
    if (retained_handle) retained_raise(&kept.live, followed_bytes());
}

static void retained_pause(uint64_t pause_ns)
{
    pause_ns = pause_ns / 2 + random_next(&kept.random) % pause_ns; /* units may come at regular times */
    uint64_t rate = __atomic_load_n(&clk.rate, __ATOMIC_RELAXED);
    uint64_t ticks = (uint64_t)(((unsigned __int128)pause_ns << 32) / (rate ? rate : CLK_UNIT));
    retained_due = kept.on ? clk_now() + ticks : RETAINED_NEVER;
}

static bool retained_has_room(void)
{
    return followed_have_room() && RARRAY_LEN(kept.ended) < RETAINED_ENDED;
}

void retained_begin(const unit_t *u, uint64_t t)
{
    retained_due = RETAINED_NEVER;
    if (kept.open || !kept.on || blame_many || hook_forked) return;
    if (!retained_has_room()) {
        retained_pause(RETAINED_WAIT_NS);
        return;
    }
    kept.open = true;
    kept.number++;
    kept.unit = u;
    kept.began = t;
    kept.seen = kept.reported = kept.peak = kept.live = 0;
    followed_begin(kept.number);
    rb_tracepoint_enable(kept.reports);
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
    rb_tracepoint_disable(kept.reports);
    uint64_t objects_ns = followed_count() * RETAINED_OBJECT_NS + kept.reported * RETAINED_REPORT_NS;
    uint64_t cost_ns = RETAINED_UNIT_NS + objects_ns;
    retained_pause(cost_ns * RETAINED_SHARE);
}

void retained_drop(void)
{
    if (!kept.open) return;
    followed_drop();
    retained_close();
}

static VALUE retained_note(VALUE unused)
{
    VALUE watch = rb_ary_new_from_args(7, UINT2NUM(kept.number), kept.name, UINT2NUM(followed_stride()),
                                       ULL2NUM(kept.seen), SIZET2NUM(rb_gc_count()), ULL2NUM(kept.peak),
                                       ULL2NUM(kept.live));
    rb_ary_push(kept.ended, watch);
    return Qnil;
}

int retained_record(VALUE name)
{
    if (!kept.open) return 0;
    int raised = 0;
    if (kept.on && !blame_many) {
        followed_size_latest();
        followed_select_visible();
        retained_raise(&kept.peak, followed_bytes());
        kept.name = name;
        rb_protect(retained_note, Qnil, &raised);
        if (raised) alloc_note_interruption();
        kept.name = Qnil;
        retained_close();
    }
    else {
        retained_drop();
    }
    return raised;
}

/*
 * watch_objects(on): forgets all watches. From now on, the objects of some units are followed; false:
 * of none.
 * @return [Boolean] whether this Ruby can do that
 */
static VALUE probe_watch_objects(VALUE self, VALUE on)
{
    if (!followed_are_possible()) return Qfalse;
    if (kept.on) rb_tracepoint_disable(kept.collections);
    kept.on = false;
    retained_drop();
    followed_clear();
    kept.number = 0;
    rb_ary_clear(kept.ended);
    if (RTEST(on)) {
        rb_tracepoint_enable(kept.collections);
        kept.on = true;
    }
    retained_due = kept.on ? clk_now() : RETAINED_NEVER;
    return Qtrue;
}

/*
 * watched_units: the watches that ended since the last call. Called at each tick: it also ends what takes too
 * long.
 * @return [Array<Array>] number, name, one of how many objects is followed, how many objects it allocated,
 *   how many collections had begun when it ended; most bytes of its objects at once, with those that waited
 *   for a collection, and most bytes that a collection left
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

/*
 * retained_objects(last): what is still there of the watches up to that number.
 * @return [Hash{Integer => Array(Integer, Integer, Integer)}] by number: objects; bytes of those that stand
 *   for as many as one of how many is followed, and of those that stand for themselves
 */
static VALUE probe_retained_objects(VALUE self, VALUE last)
{
    return followed_sums(NUM2UINT(last));
}

/* forget_objects(last): those of watches up to that number are not followed any more. */
static VALUE probe_forget_objects(VALUE self, VALUE last)
{
    followed_forget(NUM2UINT(last));
    return Qnil;
}

void retained_init(VALUE probe)
{
    kept.name = Qnil;
    kept.ended = rb_ary_new();
    kept.random = (uint64_t)(uintptr_t)&kept ^ clk_read_ns(CLOCK_REALTIME);
    kept.major_by = ID2SYM(rb_intern("major_by"));
    rb_gc_latest_gc_info(kept.major_by); /* its first call makes symbols */
    followed_init();
    kept.reports = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_NEWOBJ, retained_on_object, NULL);
    kept.collections = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_GC_END_MARK, retained_on_collection, NULL);
    rb_gc_register_address(&kept.reports);
    rb_gc_register_address(&kept.collections);
    rb_gc_register_address(&kept.ended);
    rb_gc_register_address(&kept.name);
    rb_define_singleton_method(probe, "watch_objects", probe_watch_objects, 1);
    rb_define_singleton_method(probe, "watched_units", probe_watched_units, 0);
    rb_define_singleton_method(probe, "retained_objects", probe_retained_objects, 1);
    rb_define_singleton_method(probe, "forget_objects", probe_forget_objects, 1);
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

static VALUE probe_watch_objects(VALUE self, VALUE on)
{
    return Qfalse;
}

static VALUE probe_watched_units(VALUE self)
{
    return rb_ary_new();
}

static VALUE probe_retained_objects(VALUE self, VALUE last)
{
    return rb_hash_new();
}

static VALUE probe_forget_objects(VALUE self, VALUE last)
{
    return Qnil;
}

void retained_init(VALUE probe)
{
    rb_define_singleton_method(probe, "watch_objects", probe_watch_objects, 1);
    rb_define_singleton_method(probe, "watched_units", probe_watched_units, 0);
    rb_define_singleton_method(probe, "retained_objects", probe_retained_objects, 1);
    rb_define_singleton_method(probe, "forget_objects", probe_forget_objects, 1);
}
#endif
