/*
 * Stacks of running threads that another sampler (a profiler of the application) has taken while a capture is
 * on. They arrive after the events around them, and have names instead of frames. A stack is kept only when
 * the ring agrees: its thread had the main Ractor's GVL at that moment.
 */
#include <ruby.h>

#include "capture/capture.h"
#include "capture/capture_ask.h"
#include "capture/capture_stack.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "init.h"

static struct {
    uint64_t next;         /* number of the first event that was not read so far ... */
    uint32_t holder;       /* ... and of the thread that had the GVL before it; 0: none, or unknown */
} smp;

static bool smp_possible(void)
{
    return CAP_ON() && cap_there() && stk.header;
}

/* Skips events that newer ones have overwritten. */
static void smp_skip_lost(uint64_t head)
{
    if (head <= cap.mask + 1 || smp.next >= head - cap.mask - 1) return;
    smp.next = head - cap.mask - 1;
    smp.holder = 0;
}

/* Whether the main Ractor's GVL changes its holder with this event. */
static bool smp_switches(const cap_event_t *e)
{
    return (e->kind == CAP_RESUMED || e->kind == CAP_SUSPENDED) && e->detail == reg.main->number;
}

/* The number of the thread that had the GVL at `t`; 0 for none. Callers ask in the order of time. */
static uint32_t smp_holder_at(uint64_t t)
{
    uint64_t head = __atomic_load_n(&cap.header->head, __ATOMIC_ACQUIRE);
    for (smp_skip_lost(head); smp.next < head; smp.next++) {
        const cap_event_t *e = &cap.events[smp.next & cap.mask];
        if (__atomic_load_n(&e->commit, __ATOMIC_ACQUIRE) != (uint32_t)(smp.next + 1)) break;
        if (!smp_switches(e)) continue;
        if (e->time > t) break;
        if (e->kind == CAP_RESUMED) smp.holder = e->thread;
        else if (e->thread == smp.holder) smp.holder = 0;
    }
    return smp.holder;
}

/* The clock of that thread; NULL when it has ended. */
static tclock_t *smp_living(uint32_t number)
{
    for (tclock_t *c = reg.clocks; c; c = c->next)
        if (c->number == number && tc_lives(c)) return c;
    return NULL;
}

static uint32_t smp_intern(VALUE stack)
{
    VALUE frames[STK_DEPTH];
    int lines[STK_DEPTH], depth = 0;
    for (long i = 0; i + 1 < RARRAY_LEN(stack) && depth < STK_DEPTH; i += 2, depth++) {
        VALUE frame = RARRAY_AREF(stack, i), line = RARRAY_AREF(stack, i + 1);
        Check_Type(frame, T_ARRAY);
        if (RARRAY_LEN(frame) != 3) rb_raise(rb_eArgError, "a frame is a label, a path and a line");
        frames[depth] = frame;
        lines[depth] = FIXNUM_P(line) ? FIX2INT(line) : 0;
    }
    return stk_intern(frames, lines, depth);
}

/*
 * sample_elsewhere(on): whether from now on another sampler takes the stacks of threads that run. Holders
 * that others wait for, and threads that wait, are still asked.
 * @return [Integer, nil] number of events so far; nil outside a capture with stacks
 */
static VALUE smp_elsewhere(VALUE self, VALUE on)
{
    if (!smp_possible()) return Qnil;
    const tclock_t *c = hook_current();
    __atomic_store_n(&ask.elsewhere, RTEST(on), __ATOMIC_RELAXED);
    if (RTEST(on)) {
        smp.next = cap.header->head;
        smp.holder = c ? c->number : 0;
    }
    return ULL2NUM(cap.header->head);
}

/*
 * take_sample(thread, monotonic_ns, stack): the stack that the thread (nil: one that has ended) had then, as
 * [frame, line, frame, line ...], the innermost first. A frame is [label, path (nil: C code), line where it
 * begins]. Calls come in the order of time.
 * @return [Boolean] whether it is in the capture: that thread had the GVL then
 */
static VALUE smp_take(VALUE self, VALUE thread, VALUE monotonic_ns, VALUE stack)
{
    uint64_t t = clk_ticks_at(NUM2ULL(monotonic_ns));
    Check_Type(stack, T_ARRAY);
    if (!smp_possible()) return Qfalse;
    uint32_t holder = smp_holder_at(t);
    const tclock_t *c = smp_living(holder);
    if (!holder || c != (NIL_P(thread) ? NULL : reg_clock(thread))) {
        ask_missed();
        return Qfalse;
    }
    uint32_t number = smp_intern(stack);
    stk.header->taken++;
    cap_put((cap_event_t){.thread = holder, .time = t, .detail = number, .unit = c ? c->unit : 0,
                          .kind = CAP_STACK_HELD, .flags = c ? c->phase : TC_UNKNOWN});
    return Qtrue;
}

/* charge_capture(ns): adds the CPU time of the other sampler to that of the watching thread. */
static VALUE smp_charge(VALUE self, VALUE ns)
{
    __atomic_fetch_add(&ask.elsewhere_ns, NUM2ULL(ns), __ATOMIC_RELAXED);
    return Qnil;
}

void capture_samples_init(VALUE probe)
{
    rb_define_singleton_method(probe, "sample_elsewhere", smp_elsewhere, 1);
    rb_define_singleton_method(probe, "take_sample", smp_take, 3);
    rb_define_singleton_method(probe, "charge_capture", smp_charge, 1);
}
