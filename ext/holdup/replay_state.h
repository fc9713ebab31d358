/*
 * The state of a replay: units, processes with their pools of threads, and chance.
 */
#ifndef HOLDUP_REPLAY_STATE_H
#define HOLDUP_REPLAY_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define RP_NEVER INFINITY
#define RP_NONE UINT32_MAX
#define RP_REST_HALF_NS 20e6 /* Cost::HALF_NS in lib/holdup/sizing/hold_cost.rb */
#define RP_MAX_PROCESSES 1024
#define RP_MAX_POOLS 8 /* of a process, as a segment has */
#define RP_MAX_UNITS (UINT32_MAX / 16)

enum rp_assignment { RP_RANDOM, RP_LEAST_BUSY, RP_SHARED };

/* One unit as it was recorded; the words of a trace, in this order. Its own and their company are each sorted by arrival. */
typedef struct {
    uint64_t arrival_ns, held_ns, idle_ns, holds, gaps, longest_ns, in_flight_milli, rest_ns, group, io;
    uint64_t slice_ns; /* its thread's time slice; 0: its group's */
    uint64_t pool;     /* whose threads take it, of its group's */
    uint64_t before;   /* holds before it begins, in which it is nobody's company: what a thread does between two units */
} rp_unit_t;

/* What became of it: response = queued + stalled + held + idle. */
typedef struct {
    uint64_t queued_ns, stalled_ns, held_ns, response_ns;
} rp_result_t;

typedef struct {
    double queued, stalled, held;
    double since;          /* when its present wait or hold began */
    double held_left, idle_left, part_left;
    double factor;         /* of its holds, for how it began here against how it was recorded */
    uint32_t holds_left, gaps_left, before_left, longest_at;
    uint32_t process;
    uint32_t next;         /* in whatever queue it stands */
} rp_live_t;

typedef struct {
    uint32_t first, last, size;
} rp_queue_t;

/* Threads of a process that take the same units: a server's, a job runner's capsule or worker. */
typedef struct {
    uint32_t threads, io_threads;
    uint32_t busy[2];      /* threads that have a unit: an ordinary one, or one marked as io (Puma's max_io_threads) */
    rp_queue_t waiting;
} rp_pool_t;

typedef struct {
    uint32_t processes, pools, first;
    double slice;
    rp_queue_t shared[RP_MAX_POOLS];
} rp_group_t;

typedef struct {
    uint32_t holder, group;
    double ends_at;        /* of the hold, on the virtual clock */
    double handoff_at, slice_at;
    rp_queue_t ready;
    uint32_t first_pool;
    uint32_t in_flight;    /* units that its threads have begun */
    double used;           /* time that its GVL was held */
    double empty_since;    /* when the last of its units ended */
} rp_process_t;

typedef struct {
    double at;
    uint32_t unit;
} rp_io_t;

typedef struct {
    const rp_unit_t *units;
    rp_result_t *results;
    rp_live_t *live;
    uint32_t count, own;   /* units of the trace, and how many of these, the first, it is about: the others are company */
    uint32_t arrived[2], done; /* the next of either to come; those it is about that are done */
    rp_group_t *groups;
    rp_process_t *processes;
    rp_pool_t *pools;
    uint32_t process_count, holders;
    uint32_t most;         /* own units that may have come and not be done; nobody comes before one of them is */
    rp_io_t *heap;
    uint32_t heap_size;
    double now, virtual_now, vcpus, handoff, growth, marking, cold, cpu;
    double handed;         /* time that units waited while the GVL was passed on, all added up */
    enum rp_assignment assignment[2];
    uint64_t random, events;
    volatile bool cancelled;
} rp_t;

/* Units of another kind that run in the same processes: nothing is asked of them, and they come whatever the others do. */
static bool rp_company(const rp_t *r, uint32_t unit)
{
    return unit >= r->own;
}

/* --- chance: splitmix64, the same on every machine --- */

static uint64_t rp_random(rp_t *r)
{
    uint64_t z = (r->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double rp_chance(rp_t *r)
{
    return ((double)(rp_random(r) >> 11) + 0.5) * 0x1p-53;
}

/* The next of `parts` exponentially weighted parts of what is left: broken off a stick, so nothing has to be stored. */
static double rp_part(rp_t *r, double left, uint32_t parts)
{
    if (parts <= 1) return left;
    return left * -expm1(log(rp_chance(r)) / (parts - 1));
}

#endif
