/* Totals of all threads of the process. The caller holds the GVL. */
#ifndef HOLDUP_PROCESS_TOTALS_H
#define HOLDUP_PROCESS_TOTALS_H

#include "thread_clock.h"

/* Ticks that threads stalled while no thread held their GVL. */
uint64_t process_handoff(void);

/* Without what is still open. */
totals_t process_totals(void);

/* With open holds and open waits, so that caused + handoff = stalled also while threads wait. */
totals_t process_totals_at(uint64_t t);

/* Living threads, and threads that have ended since the last tick. */
uint64_t process_threads(void);

/* Threads that wait for a GVL. */
uint64_t process_waiting(void);

/* The time now, with the current thread's totals brought up to it. */
uint64_t process_settled(void);

#endif
