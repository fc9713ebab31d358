/* Holdup::Probe's methods for units: beginning, ending and recording them. The caller holds the GVL. */
#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit_methods.h"
#include "capture/capture.h"
#include "capture/capture_methods.h"
#include "hook/accounts.h"
#include "hook/allocations.h"
#include "hook/hold_places.h"
#include "hook/hook.h"
#include "hook/pair_records.h"
#include "init.h"
#include "segment/segment_record.h"
#include "segment/segment_slowest.h"
#include "text.h"
#include "unit/calls.h"
#include "unit/fibers.h"
#include "unit/repeats.h"
#include "unit/request_texts.h"
#include "unit/retained.h"
#include "unit/shown_units.h"

static uint8_t probe_pool(VALUE name)
{
    if (!RB_TYPE_P(name, T_STRING) || !RSTRING_LEN(name)) return POOLS_NONE;
    char room[SEG_POOL_BYTES];
    seg_text_t text = {RSTRING_PTR(name), (size_t)RSTRING_LEN(name)};
    if (text.bytes > sizeof(room)) text = text_sanitise(name, room, sizeof(room));
    unit_lock();
    uint8_t index = pools_find(text.text, text.bytes);
    unit_unlock();
    return index;
}

/*
 * enter(pool = nil): begins a unit; `pool`: of the thread.
 * @return [Integer] handle of the new unit, 0 when the probe is off
 */
static VALUE probe_enter(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    return probe_enter_pool(argc ? argv[0] : Qnil);
}

VALUE probe_enter_pool(VALUE name)
{
    int raised = alloc_turn();
    if (raised) rb_jump_tag(raised);
    if (!tc_enabled()) return INT2FIX(0);
    tclock_t *c = hook_current();
    if (!c) return INT2FIX(0);
    uint8_t pool = probe_pool(name);
    return ULL2NUM(fib_follow(c) ? fib_enter(c, pool) : unit_enter(c, pool));
}

/* pools = names: the order in which their gauges are written. */
static VALUE probe_set_pools(VALUE self, VALUE names)
{
    Check_Type(names, T_ARRAY);
    uint32_t count = 0;
    for (long i = 0; i < RARRAY_LEN(names) && count < SEG_POOLS; i++)
        pools.order[count++] = probe_pool(RARRAY_AREF(names, i));
    pools.ordered = count;
    return names;
}

/*
 * follow_fibers(on): whether units on all threads are measured by fiber; else only on threads that have a
 * fiber scheduler when their unit begins. While units are open, from the next one on.
 */
static VALUE probe_follow_fibers(VALUE self, VALUE on)
{
    fib.always = RTEST(on);
    return on;
}

typedef struct {
    measurement_t unit, excess;
    uint32_t nested;
    call_tally_t *calls;
    repeats_t *repeats;
    unit_places_t places;
    pair_party_t *party;
    table_place_t shown;
    bool has_cpu;    /* its thread has a clock of its CPU */
    blame_t *ledger; /* of the party ... */
    bool foreign;    /* ... whose GVL the caller does not hold */
    bool watched;    /* for what it leaves in memory */
    int raised; /* see alloc_turn: after the unit has ended */
} probe_ended_t;

static bool probe_leave(unit_t *u, bool counted, probe_ended_t *ended)
{
    if (u->clock->follows)
        return fib_leave(u, hook_current(), counted, &ended->unit, &ended->excess, &ended->nested);
    return unit_leave(u, hook_current(), &ended->unit, &ended->excess, &ended->nested);
}

static bool probe_end(VALUE handle, probe_ended_t *ended, bool counted)
{
    ended->raised = alloc_turn();
    unit_t *u = unit_of(handle);
    ended->calls = u ? calls_take(u) : NULL;
    ended->repeats = u ? u->repeats : NULL;
    ended->places = u ? u->places : (unit_places_t){0};
    ended->party = u ? u->party : NULL;
    ended->shown = unit_place(u);
    ended->watched = retained_is(u);
    if (!u) return false;
    if (ended->watched) retained_leave();
    u->shown = 0;
    table_leave_alone(ended->shown);
    const tclock_t *current = hook_current();
    u->repeats = NULL;
    memset(&u->places, 0, sizeof(u->places));
    ended->ledger = u->clock->blame;
    ended->has_cpu = tc_has_cpu(u->clock);
    ended->foreign = !current || current->blame != ended->ledger;
    ended->unit.queued_ns = UNIT_UNKNOWN;
    bool known = probe_leave(u, counted, ended);
    if (known && ended->party && ended->unit.lock_ns) pair_locked(ended->party, ended->unit.lock_ns);
    return known;
}

/* After the unit has ended, as one of that series; PAIR_NAMELESS: it is not recorded. */
static void probe_drop_tallies(probe_ended_t *ended, uint32_t series)
{
    table_drop(ended->shown);
    if (ended->watched && series == PAIR_NAMELESS) retained_drop();
    if (ended->party && ended->foreign) pair_leave_behind(ended->ledger, ended->party, series);
    else if (ended->party) pair_finish(ended->ledger, ended->party, series);
    unit_drop_places(&ended->places);
    free(ended->repeats);
    if (!ended->calls) return;
    unit_lock();
    calls_drop(ended->calls);
    unit_unlock();
}

/* The last that a method does which has ended a unit. */
static VALUE probe_return(const probe_ended_t *ended, VALUE result)
{
    if (ended->raised) rb_jump_tag(ended->raised);
    return result;
}

static VALUE probe_cancel(VALUE self, VALUE handle)
{
    probe_ended_t ended;
    probe_end(handle, &ended, false);
    probe_drop_tallies(&ended, PAIR_NAMELESS);
    return probe_return(&ended, Qnil);
}

/* @return [Array<Integer>, nil] the numbers in the order of Holdup::Measurement; nothing is recorded */
static VALUE probe_finish(VALUE self, VALUE handle)
{
    probe_ended_t ended;
    bool known = probe_end(handle, &ended, true);
    probe_drop_tallies(&ended, PAIR_NAMELESS);
    if (!known) return probe_return(&ended, Qnil);
    return probe_return(&ended, figures_numbers(MEASURED_VALUES(&ended.unit)));
}

static void probe_record_repeats(seg_text_t unit, const repeats_t *repeats)
{
    for (uint32_t i = 0; i < repeats->used; i++) {
        const repeat_tally_t *tally = &repeats->all[i];
        measurement_t m;
        if (!repeats_many(tally)) continue;
        calls_convert(&tally->sums, &m);
        seg_record_repeats(unit, places_text(tally->place), tally->count, &m);
    }
}

/*
 * `calls`: the systems that it waited for longest; `id`: of a job, or the environment of a request. A hash
 * may ask its keys, so the segment is not locked meanwhile, and a Ractor may have opened another one.
 */
static void probe_record_slow(uint64_t series, const probe_ended_t *ended, const seg_part_t *calls, VALUE id)
{
    char room[SEG_ID_BYTES];
    const char *base = seg.base;
    seg_text_t text = RB_TYPE_P(id, T_HASH) ? request_id(id) : shown_job(id, room);
    seg_part_t parts[SEG_SLOWEST_PARTS] = {0};
    memcpy(parts, calls, SLOWEST_HOLDERS * sizeof(*parts));
    bool known = ended->party && !ended->foreign;
    for (uint32_t kind = 0; known && kind < SEG_PAIR_KIND_COUNT; kind++)
        pair_largest(ended->party, kind, parts + (kind + 1) * SLOWEST_HOLDERS, SLOWEST_HOLDERS);
    seg_lock();
    if (seg.base == base) seg_push_slowest(series, &ended->unit, parts, text);
    seg_unlock();
}

static void probe_record_places(seg_text_t unit, const unit_places_t *places)
{
    for (const hold_tally_t *tally = places->holds; tally; tally = tally->next)
        seg_record_holds(unit, tally);
    for (const hold_tally_t *tally = places->lock_waits; tally; tally = tally->next)
        seg_record_lock_waits(unit, tally);
    for (const hold_tally_t *tally = places->lock_ends; tally; tally = tally->next)
        seg_record_lock_ends(unit, tally);
}

/*
 * record(handle, kind, name, queue, queued_ns, error, pool = nil, priority = nil, trace = nil, path = nil,
 * id = nil): ends the unit and writes it to the segment. `kind` is one of KINDS; `id`: of the job, or the
 * environment of the request, which is asked for one only if it is among the slowest. The texts belong to the
 * caller's frame, which keeps them alive.
 */
static VALUE probe_record(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 6, 11);
    return probe_record_unit(argc, argv, NULL);
}

VALUE probe_record_unit(int argc, const VALUE *argv, figures_t *figures)
{
    VALUE handle = argv[0], kind = argv[1], name = argv[2], queue = argv[3];
    VALUE queued_ns = argv[4], error = argv[5];
    VALUE pool = argc > 6 ? argv[6] : Qnil, priority = argc > 7 ? argv[7] : Qnil;
    VALUE trace = argc > 8 ? argv[8] : Qnil, path = argc > 9 ? argv[9] : Qnil;
    VALUE id = argc > 10 ? argv[10] : Qnil;
    probe_ended_t ended;
    bool known = probe_end(handle, &ended, true);
    if (FIXNUM_P(queued_ns) && FIX2LONG(queued_ns) >= 0) ended.unit.queued_ns = (uint64_t)FIX2LONG(queued_ns);
    if (known && figures)
        figures_final(figures, &ended.unit, ended.foreign ? NULL : ended.party, ended.calls);
    if (!known || !seg.base) {
        probe_drop_tallies(&ended, PAIR_NAMELESS);
        return probe_return(&ended, Qnil);
    }
    char name_room[SEG_NAME_BYTES], queue_room[SEG_QUEUE_BYTES], pool_room[SEG_POOL_BYTES];
    char priority_room[SEG_PRIORITY_BYTES];
    seg_key_t key = {
        .kind = kind == INT2FIX(SEG_JOB) ? SEG_JOB : SEG_REQUEST,
        .name = text_of(name, name_room, SEG_NAME_BYTES),
        .queue = text_of(queue, queue_room, SEG_QUEUE_BYTES),
        .pool = text_of(pool, pool_room, SEG_POOL_BYTES),
        .priority = text_of(priority, priority_room, SEG_PRIORITY_BYTES)};
    if (!key.name.bytes) key.name = seg_text("(unnamed)");
    text_trace(trace, ended.unit.trace);
    seg_lock();
    uint64_t series = seg_record(&key, text_path(path), &ended.unit, RTEST(error));
    if (ended.nested) seg_record_nested(&ended.excess, ended.nested);
    table_end(ended.shown);
    seg_commit(); /* all or none */
    table_give_back(ended.shown);
    ended.shown.slot = 0;
    seg_part_t calls[SLOWEST_HOLDERS] = {0};
    for (call_tally_t *tally = ended.calls; tally; tally = tally->next) {
        measurement_t m;
        calls_measure(tally, ended.has_cpu, &m);
        uint64_t slot = seg_record_calls(key.name, calls_name(tally->kind), tally, &m);
        if (!slot || tally->what != CALLS_CALL) continue;
        seg_keep_part(calls, SLOWEST_HOLDERS, (seg_part_t){SEG_PART_CALL, (uint32_t)slot, m.idle_ns});
    }
    if (ended.repeats) probe_record_repeats(key.name, ended.repeats);
    probe_record_places(key.name, &ended.places);
    bool slow = series && seg_slow(series, &ended.unit);
    seg_unlock();
    if (slow) probe_record_slow(series, &ended, calls, id);
    probe_drop_tallies(&ended, (uint32_t)series);
    if (CAP_ON()) capm_record_name(handle, &ended.unit, series, key.kind == SEG_JOB, RTEST(error));
    if (ended.watched) {
        int raised = retained_record(name);
        if (!ended.raised) ended.raised = raised;
    }
    return probe_return(&ended, Qtrue);
}

unit_t *probe_show_unit(VALUE handle, table_unit_t *shown)
{
    unit_t *u = unit_of(handle);
    if (!u) return NULL;
    shown->handle = unit_handle(u);
    shown->started_ns = clk_realtime_ns(u->started);
    shown->thread = tc_native_id(u->clock);
    shown->objects = alloc_objects();
    shown->clock = u->clock;
    u->clock->awaits_connection = false; /* where the end of an earlier wait failed */
    u->shown = table_claim(shown);
    return u->shown ? u : NULL;
}

table_place_t probe_shown(VALUE handle)
{
    return unit_place(unit_of(handle));
}

/*
 * charge(handle, which, ns): adds to what the open unit waited for a pool of connections, or kept of it
 * (CHARGES).
 */
static VALUE probe_charge(VALUE self, VALUE handle, VALUE which, VALUE ns)
{
    long index = NUM2LONG(which);
    uint64_t more = NUM2ULL(ns);
    if (index < 0 || index >= UNIT_CHARGES)
        rb_raise(rb_eArgError, "no charge %ld: 0..%d", index, UNIT_CHARGES - 1);
    unit_t *u = unit_of(handle);
    if (!u) return Qnil;
    u->charges[index] += more;
    if (index == UNIT_POOL_WAIT && CAP_ON()) capm_record_pool_wait(u, more);
    return Qnil;
}

/* own?(handle): whether the unit is open, and measures the current thread. */
static VALUE probe_own(VALUE self, VALUE handle)
{
    return hook_own_unit(handle) ? Qtrue : Qfalse;
}

/*
 * stalled(handle): ns for which the open unit has stalled so far, called on its own thread; nil when unknown.
 */
static VALUE probe_stalled(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    if (!u) return Qnil;
    const tclock_t *c = u->clock;
    return ULL2NUM(clk_sum_ns(c->follows ? fib_stalled(c, u) : c->totals.stalled - u->base.stalled));
}

/*
 * idle(handle): ns for which the open unit has been idle so far, called on its own thread; nil when unknown,
 * as on a thread that follows its fibers.
 */
static VALUE probe_idle(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    if (!u || u->clock->follows) return Qnil;
    uint64_t ticks = 0;
    for (int kind = 0; kind < TC_IDLE_KINDS; kind++)
        ticks += u->clock->totals.idle[kind] - u->base.idle[kind];
    return ULL2NUM(clk_sum_ns(ticks));
}

/* A unit's handle, or the label of an account. */
static VALUE probe_name_of_holder(uint64_t id)
{
    bool unit = id & UNIT_SLOT_MASK;
    return unit ? ULL2NUM(id) : rb_utf8_str_new_cstr(account_label(id >> UNIT_SLOT_BITS));
}

static VALUE probe_name_of_series(uint32_t series)
{
    if (!seg.base) return rb_utf8_str_new_cstr("");
    const seg_series_t *s = seg_slot(series - 1);
    return rb_utf8_str_new(s->name, s->name_bytes);
}

static VALUE probe_parts(const pair_waits_t *waits)
{
    VALUE all = rb_ary_new_capa(waits->parts_used);
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        const pair_part_t *part = &waits->parts[i];
        rb_ary_push(all, rb_assoc_new(probe_name_of_holder(part->holder->id), ULL2NUM(clk_ns(part->time))));
    }
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        const pair_part_t *sum = pair_sum_at(waits, i);
        VALUE name = probe_name_of_series((uint32_t)sum->series);
        rb_ary_push(all, rb_assoc_new(name, ULL2NUM(clk_ns(sum->time))));
    }
    return all;
}

/*
 * holders(handle): [[holder, ns], ...], for whom the open unit has waited, called on its own thread; nil when
 * unknown. A holder is a handle or the label of an account; of many, those that have ended are their names.
 */
static VALUE probe_holders(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    return u && u->party ? probe_parts(&u->party->gvl) : Qnil;
}

/* lock_ends(handle): the same of waits for locks: by whom they were ended, as far as that is known. */
static VALUE probe_lock_ends(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    return u && u->party ? probe_parts(&u->party->lock) : Qnil;
}

void unit_init(VALUE probe)
{
    VALUE charges = rb_hash_new();
    rb_hash_aset(charges, ID2SYM(rb_intern("pool_wait")), INT2FIX(UNIT_POOL_WAIT));
    rb_hash_aset(charges, ID2SYM(rb_intern("pool_held")), INT2FIX(UNIT_POOL_HELD));
    rb_define_const(probe, "CHARGES", rb_obj_freeze(charges));
    fib_prepare();
    rb_define_singleton_method(probe, "enter", probe_enter, -1);
    rb_define_singleton_method(probe, "pools=", probe_set_pools, 1);
    rb_define_singleton_method(probe, "follow_fibers", probe_follow_fibers, 1);
    rb_define_singleton_method(probe, "record", probe_record, -1);
    rb_define_singleton_method(probe, "finish", probe_finish, 1);
    rb_define_singleton_method(probe, "cancel", probe_cancel, 1);
    rb_define_singleton_method(probe, "charge", probe_charge, 3);
    rb_define_singleton_method(probe, "own?", probe_own, 1);
    rb_define_singleton_method(probe, "stalled", probe_stalled, 1);
    rb_define_singleton_method(probe, "idle", probe_idle, 1);
    rb_define_singleton_method(probe, "holders", probe_holders, 1);
    rb_define_singleton_method(probe, "lock_ends", probe_lock_ends, 1);
}
