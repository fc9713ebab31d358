/*
 * What a process tells at each tick, and on demand: totals of all threads, accounts of what they did outside of units,
 * gauges. Ruby-visible methods; the caller holds the GVL.
 */
#ifndef HOLDUP_TICKS_H
#define HOLDUP_TICKS_H

#include <ruby.h>

#include "hook.h"
#include "segment_file.h"
#include "segment_record.h"
#include "text.h"

/* Names the account that a thread's time outside of units goes to. */
static VALUE probe_label(VALUE self, VALUE thread, VALUE label)
{
    char room[REG_LABEL_BYTES];
    tclock_t *c = reg.has_key ? reg_clock(thread) : NULL;
    if (!c) return Qnil;
    Check_Type(label, T_STRING);
    seg_text_t text = text_sanitise(label, room, sizeof(room) - 1);
    room[text.bytes] = '\0';
    c->account = reg_account(room);
    return Qnil;
}

static uint64_t probe_handoff(void)
{
    uint64_t ticks = 0;
    for (blame_t *b = reg.ledgers; b; b = b->next) ticks += BLAME_GET(b->handoff);
    return ticks;
}

/* Without what is still open. */
static tally_t probe_totals(void)
{
    tally_t sum = reg.departed;
    for (tclock_t *c = reg.clocks; c; c = c->next) tally_add(&sum, &c->tally);
    return sum;
}

/* With open holds and open waits, so that caused + handoff = stalled also while threads wait. */
static tally_t probe_totals_at(uint64_t t)
{
    tally_t sum = reg.departed;
    for (tclock_t *c = reg.clocks; c; c = c->next) {
        tally_t now = tc_tally(c, t);
        tally_add(&sum, &now);
    }
    return sum;
}

/* Those that live, and those that are gone and not yet reaped. */
static uint64_t probe_threads(void)
{
    uint64_t threads = 0;
    for (const tclock_t *c = reg.clocks; c; c = c->next) threads++;
    return threads;
}

static uint64_t probe_waiting(void)
{
    uint64_t waiting = 0;
    for (blame_t *b = reg.ledgers; b; b = b->next) waiting += BLAME_GET(b->waiters);
    return waiting;
}

/* Now, with the current thread's tally brought up to it. */
static uint64_t probe_settled(void)
{
    uint64_t t = clk_now();
    if (tc_enabled()) tc_settle(hook_current(), t);
    return t;
}

static void probe_write_counters(uint64_t t)
{
    uint64_t *counters = SEG_HEADER->counters;
    tally_t sum = probe_totals_at(t);
    seg_lift(&counters[SEG_P_HANDOFF], clk_sum_ns(probe_handoff()));
    counters[SEG_P_DISCARDED] = units.discarded;
    counters[SEG_P_ABANDONED] = units.abandoned;
    counters[SEG_P_BACKWARD] = tc.clock_backward;
    counters[SEG_P_RESUMED] = tc.resumed_without_ready;
    counters[SEG_P_SUSPENDED] = tc.suspended_twice;
    counters[SEG_P_HOLDER] = tc.unknown_holder;
    counters[SEG_P_GROW_FAILED] = seg.grow_failed;
    counters[SEG_P_ACQUISITIONS] = sum.acquisitions;
    seg_lift(&counters[SEG_P_GC], clk_ns(sum.gc));
    seg_lift(&counters[SEG_P_RUNNING], clk_ns(sum.running));
    seg_lift(&counters[SEG_P_STALLED], clk_sum_ns(sum.stalled));
    seg_lift(&counters[SEG_P_IDLE], clk_ns(sum.idle[TC_IO] + sum.idle[TC_LOCK] + sum.idle[TC_SLEEP]));
    seg_lift(&counters[SEG_P_CAUSED], clk_sum_ns(sum.caused));
}

static void probe_write_gauges(VALUE gauges)
{
    for (long i = 0; i < RARRAY_LEN(gauges) && i < 64; i++) {
        VALUE value = RARRAY_AREF(gauges, i);
        SEG_HEADER->gauges[i] = RB_INTEGER_TYPE_P(value) ? NUM2ULL(value) : SEG_UNKNOWN;
    }
    SEG_HEADER->gauges[1] = probe_waiting();
    SEG_HEADER->gauges[2] = tc.flight;
}

/* A thread that has held the GVL since measuring began has acquired nothing, and may have caused all stall there is. */
static bool probe_unused(const tally_t *tally)
{
    return !tally->acquisitions && !tally->running && !tally->stalled && !tally->caused;
}

static void probe_write_pools(uint64_t t)
{
    unit_lock();
    for (uint32_t i = 0; i < SEG_POOLS; i++) SEG_HEADER->counters[SEG_P_POOLS_BUSY + i] = pools_busy_ns(i, t);
    unit_unlock();
}

static void probe_write_accounts(void)
{
    for (uint32_t i = 0; i < reg.account_count; i++) {
        measurement_t m;
        if (probe_unused(&reg.accounts[i].tally)) continue;
        unit_convert(&reg.accounts[i].tally, 0, &m);
        seg_record_account(reg.accounts[i].label, &m);
    }
}

/* Readers compare accounts and counters with each other: they take those of one tick. */
static void probe_tick_moves(void)
{
    uint64_t *sequence = &SEG_HEADER->tick_seq;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(sequence, *sequence + 1, __ATOMIC_SEQ_CST);
}

/* tick(gauges): brings accounts, counters and gauges of the segment up to date, and the clock's rate. */
static VALUE probe_tick(VALUE self, VALUE gauges)
{
    Check_Type(gauges, T_ARRAY);
    if (!reg.has_key || hook_forked) return Qfalse;
    clk_calibrate();
    clk_follow_realtime();
    uint64_t t = probe_settled();
    reg_publish_all(t);
    if (!seg.base) return Qfalse;
    seg_lock();
    probe_tick_moves();
    probe_write_counters(t);
    probe_write_gauges(gauges);
    probe_write_accounts();
    probe_write_pools(clk_now());
    probe_tick_moves();
    SEG_HEADER->heartbeat_ns = clk_read_ns(CLOCK_REALTIME);
    seg_unlock();
    return Qtrue;
}

static void probe_put(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

/*
 * Totals of the process since the probe was first enabled: telescoping counters, so the difference of two snapshots is
 * exact for the time between. caused_ns + handoff_ns = stalled_ns.
 * @return [Hash{Symbol => Integer}]
 */
static VALUE probe_snapshot(VALUE self)
{
    VALUE hash = rb_hash_new();
    if (!reg.has_key) return hash;
    uint64_t t = probe_settled();
    reg_reap(t);
    tally_t sum = probe_totals_at(t);
    probe_put(hash, "running_ns", clk_ns(sum.running));
    probe_put(hash, "stalled_ns", clk_sum_ns(sum.stalled));
    probe_put(hash, "io_ns", clk_ns(sum.idle[TC_IO]));
    probe_put(hash, "lock_ns", clk_ns(sum.idle[TC_LOCK]));
    probe_put(hash, "sleep_ns", clk_ns(sum.idle[TC_SLEEP]));
    probe_put(hash, "native_ns", sum.native_ns);
    probe_put(hash, "gc_ns", clk_ns(sum.gc));
    probe_put(hash, "caused_ns", clk_sum_ns(sum.caused));
    probe_put(hash, "handoff_ns", clk_sum_ns(probe_handoff()));
    probe_put(hash, "acquisitions", sum.acquisitions);
    probe_put(hash, "preemptions", sum.preemptions);
    probe_put(hash, "threads", probe_threads());
    probe_put(hash, "waiting_threads", probe_waiting());
    probe_put(hash, "units_in_flight", tc.flight);
    probe_put(hash, "discarded", units.discarded);
    probe_put(hash, "abandoned", units.abandoned);
    probe_put(hash, "clock_backward", tc.clock_backward);
    probe_put(hash, "resumed_without_ready", tc.resumed_without_ready);
    probe_put(hash, "suspended_twice", tc.suspended_twice);
    probe_put(hash, "unknown_holder", tc.unknown_holder);
    /* The identity in the clock's own ticks: exactly zero, unless a thread begins to wait at this moment. */
    rb_hash_aset(hash, ID2SYM(rb_intern("identity_ticks")),
                 LL2NUM((long long)(sum.stalled - sum.caused - probe_handoff())));
    return hash;
}

/* @return [Hash{String => Array<Integer>}] label => [running, stalled, idle, caused] in ns, outside of units */
static VALUE probe_accounts(VALUE self)
{
    VALUE hash = rb_hash_new();
    if (!reg.has_key) return hash;
    reg_publish_all(probe_settled());
    for (uint32_t i = 0; i < reg.account_count; i++) {
        measurement_t m;
        if (probe_unused(&reg.accounts[i].tally)) continue;
        unit_convert(&reg.accounts[i].tally, 0, &m);
        rb_hash_aset(hash, rb_utf8_str_new_cstr(reg.accounts[i].label),
                     rb_ary_new_from_args(4, ULL2NUM(m.running_ns), ULL2NUM(m.stalled_ns), ULL2NUM(m.idle_ns), ULL2NUM(m.caused_ns)));
    }
    return hash;
}

#endif
