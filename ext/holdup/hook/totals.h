/*
 * What the probe counts of a thread. It only grows, so a unit, an account or a tick is the difference of two
 * totals.
 */
#ifndef HOLDUP_TOTALS_H
#define HOLDUP_TOTALS_H

#include <stddef.h>
#include <stdint.h>

/* Squares of holds are kept in (1024 ticks)^2, so that no sum overflows within years. */
#define TC_SQUARE_SHIFT 10

typedef enum { TC_IO, TC_LOCK, TC_SLEEP, TC_IDLE_KINDS } tc_idle_kind;

/* Ticks unless the name says otherwise. */
typedef struct {
    uint64_t running;
    uint64_t stalled;
    uint64_t idle[TC_IDLE_KINDS];
    uint64_t gc;
    uint64_t native_ns;    /* CPU used in long blocking regions */
    uint64_t acquisitions;
    uint64_t preemptions;

    /* Calls are made of what is above (calls.h). */
    uint64_t caused;
    uint64_t squares;      /* sum of (hold >> TC_SQUARE_SHIFT)^2 */
    uint64_t running_in_flight; /* running, times the units in flight meanwhile */
    uint64_t objects;      /* that all threads allocated between two readings (allocations.h) ... */
    uint64_t objects_own;  /* ... in which this thread ran for so long ... */
    uint64_t objects_others; /* ... and others for so long */
    uint64_t malloc_bytes; /* what all threads got from malloc meanwhile */
    uint64_t slot_bytes;   /* of some of these intervals: their slots ... */
    uint64_t slot_objects; /* ... and their objects */
} totals_t;

#define TOTALS_WORDS (sizeof(totals_t) / sizeof(uint64_t))
#define TOTALS_CALL_WORDS (offsetof(totals_t, caused) / sizeof(uint64_t))

static inline void totals_add(totals_t *sum, const totals_t *more)
{
    for (size_t i = 0; i < TOTALS_WORDS; i++) ((uint64_t *)sum)[i] += ((const uint64_t *)more)[i];
}

static inline totals_t totals_since(const totals_t *now, const totals_t *then)
{
    totals_t difference;
    for (size_t i = 0; i < TOTALS_WORDS; i++)
        ((uint64_t *)&difference)[i] = ((const uint64_t *)now)[i] - ((const uint64_t *)then)[i];
    return difference;
}

#endif
