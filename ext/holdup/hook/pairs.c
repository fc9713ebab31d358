#include "hook/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "segment/segment_pairs.h"

#define PAIR_MORE 8 /* parties that are made at once */
#define PAIR_COMMIT 64 /* debts that are settled in one commit */

/* --- charging: inside the hook --- */

static void pair_sum(pair_party_t *victim, uint32_t series, uint64_t ticks)
{
    if (series == PAIR_UNKNOWN) {
        victim->unknown += ticks;
        return;
    }
    for (uint32_t i = 0; i < victim->sums_used; i++) {
        if (victim->sums[i].series != series) continue;
        victim->sums[i].ticks += ticks;
        return;
    }
    if (victim->sums_used < PAIR_PARTS) victim->sums[victim->sums_used++] = (pair_sum_t){series, ticks};
    else victim->others += ticks;
}

/* Adds up the parts whose holders have a name by now. */
static void pair_sum_up(pair_party_t *victim)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < victim->parts_used; i++) {
        pair_part_t part = victim->parts[i];
        uint32_t series = part.holder->series;
        if (series == PAIR_NAMELESS) {
            victim->parts[kept++] = part;
            continue;
        }
        pair_sum(victim, series, part.ticks);
        part.holder->references--;
    }
    victim->parts_used = kept;
}

static void pair_add(pair_party_t *victim, pair_party_t *holder, uint64_t ticks)
{
    for (uint32_t i = 0; i < victim->parts_used; i++) {
        if (victim->parts[i].holder != holder) continue;
        victim->parts[i].ticks += ticks;
        return;
    }
    if (victim->parts_used == PAIR_PARTS) pair_sum_up(victim);
    if (victim->parts_used == PAIR_PARTS) {
        victim->others += ticks;
        return;
    }
    victim->parts[victim->parts_used++] = (pair_part_t){holder, ticks};
    holder->references++;
}

/*
 * No moment counts for two holders, even when the clocks of CPUs differ. A wait that began before the oldest
 * hold of a full ring is unknown up to there.
 */
void pair_charge(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to)
{
    uint64_t rest = to - from, unknown = 0, charged = 0, end = to;
    uint64_t oldest = b->held > BLAME_HOLDS ? b->held - BLAME_HOLDS : 0;
    for (uint64_t n = b->held; n > oldest && end > from; n--) {
        const blame_hold_t *hold = &b->holds[(n - 1) % BLAME_HOLDS];
        if (hold->to <= from) break;
        uint64_t begins = hold->from > from ? hold->from : from, ends = hold->to < end ? hold->to : end;
        if (begins >= ends) continue;
        if (hold->holder && victim) pair_add(victim, hold->holder, ends - begins), charged += ends - begins;
        else unknown += ends - begins;
        end = begins;
        if (n - 1 == oldest && oldest && end > from) unknown += end - from;
    }
    rest -= charged + unknown;
    b->charged += charged;
    b->unknown += unknown;
    b->rests += rest;
    if (!victim) return;
    victim->unknown += unknown;
    victim->handoff += rest;
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

void pair_merge(pair_party_t *outer, pair_party_t *inner)
{
    inner->merged = true;
    for (uint32_t i = 0; i < inner->parts_used; i++)
        pair_add(outer, inner->parts[i].holder, inner->parts[i].ticks);
    for (uint32_t i = 0; i < inner->sums_used; i++)
        pair_sum(outer, inner->sums[i].series, inner->sums[i].ticks);
    outer->handoff += inner->handoff;
    outer->others += inner->others;
    outer->unknown += inner->unknown;
}

void pair_clear(pair_party_t *victim)
{
    for (uint32_t i = 0; i < victim->parts_used; i++) victim->parts[i].holder->references--;
    victim->parts_used = victim->sums_used = 0;
    victim->handoff = victim->others = victim->unknown = 0;
}

/* --- recording --- */

static bool pair_owe(pair_party_t *holder, uint32_t victim, uint64_t ticks)
{
    for (uint32_t i = 0; i < holder->debts_used; i++) {
        if (holder->debts[i].series != victim) continue;
        holder->debts[i].ticks += ticks;
        return true;
    }
    if (holder->debts_used == holder->debts_room) {
        uint32_t room = holder->debts_room ? 2 * holder->debts_room : 4;
        pair_sum_t *more = realloc(holder->debts, room * sizeof(*more));
        if (!more) return false;
        holder->debts = more;
        holder->debts_room = room;
    }
    holder->debts[holder->debts_used++] = (pair_sum_t){victim, ticks};
    return true;
}

static void pair_put_sum(uint32_t victim, uint32_t holder, uint64_t ns, uint64_t *beyond)
{
    if (!seg_add_pair(victim, holder, ns)) *beyond += ns;
}

void pair_record(pair_party_t *victim, uint32_t series)
{
    pair_sum_up(victim);
    uint64_t unknown = victim->unknown, beyond = 0;
    for (uint32_t i = 0; i < victim->parts_used; i++) {
        const pair_part_t *part = &victim->parts[i];
        if (!pair_owe(part->holder, series, part->ticks)) unknown += part->ticks;
    }
    for (uint32_t i = 0; i < victim->sums_used; i++)
        pair_put_sum(series, victim->sums[i].series, clk_ns(victim->sums[i].ticks), &beyond);
    pair_put_sum(series, SEG_PAIR_HANDOFF, clk_sum_ns(victim->handoff), &beyond);
    pair_put_sum(series, SEG_PAIR_UNKNOWN, clk_ns(unknown), &beyond);
    pair_put_sum(series, SEG_PAIR_OTHERS, clk_ns(victim->others), &beyond);
    seg_add_pair_beyond(series, beyond);
}

void pair_settle(pair_party_t *holder, uint32_t series)
{
    holder->series = series;
    for (uint32_t i = 0; i < holder->debts_used; i++) {
        uint64_t ns = clk_ns(holder->debts[i].ticks);
        uint32_t victim = holder->debts[i].series;
        if (!seg_add_pair(victim, series, ns)) seg_add_pair_beyond(victim, ns);
        if (i % PAIR_COMMIT == PAIR_COMMIT - 1) seg_commit();
    }
    if (holder->debts_used % PAIR_COMMIT) seg_commit();
    holder->debts_used = 0;
}

static bool pair_waited(const pair_party_t *party)
{
    return party->parts_used || party->sums_used || party->handoff || party->others || party->unknown;
}

static void pair_write(pair_party_t *party, uint32_t series)
{
    if (pair_waited(party)) {
        if (series || !party->merged) pair_record(party, series ? series : SEG_PAIR_UNRECORDED);
        if (series && party->merged) pair_record(party, (uint32_t)seg.nested);
        seg_commit();
    }
    if (party->debts_used) pair_settle(party, series ? series : PAIR_UNKNOWN);
}

void pair_finish(blame_t *b, pair_party_t *party, uint32_t series)
{
    if (pair_waited(party) || party->debts_used) {
        seg_lock();
        if (seg.base) pair_write(party, series);
        seg_unlock();
        pair_clear(party);
        party->debts_used = 0;
    }
    party->series = series ? series : PAIR_UNKNOWN;
    pair_end(b, party);
}

static bool pair_lists_lock; /* of parties that were left behind */

void pair_leave_behind(blame_t *b, pair_party_t *party, uint32_t series)
{
    blame_acquire(&pair_lists_lock);
    party->series = series;
    party->next = b->left_behind;
    __atomic_store_n(&b->left_behind, party, __ATOMIC_RELEASE);
    blame_release(&pair_lists_lock);
}

void pairs_finish_left_behind(blame_t *b)
{
    if (!BLAME_GET(b->left_behind)) return;
    blame_acquire(&pair_lists_lock);
    pair_party_t *all = b->left_behind;
    b->left_behind = NULL;
    blame_release(&pair_lists_lock);
    for (pair_party_t *next; all; all = next) {
        next = all->next;
        pair_finish(b, all, all->series);
    }
}

void pair_forget_names(pair_party_t *party)
{
    for (uint32_t i = 0; i < party->sums_used; i++) party->unknown += party->sums[i].ticks;
    party->sums_used = party->debts_used = 0;
    party->series = PAIR_NAMELESS;
}

void pairs_forget_names(blame_t *b)
{
    for (pair_party_t *party = b->ended; party; party = party->next) party->series = PAIR_UNKNOWN;
}

static void pair_free_all(pair_party_t *list)
{
    for (pair_party_t *next; list; list = next) {
        next = list->next;
        free(list->debts);
        free(list);
    }
}

void pairs_reset(blame_t *b)
{
    pair_free_all(b->free);
    pair_free_all(b->ended);
    pair_free_all(b->left_behind);
    b->free = b->ended = b->left_behind = NULL;
    b->held = b->charged = b->unknown = b->rests = 0;
    memset(b->holds, 0, sizeof(b->holds));
}
