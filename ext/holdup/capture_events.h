/*
 * What the hook and the edges of units write into a capture. Out of line: a capture is rarely on.
 */
#ifndef HOLDUP_CAPTURE_EVENTS_H
#define HOLDUP_CAPTURE_EVENTS_H

#include "capture.h"
#include "thread_clock.h"
#include "unit.h"

/*
 * To the capture: an event of the scheduler, before it changes the phase. `end` is when the open hold ended, 0 while it
 * lasts or where there is none.
 */
void cap_tell_event(tclock_t *c, enum cap_kind kind, uint64_t t, uint64_t end) __attribute__((cold));

/* To the capture: something that is no event of the scheduler. */
void cap_tell_mark(const tclock_t *c, enum cap_kind kind, uint64_t t) __attribute__((cold));

/* To the capture: an edge of `u`, and what the thread's open hold has caused by then. */
void cap_tell_unit(tclock_t *c, const unit_t *u, enum cap_kind kind, uint8_t flags, uint64_t t, uint64_t caused) __attribute__((cold));

#endif
