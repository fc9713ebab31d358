#include "hook/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "segment/segment_pairs.h"
#include "segment/segment_slowest.h"

#define PAIR_MORE 8 /* parties that are made at once */
#define PAIR_COMMIT 64 /* debts that are settled in one commit */

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

/* Adds up the parts whose holders have a name by now. */
static void pair_sum_up(pair_waits_t *waits)
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

/*
 * Each overlap of the wait with a hold, from the latest back. Threads that take turns come in the same order
 * in each wait, so the part of a hold is mostly the one behind the last; one that is not is moved there. What
 * is behind the last part is no holder's. No moment counts for two holders, even when the clocks of CPUs
 * differ. A wait that began before the oldest hold of a full ring is unknown up to there.
 */
static inline __attribute__((always_inline)) uint64_t
pair_walk(blame_t *b, pair_waits_t *waits, uint64_t from, uint64_t to, uint64_t *unknown)
{
    uint64_t charged = 0, end = to;
    uint32_t left = b->held < BLAME_HOLDS ? (uint32_t)b->held : BLAME_HOLDS;
    const blame_hold_t *hold = &b->holds[b->held % BLAME_HOLDS];
    pair_part_t *part = waits ? waits->parts : NULL;
    for (; left; left--) {
        if (__builtin_expect(hold == b->holds, 0)) hold += BLAME_HOLDS;
        hold--;
        if (hold->to <= from) return charged;
        uint64_t begins = hold->from > from ? hold->from : from, ends = hold->to < end ? hold->to : end;
        if (__builtin_expect(begins >= ends, 0)) continue;
        uint64_t time = ends - begins;
        end = begins;
        if (!waits || __builtin_expect(!hold->holder, 0)) {
            *unknown += time;
            continue;
        }
        if (__builtin_expect(part->holder == hold->holder, 1)) part++->time += time;
        else part = pair_add_here(waits, part, hold->holder, time);
        charged += time;
    }
    if (b->held > BLAME_HOLDS) *unknown += end - from;
    return charged;
}

void pair_charge_holds(blame_t *b, pair_party_t *victim, uint64_t from, uint64_t to)
{
    uint64_t unknown = 0;
    uint64_t charged = victim ? pair_walk(b, &victim->gvl, from, to, &unknown)
                              : pair_walk(b, NULL, from, to, &unknown);
    uint64_t rest = to - from - charged - unknown;
    b->charged += charged;
    b->rests += rest;
    if (victim) victim->gvl.nobody += rest;
    if (__builtin_expect(!unknown, 1)) return;
    b->unknown += unknown;
    if (victim) victim->gvl.unknown += unknown;
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

static void pair_clear_waits(pair_waits_t *waits)
{
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        waits->parts[i].holder->references--;
        waits->parts[i].holder = NULL;
    }
    waits->parts_used = waits->sums_used = 0;
    waits->nobody = waits->others = waits->unknown = 0;
}

void pair_clear(pair_party_t *victim)
{
    pair_clear_waits(&victim->gvl);
    pair_clear_waits(&victim->lock);
    if (victim->pool) pair_clear_waits(victim->pool);
}

/* --- recording --- */

static uint64_t pair_ns(enum seg_pair_kind kind, uint64_t time)
{
    return kind == SEG_PAIR_GVL ? clk_ns(time) : time;
}

static bool pair_owe(pair_party_t *holder, pair_debt_t debt)
{
    for (uint32_t i = 0; i < holder->debts_used; i++) {
        if (holder->debts[i].victim != debt.victim || holder->debts[i].kind != debt.kind) continue;
        holder->debts[i].time += debt.time;
        return true;
    }
    if (holder->debts_used == holder->debts_room) {
        uint32_t room = holder->debts_room ? 2 * holder->debts_room : 4;
        pair_debt_t *more = realloc(holder->debts, room * sizeof(*more));
        if (!more) return false;
        holder->debts = more;
        holder->debts_room = room;
    }
    holder->debts[holder->debts_used++] = debt;
    return true;
}

static void pair_record_waits(pair_waits_t *waits, enum seg_pair_kind kind, uint32_t series)
{
    pair_sum_up(waits);
    uint64_t unknown = waits->unknown, beyond = 0;
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        const pair_part_t *part = &waits->parts[i];
        if (!pair_owe(part->holder, (pair_debt_t){series, kind, part->time})) unknown += part->time;
    }
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        uint64_t ns = pair_ns(kind, waits->sums[i].time);
        if (!seg_add_pair(kind, series, waits->sums[i].series, ns)) beyond += ns;
    }
    uint64_t nobody = kind == SEG_PAIR_GVL ? clk_sum_ns(waits->nobody) : waits->nobody;
    const pair_sum_t rest[] = {{SEG_PAIR_HANDOFF, nobody},
                               {SEG_PAIR_UNKNOWN, pair_ns(kind, unknown)},
                               {SEG_PAIR_OTHERS, pair_ns(kind, waits->others)}};
    for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
        if (!seg_add_pair(kind, series, rest[i].series, rest[i].time)) beyond += rest[i].time;
    seg_add_pair_beyond(kind, series, beyond);
}

void pair_record(pair_party_t *victim, uint32_t series)
{
    pair_record_waits(&victim->gvl, SEG_PAIR_GVL, series);
}

/* NULL: it has not waited for such. */
static pair_waits_t *pair_waits_of(pair_party_t *victim, enum seg_pair_kind kind)
{
    switch (kind) {
    case SEG_PAIR_GVL: return &victim->gvl;
    case SEG_PAIR_POOL: return victim->pool;
    case SEG_PAIR_LOCK: return &victim->lock;
    default: return NULL;
    }
}

void pair_largest(pair_party_t *victim, enum seg_pair_kind kind, seg_part_t *parts, uint32_t room)
{
    pair_waits_t *waits = pair_waits_of(victim, kind);
    const uint32_t number = SEG_PART_PAIR + kind;
    uint64_t open = 0;
    if (!waits) return;
    pair_sum_up(waits);
    for (uint32_t i = 0; i < waits->parts_used; i++) open += waits->parts[i].time;
    seg_keep_part(parts, room, (seg_part_t){number, SEG_PART_OPEN, pair_ns(kind, open)});
    seg_keep_part(parts, room, (seg_part_t){number, SEG_PAIR_UNKNOWN, pair_ns(kind, waits->unknown)});
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        const pair_sum_t *sum = &waits->sums[i];
        seg_keep_part(parts, room, (seg_part_t){number, sum->series, pair_ns(kind, sum->time)});
    }
}

/* A part of a sum of ticks in ns: it ends where the sum up to it does, so rounding loses nothing. */
static uint64_t pair_part_ns(uint64_t time, uint64_t *ticks, uint64_t *ns, uint64_t most_ns)
{
    uint64_t before = *ns;
    *ticks += time;
    *ns = clk_ns(*ticks);
    if (*ns > most_ns) *ns = most_ns;
    return *ns - before;
}

void pair_locked(pair_party_t *victim, uint64_t lock_ns)
{
    pair_waits_t *waits = &victim->lock;
    uint64_t ticks = 0, ns = 0;
    pair_sum_up(waits);
    for (uint32_t i = 0; i < waits->parts_used; i++)
        waits->parts[i].time = pair_part_ns(waits->parts[i].time, &ticks, &ns, lock_ns);
    for (uint32_t i = 0; i < waits->sums_used; i++)
        waits->sums[i].time = pair_part_ns(waits->sums[i].time, &ticks, &ns, lock_ns);
    waits->others = pair_part_ns(waits->others, &ticks, &ns, lock_ns);
    waits->unknown = lock_ns - ns;
    victim->lock_ns = lock_ns;
}

void pair_settle(pair_party_t *holder, uint32_t series)
{
    pair_name(holder, series);
    for (uint32_t i = 0; i < holder->debts_used; i++) {
        const pair_debt_t *debt = &holder->debts[i];
        uint64_t ns = pair_ns(debt->kind, debt->time);
        bool added = seg_add_pair(debt->kind, debt->victim, series, ns);
        if (!added) seg_add_pair_beyond(debt->kind, debt->victim, ns);
        if (i % PAIR_COMMIT == PAIR_COMMIT - 1) seg_commit();
    }
    if (holder->debts_used % PAIR_COMMIT) seg_commit();
    holder->debts_used = 0;
}

static bool pair_waited(const pair_waits_t *waits)
{
    return waits->parts_used | waits->sums_used | waits->nobody | waits->others | waits->unknown;
}

static bool pair_waited_for_pool(const pair_party_t *party)
{
    return party->pool && pair_waited(party->pool);
}

static void pair_write(pair_party_t *party, uint32_t series)
{
    if (pair_waited(&party->gvl)) {
        if (series || !party->merged) pair_record(party, series ? series : SEG_PAIR_UNRECORDED);
        if (series && party->merged) pair_record(party, (uint32_t)seg.nested);
        seg_commit();
    }
    if (series && pair_waited_for_pool(party)) {
        pair_record_waits(party->pool, SEG_PAIR_POOL, series);
        seg_commit();
    }
    if (series && party->lock_ns) {
        pair_record_waits(&party->lock, SEG_PAIR_LOCK, series);
        if (party->merged) pair_record_waits(&party->lock, SEG_PAIR_LOCK, (uint32_t)seg.nested);
        seg_commit();
    }
    if (party->debts_used) pair_settle(party, series ? series : PAIR_UNKNOWN);
}

static bool pair_has_waited(const pair_party_t *party)
{
    return pair_waited(&party->gvl) || pair_waited(&party->lock) || pair_waited_for_pool(party);
}

void pair_finish(blame_t *b, pair_party_t *party, uint32_t series)
{
    if (pair_has_waited(party) || party->debts_used) {
        seg_lock();
        if (seg.base) pair_write(party, series);
        seg_unlock();
        pair_clear(party);
        party->debts_used = 0;
    }
    pair_name(party, series ? series : PAIR_UNKNOWN);
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

static void pair_forget_sums(pair_waits_t *waits)
{
    for (uint32_t i = 0; i < waits->sums_used; i++) waits->unknown += waits->sums[i].time;
    waits->sums_used = 0;
}

void pair_forget_names(pair_party_t *party)
{
    pair_forget_sums(&party->gvl);
    pair_forget_sums(&party->lock);
    if (party->pool) pair_forget_sums(party->pool);
    party->debts_used = 0;
    party->series = PAIR_NAMELESS;
}

void pairs_forget_names(blame_t *b)
{
    for (pair_party_t *party = b->ended; party; party = party->next) pair_name(party, PAIR_UNKNOWN);
}

static void pair_free_all(pair_party_t *list)
{
    for (pair_party_t *next; list; list = next) {
        next = list->next;
        free(list->debts);
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
