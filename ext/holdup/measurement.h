/*
 * Ticks of a tally as the nanoseconds that Ruby gets and the segment keeps.
 */
#ifndef HOLDUP_MEASUREMENT_H
#define HOLDUP_MEASUREMENT_H

#include <stddef.h>

#include "clock.h"
#include "tally.h"

#define UNIT_UNKNOWN UINT64_MAX
/* Thread CPU beyond running by less than this is the two clocks' disagreement, not work without the GVL. */
#define UNIT_CPU_SLACK_NS 20000

/* A unit's numbers, in the order of Holdup::Measurement, and three that only the segment's ring gets. */
typedef struct {
    uint64_t wall_ns, running_ns, cpu_ns, starved_ns, stalled_ns, idle_ns, io_ns, lock_ns, sleep_ns, native_ns, gc_ns,
        caused_ns, acquisitions, preemptions, longest_hold_ns, hold_squares_us2, queued_ns, in_flight_milli, pool_wait_ns, pool_held_ns,
        started_ns, before;
    unsigned char trace[16]; /* zeros: none */
} measurement_t;

#define MEASUREMENT_WORDS (offsetof(measurement_t, started_ns) / sizeof(uint64_t))

/* A span of one thread's tally and CPU as nanoseconds. wall is the sum of its parts, exactly. */
static void unit_convert(const tally_t *span, uint64_t cpu, measurement_t *m)
{
    uint64_t io = clk_ns(span->idle[TC_IO]);
    uint64_t native = span->native_ns < io ? span->native_ns : io;
    uint64_t on_gvl = cpu > native ? cpu - native : 0;
    m->running_ns = clk_ns(span->running);
    if (on_gvl > m->running_ns + UNIT_CPU_SLACK_NS) { /* short blocking regions that computed */
        uint64_t excess = on_gvl - m->running_ns;
        native += excess < io - native ? excess : io - native;
    }
    m->cpu_ns = on_gvl < m->running_ns ? on_gvl : m->running_ns;
    m->starved_ns = m->running_ns - m->cpu_ns;
    m->stalled_ns = clk_sum_ns(span->stalled);
    m->native_ns = native;
    m->io_ns = io - native;
    m->lock_ns = clk_ns(span->idle[TC_LOCK]);
    m->sleep_ns = clk_ns(span->idle[TC_SLEEP]);
    m->idle_ns = io + m->lock_ns + m->sleep_ns;
    m->wall_ns = m->running_ns + m->stalled_ns + m->idle_ns;
    m->gc_ns = clk_ns(span->gc);
    m->caused_ns = clk_sum_ns(span->caused);
    m->acquisitions = span->acquisitions;
    m->preemptions = span->preemptions;
    double us = clk.us * (double)(1 << TC_SQUARE_SHIFT);
    m->hold_squares_us2 = (uint64_t)((double)span->squares * us * us);
    m->pool_wait_ns = m->pool_held_ns = 0; /* no part of the tally: known of single units only */
}

#endif
