/* Totals of all threads of the process. The caller holds the GVL. */
#ifndef HOLDUP_PROCESS_TOTALS_H
#define HOLDUP_PROCESS_TOTALS_H

#include "hook/thread_clock.h"

/* Ticks that threads stalled while no thread held their GVL. */
uint64_t process_handoff(void);

/* Ticks of waits that are over: for parties, for what is unknown, and for nobody. */
typedef struct {
    uint64_t charged, unknown, rests;
} pair_sums_t;

pair_sums_t process_pairs(void);

/* Without what is still open. */
totals_t process_totals(void);

/* With open holds and open waits, so that caused + handoff = stalled also while threads wait. */
totals_t process_totals_at(uint64_t t);

/* What the segment counts of the process. */
typedef struct {
    totals_t totals;
    uint64_t handoff;
    uint64_t discarded, abandoned, refused;
    uint64_t clock_backward, resumed_without_ready, suspended_twice, unknown_holder;
} process_counts_t;

/* Since the segment was opened: what was before, an earlier segment of the process has. */
process_counts_t process_counts(uint64_t t);

/* A segment has been opened. */
void process_begin_segment(void);

/* Living threads, and threads that have ended since the last tick. */
uint64_t process_threads(void);

/* Threads that wait for a GVL. */
uint64_t process_waiting(void);

/* The time now, with the current thread's totals brought up to it. */
uint64_t process_settled(void);

#endif
