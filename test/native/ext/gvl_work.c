/*
 * GvlWork: exact GVL behaviour for tests and benchmarks. Each call does one thing for a stated time, in C, so
 * that what the probe must see is known beforehand.
 */
#include <ruby.h>
#include <ruby/thread.h>
#include <time.h>

static uint64_t now_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void burn_cpu(uint64_t ns)
{
    uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) { }
}

static void sleep_ns(uint64_t ns)
{
    struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&ts, NULL);
}

static void *nothing(void *unused) { return unused; }
static void *burn_without(void *ns) { burn_cpu(*(uint64_t *)ns); return NULL; }

/* Leaves the time at which it woke. */
static void *sleep_without(void *ns)
{
    sleep_ns(*(uint64_t *)ns);
    *(uint64_t *)ns = now_ns(CLOCK_MONOTONIC);
    return NULL;
}

/* GvlWork.release(n): gives the GVL up and takes it again, n times, with nothing in between. */
static VALUE gvl_release(VALUE self, VALUE times)
{
    long n = NUM2LONG(times);
    while (n-- > 0) rb_thread_call_without_gvl(nothing, NULL, NULL, NULL);
    return Qnil;
}

/* GvlWork.hold(ns): burns CPU with the GVL, checking no interrupt: it can't be preempted. */
static VALUE gvl_hold(VALUE self, VALUE ns) { burn_cpu(NUM2ULL(ns)); return Qnil; }

/* GvlWork.hold_asked(ns): burns CPU with the GVL, and checks interrupts all the while, as Array#each does. */
static VALUE gvl_hold_asked(VALUE self, VALUE ns)
{
    uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + NUM2ULL(ns);
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end) rb_thread_check_ints();
    return Qnil;
}

/* GvlWork.hold_asked_in(module): makes that its method, too. */
static VALUE gvl_hold_asked_in(VALUE self, VALUE module)
{
    rb_define_singleton_method(module, "hold_asked", gvl_hold_asked, 1);
    return Qnil;
}

/* GvlWork.block(ns): blocks in the kernel while holding the GVL. */
static VALUE gvl_block(VALUE self, VALUE ns) { sleep_ns(NUM2ULL(ns)); return Qnil; }

/* GvlWork.burn(ns): burns CPU without the GVL. */
static VALUE gvl_burn(VALUE self, VALUE ns)
{
    uint64_t n = NUM2ULL(ns);
    rb_thread_call_without_gvl(burn_without, &n, NULL, NULL);
    return Qnil;
}

/*
 * GvlWork.wait(ns): blocks in the kernel without the GVL, as a socket read does. Returns when it woke, in ns
 * of the monotonic clock: it has waited for the GVL since.
 */
static VALUE gvl_wait(VALUE self, VALUE ns)
{
    uint64_t n = NUM2ULL(ns);
    rb_thread_call_without_gvl(sleep_without, &n, NULL, NULL);
    return ULL2NUM(n);
}

/* GvlWork.read_cpu_clock(n): reads the thread's CPU clock n times, which is a system call each. */
static VALUE gvl_read_cpu_clock(VALUE self, VALUE times)
{
    long n = NUM2LONG(times);
    uint64_t last = 0;
    while (n-- > 0) last = now_ns(CLOCK_THREAD_CPUTIME_ID);
    return ULL2NUM(last);
}

static void empty(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *unused) { }

/* GvlWork.empty_hook: the price of any hook at all; nobody gets below it. */
static VALUE gvl_empty_hook(VALUE self)
{
    rb_internal_thread_add_event_hook(empty, RUBY_INTERNAL_THREAD_EVENT_MASK, NULL);
    return Qnil;
}

typedef struct { uint64_t at, idle, running; int blocking; } least_t;

static rb_internal_thread_specific_key_t least_key;

int ruby_thread_has_gvl_p(void); /* exported by 3.3, declared from 3.4 */

static inline uint64_t least_now(void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return now_ns(CLOCK_MONOTONIC);
#endif
}

static void least(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *unused)
{
    least_t *state = rb_internal_thread_specific_get(data->thread, least_key);
    if (!state || event == RUBY_INTERNAL_THREAD_EVENT_RESUMED) return;
    uint64_t now = least_now();
    if (event == RUBY_INTERNAL_THREAD_EVENT_READY) state->idle += now - state->at;
    else if (event == RUBY_INTERNAL_THREAD_EVENT_SUSPENDED) {
        state->running += now - state->at;
        state->blocking = !ruby_thread_has_gvl_p();
    }
    state->at = now;
}

/*
 * GvlWork.least_hook: the price of what a hook needs to tell running from idle on one thread: find its state
 * at each event, read the clock at two of three, and ask Ruby once how the thread gives the GVL up.
 */
static VALUE gvl_least_hook(VALUE self)
{
    static least_t state;
    least_key = rb_internal_thread_specific_key_create();
    rb_internal_thread_specific_set(rb_thread_current(), least_key, &state);
    rb_internal_thread_add_event_hook(least, RUBY_INTERNAL_THREAD_EVENT_MASK, NULL);
    return Qnil;
}

/* GvlWork.take_key: takes one of the VM's per-thread storage keys, as other gems do. */
static VALUE gvl_take_key(VALUE self) { return INT2NUM(rb_internal_thread_specific_key_create()); }

void Init_gvl_work(void)
{
    rb_ext_ractor_safe(true);
    VALUE work = rb_define_module("GvlWork");
    rb_define_singleton_method(work, "release", gvl_release, 1);
    rb_define_singleton_method(work, "hold", gvl_hold, 1);
    rb_define_singleton_method(work, "hold_asked", gvl_hold_asked, 1);
    rb_define_singleton_method(work, "hold_asked_in", gvl_hold_asked_in, 1);
    rb_define_singleton_method(work, "read_cpu_clock", gvl_read_cpu_clock, 1);
    rb_define_singleton_method(work, "block", gvl_block, 1);
    rb_define_singleton_method(work, "burn", gvl_burn, 1);
    rb_define_singleton_method(work, "wait", gvl_wait, 1);
    rb_define_singleton_method(work, "empty_hook", gvl_empty_hook, 0);
    rb_define_singleton_method(work, "least_hook", gvl_least_hook, 0);
    rb_define_singleton_method(work, "take_key", gvl_take_key, 0);
}
