/*
 * Holdup::ReplayEngine: checks what Ruby hands over, replays it without the GVL, and hands the outcome back.
 */
#include <ruby.h>
#include <ruby/thread.h>
#include <stdlib.h>

#include "init.h"
#include "reader/replay.h"
#include "segment/segment_layout.h"

#define RP_MAX_HOLDS 10000000

/* A group as Ruby gives it: [processes, threads, io_threads, slice_ns, threads of each further pool ...]. */
typedef struct {
    uint32_t processes, pools, io_threads, threads[RP_MAX_POOLS];
    double slice;
} rp_given_t;

enum rp_option { RP_VCPUS, RP_HANDOFF, RP_GROWTH, RP_MARKING, RP_COLD, RP_REST_HALF, RP_IDLE_GROWTH,
                 RP_RECORDED_PROCESSES, RP_ASSIGNMENT, RP_OTHERS_ASSIGNMENT, RP_SEED, RP_LIMIT, RP_THINK,
                 RP_ANSWER, RP_LANES, RP_OWN, RP_OPTIONS };

/*
 * One call of simulate; rp_end_call frees what it has allocated, also when something raises. What is read
 * while Ruby may raise is here and not on the stack of the function that reads: Ruby leaves it by a jump that
 * AddressSanitizer does not see, and what it has marked of that stack would stay marked.
 */
typedef struct {
    VALUE arrivals, units, groups, options, values[RP_OPTIONS];
    rp_given_t *given;
    long group_count;
    rp_t replay;
} rp_call_t;

static const char *const rp_assignment_names[RP_ASSIGNMENTS] = {
    [RP_RANDOM] = "random", [RP_LEAST_BUSY] = "least_busy", [RP_SHARED] = "shared"};

/* Names of a unit's words, without its arrival. */
static const char *const rp_unit_words[] = {
    "held_ns", "idle_ns", "holds", "gaps", "longest_ns", "in_flight_milli", "rest_ns", "group", "io",
    "slice_ns", "pool", "before", "lane", "after", "after_ns", "arriving_ns"};
static const char *const rp_columns[] = {"queued", "stalled", "held", "response"};

#define RP_SIZE(list) (sizeof(list) / sizeof(*(list)))
#define RP_UNIT_BYTES (RP_SIZE(rp_unit_words) * sizeof(uint64_t))

_Static_assert(offsetof(rp_unit_t, held_ns) + RP_UNIT_BYTES == sizeof(rp_unit_t), "a name for each word");
_Static_assert(RP_SIZE(rp_columns) * sizeof(uint64_t) == sizeof(rp_result_t), "a name for each word");
_Static_assert(RP_MAX_POOLS == SEG_POOLS, "a replay takes each pool that a segment may have");

/* --- what Ruby gives --- */

static const char *const rp_option_names[RP_OPTIONS] = {
    [RP_VCPUS] = "vcpus", [RP_HANDOFF] = "handoff_ns", [RP_GROWTH] = "growth", [RP_MARKING] = "marking",
    [RP_COLD] = "cold", [RP_REST_HALF] = "rest_half_ns", [RP_IDLE_GROWTH] = "idle_growth",
    [RP_RECORDED_PROCESSES] = "recorded_processes", [RP_ASSIGNMENT] = "assignment",
    [RP_OTHERS_ASSIGNMENT] = "others_assignment", [RP_SEED] = "seed", [RP_LIMIT] = "limit",
    [RP_THINK] = "think_ns", [RP_ANSWER] = "answer_ns",
    [RP_LANES] = "lanes", [RP_OWN] = "own"};

static double rp_not_negative(VALUE value, enum rp_option option)
{
    double number = NUM2DBL(value);
    if (!(number >= 0)) rb_raise(rb_eArgError, "%s is at least 0", rp_option_names[option]);
    return number;
}

/* Reads what passing the GVL on costs with 1, 2, ... waiting threads; the last number is for all further
 * ones. */
static void rp_read_handoffs(rp_options_t *o, VALUE list)
{
    Check_Type(list, T_ARRAY);
    long count = RARRAY_LEN(list);
    if (count < 1 || count > RP_HANDOFFS)
        rb_raise(rb_eArgError, "handoff_ns has 1..%d numbers", RP_HANDOFFS);
    for (long i = 0; i < RP_HANDOFFS; i++) {
        VALUE given = rb_ary_entry(list, i < count ? i : count - 1);
        o->handoff[i] = rp_not_negative(given, RP_HANDOFF);
    }
}

/* Reads the weight of each lane. */
static void rp_read_lanes(rp_options_t *o, VALUE list)
{
    Check_Type(list, T_ARRAY);
    long count = RARRAY_LEN(list);
    if (count < 1 || count > RP_MAX_LANES) rb_raise(rb_eArgError, "a replay has 1..%d lanes", RP_MAX_LANES);
    for (long i = 0; i < count; i++) o->lanes[i] = rp_not_negative(rb_ary_entry(list, i), RP_LANES);
    o->lane_count = (uint32_t)count;
}

static enum rp_assignment rp_read_assignment(VALUE name)
{
    Check_Type(name, T_SYMBOL);
    for (int i = 0; i < RP_ASSIGNMENTS; i++)
        if (SYM2ID(name) == rb_intern(rp_assignment_names[i])) return (enum rp_assignment)i;
    rb_raise(rb_eArgError, "unknown assignment %"PRIsVALUE, name);
}

static ID rp_option_ids[RP_OPTIONS];

static void rp_read_options(rp_call_t *call)
{
    const VALUE *values = call->values;
    rb_get_kwargs(call->options, rp_option_ids, RP_OPTIONS, 0, call->values);
    rp_options_t *o = &call->replay.options;
    o->vcpus = NUM2DBL(values[RP_VCPUS]);
    o->growth = rp_not_negative(values[RP_GROWTH], RP_GROWTH);
    o->marking = rp_not_negative(values[RP_MARKING], RP_MARKING);
    o->cold = rp_not_negative(values[RP_COLD], RP_COLD);
    o->rest_half = rp_not_negative(values[RP_REST_HALF], RP_REST_HALF);
    o->idle_growth = rp_not_negative(values[RP_IDLE_GROWTH], RP_IDLE_GROWTH);
    o->recorded_processes = NUM2DBL(values[RP_RECORDED_PROCESSES]);
    o->assignment[0] = rp_read_assignment(values[RP_ASSIGNMENT]);
    o->assignment[1] = rp_read_assignment(values[RP_OTHERS_ASSIGNMENT]);
    o->seed = NUM2ULL(values[RP_SEED]);
    o->limit = NUM2UINT(values[RP_LIMIT]);
    o->think = rp_not_negative(values[RP_THINK], RP_THINK);
    o->answer = rp_not_negative(values[RP_ANSWER], RP_ANSWER);
    o->own = NUM2UINT(values[RP_OWN]);
    rp_read_handoffs(o, values[RP_HANDOFF]);
    rp_read_lanes(o, values[RP_LANES]);
    if (!(o->vcpus > 0)) rb_raise(rb_eArgError, "vcpus is above 0");
    if (!(o->rest_half > 0)) rb_raise(rb_eArgError, "rest_half_ns is above 0");
    if (!(o->recorded_processes >= 1)) rb_raise(rb_eArgError, "recorded_processes is at least 1");
    if (o->own > call->replay.count)
        rb_raise(rb_eArgError, "the trace has %u units, which is less than %u own ones", call->replay.count,
                 o->own);
    if (o->think > 0 && (o->limit < 1 || o->limit > RP_MAX_UNITS))
        rb_raise(rb_eArgError, "1..%u users can think", RP_MAX_UNITS);
    if (!o->limit) o->limit = UINT32_MAX;
}

static void rp_read_group(rp_given_t *given, VALUE group)
{
    Check_Type(group, T_ARRAY);
    long words = RARRAY_LEN(group);
    if (words < 4 || words > 3 + RP_MAX_POOLS)
        rb_raise(rb_eArgError, "a group has 1..%d pools of threads", RP_MAX_POOLS);
    given->processes = NUM2UINT(rb_ary_entry(group, 0));
    given->pools = (uint32_t)(words - 3);
    given->io_threads = NUM2UINT(rb_ary_entry(group, 2));
    given->slice = (double)NUM2ULL(rb_ary_entry(group, 3));
    bool fits = given->processes >= 1 && given->slice >= 1;
    for (uint32_t i = 0; i < given->pools; i++) {
        given->threads[i] = NUM2UINT(rb_ary_entry(group, i ? 3 + i : 1));
        fits = fits && given->threads[i] >= 1;
    }
    if (!fits)
        rb_raise(rb_eArgError,
                 "a group has at least one process, one thread a pool, and a time slice of 1 ns");
}

/* Returns how many pools all processes have together. */
static size_t rp_read_groups(rp_call_t *call)
{
    Check_Type(call->groups, T_ARRAY);
    long count = RARRAY_LEN(call->groups);
    uint64_t processes = 0;
    size_t pools = 0;
    if (count < 1 || count > RP_MAX_PROCESSES)
        rb_raise(rb_eArgError, "a replay has 1..%d groups", RP_MAX_PROCESSES);
    call->given = ZALLOC_N(rp_given_t, count);
    for (long i = 0; i < count; i++) {
        rp_given_t *given = &call->given[i];
        rp_read_group(given, rb_ary_entry(call->groups, i));
        processes += given->processes;
        if (processes > RP_MAX_PROCESSES)
            rb_raise(rb_eArgError, "a replay has at most %d processes", RP_MAX_PROCESSES);
        pools += given->processes * given->pools;
    }
    call->group_count = count;
    call->replay.process_count = (uint32_t)processes;
    return pools;
}

/* Drawn units have the same words as often as they are drawn; only their arrivals differ. */
static void rp_read_units(rp_t *r, VALUE arrivals, VALUE words)
{
    size_t bytes = (size_t)RSTRING_LEN(words), count = bytes / RP_UNIT_BYTES;
    if (bytes % RP_UNIT_BYTES) rb_raise(rb_eArgError, "a trace has %zu bytes a unit", RP_UNIT_BYTES);
    if (count > RP_MAX_UNITS) rb_raise(rb_eArgError, "a trace has at most %u units", RP_MAX_UNITS);
    if ((size_t)RSTRING_LEN(arrivals) != count * sizeof(uint64_t))
        rb_raise(rb_eArgError, "a trace has an arrival of 8 bytes for each unit");
    r->count = (uint32_t)count;
    rp_unit_t *units = ALLOC_N(rp_unit_t, count + 1);
    r->units = units;
    for (size_t i = 0; i < count; i++) {
        memcpy(&units[i].arrival_ns, RSTRING_PTR(arrivals) + i * sizeof(uint64_t), sizeof(uint64_t));
        memcpy(&units[i].held_ns, RSTRING_PTR(words) + i * RP_UNIT_BYTES, RP_UNIT_BYTES);
    }
}

/* --- the replay's own memory --- */

static void rp_allocate(rp_t *r, long groups, size_t pools)
{
    r->results = ZALLOC_N(rp_result_t, r->count + 1);
    r->live = ZALLOC_N(rp_live_t, r->count + 1);
    r->heap = ALLOC_N(rp_io_t, (size_t)r->count + 1 + (r->options.think > 0 ? r->options.limit : 0));
    r->groups = ZALLOC_N(rp_group_t, groups);
    r->processes = ZALLOC_N(rp_process_t, r->process_count);
    r->pools = ZALLOC_N(rp_pool_t, pools);
    r->shared = ZALLOC_N(rp_queue_t, (size_t)groups * RP_MAX_POOLS * r->options.lane_count);
}

static VALUE rp_end_call(VALUE argument)
{
    rp_call_t *call = (rp_call_t *)argument;
    rp_t *r = &call->replay;
    xfree(call->given);
    xfree((void *)r->units);
    xfree(r->results);
    xfree(r->live);
    xfree(r->heap);
    xfree(r->groups);
    xfree(r->processes);
    xfree(r->pools);
    xfree(r->shared);
    return Qnil;
}

static void rp_set_groups(rp_t *r, const rp_given_t *given, long count)
{
    uint32_t process = 0, pool = 0;
    for (long i = 0; i < count; i++) {
        const rp_given_t *g = &given[i];
        r->groups[i] = (rp_group_t){.processes = g->processes, .pools = g->pools, .first = process,
                                    .slice = g->slice,
                                    .shared = r->shared + (size_t)i * RP_MAX_POOLS * r->options.lane_count};
        for (uint32_t p = 0; p < g->processes; p++, process++) {
            r->processes[process] = (rp_process_t){.holder = RP_NONE, .group = (uint32_t)i,
                                                   .handoff_at = RP_NEVER, .slice_at = RP_NEVER,
                                                   .first_pool = pool};
            for (uint32_t j = 0; j < g->pools; j++, pool++)
                r->pools[pool] = (rp_pool_t){.threads = g->threads[j], .io_threads = j ? 0 : g->io_threads};
        }
    }
}

static const char *rp_fault_of(const rp_t *r, const rp_unit_t *u, long groups)
{
    if (u->group >= (uint64_t)groups) return "a unit is of a group that the replay does not have";
    if (u->pool >= r->groups[u->group].pools) return "a unit is of a pool that its group does not have";
    if (u->holds < 1 || u->holds > RP_MAX_HOLDS) return "a unit has 1..10000000 holds";
    if (u->gaps > u->holds) return "a unit has at most as many gaps as holds";
    if (u->arriving_ns > u->idle_ns) return "a unit arrives in a part of its idle time";
    if (u->after > RP_MAX_HOLDS) return "a unit has at most 10000000 holds after it has ended";
    if (u->before >= u->holds) return "a unit has more holds than those before it begins";
    if (u->lane >= r->options.lane_count) return "a unit is of a lane that the replay does not have";
    return NULL;
}

static void rp_check_units(const rp_t *r, long groups)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const char *fault = rp_fault_of(r, &r->units[i], groups);
        if (fault) rb_raise(rb_eArgError, "%s", fault);
        if (i && i != r->options.own && r->units[i].arrival_ns < r->units[i - 1].arrival_ns)
            rb_raise(rb_eArgError, "units are in the order of their arrival");
    }
}

/* --- the call --- */

static void rp_put(VALUE hash, const char *name, VALUE value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

static VALUE rp_totals(const rp_t *r)
{
    VALUE totals = rb_hash_new(), used = rb_ary_new_capa((long)r->process_count);
    for (uint32_t i = 0; i < r->process_count; i++) rb_ary_push(used, rb_float_new(r->processes[i].used));
    rp_put(totals, "elapsed_ns", rb_float_new(r->now));
    rp_put(totals, "cpu_ns", rb_float_new(r->cpu));
    rp_put(totals, "events", ULL2NUM(r->events));
    rp_put(totals, "handed_ns", rb_float_new(r->handed));
    rp_put(totals, "used_ns", used);
    return totals;
}

/* One string for each column, so that Ruby unpacks only those that it reads. */
static VALUE rp_packed_columns(const rp_t *r)
{
    VALUE packed = rb_hash_new();
    for (size_t column = 0; column < RP_SIZE(rp_columns); column++) {
        VALUE string = rb_str_new(NULL, (long)(r->count * sizeof(uint64_t)));
        char *to = RSTRING_PTR(string);
        for (uint32_t i = 0; i < r->count; i++) {
            const char *from = (const char *)&r->results[i] + column * sizeof(uint64_t);
            memcpy(to + i * sizeof(uint64_t), from, sizeof(uint64_t));
        }
        rp_put(packed, rp_columns[column], string);
    }
    return packed;
}

static VALUE rp_call(VALUE argument)
{
    rp_call_t *call = (rp_call_t *)argument;
    rp_t *r = &call->replay;
    size_t pools = rp_read_groups(call);
    rp_read_units(r, call->arrivals, call->units);
    rp_read_options(call);
    r->random = r->options.seed;
    r->arrived[1] = r->options.own;
    rp_allocate(r, call->group_count, pools);
    rp_set_groups(r, call->given, call->group_count);
    rp_check_units(r, call->group_count);
    rb_thread_call_without_gvl(rp_run, r, rp_cancel, r);
    rb_thread_check_ints();
    if (__atomic_load_n(&r->cancelled, __ATOMIC_RELAXED))
        rb_raise(rb_eRuntimeError, "the replay was interrupted");
    return rb_assoc_new(rp_packed_columns(r), rp_totals(r));
}

/*
 * simulate(arrivals, units, groups, vcpus:, handoff_ns:, growth:, marking:, cold:, rest_half_ns:,
 * idle_growth:, recorded_processes:, assignment:, others_assignment:, seed:, limit:, think_ns:, answer_ns:,
 * lanes:, own:). `arrivals`: packed, ns; `units`: packed UNIT_WORDS of each, the `own` ones in question
 * first; `groups`: see rp_given_t; the options: see rp_options_t (a limit of 0 is none) and
 * Holdup::Sizing::Scenario.
 * @return [Array(Hash, Hash)] queued, stalled, held and response => of all units, packed (ns); and when it
 *   ended, CPU time used, events, what units waited while the GVL was passed on, and for each process how
 *   long its GVL was held (ns)
 * @raise [ArgumentError] for a trace, groups or options that are impossible
 */
static VALUE rp_simulate(int argc, VALUE *argv, VALUE self)
{
    rp_call_t call;
    memset(&call, 0, sizeof(call));
    rb_scan_args(argc, argv, "3:", &call.arrivals, &call.units, &call.groups, &call.options);
    if (NIL_P(call.options)) call.options = rb_hash_new();
    StringValue(call.arrivals);
    StringValue(call.units);
    return rb_ensure(rp_call, (VALUE)&call, rp_end_call, (VALUE)&call);
}

static VALUE rp_symbols(const char *const *names, size_t count)
{
    VALUE symbols = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) rb_ary_push(symbols, ID2SYM(rb_intern(names[i])));
    return rb_ary_freeze(symbols);
}

void replay_init(VALUE holdup)
{
    for (int i = 0; i < RP_OPTIONS; i++) rp_option_ids[i] = rb_intern(rp_option_names[i]);
    VALUE engine = rb_define_module_under(holdup, "ReplayEngine");
    rb_define_const(engine, "HANDOFFS", INT2FIX(RP_HANDOFFS));
    rb_define_const(engine, "LANES", INT2FIX(RP_MAX_LANES));
    rb_define_const(engine, "ASSIGNMENTS", rp_symbols(rp_assignment_names, RP_ASSIGNMENTS));
    rb_define_const(engine, "UNIT_WORDS", rp_symbols(rp_unit_words, RP_SIZE(rp_unit_words)));
    rb_define_singleton_method(engine, "simulate", rp_simulate, -1);
}
