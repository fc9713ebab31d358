/*
 * The layout of the segment, as docs/internals/segment.md describes it. Little endian; a change of anything
 * here is a new SEG_VERSION. `bin/generate` writes its numbers into lib/holdup/segment/layout.rb, for
 * readers, and the names of a unit's numbers into lib/holdup/model/unit_numbers.rb, from which Ruby has
 * measurements, windows, columns of stores and JSON.
 */
#ifndef HOLDUP_SEGMENT_LAYOUT_H
#define HOLDUP_SEGMENT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "segment/histogram.h"

#define SEG_MAGIC "HOLDUPSG"
#define SEG_VERSION 11
#define SEG_DIGEST "6e2683ab" /* of what bin/generate reads here: another one needs another version */
#define SEG_HEADER_BYTES 4096
#define SEG_PROFILE_OFFSET 1024
#define SEG_PROFILE_BYTES 3072
#define SEG_SETTING_OFFSET 4096
#define SEG_SETTING_BYTES 4096
#define SEG_LOG_OFFSET 8192
#define SEG_LOG_ENTRIES 256
#define SEG_PAIRS_OFFSET 12288
#define SEG_PAIRS 1024 /* rows of the table of pairs, unless another number is asked for */
#define SEG_RING_OFFSET 36864 /* with so many pairs; the header has it for another number */
#define SEG_SLOWEST 512 /* of the slowest units, room for the latest */
#define SEG_SLOWEST_EACH 10 /* of each series and minute */
#define SEG_SLOWEST_PARTS 12
#define SEG_OPEN_UNITS 256 /* open units that the table has room for */
#define SEG_OPEN_CHUNK 16 /* so many slots of it get space at a time */
#define SEG_NAME_BYTES 200
#define SEG_QUEUE_BYTES 64
#define SEG_PLACE_BYTES 424 /* room for a queue, or for a place in the code (hold_places.h) */
#define SEG_POOL_BYTES 64
#define SEG_POOLS 8
#define SEG_PRIORITY_BYTES 16
#define SEG_TRACE_BYTES 16
#define SEG_PATH_BYTES 120
#define SEG_ID_BYTES 64 /* room for the id of a request or job */
#define SEG_PROCESS_COUNTERS 32
#define SEG_GAUGES 64
#define SEG_GROW_SLOTS 8
#define SEG_ACCOUNTS 64
#define SEG_ENDED_THREADS "thread:(ended)" /* figures of earlier labels of accounts */
#define SEG_CALL_KINDS 64
#define SEG_METHODS 128 /* series of places in the code */
#define SEG_REPEATS 64  /* series of repeated queries */
#define SEG_TRANSACTIONS 128 /* series of database transactions and of calls in them */
#define SEG_PAGE 4096
#define SEG_UNKNOWN UINT64_MAX

/* --- the numbers of a unit: measurement_t has them too; each row is X(constant, name) --- */

/*
 * The states of a unit add up to its elapsed time. Those in which it holds the GVL, then stalled, of which
 * there is a histogram, then those in which it neither holds nor wants it.
 */
#define UNIT_RUNNING_STATES(X)                                                                               \
    X(SEG_CPU, cpu_ns)                                                                                       \
    X(SEG_STARVED, starved_ns)

#define UNIT_IDLE_STATES(X)                                                                                  \
    X(SEG_IO, io_ns)                                                                                         \
    X(SEG_LOCK, lock_ns)                                                                                     \
    X(SEG_SLEEP, sleep_ns)                                                                                   \
    X(SEG_NATIVE, native_ns)

/*
 * hold_squares_us2: sum over the holds of (length in microseconds) squared. pool_wait_ns: the part of sleep
 * or lock in which it waited for a database connection; pool_held_ns: for how long it kept connections from
 * others. objects to slot_objects: see hook/allocations.h.
 */
#define UNIT_SUMS(X)                                                                                         \
    UNIT_RUNNING_STATES(X)                                                                                   \
    UNIT_IDLE_STATES(X)                                                                                      \
    X(SEG_GC, gc_ns)                                                                                         \
    X(SEG_CAUSED, caused_ns)                                                                                 \
    X(SEG_ACQUISITIONS, acquisitions)                                                                        \
    X(SEG_PREEMPTIONS, preemptions)                                                                          \
    X(SEG_SQUARES, hold_squares_us2)                                                                         \
    X(SEG_POOL_WAIT, pool_wait_ns)                                                                           \
    X(SEG_POOL_HELD, pool_held_ns)                                                                           \
    X(SEG_OBJECTS, objects)                                                                                  \
    X(SEG_OBJECTS_OWN, objects_own_ns)                                                                       \
    X(SEG_OBJECTS_OTHERS, objects_others_ns)                                                                 \
    X(SEG_MALLOC, malloc_bytes)                                                                              \
    X(SEG_SLOT_BYTES, slot_bytes)                                                                            \
    X(SEG_SLOT_OBJECTS, slot_objects)

/* Durations in ns. Of the times, threads outside of units have sums without a distribution. */
#define UNIT_TIMES(X)                                                                                        \
    X(SEG_WALL, wall)                                                                                        \
    X(SEG_RUNNING, running)                                                                                  \
    X(SEG_STALLED, stalled)                                                                                  \
    X(SEG_IDLE, idle)

#define UNIT_HISTOGRAMS(X)                                                                                   \
    UNIT_TIMES(X)                                                                                            \
    X(SEG_QUEUED, queued)                                                                                    \
    X(SEG_LONGEST, longest_hold)

#define UNIT_CONSTANT(constant, name) constant,
#define UNIT_ONE(constant, name) +1
#define UNIT_SUM_MEMBER(constant, name) uint64_t name;
#define UNIT_HISTOGRAM_MEMBER(constant, name) uint64_t name##_ns;

enum seg_counter { UNIT_SUMS(UNIT_CONSTANT) SEG_SUMS };
enum seg_histogram { UNIT_HISTOGRAMS(UNIT_CONSTANT) SEG_HISTOGRAMS };
enum { SEG_TIMES = 0 UNIT_TIMES(UNIT_ONE) };

/* --- series, and the process --- */

/* Readers know kinds by their number. */
#define SEG_KINDS(X)                                                                                         \
    X(SEG_REQUEST, request)                                                                                  \
    X(SEG_JOB, job)                                                                                          \
    X(SEG_ACCOUNT, account)                                                                                  \
    X(SEG_NESTED, nested)                                                                                    \
    X(SEG_OVERFLOW, overflow)                                                                                \
    X(SEG_CALL, call)                                                                                        \
    X(SEG_METHOD, method)                                                                                    \
    X(SEG_REPEAT, repeat)                                                                                    \
    X(SEG_TRANSACTION, transaction)                                                                          \
    X(SEG_TRANSACTION_CALL, transaction_call)                                                                \
    X(SEG_LOCK_PLACE, lock_place)

/* Counts of the whole process. */
#define SEG_PROCESS_COUNTS(X)                                                                                \
    X(SEG_P_HANDOFF, handoff_ns)                                                                             \
    X(SEG_P_UNITS, units)                                                                                    \
    X(SEG_P_NESTED, nested)                                                                                  \
    X(SEG_P_DISCARDED, discarded)                                                                            \
    X(SEG_P_OVERFLOWED, overflowed)                                                                          \
    X(SEG_P_BACKWARD, clock_backward)                                                                        \
    X(SEG_P_RESUMED, resumed_without_ready)                                                                  \
    X(SEG_P_SUSPENDED, suspended_twice)                                                                      \
    X(SEG_P_HOLDER, unknown_holder)                                                                          \
    X(SEG_P_QUEUED_CLAMPED, queued_clamped)                                                                  \
    X(SEG_P_ABANDONED, abandoned)                                                                            \
    X(SEG_P_SANITISED, sanitised)                                                                            \
    X(SEG_P_GROW_FAILED, grow_failures)                                                                      \
    X(SEG_P_GUARD, guard_failures)                                                                           \
    X(SEG_P_ACQUISITIONS, acquisitions)                                                                      \
    X(SEG_P_GC, gc_ns)                                                                                       \
    X(SEG_P_RUNNING, running_ns)                                                                             \
    X(SEG_P_STALLED, stalled_ns)                                                                             \
    X(SEG_P_IDLE, idle_ns)                                                                                   \
    X(SEG_P_CAUSED, caused_ns)                                                                               \
    X(SEG_P_UNACCOUNTED, unaccounted)                                                                        \
    X(SEG_P_PAIRS, pairs)                                                                                    \
    X(SEG_P_PAIRS_BEYOND, pairs_beyond)

enum seg_kind { SEG_NO_KIND, SEG_KINDS(UNIT_CONSTANT) };
enum seg_process_counter {
    SEG_PROCESS_COUNTS(UNIT_CONSTANT) SEG_P_NAMED,
    SEG_P_POOLS_BUSY = SEG_PROCESS_COUNTERS - SEG_POOLS
};
/* Bits of the header's state. */
enum seg_state { SEG_CLOSED = 1, SEG_LOCKED = 2, SEG_MOVED = 4 };
/* The gauges that the probe itself writes; Ruby gives the others. */
enum seg_gauge { SEG_G_WAITING = 1, SEG_G_IN_FLIGHT };

typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t pid, process_start, created_ns, seq, series_count, series_capacity, series_offset, series_bytes,
        ring_offset, ring_capacity, ring_entry_bytes, ring_head, log_offset, log_length, setting_offset,
        setting_seq, setting_length, state, heartbeat_ns;
    int64_t worker_index;
    uint64_t generation, parent_pid;
    uint64_t profile_seq, profile_length, namespace;
    uint64_t capture_request, capture_rule; /* written from outside */
    uint64_t tick_seq; /* odd while a tick writes its accounts and counters */
    uint64_t folder, folder_before; /* written by the collector: ids of the folders it was carried in */
    uint64_t counters[SEG_PROCESS_COUNTERS];
    uint64_t gauges[SEG_GAUGES];
} seg_header_t;

typedef struct {
    uint64_t counters[SEG_SUMS], times[SEG_TIMES];
} seg_account_sums_t;

typedef struct {
    uint32_t kind, name_bytes, queue_bytes;
    uint16_t pool_bytes, priority_bytes;
    char name[SEG_NAME_BYTES];
    union {
        char queue[SEG_PLACE_BYTES];
        seg_account_sums_t former; /* of an account, which has no queue: its sums when the name came */
    };
    uint64_t count, errors;
    uint64_t counters[SEG_SUMS];
    char pool[SEG_POOL_BYTES];
    char priority[SEG_PRIORITY_BYTES];
    uint64_t generation; /* of an account: names that the slot had before */
    histogram_t histograms[SEG_HISTOGRAMS];
    uint64_t path_bytes; /* of a path that one of its requests had; 0: none is kept */
    char path[SEG_PATH_BYTES];
} seg_series_t;

typedef struct {
    uint64_t started_ns, series, wall, running, cpu, idle, stalled, acquisitions, longest_hold, gc, queued;
    uint32_t in_flight_milli, before;
    unsigned char trace[SEG_TRACE_BYTES]; /* zeros: none */
} seg_ring_t;

/* What one waits for that another holds, or ends. Readers know kinds by their number. */
#define SEG_PAIR_KINDS(X)                                                                                    \
    X(SEG_PAIR_GVL, pair)                                                                                    \
    X(SEG_PAIR_POOL, pool_pair)                                                                              \
    X(SEG_PAIR_LOCK, lock_pair)

enum seg_pair_kind { SEG_PAIR_KINDS(UNIT_CONSTANT) SEG_PAIR_KIND_COUNT };

/* For how long one series has waited for what another held or ended (hook/pairs.h). */
typedef struct {
    uint32_t victim, holder; /* slots + 1, or one of the numbers below */
    uint32_t kind;           /* of SEG_PAIR_KINDS */
    uint32_t unused;
    uint64_t ns;
} seg_pair_t;

/*
 * In place of a victim: units that were not recorded. In place of a holder: nobody; parties beyond the most
 * of a victim or of the table; parties that are not known.
 */
#define SEG_PAIR_UNRECORDED UINT32_MAX
#define SEG_PAIR_HANDOFF UINT32_MAX
#define SEG_PAIR_OTHERS (UINT32_MAX - 1)
#define SEG_PAIR_UNKNOWN (UINT32_MAX - 2)

/* What a unit waited for longest: a pair of SEG_PAIR_KINDS, whose number comes on top, or its calls. */
enum seg_part_kind { SEG_PART_NONE, SEG_PART_CALL, SEG_PART_PAIR };

/* In place of a holder that had not ended yet. */
#define SEG_PART_OPEN 0

typedef struct {
    uint32_t kind; /* SEG_PART_NONE: the place is free */
    uint32_t who;  /* slot + 1 of the holder or the calls, or a number that stands for one */
    uint64_t ns;
} seg_part_t;

/* One of the slowest units of its series and minute. */
typedef struct {
    seg_ring_t unit;
    uint64_t io, lock, sleep, native, pool_wait;
    seg_part_t parts[SEG_SLOWEST_PARTS];
    char id[SEG_ID_BYTES]; /* of the request or job, then zeros; zeros only: none is known */
} seg_slowest_t;

/* After the ring. `head` counts all: number k is at k mod SEG_SLOWEST. */
typedef struct {
    uint64_t head;
    seg_slowest_t units[SEG_SLOWEST];
} seg_slowest_list_t;

/* What the thread of an open unit does. Readers know states by their number; 0: it was never looked at. */
#define SEG_OPEN_STATES(X)                                                                                   \
    X(SEG_OPEN_RUNNING, running)                                                                             \
    X(SEG_OPEN_GVL, gvl)                                                                                     \
    X(SEG_OPEN_IDLE, idle)                                                                                   \
    X(SEG_OPEN_CONNECTION, connection)                                                                       \
    X(SEG_OPEN_CALL, call)

enum seg_open_state { SEG_OPEN_UNSEEN, SEG_OPEN_STATES(UNIT_CONSTANT) };

/* A text of an open unit that changes. One of two is valid; the other one is written meanwhile. */
typedef struct {
    uint64_t bytes;
    char text[SEG_NAME_BYTES];
} seg_open_name_t;

/* `of`: the slot's sequence at that time: of another one, it is of a unit that had the slot before. */
typedef struct {
    uint64_t of, bytes;
    char text[SEG_PLACE_BYTES];
} seg_open_place_t;

typedef struct {
    uint64_t of;
    uint64_t state;    /* of SEG_OPEN_STATES */
    uint64_t holder;   /* 1: its thread held the GVL */
    uint64_t since_ns; /* since 1970; 0: unknown */
    uint64_t seen_ns;
    uint64_t bytes;    /* of the call that it is in; 0: none */
    char call[SEG_QUEUE_BYTES];
} seg_open_seen_t;

/*
 * One unit that has begun and not ended. What a reader compares comes first: nothing of it changes while the
 * rest is read, or the reader reads again.
 */
typedef struct {
    uint64_t seq;      /* odd: a unit has the slot; +1 when it begins and when it ends */
    uint64_t name_seq, place_seq, seen_seq; /* the lowest bit says which of the two is valid */
    uint64_t kind, queue_bytes, pool_bytes, request_bytes, job_bytes, has_trace;
    uint64_t started_ns, thread; /* since 1970; id of the native thread, 0: unknown */
    uint64_t outer;    /* 0: none; sequence of the outer unit's slot * 2^16 + that slot + 1 */
    uint64_t objects;  /* that the process had allocated when it began; SEG_UNKNOWN */
    char queue[SEG_QUEUE_BYTES];
    char pool[SEG_POOL_BYTES];
    char request[SEG_ID_BYTES], job[SEG_ID_BYTES];
    unsigned char trace[SEG_TRACE_BYTES];
    seg_open_name_t names[2];
    seg_open_place_t places[2];
    seg_open_seen_t seen[2];
    char unused[144];
} seg_open_unit_t;

/* Who held the main Ractor's GVL. */
typedef struct {
    uint64_t thread;   /* id of the native thread; 0: nobody, or unknown */
    uint64_t since_ns, seen_ns;
    uint64_t bytes;
    char name[SEG_NAME_BYTES];
} seg_open_holder_t;

/* After the slowest. Slots from `used` on have no space. */
typedef struct {
    uint64_t used;
    uint64_t beyond;   /* units that got no slot */
    uint64_t holder_seq; /* the lowest bit says which of the two is valid; 0: nobody has looked */
    seg_open_holder_t holders[2];
    char unused[SEG_PAGE - 3 * sizeof(uint64_t) - 2 * sizeof(seg_open_holder_t)];
    seg_open_unit_t units[SEG_OPEN_UNITS];
} seg_open_table_t;

typedef struct {
    uint64_t offset, value;
} seg_redo_t;

_Static_assert(sizeof(seg_header_t) == SEG_PROFILE_OFFSET, "the profile follows the header");
_Static_assert(SEG_PAIRS_OFFSET + SEG_PAIRS * sizeof(seg_pair_t) == SEG_RING_OFFSET,
               "the ring follows the pairs");
_Static_assert(sizeof(seg_account_sums_t) <= SEG_PLACE_BYTES, "an account's sums have room");
_Static_assert(offsetof(seg_open_table_t, units) == SEG_PAGE, "slots of open units begin at a page");
_Static_assert(SEG_PAGE % sizeof(seg_open_unit_t) == 0, "a page has whole slots of open units");
_Static_assert(SEG_NAME_BYTES % 8 + SEG_PLACE_BYTES % 8 + SEG_QUEUE_BYTES % 8 + SEG_ID_BYTES % 8 == 0,
               "texts of open units are whole words");
_Static_assert(sizeof(seg_series_t) % sizeof(uint64_t) == 0, "the redo log has words");

#endif
