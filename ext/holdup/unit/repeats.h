/*
 * Repeated queries (N+1): how often a unit makes the same query, and what that takes. Queries are the same
 * when they differ only in values, of which neither they nor their text are kept, but a hash. The place in
 * the code is looked for once, when the count is reached. Off unless it is asked for.
 *
 * Only threads of the main Ractor, with its GVL (hold_places.h).
 */
#ifndef HOLDUP_REPEATS_H
#define HOLDUP_REPEATS_H

#include <ruby.h>

#include "unit/unit.h"

#define REPEATS 64 /* different queries of a unit */

typedef struct {
    uint64_t fingerprint, count;
    uint32_t place;        /* known when the count is reached */
    totals_t sums;         /* the first TOTALS_CALL_WORDS of them */
} repeat_tally_t;

typedef struct repeats {
    uint32_t used;
    repeat_tally_t all[REPEATS];
} repeats_t;

/* Equal queries of a unit are recorded from this number on; 0: never. */
SHARED uint64_t repeats_least;

/* A query of the unit has ended, on its own thread; `span` is what it took. It may raise. */
void repeats_add(unit_t *u, VALUE sql, const totals_t *span);

/* Whether that query was repeated often enough. */
static inline bool repeats_many(const repeat_tally_t *tally)
{
    return repeats_least && tally->count >= repeats_least;
}

#endif
