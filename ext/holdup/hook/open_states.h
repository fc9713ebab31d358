/*
 * What the threads of open units do, and who holds the main Ractor's GVL, for the table of open units: seen
 * from outside, so it costs the hook nothing, and goes on while C code keeps the GVL.
 */
#ifndef HOLDUP_OPEN_STATES_H
#define HOLDUP_OPEN_STATES_H

#include <stdint.h>

#define STATES_PACE_NS UINT64_C(100000000)

/* The caller has the lock of `ask`, so no clock is freed. */
void states_look(uint64_t t);

#endif
