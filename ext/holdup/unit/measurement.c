#include "unit/measurement.h"

#include <stdbool.h>

#include "clock.h"

/*
 * Thread CPU beyond running by less than this is the disagreement of the two clocks, not work without the
 * GVL.
 */
#define UNIT_CPU_SLACK_NS 20000

void unit_convert(const totals_t *span, uint64_t cpu, measurement_t *m)
{
    uint64_t io = clk_ns(span->idle[TC_IO]);
    bool known = cpu != UNIT_CPU_UNKNOWN;
    uint64_t native = span->native_ns < io ? span->native_ns : io;
    uint64_t on_gvl = known && cpu > native ? cpu - native : 0;
    m->running_ns = clk_ns(span->running);
    if (on_gvl > m->running_ns + UNIT_CPU_SLACK_NS) { /* short blocking regions that computed */
        uint64_t excess = on_gvl - m->running_ns;
        native += excess < io - native ? excess : io - native;
    }
    m->cpu_ns = on_gvl < m->running_ns ? on_gvl : m->running_ns;
    m->starved_ns = known ? m->running_ns - m->cpu_ns : 0;
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
    m->objects = span->objects;
    m->objects_own_ns = clk_ns(span->objects_own);
    m->objects_others_ns = clk_ns(span->objects_others);
    m->malloc_bytes = span->malloc_bytes;
    m->slot_bytes = span->slot_bytes;
    m->slot_objects = span->slot_objects;
    m->pool_wait_ns = m->pool_held_ns = 0; /* not in the totals: known of single units only */
}
