/*
 * Holdup::Probe's methods for what a process writes at each tick, and on demand: totals of all threads,
 * accounts of what they did outside of units, gauges. The caller holds the GVL.
 */
#include <ruby.h>

#include "hook/accounts.h"
#include "hook/hold_samples.h"
#include "hook/hook.h"
#include "hook/process_totals.h"
#include "hook/pair_records.h"
#include "hook/registry.h"
#include "init.h"
#include "segment/segment_name.h"
#include "segment/segment_record.h"
#include "text.h"
#include "unit/shown_units.h"

/* Names the account that a thread's time outside of units goes to. */
static VALUE probe_label(VALUE self, VALUE thread, VALUE label)
{
    char room[ACCOUNT_LABEL_BYTES];
    tclock_t *c = reg.has_key ? reg_clock(thread) : NULL;
    if (!c) return Qnil;
    Check_Type(label, T_STRING);
    seg_text_t text = text_sanitise(label, room, sizeof(room) - 1);
    room[text.bytes] = '\0';
    account_assign(c, room);
    VALUE id = c->blame->shared ? Qnil : rb_check_funcall(thread, rb_intern("native_thread_id"), 0, NULL);
    if (RB_INTEGER_TYPE_P(id)) BLAME_SET(c->native_id, NUM2ULL(id));
    return Qnil;
}

static void probe_write_counters(uint64_t t)
{
    uint64_t *counters = SEG_HEADER->counters;
    process_counts_t counts = process_counts(t);
    totals_t sum = counts.totals;
    seg_raise_counter(&counters[SEG_P_HANDOFF], clk_sum_ns(counts.handoff));
    counters[SEG_P_DISCARDED] = counts.discarded;
    counters[SEG_P_ABANDONED] = counts.abandoned;
    counters[SEG_P_BACKWARD] = counts.clock_backward;
    counters[SEG_P_RESUMED] = counts.resumed_without_ready;
    counters[SEG_P_SUSPENDED] = counts.suspended_twice;
    counters[SEG_P_HOLDER] = counts.unknown_holder;
    counters[SEG_P_UNACCOUNTED] = counts.refused;
    counters[SEG_P_GROW_FAILED] = seg.grow_failed;
    counters[SEG_P_ACQUISITIONS] = sum.acquisitions;
    seg_raise_counter(&counters[SEG_P_GC], clk_ns(sum.gc));
    seg_raise_counter(&counters[SEG_P_RUNNING], clk_ns(sum.running));
    seg_raise_counter(&counters[SEG_P_STALLED], clk_sum_ns(sum.stalled));
    seg_raise_counter(&counters[SEG_P_IDLE],
                      clk_ns(sum.idle[TC_IO] + sum.idle[TC_LOCK] + sum.idle[TC_SLEEP]));
    seg_raise_counter(&counters[SEG_P_CAUSED], clk_sum_ns(sum.caused));
}

static void probe_write_gauges(VALUE gauges)
{
    for (long i = 0; i < RARRAY_LEN(gauges) && i < SEG_GAUGES; i++) {
        VALUE value = RARRAY_AREF(gauges, i);
        SEG_HEADER->gauges[i] = RB_INTEGER_TYPE_P(value) ? NUM2ULL(value) : SEG_UNKNOWN;
    }
    SEG_HEADER->gauges[SEG_G_WAITING] = process_waiting();
    SEG_HEADER->gauges[SEG_G_IN_FLIGHT] = tc.in_flight;
}

/*
 * Whether the account is empty. A thread that has held the GVL since measuring began has acquired nothing,
 * but may have caused all stall there is.
 */
static bool probe_unused(const totals_t *totals)
{
    return !totals->acquisitions && !totals->running && !totals->stalled && !totals->caused;
}

static void probe_write_pools(uint64_t t)
{
    unit_lock();
    for (uint32_t i = 0; i < SEG_POOLS; i++) SEG_HEADER->counters[SEG_P_POOLS_BUSY + i] = pools_busy_ns(i, t);
    unit_unlock();
}

/* An account of which nothing was published needs no slot. */
static void probe_write_account(account_t *a)
{
    measurement_t m;
    totals_t all = totals_since(&a->totals, &a->carried), former = totals_since(&a->before, &a->carried);
    if (probe_unused(&all)) return;
    if (a->slot && a->written != a->generation) {
        unit_convert(&former, UNIT_CPU_UNKNOWN, &m);
        seg_record_account(a->slot, &m);
        seg_rename_account(a->slot, a->label, a->generation);
    }
    else if (!a->slot) a->slot = seg_add_account(a->label, a->generation);
    a->written = a->generation;
    unit_convert(&all, UNIT_CPU_UNKNOWN, &m);
    if (a->slot) seg_record_account(a->slot, &m);
}

static void probe_write_accounts(void)
{
    for (uint32_t i = 0; i < accounts.count; i++) probe_write_account(&accounts.all[i]);
}

/*
 * What threads waited outside of units, and whom others waited for there. A thread of another Ractor runs
 * meanwhile: it gets its name only, and the rest when it ends.
 */
static void probe_write_parties(void)
{
    for (tclock_t *c = reg.clocks; c; c = c->next) {
        pair_party_t *party = c->own_party;
        uint32_t series = account_series(c);
        if (!party || !series) continue;
        if (c->blame == reg.main) {
            pair_record(party, series);
            pair_clear(party);
            pair_settle(party, series);
        }
        else BLAME_SET(party->series, series);
    }
}

/*
 * The sequence of ticks is odd while one writes: readers that compare accounts with counters take both of one
 * tick.
 */
static void probe_advance_tick_seq(void)
{
    uint64_t *sequence = &SEG_HEADER->tick_seq;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(sequence, *sequence + 1, __ATOMIC_SEQ_CST);
}

static VALUE probe_name_state(void)
{
    static const char *const names[] = {
        [SEG_NAME_REMOVED] = "removed", [SEG_NAME_REPLACED] = "replaced", [SEG_DESCRIPTOR_CLOSED] = "closed"};
    enum seg_name found = seg_check_name();
    return found == SEG_NAMED ? Qtrue : ID2SYM(rb_intern(names[found]));
}

/*
 * tick(gauges): brings accounts, counters and gauges of the segment up to date, and the clock's rate.
 * @return [Boolean, Symbol] whether there is a segment; where it has lost its name, what has become of that:
 *   :removed, :replaced by another file, or :closed, our descriptor by the application
 */
static VALUE probe_tick(VALUE self, VALUE gauges)
{
    Check_Type(gauges, T_ARRAY);
    if (!reg.has_key || hook_forked) return Qfalse;
    clk_calibrate();
    clk_follow_realtime();
    uint64_t t = process_settled();
    accounts_publish_all(t);
    if (!seg.base) {
        accounts_finish_parties();
        return Qfalse;
    }
    seg_lock();
    probe_advance_tick_seq();
    probe_write_counters(t);
    probe_write_gauges(gauges);
    probe_write_accounts();
    probe_write_parties();
    probe_write_pools(clk_now());
    probe_advance_tick_seq();
    SEG_HEADER->heartbeat_ns = clk_read_ns(CLOCK_REALTIME);
    seg_unlock();
    accounts_finish_parties();
    hold_tick();
    shown_find_names();
    return probe_name_state();
}

static void probe_put(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

/*
 * Totals of the process since the probe was first enabled: telescoping counters, so the difference of two
 * snapshots is exact for the time between. caused_ns + handoff_ns = stalled_ns.
 * @return [Hash{Symbol => Integer}]
 */
static VALUE probe_snapshot(VALUE self)
{
    VALUE hash = rb_hash_new();
    if (!reg.has_key) return hash;
    uint64_t t = process_settled();
    reg_reap(t);
    totals_t sum = process_totals_at(t);
    probe_put(hash, "running_ns", clk_ns(sum.running));
    probe_put(hash, "stalled_ns", clk_sum_ns(sum.stalled));
    probe_put(hash, "io_ns", clk_ns(sum.idle[TC_IO]));
    probe_put(hash, "lock_ns", clk_ns(sum.idle[TC_LOCK]));
    probe_put(hash, "sleep_ns", clk_ns(sum.idle[TC_SLEEP]));
    probe_put(hash, "native_ns", sum.native_ns);
    probe_put(hash, "gc_ns", clk_ns(sum.gc));
    probe_put(hash, "caused_ns", clk_sum_ns(sum.caused));
    probe_put(hash, "handoff_ns", clk_sum_ns(process_handoff()));
    probe_put(hash, "acquisitions", sum.acquisitions);
    probe_put(hash, "preemptions", sum.preemptions);
    probe_put(hash, "threads", process_threads());
    probe_put(hash, "waiting_threads", process_waiting());
    probe_put(hash, "units_in_flight", tc.in_flight);
    probe_put(hash, "discarded", units.discarded);
    probe_put(hash, "abandoned", units.abandoned);
    probe_put(hash, "clock_backward", tc.clock_backward);
    probe_put(hash, "resumed_without_ready", tc.resumed_without_ready);
    probe_put(hash, "suspended_twice", tc.suspended_twice);
    probe_put(hash, "unknown_holder", tc.unknown_holder);
    pair_sums_t pairs = process_pairs();
    probe_put(hash, "pairs_ns", clk_ns(pairs.charged));
    probe_put(hash, "pairs_unknown_ns", clk_ns(pairs.unknown));
    /* In ticks: what waits have of nobody, less the hand-off. Threads that wait now have none yet. */
    rb_hash_aset(hash, ID2SYM(rb_intern("pairs_race_ticks")),
                 LL2NUM((long long)(pairs.rests - process_handoff())));
    /* The identity in the clock's own ticks: exactly zero, unless a thread begins to wait at this moment. */
    rb_hash_aset(hash, ID2SYM(rb_intern("identity_ticks")),
                 LL2NUM((long long)(sum.stalled - sum.caused - process_handoff())));
    return hash;
}

/*
 * sizes(): how many of each the probe keeps in memory, ended threads included that were not cleared away yet
 */
static VALUE probe_sizes(VALUE self)
{
    VALUE hash = rb_hash_new();
    probe_put(hash, "clocks", reg_count_clocks());
    probe_put(hash, "ledgers", reg_count_ledgers());
    probe_put(hash, "accounts", accounts.count);
    probe_put(hash, "accounts_in_use", accounts_in_use());
    probe_put(hash, "units", units.count);
    return hash;
}

/* Adds to what the hash has under that label. */
static void probe_put_account(VALUE hash, const char *label, const totals_t *totals)
{
    measurement_t m;
    if (probe_unused(totals)) return;
    unit_convert(totals, UNIT_CPU_UNKNOWN, &m);
    rb_hash_aset(hash, rb_utf8_str_new_cstr(label),
                 rb_ary_new_from_args(4, ULL2NUM(m.running_ns), ULL2NUM(m.stalled_ns), ULL2NUM(m.idle_ns),
                                      ULL2NUM(m.caused_ns)));
}

/*
 * @return [Hash{String => Array<Integer>}] label => [running, stalled, idle, caused] in ns, outside of units
 */
static VALUE probe_accounts(VALUE self)
{
    VALUE hash = rb_hash_new();
    totals_t ended = {0};
    if (!reg.has_key) return hash;
    accounts_publish_all(process_settled());
    for (uint32_t i = 0; i < accounts.count; i++) {
        const account_t *a = &accounts.all[i];
        totals_t own = totals_since(&a->totals, &a->before);
        totals_add(&ended, &a->before);
        probe_put_account(hash, a->label, &own);
    }
    probe_put_account(hash, SEG_ENDED_THREADS, &ended);
    return hash;
}

void tick_init(VALUE probe)
{
    rb_define_singleton_method(probe, "label", probe_label, 2);
    rb_define_singleton_method(probe, "tick", probe_tick, 1);
    rb_define_singleton_method(probe, "snapshot", probe_snapshot, 0);
    rb_define_singleton_method(probe, "accounts", probe_accounts, 0);
    rb_define_singleton_method(probe, "sizes", probe_sizes, 0);
}
