/*
 * Which unit a capture waits for: the first that stalled or took longer than all units may, or those of its
 * series.
 */
#ifndef HOLDUP_CAPTURE_CATCH_H
#define HOLDUP_CAPTURE_CATCH_H

#include <ruby.h>

#include "capture/capture.h"
#include "unit/measurement.h"

/*
 * Checks a unit that has just ended. A unit that began before the capture does not count: what made it wait
 * is not in the ring. `event` is the number of its last event. The caller is between cap_enter and cap_leave.
 */
void capc_check(const measurement_t *m, uint64_t series, uint32_t unit, uint64_t event);

#endif
