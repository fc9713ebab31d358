/*
 * The state of a replay: units, processes, the queues that units stand in, the heap of ends of io, and chance.
 */
#ifndef HOLDUP_REPLAY_STATE_H
#define HOLDUP_REPLAY_STATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define RP_NEVER INFINITY
#define RP_NONE UINT32_MAX
#define RP_REST_HALF_NS 20e6 /* Cost::HALF_NS in lib/holdup/analysis/sizing/cost.rb */
#define RP_MAX_PROCESSES 1024
#define RP_MAX_UNITS (UINT32_MAX / 16)

enum rp_assignment { RP_RANDOM, RP_LEAST_BUSY, RP_SHARED };

/* One unit as it was recorded; the words of a trace, in this order. Sorted by arrival. */
typedef struct {
    uint64_t arrival_ns, held_ns, idle_ns, holds, gaps, longest_ns, in_flight_milli, rest_ns, group, io;
    uint64_t slice_ns; /* its thread's time slice; 0: its group's */
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
    uint32_t holds_left, gaps_left, longest_at;
    uint32_t process;
    uint32_t next;         /* in whatever queue it stands */
} rp_live_t;

typedef struct {
    uint32_t first, last, size;
} rp_queue_t;

typedef struct {
    uint32_t processes, threads, io_threads, first;
    double slice;
    rp_queue_t shared;
} rp_group_t;

typedef struct {
    uint32_t holder, group;
    double ends_at;        /* of the hold, on the virtual clock */
    double handoff_at, slice_at;
    rp_queue_t ready, waiting;
    uint32_t busy[2];      /* threads that have a unit: an ordinary one, or one marked as io (Puma's max_io_threads) */
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
    uint32_t count, arrived, done;
    rp_group_t *groups;
    rp_process_t *processes;
    uint32_t process_count, holders;
    rp_io_t *heap;
    uint32_t heap_size;
    double now, virtual_now, vcpus, handoff, growth, marking, cold, cpu;
    double handed;         /* time that units waited while the GVL was passed on, all added up */
    enum rp_assignment assignment;
    uint64_t random, events;
    volatile bool cancelled;
} rp_t;

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

/* --- queues of units, linked through rp_live_t.next --- */

static void rp_push(rp_t *r, rp_queue_t *queue, uint32_t unit)
{
    r->live[unit].next = RP_NONE;
    if (queue->size++) r->live[queue->last].next = unit;
    else queue->first = unit;
    queue->last = unit;
}

static uint32_t rp_shift(rp_t *r, rp_queue_t *queue)
{
    if (!queue->size) return RP_NONE;
    uint32_t unit = queue->first;
    queue->first = r->live[unit].next;
    queue->size--;
    return unit;
}

/* --- the heap of ends of io --- */

static void rp_io_push(rp_t *r, double at, uint32_t unit)
{
    uint32_t i = r->heap_size++;
    while (i && r->heap[(i - 1) / 2].at > at) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = (rp_io_t){at, unit};
}

static uint32_t rp_io_shift(rp_t *r)
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
