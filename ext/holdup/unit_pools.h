/*
 * For how long threads of each pool have been busy with units: an integral that changes at the edges of units, so it is exact
 * whenever it is read. A pool is known by its name. The lock of units (unit.h) is held.
 */
#ifndef HOLDUP_UNIT_POOLS_H
#define HOLDUP_UNIT_POOLS_H

#include <string.h>

#include "clock.h"
#include "segment_layout.h"

#define POOLS_NONE SEG_POOLS

typedef struct {
    char name[SEG_POOL_BYTES];
    size_t bytes;
    uint64_t flight;   /* units that its threads have begun */
    uint64_t since;    /* up to when `ticks` is true */
    uint64_t ticks;    /* flight x time */
    uint64_t told_ns;  /* as last read: the clock's rate is calibrated now and then, and this never falls */
} pools_one_t;

static struct {
    pools_one_t all[SEG_POOLS];
    uint32_t count;
    uint8_t order[SEG_POOLS]; /* as the process tells them */
    uint32_t ordered;
} pools;

/* Where the pool of that name is; POOLS_NONE when there are too many. */
static inline uint8_t pools_find(const char *name, size_t bytes)
{
    for (uint32_t i = 0; i < pools.count; i++)
        if (pools.all[i].bytes == bytes && !memcmp(pools.all[i].name, name, bytes)) return (uint8_t)i;
    if (pools.count == SEG_POOLS) return POOLS_NONE;
    pools_one_t *fresh = &pools.all[pools.count];
    memset(fresh, 0, sizeof(*fresh));
    memcpy(fresh->name, name, bytes);
    fresh->bytes = bytes;
    return (uint8_t)pools.count++;
}

static inline void pools_advance(pools_one_t *pool, uint64_t t)
{
    if (t <= pool->since) return;
    pool->ticks += pool->flight * (t - pool->since);
    pool->since = t;
}

static inline void pools_begin(uint8_t index, uint64_t t)
{
    if (index >= SEG_POOLS) return;
    pools_advance(&pools.all[index], t);
    pools.all[index].flight++;
}

static inline void pools_end(uint8_t index, uint64_t t)
{
    if (index >= SEG_POOLS) return;
    pools_advance(&pools.all[index], t);
    pools.all[index].flight--;
}

/* ns up to `t` of the pool that is told as number `place`; 0 while none of its threads has had a unit. */
static uint64_t pools_busy_ns(uint32_t place, uint64_t t)
{
    if (place >= pools.ordered || pools.order[place] >= SEG_POOLS) return 0;
    pools_one_t *pool = &pools.all[pools.order[place]];
    pools_advance(pool, t);
    uint64_t ns = clk_ns(pool->ticks);
    if (ns > pool->told_ns) pool->told_ns = ns;
    return pool->told_ns;
}

#endif
