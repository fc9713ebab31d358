#include "segment/segment_slowest.h"

#include <string.h>

#include "segment/segment_record.h"

#define MINUTE_NS UINT64_C(60000000000)

_Static_assert(SEG_SLOWEST_PARTS >= (SEG_PAIR_KIND_COUNT + 1) * SLOWEST_HOLDERS, "each kind has room");

static void seg_find_least(seg_minute_t *slow)
{
    slow->least = 0;
    for (uint32_t i = 1; i < slow->used; i++)
        if (slow->walls[i] < slow->walls[slow->least]) slow->least = i;
}

bool seg_slow(uint64_t series, const measurement_t *m)
{
    seg_minute_t *slow = &seg.slowest[series - 1];
    uint64_t minute = (m->started_ns + m->wall_ns) / MINUTE_NS;
    if (slow->minute != minute) {
        slow->minute = minute;
        slow->used = 0;
    }
    if (slow->used < SEG_SLOWEST_EACH) slow->walls[slow->used++] = m->wall_ns;
    else if (m->wall_ns <= slow->walls[slow->least]) return false;
    else slow->walls[slow->least] = m->wall_ns;
    seg_find_least(slow);
    return true;
}

/* It needs no log: readers ignore it until the head has moved. */
void seg_push_slowest(uint64_t series, const measurement_t *m, const seg_part_t *parts, seg_text_t id)
{
    seg_slowest_list_t *list = seg.slowest_list;
    seg_slowest_t *slowest = &list->units[list->head % SEG_SLOWEST];
    seg_entry(&slowest->unit, series, m);
    slowest->io = m->io_ns;
    slowest->lock = m->lock_ns;
    slowest->sleep = m->sleep_ns;
    slowest->native = m->native_ns;
    slowest->pool_wait = m->pool_wait_ns;
    memcpy(slowest->parts, parts, sizeof(slowest->parts));
    memset(slowest->id, 0, sizeof(slowest->id));
    memcpy(slowest->id, id.text, id.bytes);
    __atomic_store_n(&list->head, list->head + 1, __ATOMIC_RELEASE);
}
