#include "hook/process_totals.h"

#include "hook/accounts.h"
#include "hook/allocations.h"
#include "hook/hook.h"
#include "hook/pair_records.h"
#include "hook/registry.h"
#include "unit/unit.h"

uint64_t process_handoff(void)
{
    uint64_t ticks = 0;
    for (blame_t *b = reg.ledgers; b; b = b->next) ticks += BLAME_GET(b->handoff);
    return ticks;
}

pair_sums_t process_pairs(void)
{
    pair_sums_t sums = {0};
    for (blame_t *b = reg.ledgers; b; b = b->next) {
        sums.charged += BLAME_GET(b->charged);
        sums.unknown += BLAME_GET(b->unknown);
        sums.rests += BLAME_GET(b->rests);
    }
    return sums;
}

totals_t process_totals(void)
{
    totals_t sum = reg.departed;
    for (tclock_t *c = reg.clocks; c; c = c->next) totals_add(&sum, &c->totals);
    return sum;
}

totals_t process_totals_at(uint64_t t)
{
    totals_t sum = reg.departed;
    for (tclock_t *c = reg.clocks; c; c = c->next) {
        totals_t now;
        tc_totals(c, t, &now);
        totals_add(&sum, &now);
    }
    return sum;
}

static process_counts_t process_opened;

static process_counts_t process_counts_in_all(const totals_t *totals)
{
    return (process_counts_t){
        *totals, process_handoff(), units.discarded, units.abandoned, accounts.refused,
        tc.clock_backward, tc.resumed_without_ready, tc.suspended_twice, tc.unknown_holder};
}

process_counts_t process_counts(uint64_t t)
{
    totals_t totals = process_totals_at(t);
    process_counts_t counts = process_counts_in_all(&totals);
    uint64_t *now = (uint64_t *)&counts;
    const uint64_t *then = (const uint64_t *)&process_opened;
    for (size_t i = 0; i < sizeof(counts) / sizeof(*now); i++) now[i] -= then[i];
    return counts;
}

static void process_begin_pairs(void)
{
    for (blame_t *b = reg.ledgers; b; b = b->next) pairs_forget_names(b);
    for (tclock_t *c = reg.clocks; c; c = c->next) {
        if (!c->own_party) continue;
        pair_clear(c->own_party); /* an earlier segment's */
        pair_forget_names(c->own_party);
    }
    for (uint32_t i = 0; i < units.count; i++) {
        const unit_t *u = &units.chunks[i / UNIT_CHUNK][i % UNIT_CHUNK];
        if (u->clock && u->party) pair_forget_names(u->party);
    }
}

void process_begin_segment(void)
{
    /* While measuring is off, what is open is no time: its next start forgets it. */
    uint64_t t = process_settled();
    if (tc_enabled()) accounts_publish_all(t);
    totals_t totals = tc_enabled() ? process_totals_at(t) : process_totals();
    process_opened = process_counts_in_all(&totals);
    accounts_begin_segment();
    process_begin_pairs();
}

uint64_t process_threads(void)
{
    uint64_t threads = 0;
    for (const tclock_t *c = reg.clocks; c; c = c->next) threads++;
    return threads;
}

uint64_t process_waiting(void)
{
    uint64_t waiting = 0;
    for (blame_t *b = reg.ledgers; b; b = b->next) waiting += BLAME_GET(b->waiters);
    return waiting;
}

uint64_t process_settled(void)
{
    uint64_t t = clk_now();
    if (!tc_enabled()) return t;
    tclock_t *c = hook_current();
    uint64_t hold_from = c->hold_from;
    tc_settle(c, t);
    alloc_read(c, hold_from, t);
    return t;
}
