/*
 * Recorder::OpenUnit: the Ruby objects of open units, those of requests and jobs among them. Each request
 * passes through all of it, and without a JIT a method in Ruby takes some 350 instructions and a variable of
 * an object some 60 from C, so they have fields. What seldom happens is called in Ruby.
 *
 * The probe is called directly; a test may have another one.
 */
#ifndef HOLDUP_OPEN_UNIT_H
#define HOLDUP_OPEN_UNIT_H

#include <ruby.h>
#include <stdbool.h>

#include "shared.h"

/* Fields of any unit; then of requests; then of jobs. All are objects, so that one loop marks them. */
#define OPEN_FIELDS(of)                                                                                    \
    of(recorder) of(probe) of(handle) of(outer) of(kind) of(name) of(queue) of(queued_ns) of(pool)         \
    of(priority) of(trace) of(path) of(held) of(explained) of(watcher) of(closed) of(failure) of(figures)  \
    of(env) of(names) of(fiber) of(listed) of(status)                                                      \
    of(id) of(ready_ns) of(harmless)
#define OPEN_FIELD(name) VALUE name;
typedef struct {
    OPEN_FIELDS(OPEN_FIELD)
} open_t;

SHARED const rb_data_type_t open_type;

/* Checks no type: `unit` must be the object of a unit, as `self` of its methods is. */
static inline open_t *open_of(VALUE unit)
{
    return RTYPEDDATA_GET_DATA(unit);
}

#define OPEN_SET(unit, field, value) RB_OBJ_WRITE(unit, &open_of(unit)->field, value)

/* A unit of that class, with all fields empty. */
VALUE open_allocate(VALUE class);

/* What is in the storage of this fiber: the unit that began here last, perhaps closed; or nil. */
VALUE open_stored(void);

/* Whether a unit is open here. */
bool open_inside(void);

bool open_enabled(VALUE probe);

/*
 * Begins the unit inside `outer` (nil: none). `pool`: the thread pool of the server or job runner, or nil.
 * `path`: of a request, as its environment has it; Qundef: not looked up.
 */
void open_begin(VALUE unit, VALUE outer, VALUE pool, VALUE path);

/* Records the unit; does nothing when called again. */
VALUE open_end(VALUE unit, VALUE error);

/* A text that stays. */
VALUE open_text(const char *text);

#endif
