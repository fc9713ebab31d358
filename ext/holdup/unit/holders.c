#include "unit/holders.h"

#include "hook/accounts.h"
#include "hook/hook.h"
#include "hook/registry.h"
#include "init.h"
#include "unit/unit.h"

#define HLD_LEAST_NS UINT64_C(1000000) /* shorter holds and waits belong to no holder */
#define HLD_DEPTH 8 /* units around a wait that get its holders, from the innermost out */

struct hld hld = {.least = UINT64_MAX};

static void hld_put(uint64_t from, uint64_t to, uint64_t holder)
{
    hld.holds[hld.next++ % HLD_HOLDS] = (hld_hold_t){from, to, holder};
}

/* When the table is full the smallest part is dropped: a sum may be too small, never too large. */
static void hld_add(hld_table_t *table, uint64_t holder, uint64_t ticks)
{
    hld_part_t *least = table->parts;
    for (uint32_t i = 0; i < table->count; i++) {
        hld_part_t *part = &table->parts[i];
        if (part->holder == holder) {
            part->ticks += ticks;
            return;
        }
        if (part->ticks < least->ticks) least = part;
    }
    if (table->count < HLD_MOST) table->parts[table->count++] = (hld_part_t){holder, ticks};
    else if (least->ticks < ticks) *least = (hld_part_t){holder, ticks};
}

/*
 * Splits a wait among the holds that it fell into, the latest first. No moment counts for two holders, even
 * when the clocks of CPUs differ.
 */
static void hld_blame(hld_table_t *table, uint64_t from, uint64_t to)
{
    for (uint32_t i = 1; i <= HLD_HOLDS; i++) {
        const hld_hold_t *hold = &hld.holds[(hld.next - i) % HLD_HOLDS];
        if (hold->to <= from) return;
        uint64_t begin = hold->from > from ? hold->from : from, end = hold->to < to ? hold->to : to;
        if (begin >= end) continue;
        hld_add(table, hold->holder, end - begin);
        to = begin;
    }
}

static unit_t *hld_innermost(const tclock_t *c)
{
    return c->follows ? c->current : c->innermost;
}

/* Outside of units the holder is the thread's account. */
void hld_held(const tclock_t *c, uint64_t to)
{
    if (c->blame != reg.main || !BLAME_GET(c->blame->waiters)) return;
    const unit_t *u = hld_innermost(c);
    hld_put(c->hold_from, to, u ? unit_handle(u) : account_name(c) << UNIT_SLOT_BITS);
}

void hld_waited(const tclock_t *c, uint64_t to)
{
    if (c->blame != reg.main) return;
    unit_t *u = hld_innermost(c);
    for (int depth = 0; u && depth < HLD_DEPTH; depth++, u = c->follows ? u->parent : u->outer)
        hld_blame(&u->holders, c->at, to);
}

/* watch_holders(on): whether holders are kept from now on. */
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
    bool unit = holder & UNIT_SLOT_MASK;
    return unit ? ULL2NUM(holder) : rb_utf8_str_new_cstr(account_label(holder >> UNIT_SLOT_BITS));
}

/*
 * holders(handle): [[holder, ns], ...], for whom the open unit has waited, called on its own thread; nil when
 * unknown. At most HLD_MOST holders, and only holds and waits of HLD_LEAST_NS or more.
 */
static VALUE hld_holders(VALUE self, VALUE handle)
{
    const unit_t *u = hook_own_unit(handle);
    if (!u) return Qnil;
    hld_table_t table = u->holders;
    VALUE all = rb_ary_new_capa(table.count);
    for (uint32_t i = 0; i < table.count; i++)
        rb_ary_push(all, rb_assoc_new(hld_name(table.parts[i].holder),
                                      ULL2NUM(clk_ns(table.parts[i].ticks))));
    return all;
}

void holders_init(VALUE probe)
{
    rb_define_const(probe, "HOLDER_LEAST_NS", ULL2NUM(HLD_LEAST_NS));
    rb_define_singleton_method(probe, "watch_holders", hld_watch, 1);
    rb_define_singleton_method(probe, "holders", hld_holders, 1);
}
