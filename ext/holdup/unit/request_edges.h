/* How requests begin and end: RequestUnits and RequestUnit call it, through open_unit.h. */
#ifndef HOLDUP_REQUEST_EDGES_H
#define HOLDUP_REQUEST_EDGES_H

#include <ruby.h>

/* Sets what is known of a request at its end only; leaves every other unit as it is. */
void request_complete(VALUE unit);

/* The name of the action that answers a request, if C knows it by now; else nil. */
VALUE request_action_name(VALUE unit);

/* The same of any route, by Ruby code, which does not raise. */
VALUE request_routed_name(VALUE unit);

#endif
