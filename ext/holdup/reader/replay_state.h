/*
 * The state of a replay: units, processes with their pools of threads, and what units wait in. Nothing here
 * knows Ruby.
 */
#ifndef HOLDUP_REPLAY_STATE_H
#define HOLDUP_REPLAY_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RP_NEVER INFINITY
#define RP_NONE UINT32_MAX
#define RP_MAX_PROCESSES 1024
#define RP_MAX_POOLS 8 /* of a process, as a segment has */
#define RP_MAX_LANES 64 /* queues that the threads of a pool take units from in turn */
#define RP_MAX_UNITS (UINT32_MAX / 16)
#define RP_COSTS 128 /* units in flight, up to which costs are computed once */
#define RP_WORD_BITS 64
#define RP_HANDOFFS 16 /* waiting threads, up to which each number has a hand-off of its own */

enum rp_assignment { RP_RANDOM, RP_LEAST_BUSY, RP_SHARED, RP_ASSIGNMENTS };

/*
 * One unit as it was recorded: after its arrival the words of a trace, in this order (rp_unit_words in
 * replay_methods.c names them for Ruby). A trace has the units in question first, then the others; each of
 * the two parts is sorted by arrival.
 *
 * A hold with a length is followed by a gap, except for the last one. A unit with fewer gaps than that has
 * further holds, which take no time: there it only lets those go first who wait for the GVL.
 */
typedef struct {
    uint64_t arrival_ns, held_ns, idle_ns, holds, gaps, longest_ns, in_flight_milli, rest_ns, group, io;
    uint64_t slice_ns; /* its thread's time slice; 0: its group's */
    uint64_t pool;     /* whose threads take it, of its group's */
    /* Holds before it begins, in which it slows no other unit down: what a thread does between two units. */
    uint64_t before;
    uint64_t lane;     /* in which it waits, where processes share their queues */
    /* Holds of its thread when it has ended, and their time: the thread takes no other unit meanwhile. */
    uint64_t after, after_ns;
    uint64_t arriving_ns; /* of idle_ns, before it begins: passes also while it waits for a thread */
} rp_unit_t;

/* The outcome of a unit: response = queued + stalled + held + idle. */
typedef struct {
    uint64_t queued_ns, stalled_ns, held_ns, response_ns;
} rp_result_t;

typedef struct {
    double arrived;
    double queued, stalled, held;
    double since;          /* when its present wait or hold began */
    double held_left, idle_left, part_left;
    /* Factors of its holds and of its idle time, for how it began here against how it was recorded. */
    double factor, idle_factor;
    uint32_t holds_left, gaps_left, before_left, after_left, longest_at;
    uint32_t lengths_left; /* holds that take time, of those that are left */
    bool gap_follows;      /* its present hold is one of these */
    uint32_t process;
    uint32_t next;         /* in the queue that it is in */
} rp_live_t;

typedef struct {
    uint32_t first, last, size;
} rp_queue_t;

/* Threads of a process that take the same units: a server's, a job runner's capsule or worker. */
typedef struct {
    uint32_t threads, io_threads;
    /* Threads that have a unit: an ordinary one, or one marked as io (Puma's max_io_threads) */
    uint32_t busy[2];
    rp_queue_t waiting;
} rp_pool_t;

typedef struct {
    uint32_t processes, pools, first;
    double slice;
    rp_queue_t *shared;    /* of each pool, its lanes one after the other */
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

/*
 * Times in ns. `growth`, `marking`, `cold`, `rest_half`, `idle_growth` and `recorded_processes` are those of
 * Holdup::Sizing::CoherencyCost.
 */
typedef struct {
    double vcpus;          /* may be a fraction */
    /* Time from the end of a hold to the next one, with 1, 2, ... threads that wait; more take the last. */
    double handoff[RP_HANDOFFS];
    double growth, marking, cold, rest_half, idle_growth, recorded_processes;
    enum rp_assignment assignment[2]; /* which process gets a unit: one in question, and another */
    uint64_t seed;
    uint32_t own;          /* the first so many units of the trace are those in question */
    /* Units of them that may have arrived and not ended: the next one arrives when one ends ... */
    uint32_t limit;
    /* ... or this much later on average (exponential), when its user has thought; 0: at once. */
    double think;
    double answer;         /* for which its user had waited when they were recorded, on average */
    /*
     * A thread that is free takes from the first lane that has a unit, if all these weights are 0 (strict
     * order); else from any lane that has one, each as often as its weight says.
     */
    double lanes[RP_MAX_LANES];
    uint32_t lane_count;
} rp_options_t;

typedef struct {
    rp_options_t options;
    const rp_unit_t *units;
    rp_result_t *results;
    rp_live_t *live;
    uint32_t count;
    uint32_t arrived[2];   /* the next unit to arrive: of those in question, and of the others */
    uint32_t done;         /* units in question that have ended */
    rp_group_t *groups;
    rp_process_t *processes;
    rp_pool_t *pools;
    rp_queue_t *shared;    /* those of all groups */
    uint32_t process_count, holders;
    /* A bit for each process whose GVL is held or passed on: no other has an event. */
    uint64_t active[RP_MAX_PROCESSES / RP_WORD_BITS];
    /* What holds cost in a process, and what idle time costs in all, with 0, 1, 2 ... units in flight. */
    double hold_costs[RP_COSTS], idle_costs[RP_COSTS];
    uint32_t in_flight;    /* units that threads of any process have begun */
    rp_io_t *heap;         /* ends of io, and of users' pauses (RP_NONE), the soonest first */
    uint32_t heap_size;
    double now, virtual_now, cpu;
    double handed;         /* time that units waited while the GVL was passed on, all added up */
    uint64_t random, events;
    bool cancelled;        /* atomic: another thread sets it */
} rp_t;

/*
 * Units of another kind that run in the same processes. They arrive when they arrived, whatever the units in
 * question do.
 */
static inline bool rp_other(const rp_t *r, uint32_t unit)
{
    return unit >= r->options.own;
}

/* --- chance: splitmix64, the same on every machine --- */

static inline uint64_t rp_random(rp_t *r)
{
    uint64_t z = (r->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double rp_chance(rp_t *r)
{
    return ((double)(rp_random(r) >> 11) + 0.5) * 0x1p-53;
}

/*
 * The next of `parts` parts of what is left, as long as if a stick were broken at random: no part has to be
 * stored.
 */
static inline double rp_part(rp_t *r, double left, uint32_t parts)
{
    if (parts <= 1) return left;
    double chance = rp_chance(r);
    if (parts == 2) return left * (1 - chance); /* the same, without two functions of libm */
    return left * -expm1(log(chance) / (parts - 1));
}

/* --- queues of units for a thread or for the GVL, linked through rp_live_t.next --- */

static inline void rp_push(rp_t *r, rp_queue_t *queue, uint32_t unit)
{
    r->live[unit].next = RP_NONE;
    if (queue->size++) r->live[queue->last].next = unit;
    else queue->first = unit;
    queue->last = unit;
}

static inline uint32_t rp_shift(rp_t *r, rp_queue_t *queue)
{
    if (!queue->size) return RP_NONE;
    uint32_t unit = queue->first;
    queue->first = r->live[unit].next;
    queue->size--;
    return unit;
}

/* --- the heap of ends of io --- */

static inline void rp_io_push(rp_t *r, double at, uint32_t unit)
{
    uint32_t i = r->heap_size++;
    while (i && r->heap[(i - 1) / 2].at > at) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = (rp_io_t){at, unit};
}

static inline uint32_t rp_io_shift(rp_t *r)
{
    uint32_t unit = r->heap[0].unit, i = 0;
    rp_io_t last = r->heap[--r->heap_size];
    for (uint32_t child; (child = 2 * i + 1) < r->heap_size; i = child) {
        if (child + 1 < r->heap_size && r->heap[child + 1].at < r->heap[child].at) child++;
        if (r->heap[child].at >= last.at) break;
        r->heap[i] = r->heap[child];
    }
    r->heap[i] = last;
    return unit;
}

#endif
