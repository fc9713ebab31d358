/*
 * How a job of Sidekiq begins and ends: SidekiqRuns and JobUnit call it. Each job passes through this; what
 * is unusual (a job inside another unit, facts of another type) goes the way of all runners' jobs, in Ruby.
 */
#include <ruby.h>
#include <string.h>

#include "clock.h"
#include "init.h"
#include "segment/segment_layout.h"
#include "unit/open_unit.h"

#define JOB_NS_PER_MS INT64_C(1000000)

/* Found when the first begins. */
static struct {
    VALUE unit, clock;         /* classes */
    int64_t milliseconds_from; /* Sidekiq's constant */
    int64_t absurd_ns;         /* that of JobUnits */
} job;

/* Variables of SidekiqRuns. They never change, and asking an object costs more than a copy. */
typedef struct {
    VALUE self, jobs, recorder, probe, clock, pools, harmless;
} job_runs_t;

static job_runs_t job_last;    /* of the one that began the last job */

/* What a job says of itself, as Sidekiq has it. */
typedef struct {
    VALUE class, wrapped, display_class, id, arguments, enqueued_at;
} job_facts_t;

static VALUE active_id;        /* key of what Active Job knows */

static struct {
    ID capsule, realtime_ns, count_clamped, unreadable, guard, failed;
} m;

static job_runs_t job_runs_of(VALUE self)
{
    if (job_last.self == self) return job_last;
    job_runs_t runs = {.self = self,
                       .jobs = rb_iv_get(self, "@jobs"),
                       .recorder = rb_iv_get(self, "@recorder"),
                       .probe = rb_iv_get(self, "@probe"),
                       .clock = rb_iv_get(self, "@clock"),
                       .pools = rb_iv_get(self, "@pools"),
                       .harmless = rb_iv_get(self, "@harmless")};
    return job_last = runs;
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
    job.milliseconds_from = job_constant("Holdup::Instrumentation::Sidekiq", "MILLISECONDS_FROM");
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

/* When it entered its queue, in ns since 1970, as Sidekiq.ready_ns has it; -1: another type or size. */
static int64_t job_ready_ns(VALUE enqueued_at)
{
    int64_t most = job.milliseconds_from * 100; /* the year 2286 in milliseconds */
    if (FIXNUM_P(enqueued_at)) {
        int64_t at = FIX2LONG(enqueued_at);
        if (at < 0 || at >= most) return -1;
        return at < job.milliseconds_from ? at * 1000 * JOB_NS_PER_MS : at * JOB_NS_PER_MS;
    }
    if (!RB_FLOAT_TYPE_P(enqueued_at)) return -1;
    double at = RFLOAT_VALUE(enqueued_at);
    if (!(at >= 0 && at < (double)job.milliseconds_from)) return -1;
    return (int64_t)(at * 1e9);
}

/* For how long it has waited since then; nil: unknown. */
static VALUE job_queued_ns(const job_runs_t *runs, int64_t ready_ns)
{
    int64_t waited = job_realtime_ns(runs->clock) - ready_ns;
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

typedef struct {
    job_runs_t runs;
    VALUE given, queue;
} job_beginning_t;

static VALUE job_begin_run(VALUE beginning)
{
    const job_beginning_t *begin = (const job_beginning_t *)beginning;
    const job_runs_t *runs = &begin->runs;
    if (!open_enabled(runs->probe) || !RB_TYPE_P(begin->given, T_HASH) || open_inside()) return Qnil;
    job_find();
    job_facts_t facts = {Qnil, Qnil, Qnil, Qnil, Qnil, Qnil};
    rb_hash_foreach(begin->given, job_fact, (VALUE)&facts);
    VALUE name = RTEST(facts.display_class) ? facts.display_class : facts.wrapped;
    if (!RTEST(name)) name = facts.class;
    int64_t ready_ns = NIL_P(facts.enqueued_at) ? 0 : job_ready_ns(facts.enqueued_at);
    if (!RB_TYPE_P(name, T_STRING) || ready_ns < 0) return Qnil;
    VALUE unit = open_allocate(job.unit), pool = job_pool(runs->pools);
    OPEN_SET(unit, recorder, runs->recorder);
    OPEN_SET(unit, probe, runs->probe);
    OPEN_SET(unit, kind, INT2FIX(SEG_JOB));
    OPEN_SET(unit, name, name);
    OPEN_SET(unit, queue, begin->queue);
    OPEN_SET(unit, id, job_id(&facts));
    OPEN_SET(unit, pool, pool);
    OPEN_SET(unit, harmless, runs->harmless);
    if (ready_ns) OPEN_SET(unit, queued_ns, job_queued_ns(runs, ready_ns));
    open_begin(unit, Qnil, pool);
    return unit;
}

static VALUE job_begin_failed(VALUE jobs, VALUE error)
{
    return rb_funcall(jobs, m.unreadable, 1, error);
}

/*
 * begin_job(job, queue): the JobUnit of a run that has begun; nil: it is unusual, or not measured. Guarded.
 */
static VALUE job_begin(VALUE self, VALUE given, VALUE queue)
{
    job_beginning_t begin = {job_runs_of(self), given, queue};
    return rb_rescue2(job_begin_run, (VALUE)&begin, job_begin_failed, begin.runs.jobs, rb_eStandardError,
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
    VALUE *roots = (VALUE *)&job_last;
    for (size_t i = 0; i < sizeof(job_last) / sizeof(VALUE); i++) rb_gc_register_address(&roots[i]);
    active_id = open_text("job_id");
    m.capsule = rb_intern("sidekiq_capsule");
    m.realtime_ns = rb_intern("realtime_ns");
    m.count_clamped = rb_intern("count_clamped");
    m.unreadable = rb_intern("unreadable");
    m.guard = rb_intern("guard");
    m.failed = rb_intern("failed");
    VALUE starts = rb_define_module_under(probe, "JobStarts");
    rb_define_private_method(starts, "begin_job", job_begin, 2);
    VALUE ends = rb_define_module_under(probe, "JobEnds");
    rb_define_method(ends, "finish", job_finish, 0);
}
