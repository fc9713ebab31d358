#include "segment/segment_pairs.h"

/* Rows for pairs of two series. The last quarter is for those of series and others. */
static uint32_t seg_pairs_named(void)
{
    return seg.pair_rows / 4 * 3;
}

/* The very last rows are for all victims of a kind. */
static uint32_t seg_pairs_of_victims(void)
{
    return seg.pair_rows - SEG_PAIR_KIND_COUNT;
}

/* Row + 1 of the pair, which is appended when it is new; 0 when there is no room. */
static uint16_t seg_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint32_t room)
{
    uint16_t *place = seg_pair_place(kind, victim, holder);
    if (*place || seg.pairs >= room) return *place;
    seg_pair_rows()[seg.pairs] = (seg_pair_t){.victim = victim, .holder = holder, .kind = kind};
    *place = (uint16_t)++seg.pairs;
    __atomic_store_n(&SEG_HEADER->counters[SEG_P_PAIRS], seg.pairs, __ATOMIC_RELEASE);
    return *place;
}

uint64_t seg_add_new_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns)
{
    if (!ns) return 0;
    uint32_t room = holder < SEG_PAIR_UNKNOWN ? seg_pairs_named() : seg_pairs_of_victims();
    uint16_t row = seg_pair(kind, victim, holder, room);
    if (!row) return ns;
    seg_add_to_row(row, ns);
    return 0;
}

void seg_add_pair_beyond(enum seg_pair_kind kind, uint32_t victim, uint64_t ns)
{
    __atomic_store_n(&SEG_HEADER->counters[SEG_P_PAIRS_BEYOND], ++seg.pairs_beyond, __ATOMIC_RELAXED);
    uint16_t row = seg_pair(kind, victim, SEG_PAIR_OTHERS, seg_pairs_of_victims());
    if (!row) row = seg_pair(kind, SEG_PAIR_UNRECORDED, SEG_PAIR_OTHERS, seg.pair_rows);
    seg_add_to_row(row, ns);
}
