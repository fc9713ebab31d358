/* What an open unit's figures are now, and what they were when it ended. The caller holds the GVL. */
#ifndef HOLDUP_FIGURES_METHODS_H
#define HOLDUP_FIGURES_METHODS_H

#include <ruby.h>
#include <stdbool.h>

#include "unit/calls.h"
#include "unit/measurement.h"

/* What a unit took, as it was recorded; `waits` and `calls` are nil where there were none. */
typedef struct {
    bool known; /* false: the unit was left out */
    VALUE waits, calls;
    uint64_t numbers[MEASUREMENT_WORDS]; /* in the order of Holdup::Measurement */
} figures_t;

/* One of the numbers; nil where it is unknown. */
VALUE figures_number(uint64_t word);

/* MEASUREMENT_WORDS numbers in the order of Holdup::Measurement. */
VALUE figures_numbers(const uint64_t *words);

/*
 * Fills `figures`, before the party and the calls of the ended unit are dropped. Allocates what the unit
 * waited for and called, and runs no Ruby code.
 */
void figures_final(figures_t *figures, const measurement_t *m, const pair_party_t *party,
                   const call_tally_t *calls);

#endif
