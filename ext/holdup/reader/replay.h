/*
 * Replays recorded units on another deployment: a discrete-event simulation of processes with a GVL each,
 * pools of threads in them, and shared CPUs. It knows nothing of the probe; it is C because a candidate takes
 * half a million events.
 *
 * In a process one unit holds the GVL, others wait in a FIFO. A hold ends by itself, or at the end of the
 * time slice when another unit waits. (Ruby looks at ticks of 10 ms only, but these begin with the wait:
 * slices of 100, 50, 20 and 10 ms were measured to be 101.3, 50.6, 21.3 and 10.3 ms long, the median of two
 * threads that compute.) The next holder gets the GVL `handoff` later. The holders of all processes share the
 * CPUs: each progresses at min(1, vcpus / holders), so that their ends lie on one virtual clock.
 *
 * A process has pools of threads, each with a cap and a queue of its own (a job runner's capsules); all their
 * threads share its GVL. A queue that all processes share (a job runner's) has lanes, which threads take from
 * in strict order or by weight. Requests and jobs may share processes as well: the trace then has units in
 * question and others, which arrive at times of their own. Source: trace-driven replay; thread_pthread.c
 * (FIFO ready queue, slice counted while a thread waits).
 *
 * Everything here runs without the GVL, on memory of its own.
 */
#ifndef HOLDUP_REPLAY_H
#define HOLDUP_REPLAY_H

#include "reader/replay_state.h"

/* Plays until all units in question have ended. `data` is an rp_t; for rb_thread_call_without_gvl. */
void *rp_run(void *data);

/* Stops it; from another thread. */
void rp_cancel(void *data);

#endif
