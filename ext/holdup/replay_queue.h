/*
 * What units of a replay stand in: queues for a thread or for the GVL, and the heap of ends of io.
 */
#ifndef HOLDUP_REPLAY_QUEUE_H
#define HOLDUP_REPLAY_QUEUE_H

#include "replay_state.h"

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
