#include "unit/connection_holds.h"

#include <stdlib.h>
#include <string.h>

#define PLACE_BITS 24 /* of a place; above these is its generation */
#define PLACE_MASK ((INT64_C(1) << PLACE_BITS) - 1)
#define ROOM_FIRST 8

static bool connections_current(const connection_holds_t *holds)
{
    return holds->generation == pairs_generation;
}

/* In a forked child all of it is of the parent. */
static void connections_begin_anew(connection_holds_t *holds)
{
    if (holds->room) memset(holds->open, 0, holds->room * sizeof(*holds->open));
    holds->waiting = 0;
    holds->first = holds->next = holds->forgotten = 0;
    holds->generation = pairs_generation;
}

static void connection_drop(const connection_hold_t *hold)
{
    if (hold->party) hold->party->references--;
}

static bool connections_grow(connection_holds_t *holds)
{
    uint32_t room = holds->room ? 2 * holds->room : ROOM_FIRST;
    if (room > PLACE_MASK) return false;
    connection_hold_t *open = realloc(holds->open, room * sizeof(*open));
    if (!open) return false;
    memset(open + holds->room, 0, (room - holds->room) * sizeof(*open));
    holds->open = open;
    holds->room = room;
    return true;
}

int64_t connection_take(connection_holds_t *holds, pair_party_t *party, uint64_t t)
{
    if (!connections_current(holds)) connections_begin_anew(holds);
    uint32_t place = 0;
    while (place < holds->room && holds->open[place].to) place++;
    if (place == holds->room && !connections_grow(holds)) return -1;
    holds->open[place] = (connection_hold_t){t, UINT64_MAX, party};
    if (party) party->references++;
    return ((int64_t)holds->generation << PLACE_BITS) | place;
}

/* The reference is the ring's from now on. */
static void connection_keep(connection_holds_t *holds, connection_hold_t hold)
{
    if (!holds->ended) holds->ended = calloc(CONNECTION_ENDED, sizeof(*holds->ended));
    if (!holds->ended) {
        holds->forgotten = hold.to;
        connection_drop(&hold);
        return;
    }
    if (holds->next - holds->first == CONNECTION_ENDED) {
        const connection_hold_t *oldest = &holds->ended[holds->first++ % CONNECTION_ENDED];
        holds->forgotten = oldest->to;
        connection_drop(oldest);
    }
    holds->ended[holds->next++ % CONNECTION_ENDED] = hold;
}

void connection_give_back(connection_holds_t *holds, int64_t place, uint64_t t)
{
    uint32_t at = (uint32_t)(place & PLACE_MASK);
    bool taken_here = place >= 0 && place >> PLACE_BITS == (int64_t)pairs_generation;
    if (!taken_here || !connections_current(holds) || at >= holds->room || !holds->open[at].to) return;
    connection_hold_t hold = holds->open[at];
    holds->open[at].to = 0;
    hold.to = t;
    if (holds->waiting) connection_keep(holds, hold);
    else connection_drop(&hold);
}

void connection_wait_begins(connection_holds_t *holds)
{
    if (!connections_current(holds)) connections_begin_anew(holds);
    holds->waiting++;
}

static uint64_t connection_overlap(const connection_hold_t *hold, uint64_t from, uint64_t to)
{
    uint64_t begins = hold->from > from ? hold->from : from, ends = hold->to < to ? hold->to : to;
    return ends > begins ? ends - begins : 0;
}

/* Hold number `n` of the open ones and those that have ended, the latest first; NULL behind the last. */
static const connection_hold_t *connection_number(const connection_holds_t *holds, uint64_t n)
{
    if (n < holds->room) return &holds->open[n];
    uint64_t back = n - holds->room;
    if (back >= holds->next - holds->first) return NULL;
    return &holds->ended[(holds->next - 1 - back) % CONNECTION_ENDED];
}

/* Whether the next hold may overlap: they have ended one after the other. */
static bool connection_later(const connection_holds_t *holds, uint64_t n, uint64_t from)
{
    const connection_hold_t *hold = connection_number(holds, n);
    return hold && (n < holds->room || hold->to > from);
}

/*
 * The part of a hold ends where its share of the wait does that all holds up to it have had: rounding moves a
 * nanosecond from one to the next, and none gets lost.
 */
static void connection_charge(const connection_holds_t *holds, pair_waits_t *waits, uint64_t from,
                              uint64_t to)
{
    uint64_t all = 0, before = 0, charged = 0, wait = to - from;
    for (uint64_t n = 0; connection_later(holds, n, from); n++)
        all += connection_overlap(connection_number(holds, n), from, to);
    if (!all) waits->unknown += wait;
    for (uint64_t n = 0; all && connection_later(holds, n, from); n++) {
        const connection_hold_t *hold = connection_number(holds, n);
        before += connection_overlap(hold, from, to);
        uint64_t part = (uint64_t)((unsigned __int128)wait * before / all) - charged;
        charged += part;
        if (part && hold->party) pair_add(waits, hold->party, part);
        else waits->unknown += part;
    }
}

void connection_wait_ends(connection_holds_t *holds, pair_party_t *victim, uint64_t from, uint64_t to)
{
    if (!connections_current(holds)) connections_begin_anew(holds);
    pair_waits_t *waits = victim ? pair_pool_waits(victim) : NULL;
    if (waits && to > from) {
        uint64_t known = holds->forgotten < to ? holds->forgotten : to;
        if (known > from) waits->unknown += known - from;
        connection_charge(holds, waits, known > from ? known : from, to);
    }
    if (holds->waiting && --holds->waiting) return;
    for (; holds->first < holds->next; holds->first++)
        connection_drop(&holds->ended[holds->first % CONNECTION_ENDED]);
    holds->forgotten = 0;
}

void connections_free(connection_holds_t *holds)
{
    for (uint32_t i = 0; connections_current(holds) && i < holds->room; i++)
        if (holds->open[i].to) connection_drop(&holds->open[i]);
    for (uint64_t n = holds->first; connections_current(holds) && n < holds->next; n++)
        connection_drop(&holds->ended[n % CONNECTION_ENDED]);
    free(holds->open);
    free(holds->ended);
}
