/*
 * Whom each wait was for: for the GVL, for a connection of a pool (unit/connection_holds.h), and for a lock,
 * queue or condition (hook/lock_ends.h).
 *
 * A party is a unit, or a thread outside of its units: it holds the GVL and waits for it. Each ledger keeps
 * its last holds in which somebody waited, cut where the holder's party changed. A thread that gets the GVL
 * after a wait walks back through them and charges each overlap to that hold's party; what lies in no hold is
 * hand-off. So in ticks, for each ledger,
 *
 *     sum charged + sum unknown + sum of rests = sum stalled, and the sum of rests is the ledger's hand-off,
 *
 * up to a thread that begins to wait while another is at the edge of a unit (the edge looks for waiters
 * before that one is counted): those ticks are in the rests, too.
 *
 * Writers of the holds are alone: a hold is closed by READY or RESUMED after its SUSPENDED, under the
 * scheduler's lock, and cut by its own thread while that holds the GVL. A thread charges in its RESUMED. All
 * else here runs at edges of units and at ticks, with the ledger's GVL.
 *
 * What a party is called is known when its unit has ended. A party that has waited for one whose name is not
 * known yet leaves its debt there when it ends itself, and the name's owner settles it (pair_records.h).
 */
#ifndef HOLDUP_PAIRS_H
#define HOLDUP_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/blame.h"
#include "segment/segment_layout.h"

/* Holders without a name, and names, of waits for the GVL and of another kind; more are counted together. */
#define PAIR_GVL_PARTS 96
#define PAIR_PARTS 32

#define PAIR_FEW 32 /* places for debts that a party begins with, a power of two */

/* Of a party whose series is not known yet, and of one that never gets one. */
#define PAIR_NAMELESS 0
#define PAIR_UNKNOWN SEG_PAIR_UNKNOWN

/* Changes when parties get names. */
SHARED uint32_t pairs_named;

/* Times are in ticks for the GVL and locks, and in ns for a pool. */
typedef struct {
    union {
        struct pair_party *holder;
        uint64_t series; /* slot + 1: of a sum */
    };
    uint64_t time;
} pair_part_t;

typedef struct {
    uint32_t victim; /* series (slot + 1); 0: a free place */
    uint32_t kind;
    uint64_t time;
} pair_debt_t;

/*
 * Waits of one kind. Its places are filled from both ends: with parts of holders, and, when there are many,
 * with sums by series of those that have a name by then. There is one more than may be used, so that one is
 * always behind the last part: it has no holder. What comes behind that one is not written yet.
 */
typedef struct {
    uint32_t room, parts_used, sums_used;
    uint32_t limit;                   /* of parts, before they are looked through for names */
    uint32_t names_seen;              /* pairs_named when the parts were last looked through */
    uint64_t nobody, others, unknown; /* for how long it waited for nobody, for more parties ... */
    uint64_t marks;                   /* of all its holders: another mark has no part */
    pair_part_t *parts;               /* `room` and one more */
} pair_waits_t;

typedef struct pair_party {
    uint64_t id;           /* a unit's handle, or the number of an account above UNIT_SLOT_BITS zeros */
    uint32_t series;       /* slot + 1 in the segment, PAIR_UNKNOWN or PAIR_NAMELESS */
    uint32_t account;      /* of a thread that has ended: it gets its series at the next tick */
    uint32_t references;   /* parts of other parties, and holds of connections, that name this one */
    uint32_t debts_used, debts_room;
    bool merged;           /* the unit around it has what it waited for the GVL, too */
    uint64_t mark;         /* one bit, which few other parties of its time have */
    uint64_t last_put;     /* number of the last hold of this party; 0: it has none */
    uint64_t debts_marks;  /* bits of the places that debts have, modulo 64 */
    pair_waits_t gvl;
    pair_waits_t lock;     /* for locks: by who ended the wait */
    uint64_t lock_ns;      /* how long it waited for locks in all, once its unit has ended */
    pair_waits_t *pool;    /* for connections; NULL until it waits for one */
    pair_debt_t *debts;    /* waits of parties that ended before this one had a name: `few`, or more */
    struct pair_party *next; /* in a list of the ledger, when it has ended */
    pair_part_t gvl_parts[PAIR_GVL_PARTS + 1];
    pair_debt_t few[PAIR_FEW];
    pair_part_t lock_parts[PAIR_PARTS + 1];
} pair_party_t;

/*
 * Stands for a holder that is not known, among the holds: NULL is the holder of a part that is not used,
 * and a hold is compared with one.
 */
#define PAIR_NOBODY ((pair_party_t *)1)

/* The party gets its name: from now on others add up what they wait for it by that. */
static inline void pair_name(pair_party_t *party, uint32_t series)
{
    party->series = series;
    BLAME_SET(pairs_named, BLAME_GET(pairs_named) + 1);
}

/* Drops the oldest holds. */
void pair_drop_holds(blame_t *b);

/*
 * The open hold, or its part since the last edge, belongs to `holder` and ends at `to`. No moment is in two
 * holds, even when the clocks of CPUs differ.
 */
static inline void pair_put(blame_t *b, pair_party_t *holder, uint64_t from, uint64_t to)
{
    if (__builtin_expect(b->latest == BLAME_WINDOW, 0)) pair_drop_holds(b);
    if (from < b->held_to) from = b->held_to;
    if (to < from) to = from;
    b->held++;
    if (__builtin_expect(holder != NULL, 1)) holder->last_put = b->held;
    b->holds[++b->latest] = (blame_hold_t){from, to, holder ? holder : PAIR_NOBODY};
    b->held_to = to;
}

/* The sum by series of that number. */
static inline pair_part_t *pair_sum_at(const pair_waits_t *waits, uint32_t number)
{
    return &waits->parts[waits->room - number];
}

void pair_charge_holds(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to);

/*
 * The thread of `b` has waited in that span, and has just got the GVL. Where nobody has held it meanwhile, as
 * mostly, all of it is hand-off. Whether somebody has.
 */
static inline bool pair_charge(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to)
{
    if (b->held_to > from) {
        pair_charge_holds(b, victim, from, to);
        return true;
    }
    b->rests += to - from;
    if (victim) victim->gvl.nobody += to - from;
    return false;
}

/* No waits yet; `parts` has `room` and one more. */
void pair_make_waits(pair_waits_t *waits, pair_part_t *parts, uint32_t room);

/* Forgets them, and whom they were for. */
void pair_clear_waits(pair_waits_t *waits);

/* It has waited so long for that series (slot + 1, or PAIR_UNKNOWN). */
void pair_sum(pair_waits_t *waits, uint64_t series, uint64_t time);

/* It has waited so long for that holder. The caller holds the ledger's GVL. */
void pair_add(pair_waits_t *waits, pair_party_t *holder, uint64_t time);

/* Adds up the parts whose holders have a name by now. */
void pair_sum_up(pair_waits_t *waits);

/* --- parties, at edges and at ticks (pair_parties.c) --- */

/* A party begins; NULL when out of memory. `id`: see above. */
pair_party_t *pair_begin(blame_t *b, uint64_t id);

/*
 * The waits for connections, to add parts to; NULL when out of memory. They belong to this party alone: what
 * a unit waited for connections is not in the units around it.
 */
pair_waits_t *pair_pool_waits(pair_party_t *victim);

/* Adds what `inner` has waited for the GVL and for locks to the party around it. */
void pair_merge(pair_party_t *outer, pair_party_t *inner);

/* What the party has waited is recorded. */
void pair_clear(pair_party_t *victim);

/* The party has ended, and is freed when nothing refers to it any more. */
void pair_end(blame_t *b, pair_party_t *party);

/* In a forked child: the ledger's parties are the parent's. */
void pairs_reset(blame_t *b);

/* Changes in a forked child: what refers to parties from before refers to nothing. */
SHARED uint32_t pairs_generation;

#endif
