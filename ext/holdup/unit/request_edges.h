/* How requests begin and end: RequestUnits and RequestUnit call it, through open_unit.h. */
#ifndef HOLDUP_REQUEST_EDGES_H
#define HOLDUP_REQUEST_EDGES_H

#include <ruby.h>

#include "segment/segment.h"

/* Sets what is known of a request at its end only; leaves every other unit as it is. */
void request_complete(VALUE unit);

/*
 * The name of a request until it has a better one: its method with the first segment of its path, as UnitName
 * has it. Empty for other units. `room` has SEG_NAME_BYTES.
 */
seg_text_t request_path_name(VALUE unit, char *room);

#endif
