/*
 * Who holds and who waits, told to holders.h by the hook's cold ends, and what Ruby code may ask of it.
 */
#ifndef HOLDUP_HOLDERS_METHODS_H
#define HOLDUP_HOLDERS_METHODS_H

#include "hook.h"

#define HLD_DEPTH 8 /* units around a wait that are told of it */

static unit_t *hld_innermost(const tclock_t *c)
{
    return c->follows ? c->current : c->innermost;
}

/* A hold of the thread of `c`, or what one unit has of it, ends at `to`. Outside of units it is the thread's account. */
static void hld_held(const tclock_t *c, uint64_t to)
{
    if (c->blame != reg.main || !BLAME_GET(c->blame->waiters)) return;
    const unit_t *u = hld_innermost(c);
    hld_put(c->hold_from, to, u ? unit_handle(u) : (uint64_t)c->account << UNIT_SLOT_BITS);
}

static void hld_waited(const tclock_t *c, uint64_t to)
{
    if (c->blame != reg.main) return;
    unit_t *u = hld_innermost(c);
    for (int depth = 0; u && depth < HLD_DEPTH; depth++, u = c->follows ? u->parent : u->outer)
        hld_blame(&u->holders, c->at, to);
}

/* watch_holders(on): whether it is kept from now on for whom units wait. */
static VALUE hld_watch(VALUE self, VALUE on)
{
    clk_start();
    uint64_t least = RTEST(on) ? HLD_LEAST_NS * CLK_UNIT / clk.rate : UINT64_MAX;
    __atomic_store_n(&hld.least, least, __ATOMIC_RELAXED);
    return on;
}

/* A unit's handle, or the label of an account. */
static VALUE hld_name(uint64_t holder)
{
    bool unit = holder & ((UINT64_C(1) << UNIT_SLOT_BITS) - 1);
    return unit ? ULL2NUM(holder) : rb_utf8_str_new_cstr(reg.accounts[holder >> UNIT_SLOT_BITS].label);
}

/*
 * holders(handle): [[holder, ns], ...], for whom the open unit has waited, asked by its own thread; nil when nobody knows.
 * Of at most eight holders, and only of holds and waits of 1 ms and more.
 */
static VALUE hld_of(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    if (!u) return Qnil;
    hld_table_t table = u->holders;
    VALUE all = rb_ary_new_capa(table.count);
    for (uint32_t i = 0; i < table.count; i++)
        rb_ary_push(all, rb_assoc_new(hld_name(table.parts[i].holder), ULL2NUM(clk_ns(table.parts[i].ticks))));
    return all;
}

static void hld_init(VALUE probe)
{
    rb_define_singleton_method(probe, "watch_holders", hld_watch, 1);
    rb_define_singleton_method(probe, "holders", hld_of, 1);
}

#endif
