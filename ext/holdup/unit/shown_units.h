/*
 * Open units in the segment's table, as far as Ruby knows them: names, ids, and what becomes known of them
 * later. The caller holds the GVL.
 */
#ifndef HOLDUP_SHOWN_UNITS_H
#define HOLDUP_SHOWN_UNITS_H

#include <ruby.h>

#include "unit/unit.h"

/* The unit has begun, on a thread of that pool (nil: of none). `path`: see open_begin. */
void shown_begin(VALUE unit, VALUE pool, VALUE path);

/* The id of a job; empty: it has none. `room` has SEG_ID_BYTES. */
seg_text_t shown_job(VALUE id, char *room);

/* The application, or its tracer, has said so. */
void shown_rename(VALUE unit);
void shown_set_trace(VALUE unit);

/* A call of a unit begins: by now a request may have been dispatched. It runs no Ruby code that may raise. */
void shown_find_action(unit_t *u) __attribute__((cold));

static inline void shown_call(unit_t *u)
{
    if (__builtin_expect(u->nameless, 0)) shown_find_action(u);
}

/* The tick: requests that have been dispatched get their names, and ids that others gave them. */
void shown_find_names(void);

void shown_units_prepare(VALUE probe);

#endif
