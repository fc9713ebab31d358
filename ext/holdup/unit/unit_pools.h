/*
 * For how long threads of each pool have been busy with units: an integral that changes at the edges of
 * units, so it is exact whenever it is read. A pool is known by its name. The caller holds the lock of units
 * (unit.h).
 */
#ifndef HOLDUP_UNIT_POOLS_H
#define HOLDUP_UNIT_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "segment/segment_layout.h"
#include "shared.h"

#define POOLS_NONE SEG_POOLS

typedef struct {
    char name[SEG_POOL_BYTES];
    size_t bytes;
    uint64_t in_flight;   /* units that its threads have begun */
    uint64_t since;    /* up to when `ticks` is right */
    uint64_t ticks;    /* in_flight x time */
    uint64_t read_ns;  /* as last read, below which it never falls when the clock's rate is calibrated */
} pool_t;

struct pools {
    pool_t all[SEG_POOLS];
    uint32_t count;
    uint8_t order[SEG_POOLS]; /* in which their gauges are written */
    uint32_t ordered;
};

SHARED struct pools pools;

static inline void pools_advance(pool_t *pool, uint64_t t)
{
    if (t <= pool->since) return;
    pool->ticks += pool->in_flight * (t - pool->since);
    pool->since = t;
}

static inline void pools_begin(uint8_t index, uint64_t t)
{
    if (index >= SEG_POOLS) return;
    pools_advance(&pools.all[index], t);
    pools.all[index].in_flight++;
}

static inline void pools_end(uint8_t index, uint64_t t)
{
    if (index >= SEG_POOLS) return;
    pools_advance(&pools.all[index], t);
    pools.all[index].in_flight--;
}

/* The index of the pool of that name, which is made when it is new; POOLS_NONE when there are too many. */
uint8_t pools_find(const char *name, size_t bytes);

/* ns up to `t` of the pool at that place of the order; 0 while none of its threads has had a unit. */
uint64_t pools_busy_ns(uint32_t place, uint64_t t);

#endif
