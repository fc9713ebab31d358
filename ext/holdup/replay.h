/*
 * Replays recorded units on another deployment: a discrete-event simulation of processes with a GVL each, capped threads
 * and shared CPUs. It knows nothing of the probe; it is C because a candidate takes half a million events.
 *
 * In a process one unit holds the GVL, others wait in a FIFO. A hold ends by itself, or at the end of the time slice when
 * somebody waits. Who gets the GVL after another has it `handoff` later. The holders of all processes share the CPUs: each
 * progresses at min(1, vcpus / holders), so that their ends lie on one virtual clock.
 * Source: research on trace-driven replay and thread_pthread.c (FIFO ready queue, slice counted while somebody waits).
 *
 * Everything here runs without the GVL on memory of its own.
 */
#ifndef HOLDUP_REPLAY_H
#define HOLDUP_REPLAY_H

#include <math.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define RP_NEVER INFINITY
#define RP_NONE UINT32_MAX
#define RP_MAX_PROCESSES 1024
#define RP_MAX_UNITS (UINT32_MAX / 16)

enum rp_assignment { RP_RANDOM, RP_LEAST_BUSY, RP_SHARED };

/* One unit as it was recorded; the words of a trace, in this order. Sorted by arrival. */
typedef struct {
    uint64_t arrival_ns, held_ns, idle_ns, holds, gaps, longest_ns, in_flight_milli, group, io;
} rp_unit_t;

/* What became of it: response = queued + stalled + held + idle. */
typedef struct {
    uint64_t queued_ns, stalled_ns, held_ns, response_ns;
} rp_result_t;

typedef struct {
    double queued, stalled, held;
    double since;          /* when its present wait or hold began */
    double held_left, idle_left, part_left;
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
    rp_queue_t shared[2];
} rp_group_t;

typedef struct {
    uint32_t holder, group;
    double ends_at;        /* of the hold, on the virtual clock */
    double handoff_at, slice_at;
    rp_queue_t ready, waiting[2];
    uint32_t busy[2];      /* threads that have a unit: ordinary ones, and those for io (Puma's max_io_threads) */
    double used;           /* time that its GVL was held */
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
    double now, virtual_now, vcpus, handoff, growth, cpu;
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

/* --- holding the GVL --- */

static double rp_rate(const rp_t *r)
{
    return r->holders > r->vcpus ? r->vcpus / r->holders : 1.0;
}

static double rp_cost(const rp_t *r, double units)
{
    return 1.0 + r->growth * (units > 1 ? units - 1 : 0);
}

/* The length of a unit's next hold, with as many units in its process as there are now. */
static double rp_next_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    double longest = (double)r->units[unit].longest_ns, part;
    if (u->holds_left <= 1) part = u->held_left;
    else if (u->longest_at == 0) {
        part = longest < u->held_left ? longest : u->held_left;
        u->longest_at = RP_NONE;
    }
    else {
        double others = u->longest_at == RP_NONE ? u->held_left : u->held_left - longest;
        uint32_t parts = u->longest_at == RP_NONE ? u->holds_left : u->holds_left - 1;
        part = rp_part(r, others > 0 ? others : 0, parts);
        if (u->longest_at != RP_NONE) u->longest_at--;
    }
    u->held_left -= part;
    u->holds_left--;
    double recorded = (double)r->units[unit].in_flight_milli / 1000.0;
    return part * rp_cost(r, p->busy[0] + p->busy[1]) / rp_cost(r, recorded);
}

static void rp_hold(rp_t *r, rp_process_t *p, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    u->stalled += r->now - u->since;
    u->since = r->now;
    if (u->part_left <= 0) u->part_left = rp_next_hold(r, p, unit);
    p->holder = unit;
    p->ends_at = r->virtual_now + u->part_left;
    p->slice_at = p->ready.size ? r->now + r->groups[p->group].slice : RP_NEVER;
    r->holders++;
}

static void rp_release(rp_t *r, rp_process_t *p)
{
    rp_live_t *u = &r->live[p->holder];
    u->part_left = p->ends_at - r->virtual_now;
    u->held += r->now - u->since;
    p->used += r->now - u->since;
    u->since = r->now;
    p->holder = RP_NONE;
    p->slice_at = RP_NEVER;
    r->holders--;
    if (p->ready.size) p->handoff_at = r->now + r->handoff;
}

/* A unit wants the GVL. */
static void rp_want(rp_t *r, rp_process_t *p, uint32_t unit)
{
    r->live[unit].since = r->now;
    if (p->holder == RP_NONE && p->handoff_at == RP_NEVER) {
        rp_hold(r, p, unit);
        return;
    }
    rp_push(r, &p->ready, unit);
    if (p->holder != RP_NONE && p->slice_at == RP_NEVER) p->slice_at = r->now + r->groups[p->group].slice;
}

/* --- taking units --- */

static bool rp_has_room(const rp_t *r, const rp_process_t *p, int io)
{
    const rp_group_t *g = &r->groups[p->group];
    return io ? p->busy[1] < g->io_threads || p->busy[0] < g->threads : p->busy[0] < g->threads;
}

static void rp_take(rp_t *r, uint32_t process, uint32_t unit)
{
    rp_process_t *p = &r->processes[process];
    const rp_group_t *g = &r->groups[p->group];
    const rp_unit_t *recorded = &r->units[unit];
    rp_live_t *u = &r->live[unit];
    bool extra = recorded->io && p->busy[1] < g->io_threads;
    p->busy[extra]++;
    u->process = process << 1 | extra;
    u->queued = r->now - (double)recorded->arrival_ns;
    u->held_left = (double)recorded->held_ns;
    u->idle_left = (double)recorded->idle_ns;
    u->holds_left = (uint32_t)recorded->holds;
    u->gaps_left = (uint32_t)recorded->gaps;
    u->longest_at = recorded->longest_ns ? (uint32_t)(rp_random(r) % recorded->holds) : RP_NONE;
    u->stalled = u->held = u->part_left = 0;
    rp_want(r, p, unit);
}

static uint32_t rp_choose(rp_t *r, const rp_group_t *g)
{
    if (r->assignment == RP_RANDOM) return g->first + (uint32_t)(rp_random(r) % g->processes);
    uint32_t best = g->first, least = UINT32_MAX, from = (uint32_t)(rp_random(r) % g->processes);
    for (uint32_t i = 0; i < g->processes; i++) {
        uint32_t process = g->first + (from + i) % g->processes;
        rp_process_t *p = &r->processes[process];
        uint32_t load = p->busy[0] + p->busy[1] + p->waiting[0].size + p->waiting[1].size;
        if (load < least) best = process, least = load;
    }
    return best;
}

static void rp_arrive(rp_t *r, uint32_t unit)
{
    rp_group_t *g = &r->groups[r->units[unit].group];
    int io = r->units[unit].io != 0;
    uint32_t process = rp_choose(r, g);
    rp_process_t *p = &r->processes[process];
    if (rp_has_room(r, p, io)) rp_take(r, process, unit);
    else rp_push(r, r->assignment == RP_SHARED ? &g->shared[io] : &p->waiting[io], unit);
}

/* A thread of a process is free again: the unit that waits longest of those that it may take. */
static void rp_take_next(rp_t *r, uint32_t process)
{
    rp_process_t *p = &r->processes[process];
    rp_group_t *g = &r->groups[p->group];
    rp_queue_t *queues = r->assignment == RP_SHARED ? g->shared : p->waiting;
    for (int io = 0; io < 2; io++) {
        if (!queues[io].size || !rp_has_room(r, p, io)) continue;
        rp_take(r, process, rp_shift(r, &queues[io]));
        return;
    }
}

static void rp_finish(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    uint32_t process = u->process >> 1;
    double response = r->now - (double)r->units[unit].arrival_ns;
    r->results[unit] = (rp_result_t){(uint64_t)llround(u->queued), (uint64_t)llround(u->stalled), (uint64_t)llround(u->held),
                                     (uint64_t)llround(response)};
    r->processes[process].busy[u->process & 1]--;
    r->done++;
    rp_take_next(r, process);
}

/* After a hold: io, the next hold without any, or the end. */
static void rp_go_on(rp_t *r, uint32_t unit)
{
    rp_live_t *u = &r->live[unit];
    if (u->gaps_left) {
        double idle = rp_part(r, u->idle_left, u->gaps_left--);
        u->idle_left -= idle;
        rp_io_push(r, r->now + idle, unit);
    }
    else if (u->holds_left) rp_want(r, &r->processes[u->process >> 1], unit);
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

static bool rp_step(rp_t *r)
{
    double rate = rp_rate(r), soonest = RP_NEVER;
    uint32_t process = 0;
    for (uint32_t i = 0; i < r->process_count; i++) {
        double at = rp_next_of(r, &r->processes[i], rate);
        if (at < soonest) soonest = at, process = i;
    }
    double io = r->heap_size ? r->heap[0].at : RP_NEVER;
    double arrival = r->arrived < r->count ? (double)r->units[r->arrived].arrival_ns : RP_NEVER;
    double at = fmin(soonest, fmin(io, arrival));
    if (at == RP_NEVER) return false;
    if (at > r->now) rp_advance(r, at);
    r->events++;
    if (arrival <= at) rp_arrive(r, r->arrived++);
    else if (io <= at) {
        uint32_t unit = rp_io_shift(r);
        if (r->live[unit].holds_left) rp_want(r, &r->processes[r->live[unit].process >> 1], unit);
        else rp_finish(r, unit);
    }
    else rp_happen(r, &r->processes[process]);
    return true;
}

static void *rp_run(void *data)
{
    rp_t *r = data;
    while (!r->cancelled && rp_step(r)) {}
    return NULL;
}

static void rp_cancel(void *data)
{
    ((rp_t *)data)->cancelled = true;
}

/* --- from and to Ruby --- */

static void rp_free(rp_t *r)
{
    free(r->live);
    free(r->heap);
    free(r->processes);
    free(r->groups);
    free((void *)r->units);
    free(r->results);
}

static bool rp_allocate(rp_t *r, VALUE trace, long groups)
{
    r->units = malloc((size_t)RSTRING_LEN(trace) + 1);
    r->results = calloc(r->count + 1, sizeof(*r->results));
    r->live = calloc(r->count + 1, sizeof(*r->live));
    r->heap = malloc((r->count + 1) * sizeof(*r->heap));
    r->groups = calloc((size_t)groups, sizeof(*r->groups));
    r->processes = calloc(r->process_count, sizeof(*r->processes));
    if (!r->units || !r->results || !r->live || !r->heap || !r->groups || !r->processes) return false;
    memcpy((void *)r->units, RSTRING_PTR(trace), (size_t)RSTRING_LEN(trace));
    return true;
}

/* groups: [[processes, threads, io_threads, slice_ns], ...], checked by the caller */
static void rp_set_groups(rp_t *r, const uint64_t (*given)[4], long count)
{
    uint32_t first = 0;
    for (long i = 0; i < count; i++) {
        rp_group_t *g = &r->groups[i];
        *g = (rp_group_t){.processes = (uint32_t)given[i][0], .threads = (uint32_t)given[i][1], .io_threads = (uint32_t)given[i][2],
                          .first = first, .slice = (double)given[i][3]};
        for (uint32_t p = 0; p < g->processes; p++, first++)
            r->processes[first] = (rp_process_t){.holder = RP_NONE, .group = (uint32_t)i, .handoff_at = RP_NEVER, .slice_at = RP_NEVER};
    }
}

static const char *rp_fault(const rp_t *r, long groups)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const rp_unit_t *u = &r->units[i];
        if (u->group >= (uint64_t)groups) return "a unit is of a group that there is not";
        if (u->holds < 1 || u->holds > 10000000 || u->gaps > u->holds || u->gaps + 1 < u->holds) return "a unit has as many gaps as holds, or one less";
        if (i && u->arrival_ns < r->units[i - 1].arrival_ns) return "units have to be in the order of their arrival";
    }
    return NULL;
}

static void rp_push_totals(VALUE totals, const rp_t *r)
{
    rb_ary_push(totals, rb_float_new(r->now));
    rb_ary_push(totals, rb_float_new(r->cpu));
    rb_ary_push(totals, rb_float_new((double)r->events));
    for (uint32_t i = 0; i < r->process_count; i++) rb_ary_push(totals, rb_float_new(r->processes[i].used));
}

/*
 * simulate(trace, groups, [vcpus, handoff_ns, growth, assignment, seed]): see Holdup::Analysis::Sizing::Replay.
 * @return [Array(String, Array<Float>)] results as packed u64 (queued, stalled, held, response of each unit); and the
 *   time at the end, CPU time used, events, then for each process the time that its GVL was held (ns)
 */
static VALUE rp_simulate(VALUE self, VALUE trace, VALUE groups, VALUE options)
{
    (void)self;
    StringValue(trace);
    Check_Type(groups, T_ARRAY);
    Check_Type(options, T_ARRAY);
    long group_count = RARRAY_LEN(groups);
    if (RSTRING_LEN(trace) % (long)sizeof(rp_unit_t) || RSTRING_LEN(trace) / (long)sizeof(rp_unit_t) > (long)RP_MAX_UNITS)
        rb_raise(rb_eArgError, "a trace has %d bytes a unit", (int)sizeof(rp_unit_t));
    if (group_count < 1 || group_count > RP_MAX_PROCESSES || RARRAY_LEN(options) != 5) rb_raise(rb_eArgError, "simulate takes 1..%d groups and 5 options", RP_MAX_PROCESSES);
    uint64_t given[RP_MAX_PROCESSES][4];
    uint64_t processes = 0;
    for (long i = 0; i < group_count; i++) {
        VALUE group = rb_ary_entry(groups, i);
        Check_Type(group, T_ARRAY);
        for (long j = 0; j < 4; j++) given[i][j] = NUM2ULL(rb_ary_entry(group, j));
        if (given[i][0] < 1 || given[i][1] < 1 || given[i][3] < 1) rb_raise(rb_eArgError, "a group has processes, threads and a time slice");
        processes += given[i][0];
    }
    if (processes > RP_MAX_PROCESSES) rb_raise(rb_eArgError, "at most %d processes can be simulated", RP_MAX_PROCESSES);
    rp_t r = {.count = (uint32_t)(RSTRING_LEN(trace) / (long)sizeof(rp_unit_t)), .process_count = (uint32_t)processes};
    r.vcpus = NUM2DBL(rb_ary_entry(options, 0));
    r.handoff = NUM2DBL(rb_ary_entry(options, 1));
    r.growth = NUM2DBL(rb_ary_entry(options, 2));
    r.assignment = (enum rp_assignment)NUM2INT(rb_ary_entry(options, 3));
    r.random = NUM2ULL(rb_ary_entry(options, 4));
    if (!(r.vcpus > 0) || !(r.handoff >= 0) || !(r.growth >= 0) || r.assignment > RP_SHARED) rb_raise(rb_eArgError, "vcpus are above 0, the hand-off and the growth not below");
    VALUE packed = rb_str_new(NULL, (long)(r.count * sizeof(rp_result_t))); /* first, so that nothing raises later */
    VALUE totals = rb_ary_new_capa(3 + (long)r.process_count);
    if (!rp_allocate(&r, trace, group_count)) {
        rp_free(&r);
        rb_memerror();
    }
    rp_set_groups(&r, given, group_count);
    const char *fault = rp_fault(&r, group_count);
    if (fault) {
        rp_free(&r);
        rb_raise(rb_eArgError, "%s", fault);
    }
    rb_thread_call_without_gvl(rp_run, &r, rp_cancel, &r);
    memcpy(RSTRING_PTR(packed), r.results, r.count * sizeof(rp_result_t));
    rp_push_totals(totals, &r);
    bool cancelled = r.cancelled;
    rp_free(&r);
    rb_thread_check_ints();
    if (cancelled) rb_raise(rb_eRuntimeError, "the replay was interrupted");
    return rb_assoc_new(packed, totals);
}

static void rp_init(VALUE holdup)
{
    VALUE engine = rb_define_module_under(holdup, "ReplayEngine");
    rb_define_singleton_method(engine, "simulate", rp_simulate, 3);
}

#endif
