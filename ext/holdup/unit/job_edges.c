/*
 * How a job of Sidekiq begins and ends: SidekiqRuns and JobUnit call it. Each job passes through this; one
 * inside another unit goes the way of all runners' jobs, in Ruby, with the facts that are read here.
 */
#include <ruby.h>
#include <stdbool.h>
#include <string.h>

#include "clock.h"
#include "init.h"
#include "segment/segment_layout.h"
#include "unit/object_struct.h"
#include "unit/open_unit.h"

#define JOB_NS_PER_MS INT64_C(1000000)
#define JOB_NS_PER_S INT64_C(1000000000)
#define JOB_MOST_SECONDS 9e9 /* of which the ns fit into 63 bits */

/*
 * Sidekiq 7 writes float seconds, 8 integer milliseconds, and each reads the other's jobs: as seconds this is
 * the year 5138, as milliseconds 1973.
 */
#define JOB_MILLISECONDS_FROM INT64_C(100000000000)

/* Ruby objects that are looked up when the first job begins. */
static struct {
    VALUE unit, clock; /* classes */
    int64_t absurd_ns; /* constant of JobUnits */
} job;

/* What SidekiqRuns gives when it is made. */
typedef struct {
    VALUE jobs, recorder, probe, clock, pools, harmless;
} job_runs_t;

OBJECT_STRUCT(job_runs_type, job_runs_t, "Holdup::Probe::JobStarts")

/* What a job says of itself, as Sidekiq has it. */
typedef struct {
    VALUE class, wrapped, display_class, id, arguments, enqueued_at;
} job_facts_t;

static VALUE active_id;        /* key of what Active Job knows */

static struct {
    ID capsule, realtime_ns, count_clamped, unreadable, guard, failed, recorder, probe, clock, to_i;
} m;

static job_runs_t *job_runs_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

static VALUE job_runs_initialize(VALUE self, VALUE jobs, VALUE harmless, VALUE pools)
{
    VALUE recorder = rb_funcall(jobs, m.recorder, 0);
    *job_runs_of(self) = (job_runs_t){.jobs = jobs, .recorder = recorder,
                                      .probe = rb_funcall(recorder, m.probe, 0),
                                      .clock = rb_funcall(jobs, m.clock, 0), .pools = pools,
                                      .harmless = harmless};
    return Qnil;
}

/* One pass, because a look-up of each key computes its hash. */
static int job_fact(VALUE key, VALUE value, VALUE found)
{
    job_facts_t *facts = (job_facts_t *)found;
    if (!RB_TYPE_P(key, T_STRING)) return ST_CONTINUE;
#define FACT(text, field)                                                                                  \
    if (RSTRING_LEN(key) == sizeof(text) - 1 && !memcmp(RSTRING_PTR(key), text, sizeof(text) - 1))         \
        facts->field = value;
    FACT("class", class)
    FACT("wrapped", wrapped)
    FACT("display_class", display_class)
    FACT("jid", id)
    FACT("args", arguments)
    FACT("enqueued_at", enqueued_at)
    return ST_CONTINUE;
}

static int64_t job_constant(const char *owner, const char *name)
{
    return NUM2LL(rb_const_get(rb_path2class(owner), rb_intern(name)));
}

static void job_find(void)
{
    if (job.unit) return;
    job.absurd_ns = job_constant("Holdup::Instrumentation::JobUnits", "ABSURD_NS");
    job.clock = rb_path2class("Holdup::Clock");
    rb_gc_register_mark_object(job.clock);
    VALUE unit = rb_path2class("Holdup::Instrumentation::JobUnit");
    rb_gc_register_mark_object(unit);
    job.unit = unit;
}

/* A test may have another clock. */
static int64_t job_realtime_ns(VALUE clock)
{
    if (rb_obj_class(clock) == job.clock) return (int64_t)clk_read_ns(CLOCK_REALTIME);
    return NUM2LL(rb_funcall(clock, m.realtime_ns, 0));
}

/* The same of any Numeric. Raises a TypeError for anything else. */
static VALUE job_ready_of_numeric(VALUE at)
{
    bool seconds = RTEST(rb_funcall(at, '<', 1, LL2NUM(JOB_MILLISECONDS_FROM)));
    VALUE ns = rb_funcall(at, '*', 1, LL2NUM(seconds ? JOB_NS_PER_S : JOB_NS_PER_MS));
    return rb_funcall(ns, m.to_i, 0);
}

/*
 * When it entered its queue, in ns since 1970; nil: unknown. Sidekiq sets this time also for a retry, but not
 * for perform_inline.
 */
static VALUE job_ready_ns(VALUE enqueued_at)
{
    if (FIXNUM_P(enqueued_at) && FIX2LONG(enqueued_at) >= 0) {
        int64_t at = FIX2LONG(enqueued_at), ns;
        int64_t unit_ns = at < JOB_MILLISECONDS_FROM ? JOB_NS_PER_S : JOB_NS_PER_MS;
        if (!__builtin_mul_overflow(at, unit_ns, &ns)) return LL2NUM(ns);
    }
    if (RB_FLOAT_TYPE_P(enqueued_at)) {
        double at = RFLOAT_VALUE(enqueued_at);
        if (at >= 0 && at < JOB_MOST_SECONDS) return LL2NUM((int64_t)(at * (double)JOB_NS_PER_S));
    }
    return rb_obj_is_kind_of(enqueued_at, rb_cNumeric) ? job_ready_of_numeric(enqueued_at) : Qnil;
}

/* Time for which it has waited since then; nil: unknown. */
static VALUE job_queued_ns(const job_runs_t *runs, VALUE ready_ns)
{
    int64_t ready = INT64_MAX; /* a Bignum of ns is in another millennium */
    if (FIXNUM_P(ready_ns)) ready = FIX2LONG(ready_ns);
    else if (RBIGNUM_NEGATIVE_P(ready_ns)) ready = 0;
    int64_t waited = job_realtime_ns(runs->clock) - ready;
    if (waited > job.absurd_ns) return Qnil;
    if (waited >= 0) return LL2NUM(waited);
    rb_funcall(runs->recorder, m.count_clamped, 0);
    return INT2FIX(0);
}

/* Active Job's callback recognises the run by its own id. */
static VALUE job_id(const job_facts_t *facts)
{
    if (RTEST(facts->wrapped) && RB_TYPE_P(facts->arguments, T_ARRAY)) {
        VALUE first = rb_ary_entry(facts->arguments, 0);
        VALUE id = RB_TYPE_P(first, T_HASH) ? rb_hash_lookup(first, active_id) : Qnil;
        if (RTEST(id)) return id;
    }
    return facts->id;
}

/* Sidekiq sets the capsule on each of its threads. */
static VALUE job_pool(VALUE pools)
{
    VALUE capsule = rb_thread_local_aref(rb_thread_current(), m.capsule);
    return NIL_P(capsule) || !RB_TYPE_P(pools, T_HASH) ? Qnil : rb_hash_lookup(pools, capsule);
}

static job_facts_t job_facts(VALUE given)
{
    job_facts_t facts = {Qnil, Qnil, Qnil, Qnil, Qnil, Qnil};
    Check_Type(given, T_HASH);
    rb_hash_foreach(given, job_fact, (VALUE)&facts);
    return facts;
}

static VALUE job_name(const job_facts_t *facts)
{
    VALUE name = RTEST(facts->display_class) ? facts->display_class : facts->wrapped;
    return rb_obj_as_string(RTEST(name) ? name : facts->class);
}

/* facts(job): [id, name, when it was ready, or nil] */
static VALUE job_facts_of(VALUE self, VALUE given)
{
    job_facts_t facts = job_facts(given);
    return rb_ary_new_from_args(3, job_id(&facts), job_name(&facts), job_ready_ns(facts.enqueued_at));
}

/* ready_ns(enqueued_at) */
static VALUE job_ready(VALUE self, VALUE enqueued_at)
{
    return job_ready_ns(enqueued_at);
}

typedef struct {
    VALUE self, given, queue;
} job_beginning_t;

static VALUE job_begin_run(VALUE beginning)
{
    const job_beginning_t *begin = (const job_beginning_t *)beginning;
    const job_runs_t *runs = job_runs_of(begin->self);
    if (!open_enabled(runs->probe) || !RB_TYPE_P(begin->given, T_HASH) || open_inside()) return Qnil;
    job_find();
    job_facts_t facts = job_facts(begin->given);
    VALUE name = job_name(&facts), ready_ns = job_ready_ns(facts.enqueued_at);
    VALUE pool = job_pool(runs->pools);
    VALUE unit = open_allocate(job.unit);
    OPEN_SET(unit, recorder, runs->recorder);
    OPEN_SET(unit, probe, runs->probe);
    OPEN_SET(unit, kind, INT2FIX(SEG_JOB));
    OPEN_SET(unit, name, name);
    OPEN_SET(unit, queue, begin->queue);
    OPEN_SET(unit, id, job_id(&facts));
    OPEN_SET(unit, pool, pool);
    OPEN_SET(unit, harmless, runs->harmless);
    if (!NIL_P(ready_ns)) OPEN_SET(unit, queued_ns, job_queued_ns(runs, ready_ns));
    open_begin(unit, Qnil, pool, Qundef);
    return unit;
}

static VALUE job_begin_failed(VALUE self, VALUE error)
{
    return rb_funcall(job_runs_of(self)->jobs, m.unreadable, 1, error);
}

/*
 * begin_job(job, queue): the JobUnit of a run that has begun; nil: it is inside another unit, or not
 * measured. Guarded.
 */
static VALUE job_begin(VALUE self, VALUE given, VALUE queue)
{
    job_beginning_t begin = {self, given, queue};
    return rb_rescue2(job_begin_run, (VALUE)&begin, job_begin_failed, self, rb_eStandardError,
                      rb_eScriptError, (VALUE)0);
}

static VALUE job_end(VALUE unit)
{
    return open_end(unit, RTEST(open_of(unit)->failure) ? Qtrue : Qfalse);
}

static VALUE job_end_failed(VALUE unit, VALUE error)
{
    VALUE guard = rb_funcall(open_of(unit)->recorder, m.guard, 0);
    return rb_funcall(guard, m.failed, 2, ID2SYM(rb_intern("job")), error);
}

/* finish: records it, as a failure if it is known as one. Guarded. */
static VALUE job_finish(VALUE self)
{
    return rb_rescue2(job_end, self, job_end_failed, self, rb_eStandardError, rb_eScriptError, (VALUE)0);
}

void job_edges_init(VALUE probe)
{
    active_id = open_text("job_id");
    m.capsule = rb_intern("sidekiq_capsule");
    m.realtime_ns = rb_intern("realtime_ns");
    m.count_clamped = rb_intern("count_clamped");
    m.unreadable = rb_intern("unreadable");
    m.guard = rb_intern("guard");
    m.failed = rb_intern("failed");
    m.recorder = rb_intern("recorder");
    m.probe = rb_intern("probe");
    m.clock = rb_intern("clock");
    m.to_i = rb_intern("to_i");
    VALUE starts = rb_define_class_under(probe, "JobStarts", rb_cObject);
    rb_define_alloc_func(starts, job_runs_type_allocate);
    rb_define_method(starts, "initialize", job_runs_initialize, 3);
    rb_define_private_method(starts, "begin_job", job_begin, 2);
    rb_define_private_method(starts, "facts", job_facts_of, 1);
    rb_define_singleton_method(starts, "ready_ns", job_ready, 1);
    VALUE ends = rb_define_module_under(probe, "JobEnds");
    rb_define_method(ends, "finish", job_finish, 0);
}
