/*
 * Layout version 6 of the segment, as docs/segment.md describes it and lib/holdup/segment/layout.rb reads it.
 * Little endian; a change of anything here is a new version.
 */
#ifndef HOLDUP_SEGMENT_LAYOUT_H
#define HOLDUP_SEGMENT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "segment/histogram.h"

#define SEG_MAGIC "HOLDUPSG"
#define SEG_VERSION 6
#define SEG_HEADER_BYTES 4096
#define SEG_PROFILE_OFFSET 1024
#define SEG_PROFILE_BYTES 3072
#define SEG_SETTING_OFFSET 4096
#define SEG_SETTING_BYTES 4096
#define SEG_LOG_OFFSET 8192
#define SEG_LOG_ENTRIES 256
#define SEG_RING_OFFSET 12288
#define SEG_NAME_BYTES 200
#define SEG_QUEUE_BYTES 64
#define SEG_PLACE_BYTES 424 /* room for a queue, or for a place in the code (hold_places.h) */
#define SEG_POOL_BYTES 64
#define SEG_POOLS 8
#define SEG_PRIORITY_BYTES 16
#define SEG_TRACE_BYTES 16
#define SEG_PATH_BYTES 120
#define SEG_COUNTERS 19 /* of a series */
#define SEG_PROCESS_COUNTERS 32
#define SEG_GAUGES 64
#define SEG_HISTOGRAMS 6
#define SEG_GROW_SLOTS 8
#define SEG_ACCOUNTS 64
#define SEG_ENDED_THREADS "thread:(ended)" /* figures of earlier labels of accounts */
#define SEG_CALL_KINDS 64
#define SEG_METHODS 128 /* series of places in the code */
#define SEG_REPEATS 64  /* series of repeated queries */
#define SEG_PAGE 4096
#define SEG_UNKNOWN UINT64_MAX

enum seg_kind { SEG_REQUEST = 1, SEG_JOB, SEG_ACCOUNT, SEG_NESTED, SEG_OVERFLOW, SEG_CALL, SEG_METHOD,
                SEG_REPEAT };
enum seg_counter { SEG_CPU, SEG_STARVED, SEG_IO, SEG_LOCK, SEG_SLEEP, SEG_NATIVE, SEG_GC, SEG_CAUSED,
                   SEG_ACQUISITIONS, SEG_PREEMPTIONS, SEG_SQUARES, SEG_POOL_WAIT, SEG_POOL_HELD,
                   SEG_OBJECTS, SEG_OBJECTS_OWN, SEG_OBJECTS_OTHERS, SEG_MALLOC, SEG_SLOT_BYTES,
                   SEG_SLOT_OBJECTS, SEG_SUMS };
enum seg_histogram { SEG_WALL, SEG_RUNNING, SEG_STALLED, SEG_IDLE, SEG_QUEUED, SEG_LONGEST };
enum seg_process_counter { SEG_P_HANDOFF, SEG_P_UNITS, SEG_P_NESTED, SEG_P_DISCARDED, SEG_P_OVERFLOWED,
                           SEG_P_BACKWARD, SEG_P_RESUMED, SEG_P_SUSPENDED, SEG_P_HOLDER,
                           SEG_P_QUEUED_CLAMPED, SEG_P_ABANDONED, SEG_P_SANITISED, SEG_P_GROW_FAILED,
                           SEG_P_GUARD, SEG_P_ACQUISITIONS, SEG_P_GC, SEG_P_RUNNING, SEG_P_STALLED,
                           SEG_P_IDLE, SEG_P_CAUSED, SEG_P_UNACCOUNTED, SEG_P_NAMED,
                           SEG_P_POOLS_BUSY = SEG_PROCESS_COUNTERS - SEG_POOLS };
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
    uint64_t counters[SEG_COUNTERS], wall, running, stalled, idle;
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
    uint64_t counters[SEG_COUNTERS];
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

typedef struct {
    uint64_t offset, value;
} seg_redo_t;

_Static_assert(offsetof(seg_header_t, seq) == 40, "layout version 6");
_Static_assert(offsetof(seg_header_t, parent_pid) == 184, "layout version 6");
_Static_assert(offsetof(seg_header_t, profile_seq) == 192, "layout version 6");
_Static_assert(offsetof(seg_header_t, capture_request) == 216, "layout version 6");
_Static_assert(offsetof(seg_header_t, state) == 152, "layout version 6");
_Static_assert(offsetof(seg_header_t, folder) == 240, "layout version 6");
_Static_assert(offsetof(seg_header_t, counters) == 256, "layout version 6");
_Static_assert(offsetof(seg_header_t, gauges) == 512, "layout version 6");
_Static_assert(sizeof(seg_header_t) == SEG_PROFILE_OFFSET, "layout version 6");
_Static_assert(offsetof(seg_series_t, count) == 640, "layout version 6");
_Static_assert(offsetof(seg_series_t, former) == 216, "layout version 6");
_Static_assert(offsetof(seg_series_t, generation) == 888, "layout version 6");
_Static_assert(sizeof(seg_account_sums_t) <= SEG_PLACE_BYTES, "layout version 6");
_Static_assert(offsetof(seg_series_t, pool) == 808, "layout version 6");
_Static_assert(offsetof(seg_series_t, histograms) == 896, "layout version 6");
_Static_assert(offsetof(seg_series_t, path_bytes) == 25856, "layout version 6");
_Static_assert(sizeof(seg_series_t) == 25984, "layout version 6");
_Static_assert(SEG_SUMS <= SEG_COUNTERS, "layout version 6");
_Static_assert(sizeof(seg_ring_t) == 112, "layout version 6");

#endif
