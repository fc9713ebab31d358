/*
 * The table of pairs in the segment: for how long units and threads of one series have waited for what
 * those of another held. Rows are appended and only grow. The caller holds seg_lock.
 *
 * Times are single words that are written at once, without the redo log: a unit's come after the unit, one
 * pair after the other.
 */
#ifndef HOLDUP_SEGMENT_PAIRS_H
#define HOLDUP_SEGMENT_PAIRS_H

#include "segment/segment.h"

static inline seg_pair_t *seg_pair_rows(void)
{
    return (seg_pair_t *)(seg.base + SEG_PAIRS_OFFSET);
}

/* The place of a pair in the index: its own, or the free one where it belongs. */
static inline uint16_t *seg_pair_place(enum seg_pair_kind kind, uint32_t victim, uint32_t holder)
{
    uint64_t hash = (((uint64_t)victim << 32 | holder) + kind) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 40);; i++) {
        uint16_t *place = &seg.pair_index[i & seg.pair_mask];
        const seg_pair_t *row = &seg_pair_rows()[*place - 1];
        if (!*place || (row->victim == victim && row->holder == holder && row->kind == kind)) return place;
    }
}

static inline void seg_add_to_row(uint16_t row, uint64_t ns)
{
    uint64_t *word = &seg_pair_rows()[row - 1].ns;
    __atomic_store_n(word, *word + ns, __ATOMIC_RELAXED);
}

/* Adds to a pair that has no row yet; returns what is beyond the table: all, or nothing. */
uint64_t seg_add_new_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns);

/* Adds to the pair; returns what is beyond the table, as above. */
static inline uint64_t seg_add_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns)
{
    uint16_t row = *seg_pair_place(kind, victim, holder);
    if (__builtin_expect(!row, 0)) return seg_add_new_pair(kind, victim, holder, ns);
    seg_add_to_row(row, ns);
    return 0;
}

/*
 * Then the time goes to the victim's row for others, or, without room for that, to one of the last
 * rows, which is all victims' of that kind.
 */
void seg_add_pair_beyond(enum seg_pair_kind kind, uint32_t victim, uint64_t ns);

#endif
