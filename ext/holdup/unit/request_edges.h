/* How requests begin and end: RequestUnits and RequestUnit call it, through open_unit.h. */
#ifndef HOLDUP_REQUEST_EDGES_H
#define HOLDUP_REQUEST_EDGES_H

#include <ruby.h>

/* Sets what is known of a request at its end only; leaves every other unit as it is. */
void request_complete(VALUE unit);

#endif
