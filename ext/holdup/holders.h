/*
 * For whom units wait: the last long holds of the main Ractor's GVL that others waited in, and for each unit the holders
 * whom its long waits fell to. Kept only where somebody asks (the span of a tracer).
 *
 * A hold is written by its own thread at its end, and read by threads that have just taken the GVL: both hold that GVL, so
 * there is no lock. This file knows neither threads nor units: who uses it is in holders_methods.h.
 */
#ifndef HOLDUP_HOLDERS_H
#define HOLDUP_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#define HLD_LEAST_NS UINT64_C(1000000) /* shorter holds and waits are nobody's */
#define HLD_HOLDS 64
#define HLD_MOST 8 /* holders of a unit */

typedef struct {
    uint64_t from, to, holder;
} hld_hold_t;

typedef struct {
    uint64_t holder, ticks;
} hld_part_t;

typedef struct {
    uint32_t count;
    hld_part_t parts[HLD_MOST];
} hld_table_t;

static struct {
    uint64_t least; /* HLD_LEAST_NS in ticks; UINT64_MAX: nobody asks */
    uint32_t next;
    hld_hold_t holds[HLD_HOLDS];
} hld = {UINT64_MAX, 0, {{0, 0, 0}}};

static inline bool hld_long(uint64_t ticks)
{
    return __builtin_expect(ticks >= __atomic_load_n(&hld.least, __ATOMIC_RELAXED), 0);
}

static void hld_put(uint64_t from, uint64_t to, uint64_t holder)
{
    hld.holds[hld.next++ % HLD_HOLDS] = (hld_hold_t){from, to, holder};
}

/* Where there is no room the smallest goes: what is left is never too much. */
static void hld_add(hld_table_t *table, uint64_t holder, uint64_t ticks)
{
    hld_part_t *least = table->parts;
    for (uint32_t i = 0; i < table->count; i++) {
        hld_part_t *part = &table->parts[i];
        if (part->holder == holder) {
            part->ticks += ticks;
            return;
        }
        if (part->ticks < least->ticks) least = part;
    }
    if (table->count < HLD_MOST) table->parts[table->count++] = (hld_part_t){holder, ticks};
    else if (least->ticks < ticks) *least = (hld_part_t){holder, ticks};
}

/* What of a wait fell into holds, the latest first. No moment is two holders', whatever the clocks of several CPUs say. */
static void hld_blame(hld_table_t *table, uint64_t from, uint64_t to)
{
    for (uint32_t i = 1; i <= HLD_HOLDS; i++) {
        const hld_hold_t *hold = &hld.holds[(hld.next - i) % HLD_HOLDS];
        if (hold->to <= from) return;
        uint64_t begin = hold->from > from ? hold->from : from, end = hold->to < to ? hold->to : to;
        if (begin >= end) continue;
        hld_add(table, hold->holder, end - begin);
        to = begin;
    }
}

#endif
