#include "process_totals.h"

#include "allocations.h"
#include "hook.h"
#include "registry.h"

uint64_t process_handoff(void)
{
    uint64_t ticks = 0;
    for (blame_t *b = reg.ledgers; b; b = b->next) ticks += BLAME_GET(b->handoff);
    return ticks;
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
