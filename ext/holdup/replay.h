/*
 * Replays recorded units on another deployment: a discrete-event simulation of processes with a GVL each, pools of threads
 * in them, and shared CPUs. It knows nothing of the probe; it is C because a candidate takes half a million events.
 *
 * In a process one unit holds the GVL, others wait in a FIFO. A hold ends by itself, or at the end of the time slice when
 * somebody waits. (Ruby looks at ticks of 10 ms only, but these begin with the wait: slices of 100, 50, 20 and 10 ms were
 * measured to be 101.3, 50.6, 21.3 and 10.3 ms long, the median of two threads that compute.) Who gets the GVL after another
 * has it `handoff` later. The holders of all processes share the CPUs: each progresses at min(1, vcpus / holders), so that
 * their ends lie on one virtual clock.
 *
 * A process has pools of threads, each with a cap and a queue of its own (a job runner's capsules); all their threads share its GVL.
 * Requests and jobs may share them as well: the units in question have others for company then, which come at times of their own.
 * Source: research on trace-driven replay and thread_pthread.c (FIFO ready queue, slice counted while somebody waits).
 *
 * Everything here runs without the GVL on memory of its own.
 */
#ifndef HOLDUP_REPLAY_H
#define HOLDUP_REPLAY_H

#include "replay_take.h"

/* After a hold: io, the next hold without any, or the end. */
static void rp_go_on(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    if (u->before_left && --u->before_left == 0) r->processes[u->process].in_flight++;
    if (u->gaps_left) {
        double idle = rp_part(r, u->idle_left, u->gaps_left--);
        u->idle_left -= idle;
        rp_io_push(r, r->now + idle, unit);
    }
    else if (u->holds_left) rp_want(r, &r->processes[u->process], unit);
    else rp_finish(r, unit);
}

/* --- the loop --- */

static void rp_advance(rp_t *r, double to)
{
    double rate = rp_rate(r), passed = to - r->now;
    r->virtual_now += rate * passed;
    r->cpu += rate * r->holders * passed;
    r->now = to;
}

static void rp_end_hold(rp_t *r, rp_process_t *p)
{
    uint32_t unit = p->holder;
    p->ends_at = r->virtual_now; /* rounding leaves no remainder */
    rp_release(r, p);
    rp_go_on(r, unit);
}

static void rp_end_slice(rp_t *r, rp_process_t *p)
{
    uint32_t unit = p->holder;
    rp_release(r, p);
    rp_push(r, &p->ready, unit);
}

static void rp_end_handoff(rp_t *r, rp_process_t *p)
{
    p->handoff_at = RP_NEVER;
    uint32_t unit = rp_shift(r, &p->ready);
    rp_hold(r, p, unit);
}

/* The next thing that happens in a process, and when. */
static double rp_next_of(const rp_t *r, const rp_process_t *p, double rate)
{
    if (p->handoff_at != RP_NEVER) return p->handoff_at;
    if (p->holder == RP_NONE) return RP_NEVER;
    double left = p->ends_at - r->virtual_now;
    double end = r->now + (left > 0 ? left / rate : 0);
    return end <= p->slice_at ? end : p->slice_at;
}

static void rp_happen(rp_t *r, rp_process_t *p)
{
    if (p->handoff_at != RP_NEVER) rp_end_handoff(r, p);
    else if (r->now >= p->slice_at && p->ends_at > r->virtual_now) rp_end_slice(r, p);
    else rp_end_hold(r, p);
}

/* Who comes next, and when: one of the units in question, unless too many of them are there, or one of their company. */
static double rp_next_arrival(const rp_t *r, bool *company)
{
    double own = r->arrived[0] < r->own && r->arrived[0] - r->done < r->most ? (double)r->units[r->arrived[0]].arrival_ns : RP_NEVER;
    double other = r->arrived[1] < r->count ? (double)r->units[r->arrived[1]].arrival_ns : RP_NEVER;
    *company = other < own;
    return *company ? other : own;
}

static bool rp_step(rp_t *r)
{
    double rate = rp_rate(r), soonest = RP_NEVER;
    uint32_t process = 0;
    for (uint32_t i = 0; i < r->process_count; i++) {
        double at = rp_next_of(r, &r->processes[i], rate);
        if (at < soonest) soonest = at, process = i;
    }
    double io = r->heap_size ? r->heap[0].at : RP_NEVER;
    bool company;
    double arrival = rp_next_arrival(r, &company);
    double at = fmin(soonest, fmin(io, arrival));
    if (at == RP_NEVER) return false;
    if (at > r->now) rp_advance(r, at);
    r->events++;
    if (arrival <= at) rp_arrive(r, r->arrived[company]++);
    else if (io <= at) {
        uint32_t unit = rp_io_shift(r);
        if (r->live[unit].holds_left) rp_want(r, &r->processes[r->live[unit].process], unit);
        else rp_finish(r, unit);
    }
    else rp_happen(r, &r->processes[process]);
    return true;
}

static void *rp_run(void *data)
{
    rp_t *r = data;
    while (!r->cancelled && r->done < r->own && rp_step(r)) {}
    return NULL;
}

static void rp_cancel(void *data)
{
    ((rp_t *)data)->cancelled = true;
}

#endif
