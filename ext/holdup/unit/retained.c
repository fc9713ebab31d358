#include "unit/retained.h"

#include <ruby.h>
#include <ruby/debug.h>
#include <stdlib.h>

#include "clock.h"
#include "hook/allocations.h"
#include "hook/hook.h"
#include "init.h"

#define RETAINED_ENTRIES 32768 /* objects that are followed */
#define RETAINED_OBJECTS 8192  /* of one unit; of a larger one every second, fourth, ... */
#define RETAINED_LARGE 65536   /* bytes: a larger one is always followed */
#define RETAINED_LARGES 1024   /* at most so many of them */
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

#if defined(HAVE_RB_OBJ_MEMSIZE_OF) && defined(HAVE_RB_OBJ_GC_FLAGS)
/* CRuby exports them for its own objspace. None of them allocates. */
size_t rb_obj_memsize_of(VALUE object);
size_t rb_obj_gc_flags(VALUE object, ID *flags, size_t most);
int rb_objspace_internal_object_p(VALUE object);

#define RETAINED_FLAGS 8

/* An object, which is not kept alive. In the order of watches. */
typedef struct {
    VALUE object;
    uint32_t watch; /* number */
    bool old;       /* only a major collection frees it */
    bool large;     /* stands for itself alone, not for `stride` objects */
} retained_entry_t;

static struct {
    VALUE reports;     /* trace point of new objects, on while a unit is watched */
    VALUE collections; /* trace point of the ends of marking */
    VALUE ended; /* watches: see watched_units */
    VALUE name;  /* while a watch is recorded */
    VALUE mover; /* is asked to update references when objects have moved */
    VALUE major_by;
    ID marked, old;
    bool on;
    bool open;        /* from retained_begin to the end of recording or dropping */
    const unit_t *unit; /* which is watched, or was */
    uint64_t began;   /* ticks */
    uint64_t random;
    uint32_t number;  /* of the watch */
    retained_entry_t *entries;
    uint32_t used;
    uint32_t first;    /* of this watch */
    uint32_t stride, turn; /* one of `stride` objects is followed */
    uint64_t seen;     /* all that it allocated ... */
    uint64_t reported; /* ... and all threads */
    uint64_t followed;
    VALUE latest;      /* object, which is not kept alive and whose size is not known yet; 0: none */
    bool latest_followed;
    uint32_t larges;
    uint64_t peak;     /* most bytes of its objects at once, with those that the next collection frees ... */
    uint64_t live;     /* ... and without them */
} kept;

static uint64_t retained_random(void)
{
    kept.random = kept.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return kept.random >> 33;
}

/*
 * Inside a unit its object may be under construction. Those of Ruby's own types can be asked for their size
 * all the same; the extension that owns a T_DATA may not expect the question yet.
 */
static size_t retained_size(VALUE object)
{
    switch (RB_BUILTIN_TYPE(object)) {
    case RUBY_T_STRING:
    case RUBY_T_ARRAY:
    case RUBY_T_HASH:
    case RUBY_T_OBJECT:
    case RUBY_T_STRUCT:
        return rb_obj_memsize_of(object);
    default:
        return 0;
    }
}

static void retained_mark_large(retained_entry_t *e)
{
    if (e->large || kept.larges == RETAINED_LARGES || retained_size(e->object) < RETAINED_LARGE) return;
    e->large = true;
    kept.larges++;
}

/*
 * Keeps every second of this watch's objects, and the large ones. Which ones is chance: a unit often
 * allocates in one order.
 */
static void retained_thin(void)
{
    uint32_t turn = retained_random() & 1, used = kept.first;
    for (uint32_t i = kept.first; i < kept.used; i++) {
        retained_entry_t *e = &kept.entries[i];
        if (kept.stride == 1) retained_mark_large(e);
        if (e->large || turn++ & 1) kept.entries[used++] = *e;
    }
    kept.used = used;
    kept.stride *= 2;
    kept.turn = (uint32_t)(retained_random() % kept.stride);
}

static const tclock_t *retained_current(void)
{
    const tclock_t *holder = hook_holder();
    return holder ? holder : reg_clock(rb_thread_current());
}

/* An object has its memory of malloc only after it was reported, so its size is asked at the next report. */
static void retained_size_latest(void)
{
    if (kept.stride == 1 || !kept.latest) return;
    retained_entry_t latest = {kept.latest, kept.number, false, false};
    retained_entry_t *e = kept.latest_followed ? &kept.entries[kept.used - 1] : &latest;
    retained_mark_large(e);
    if (latest.large && kept.used - kept.first < RETAINED_OBJECTS) kept.entries[kept.used++] = latest;
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
    retained_size_latest();
    VALUE object = rb_tracearg_object(rb_tracearg_from_tracepoint(tracepoint));
    kept.latest = object;
    kept.latest_followed = false;
    if (kept.turn-- > 0) return;
    kept.turn = kept.stride - 1;
    if (kept.used - kept.first == RETAINED_OBJECTS) retained_thin();
    kept.entries[kept.used++] = (retained_entry_t){object, kept.number, false, false};
    kept.latest_followed = true;
    kept.followed++;
}

/* `keep`: whether an entry stays. Neither it nor this allocates. */
static void retained_select(uint32_t from, bool (*keep)(retained_entry_t *))
{
    uint32_t used = from, first = kept.first;
    for (uint32_t i = from; i < kept.used; i++) {
        if (i == kept.first) first = used;
        if (keep(&kept.entries[i])) kept.entries[used++] = kept.entries[i];
    }
    kept.first = kept.first < kept.used ? first : used;
    kept.used = used;
}

static bool retained_is_marked(retained_entry_t *e)
{
    ID flags[RETAINED_FLAGS];
    size_t count = rb_obj_gc_flags(e->object, flags, RETAINED_FLAGS);
    bool is_marked = false;
    e->old = false;
    for (size_t i = 0; i < count; i++) {
        is_marked |= flags[i] == kept.marked;
        e->old |= flags[i] == kept.old;
    }
    return is_marked;
}

static bool retained_is_old_or_marked(retained_entry_t *e)
{
    return e->old || retained_is_marked(e);
}

/* Ruby's own, which no program sees */
static bool retained_is_visible(retained_entry_t *e)
{
    return !rb_objspace_internal_object_p(e->object);
}

/* Bytes of all objects of this watch that are there, by those that are followed. Allocates nothing. */
static uint64_t retained_bytes(void)
{
    uint64_t drawn = 0, large = 0;
    for (uint32_t i = kept.first; i < kept.used; i++) {
        retained_entry_t *e = &kept.entries[i];
        if (retained_is_visible(e)) *(e->large ? &large : &drawn) += retained_size(e->object);
    }
    return drawn * kept.stride + large;
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
    kept.latest = 0;
    if (retained_handle) retained_raise(&kept.peak, retained_bytes());
    bool major = !NIL_P(rb_gc_latest_gc_info(kept.major_by));
    retained_select(0, major ? retained_is_marked : retained_is_old_or_marked);
    if (retained_handle) retained_raise(&kept.live, retained_bytes());
}

static void retained_on_move(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < kept.used; i++) kept.entries[i].object = rb_gc_location(kept.entries[i].object);
}

static const rb_data_type_t retained_mover_type = {
    .wrap_struct_name = "holdup/retained",
    .function = {.dcompact = retained_on_move},
};

static void retained_pause(uint64_t pause_ns)
{
    pause_ns = pause_ns / 2 + retained_random() % pause_ns; /* units may come at regular times */
    uint64_t rate = __atomic_load_n(&clk.rate, __ATOMIC_RELAXED);
    uint64_t ticks = (uint64_t)(((unsigned __int128)pause_ns << 32) / (rate ? rate : CLK_UNIT));
    retained_due = kept.on ? clk_now() + ticks : RETAINED_NEVER;
}

static bool retained_has_room(void)
{
    return kept.used + RETAINED_OBJECTS <= RETAINED_ENTRIES && RARRAY_LEN(kept.ended) < RETAINED_ENDED;
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
    kept.first = kept.used;
    kept.seen = kept.reported = kept.followed = kept.peak = kept.live = 0;
    kept.latest = 0;
    kept.larges = 0;
    kept.stride = 1;
    kept.turn = 0;
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
    uint64_t objects_ns = kept.followed * RETAINED_OBJECT_NS + kept.reported * RETAINED_REPORT_NS;
    uint64_t cost_ns = RETAINED_UNIT_NS + objects_ns;
    retained_pause(cost_ns * RETAINED_SHARE);
}

void retained_drop(void)
{
    if (!kept.open) return;
    kept.used = kept.first;
    retained_close();
}

static VALUE retained_note(VALUE unused)
{
    VALUE watch = rb_ary_new_from_args(7, UINT2NUM(kept.number), kept.name, UINT2NUM(kept.stride),
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
        retained_size_latest();
        retained_select(kept.first, retained_is_visible);
        retained_raise(&kept.peak, retained_bytes());
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

/* Whether this Ruby's collector says what it has marked: others may be loaded instead of CRuby's own. */
static bool retained_is_possible(void)
{
    ID flags[RETAINED_FLAGS];
    if (rb_obj_gc_flags(rb_cObject, flags, RETAINED_FLAGS) == 0) return false;
    if (!kept.entries) kept.entries = calloc(RETAINED_ENTRIES, sizeof(*kept.entries));
    return kept.entries != NULL;
}

/*
 * watch_objects(on): forgets all watches. From now on, the objects of some units are followed; false:
 * of none.
 * @return [Boolean] whether this Ruby can do that
 */
static VALUE probe_watch_objects(VALUE self, VALUE on)
{
    if (!retained_is_possible()) return Qfalse;
    if (kept.on) rb_tracepoint_disable(kept.collections);
    kept.on = false;
    retained_drop();
    kept.used = kept.number = 0;
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

typedef struct {
    uint32_t watch, objects;
    size_t bytes, large_bytes;
} retained_sum_t;

/*
 * retained_objects(last): what is still there of the watches up to that number.
 * @return [Hash{Integer => Array(Integer, Integer, Integer)}] by number: objects; bytes of those that stand
 *   for as many as one of how many is followed, and of those that stand for themselves
 */
static VALUE probe_retained_objects(VALUE self, VALUE last)
{
    uint32_t most = NUM2UINT(last), count = 0;
    VALUE found = rb_hash_new(), memory;
    size_t size = ((size_t)kept.used + 1) * sizeof(retained_sum_t);
    retained_sum_t *sums = rb_alloc_tmp_buffer(&memory, (long)size);
    for (uint32_t i = 0; i < kept.used && kept.entries[i].watch <= most; i++) { /* allocates nothing */
        if (!count || sums[count - 1].watch != kept.entries[i].watch) {
            sums[count++] = (retained_sum_t){kept.entries[i].watch, 0, 0, 0};
        }
        retained_sum_t *sum = &sums[count - 1];
        sum->objects++;
        size_t bytes = rb_obj_memsize_of(kept.entries[i].object);
        *(kept.entries[i].large ? &sum->large_bytes : &sum->bytes) += bytes;
    }
    for (uint32_t i = 0; i < count; i++) {
        VALUE sum = rb_ary_new_from_args(3, UINT2NUM(sums[i].objects), SIZET2NUM(sums[i].bytes),
                                         SIZET2NUM(sums[i].large_bytes));
        rb_hash_aset(found, UINT2NUM(sums[i].watch), sum);
    }
    rb_free_tmp_buffer(&memory);
    return found;
}

/* forget_objects(last): those of watches up to that number are not followed any more. */
static VALUE probe_forget_objects(VALUE self, VALUE last)
{
    uint32_t most = NUM2UINT(last), from = 0;
    while (from < kept.used && kept.entries[from].watch <= most) from++;
    for (uint32_t i = from; i < kept.used; i++) kept.entries[i - from] = kept.entries[i];
    kept.used -= from;
    kept.first -= kept.first < from ? kept.first : from;
    return Qnil;
}

static VALUE retained_symbol(const char *name)
{
    return ID2SYM(rb_intern(name));
}

void retained_init(VALUE probe)
{
    kept.name = Qnil;
    kept.ended = rb_ary_new();
    kept.random = (uint64_t)(uintptr_t)&kept ^ clk_read_ns(CLOCK_REALTIME);
    kept.marked = rb_intern("marked");
    kept.old = rb_intern("old");
    kept.major_by = retained_symbol("major_by");
    rb_gc_latest_gc_info(kept.major_by); /* its first call makes symbols */
    retained_is_possible();              /* likewise */
    kept.reports = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_NEWOBJ, retained_on_object, NULL);
    kept.collections = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_GC_END_MARK, retained_on_collection, NULL);
    kept.mover = TypedData_Wrap_Struct(rb_cObject, &retained_mover_type, &kept);
    rb_gc_register_address(&kept.reports);
    rb_gc_register_address(&kept.collections);
    rb_gc_register_address(&kept.mover);
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
