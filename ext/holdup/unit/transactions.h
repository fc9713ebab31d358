/*
 * Database transactions that a unit has open: from the BEGIN that is sent to the answer of COMMIT or
 * ROLLBACK. Like a call, one is the difference of its thread's totals between two edges, with the thread's
 * CPU, because all that the thread does meanwhile keeps rows locked: Ruby code, waits for the GVL or a CPU,
 * other calls.
 * Where the thread waits for the GVL with the answer of COMMIT there, the rows are free: that is not in it.
 *
 * A transaction that its unit never ended is not recorded. Not measured on a thread that follows its fibers.
 * The caller holds the GVL.
 */
#ifndef HOLDUP_TRANSACTIONS_H
#define HOLDUP_TRANSACTIONS_H

#include "unit/unit.h"

#define TRANSACTIONS 4 /* databases that a unit may have transactions of at the same time */

typedef struct {
    uint32_t kind; /* of its calls: "sql primary" */
    uint64_t cpu_ns;
    uint64_t last_stalled; /* in its latest statement */
    totals_t base; /* the first TOTALS_CALL_WORDS of them */
} transaction_t;

typedef struct transactions {
    uint32_t open;
    transaction_t all[TRANSACTIONS];
} transactions_t;

/* Whether a call of the unit is one in a transaction. */
static inline bool transactions_open(const unit_t *u)
{
    return u->transactions && u->transactions->open;
}

/* A statement of that kind has ended, in which its thread stalled for so long. */
void transactions_note(unit_t *u, uint32_t kind, uint64_t stalled);

#endif
