/*
 * What is written into the segment: units as they end, what nested units counted twice, and accounts at each
 * tick. The caller holds seg_lock.
 */
#ifndef HOLDUP_SEGMENT_RECORD_H
#define HOLDUP_SEGMENT_RECORD_H

#include "hook/hold_places.h"
#include "segment/segment.h"
#include "unit/calls.h"
#include "unit/measurement.h"

/* The same for counters of the header. They need no log: each is read alone. */
static inline void seg_raise_counter(uint64_t *counter, uint64_t value)
{
    if (value > *counter) __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

/* Returns its slot + 1, or 0. The caller commits. */
uint64_t seg_record(const seg_key_t *key, seg_text_t path, const measurement_t *m, bool error);

/* The unit as an entry of the ring; `slot`: of its series, + 1. */
void seg_entry(seg_ring_t *entry, uint64_t slot, const measurement_t *m);

/* What units counted more than once: readers take it off the totals. Sums only; the caller commits. */
void seg_record_nested(const measurement_t *m, uint32_t count);

/*
 * The calls, or transactions, of one kind in a unit of that name. Commits, once or more often: a job that
 * makes a million calls may touch more buckets than the log has room for. Returns their slot + 1, or 0.
 */
uint64_t seg_record_calls(seg_text_t unit, seg_text_t kind, const call_tally_t *tally,
                          const measurement_t *m);

/* A query that a unit of that name made so often at one place in the code. Commits. */
void seg_record_repeats(seg_text_t unit, seg_text_t place, uint64_t count, const measurement_t *m);

/* What a unit of that name, or a thread of that account, caused at one place in the code. Commits. */
void seg_record_holds(seg_text_t name, const hold_tally_t *tally);

/* Where a unit of that name waited for locks, and where one, or a thread, ended such waits. They commit. */
void seg_record_lock_waits(seg_text_t name, const hold_tally_t *tally);
void seg_record_lock_ends(seg_text_t name, const hold_tally_t *tally);

/* Slot + 1 of a new account; 0 when the table is full. */
uint64_t seg_add_account(const char *name, uint32_t generation);

/* Time of threads outside of units: absolute sums, rewritten at each tick. */
void seg_record_account(uint64_t slot, const measurement_t *m);

/* The slot is of another account from now on. Its sums go on; those up to now stay beside them. */
void seg_rename_account(uint64_t slot, const char *name, uint32_t generation);

#endif
