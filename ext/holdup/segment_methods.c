/*
 * Holdup::Probe's methods for the segment of its process. The caller holds the GVL.
 */
#include <ruby.h>

#include "capture_events.h"
#include "clock.h"
#include "hook.h"
#include "init.h"
#include "segment.h"
#include "segment_file.h"

static VALUE probe_open(VALUE path, bool anonymous, VALUE limit, VALUE ring, VALUE worker, VALUE generation)
{
    uint64_t series = NUM2ULL(limit), entries = NUM2ULL(ring);
    int64_t index = NIL_P(worker) ? -1 : NUM2LL(worker);
    uint64_t born = NUM2ULL(generation);
    const char *file = StringValueCStr(path);
    if (series < 1 || series > 10000) rb_raise(rb_eArgError, "series limit must be in 1..10000, got %llu", (unsigned long long)series);
    if (entries < 64 || entries > 1000000) rb_raise(rb_eArgError, "ring capacity must be in 64..1000000, got %llu", (unsigned long long)entries);
    clk_start();
    seg_lock();
    int failed = seg_open(file, anonymous, series, entries, index, born);
    seg_unlock();
    if (failed) rb_syserr_fail(failed, file);
    return Qtrue;
}

static VALUE probe_open_segment(VALUE self, VALUE path, VALUE limit, VALUE ring, VALUE worker, VALUE generation)
{
    return probe_open(path, false, limit, ring, worker, generation);
}

static VALUE probe_open_anonymous_segment(VALUE self, VALUE path, VALUE limit, VALUE ring, VALUE worker, VALUE generation)
{
    return probe_open(path, true, limit, ring, worker, generation);
}

static VALUE probe_close_segment(VALUE self)
{
    seg_close();
    return Qnil;
}

/* identify(worker, generation): which process of its server this is, known only after the segment was opened. */
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
        rb_raise(rb_eArgError, "the setting has %ld bytes, the segment has room for %d: shorten it", RSTRING_LEN(json), SEG_SETTING_BYTES);
    const tclock_t *c = CAP_ON() ? hook_current() : NULL;
    if (c) cap_tell_mark(c, CAP_SETTING, clk_now());
    return json;
}

/* What the process is and what can be turned in it: facts that do not change results. */
static VALUE probe_set_profile(VALUE self, VALUE json)
{
    StringValue(json);
    if (!seg.base) return Qnil;
    if (!seg_write_profile(RSTRING_PTR(json), (size_t)RSTRING_LEN(json)))
        rb_raise(rb_eArgError, "the profile has %ld bytes, the segment has room for %d: shorten it", RSTRING_LEN(json), SEG_PROFILE_BYTES);
    return json;
}

/*
 * read_segment(offset, length): bytes of this process's own segment, without letting go of the GVL: on a busy process each
 * read of the file would wait for its turn again. nil beyond what is there.
 */
static VALUE probe_read_segment(VALUE self, VALUE offset, VALUE length)
{
    uint64_t from = NUM2ULL(offset), bytes = NUM2ULL(length);
    if (!seg.base) return Qnil;
    uint64_t end = SEG_HEADER->series_offset + SEG_HEADER->series_count * sizeof(seg_series_t);
    if (from > end || bytes > end - from) return Qnil;
    return rb_str_new(seg.base + from, (long)bytes);
}

/* Adds to one of the process counters that Ruby code owns (10: skew clamped, 13: guard). */
static VALUE probe_count(VALUE self, VALUE counter)
{
    long index = NUM2LONG(counter);
    if (index < 0 || index >= 32) rb_raise(rb_eArgError, "no counter %ld: 0..31", index);
    if (seg.base) SEG_HEADER->counters[index]++;
    return Qnil;
}

void segment_init(VALUE probe)
{
    rb_define_singleton_method(probe, "open_segment", probe_open_segment, 5);
    rb_define_singleton_method(probe, "open_anonymous_segment", probe_open_anonymous_segment, 5);
    rb_define_singleton_method(probe, "close_segment", probe_close_segment, 0);
    rb_define_singleton_method(probe, "read_segment", probe_read_segment, 2);
    rb_define_singleton_method(probe, "identify", probe_identify, 2);
    rb_define_singleton_method(probe, "setting=", probe_set_setting, 1);
    rb_define_singleton_method(probe, "profile=", probe_set_profile, 1);
    rb_define_singleton_method(probe, "count", probe_count, 1);
}
