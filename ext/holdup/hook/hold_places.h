/*
 * Places: where in the code a thread was while it held the GVL and others waited, waited for a lock, or
 * ended such a wait. A place is a line of text, "app/models/report.rb:41 Report#rows | Array#sort_by": the
 * innermost frame of the application, and what it had called. Garbage collection and C code that answers
 * nothing stand there instead of a called method. Without code of the application it is the innermost frame
 * that has a file. Holdup's own methods, which are called inside of what they measure, are left out.
 *
 * A unit gets its name when it ends, so it keeps what it caused at each place until then. The table of places
 * only grows, up to PLACES and some more that only locks take; all further places are one. Only threads of
 * the main Ractor come here, with its GVL, so nothing is locked.
 */
#ifndef HOLDUP_HOLD_PLACES_H
#define HOLDUP_HOLD_PLACES_H

#include <ruby.h>
#include <stdint.h>

#include "segment/segment.h"

#define PLACES 256

typedef enum { PLACE_CALLED, PLACE_GC, PLACE_NATIVE, PLACE_PARTS } place_part;

/* What one unit caused, or waited for, at one place. */
typedef struct hold_tally {
    struct hold_tally *next;
    uint32_t place;
    uint64_t samples, ticks;
} hold_tally_t;

/* What the current thread has caused by each part (ticks), at the place where it is. It may raise. */
void places_take(uint32_t numbers[PLACE_PARTS], const uint64_t ticks[PLACE_PARTS]);

/* Where the application's innermost code is on the current thread, without what it called. It may raise. */
uint32_t places_here(void);

/*
 * Where the application's innermost code is on that thread, which waits, and what it waits in: "Thread::Mutex
 * #lock", and ConditionVariable#wait instead of the Mutex#sleep inside. It may raise.
 */
uint32_t places_waiting(VALUE thread);

/* Adds a sample to the tallies of a unit. */
void places_tally(hold_tally_t **tallies, uint32_t place, uint64_t ticks);

seg_text_t places_text(uint32_t place);

void places_drop(hold_tally_t *tallies);

/* Places known so far, and samples at places beyond the limit. */
uint32_t places_count(void);
uint64_t places_left_out(void);

/* A forked child calls it. */
void places_forget(void);

#endif
