/*
 * Holdup::Probe: the Ruby-visible methods. One translation unit: the parts are headers with static functions only, so
 * that the compiler sees the whole hook at once and nothing but Init_holdup is exported.
 */
#include <ruby.h>

#include "capture_methods.h"
#include "fibers.h"
#include "holders_methods.h"
#include "hook.h"
#include "init.h"
#include "segment_file.h"
#include "segment_record.h"
#include "text.h"
#include "ticks.h"

/*
 * Starts measuring.
 * @raise [Holdup::UnsupportedError] when other gems hold all of Ruby's per-thread storage keys
 */
static VALUE probe_enable(VALUE self)
{
    if (tc_enabled()) return Qfalse;
    if (hook_forked) return Qfalse;
    hook_make_key();
    clk_start();
    const char *mn = getenv("RUBY_MN_THREADS");
    tc.mn = mn && *mn == '1';
    if (!reg.main) reg.main = reg_add_ledger(tc.mn);
    if (!reg.main) rb_memerror();
    hook_clock_living_threads();
    hook_install();
    hook_begin_epoch();
    return Qtrue;
}

static VALUE probe_disable(VALUE self)
{
    bool was = tc_enabled();
    __atomic_store_n(&tc.enabled, false, __ATOMIC_RELEASE);
    return was ? Qtrue : Qfalse;
}

static VALUE probe_enabled_p(VALUE self)
{
    return tc_enabled() ? Qtrue : Qfalse;
}

static VALUE probe_forked_p(VALUE self)
{
    return hook_forked ? Qtrue : Qfalse;
}

/* In a forked child: forgets the parent's threads and counts. The segment is already let go. */
static VALUE probe_after_fork(VALUE self)
{
    if (!hook_forked) return Qfalse;
    VALUE thread = rb_thread_current();
    tclock_t *current = reg_clock(thread);
    if (current) {
        blame_t *ledger = current->blame;
        unit_abandon_all(current);
        uint32_t number = current->number;
        memset(current, 0, sizeof(*current));
        current->number = number;
        current->blame = ledger;
        current->thread = thread;
        current->cpu_ns = TC_CPU_UNREAD;
    }
    reg_reset_after_fork(current);
    hook_forked = false;
    return Qtrue;
}

/* --- units --- */

static uint8_t probe_pool(VALUE name)
{
    if (!RB_TYPE_P(name, T_STRING) || !RSTRING_LEN(name)) return POOLS_NONE;
    char room[SEG_POOL_BYTES];
    seg_text_t text = {RSTRING_PTR(name), (size_t)RSTRING_LEN(name)};
    if (text.bytes > sizeof(room)) text = text_sanitise(name, room, sizeof(room));
    unit_lock();
    uint8_t index = pools_find(text.text, text.bytes);
    unit_unlock();
    return index;
}

/* enter(pool = nil): of the thread. @return [Integer] handle of the new unit, 0 when the probe is off */
static VALUE probe_enter(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    if (!tc_enabled()) return INT2FIX(0);
    tclock_t *c = hook_current();
    if (!c) return INT2FIX(0);
    uint8_t pool = argc ? probe_pool(argv[0]) : POOLS_NONE;
    return ULL2NUM(fib_follow(c) ? fib_enter(c, pool) : unit_enter(c, pool));
}

/* pools = names: in which order their gauges are told. */
static VALUE probe_set_pools(VALUE self, VALUE names)
{
    Check_Type(names, T_ARRAY);
    uint32_t count = 0;
    for (long i = 0; i < RARRAY_LEN(names) && count < SEG_POOLS; i++) pools.order[count++] = probe_pool(RARRAY_AREF(names, i));
    pools.ordered = count;
    return names;
}

/*
 * follow_fibers(on): whether units on all threads are measured by fiber; else only on threads that have a fiber
 * scheduler when their unit begins. Where units are open, from the next on.
 */
static VALUE probe_follow_fibers(VALUE self, VALUE on)
{
    fib.always = RTEST(on);
    return on;
}

typedef struct {
    measurement_t unit, excess;
    uint32_t nested;
} probe_ended_t;

static bool probe_end(VALUE handle, probe_ended_t *ended, bool counted)
{
    unit_t *u = FIXNUM_P(handle) ? unit_find((uint64_t)FIX2LONG(handle)) : NULL;
    if (!u) return false;
    ended->unit.queued_ns = UNIT_UNKNOWN;
    if (u->clock->follows) return fib_leave(u, hook_current(), counted, &ended->unit, &ended->excess, &ended->nested);
    return unit_leave(u, hook_current(), &ended->unit, &ended->excess, &ended->nested);
}

static VALUE probe_cancel(VALUE self, VALUE handle)
{
    probe_ended_t ended;
    probe_end(handle, &ended, false);
    return Qnil;
}

/* @return [Array<Integer>, nil] the numbers in the order of Holdup::Measurement; nothing is recorded */
static VALUE probe_finish(VALUE self, VALUE handle)
{
    probe_ended_t ended;
    if (!probe_end(handle, &ended, true)) return Qnil;
    VALUE numbers = rb_ary_new_capa(MEASUREMENT_WORDS);
    const uint64_t *words = (const uint64_t *)&ended.unit;
    for (size_t i = 0; i < MEASUREMENT_WORDS; i++)
        rb_ary_push(numbers, words[i] == UNIT_UNKNOWN ? Qnil : ULL2NUM(words[i]));
    return numbers;
}

/*
 * record(handle, kind, name, queue, queued_ns, error, pool = nil, priority = nil, trace = nil, path = nil): ends the unit and
 * writes it to the segment. The texts belong to the caller's frame, which keeps them alive.
 */
static VALUE probe_record(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 6, 10);
    probe_ended_t ended;
    char name[SEG_NAME_BYTES], queue[SEG_QUEUE_BYTES], pool[SEG_POOL_BYTES], priority[SEG_PRIORITY_BYTES];
    bool known = probe_end(argv[0], &ended, true);
    if (!known || !seg.base) return Qnil;
    if (FIXNUM_P(argv[4]) && FIX2LONG(argv[4]) >= 0) ended.unit.queued_ns = (uint64_t)FIX2LONG(argv[4]);
    seg_key_t key = {argv[1] == INT2FIX(SEG_JOB) ? SEG_JOB : SEG_REQUEST, text_of(argv[2], name, SEG_NAME_BYTES),
                     text_of(argv[3], queue, SEG_QUEUE_BYTES), text_of(argc > 6 ? argv[6] : Qnil, pool, SEG_POOL_BYTES),
                     text_of(argc > 7 ? argv[7] : Qnil, priority, SEG_PRIORITY_BYTES)};
    if (!key.name.bytes) key.name = seg_text("(unnamed)");
    text_trace(argc > 8 ? argv[8] : Qnil, ended.unit.trace);
    seg_lock();
    uint64_t series = seg_record(&key, text_path(argc > 9 ? argv[9] : Qnil), &ended.unit, RTEST(argv[5]));
    if (ended.nested) seg_record_nested(&ended.excess, ended.nested);
    seg_commit(); /* both or none */
    seg_unlock();
    if (CAP_ON()) capm_tell_name(argv[0], &ended.unit, series, key.kind == SEG_JOB, RTEST(argv[5]));
    return Qtrue;
}

/* charge(handle, which, ns): adds to what the open unit waited for a pool (0) or held of it (1). */
static VALUE probe_charge(VALUE self, VALUE handle, VALUE which, VALUE ns)
{
    long index = NUM2LONG(which);
    uint64_t more = NUM2ULL(ns);
    if (index < 0 || index >= UNIT_CHARGES) rb_raise(rb_eArgError, "no charge %ld: 0 or 1", index);
    unit_t *u = FIXNUM_P(handle) ? unit_find((uint64_t)FIX2LONG(handle)) : NULL;
    if (!u) return Qnil;
    u->charges[index] += more;
    if (index == 0 && CAP_ON()) capm_tell_pool(u, more);
    return Qnil;
}

/* stalled(handle): ns for which the open unit has stalled so far, asked by its own thread; nil when nobody knows. */
static VALUE probe_stalled(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    if (!u) return Qnil;
    const tclock_t *c = u->clock;
    return ULL2NUM(clk_sum_ns(c->follows ? fib_stalled(c, u) : c->tally.stalled - u->base.stalled));
}

/* --- the segment --- */

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
    if (c) tc_mark(c, CAP_SETTING, clk_now());
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

/* @return [String] "counter" or "monotonic": the clock in use, or, before the first start, the one that would be */
static VALUE probe_clock_source(VALUE self)
{
    bool counter = clk.base_ticks ? clk.counter : clk_counter_is_safe();
    return rb_utf8_str_new_cstr(counter ? "counter" : "monotonic");
}

/* For tests of the index rule against the Ruby oracle. */
static VALUE probe_bucket(VALUE self, VALUE value)
{
    return LL2NUM(hist_index(NUM2ULL(value)));
}

RUBY_FUNC_EXPORTED void Init_holdup(void)
{
    rb_ext_ractor_safe(true);
    VALUE holdup = rb_define_module("Holdup");
    histogram_dumps_init(holdup);
    mass_draws_init(holdup);
    replay_init(holdup);
    VALUE probe = rb_define_module_under(holdup, "Probe");
    hook_error = rb_const_get(holdup, rb_intern("UnsupportedError"));
    rb_gc_register_mark_object(hook_error);
    rb_gc_register_address(&hook_gc_hook);
    reg.ractor_class = rb_const_get(rb_cObject, rb_intern("Ractor"));
    rb_gc_register_mark_object(reg.ractor_class);
    fib_prepare();
    rb_define_singleton_method(probe, "enable", probe_enable, 0);
    rb_define_singleton_method(probe, "disable", probe_disable, 0);
    rb_define_singleton_method(probe, "enabled?", probe_enabled_p, 0);
    rb_define_singleton_method(probe, "forked?", probe_forked_p, 0);
    rb_define_singleton_method(probe, "after_fork", probe_after_fork, 0);
    rb_define_singleton_method(probe, "enter", probe_enter, -1);
    rb_define_singleton_method(probe, "pools=", probe_set_pools, 1);
    rb_define_singleton_method(probe, "follow_fibers", probe_follow_fibers, 1);
    rb_define_singleton_method(probe, "record", probe_record, -1);
    rb_define_singleton_method(probe, "finish", probe_finish, 1);
    rb_define_singleton_method(probe, "cancel", probe_cancel, 1);
    rb_define_singleton_method(probe, "charge", probe_charge, 3);
    rb_define_singleton_method(probe, "stalled", probe_stalled, 1);
    rb_define_singleton_method(probe, "label", probe_label, 2);
    rb_define_singleton_method(probe, "tick", probe_tick, 1);
    rb_define_singleton_method(probe, "snapshot", probe_snapshot, 0);
    rb_define_singleton_method(probe, "accounts", probe_accounts, 0);
    rb_define_singleton_method(probe, "open_segment", probe_open_segment, 5);
    rb_define_singleton_method(probe, "open_anonymous_segment", probe_open_anonymous_segment, 5);
    rb_define_singleton_method(probe, "close_segment", probe_close_segment, 0);
    rb_define_singleton_method(probe, "read_segment", probe_read_segment, 2);
    rb_define_singleton_method(probe, "identify", probe_identify, 2);
    rb_define_singleton_method(probe, "setting=", probe_set_setting, 1);
    rb_define_singleton_method(probe, "profile=", probe_set_profile, 1);
    rb_define_singleton_method(probe, "count", probe_count, 1);
    rb_define_singleton_method(probe, "clock_source", probe_clock_source, 0);
    rb_define_singleton_method(probe, "bucket", probe_bucket, 1);
    capm_init(probe);
    hld_init(probe);
}
