#include "hook/pairs.h"

#include <string.h>

#define PAIR_SOME 16 /* parts, before those that have a name are added up by that */

uint32_t pairs_named;

void pair_make_waits(pair_waits_t *waits, pair_part_t *parts, uint32_t room)
{
    memset(waits, 0, sizeof(*waits));
    waits->room = room;
    waits->limit = PAIR_SOME;
    waits->parts = parts;
    parts[0].holder = NULL;
}

static bool pair_full(const pair_waits_t *waits)
{
    return waits->parts_used + waits->sums_used == waits->room;
}

void pair_sum(pair_waits_t *waits, uint64_t series, uint64_t time)
{
    if (series == PAIR_UNKNOWN) {
        waits->unknown += time;
        return;
    }
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        pair_part_t *sum = pair_sum_at(waits, i);
        if (sum->series != series) continue;
        sum->time += time;
        return;
    }
    if (pair_full(waits)) {
        waits->others += time;
        return;
    }
    pair_part_t *sum = pair_sum_at(waits, waits->sums_used++);
    sum->series = series;
    sum->time = time;
}

/* Takes a part out; the last one gets its place. */
static pair_part_t pair_take_part(pair_waits_t *waits, uint32_t place)
{
    pair_part_t part = waits->parts[place];
    pair_part_t *last = &waits->parts[--waits->parts_used];
    waits->parts[place] = *last;
    last->holder = NULL; /* the one behind the last now */
    part.holder->references--;
    return part;
}

void pair_sum_up(pair_waits_t *waits)
{
    waits->marks = 0;
    for (uint32_t i = waits->parts_used; i-- > 0;) {
        const pair_party_t *holder = waits->parts[i].holder;
        if (holder->series == PAIR_NAMELESS) {
            waits->marks |= holder->mark;
            continue;
        }
        pair_part_t part = pair_take_part(waits, i);
        pair_sum(waits, part.holder->series, part.time);
    }
}

/*
 * Whether there is room for one more part. Those that have a name by now are added up: one that waits for
 * thousands of short units, one after the other, would go through all their parts in each wait. Where most
 * have none, there may be more.
 */
static __attribute__((noinline)) bool pair_make_room(pair_waits_t *waits)
{
    uint32_t named = BLAME_GET(pairs_named);
    if (waits->names_seen != named) pair_sum_up(waits);
    waits->names_seen = named;
    if (waits->parts_used > waits->limit / 2) waits->limit *= 2;
    return !pair_full(waits);
}

/* The holder's part, which is most probably at that place or a little behind it; NULL: it has none. */
static pair_part_t *pair_find(const pair_waits_t *waits, pair_part_t *place, const pair_party_t *holder)
{
    if (!(waits->marks & holder->mark)) return NULL;
    pair_part_t *behind = &waits->parts[waits->parts_used];
    for (pair_part_t *part = place; part < behind; part++)
        if (part->holder == holder) return part;
    for (pair_part_t *part = waits->parts; part < place && part < behind; part++)
        if (part->holder == holder) return part;
    return NULL;
}

/* A new part behind the last; NULL when there is no room. */
static pair_part_t *pair_append(pair_waits_t *waits, pair_party_t *holder)
{
    bool many = waits->parts_used >= waits->limit || pair_full(waits);
    if (__builtin_expect(many, 0) && !pair_make_room(waits)) return NULL;
    /* One that has a name can be added up at once. */
    if (holder->series != PAIR_NAMELESS) waits->names_seen = BLAME_GET(pairs_named) - 1;
    holder->references++;
    waits->marks |= holder->mark;
    pair_part_t *part = &waits->parts[waits->parts_used++];
    *part = (pair_part_t){.holder = holder};
    part[1].holder = NULL;
    return part;
}

static pair_part_t *pair_add_part(pair_waits_t *waits, pair_part_t *place, pair_party_t *holder,
                                  uint64_t time)
{
    pair_part_t *part = pair_find(waits, place, holder);
    if (!part) part = pair_append(waits, holder);
    if (part) part->time += time;
    else if (holder->series != PAIR_NAMELESS) pair_sum(waits, holder->series, time);
    else waits->others += time;
    return part;
}

/*
 * Moves the holder's part to that place, so that the parts are in the order of the holds; returns the place
 * behind it. Parts may have been taken out meanwhile to make room.
 */
static pair_part_t *pair_add_here(pair_waits_t *waits, pair_part_t *place, pair_party_t *holder,
                                  uint64_t time)
{
    pair_part_t *part = pair_add_part(waits, place, holder, time);
    pair_part_t *behind = &waits->parts[waits->parts_used];
    if (place >= behind) return behind;
    if (!part || part < place) return place;
    pair_part_t moved = *part;
    for (; part > place; part--) *part = part[-1];
    *place = moved;
    return place + 1;
}

void pair_add(pair_waits_t *waits, pair_party_t *holder, uint64_t time)
{
    pair_add_part(waits, waits->parts, holder, time);
}

void pair_clear_waits(pair_waits_t *waits)
{
    for (uint32_t i = 0; i < waits->parts_used; i++) waits->parts[i].holder->references--;
    waits->parts[0].holder = NULL;
    waits->parts_used = waits->sums_used = 0;
    waits->limit = PAIR_SOME;
    waits->nobody = waits->others = waits->unknown = waits->marks = 0;
}

/* A wait that is being charged: before `hold` it still is to be, to `part` or to another one. */
typedef struct {
    pair_waits_t *waits;
    pair_part_t *part;
    const blame_hold_t *hold;
    uint64_t from, to, charged;
} pair_walk_t;

/* What is left of the wait goes to nobody. */
static inline void pair_end_walk(blame_t *b, pair_waits_t *waits, uint64_t time, uint64_t charged)
{
    b->charged += charged;
    b->rests += time - charged;
    waits->nobody += time - charged;
}

/*
 * Charges the holds from `walk->hold` back to the one in which the wait began. Before the oldest hold that is
 * kept, a wait is unknown if earlier ones were dropped.
 */
static __attribute__((noinline)) void pair_charge_slowly(blame_t *b, pair_walk_t *walk)
{
    uint64_t from = walk->from, to = walk->to, charged = walk->charged, unknown = 0;
    for (const blame_hold_t *hold = walk->hold; hold->to > from; hold--) {
        if (hold == b->holds) {
            if (hold[1].from > from) unknown += hold[1].from - from;
            break;
        }
        uint64_t begins = hold->from > from ? hold->from : from;
        uint64_t ends = hold->to < to ? hold->to : to;
        uint64_t time = ends > begins ? ends - begins : 0;
        if (__builtin_expect(!time, 0)) continue;
        if (hold->holder == PAIR_NOBODY) {
            unknown += time;
            continue;
        }
        charged += time;
        if (walk->part->holder == hold->holder) walk->part++->time += time;
        else walk->part = pair_add_here(walk->waits, walk->part, hold->holder, time);
    }
    pair_end_walk(b, walk->waits, to - from - unknown, charged);
    b->unknown += unknown;
    walk->waits->unknown += unknown;
}

/* Without memory for a party, nobody knows who has waited. */
static __attribute__((cold)) void pair_charge_nobody(blame_t *b, uint64_t from, uint64_t to)
{
    pair_part_t parts[PAIR_PARTS + 1];
    pair_waits_t waits;
    pair_make_waits(&waits, parts, PAIR_PARTS);
    uint64_t charged = b->charged;
    pair_walk_t walk = {&waits, parts, &b->holds[b->latest], from, to, 0};
    pair_charge_slowly(b, &walk);
    b->unknown += b->charged - charged;
    b->charged = charged;
    pair_clear_waits(&waits);
}

/*
 * Threads that take turns come in the same order in each wait, so the part of a hold is mostly the one behind
 * the last: these are charged here, without a call. From the first other one on the rest is charged slowly,
 * and that part is moved to the place where the next wait looks for it. What is behind the last part is no
 * holder's, and what is before the first hold has no part.
 */
void pair_charge_holds(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to)
{
    if (__builtin_expect(!victim, 0)) {
        pair_charge_nobody(b, from, to);
        return;
    }
    const blame_hold_t *hold = &b->holds[b->latest];
    pair_part_t *part = victim->gvl.parts;
    uint64_t charged = 0;
    if (__builtin_expect(hold->to <= to, 1)) {
        for (; hold->from > from && hold->holder == part->holder; hold--, part++) {
            uint64_t time = hold->to - hold->from;
            part->time += time;
            charged += time;
        }
        if (hold->from <= from && hold->to > from && hold->holder == part->holder) {
            uint64_t time = hold->to - from;
            part->time += time;
            charged += time;
            hold--;
        }
    }
    if (hold->to <= from) {
        pair_end_walk(b, &victim->gvl, to - from, charged);
        return;
    }
    pair_walk_t walk = {&victim->gvl, part, hold, from, to, charged};
    pair_charge_slowly(b, &walk);
}

void pair_drop_holds(blame_t *b)
{
    memmove(b->holds + 1, b->holds + 1 + BLAME_WINDOW - BLAME_HOLDS, BLAME_HOLDS * sizeof(*b->holds));
    b->holds[0] = (blame_hold_t){0, UINT64_MAX, PAIR_NOBODY};
    b->latest = BLAME_HOLDS;
}
