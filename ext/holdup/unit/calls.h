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

#include "segment/histogram.h"
#include "segment/segment.h"
#include "shared.h"
#include "unit/unit.h"

/* How many kinds there are, under unit_lock; their numbers begin at 0. */
SHARED uint32_t calls_kinds;

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

/* A new tally of an open unit, for calls of a kind that it has not made so far; NULL without memory. */
call_tally_t *calls_add_tally(unit_t *u, calls_what what, uint32_t kind);

/* The calls of a unit that is about to end, which now belong to the caller; NULL without any. */
call_tally_t *calls_take(unit_t *u);

/* Totals of calls, without what only a unit has: CPU, caused, holds, queue, pools. */
void calls_convert(const totals_t *sums, measurement_t *m);

/*
 * What the calls took together; completes the tally's histograms. `has_cpu`: whether their thread has a clock
 * of its CPU.
 */
void calls_measure(call_tally_t *tally, bool has_cpu, measurement_t *m);

/* The caller holds unit_lock. */
void calls_drop(call_tally_t *tallies);

/* The name of a kind, as the segment has it. */
seg_text_t calls_name(uint32_t kind);

#endif
