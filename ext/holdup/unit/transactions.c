#include "unit/transactions.h"

#include <ruby.h>
#include <stdlib.h>
#include <string.h>

#include "hook/hook.h"
#include "init.h"
#include "unit/call_edges.h"

/* The innermost unit of the current thread, where calls are measured; else NULL. */
static unit_t *transactions_unit(void)
{
    if (!tc_enabled()) return NULL;
    const tclock_t *c = hook_current();
    unit_t *u = c && !c->follows ? c->innermost : NULL;
    return u && calls_known(c, u) ? u : NULL;
}

static transaction_t *transactions_find(transactions_t *of, uint32_t kind)
{
    for (uint32_t i = 0; of && i < of->open; i++)
        if (of->all[i].kind == kind) return &of->all[i];
    return NULL;
}

/* One of the same kind that is open already was lost with its connection. */
static transaction_t *transactions_add(unit_t *u, uint32_t kind)
{
    transaction_t *lost = transactions_find(u->transactions, kind);
    if (lost) return lost;
    if (!u->transactions) u->transactions = calloc(1, sizeof(*u->transactions));
    if (!u->transactions || u->transactions->open == TRANSACTIONS) return NULL;
    return &u->transactions->all[u->transactions->open++];
}

static void transactions_remove(transactions_t *of, transaction_t *ended)
{
    *ended = of->all[--of->open];
}

void transactions_note(unit_t *u, uint32_t kind, uint64_t stalled)
{
    transaction_t *open = transactions_find(u->transactions, kind);
    if (open) open->last_stalled = stalled;
}

/*
 * begin_transaction(kind): BEGIN is about to be sent on this thread, to the database of that kind of calls.
 * @return [Boolean] whether it is one of an open unit
 */
static VALUE probe_begin_transaction(VALUE self, VALUE kind)
{
    unit_t *u = transactions_unit();
    if (!u || !FIXNUM_P(kind)) return Qfalse;
    transaction_t *begun = transactions_add(u, (uint32_t)FIX2LONG(kind));
    if (!begun) return Qfalse;
    const tclock_t *c = u->clock;
    begun->kind = (uint32_t)FIX2LONG(kind);
    begun->cpu_ns = tc_cpu(c);
    begun->last_stalled = 0;
    memcpy(&begun->base, &c->totals, TOTALS_CALL_WORDS * sizeof(uint64_t));
    begun->base.running += tc_since(c->at, clk_now());
    return Qtrue;
}

/*
 * end_transaction(kind, error): COMMIT or ROLLBACK of the open unit's transaction has been answered. `error`
 * of nil forgets the transaction: it never began. Without one it does nothing.
 */
static VALUE probe_end_transaction(VALUE self, VALUE kind, VALUE error)
{
    unit_t *u = transactions_unit();
    if (!u || !FIXNUM_P(kind)) return Qnil;
    transaction_t *ended = transactions_find(u->transactions, (uint32_t)FIX2LONG(kind));
    if (!ended) return Qnil;
    if (!NIL_P(error)) {
        const tclock_t *c = u->clock;
        /* A statement may have begun before the transaction: Active Record sends BEGIN in the first one. */
        uint64_t stalled = c->totals.stalled - ended->base.stalled;
        ended->base.stalled += ended->last_stalled < stalled ? ended->last_stalled : stalled;
        call_tally_t *tally =
            calls_add(u, CALLS_TRANSACTION, ended->kind, &ended->base, clk_now(), RTEST(error));
        if (tally) tally->cpu_ns += tc_cpu(c) - ended->cpu_ns;
    }
    transactions_remove(u->transactions, ended);
    return Qnil;
}

void transactions_init(VALUE probe)
{
    rb_define_singleton_method(probe, "begin_transaction", probe_begin_transaction, 1);
    rb_define_singleton_method(probe, "end_transaction", probe_end_transaction, 2);
}
