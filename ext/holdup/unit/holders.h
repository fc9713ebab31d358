/*
 * For whom units wait: the last long holds of the main Ractor's GVL that others waited in, and for each unit
 * the holders of the GVL during its long waits. Kept only while the span of a tracer asks for it.
 *
 * A hold is written by its own thread at its end, and read by threads that have just taken the GVL: both hold
 * that GVL, so it needs no lock.
 */
#ifndef HOLDUP_HOLDERS_H
#define HOLDUP_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "shared.h"

#define HLD_HOLDS 64
#define HLD_MOST 8 /* holders of a unit */

struct tclock;

/* `holder`: the handle of a unit, or the number of a thread's account above UNIT_SLOT_BITS zeros. */
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

struct hld {
    uint64_t least; /* shorter holds and waits are not kept (ticks); UINT64_MAX: nothing is kept */
    uint32_t next;
    hld_hold_t holds[HLD_HOLDS];
};

SHARED struct hld hld;

static inline bool hld_long(uint64_t ticks)
{
    return __builtin_expect(ticks >= __atomic_load_n(&hld.least, __ATOMIC_RELAXED), 0);
}

/*
 * A hold of the thread, or the part of it that belongs to one unit, ends at `to`. The thread holds the GVL.
 */
void hld_held(const struct tclock *c, uint64_t to) __attribute__((cold));

/* A wait of the thread ends at `to`. The thread has just taken the GVL. */
void hld_waited(const struct tclock *c, uint64_t to) __attribute__((cold));

#endif
