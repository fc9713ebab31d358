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

#define LOCK_SHARE 256 /* stacks take one part of so many of the time at most, ... */
#define LOCK_MOST_REST_NS UINT64_C(100000000) /* ... and rest no longer than this */

struct lock_sampling lock_sampling;

/* Written with the GVL. */
static struct {
    rb_postponed_job_handle_t job;
    uint32_t waker; /* the number of the thread that was asked where it has ended waits, ... */
    uint32_t ended; /* ... of how many that was, ... */
    uint64_t ticks; /* ... and how long these had lasted */
    uint64_t rest;  /* no sample until then */
    uint64_t taken, missed, stack_ns;
} samples = {.job = POSTPONED_JOB_HANDLE_INVALID};

void lock_ask(tclock_t *victim, const tclock_t *waker, uint64_t t)
{
    if ((int64_t)(samples.rest - t) > 0 || victim->blame != reg.main) return;
    if (victim->lock_waited) samples.missed++; /* it did not answer after an earlier wait */
    victim->lock_waited = victim->region;
    victim->lock_hold = victim->totals.acquisitions + 1;
    if (samples.waker != waker->number) samples.ended = samples.ticks = 0; /* that one did not answer */
    samples.waker = waker->number;
    samples.ended++;
    samples.ticks += victim->region;
    rb_postponed_job_trigger(samples.job);
}

void lock_ask_here(void)
{
    rb_postponed_job_trigger(samples.job);
}

static unit_t *lock_unit(const tclock_t *c)
{
    return c->follows ? c->current : c->innermost;
}

/* The thread runs for the first time since its wait: it has the stack yet that it waited with. */
static void lock_take_wait(tclock_t *c)
{
    uint64_t ticks = c->lock_waited;
    unit_t *u = lock_unit(c);
    c->lock_waited = 0;
    if (!u || c->lock_hold != c->totals.acquisitions) {
        samples.missed++;
        return;
    }
    places_tally(&u->places.lock_waits, places_waiting(c->thread), ticks);
    samples.taken++;
}

static void lock_take_end(const tclock_t *c)
{
    unit_t *u = lock_unit(c);
    hold_tally_t tally = {.samples = samples.ended, .ticks = samples.ticks};
    samples.ended = samples.ticks = 0;
    tally.place = places_here();
    if (u) {
        places_tally(&u->places.lock_ends, tally.place, tally.ticks);
        return;
    }
    if (!seg.base) return;
    seg_lock();
    seg_record_lock_ends(seg_text(accounts.all[c->account].label), &tally);
    seg_unlock();
}

static bool lock_ended_some(const tclock_t *c)
{
    return samples.ended && samples.waker == c->number;
}

static VALUE lock_take(VALUE given)
{
    tclock_t *c = (tclock_t *)given;
    if (c->lock_waited) lock_take_wait(c);
    if (lock_ended_some(c)) lock_take_end(c);
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

/* Runs on the thread that has ended a wait, and then on the one whose wait that was. */
static void lock_answer(void *unused)
{
    tclock_t *c = reg_clock(rb_thread_current());
    uint64_t cpu_ns = clk_cpu_ns();
    int failed = 0;
    if (!c || !tc_enabled() || !(c->lock_waited || lock_ended_some(c))) return;
    rb_protect(lock_take, (VALUE)c, &failed);
    if (failed) rb_set_errinfo(Qnil); /* out of memory: this sample is missing */
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
    samples.waker = samples.ended = 0;
    samples.ticks = samples.rest = samples.taken = samples.missed = samples.stack_ns = 0;
}

static void lock_put(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

/* lock_samples: waits whose place was taken so far, those where it was missed, and CPU time for stacks. */
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
