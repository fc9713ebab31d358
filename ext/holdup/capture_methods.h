/*
 * What recording a unit tells to a capture that is on. The caller holds the GVL.
 */
#ifndef HOLDUP_CAPTURE_METHODS_H
#define HOLDUP_CAPTURE_METHODS_H

#include <ruby.h>

#include "measurement.h"
#include "unit.h"

/* To the capture: the unit's thread has waited so long for a connection of a pool, until now. */
void capm_tell_pool(const unit_t *u, uint64_t ns) __attribute__((cold));

/* To the capture: how the unit that just ended is called, and whether it is the one that is waited for. */
void capm_tell_name(VALUE handle, const measurement_t *m, uint64_t slot, bool job, bool error) __attribute__((cold));

#endif
