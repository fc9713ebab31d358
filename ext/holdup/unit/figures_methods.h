/* What an open unit's figures are now, and what they were when it ended. The caller holds the GVL. */
#ifndef HOLDUP_FIGURES_METHODS_H
#define HOLDUP_FIGURES_METHODS_H

#include <ruby.h>
#include <stdbool.h>

#include "unit/calls.h"
#include "unit/measurement.h"

/* What the object of a unit gets when its unit has ended: nil where it is unknown. */
typedef struct {
    VALUE numbers, waits, calls;
} figures_t;

/* The numbers in the order of Holdup::Measurement. */
VALUE figures_numbers(const measurement_t *m);

/* Before the party and the calls of the ended unit are dropped. Allocates, and runs no Ruby code. */
figures_t figures_final(const measurement_t *m, const pair_party_t *party, const call_tally_t *calls);

#endif
