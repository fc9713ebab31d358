#include "unit/unit_pools.h"

#include <string.h>

#include "clock.h"

struct pools pools;

uint8_t pools_find(const char *name, size_t bytes)
{
    for (uint32_t i = 0; i < pools.count; i++)
        if (pools.all[i].bytes == bytes && !memcmp(pools.all[i].name, name, bytes)) return (uint8_t)i;
    if (pools.count == SEG_POOLS) return POOLS_NONE;
    pool_t *fresh = &pools.all[pools.count];
    memset(fresh, 0, sizeof(*fresh));
    memcpy(fresh->name, name, bytes);
    fresh->bytes = bytes;
    return (uint8_t)pools.count++;
}

uint64_t pools_busy_ns(uint32_t place, uint64_t t)
{
    if (place >= pools.ordered || pools.order[place] >= SEG_POOLS) return 0;
    pool_t *pool = &pools.all[pools.order[place]];
    pools_advance(pool, t);
    uint64_t ns = clk_ns(pool->ticks);
    if (ns > pool->read_ns) pool->read_ns = ns;
    return pool->read_ns;
}
