#include "hook/lock_samples.h"

#include <ruby.h>
#include <ruby/debug.h>
#include <string.h>

#include "hook/accounts.h"
#include "hook/hold_places.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "init.h"
#include "segment/segment_record.h"

#define LOCK_ASKED 8 /* waits that one thread ends at once, as ConditionVariable#broadcast does */
#define LOCK_SHARE 256 /* stacks take one part of so many of the time at most, ... */
#define LOCK_MOST_REST_NS UINT64_C(100000000) /* ... and rest no longer than this */

struct lock_sampling lock_sampling;

/* A wait that has ended: its thread, since when that waits for the GVL, and how long it had waited. */
typedef struct {
    uint32_t victim;
    uint64_t ready, ticks;
} lock_asked_t;

/* Written with the GVL. */
static struct {
    rb_postponed_job_handle_t job;
    uint32_t waker; /* the number of the thread that was asked */
    uint32_t used;
    lock_asked_t asked[LOCK_ASKED];
    uint64_t rest;  /* no sample until then */
    uint64_t taken, missed, stack_ns;
} samples = {.job = POSTPONED_JOB_HANDLE_INVALID};

void lock_ask(const tclock_t *victim, const tclock_t *waker, uint64_t t)
{
    if ((int64_t)(samples.rest - t) > 0) return;
    if (samples.waker != waker->number) {
        samples.missed += samples.used; /* the last one never answered */
        samples.used = 0;
    }
    if (samples.used == LOCK_ASKED) {
        samples.missed++;
        return;
    }
    samples.waker = waker->number;
    samples.asked[samples.used++] = (lock_asked_t){victim->number, t, victim->region};
    rb_postponed_job_trigger(samples.job);
}

/* The thread of that wait, while it has not run since; NULL: its stack is another one now. */
static tclock_t *lock_victim(const lock_asked_t *asked)
{
    for (tclock_t *c = reg.clocks; c; c = c->next)
        if (c->number == asked->victim && tc_lives(c) && c->blame == reg.main)
            return c->phase == TC_WAITING && c->at == asked->ready ? c : NULL;
    return NULL;
}

static unit_t *lock_unit(const tclock_t *c)
{
    return c->follows ? c->current : c->innermost;
}

static void lock_keep_waker(tclock_t *c, uint32_t place, uint64_t ticks)
{
    unit_t *u = lock_unit(c);
    if (u) {
        places_tally(&u->places.lock_ends, place, ticks);
        return;
    }
    hold_tally_t tally = {.place = place, .samples = 1, .ticks = ticks};
    if (!seg.base) return;
    seg_lock();
    seg_record_lock_ends(seg_text(accounts.all[c->account].label), &tally);
    seg_unlock();
}

static void lock_take(tclock_t *waker, const lock_asked_t *asked)
{
    const tclock_t *victim = lock_victim(asked);
    unit_t *u = victim ? lock_unit(victim) : NULL;
    if (!u) {
        samples.missed++;
        return;
    }
    uint32_t place = places_waiting(victim->thread);
    places_tally(&u->places.lock_waits, place, asked->ticks);
    lock_keep_waker(waker, places_here(), asked->ticks);
    samples.taken++;
}

static VALUE lock_take_all(VALUE given)
{
    for (uint32_t i = 0; i < samples.used; i++) lock_take((tclock_t *)given, &samples.asked[i]);
    return Qnil;
}

/* The rest follows from CPU time: a thread that has to wait for a CPU meanwhile has not cost more. */
static void lock_spend(uint64_t cpu_ns)
{
    uint64_t rest_ns = cpu_ns * LOCK_SHARE;
    if (rest_ns > LOCK_MOST_REST_NS) rest_ns = LOCK_MOST_REST_NS;
    samples.stack_ns += cpu_ns;
    samples.rest = clk_now() + rest_ns * CLK_UNIT / clk.rate;
}

static void lock_answer(void *unused)
{
    tclock_t *c = reg_clock(rb_thread_current());
    uint64_t cpu_ns = clk_cpu_ns();
    int failed = 0;
    if (!samples.used || !c || c->blame != reg.main || !tc_enabled()) return;
    if (c->number != samples.waker) samples.missed += samples.used;
    else rb_protect(lock_take_all, (VALUE)c, &failed);
    if (failed) rb_set_errinfo(Qnil); /* out of memory: these samples are missing */
    samples.used = 0;
    lock_spend(clk_cpu_ns() - cpu_ns);
}

bool lock_samples_switch(bool on)
{
    if (on && samples.job == POSTPONED_JOB_HANDLE_INVALID)
        samples.job = rb_postponed_job_preregister(0, lock_answer, NULL);
    lock_sampling.least = LOCK_LONG_NS * CLK_UNIT / clk.rate;
    lock_sampling.on = on && samples.job != POSTPONED_JOB_HANDLE_INVALID;
    return lock_sampling.on == on;
}

void lock_samples_abandon(void)
{
    lock_sampling.on = false;
    samples.used = samples.waker = 0;
    samples.rest = samples.taken = samples.missed = samples.stack_ns = 0;
}

static void lock_put(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

/* lock_samples: waits whose places were taken so far, and those that were missed; and the CPU time for it. */
static VALUE lock_samples(VALUE self)
{
    VALUE hash = rb_hash_new();
    lock_put(hash, "taken", samples.taken);
    lock_put(hash, "missed", samples.missed);
    lock_put(hash, "stack_ns", samples.stack_ns);
    return hash;
}

void lock_samples_init(VALUE probe)
{
    rb_define_singleton_method(probe, "lock_samples", lock_samples, 0);
}
