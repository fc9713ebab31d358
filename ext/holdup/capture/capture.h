/*
 * A capture: every event of the hook and every edge of a unit, in a ring of shared memory that readers read
 * while it is written.
 *
 * Threads write without the GVL, several at once: each claims a place by the head and writes its number last,
 * which commits it. An event of the scheduler is claimed while the ledger is locked (SUSPENDED: before its
 * hold shows as ended). So the ring has the order in which the ledger took the events, and a reader that
 * repeats the ledger's sums gets the same sums.
 */
#ifndef HOLDUP_CAPTURE_H
#define HOLDUP_CAPTURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/capture_layout.h"
#include "shared.h"

/* What a unit may stall and take; 0: no limit. */
typedef struct {
    uint64_t stalled_ns, wall_ns;
} cap_limit_t;

struct cap {
    bool on;
    bool busy;             /* a thread makes or ends a capture, perhaps without the GVL */
    cap_limit_t limit;     /* the capture waits for a unit beyond it */
    cap_limit_t *own_limits; /* and by series; NULL: no series has one */
    uint64_t caught_at;    /* when the unit that the capture waited for ended */
    uint32_t writers;      /* threads that are writing an event now: nothing is unmapped under them */
    cap_event_t *events;
    uint64_t mask;
    cap_header_t *header;  /* NULL: no ring */
    char *base;
    size_t mapped;
    int file;
};

SHARED struct cap cap;

#define CAP_ON() __builtin_expect(__atomic_load_n(&cap.on, __ATOMIC_RELAXED), 0)
#define CAP_SET(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

/* The ring exists, and the caller is between cap_enter and cap_leave or alone. */
void cap_write(cap_event_t event);

/*
 * Around every access to the ring. A thread that ends a capture first switches it off, then waits until no
 * writer is inside.
 */
static inline void cap_enter(void)
{
    __atomic_fetch_add(&cap.writers, 1, __ATOMIC_SEQ_CST);
}

static inline void cap_leave(void)
{
    __atomic_fetch_sub(&cap.writers, 1, __ATOMIC_RELEASE);
}

/* Any code may call it, with or without the GVL. */
void cap_put(cap_event_t event) __attribute__((cold));

static inline bool cap_quiet(void)
{
    return !__atomic_load_n(&cap.writers, __ATOMIC_SEQ_CST);
}

/* Whether there is a capture that no thread is making or ending. The caller holds the GVL and keeps it. */
static inline bool cap_there(void)
{
    return cap.header && !cap.busy;
}

#endif
