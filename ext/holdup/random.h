/* Which of many is taken by chance: Knuth's linear congruential generator, whose low bits are left out. */
#ifndef HOLDUP_RANDOM_H
#define HOLDUP_RANDOM_H

#include <stdint.h>

/* Up to 2^31 - 1. */
static inline uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

#endif
