/*
 * Which unit a capture waits for: the first that stalled or took longer than all units may, or those of its series.
 */
#ifndef HOLDUP_CAPTURE_CATCH_H
#define HOLDUP_CAPTURE_CATCH_H

#include <ruby.h>

#include "capture.h"
#include "measurement.h"

/* One that had begun before is none: what made it wait is not in the ring. Inside cap_enter and cap_leave. `event` is the last one that the unit will have. */
void capc_look(const measurement_t *m, uint64_t series, uint32_t unit, uint64_t event);

#endif
