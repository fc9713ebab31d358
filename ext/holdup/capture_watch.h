/*
 * Taking stacks while a capture is on. Nobody runs in a thread that waits, and the holder knows of no waiter: so a thread
 * of ours, which Ruby knows nothing of, looks at the ledger every few milliseconds and asks the holder for its stack when
 * others have waited long, and otherwise now and then, so that a hold has a name. No signal is sent; a hold of C code that
 * never checks for interrupts answers when it ends. Only the main Ractor's GVL is watched: there postponed jobs run.
 */
#ifndef HOLDUP_CAPTURE_WATCH_H
#define HOLDUP_CAPTURE_WATCH_H

#include <ruby.h>
#include <stdint.h>

/* A capture has begun that has room for stacks. Where a thread or a job can't be had, it has none. */
void watch_start(uint64_t over_ns);

/* It waits for nothing that Ruby has: this takes a few milliseconds, with the GVL or without. */
void watch_stop(void);

/* In a forked child: it has no such thread. */
void watch_abandon(void);

/* Told of from the start (hook_install): what is registered while Ruby already ends never runs, and the VM would go from under the thread. */
void watch_at_exit(VALUE unused);

#endif
