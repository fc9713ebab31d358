/* Totals in ticks as the nanoseconds that Ruby gets and the segment keeps. */
#ifndef HOLDUP_MEASUREMENT_H
#define HOLDUP_MEASUREMENT_H

#include <stddef.h>
#include <stdint.h>

#include "hook/totals.h"
#include "segment/segment_layout.h"

#define UNIT_UNKNOWN UINT64_MAX
#define UNIT_CPU_UNKNOWN UINT64_MAX

/* The numbers of one unit as Holdup::Measurement has them, and three that only the segment's ring gets. */
typedef struct {
    UNIT_HISTOGRAMS(UNIT_HISTOGRAM_MEMBER)
    uint64_t in_flight_milli; /* mean number of units of the process while this one ran */
    UNIT_SUMS(UNIT_SUM_MEMBER)
    uint64_t started_ns, before;
    unsigned char trace[16]; /* zeros: none */
} measurement_t;

/* What it begins with, as arrays: the values of histograms, in_flight_milli, then the sums. */
#define MEASUREMENT_WORDS (SEG_HISTOGRAMS + 1 + SEG_SUMS)
#define MEASURED_VALUES(m) ((const uint64_t *)(m))
#define MEASURED_SUMS(m) (MEASURED_VALUES(m) + SEG_HISTOGRAMS + 1)

_Static_assert(offsetof(measurement_t, started_ns) == MEASUREMENT_WORDS * sizeof(uint64_t), "no gaps");

/*
 * A span of one thread's totals and CPU as nanoseconds. wall is exactly the sum of its parts. Where the CPU
 * is unknown (UNIT_CPU_UNKNOWN), cpu, starved and native are 0: running is not split, and native is in io.
 */
void unit_convert(const totals_t *span, uint64_t cpu, measurement_t *m);

#endif
