/*
 * Holdup::Probe's methods for the figures of an open unit, on its own thread and at any time. They are what
 * the unit's end would record, but nothing is cut and no clock of the thread is moved: an edge would end the
 * hold that others wait in, and the longest hold with it.
 */
#include "unit/figures_methods.h"

#include <string.h>

#include "hook/accounts.h"
#include "hook/allocations.h"
#include "hook/hook.h"
#include "init.h"
#include "segment/segment.h"
#include "unit/fibers.h"

VALUE figures_number(uint64_t word)
{
    return word == UNIT_UNKNOWN ? Qnil : ULL2NUM(word);
}

VALUE figures_numbers(const uint64_t *words)
{
    VALUE numbers[MEASUREMENT_WORDS];
    for (int i = 0; i < MEASUREMENT_WORDS; i++) numbers[i] = figures_number(words[i]);
    return rb_ary_new_from_values(MEASUREMENT_WORDS, numbers);
}

/* The totals that an edge at `t` would see. The thread runs. */
static totals_t figures_totals(const tclock_t *c, uint64_t t)
{
    totals_t now;
    tc_totals(c, t, &now);
    if ((int64_t)(now.caused - c->edge_caused) < 0) now.caused = c->edge_caused;
    if (c->phase == TC_UNKNOWN) return now;
    uint64_t ran = tc_since(c->at, t), coarse = tc_since(c->hold_from, t) >> TC_SQUARE_SHIFT;
    now.running += ran;
    now.running_in_flight += ran * tc.in_flight;
    now.squares += coarse * coarse;
    return now;
}

/* The longest hold of the unit, with the open one. */
static uint64_t figures_longest(const tclock_t *c, const unit_t *u, uint64_t t)
{
    uint64_t longest = c->longest, open = c->phase == TC_UNKNOWN ? 0 : tc_since(c->hold_from, t);
    if (c->follows && u->longest > longest) longest = u->longest;
    for (const unit_t *v = c->innermost; !c->follows && v != u; v = v->outer)
        if (v->outer->longest > longest) longest = v->outer->longest;
    return open > longest ? open : longest;
}

static void figures_measure(const unit_t *u, measurement_t *m)
{
    tclock_t *c = u->clock;
    uint64_t t = clk_now(), cpu = tc_cpu(c);
    alloc_read(c, c->hold_from, t);
    span_t now = {figures_totals(c, t), cpu}, span;
    if (c->follows) span = fib_so_far(c, u, &now, t);
    else span = (span_t){totals_since(&now.totals, &u->base), cpu - u->cpu_start};
    unit_convert(&span.totals, unit_cpu(c, span.cpu_ns), m);
    unit_describe(u, &span.totals, figures_longest(c, u, t), m);
    m->queued_ns = UNIT_UNKNOWN;
}

/* The name of whom it waited for: of a unit that runs its handle, of one that has none nil. */
static VALUE figures_holder(const pair_party_t *holder)
{
    bool unit = holder->id & UNIT_SLOT_MASK;
    if (!unit) return rb_utf8_str_new_cstr(account_label(holder->id >> UNIT_SLOT_BITS));
    if (holder->series == PAIR_NAMELESS) return ULL2NUM(holder->id);
    if (holder->series == PAIR_UNKNOWN || !seg.base) return Qnil;
    const seg_series_t *s = seg_slot(holder->series - 1);
    return rb_utf8_str_new(s->name, s->name_bytes);
}

static VALUE figures_series(uint32_t series)
{
    if (series == PAIR_NAMELESS || series == PAIR_UNKNOWN || !seg.base) return Qnil;
    const seg_series_t *s = seg_slot(series - 1);
    return rb_utf8_str_new(s->name, s->name_bytes);
}

static void figures_add_wait(VALUE all, VALUE holder, uint64_t ticks)
{
    if (ticks) rb_ary_push(all, rb_assoc_new(holder, ULL2NUM(clk_ns(ticks))));
}

/* What lies between two holds, while nobody held the GVL, is left out. */
static VALUE figures_waits(const pair_party_t *party)
{
    const pair_waits_t *waits = party ? &party->gvl : NULL;
    if (!waits) return Qnil;
    uint64_t nameless = waits->others + waits->unknown;
    if (!waits->parts_used && !waits->sums_used && !nameless) return Qnil;
    VALUE all = rb_ary_new();
    for (uint32_t i = 0; i < waits->parts_used; i++)
        figures_add_wait(all, figures_holder(waits->parts[i].holder), waits->parts[i].time);
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        const pair_part_t *sum = pair_sum_at(waits, i);
        figures_add_wait(all, figures_series((uint32_t)sum->series), sum->time);
    }
    figures_add_wait(all, Qnil, nameless);
    return all;
}

/* The sums of the tallies stay as they are: the unit may make further calls. */
static VALUE figures_calls(const call_tally_t *calls)
{
    if (!calls) return Qnil;
    VALUE all = rb_ary_new();
    for (const call_tally_t *tally = calls; tally; tally = tally->next) {
        if (tally->what != CALLS_CALL) continue;
        measurement_t m;
        calls_convert(&tally->sums, &m);
        seg_text_t name = calls_name(tally->kind);
        rb_ary_push(all, rb_ary_new_from_args(4, rb_utf8_str_new(name.text, (long)name.bytes),
                                              ULL2NUM(tally->count), ULL2NUM(m.wall_ns), ULL2NUM(m.idle_ns)));
    }
    return all;
}

void figures_final(figures_t *figures, const measurement_t *m, const pair_party_t *party,
                   const call_tally_t *calls)
{
    figures->known = true;
    memcpy(figures->numbers, MEASURED_VALUES(m), sizeof(figures->numbers));
    figures->waits = figures_waits(party);
    figures->calls = figures_calls(calls);
}

/* figures(handle): the numbers of the open unit so far, as `finish` gives them; nil: not of this thread. */
static VALUE probe_figures(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    measurement_t m;
    if (!u || u->clock->epoch != tc.epoch) return Qnil;
    figures_measure(u, &m);
    return figures_numbers(MEASURED_VALUES(&m));
}

/*
 * waits_so_far(handle): [[holder, ns], ...], for whom the open unit has waited for the GVL. A holder is a
 * name, the handle of a unit that runs, or nil; nil without any, and for a unit of another thread.
 */
static VALUE probe_waits_so_far(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    return u ? figures_waits(u->party) : Qnil;
}

/* calls_so_far(handle): [[name, count, elapsed ns, idle ns], ...]; nil as above. */
static VALUE probe_calls_so_far(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    return u ? figures_calls(u->calls) : Qnil;
}

void figures_init(VALUE probe)
{
    rb_define_singleton_method(probe, "figures", probe_figures, 1);
    rb_define_singleton_method(probe, "waits_so_far", probe_waits_so_far, 1);
    rb_define_singleton_method(probe, "calls_so_far", probe_calls_so_far, 1);
}
