/* Holdup::Probe's methods for the segment of its process. The caller holds the GVL. */
#include <inttypes.h>
#include <ruby.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "capture/capture_events.h"
#include "clock.h"
#include "hook/hook.h"
#include "hook/process_totals.h"
#include "init.h"
#include "segment/segment.h"
#include "segment/segment_file.h"
#include "segment/segment_name.h"

#define PROBE_MOST_SERIES 10000
#define PROBE_LEAST_RING 64
#define PROBE_MOST_RING 1000000
#define PROBE_LEAST_PAIRS 256
#define PROBE_MOST_PAIRS 16384 /* an index of 16 bits has them all */

/* path, series, ring, worker, generation, and, where it is not SEG_PAIRS, the number of pairs */
static VALUE probe_open(int argc, VALUE *argv, bool anonymous)
{
    rb_check_arity(argc, 5, 6);
    seg_room_t room = {NUM2ULL(argv[1]), NUM2ULL(argv[2]), argc > 5 ? NUM2ULL(argv[5]) : SEG_PAIRS};
    int64_t index = NIL_P(argv[3]) ? -1 : NUM2LL(argv[3]);
    uint64_t born = NUM2ULL(argv[4]);
    const char *file = StringValueCStr(argv[0]);
    if (room.series < 1 || room.series > PROBE_MOST_SERIES)
        rb_raise(rb_eArgError, "series limit must be in 1..%d, got %"PRIu64, PROBE_MOST_SERIES, room.series);
    if (room.ring < PROBE_LEAST_RING || room.ring > PROBE_MOST_RING)
        rb_raise(rb_eArgError, "ring capacity must be in %d..%d, got %"PRIu64, PROBE_LEAST_RING,
                 PROBE_MOST_RING, room.ring);
    if (room.pairs < PROBE_LEAST_PAIRS || room.pairs > PROBE_MOST_PAIRS)
        rb_raise(rb_eArgError, "pair limit must be in %d..%d, got %"PRIu64, PROBE_LEAST_PAIRS,
                 PROBE_MOST_PAIRS, room.pairs);
    clk_start();
    seg_lock();
    int failed = seg_open(file, anonymous, room, index, born);
    if (!failed) process_begin_segment();
    seg_unlock();
    if (failed) rb_syserr_fail(failed, file);
    return Qtrue;
}

static VALUE probe_open_segment(int argc, VALUE *argv, VALUE self)
{
    return probe_open(argc, argv, false);
}

static VALUE probe_open_anonymous_segment(int argc, VALUE *argv, VALUE self)
{
    return probe_open(argc, argv, true);
}

/*
 * segment_room(): how many more files of this size have space beside the segment's; nil for memory without a
 * name
 */
static VALUE probe_segment_room(VALUE self)
{
    struct statvfs system;
    struct stat own;
    if (!seg.base || seg.anonymous || fstatvfs(seg.file, &system) || fstat(seg.file, &own)) return Qnil;
    if (!system.f_blocks || !own.st_blocks) return Qnil; /* a file system without a limit */
    return ULL2NUM((uint64_t)system.f_bavail * system.f_frsize / ((uint64_t)own.st_blocks * 512));
}

/*
 * name_segment_again(anonymous): makes the segment a file of its name again, or memory with a link there,
 * with all that it has. Copies some megabytes at most; units of other threads and Ractors wait for that.
 */
static VALUE probe_name_segment_again(VALUE self, VALUE anonymous)
{
    if (!seg.base) return Qfalse;
    seg_lock();
    int failed = seg_name_again(RTEST(anonymous));
    seg_unlock();
    if (failed) rb_syserr_fail(failed, "the segment");
    return Qtrue;
}

static VALUE probe_close_segment(VALUE self)
{
    seg_close();
    return Qnil;
}

/*
 * identify(worker, generation): which process of its server this is, known only after the segment was opened.
 */
static VALUE probe_identify(VALUE self, VALUE worker, VALUE generation)
{
    int64_t index = NIL_P(worker) ? -1 : NUM2LL(worker);
    uint64_t born = NUM2ULL(generation);
    if (!seg.base) return Qnil;
    SEG_HEADER->worker_index = index;
    SEG_HEADER->generation = born;
    return Qtrue;
}

static VALUE probe_set_setting(VALUE self, VALUE json)
{
    StringValue(json);
    if (!seg.base) return Qnil;
    if (!seg_write_setting(RSTRING_PTR(json), (size_t)RSTRING_LEN(json)))
        rb_raise(rb_eArgError, "the setting has %ld bytes, the segment has room for %d: shorten it",
                 RSTRING_LEN(json), SEG_SETTING_BYTES);
    const tclock_t *c = CAP_ON() ? hook_current() : NULL;
    if (c) cap_record_mark(c, CAP_SETTING, clk_now());
    return json;
}

/* What the process is and what can be turned in it: facts that do not change results. */
static VALUE probe_set_profile(VALUE self, VALUE json)
{
    StringValue(json);
    if (!seg.base) return Qnil;
    if (!seg_write_profile(RSTRING_PTR(json), (size_t)RSTRING_LEN(json)))
        rb_raise(rb_eArgError, "the profile has %ld bytes, the segment has room for %d: shorten it",
                 RSTRING_LEN(json), SEG_PROFILE_BYTES);
    return json;
}

/*
 * read_segment(offset, length): bytes of this process's own segment, without letting go of the GVL: on a busy
 * process each read of the file would wait for its turn again. nil beyond what is there.
 */
static VALUE probe_read_segment(VALUE self, VALUE offset, VALUE length)
{
    uint64_t from = NUM2ULL(offset), bytes = NUM2ULL(length);
    if (!seg.base) return Qnil;
    uint64_t end = SEG_HEADER->series_offset + SEG_HEADER->series_count * sizeof(seg_series_t);
    if (from > end || bytes > end - from) return Qnil;
    return rb_str_new(seg.base + from, (long)bytes);
}

/*
 * count(counter): adds 1 to a counter of the process. Ruby code owns :queued_clamped and :guard_failures of
 * COUNTERS.
 */
static VALUE probe_count(VALUE self, VALUE counter)
{
    long index = NUM2LONG(counter);
    if (index < 0 || index >= SEG_P_NAMED)
        rb_raise(rb_eArgError, "no counter %ld: 0..%d", index, SEG_P_NAMED - 1);
    if (seg.base) SEG_HEADER->counters[index]++;
    return Qnil;
}

#define PROBE_NAME(constant, name) [constant] = #name,

static const char *const probe_counters[SEG_P_NAMED] = {SEG_PROCESS_COUNTS(PROBE_NAME)};

static VALUE probe_number(VALUE hash, const char *name, int number)
{
    return rb_hash_aset(hash, ID2SYM(rb_intern(name)), INT2FIX(number));
}

/* Numbers that Ruby reads and never types: of counters and kinds of series, and what open_segment takes. */
static void probe_define_numbers(VALUE probe)
{
    VALUE counters = rb_hash_new(), kinds = rb_hash_new();
    for (int i = 0; i < SEG_P_NAMED; i++) probe_number(counters, probe_counters[i], i);
    probe_number(kinds, "request", SEG_REQUEST);
    probe_number(kinds, "job", SEG_JOB);
    rb_define_const(probe, "COUNTERS", rb_obj_freeze(counters));
    rb_define_const(probe, "KINDS", rb_obj_freeze(kinds));
    rb_define_const(probe, "SERIES_LIMITS", rb_range_new(INT2FIX(1), INT2FIX(PROBE_MOST_SERIES), 0));
    rb_define_const(probe, "RING_SIZES",
                    rb_range_new(INT2FIX(PROBE_LEAST_RING), INT2FIX(PROBE_MOST_RING), 0));
    rb_define_const(probe, "PAIR_LIMITS",
                    rb_range_new(INT2FIX(PROBE_LEAST_PAIRS), INT2FIX(PROBE_MOST_PAIRS), 0));
}

void segment_init(VALUE probe)
{
    probe_define_numbers(probe);
    rb_define_singleton_method(probe, "open_segment", probe_open_segment, -1);
    rb_define_singleton_method(probe, "open_anonymous_segment", probe_open_anonymous_segment, -1);
    rb_define_singleton_method(probe, "segment_room", probe_segment_room, 0);
    rb_define_singleton_method(probe, "name_segment_again", probe_name_segment_again, 1);
    rb_define_singleton_method(probe, "close_segment", probe_close_segment, 0);
    rb_define_singleton_method(probe, "read_segment", probe_read_segment, 2);
    rb_define_singleton_method(probe, "identify", probe_identify, 2);
    rb_define_singleton_method(probe, "setting=", probe_set_setting, 1);
    rb_define_singleton_method(probe, "profile=", probe_set_profile, 1);
    rb_define_singleton_method(probe, "count", probe_count, 1);
}
