/*
 * Units on fibers that take turns on one thread, as under Falcon: the difference of the thread's totals
 * between two edges would count the work of all of them. A thread that follows its fibers credits each turn
 * (from one switch of units to the next) to the unit that the running fiber is in, and to the units around
 * that one.
 *
 * A fiber's unit is in its storage, as an Integer: fibers that a unit starts inherit it by Ruby's own rules.
 * So nothing of ours lives as long as a fiber, and a handle that outlives its unit is simply unknown.
 *
 * RUBY_EVENT_FIBER_SWITCH runs on the fiber that is switched to, which holds the GVL; allocation is allowed.
 * It does not belong to the events of instruction sequences (ISEQ_TRACE_EVENTS), so YJIT's code stays as it
 * is. When an interrupt raises at the moment of a switch, the event is missing; the turn then ends at the
 * next one, and no time is lost or counted twice.
 */
#ifndef HOLDUP_FIBERS_H
#define HOLDUP_FIBERS_H

#include "unit/unit.h"

struct fib {
    bool always;  /* every thread follows its fibers; else only those with a fiber scheduler */
    bool hooked;
    VALUE class, key;
    ID get, set;
};

SHARED struct fib fib;

void fib_prepare(void);

/*
 * Whether the unit that begins on the thread of `c` is measured by fiber. A thread begins or ends to follow
 * its fibers between two units only. Hooks belong to one Ractor: only the main one's is set.
 */
bool fib_follow(tclock_t *c);

/* Does what unit_enter does. */
uint64_t fib_enter(tclock_t *c, uint8_t pool);

/* Does what unit_leave does; `counted`: whether the unit will be recorded. */
bool fib_leave(unit_t *u, tclock_t *current, bool counted, measurement_t *m, measurement_t *excess,
               uint32_t *nested);

/* How long the unit has stalled so far, the open turn included. */
uint64_t fib_stalled(const tclock_t *c, const unit_t *u);

/*
 * What the unit has done by `t`, the open turn included. `now`: the totals and the CPU clock of its thread
 * then. The turn goes on.
 */
span_t fib_so_far(const tclock_t *c, const unit_t *u, const span_t *now, uint64_t t);

#endif
