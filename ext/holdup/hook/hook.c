#include "hook/hook.h"

#include <ruby/debug.h>

#include "capture/capture_events.h"
#include "capture/capture_file.h"
#include "capture/capture_watch.h"
#include "hook/allocations.h"
#include "hook/hold_samples.h"
#include "hook/lock_ends.h"
#include "hook/registry.h"
#include "hook/thread_events.h"
#include "segment/segment.h"
#include "segment/segment_file.h"
#include "segment/segment_open_units.h"
#include "unit/queries.h"

VALUE hook_error;
bool hook_forked;
static rb_internal_thread_event_hook_t *hook_handle;
static VALUE hook_gc_hook;

static void hook_started(VALUE thread)
{
    if (hook_forked) return; /* the clocks are the parent's until the child is re-armed */
    reg_reap_at_start();
    if (!tc_enabled()) return;
    tclock_t *c = reg_add_clock(thread, reg_ledger_of_new(thread));
    if (!c) return;
    c->cpu_ns = 0; /* the thread begins now, so its CPU clock does too */
    c->epoch = tc.epoch;
    if (CAP_ON()) cap_record_mark(c, CAP_STARTED, clk_now());
}

static void hook_exited(VALUE thread)
{
    tclock_t *c = reg_clock(thread);
    if (!c) return;
    rb_internal_thread_specific_set(thread, reg.key, NULL);
    if (CAP_ON()) cap_record_mark(c, CAP_EXITED, clk_now());
    tc_exited(c); /* from here on it may be freed */
    __atomic_fetch_add(&reg.ended, 1, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void hook_on_thread_edge(rb_event_flag_t event, VALUE thread)
{
    switch (event) {
      case RUBY_INTERNAL_THREAD_EVENT_STARTED: /* the creator, with the GVL: it may allocate */
        hook_started(thread);
        break;
      case RUBY_INTERNAL_THREAD_EVENT_EXITED: /* the thread itself, after the hand-over */
        hook_exited(thread);
        break;
    }
}

/* The clock of a thread whose event counts. */
static inline tclock_t *hook_measured(VALUE thread)
{
    tclock_t *c = reg_clock(thread);
    return c && tc_enabled() ? c : NULL;
}

/* Each on its own, so that an event saves only the registers that it needs itself. */
static __attribute__((noinline)) void hook_ready(VALUE thread)
{
    tclock_t *c = hook_measured(thread);
    if (!c) return;
    uint64_t t = clk_now();
    if (!tc_ready_alone(c, t)) tc_ready(c, t);
}

static __attribute__((noinline)) void hook_resumed(VALUE thread)
{
    tclock_t *c = hook_measured(thread);
    if (c && !tc_resumed_alone(c)) tc_resumed(c, clk_now());
}

static __attribute__((noinline)) void hook_suspended(VALUE thread)
{
    tclock_t *c = hook_measured(thread);
    if (c) tc_suspended(c, clk_now());
}

static void hook_on_thread_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *data,
                                 void *unused)
{
    (void)unused;
    switch (event) {
      case RUBY_INTERNAL_THREAD_EVENT_READY: /* a waker, the thread or a timer; perhaps without the GVL */
        hook_ready(data->thread);
        break;
      case RUBY_INTERNAL_THREAD_EVENT_RESUMED: /* the thread itself; it holds the GVL */
        hook_resumed(data->thread);
        break;
      case RUBY_INTERNAL_THREAD_EVENT_SUSPENDED: /* the thread itself; it still holds the GVL */
        hook_suspended(data->thread);
        break;
      default:
        hook_on_thread_edge(event, data->thread);
    }
}

/*
 * GC runs on a thread that holds the GVL, with allocation forbidden. Internal events leave YJIT's code alone.
 */
static void hook_on_gc_event(VALUE tracepoint, void *unused)
{
    (void)unused;
    bool begins =
        rb_tracearg_event_flag(rb_tracearg_from_tracepoint(tracepoint)) == RUBY_INTERNAL_EVENT_GC_ENTER;
    if (begins) __atomic_fetch_add(&query_collections, 1, __ATOMIC_RELAXED);
    if (!tc_enabled()) return;
    alloc_collects(begins);
    tclock_t *c = reg_clock(rb_thread_current());
    if (!c) return;
    if (begins) {
        c->gc_from = clk_now();
        if (CAP_ON()) cap_record_mark(c, CAP_GC_START, c->gc_from);
    }
    else if (c->gc_from) {
        uint64_t t = clk_now();
        uint64_t collected = tc_since(c->gc_from, t);
        c->totals.gc += collected;
        c->gc_held = (c->gc_hold == c->totals.acquisitions ? c->gc_held : 0) + collected;
        c->gc_hold = c->totals.acquisitions;
        c->gc_from = 0;
        if (CAP_ON()) cap_record_mark(c, CAP_GC_END, t);
    }
}

unit_t *hook_own_unit(VALUE handle)
{
    unit_t *u = unit_of(handle);
    return u && u->clock == hook_current() && u->epoch == tc.epoch && tc_enabled() ? u : NULL;
}

static void hook_atfork_prepare(void)
{
    pthread_mutex_lock(&capf_lock);
}

/* Runs in the child, on its only thread, before any Ruby code. */
static void hook_atfork_child(void)
{
    pthread_mutex_unlock(&capf_lock);
    if (!reg.has_key) return;
    tc.enabled = false;
    tc.epoch++;
    hook_forked = true;
    seg.lock = false;
    table_after_fork();
    seg_forget();
    capf_abandon();
    hold_abandon();
}

/* The parent runs it after a fork: from Ruby code, or from C code that runs without the GVL. */
static void hook_atfork_parent(void)
{
    pthread_mutex_unlock(&capf_lock);
    if (!CAP_ON() || !ruby_native_thread_p() || !ruby_thread_has_gvl_p()) return;
    tclock_t *c = reg_clock(rb_thread_current());
    if (c) cap_record_mark(c, CAP_FORK, clk_now());
}

void hook_make_key(void)
{
    if (reg.has_key) return;
    reg.key = rb_internal_thread_specific_key_create();
    if (reg.key >= REG_KEY_LIMIT)
        rb_raise(hook_error,
                 "all %d of Ruby's per-thread storage keys are taken by other gems (gvltools, profilers and "
                 "APM agents take one each): load fewer of them, or start Holdup before them", REG_KEY_LIMIT);
    reg.has_key = true;
    pthread_atfork(hook_atfork_prepare, hook_atfork_parent, hook_atfork_child);
}

void hook_install(void)
{
    if (hook_handle) return;
    hook_handle = rb_internal_thread_add_event_hook(
        hook_on_thread_event,
        RUBY_INTERNAL_THREAD_EVENT_STARTED | RUBY_INTERNAL_THREAD_EVENT_READY |
            RUBY_INTERNAL_THREAD_EVENT_RESUMED | RUBY_INTERNAL_THREAD_EVENT_SUSPENDED |
            RUBY_INTERNAL_THREAD_EVENT_EXITED,
        NULL);
    hook_gc_hook = rb_tracepoint_new(0, RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT,
                                     hook_on_gc_event, NULL);
    rb_tracepoint_enable(hook_gc_hook);
    rb_set_end_proc(watch_at_exit, Qnil);
    rb_set_end_proc(hold_at_exit, Qnil);
}

void hook_add_living_threads(void)
{
    VALUE threads = rb_funcall(rb_cThread, rb_intern("list"), 0);
    for (long i = 0; i < RARRAY_LEN(threads); i++) {
        VALUE thread = RARRAY_AREF(threads, i);
        if (!reg_clock(thread)) reg_add_clock(thread, reg.main);
    }
}

void hook_begin_epoch(void)
{
    tc.epoch++;
    tclock_t *current = hook_current();
    for (blame_t *b = reg.ledgers; b; b = b->next) blame_reset(b, NULL);
    blame_reset(current->blame, current);
    tc_begin_epoch(current);
    uint64_t t = clk_now();
    tc_settle(current, t);
    current->native = pthread_self();
    __atomic_store_n(&tc.enabled, true, __ATOMIC_RELEASE);
}

void hook_prepare(VALUE holdup)
{
    hook_error = rb_const_get(holdup, rb_intern("UnsupportedError"));
    rb_gc_register_mark_object(hook_error);
    rb_gc_register_address(&hook_gc_hook);
    lock_ends_prepare();
    reg.ractor_class = rb_const_get(rb_cObject, rb_intern("Ractor"));
    rb_gc_register_mark_object(reg.ractor_class);
}
