/*
 * Taking stacks while a capture is on. A waiting thread runs no code, and the holder does not know that
 * others wait. So a thread of ours, which Ruby does not know, looks at the ledger every few milliseconds. It
 * asks the holder for its stack when others have waited long, and otherwise from time to time, so that a hold
 * has a name. No signal is sent; C code that never checks for interrupts answers when it gives the GVL up.
 * Only the main Ractor's GVL is watched: postponed jobs run there.
 */
#ifndef HOLDUP_CAPTURE_WATCH_H
#define HOLDUP_CAPTURE_WATCH_H

#include <ruby.h>
#include <stdint.h>

/*
 * Begins to take stacks, for a capture that has room for them. Does nothing when the thread or the job can't
 * be made.
 */
void watch_start(uint64_t over_ns);

/*
 * Stops the watching thread. It waits for nothing of Ruby's: this takes a few milliseconds, with the GVL or
 * without.
 */
void watch_stop(void);

/* A forked child calls it: it has no such thread. */
void watch_abandon(void);

/*
 * At Ruby's exit. hook_install registers it: what is registered while Ruby is exiting never runs, and the
 * watching thread would outlive the VM.
 */
void watch_at_exit(VALUE unused);

#endif
