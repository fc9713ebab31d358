#include "segment/segment_pairs.h"

/* Rows for pairs of two series. The last quarter is for those of series and others. */
static uint32_t seg_pairs_named(void)
{
    return seg.pair_rows / 4 * 3;
}

static seg_pair_t *seg_pair_rows(void)
{
    return (seg_pair_t *)(seg.base + SEG_PAIRS_OFFSET);
}

/* The place of a pair in the index: its own, or the free one where it belongs. */
static uint16_t *seg_pair_place(uint32_t victim, uint32_t holder)
{
    uint64_t hash = ((uint64_t)victim << 32 | holder) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 40);; i++) {
        uint16_t *place = &seg.pair_index[i & seg.pair_mask];
        const seg_pair_t *row = &seg_pair_rows()[*place - 1];
        if (!*place || (row->victim == victim && row->holder == holder)) return place;
    }
}

/* Row + 1 of the pair, which is appended when it is new; 0 when there is no room. */
static uint16_t seg_pair(uint32_t victim, uint32_t holder, uint32_t room)
{
    uint16_t *place = seg_pair_place(victim, holder);
    if (*place || seg.pairs >= room) return *place;
    seg_pair_rows()[seg.pairs] = (seg_pair_t){victim, holder, 0};
    *place = (uint16_t)++seg.pairs;
    seg_set(&SEG_HEADER->counters[SEG_P_PAIRS], seg.pairs);
    return *place;
}

bool seg_add_pair(uint32_t victim, uint32_t holder, uint64_t ns)
{
    if (!ns) return true;
    uint32_t room = holder < SEG_PAIR_UNKNOWN ? seg_pairs_named() : seg.pair_rows - 1;
    uint16_t row = seg_pair(victim, holder, room);
    if (row) seg_add(&seg_pair_rows()[row - 1].ns, ns);
    return row;
}

void seg_add_pair_beyond(uint32_t victim, uint64_t ns)
{
    if (!ns) return;
    seg_commit();
    seg_set(&SEG_HEADER->counters[SEG_P_PAIRS_BEYOND], ++seg.pairs_beyond);
    uint16_t row = seg_pair(victim, SEG_PAIR_OTHERS, seg.pair_rows - 1);
    if (!row) row = seg_pair(SEG_PAIR_UNRECORDED, SEG_PAIR_OTHERS, seg.pair_rows);
    seg_add(&seg_pair_rows()[row - 1].ns, ns);
    seg_commit();
}
