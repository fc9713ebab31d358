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

static seg_pair_t *seg_pair_rows(void)
{
    return (seg_pair_t *)(seg.base + SEG_PAIRS_OFFSET);
}

/* The place of a pair in the index: its own, or the free one where it belongs. */
static uint16_t *seg_pair_place(enum seg_pair_kind kind, uint32_t victim, uint32_t holder)
{
    uint64_t hash = (((uint64_t)victim << 32 | holder) + kind) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 40);; i++) {
        uint16_t *place = &seg.pair_index[i & seg.pair_mask];
        const seg_pair_t *row = &seg_pair_rows()[*place - 1];
        if (!*place || (row->victim == victim && row->holder == holder && row->kind == kind)) return place;
    }
}

/* Row + 1 of the pair, which is appended when it is new; 0 when there is no room. */
static uint16_t seg_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint32_t room)
{
    uint16_t *place = seg_pair_place(kind, victim, holder);
    if (*place || seg.pairs >= room) return *place;
    seg_pair_rows()[seg.pairs] = (seg_pair_t){.victim = victim, .holder = holder, .kind = kind};
    *place = (uint16_t)++seg.pairs;
    seg_set(&SEG_HEADER->counters[SEG_P_PAIRS], seg.pairs);
    return *place;
}

bool seg_add_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns)
{
    if (!ns) return true;
    uint32_t room = holder < SEG_PAIR_UNKNOWN ? seg_pairs_named() : seg_pairs_of_victims();
    uint16_t row = seg_pair(kind, victim, holder, room);
    if (row) seg_add(&seg_pair_rows()[row - 1].ns, ns);
    return row;
}

void seg_add_pair_beyond(enum seg_pair_kind kind, uint32_t victim, uint64_t ns)
{
    if (!ns) return;
    seg_commit();
    seg_set(&SEG_HEADER->counters[SEG_P_PAIRS_BEYOND], ++seg.pairs_beyond);
    uint16_t row = seg_pair(kind, victim, SEG_PAIR_OTHERS, seg_pairs_of_victims());
    if (!row) row = seg_pair(kind, SEG_PAIR_UNRECORDED, SEG_PAIR_OTHERS, seg.pair_rows);
    seg_add(&seg_pair_rows()[row - 1].ns, ns);
    seg_commit();
}
