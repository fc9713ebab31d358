#include "capture/capture_watch.h"

#include <pthread.h>
#include <signal.h>

#include "capture/capture.h"
#include "capture/capture_ask.h"
#include "capture/capture_stack.h"
#include "hook/hook.h"
#include "hook/registry.h"

#define WATCH_WAITED_NS 5000000  /* between two looks while a thread waits, ... */
#define WATCH_BUSY_NS 10000000   /* ... while a thread runs, ... */
#define WATCH_IDLE_NS 20000000   /* ... and while nothing happens */
#define WATCH_SAMPLE_NS UINT64_C(10000000)
#define WATCH_WAITERS 16 /* stacks of waiting threads that one holder is made to take */

struct ask ask = {.job = POSTPONED_JOB_HANDLE_INVALID};

static struct {
    pthread_t thread;
    bool runs, stop;
    bool over;             /* Ruby is exiting and has stopped it: a capture that begins now has no stacks */
    uint64_t seen;         /* the ledger's sequence at the last look */
} watch;

static void watch_write(const tclock_t *c, enum stk_kind kind, uint64_t t, uint32_t stack)
{
    stk.header->taken++;
    if (stack) cap_put((cap_event_t){.thread = c->number, .time = t, .detail = stack, .unit = c->unit,
                                     .waiters = (uint16_t)BLAME_GET(c->blame->waiters),
                                     .kind = (uint8_t)kind, .flags = c->phase});
}

/*
 * Whether the thread waits and its stack is still to be taken. It must have run since measuring began; while
 * it waits its stack does not change.
 */
static bool watch_waits(const tclock_t *c, uint64_t t)
{
    return c->blame == reg.main && tc_known(c) && c->phase == TC_WAITING && c->totals.acquisitions &&
           c->waited_stack != c->at && t > c->at && clk_ns(t - c->at) >= ask.over_ns;
}

static void watch_take_waiters(uint64_t t)
{
    int room = WATCH_WAITERS;
    for (tclock_t *c = reg.clocks; c && room; c = c->next) {
        if (!watch_waits(c, t)) continue;
        c->waited_stack = c->at;
        watch_write(c, CAP_STACK_STALLED, t, stk_of(c->thread));
        room--;
    }
}

/* Runs on the thread that holds the GVL. */
static VALUE watch_take(VALUE given)
{
    tclock_t *c = (tclock_t *)given;
    uint64_t t = clk_now();
    uint32_t asked = __atomic_exchange_n(&ask.thread, 0, __ATOMIC_RELAXED), stack = stk_current();
    if (asked && asked != c->number) ask_missed();
    if (c->due) watch_write(c, CAP_STACK_STALLED, c->due, stack);
    watch_write(c, CAP_STACK_HELD, t, stack);
    c->due = 0;
    __atomic_store_n(&c->held_stack, c->totals.acquisitions, __ATOMIC_RELAXED);
    if (clk_ns(blame_waited(c->blame, t)) >= ask.over_ns) watch_take_waiters(t);
    uint64_t end = clk_now();
    ask_spent(t, end);
    stk.header->stack_ns += clk_ns(end - t);
    return Qnil;
}

static void watch_answer(void *unused)
{
    tclock_t *c = reg_clock(rb_thread_current());
    int failed = 0;
    if (!c || c->blame != reg.main || !tc_enabled()) return;
    cap_enter();
    if (CAP_ON() && ask_over_ns()) rb_protect(watch_take, (VALUE)c, &failed);
    cap_leave();
    if (failed) rb_set_errinfo(Qnil); /* out of memory: this stack is missing */
}

/* Whether to take the holder's stack: others wait and this hold has none, or the next sample is due. */
static bool watch_wants(const tclock_t *holder, uint64_t t)
{
    if (ask_rests(t)) return false;
    if (__atomic_load_n(&holder->due, __ATOMIC_RELAXED)) return true;
    if (!__atomic_load_n(&ask.elsewhere, __ATOMIC_RELAXED) &&
        clk_sum_ns(t - __atomic_load_n(&ask.answered, __ATOMIC_RELAXED)) >= WATCH_SAMPLE_NS)
        return true; /* signed: a thread may have answered since `t` */
    return clk_ns(blame_waited(holder->blame, t)) >= ask.over_ns &&
           __atomic_load_n(&holder->held_stack, __ATOMIC_RELAXED) != BLAME_GET(holder->totals.acquisitions);
}

/* Returns the time until the next look, in ns. */
static long watch_look(uint64_t t)
{
    if (!ask_try_lock()) return WATCH_WAITED_NS;
    const tclock_t *holder = BLAME_GET(reg.main->holder);
    bool holds = holder && !__atomic_load_n(&holder->hold_end, __ATOMIC_RELAXED);
    bool wanted = holds && watch_wants(holder, t);
    if (wanted) __atomic_store_n(&ask.thread, holder->number, __ATOMIC_RELAXED);
    ask_unlock();
    if (wanted) rb_postponed_job_trigger(ask.job);
    uint64_t seen = watch.seen;
    watch.seen = BLAME_GET(reg.main->seq);
    if (BLAME_GET(reg.main->waiters)) return WATCH_WAITED_NS;
    return holds || watch.seen != seen ? WATCH_BUSY_NS : WATCH_IDLE_NS;
}

static void watch_publish_costs(void)
{
    stk.header->watch_ns = clk_cpu_ns() + __atomic_load_n(&ask.elsewhere_ns, __ATOMIC_RELAXED);
    stk.header->missed = __atomic_load_n(&ask.missed, __ATOMIC_RELAXED);
}

static void *watch_run(void *unused)
{
    struct timespec pause = {.tv_nsec = WATCH_WAITED_NS};
    while (!__atomic_load_n(&watch.stop, __ATOMIC_ACQUIRE)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = watch_look(clk_now());
        watch_publish_costs();
    }
    watch_publish_costs();
    return NULL;
}

void watch_stop(void)
{
    if (!__atomic_exchange_n(&watch.runs, false, __ATOMIC_ACQ_REL)) return; /* another caller came first */
    __atomic_store_n(&watch.stop, true, __ATOMIC_RELEASE);
    pthread_join(watch.thread, NULL);
}

void watch_at_exit(VALUE unused)
{
    __atomic_store_n(&ask.over_ns, 0, __ATOMIC_RELEASE);
    watch_stop();
    watch.over = true;
}

/* Starts the watching thread with all signals blocked: they are for Ruby's threads. */
static bool watch_create(void)
{
    sigset_t all, before;
    sigfillset(&all);
    watch.stop = false;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&watch.thread, NULL, watch_run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

static void watch_prepare(void)
{
    stk_prepare();
    if (ask.job == POSTPONED_JOB_HANDLE_INVALID)
        ask.job = rb_postponed_job_preregister(0, watch_answer, NULL);
}

void watch_start(uint64_t over_ns)
{
    watch_prepare();
    if (watch.over || ask.job == POSTPONED_JOB_HANDLE_INVALID) return;
    ask.thread = 0;
    ask.missed = ask.rest = ask.elsewhere_ns = 0;
    ask.elsewhere = false;
    stk.header->over_ns = over_ns;
    __atomic_store_n(&ask.over_ns, over_ns, __ATOMIC_RELEASE);
    watch.runs = watch_create();
}

void watch_abandon(void)
{
    ask.over_ns = 0;
    ask.lock = false;
    watch.runs = false;
}
