#include "hook/hold_samples.h"

#include <pthread.h>
#include <ruby/debug.h>
#include <signal.h>
#include <time.h>

#include "capture/capture_ask.h"
#include "hook/accounts.h"
#include "hook/allocations.h"
#include "hook/hold_places.h"
#include "hook/hook.h"
#include "hook/lock_samples.h"
#include "hook/open_states.h"
#include "hook/registry.h"
#include "hook/wakes.h"
#include "init.h"
#include "segment/segment_record.h"

#define HOLD_AGAIN_NS UINT64_C(10000000) /* between two samples of a hold */
#define HOLD_LEAST_PAUSE_NS 1000000
#define HOLD_MOST_PAUSE_NS 10000000
/* An answer that takes longer, GC aside, comes from C code that does not check for interrupts. */
#define HOLD_LATE_NS UINT64_C(10000000)
#define HOLD_SHARE 256      /* stacks take one part of so many of the time at most, ... */
/* ... but one that a GC interrupted does not end sampling for long. */
#define HOLD_MOST_REST_NS UINT64_C(100000000)
/*
 * After a tick has woken it: the thread that ticks has the GVL only for that, and would be taken for who
 * holds it.
 */
#define HOLD_FIRST_STATES_NS UINT64_C(20000000)
#define HOLD_CALM_LOOKS 5   /* looks without a waiting thread, after which the watching thread sleeps */
#define HOLD_CALM_NS UINT64_C(1000000) /* less stall than this between two looks does not count */

struct hold hold;

static struct {
    uint64_t over_ns;      /* of a hold; 0: off */
    rb_postponed_job_handle_t job;
    pthread_t thread;
    wakes_t wakes;
    bool runs, stop, over; /* over: Ruby is exiting */
    uint64_t watch_ns;     /* CPU of the watching thread */
    uint64_t seen;         /* G of the main ledger at the last look */
    uint32_t calm;
    uint64_t states_at;    /* when open units are looked at next (ticks) */

    /* Written by the watching thread: whom it asked, and when; `asked` is written last. */
    uint64_t asked_at, asked_hold;
    uint32_t asked;        /* number of the thread; 0: no answer is outstanding */

    /* Written with the GVL: the last sample. */
    uint32_t thread_number;
    uint64_t of_hold, at, caused, gc; /* its hold, and what that had caused and collected by then */
    uint64_t rest;
    uint64_t taken, missed, stack_ns;
} watch = {.job = POSTPONED_JOB_HANDLE_INVALID};

/* --- sleeping without cost --- */

void hold_wake(void)
{
    if (__atomic_exchange_n(&hold.parked, false, __ATOMIC_ACQ_REL)) wakes_post(&watch.wakes);
}

static bool hold_wanted(void)
{
    return tc_enabled() && __atomic_load_n(&watch.over_ns, __ATOMIC_RELAXED);
}

static bool hold_stopped(void)
{
    return __atomic_load_n(&watch.stop, __ATOMIC_ACQUIRE);
}

static void hold_publish_cost(void)
{
    __atomic_store_n(&watch.watch_ns, clk_cpu_ns(), __ATOMIC_RELAXED);
}

/* False: it was time to look at open units, and nobody woke it. */
static bool hold_sleep(void)
{
    if (!hold_wanted() || !BLAME_GET(tc.in_flight)) {
        wakes_wait(&watch.wakes);
        return true;
    }
    if (wakes_wait_for(&watch.wakes, STATES_PACE_NS)) return true;
    if (__atomic_exchange_n(&hold.parked, false, __ATOMIC_ACQ_REL)) return false;
    wakes_wait(&watch.wakes); /* somebody has just posted */
    return true;
}

static void hold_park(void)
{
    hold_publish_cost();
    __atomic_store_n(&hold.parked, true, __ATOMIC_SEQ_CST);
    bool too_late = hold_stopped() || (hold_wanted() && BLAME_GET(reg.main->waiters));
    if (too_late) hold_wake();
    if (!hold_sleep()) return;
    watch.calm = 0;
    watch.states_at = clk_now() + HOLD_FIRST_STATES_NS * CLK_UNIT / clk.rate;
}

/* --- the watching thread --- */

/* When the hold has its next sample (ticks), or 0 for never: it has ended, or no thread waits. */
static uint64_t hold_due(const tclock_t *c)
{
    if (__atomic_load_n(&c->hold_end, __ATOMIC_RELAXED) || !BLAME_GET(reg.main->waiters)) return 0;
    uint64_t over = watch.over_ns * CLK_UNIT / clk.rate, again = HOLD_AGAIN_NS * CLK_UNIT / clk.rate;
    uint64_t due = BLAME_GET(c->hold_from) + over;
    if (BLAME_GET(watch.of_hold) == BLAME_GET(c->totals.acquisitions) &&
        BLAME_GET(watch.thread_number) == c->number) {
        uint64_t next = BLAME_GET(watch.at) + again;
        if ((int64_t)(next - due) > 0) due = next;
    }
    uint64_t rest = BLAME_GET(watch.rest);
    return (int64_t)(rest - due) > 0 ? rest : due;
}

/* Whether an answer of this very hold is outstanding. */
static bool hold_asked(const tclock_t *c)
{
    return __atomic_load_n(&watch.asked, __ATOMIC_ACQUIRE) == c->number &&
           BLAME_GET(watch.asked_hold) == BLAME_GET(c->totals.acquisitions);
}

static void hold_ask(const tclock_t *c, uint64_t t)
{
    if (__atomic_exchange_n(&watch.asked, 0, __ATOMIC_ACQ_REL)) BLAME_SET(watch.missed, watch.missed + 1);
    BLAME_SET(watch.asked_at, t);
    BLAME_SET(watch.asked_hold, BLAME_GET(c->totals.acquisitions));
    __atomic_store_n(&watch.asked, c->number, __ATOMIC_RELEASE);
}

/* Looks at the holder, and asks it when a sample is due. Until the next look, in ns. */
static uint64_t hold_look(uint64_t t)
{
    uint64_t pause = HOLD_MOST_PAUSE_NS;
    if (!ask_try_lock()) return HOLD_LEAST_PAUSE_NS;
    const tclock_t *c = BLAME_GET(reg.main->holder);
    uint64_t due = c ? hold_due(c) : 0;
    bool now = due && (int64_t)(due - t) <= 0;
    if (now && hold_asked(c)) now = false;
    else if (now) hold_ask(c, t);
    else if (due && clk_ns(due - t) < pause) pause = clk_ns(due - t);
    ask_unlock();
    if (now) rb_postponed_job_trigger(watch.job);
    return pause > HOLD_LEAST_PAUSE_NS ? pause : HOLD_LEAST_PAUSE_NS;
}

/* Whether no thread has waited for the last few looks. */
static bool hold_calm(uint64_t t)
{
    uint64_t stalled = blame_waited(reg.main, t);
    bool waited = BLAME_GET(reg.main->waiters) || clk_sum_ns(stalled - watch.seen) > HOLD_CALM_NS;
    watch.seen = stalled;
    watch.calm = waited ? 0 : watch.calm + 1;
    return watch.calm >= HOLD_CALM_LOOKS;
}

/*
 * Looks at what open units do when that is due; while somebody else keeps clocks, at the next look. Without a
 * unit in flight nobody asks.
 */
static void hold_look_at_units(uint64_t t)
{
    if (!hold_wanted() || !BLAME_GET(tc.in_flight) || (int64_t)(t - watch.states_at) < 0) return;
    if (!ask_try_lock()) return;
    states_look(t);
    ask_unlock();
    watch.states_at = t + STATES_PACE_NS * CLK_UNIT / clk.rate;
}

static void *hold_run(void *unused)
{
    while (!hold_stopped()) {
        uint64_t t = clk_now();
        hold_look_at_units(t);
        if (!hold_wanted() || hold_calm(t)) {
            hold_park();
            continue;
        }
        struct timespec pause = {.tv_nsec = (long)hold_look(t)};
        nanosleep(&pause, NULL);
    }
    hold_publish_cost();
    return NULL;
}

/* --- the answer, on the thread that holds the GVL --- */

/* How the stall since the last sample of the hold is divided. */
static void hold_divide(const tclock_t *c, uint64_t t, uint64_t caused, uint64_t late,
                        uint64_t ticks[PLACE_PARTS])
{
    bool again = watch.thread_number == c->number && watch.of_hold == c->totals.acquisitions;
    uint64_t from = again && (int64_t)(watch.at - c->hold_from) > 0 ? watch.at : c->hold_from;
    uint64_t before = again ? watch.caused : c->totals.caused;
    if ((int64_t)(c->edge_caused - before) > 0) before = c->edge_caused; /* that unit has ended */
    uint64_t gc = (c->gc_hold == c->totals.acquisitions ? c->gc_held : 0) - (again ? watch.gc : 0);
    uint64_t span = tc_since(from, t), weight = caused - before;
    ticks[PLACE_CALLED] = ticks[PLACE_GC] = ticks[PLACE_NATIVE] = 0;
    if ((int64_t)weight <= 0 || !span) return;
    if (gc > span / 10 * 9) gc = span; /* the rest is the call that began it */
    ticks[PLACE_GC] = (uint64_t)((double)weight * (double)gc / (double)span);
    bool native = late > gc && clk_ns(late - gc) >= HOLD_LATE_NS;
    ticks[native ? PLACE_NATIVE : PLACE_CALLED] = weight - ticks[PLACE_GC];
}

static void hold_keep(tclock_t *c, const uint32_t numbers[PLACE_PARTS], const uint64_t ticks[PLACE_PARTS])
{
    unit_t *u = c->follows ? c->current : c->innermost;
    for (int part = 0; part < PLACE_PARTS; part++) {
        if (!ticks[part]) continue;
        if (u) {
            places_tally(&u->places.holds, numbers[part], ticks[part]);
            table_set_place(unit_place(u), places_text(numbers[part]));
            continue;
        }
        hold_tally_t tally = {.place = numbers[part], .samples = 1, .ticks = ticks[part]};
        if (!seg.base) continue;
        seg_lock();
        seg_record_holds(seg_text(accounts.all[c->account].label), &tally);
        seg_unlock();
    }
}

/* The rest follows from CPU time: a thread that has to wait for a CPU meanwhile has not cost more. */
static void hold_spend(uint64_t cpu_ns)
{
    uint64_t rest_ns = cpu_ns * HOLD_SHARE;
    if (rest_ns > HOLD_MOST_REST_NS) rest_ns = HOLD_MOST_REST_NS;
    watch.stack_ns += cpu_ns;
    BLAME_SET(watch.rest, clk_now() + rest_ns * CLK_UNIT / clk.rate);
}

/* The hold counts anew from here on: what it has caused so far is divided, or belongs to no method. */
static void hold_mark(const tclock_t *c, uint64_t t, uint64_t caused)
{
    watch.gc = c->gc_hold == c->totals.acquisitions ? c->gc_held : 0;
    watch.caused = caused;
    BLAME_SET(watch.of_hold, c->totals.acquisitions);
    BLAME_SET(watch.at, t);
    BLAME_SET(watch.thread_number, c->number);
}

/* The probe's question to Ruby also keeps others waiting; it is not a method of the application. */
static void hold_pass(const tclock_t *c)
{
    uint64_t t = clk_now();
    totals_t now;
    tc_totals(c, t, &now);
    hold_mark(c, t, now.caused);
}

static VALUE hold_take(VALUE given)
{
    tclock_t *c = (tclock_t *)given;
    uint64_t t = clk_now(), cpu_ns = clk_cpu_ns(), ticks[PLACE_PARTS];
    uint32_t numbers[PLACE_PARTS] = {0};
    totals_t now;
    tc_totals(c, t, &now);
    hold_divide(c, t, now.caused, tc_since(BLAME_GET(watch.asked_at), t), ticks);
    if (ticks[PLACE_CALLED] | ticks[PLACE_GC] | ticks[PLACE_NATIVE]) {
        places_take(numbers, ticks);
        hold_keep(c, numbers, ticks);
        watch.taken++;
    }
    hold_mark(c, t, now.caused);
    hold_spend(clk_cpu_ns() - cpu_ns);
    return Qnil;
}

static void hold_answer(void *unused)
{
    tclock_t *c = reg_clock(rb_thread_current());
    int failed = 0;
    uint32_t asked = __atomic_exchange_n(&watch.asked, 0, __ATOMIC_ACQ_REL);
    if (!asked || !c || c->blame != reg.main || !hold_wanted()) return;
    bool other = asked != c->number || BLAME_GET(watch.asked_hold) != c->totals.acquisitions;
    bool known = !other && c->epoch == tc.epoch;
    if (!known || alloc_asks_here()) {
        BLAME_SET(watch.missed, watch.missed + 1);
        if (known) hold_pass(c);
        return;
    }
    rb_protect(hold_take, (VALUE)c, &failed);
    if (failed) rb_set_errinfo(Qnil); /* out of memory: this sample is missing */
}

/* --- beginning and ending --- */

static void hold_stop(void)
{
    if (!__atomic_exchange_n(&watch.runs, false, __ATOMIC_ACQ_REL)) return;
    __atomic_store_n(&watch.stop, true, __ATOMIC_SEQ_CST);
    hold_wake();
    pthread_join(watch.thread, NULL);
}

void hold_at_exit(VALUE unused)
{
    watch.over = true;
    __atomic_store_n(&watch.over_ns, 0, __ATOMIC_RELEASE);
    hold_stop();
}

void hold_abandon(void)
{
    watch.over_ns = 0;
    watch.runs = watch.stop = false;
    watch.asked = watch.thread_number = 0;
    watch.taken = watch.missed = watch.stack_ns = watch.watch_ns = watch.rest = watch.seen = 0;
    hold.parked = false;
    lock_samples_abandon();
    places_forget();
}

/* Starts the watching thread with all signals blocked: they are for Ruby's threads. */
static bool hold_create(void)
{
    sigset_t all, before;
    sigfillset(&all);
    watch.stop = false;
    wakes_make(&watch.wakes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&watch.thread, NULL, hold_run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/*
 * sample_holds(over_ns): from now on stacks are taken of threads that hold the GVL longer than `over_ns`
 * while others wait, and of those that wait long for locks; 0 ends that. Called after `enable`.
 * @return [Boolean] whether they are
 */
static VALUE hold_sample(VALUE self, VALUE over_ns)
{
    uint64_t over = NUM2ULL(over_ns);
    if (!tc_enabled() || hook_forked || watch.over) over = 0;
    if (over && watch.job == POSTPONED_JOB_HANDLE_INVALID)
        watch.job = rb_postponed_job_preregister(0, hold_answer, NULL);
    if (over && watch.job == POSTPONED_JOB_HANDLE_INVALID) over = 0; /* other gems have all */
    __atomic_store_n(&watch.over_ns, over, __ATOMIC_RELEASE);
    lock_samples_switch(over);
    if (!over) hold_stop();
    else if (!watch.runs) watch.runs = hold_create();
    return over && watch.runs ? Qtrue : Qfalse;
}

static void hold_put(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

/*
 * hold_samples: what sampling has done so far, and its cost: CPU of the watching thread up to its last
 * sleep or end, and of the threads that it asked.
 */
static VALUE hold_samples(VALUE self)
{
    VALUE hash = rb_hash_new();
    hold_put(hash, "taken", watch.taken);
    hold_put(hash, "missed", BLAME_GET(watch.missed));
    hold_put(hash, "places", places_count());
    hold_put(hash, "left_out", places_left_out());
    hold_put(hash, "watch_ns", BLAME_GET(watch.watch_ns));
    hold_put(hash, "stack_ns", watch.stack_ns);
    return hash;
}

void hold_samples_init(VALUE probe)
{
    rb_define_const(probe, "MOST_PLACES", INT2FIX(PLACES));
    rb_define_singleton_method(probe, "sample_holds", hold_sample, 1);
    rb_define_singleton_method(probe, "hold_samples", hold_samples, 0);
}
