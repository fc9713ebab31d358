#include "hook/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "hook/pair_records.h"

#define PAIR_MORE 8 /* parties that are made at once */

uint32_t pairs_generation;
uint32_t pairs_named;

/* --- charging: inside the hook --- */

static void pair_sum(pair_waits_t *waits, uint32_t series, uint64_t time)
{
    if (series == PAIR_UNKNOWN) {
        waits->unknown += time;
        return;
    }
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        if (waits->sums[i].series != series) continue;
        waits->sums[i].time += time;
        return;
    }
    if (waits->sums_used < PAIR_PARTS) waits->sums[waits->sums_used++] = (pair_sum_t){series, time};
    else waits->others += time;
}

void pair_sum_up(pair_waits_t *waits)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        pair_part_t part = waits->parts[i];
        uint32_t series = part.holder->series;
        waits->parts[i].holder = NULL;
        if (series == PAIR_NAMELESS) {
            waits->parts[kept++] = part;
            continue;
        }
        pair_sum(waits, series, part.time);
        part.holder->references--;
    }
    waits->parts_used = kept;
}

/* The holder's part, perhaps a new one; NULL when there is no room. */
static pair_part_t *pair_part_of(pair_waits_t *waits, pair_party_t *holder)
{
    for (uint32_t i = 0; i < waits->parts_used; i++)
        if (waits->parts[i].holder == holder) return &waits->parts[i];
    uint32_t named = BLAME_GET(pairs_named);
    if (waits->parts_used == PAIR_PARTS && waits->names_seen != named) {
        waits->names_seen = named;
        pair_sum_up(waits);
    }
    if (waits->parts_used == PAIR_PARTS) return NULL;
    if (holder->series != PAIR_NAMELESS) waits->names_seen = named - 1; /* it can be added up at once */
    holder->references++;
    pair_part_t *part = &waits->parts[waits->parts_used++];
    *part = (pair_part_t){holder, 0};
    return part;
}

static pair_part_t *pair_add_part(pair_waits_t *waits, pair_party_t *holder, uint64_t time)
{
    pair_part_t *part = pair_part_of(waits, holder);
    if (part) part->time += time;
    else if (holder->series != PAIR_NAMELESS) pair_sum(waits, holder->series, time);
    else waits->others += time;
    return part;
}

/* Moves the holder's part to that place, if that is one; returns the place behind it. */
static __attribute__((noinline)) pair_part_t *pair_add_here(pair_waits_t *waits, pair_part_t *place,
                                                            pair_party_t *holder, uint64_t time)
{
    pair_part_t *part = pair_add_part(waits, holder, time);
    if (!part) return place;
    if (!place->holder) return part + 1;
    pair_part_t other = *place;
    *place = *part;
    *part = other;
    return place + 1;
}

void pair_add(pair_waits_t *waits, pair_party_t *holder, uint64_t time)
{
    pair_add_part(waits, holder, time);
}

static void pair_clear_waits(pair_waits_t *waits)
{
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        waits->parts[i].holder->references--;
        waits->parts[i].holder = NULL;
    }
    waits->parts_used = waits->sums_used = 0;
    waits->nobody = waits->others = waits->unknown = 0;
}

/* A wait that is being charged: up to `end` it still is to be, to `part` or to another one. */
typedef struct {
    pair_waits_t *waits;
    pair_part_t *part;
    const blame_hold_t *hold; /* the one before is next */
    uint64_t from, end, charged, unknown;
} pair_walk_t;

/*
 * Charges the wait's overlap with a hold, from `begins` on. What is behind the last part is no holder's. No
 * moment counts for two holders, even when the clocks of CPUs differ.
 */
static void pair_walk_over(pair_walk_t *walk, const blame_hold_t *hold, uint64_t begins)
{
    uint64_t ends = hold->to < walk->end ? hold->to : walk->end;
    if (begins >= ends) return;
    uint64_t time = ends - begins;
    walk->end = begins;
    if (hold->holder == PAIR_NOBODY) {
        walk->unknown += time;
        return;
    }
    walk->charged += time;
    if (walk->part->holder == hold->holder) walk->part++->time += time;
    else walk->part = pair_add_here(walk->waits, walk->part, hold->holder, time);
}

/*
 * Charges the holds before `walk->hold`, back to the one in which the wait began; false where it began before
 * `first`. Holds before one that had begun when the wait did have ended before it.
 */
static bool pair_walk_back(pair_walk_t *walk, const blame_hold_t *first)
{
    while (walk->hold != first) {
        const blame_hold_t *hold = --walk->hold;
        if (hold->from <= walk->from) {
            pair_walk_over(walk, hold, walk->from);
            return true;
        }
        pair_walk_over(walk, hold, hold->from);
    }
    return false;
}

/* Up to the oldest hold of a ring that has lost some, a wait that began before is unknown. */
static void pair_walk(const blame_t *b, pair_walk_t *walk)
{
    const blame_hold_t *latest = &b->holds[b->held % BLAME_HOLDS];
    if (pair_walk_back(walk, b->holds) || b->held < BLAME_HOLDS) return;
    walk->hold = b->holds + BLAME_HOLDS;
    if (pair_walk_back(walk, latest) || b->held == BLAME_HOLDS) return;
    walk->unknown += walk->end - walk->from;
}

/* What is left of the wait goes to nobody. */
static inline void pair_end_walk(blame_t *b, pair_waits_t *waits, uint64_t time, uint64_t charged)
{
    b->charged += charged;
    b->rests += time - charged;
    waits->nobody += time - charged;
}

static __attribute__((noinline)) void pair_charge_slowly(blame_t *b, pair_walk_t *walk, uint64_t to)
{
    pair_walk(b, walk);
    pair_end_walk(b, walk->waits, to - walk->from - walk->unknown, walk->charged);
    b->unknown += walk->unknown;
    walk->waits->unknown += walk->unknown;
}

/* Without memory for a party, nobody knows who has waited. */
static __attribute__((cold)) void pair_charge_nobody(blame_t *b, uint64_t from, uint64_t to)
{
    pair_waits_t waits = {0};
    uint64_t charged = b->charged;
    pair_walk_t walk = {&waits, waits.parts, &b->holds[b->held % BLAME_HOLDS], from, to, 0, 0};
    pair_charge_slowly(b, &walk, to);
    b->unknown += b->charged - charged;
    b->charged = charged;
    pair_clear_waits(&waits);
}

/*
 * Threads that take turns come in the same order in each wait, so the part of a hold is mostly the one behind
 * the last: these are charged here, without a call. From the first other one on, and beyond the ring's end,
 * the rest is charged slowly, and that part is moved to the place where the next wait looks for it.
 */
void pair_charge_holds(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to)
{
    if (__builtin_expect(!victim, 0)) {
        pair_charge_nobody(b, from, to);
        return;
    }
    const blame_hold_t *hold = &b->holds[b->held % BLAME_HOLDS];
    pair_part_t *part = victim->gvl.parts;
    uint64_t end = to, charged = 0;
    while (hold != b->holds && hold[-1].to > from && hold[-1].holder == part->holder) {
        hold--;
        uint64_t begins = hold->from > from ? hold->from : from;
        uint64_t ends = hold->to < end ? hold->to : end;
        if (__builtin_expect(begins >= ends, 0)) continue;
        part++->time += ends - begins;
        charged += ends - begins;
        end = begins;
    }
    if (hold != b->holds && hold[-1].to <= from) {
        pair_end_walk(b, &victim->gvl, to - from, charged);
        return;
    }
    pair_walk_t walk = {&victim->gvl, part, hold, from, end, charged, 0};
    pair_charge_slowly(b, &walk, to);
}

/* --- parties: at edges and ticks --- */

/* Whether no hold of the ring and no part of another party has it. */
static bool pair_forgotten(const blame_t *b, const pair_party_t *party)
{
    return !party->references && (!party->last_put || b->held - party->last_put >= BLAME_HOLDS);
}

/* Moves ended parties that nothing refers to into the free list; whether they were many. */
static bool pair_sweep(blame_t *b)
{
    uint32_t all = 0, moved = 0;
    for (pair_party_t **place = &b->ended; *place; all++) {
        pair_party_t *party = *place;
        if (!pair_forgotten(b, party)) {
            place = &party->next;
            continue;
        }
        *place = party->next;
        party->next = b->free;
        b->free = party;
        moved++;
    }
    return moved > all / 4; /* else the next sweep comes soon, and finds as little */
}

static void pair_make(blame_t *b)
{
    for (int i = 0; i < PAIR_MORE; i++) {
        pair_party_t *party = calloc(1, sizeof(*party));
        if (!party) return;
        party->debts = party->few;
        party->debts_room = PAIR_FEW;
        party->next = b->free;
        b->free = party;
    }
}

pair_party_t *pair_begin(blame_t *b, uint64_t id)
{
    pairs_finish_left_behind(b);
    if (!b->free && !pair_sweep(b)) pair_make(b);
    pair_party_t *party = b->free;
    if (!party) return NULL;
    b->free = party->next;
    party->id = id;
    party->series = PAIR_NAMELESS;
    party->last_put = 0;
    party->merged = false;
    party->lock_ns = 0;
    party->next = NULL;
    return party;
}

void pair_end(blame_t *b, pair_party_t *party)
{
    bool unused = pair_forgotten(b, party);
    pair_party_t **list = unused ? &b->free : &b->ended;
    party->next = *list;
    *list = party;
}

pair_waits_t *pair_pool_waits(pair_party_t *victim)
{
    if (!victim->pool) victim->pool = calloc(1, sizeof(*victim->pool));
    return victim->pool;
}

static void pair_merge_waits(pair_waits_t *waits, const pair_waits_t *more)
{
    for (uint32_t i = 0; i < more->parts_used; i++)
        pair_add(waits, more->parts[i].holder, more->parts[i].time);
    for (uint32_t i = 0; i < more->sums_used; i++) pair_sum(waits, more->sums[i].series, more->sums[i].time);
    waits->nobody += more->nobody;
    waits->others += more->others;
    waits->unknown += more->unknown;
}

void pair_merge(pair_party_t *outer, pair_party_t *inner)
{
    inner->merged = true;
    pair_merge_waits(&outer->gvl, &inner->gvl);
    pair_merge_waits(&outer->lock, &inner->lock);
}

void pair_clear(pair_party_t *victim)
{
    pair_clear_waits(&victim->gvl);
    pair_clear_waits(&victim->lock);
    if (victim->pool) pair_clear_waits(victim->pool);
}

static void pair_free_all(pair_party_t *list)
{
    for (pair_party_t *next; list; list = next) {
        next = list->next;
        if (list->debts != list->few) free(list->debts);
        free(list->pool);
        free(list);
    }
}

void pairs_reset(blame_t *b)
{
    pair_free_all(b->free);
    pair_free_all(b->ended);
    pair_free_all(b->left_behind);
    b->free = b->ended = b->left_behind = NULL;
    b->held = b->held_to = b->charged = b->unknown = b->rests = 0;
    memset(b->holds, 0, sizeof(b->holds));
}
