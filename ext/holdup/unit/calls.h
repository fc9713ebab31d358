/*
 * Calls: what units ask of other systems (a query, a command, an HTTP request). A call is the difference of
 * its thread's totals between two edges, like a unit, so its parts add up to its elapsed time exactly. It
 * reads no CPU clock, and it does not cut holds.
 *
 * A unit gets its name when it ends, so it keeps its calls until then, added up by kind. A call inside
 * another one counts in the outer one alone. On a thread that follows its fibers (fibers.h) calls are not
 * measured: it is unknown when an answer came while another fiber ran.
 */
#ifndef HOLDUP_CALLS_H
#define HOLDUP_CALLS_H

#include <ruby.h>
#include <stdbool.h>

#include "hook/registry.h"
#include "segment/histogram.h"
#include "segment/segment.h"
#include "unit/unit.h"

/* Calls, database transactions (transactions.h), and calls while one was open, which are calls too. */
typedef enum { CALLS_CALL, CALLS_TRANSACTION, CALLS_IN_TRANSACTION } calls_what;

/* The calls of one kind in one unit. */
typedef struct call_tally {
    struct call_tally *next;
    calls_what what;
    uint32_t kind;
    uint64_t count, errors;
    uint64_t cpu_ns; /* of transactions */
    totals_t sums; /* the first TOTALS_CALL_WORDS of them */
    histogram_t wall, idle; /* their sums are in `sums`, until calls_measure */
} call_tally_t;

/* Whether the thread's totals go on from those at the unit's begin. */
static inline bool calls_known(const tclock_t *c, const unit_t *u)
{
    return u->epoch == tc.epoch && c->epoch == tc.epoch && c->phase == TC_RUNNING && tc_enabled();
}

/* Adds a transaction to those of the unit: what its thread did from the totals `base` until `t`. */
void calls_add_transaction(unit_t *u, uint32_t kind, const totals_t *base, uint64_t t, uint64_t cpu_ns,
                           bool error);

/* A call begins on the current thread. One inside another one is a part of it. False: no unit is open. */
bool calls_enter(void);

/* The clock of the current thread, if its outermost call ends, and that is measured; else NULL. */
tclock_t *calls_leave(unit_t **unit);

/* Whether that is the number of a kind, as call_kind gives it. */
bool calls_number(VALUE kind, uint32_t *number);

/* The call that calls_leave ended, at `t`. */
void calls_end(tclock_t *c, unit_t *u, uint32_t kind, bool error, uint64_t t);

/* The calls of a unit that is about to end, which now belong to the caller; NULL without any. */
call_tally_t *calls_take(unit_t *u);

/* Totals of calls, without what only a unit has: CPU, caused, holds, queue, pools. */
void calls_convert(const totals_t *sums, measurement_t *m);

/*
 * What the calls took together; completes the tally's histograms. `has_cpu`: whether their thread has a clock of
 * its CPU.
 */
void calls_measure(call_tally_t *tally, bool has_cpu, measurement_t *m);

/* The caller holds unit_lock. */
void calls_drop(call_tally_t *tallies);

/* The name of a kind, as the segment has it. */
seg_text_t calls_name(uint32_t kind);

#endif
