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
static inline uint32_t pair_debt_place(const pair_debt_t *debts, uint32_t room, uint32_t victim,
                                       uint32_t kind)
{
    for (uint32_t i = victim * SEG_PAIR_KIND_COUNT + kind;; i++) {
        const pair_debt_t *debt = &debts[i & (room - 1)];
        if (!debt->victim || (debt->victim == victim && debt->kind == kind)) return i & (room - 1);
    }
}

static void pair_put_debt(pair_party_t *holder, uint32_t place, pair_debt_t debt)
{
    holder->debts[place] = debt;
    holder->debts_marks |= UINT64_C(1) << place % 64;
}

static __attribute__((noinline)) bool pair_grow_debts(pair_party_t *holder)
{
    uint32_t room = 2 * holder->debts_room, room_before = holder->debts_room;
    pair_debt_t *more = calloc(room, sizeof(*more)), *before = holder->debts;
    if (!more) return false;
    holder->debts = more;
    holder->debts_room = room;
    holder->debts_marks = 0;
    for (uint32_t i = 0; i < room_before; i++) {
        pair_debt_t debt = before[i];
        if (debt.victim) pair_put_debt(holder, pair_debt_place(more, room, debt.victim, debt.kind), debt);
    }
    if (before != holder->few) free(before);
    else memset(holder->few, 0, sizeof(holder->few));
    return true;
}

static bool pair_owe(pair_party_t *holder, pair_debt_t debt)
{
    uint32_t place = pair_debt_place(holder->debts, holder->debts_room, debt.victim, debt.kind);
    if (holder->debts[place].victim) {
        holder->debts[place].time += debt.time;
        return true;
    }
    if (__builtin_expect(holder->debts_used == holder->debts_room / 4 * 3, 0)) {
        if (!pair_grow_debts(holder)) return false;
        place = pair_debt_place(holder->debts, holder->debts_room, debt.victim, debt.kind);
    }
    holder->debts_used++;
    pair_put_debt(holder, place, debt);
    return true;
}

/* A table that was large once would be gone through at each end of a unit. */
static void pair_shrink_debts(pair_party_t *holder)
{
    if (holder->debts == holder->few || holder->debts_used >= holder->debts_room / 4) return;
    free(holder->debts);
    holder->debts = holder->few;
    holder->debts_room = PAIR_FEW;
}

/* `series`: they are recorded as waits for it; PAIR_NAMELESS: they are forgotten. */
static void pair_settle_debts(pair_party_t *holder, uint32_t series);

static void pair_forget_debts(pair_party_t *holder)
{
    if (holder->debts_used) pair_settle_debts(holder, PAIR_NAMELESS);
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
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        const pair_part_t *sum = pair_sum_at(waits, i);
        pair_add_row(kind, series, (uint32_t)sum->series, pair_ns(kind, sum->time));
    }
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
        const pair_part_t *sum = pair_sum_at(waits, i);
        seg_keep_part(parts, room, (seg_part_t){number, (uint32_t)sum->series, pair_ns(kind, sum->time)});
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
    for (uint32_t i = 0; i < waits->sums_used; i++) {
        pair_part_t *sum = pair_sum_at(waits, i);
        sum->time = pair_part_ns(sum->time, &ticks, &ns, lock_ns);
    }
    waits->others = pair_part_ns(waits->others, &ticks, &ns, lock_ns);
    waits->unknown = lock_ns - ns;
    victim->lock_ns = lock_ns;
}

static void pair_settle_debts(pair_party_t *holder, uint32_t series)
{
    for (uint64_t marks = holder->debts_marks; marks; marks &= marks - 1)
        for (uint32_t i = (uint32_t)__builtin_ctzll(marks); i < holder->debts_room; i += 64) {
            pair_debt_t *debt = &holder->debts[i];
            if (!debt->victim) continue;
            if (series) pair_add_row(debt->kind, debt->victim, series, pair_ns(debt->kind, debt->time));
            debt->victim = 0;
        }
    pair_shrink_debts(holder);
    holder->debts_used = 0;
    holder->debts_marks = 0;
}

void pair_settle(pair_party_t *holder, uint32_t series)
{
    pair_name(holder, series);
    if (holder->debts_used) pair_settle_debts(holder, series);
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
    for (uint32_t i = 0; i < waits->sums_used; i++) waits->unknown += pair_sum_at(waits, i)->time;
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
