#include "hook/allocations.h"

#include <ruby.h>

#include "init.h"
#include "random.h"
#include "segment/segment_layout.h"

/* How far samples of the slots are apart: 0.02 % of a CPU at most. */
#define ALLOC_PACE_NS UINT64_C(5000000)
#define ALLOC_EVERY_FIRST 16
#define ALLOC_EVERY_MOST 1024
#define ALLOC_HEAPS 64 /* CRuby 3.3 to 4.0 has 5, a preview of 4.1 has 12 */
#define ALLOC_NEVER UINT64_MAX

uint64_t alloc_turns = ALLOC_NEVER;

static struct {
    VALUE objects_key, malloc_key; /* 0: this Ruby has no such count */
    uint32_t epoch;        /* of the last reading */
    const tclock_t *reader;
    uint64_t objects, malloced, ran; /* all objects, bytes of malloc, how long all threads had run ... */
    uint64_t reader_ran;   /* ... and the reader */
    uint64_t malloc_seen, malloc_sum; /* Ruby's count when it was last read, and what it grew by so far */
} alloc;

/* Slots by size. A sample is an interval between two readings, with the slots known at both ends. */
static struct {
    ID stat_heap;
    uint64_t slot_bytes[ALLOC_HEAPS];
    int count;             /* 0: unknown */
    uint64_t bytes;        /* of all slots that objects ever got ... */
    uint64_t objects;      /* ... when there had been so many objects */
    uint64_t begin_bytes;  /* the same where the sample began; 0: none has */
    uint64_t ended;        /* when the last sample did */
    uint64_t every;        /* a sample for so many edges on average */
    uint64_t random;
    VALUE asking;          /* the thread that asks; 0: none */
    VALUE interruption;    /* the exception that last met a thread which was asking; nil: it has gone on */
} heaps;

/* --- asking Ruby --- */

static VALUE alloc_ask(VALUE key)
{
    return ULL2NUM(rb_gc_stat(key));
}

static VALUE alloc_known_key(const char *name)
{
    VALUE key = ID2SYM(rb_intern(name));
    int failed = 0;
    rb_protect(alloc_ask, key, &failed);
    if (failed) rb_set_errinfo(Qnil);
    return failed ? 0 : key;
}

static uint64_t heaps_stat(int heap, VALUE key)
{
    return NUM2ULL(rb_funcall(rb_mGC, heaps.stat_heap, 2, INT2FIX(heap), key));
}

static VALUE heaps_find(VALUE key)
{
    VALUE all = rb_funcall(rb_mGC, heaps.stat_heap, 0);
    size_t count = RB_TYPE_P(all, T_HASH) ? RHASH_SIZE(all) : 0;
    if (count > ALLOC_HEAPS) return Qnil;
    for (int i = 0; i < (int)count; i++) heaps.slot_bytes[i] = heaps_stat(i, key);
    heaps.count = (int)count;
    return Qnil;
}

void alloc_prepare(void)
{
    int failed = 0;
    alloc.objects_key = alloc_known_key("total_allocated_objects");
    alloc.malloc_key = alloc_known_key("malloc_increase_bytes");
    heaps.stat_heap = rb_intern("stat_heap");
    heaps.count = 0;
    heaps.asking = 0;
    if (alloc.objects_key) rb_protect(heaps_find, ID2SYM(rb_intern("slot_size")), &failed);
    if (failed) rb_set_errinfo(Qnil);
    heaps.begin_bytes = heaps.bytes = 0;
    heaps.every = ALLOC_EVERY_FIRST;
    alloc_turns = heaps.count ? 1 : ALLOC_NEVER;
}

static VALUE heaps_sum(VALUE unused)
{
    uint64_t objects = 0, bytes = 0;
    for (int i = 0; i < heaps.count; i++) {
        uint64_t of_heap = heaps_stat(i, alloc.objects_key);
        objects += of_heap;
        bytes += of_heap * heaps.slot_bytes[i];
    }
    heaps.objects = objects;
    heaps.bytes = bytes;
    return Qnil;
}

void alloc_note_interruption(void)
{
    heaps.interruption = rb_errinfo(); /* of a throw or an end of the thread: no exception */
}

int alloc_ask_slots(void)
{
    alloc_turns = ALLOC_NEVER; /* for other threads meanwhile; the next start sets it again */
    heaps.bytes = 0;
    if (blame_many || !tc_enabled()) return 0;
    int raised = 0;
    heaps.asking = rb_thread_current();
    rb_protect(heaps_sum, Qnil, &raised);
    heaps.asking = 0;
    alloc_turns = 1; /* unless this edge reads the counts */
    if (raised) alloc_note_interruption();
    return raised;
}

bool alloc_asks_here(void)
{
    return heaps.asking && heaps.asking == rb_thread_current();
}

/*
 * interruption?(error): whether an error of the probe is the application's, to which it has to go:
 * Thread#raise or a signal, which met the thread while the probe ran Ruby code. True once for each.
 */
static VALUE alloc_interruption_p(VALUE self, VALUE error)
{
    if (NIL_P(error) || heaps.interruption != error) return Qfalse;
    heaps.interruption = Qnil;
    return Qtrue;
}

void alloc_init(VALUE probe)
{
    heaps.interruption = Qnil;
    rb_gc_register_address(&heaps.interruption);
    rb_define_singleton_method(probe, "interruption?", alloc_interruption_p, 1);
}

/* --- readings --- */

static void alloc_read_malloc(void)
{
    if (!alloc.malloc_key) return;
    uint64_t now = rb_gc_stat(alloc.malloc_key);
    if (now > alloc.malloc_seen) alloc.malloc_sum += now - alloc.malloc_seen; /* else more was freed */
    alloc.malloc_seen = now;
}

void alloc_collects(bool begins)
{
    if (!alloc.malloc_key || blame_many) return;
    if (begins) alloc_read_malloc();
    else alloc.malloc_seen = rb_gc_stat(alloc.malloc_key);
}

/* Edges until the next sample begins, at random: the edges of a unit come in the same order each time. */
static uint64_t heaps_gap(uint64_t t)
{
    uint64_t elapsed = clk_ns(tc_since(heaps.ended, t));
    heaps.ended = t;
    if (elapsed < ALLOC_PACE_NS && heaps.every < ALLOC_EVERY_MOST) heaps.every *= 2;
    else if (elapsed > 2 * ALLOC_PACE_NS && heaps.every > 1) heaps.every /= 2;
    return random_next(&heaps.random) % (2 * heaps.every - 1);
}

/* The slots were asked for here or at the last reading. They count if they are of the same moment. */
static void heaps_read(tclock_t *c, uint64_t objects, uint64_t t)
{
    uint64_t begin = heaps.begin_bytes, end = heaps.objects == objects ? heaps.bytes : 0;
    heaps.bytes = 0;
    heaps.begin_bytes = end;
    alloc_turns = 1;
    if (!begin || !end || alloc.epoch != tc.epoch) return;
    c->totals.slot_bytes += end - begin;
    c->totals.slot_objects += objects - alloc.objects;
    uint64_t gap = heaps_gap(t);
    if (!gap) return; /* the next sample begins where this one ends */
    heaps.begin_bytes = 0;
    alloc_turns = gap;
}

void alloc_read(tclock_t *c, uint64_t hold_from, uint64_t t)
{
    if (!alloc.objects_key || blame_many) return;
    uint64_t objects = rb_gc_stat(alloc.objects_key);
    alloc_read_malloc();
    uint64_t open = tc_since(c->at, t), ran = c->blame->ran + open, reader_ran = c->totals.running + open;
    if (alloc.epoch == tc.epoch) {
        uint64_t span = ran - alloc.ran;
        uint64_t own = alloc.reader == c ? reader_ran - alloc.reader_ran : tc_since(hold_from, t);
        if (own > span) own = span;
        c->totals.objects += objects - alloc.objects;
        c->totals.malloc_bytes += alloc.malloc_sum - alloc.malloced;
        c->totals.objects_own += own;
        c->totals.objects_others += span - own;
    }
    if (heaps.bytes || heaps.begin_bytes) heaps_read(c, objects, t);
    alloc.epoch = tc.epoch;
    alloc.reader = c;
    alloc.objects = objects;
    alloc.malloced = alloc.malloc_sum;
    alloc.ran = ran;
    alloc.reader_ran = reader_ran;
}

uint64_t alloc_objects(void)
{
    return alloc.objects_key && !blame_many && alloc.epoch == tc.epoch ? alloc.objects : SEG_UNKNOWN;
}
