/*
 * Layout version 2 of the event ring of a capture, as docs/internals/capture-file.md describes it and
 * lib/holdup/capture/layout.rb reads it. Little endian; times are ticks of the probe's own clock. A change of
 * anything here is a new version.
 */
#ifndef HOLDUP_CAPTURE_LAYOUT_H
#define HOLDUP_CAPTURE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define CAP_MAGIC "HOLDUPEV"
#define CAP_VERSION 2
#define CAP_HEADER_BYTES 4096
#define CAP_FACTS_OFFSET 2048 /* in the header's page: why there is a capture, written from Ruby */
#define CAP_THREADS 1024
#define CAP_THREAD_NAME_BYTES 64
#define CAP_NAME_BYTES 200
#define CAP_QUEUE_BYTES 64
#define CAP_SUMS 8
#define CAP_GONE 4 /* the phase of a thread in the table that is gone; the others are those of tc_phase */

enum cap_kind { CAP_BEGIN = 1, CAP_READY, CAP_RESUMED, CAP_SUSPENDED, CAP_STARTED, CAP_EXITED, CAP_UNIT_OPEN,
                CAP_UNIT_START, CAP_UNIT_END, CAP_UNIT_TURN, CAP_UNIT_NAMED, CAP_GC_START, CAP_GC_END,
                CAP_FORK, CAP_SETTING, CAP_UNIT_TRACE = 18, CAP_POOL_WAIT };

/* The low two bits of an event's flags are the phase that the thread was in (tc_phase); above them: */
enum cap_flag {
    CAP_CLOSED = 4,       /* READY, RESUMED: this event closed the open hold of the ledger ... */
    CAP_UNENDED = 8,      /* ... whose SUSPENDED never came, so that it ended now */
    CAP_KIND_SHIFT = 4,   /* READY, RESUMED: two bits, the kind of idle that ended (tc_idle_kind) */
    CAP_YIELDED = 64,     /* READY: by the time slice or Thread.pass; there was no idle period */
    CAP_BLOCKING = 128,   /* SUSPENDED: for a blocking region */
    CAP_FAILED = 4,       /* UNIT_NAMED: with an error */
    CAP_JOB = 8,          /* UNIT_NAMED: a job, else a request */
    CAP_HIGH = 4,         /* UNIT_TRACE: the first half of the id, else the second */
    CAP_FIBERS = 4,       /* UNIT_START, UNIT_OPEN: on a thread that follows its fibers */
    CAP_LOST = 8          /* UNIT_END: nothing is known of it */
};

typedef struct {
    uint32_t commit;      /* number of the event + 1, written last: any other value is not an event */
    uint32_t thread;      /* number of its clock */
    uint64_t time;
    /* Scheduler's events: the ledger; edges of units: what the thread's open hold has caused. */
    uint64_t detail;
    uint32_t unit;        /* the unit that the thread is in, 0 for none */
    uint16_t waiters;     /* of the ledger, after the event */
    uint8_t kind, flags;
} cap_event_t;

typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t pid, process_start, begin_ticks, end_ticks, begin_real_ns, rate, head, capacity, event_bytes,
        threads_offset, thread_capacity, thread_bytes, thread_count, names_offset, name_capacity, name_bytes,
        events_offset, state, event_cost_ps, threads_lost;
    int64_t worker_index;
    /*
     * The probe's own sums over all threads (ticks): running, stalled, io, lock, sleep, caused, gc, handoff.
     */
    uint64_t begin_sums[CAP_SUMS], end_sums[CAP_SUMS];
    uint64_t caught;      /* number, in captures, of the first unit that was waited for; 0 for none */
    uint64_t caught_stalled_ns, caught_wall_ns;
    uint64_t caught_event; /* the number of its last event */
    uint64_t caught_series;
} cap_header_t;

typedef struct {
    uint32_t number, phase;
    uint64_t at;          /* when the phase began */
    uint32_t ledger, name_bytes;
    char name[CAP_THREAD_NAME_BYTES];
    uint64_t spare;
} cap_thread_t;

/* The file has one for each number of a series in the segment; bytes are written last. */
typedef struct {
    uint32_t name_bytes, queue_bytes;
    char name[CAP_NAME_BYTES], queue[CAP_QUEUE_BYTES];
} cap_name_t;

_Static_assert(sizeof(cap_event_t) == 32, "layout version 2");
_Static_assert(offsetof(cap_header_t, head) == 64, "layout version 2");
_Static_assert(offsetof(cap_header_t, worker_index) == 176, "layout version 2");
_Static_assert(offsetof(cap_header_t, end_sums) == 248, "layout version 2");
_Static_assert(offsetof(cap_header_t, caught) == 312, "layout version 2");
_Static_assert(offsetof(cap_header_t, caught_series) == 344, "layout version 2");
_Static_assert(sizeof(cap_header_t) <= CAP_FACTS_OFFSET, "layout version 2");
_Static_assert(sizeof(cap_thread_t) == 96, "layout version 2");
_Static_assert(sizeof(cap_name_t) == 272, "layout version 2");

#endif
