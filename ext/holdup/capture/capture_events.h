/* What the hook and the edges of units write into a capture. Out of line: a capture is rarely on. */
#ifndef HOLDUP_CAPTURE_EVENTS_H
#define HOLDUP_CAPTURE_EVENTS_H

#include "capture/capture.h"
#include "hook/thread_clock.h"
#include "unit/unit.h"

/*
 * Writes an event of the scheduler, before it changes the phase. `end` is when the open hold ended; 0 while
 * it lasts, and when there is none.
 */
void cap_record_event(tclock_t *c, enum cap_kind kind, uint64_t t, uint64_t end) __attribute__((cold));

/* Writes an event that does not come from the scheduler. */
void cap_record_mark(const tclock_t *c, enum cap_kind kind, uint64_t t) __attribute__((cold));

/* Writes an edge of `u`, with what the thread's open hold has caused by then. */
void cap_record_unit(tclock_t *c, const unit_t *u, enum cap_kind kind, uint8_t flags, uint64_t t,
                     uint64_t caused)
    __attribute__((cold));

#endif
