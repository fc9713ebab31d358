/* What a capture that is on gets when a unit is recorded. The caller holds the GVL. */
#ifndef HOLDUP_CAPTURE_METHODS_H
#define HOLDUP_CAPTURE_METHODS_H

#include <ruby.h>

#include "unit/measurement.h"
#include "unit/unit.h"

/* Writes that the unit's thread has waited so long for a connection of a pool, until now. */
void capm_record_pool_wait(const unit_t *u, uint64_t ns) __attribute__((cold));

/* Writes the name of the unit that just ended, and checks whether the capture waits for it. */
void capm_record_name(VALUE handle, const measurement_t *m, uint64_t slot, bool job, bool error)
    __attribute__((cold));

#endif
