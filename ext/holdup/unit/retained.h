/*
 * What units leave in memory. Now and then a unit is watched: Ruby reports each object that its thread
 * allocates, and these are followed until a collection frees them: whenever one has marked, those without a
 * mark are left out. What is still there after several collections was retained
 * (lib/holdup/agent/retained_objects.rb). Nothing keeps the objects alive. Their bytes are added up whenever
 * a collection has marked, and when the unit ends: the largest sum is its peak.
 *
 * One unit at a time is watched, so that its cost stays below RETAINED_SHARE of the time. Others pay for one
 * comparison. Units on threads that follow their fibers are not watched, and with several Ractors none is.
 */
#ifndef HOLDUP_RETAINED_H
#define HOLDUP_RETAINED_H

#include "unit/unit.h"

SHARED uint64_t retained_due; /* the next unit that begins then is watched; UINT64_MAX: none */
SHARED uint64_t retained_handle; /* of the unit that is watched and has not ended; 0: none */

/* `u`, which has begun on the current thread at `t`, is watched if that is possible. */
void retained_begin(const unit_t *u, uint64_t t);

/* The unit has ended. It is recorded or dropped next. */
void retained_leave(void);

/*
 * Notes that the unit has ended, with its name. May run other threads. Returns 0, or the tag for rb_jump_tag.
 */
int retained_record(VALUE name);

/* Forgets the objects and the unit. */
void retained_drop(void);

static inline bool retained_is(const unit_t *u)
{
    return u && __builtin_expect(unit_handle(u) == retained_handle, 0);
}

#endif
