/*
 * The GVL of each process of a replay: how long it is held, what a hold costs while other units are in
 * flight, and how it goes to the next.
 */
#ifndef HOLDUP_REPLAY_GVL_H
#define HOLDUP_REPLAY_GVL_H

#include "reader/replay_state.h"

/* How fast each holder progresses: the holders of all processes share the CPUs. */
static inline double rp_rate(const rp_t *r)
{
    return r->holders > r->options.vcpus ? r->options.vcpus / r->holders : 1.0;
}

/* What holds cost with so many units in flight, against one alone (Holdup::Sizing::CoherencyCost#factor). */
double rp_concurrency_cost(const rp_t *r, double units);

/* What holds cost after the process had rested so long, against one that was just busy. */
double rp_rest_cost(const rp_t *r, double rest);

/* What idle time costs with so many units in flight in all processes, as a share of those recorded. */
double rp_idle_cost(const rp_t *r, double units);

/* What idle time costs with the units in flight now. */
double rp_idle_cost_now(const rp_t *r);

/* The replay calls it before the first event. */
void rp_compute_costs(rp_t *r);

/* The unit has the GVL from now on. */
void rp_hold(rp_t *r, rp_process_t *p, uint32_t unit);

/* The holder gives the GVL up. */
void rp_release(rp_t *r, rp_process_t *p);

/* A unit wants the GVL: it takes it or queues. */
void rp_want(rp_t *r, rp_process_t *p, uint32_t unit);

#endif
