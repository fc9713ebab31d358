/*
 * The table of threads in a capture's file: their names, and the state of threads that have no event in the
 * ring. In a ring that goes on for days more threads come and go than the table has room for: a new one takes
 * the place of one that is gone.
 */
#ifndef HOLDUP_CAPTURE_THREADS_H
#define HOLDUP_CAPTURE_THREADS_H

#include "capture/capture.h"
#include "hook/thread_clock.h"

/* The entry of a living thread, brought up to date; NULL when the table is full. */
cap_thread_t *capt_list(tclock_t *c);

void capt_list_all(void);

#endif
