/*
 * Holdup::ReplayEngine: checks what Ruby hands over, replays it without the GVL, and hands back what became of it.
 */
#ifndef HOLDUP_REPLAY_METHODS_H
#define HOLDUP_REPLAY_METHODS_H

#include <ruby.h>
#include <ruby/thread.h>
#include <stdlib.h>

#include "replay.h"
#include "replay_groups.h"

static void rp_free(rp_t *r)
{
    free(r->live);
    free(r->heap);
    free(r->processes);
    free(r->pools);
    free(r->groups);
    free((void *)r->units);
    free(r->results);
}

static bool rp_allocate(rp_t *r, VALUE trace, long groups, size_t pools)
{
    r->units = malloc((size_t)RSTRING_LEN(trace) + 1);
    r->results = calloc(r->count + 1, sizeof(*r->results));
    r->live = calloc(r->count + 1, sizeof(*r->live));
    r->heap = malloc((r->count + 1) * sizeof(*r->heap));
    r->groups = calloc((size_t)groups, sizeof(*r->groups));
    r->processes = calloc(r->process_count, sizeof(*r->processes));
    r->pools = calloc(pools, sizeof(*r->pools));
    if (!r->units || !r->results || !r->live || !r->heap || !r->groups || !r->processes || !r->pools) return false;
    memcpy((void *)r->units, RSTRING_PTR(trace), (size_t)RSTRING_LEN(trace));
    return true;
}

static const char *rp_fault(const rp_t *r, long groups)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const rp_unit_t *u = &r->units[i];
        if (u->group >= (uint64_t)groups) return "a unit is of a group that there is not";
        if (u->pool >= r->groups[u->group].pools) return "a unit is of a pool that there is not";
        if (u->holds < 1 || u->holds > 10000000 || u->gaps > u->holds || u->gaps + 1 < u->holds) return "a unit has as many gaps as holds, or one less";
        if (u->before >= u->holds) return "a unit has more holds than there are before it";
        if (i && i != r->own && u->arrival_ns < r->units[i - 1].arrival_ns) return "units have to be in the order of their arrival";
    }
    return NULL;
}

static void rp_push_totals(VALUE totals, const rp_t *r)
{
    rb_ary_push(totals, rb_float_new(r->now));
    rb_ary_push(totals, rb_float_new(r->cpu));
    rb_ary_push(totals, rb_float_new((double)r->events));
    rb_ary_push(totals, rb_float_new(r->handed));
    for (uint32_t i = 0; i < r->process_count; i++) rb_ary_push(totals, rb_float_new(r->processes[i].used));
}

/*
 * simulate(trace, groups, [vcpus, handoff_ns, growth, marking, cold, assignment, company's assignment, seed, most, own units]): see Holdup::Analysis::Sizing::Replay.
 * @return [Array(String, Array<Float>)] results as packed u64 (queued, stalled, held, response of each unit); and the
 *   time at the end, CPU time used, events, time waited while the GVL was passed on, then for each process the time that its GVL was held (ns)
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
    if (group_count < 1 || group_count > RP_MAX_PROCESSES || RARRAY_LEN(options) != 10) rb_raise(rb_eArgError, "simulate takes 1..%d groups and 10 options", RP_MAX_PROCESSES);
    rp_given_t given[RP_MAX_PROCESSES];
    uint64_t processes = 0;
    size_t pools = 0;
    for (long i = 0; i < group_count; i++) {
        given[i] = rp_read_group(rb_ary_entry(groups, i));
        processes += given[i].processes;
        if (processes > RP_MAX_PROCESSES) rb_raise(rb_eArgError, "at most %d processes can be simulated", RP_MAX_PROCESSES);
        pools += given[i].processes * given[i].pools;
    }
    rp_t r = {.count = (uint32_t)(RSTRING_LEN(trace) / (long)sizeof(rp_unit_t)), .process_count = (uint32_t)processes};
    r.vcpus = NUM2DBL(rb_ary_entry(options, 0));
    r.handoff = NUM2DBL(rb_ary_entry(options, 1));
    r.growth = NUM2DBL(rb_ary_entry(options, 2));
    r.marking = NUM2DBL(rb_ary_entry(options, 3));
    r.cold = NUM2DBL(rb_ary_entry(options, 4));
    for (int i = 0; i < 2; i++) r.assignment[i] = (enum rp_assignment)NUM2INT(rb_ary_entry(options, 5 + i));
    r.random = NUM2ULL(rb_ary_entry(options, 7));
    r.most = NUM2UINT(rb_ary_entry(options, 8));
    r.own = r.arrived[1] = NUM2UINT(rb_ary_entry(options, 9));
    if (!r.most) r.most = UINT32_MAX;
    if (!(r.vcpus > 0) || !(r.handoff >= 0) || !(r.growth >= 0) || !(r.marking >= 0) || !(r.cold >= 0) || r.assignment[0] > RP_SHARED || r.assignment[1] > RP_SHARED) rb_raise(rb_eArgError, "vcpus are above 0, the hand-off, the growth, the marking and the cold not below");
    if (r.own > r.count) rb_raise(rb_eArgError, "a trace has fewer units than are its own");
    VALUE packed = rb_str_new(NULL, (long)(r.count * sizeof(rp_result_t))); /* first, so that nothing raises later */
    VALUE totals = rb_ary_new_capa(4 + (long)r.process_count);
    if (!rp_allocate(&r, trace, group_count, pools)) {
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
