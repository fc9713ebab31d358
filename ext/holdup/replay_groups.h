/*
 * The groups of processes that a replay plays on, as Ruby hands them over.
 */
#ifndef HOLDUP_REPLAY_GROUPS_H
#define HOLDUP_REPLAY_GROUPS_H

#include <ruby.h>

#include "replay_state.h"

/* A group as it was given: [processes, threads, io_threads, slice_ns, threads of each further pool ...]. */
typedef struct {
    uint32_t processes, pools, io_threads, threads[RP_MAX_POOLS];
    double slice;
} rp_given_t;

static rp_given_t rp_read_group(VALUE group)
{
    Check_Type(group, T_ARRAY);
    long words = RARRAY_LEN(group);
    if (words < 4 || words > 3 + RP_MAX_POOLS) rb_raise(rb_eArgError, "a group has 1..%d pools of threads", RP_MAX_POOLS);
    rp_given_t given = {.processes = NUM2UINT(rb_ary_entry(group, 0)), .pools = (uint32_t)(words - 3), .io_threads = NUM2UINT(rb_ary_entry(group, 2)),
                        .slice = (double)NUM2ULL(rb_ary_entry(group, 3))};
    bool fits = given.processes >= 1 && given.slice >= 1;
    for (uint32_t i = 0; i < given.pools; i++) {
        given.threads[i] = NUM2UINT(rb_ary_entry(group, i ? 3 + i : 1));
        fits = fits && given.threads[i] >= 1;
    }
    if (!fits) rb_raise(rb_eArgError, "a group has processes, threads and a time slice");
    return given;
}

static void rp_set_groups(rp_t *r, const rp_given_t *given, long count)
{
    uint32_t first = 0, pool = 0;
    for (long i = 0; i < count; i++) {
        const rp_given_t *each = &given[i];
        r->groups[i] = (rp_group_t){.processes = each->processes, .pools = each->pools, .first = first, .slice = each->slice};
        for (uint32_t p = 0; p < each->processes; p++, first++) {
            r->processes[first] = (rp_process_t){.holder = RP_NONE, .group = (uint32_t)i, .handoff_at = RP_NEVER, .slice_at = RP_NEVER, .first_pool = pool};
            for (uint32_t j = 0; j < each->pools; j++, pool++) r->pools[pool] = (rp_pool_t){.threads = each->threads[j], .io_threads = j ? 0 : each->io_threads};
        }
    }
}

#endif
