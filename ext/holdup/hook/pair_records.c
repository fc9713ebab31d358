#include "hook/pair_records.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "segment/segment.h"
#include "segment/segment_pairs.h"
#include "segment/segment_slowest.h"

static uint64_t pair_ns(enum seg_pair_kind kind, uint64_t time)
{
    return kind == SEG_PAIR_GVL ? clk_ns(time) : time;
}

/* --- debts: an open table, whose free places have no victim --- */

/* Where the debt of that victim and kind is, or the free place for it. Series are numbered one by one. */
static pair_debt_t *pair_debt_place(pair_debt_t *debts, uint32_t room, uint32_t victim, uint32_t kind)
{
    for (uint32_t i = victim * SEG_PAIR_KIND_COUNT + kind;; i++) {
        pair_debt_t *debt = &debts[i & (room - 1)];
        if (!debt->victim || (debt->victim == victim && debt->kind == kind)) return debt;
    }
}

static void pair_free_debts(pair_party_t *party)
{
    if (party->debts != party->few) free(party->debts);
    memset(party->few, 0, sizeof(party->few));
    party->debts = party->few;
    party->debts_room = PAIR_FEW;
}

static __attribute__((noinline)) bool pair_grow_debts(pair_party_t *holder)
{
    uint32_t room = 2 * holder->debts_room;
    pair_debt_t *more = calloc(room, sizeof(*more));
    if (!more) return false;
    for (uint32_t i = 0; i < holder->debts_room; i++) {
        pair_debt_t debt = holder->debts[i];
        if (debt.victim) *pair_debt_place(more, room, debt.victim, debt.kind) = debt;
    }
    pair_free_debts(holder);
    holder->debts = more;
    holder->debts_room = room;
    return true;
}

static bool pair_owe(pair_party_t *holder, pair_debt_t debt)
{
    bool full = holder->debts_used == holder->debts_room / 4 * 3;
    pair_debt_t *place = pair_debt_place(holder->debts, holder->debts_room, debt.victim, debt.kind);
    if (place->victim) {
        place->time += debt.time;
        return true;
    }
    if (__builtin_expect(full, 0)) {
        if (!pair_grow_debts(holder)) return false;
        place = pair_debt_place(holder->debts, holder->debts_room, debt.victim, debt.kind);
    }
    holder->debts_used++;
    *place = debt;
    return true;
}

static void pair_forget_debts(pair_party_t *holder)
{
    if (!holder->debts_used) return;
    memset(holder->debts, 0, holder->debts_room * sizeof(*holder->debts));
    /* A table that was large once would be gone through at each end of a unit. */
    if (holder->debts_used < holder->debts_room / 4) pair_free_debts(holder);
    holder->debts_used = 0;
}

/* --- rows of the segment --- */

/* Adds to the pair of the victim and that holder, or, where there is no room, to those that share a row. */
static inline void pair_add_row(enum seg_pair_kind kind, uint32_t victim, uint32_t holder, uint64_t ns)
{
    uint64_t beyond = seg_add_pair(kind, victim, holder, ns);
    if (__builtin_expect(beyond != 0, 0)) seg_add_pair_beyond(kind, victim, beyond);
}

static void pair_record_waits(const pair_waits_t *waits, enum seg_pair_kind kind, uint32_t series)
{
    uint64_t unknown = waits->unknown;
    for (uint32_t i = 0; i < waits->parts_used; i++) {
        const pair_part_t part = waits->parts[i];
        uint32_t holder = part.holder->series;
        if (holder == PAIR_NAMELESS) {
            if (!pair_owe(part.holder, (pair_debt_t){series, kind, part.time})) unknown += part.time;
        }
        else if (holder == PAIR_UNKNOWN) unknown += part.time;
        else pair_add_row(kind, series, holder, pair_ns(kind, part.time));
    }
    for (uint32_t i = 0; i < waits->sums_used; i++)
        pair_add_row(kind, series, waits->sums[i].series, pair_ns(kind, waits->sums[i].time));
    uint64_t nobody = kind == SEG_PAIR_GVL ? clk_sum_ns(waits->nobody) : waits->nobody;
    if (nobody) pair_add_row(kind, series, SEG_PAIR_HANDOFF, nobody);
    if (unknown) pair_add_row(kind, series, SEG_PAIR_UNKNOWN, pair_ns(kind, unknown));
    if (waits->others) pair_add_row(kind, series, SEG_PAIR_OTHERS, pair_ns(kind, waits->others));
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
    if (!holder->debts_used) return;
    for (uint32_t i = 0; i < holder->debts_room; i++) {
        const pair_debt_t debt = holder->debts[i];
        if (debt.victim) pair_add_row(debt.kind, debt.victim, series, pair_ns(debt.kind, debt.time));
    }
    pair_forget_debts(holder);
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
    }
    if (series && pair_waited_for_pool(party)) pair_record_waits(party->pool, SEG_PAIR_POOL, series);
    if (series && party->lock_ns) {
        pair_record_waits(&party->lock, SEG_PAIR_LOCK, series);
        if (party->merged) pair_record_waits(&party->lock, SEG_PAIR_LOCK, (uint32_t)seg.nested);
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
        pair_forget_debts(party);
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
    pair_forget_debts(party);
    party->series = PAIR_NAMELESS;
}

void pairs_forget_names(blame_t *b)
{
    for (pair_party_t *party = b->ended; party; party = party->next) pair_name(party, PAIR_UNKNOWN);
}
