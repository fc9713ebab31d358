/*
 * Objects that a thread allocates, and their bytes. Ruby counts them for the whole process only. But a thread
 * allocates only while it holds the GVL, so what a count grew by between two readings belongs to the threads
 * that ran meanwhile. It is read where Ruby may be called: at edges of units, turns of fibers and calls, and
 * at ticks.
 *
 * The thread that reads gets the growth since any thread's last reading, with the time that it ran itself and
 * that others ran. Where no other ran, the growth is exactly its own. What others allocated is taken off
 * later, at the mean rate of the process (lib/holdup/analysis/allocations.rb). With several Ractors nothing
 * is read: their threads allocate at the same time.
 *
 * Bytes have two parts. What does not fit into an object's slot comes from malloc: Ruby counts that, and each
 * reading reads it. Slots have several sizes, and the number of objects of each size can only be asked in
 * Ruby, which takes 0.3 us. So it is asked at both ends of some intervals, drawn at random, about
 * ALLOC_PACE_NS apart. That gives the mean slot of a series.
 */
#ifndef HOLDUP_ALLOCATIONS_H
#define HOLDUP_ALLOCATIONS_H

#include "hook/thread_clock.h"

/* Edges until the next one that asks for the slots. */
SHARED uint64_t alloc_turns;

/* Makes Ruby ready to be asked: the first question may allocate. The caller holds the GVL. */
void alloc_prepare(void);

/*
 * Asks for the slots: it may run other threads, and what those do to this one (Thread#raise, a signal). The
 * caller takes the clock after it. Returns 0, or the tag for rb_jump_tag, once the caller has ended what it
 * must.
 */
int alloc_ask_slots(void);

/* Whether this thread is asking for the slots. What Ruby runs then does not belong to the application. */
bool alloc_asks_here(void);

static inline int alloc_turn(void)
{
    return __builtin_expect(--alloc_turns != 0, 1) ? 0 : alloc_ask_slots();
}

/* What Ruby code that the probe ran has raised is the application's (interruption?). */
void alloc_note_interruption(void);

/*
 * Reads the counts at `t` on the current thread, which holds the GVL. `hold_from`: of its clock, before it
 * was settled at `t`.
 */
void alloc_read(tclock_t *c, uint64_t hold_from, uint64_t t);

/* Objects that the process had allocated at the last reading; SEG_UNKNOWN where nothing is read. */
uint64_t alloc_objects(void);

/*
 * A part of a collection begins or ends. It sets Ruby's count of malloc to 0 between the two, and takes off
 * what it frees.
 */
void alloc_collects(bool begins);

#endif
