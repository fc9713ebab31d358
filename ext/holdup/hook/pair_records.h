/*
 * What parties have waited (pairs.h) as the segment's table of pairs has it: by the series of both. A party
 * that ends records its waits for all that have a name by then, and leaves debts with the others.
 */
#ifndef HOLDUP_PAIR_RECORDS_H
#define HOLDUP_PAIR_RECORDS_H

#include <stdint.h>

#include "hook/pairs.h"
#include "segment/segment_layout.h"

/*
 * Whom the party has waited for longest, of that kind: at most `room` of them. What it waited for holders
 * that have no name yet is together. The caller holds the ledger's GVL.
 */
void pair_largest(pair_party_t *victim, enum seg_pair_kind kind, seg_part_t *parts, uint32_t room);

/*
 * Adds what the party has waited for the GVL to the table of pairs, as waits of that series (slot + 1). The
 * caller has the segment locked.
 */
void pair_record(pair_party_t *victim, uint32_t series);

/*
 * Its unit has ended, and waited so long for locks: what no part has is unknown. The parts and the unknown
 * are recorded in ns and add up to that.
 */
void pair_locked(pair_party_t *victim, uint64_t lock_ns);

/*
 * The name of the party is known (PAIR_UNKNOWN: it never will be): settles what others have waited for it.
 * The caller has the segment locked.
 */
void pair_settle(pair_party_t *holder, uint32_t series);

/*
 * The party ends. `series`: what it is recorded as; PAIR_NAMELESS: its unit is not recorded, and others never
 * learn whom they waited for.
 */
void pair_finish(blame_t *b, pair_party_t *party, uint32_t series);

/* The same where the caller does not hold the ledger's GVL: one of its threads will do it. */
void pair_leave_behind(blame_t *b, pair_party_t *party, uint32_t series);

/* Finishes what was left behind. No thread of the ledger runs, or the caller holds its GVL. */
void pairs_finish_left_behind(blame_t *b);

/* A new segment has other series: of an open party, and of the ledger's ended ones. */
void pair_forget_names(pair_party_t *party);
void pairs_forget_names(blame_t *b);

#endif
