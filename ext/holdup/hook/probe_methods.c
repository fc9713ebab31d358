/* Holdup::Probe's methods that switch it, and that re-arm it in a forked child. */
#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "hook/allocations.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "init.h"
#include "segment/histogram.h"
#include "unit/retained.h"

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
    tc.mn = mn && atoi(mn) > 0; /* as Ruby reads it */
    if (!reg.main) reg.main = reg_add_ledger(tc.mn);
    if (!reg.main) rb_memerror();
    hook_add_living_threads();
    hook_install();
    alloc_prepare();
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

/* A forked child forgets the parent's threads and counts. The segment is already let go. */
static VALUE probe_after_fork(VALUE self)
{
    if (!hook_forked) return Qfalse;
    VALUE thread = rb_thread_current();
    tclock_t *current = reg_clock(thread);
    retained_drop(); /* a unit of the parent */
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

/*
 * @return [String] "counter" or "monotonic": the clock in use, or, before the first start, the one that would
 *   be
 */
static VALUE probe_clock_source(VALUE self)
{
    bool counter = clk.base_ticks ? clk.counter : clk_counter_is_safe();
    return rb_utf8_str_new_cstr(counter ? "counter" : "monotonic");
}

/* Tests compare the index rule with the Ruby oracle. */
static VALUE probe_bucket(VALUE self, VALUE value)
{
    return LL2NUM(hist_index(NUM2ULL(value)));
}

void probe_init(VALUE probe)
{
    rb_define_singleton_method(probe, "enable", probe_enable, 0);
    rb_define_singleton_method(probe, "disable", probe_disable, 0);
    rb_define_singleton_method(probe, "enabled?", probe_enabled_p, 0);
    rb_define_singleton_method(probe, "forked?", probe_forked_p, 0);
    rb_define_singleton_method(probe, "after_fork", probe_after_fork, 0);
    rb_define_singleton_method(probe, "clock_source", probe_clock_source, 0);
    rb_define_singleton_method(probe, "bucket", probe_bucket, 1);
}
