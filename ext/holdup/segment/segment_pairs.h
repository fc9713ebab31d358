/*
 * The table of pairs in the segment: for how long units and threads of one series have waited for what
 * those of another held. Rows are appended and only grow. The caller holds seg_lock.
 */
#ifndef HOLDUP_SEGMENT_PAIRS_H
#define HOLDUP_SEGMENT_PAIRS_H

#include "segment/segment.h"

/* Adds to the pair, in the redo log: a commit has each pair once. False when the table is full. */
bool seg_add_pair(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns);

/*
 * Then the time goes to the victim's row for others, or, without room for that, to one of the last
 * rows, which is all victims' of that kind. Commits what is in the log, and this.
 */
void seg_add_pair_beyond(enum seg_pair_kind kind, uint32_t victim, uint64_t ns);

#endif
