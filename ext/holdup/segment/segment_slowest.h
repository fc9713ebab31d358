/*
 * The slowest units of each series and minute, with what they waited for. A unit is known as one of them when
 * it ends, if so far no ten of its series that ended in the same minute were slower. So all that belong to
 * the slowest ten of the whole minute are in the list, and some that were among them only for a while;
 * readers take the slowest ten. Of n units in random order some 10 * (1 + ln(n / 10)) are written. The caller
 * holds seg_lock.
 */
#ifndef HOLDUP_SEGMENT_SLOWEST_H
#define HOLDUP_SEGMENT_SLOWEST_H

#include "segment/segment.h"
#include "unit/measurement.h"

#define SLOWEST_HOLDERS 3 /* kept of each kind of waits, and as many systems that were called */

/* Keeps the largest of the parts of one unit: `parts` has that room, free places at the end. */
static inline void seg_keep_part(seg_part_t *parts, uint32_t room, seg_part_t part)
{
    for (uint32_t i = 0; i < room && part.kind && part.ns; i++) {
        if (parts[i].kind && parts[i].ns >= part.ns) continue;
        seg_part_t next = parts[i];
        parts[i] = part;
        part = next;
    }
}

/* Whether the unit is one of the slowest so far. Then it counts as that, and is to be pushed. */
bool seg_slow(uint64_t series, const measurement_t *m);

/* `parts`: SEG_SLOWEST_PARTS of them; `id`: of the request or job, at most SEG_ID_BYTES. */
void seg_push_slowest(uint64_t series, const measurement_t *m, const seg_part_t *parts, seg_text_t id);

#endif
