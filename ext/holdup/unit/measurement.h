/* Totals in ticks as the nanoseconds that Ruby gets and the segment keeps. */
#ifndef HOLDUP_MEASUREMENT_H
#define HOLDUP_MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

#include "hook/totals.h"

#define UNIT_UNKNOWN UINT64_MAX
#define UNIT_CPU_UNKNOWN UINT64_MAX

/* A unit's numbers, in the order of Holdup::Measurement, and three that only the segment's ring gets. */
typedef struct {
    uint64_t wall_ns, running_ns, cpu_ns, starved_ns, stalled_ns, idle_ns, io_ns, lock_ns, sleep_ns,
        native_ns, gc_ns, caused_ns, acquisitions, preemptions, longest_hold_ns, hold_squares_us2, queued_ns,
        in_flight_milli, pool_wait_ns, pool_held_ns, objects, objects_own_ns, objects_others_ns,
        malloc_bytes, slot_bytes, slot_objects, started_ns, before;
    unsigned char trace[16]; /* zeros: none */
} measurement_t;

#define MEASUREMENT_WORDS (offsetof(measurement_t, started_ns) / sizeof(uint64_t))

/*
 * A span of one thread's totals and CPU as nanoseconds. wall is exactly the sum of its parts. Where the CPU
 * is unknown (UNIT_CPU_UNKNOWN), cpu, starved and native are 0: running is not split, and native is in io.
 */
void unit_convert(const totals_t *span, uint64_t cpu, measurement_t *m);

#endif
