#include "unit/open_unit.h"

#include <ruby/encoding.h>

#include "clock.h"
#include "hook/hook.h"
#include "init.h"
#include "unit/figures_methods.h"
#include "unit/object_struct.h"
#include "unit/request_edges.h"
#include "unit/shown_units.h"
#include "unit/unit_figures.h"
#include "unit/unit_methods.h"

static struct {
    VALUE probe, fiber;
    VALUE current;                 /* key of Fiber's storage */
    VALUE pool_held;
} rb;

/* Names of the methods that are called here. */
static struct {
    ID aref, aset, current, here, own, enter, enabled, opened, closing, closed, record, end, charge,
        cancel, call, on_finish_failed;
} m;

/* --- Recorder: what open units read of theirs --- */

/* `on_finish`: is called with the figures of each unit that has ended; nil: of none. */
typedef struct {
    VALUE probe, watcher, on_finish;
    VALUE figures_class;
    VALUE share, drawn; /* of how many units, and the last random number, in 1 / 2^32 */
} recorder_t;

OBJECT_STRUCT(recorder_type, recorder_t, "Holdup::Probe::RecorderFields")

static recorder_t *recorder_of(VALUE self)
{
    return rb_check_typeddata(self, &recorder_type);
}

static VALUE recorder_initialize(VALUE self, VALUE probe)
{
    recorder_of(self)->probe = probe;
    return Qnil;
}

static VALUE recorder_probe(VALUE self)
{
    return recorder_of(self)->probe;
}

static VALUE recorder_watcher(VALUE self)
{
    return recorder_of(self)->watcher;
}

static VALUE recorder_set_watcher(VALUE self, VALUE watcher)
{
    return recorder_of(self)->watcher = watcher;
}

static VALUE recorder_on_finish(VALUE self)
{
    return recorder_of(self)->on_finish;
}

#define RECORDER_ALL (INT64_C(1) << 32)

/* call_on_finish(callback, share): `callback` may be nil; `share`: of the units, 0.0 to 1.0. */
static VALUE recorder_call_on_finish(VALUE self, VALUE callback, VALUE share)
{
    recorder_t *r = recorder_of(self);
    r->share = LL2NUM((int64_t)(NUM2DBL(share) * (double)RECORDER_ALL));
    r->drawn = UINT2NUM((uint32_t)clk_read_ns(CLOCK_REALTIME) | 1);
    r->figures_class = rb_path2class("Holdup::UnitFigures");
    r->on_finish = callback;
    return Qnil;
}

/* Whether this unit is one of the sample. Drawn here (xorshift): Ruby's generator is the application's. */
static bool recorder_draw(recorder_t *r)
{
    if (FIX2LONG(r->share) >= RECORDER_ALL) return true;
    uint32_t x = (uint32_t)FIX2LONG(r->drawn);
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    r->drawn = UINT2NUM(x);
    return (int64_t)x < FIX2LONG(r->share);
}

/* --- objects --- */

YOUNG_OBJECT_STRUCT(, open_type, open_t, OBJECT_FIELDS(open_t), "Holdup::Probe::UnitFields")

VALUE open_allocate(VALUE class)
{
    VALUE unit = open_type_allocate(class);
    open_t *u = RTYPEDDATA_GET_DATA(unit);
    u->closed = u->listed = u->failure = Qfalse;
    return unit;
}

/* The application's name, and its tracer's trace, are shown at once. */
static inline void open_changed(VALUE self, size_t field)
{
    if (field == offsetof(open_t, name)) shown_rename(self);
    if (field == offsetof(open_t, trace)) shown_set_trace(self);
}

#define ACCESSORS(field)                                                                                   \
    static VALUE open_get_##field(VALUE self)                                                              \
    {                                                                                                      \
        return open_of(self)->field;                                                                       \
    }                                                                                                      \
    static VALUE open_set_##field(VALUE self, VALUE value)                                                 \
    {                                                                                                      \
        OPEN_SET(self, field, value);                                                                      \
        open_changed(self, offsetof(open_t, field));                                                       \
        return value;                                                                                      \
    }
OPEN_FIELDS(ACCESSORS)

/* --- what the methods of all units do --- */

/*
 * initialize(recorder, kind, name = nil, queue = nil)
 * `kind`: a value of Probe::KINDS
 */
static VALUE open_initialize(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 2, 4);
    OPEN_SET(self, recorder, argv[0]);
    OPEN_SET(self, probe, recorder_of(argv[0])->probe);
    OPEN_SET(self, kind, argv[1]);
    if (argc > 2) OPEN_SET(self, name, argv[2]);
    if (argc > 3) OPEN_SET(self, queue, argv[3]);
    return Qnil;
}

/* here?: whether this thread is the measured one; the unit's other threads find the unit too. */
static VALUE open_here(VALUE self)
{
    const open_t *u = open_of(self);
    if (u->probe == rb.probe) return hook_own_unit(u->handle) ? Qtrue : Qfalse;
    return rb_funcall(u->probe, m.own, 1, u->handle);
}

VALUE open_stored(void)
{
    return rb_funcall(rb.fiber, m.aref, 1, rb.current);
}

bool open_inside(void)
{
    VALUE unit = open_stored();
    return rb_typeddata_is_kind_of(unit, &open_type) && !RTEST(open_of(unit)->closed);
}

bool open_enabled(VALUE probe)
{
    return probe == rb.probe ? tc_enabled() : RTEST(rb_funcall(probe, m.enabled, 0));
}

void open_begin(VALUE unit, VALUE outer, VALUE pool, VALUE path)
{
    if (RTEST(outer)) {
        OPEN_SET(unit, outer, outer);
        if (RTEST(rb_funcall(outer, m.here, 0))) { /* not taken from a queue: the outer one has its time */
            pool = Qnil;
            OPEN_SET(unit, pool, Qnil);
            OPEN_SET(unit, priority, Qnil);
        }
    }
    VALUE probe = open_of(unit)->probe;
    VALUE handle = probe == rb.probe ? probe_enter_pool(pool) : rb_funcall(probe, m.enter, 1, pool);
    OPEN_SET(unit, handle, handle);
    if (probe == rb.probe && table_open()) shown_begin(unit, pool, path);
    VALUE watcher = recorder_of(open_of(unit)->recorder)->watcher;
    OPEN_SET(unit, watcher, watcher);
    if (RTEST(watcher)) rb_funcall(watcher, m.opened, 1, unit);
    rb_funcall(rb.fiber, m.aset, 2, rb.current, unit);
}

/*
 * open(outer = OpenUnit.current, thread_pool = nil): begins the unit, and returns it. `outer`: the innermost
 * open unit here; `thread_pool`: of the server or job runner.
 */
static VALUE open_open(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    VALUE outer = argc ? argv[0] : rb_funcall(rb_obj_class(self), m.current, 0);
    open_begin(self, outer, argc > 1 ? argv[1] : Qnil, Qundef);
    return self;
}

/*
 * `env`: of a request, which has its id; nil. `figures`: gets those of the unit, where this is the real
 * probe; NULL: nobody asked.
 */
static void open_record(VALUE unit, VALUE error, VALUE env, figures_t *figures)
{
    const open_t *u = open_of(unit);
    VALUE values[] = {u->handle, u->kind, u->name, u->queue, u->queued_ns, error,
                      u->pool, u->priority, u->trace, u->path, NIL_P(env) ? u->id : env};
    int count = (int)(sizeof(values) / sizeof(*values));
    if (u->probe == rb.probe) probe_record_unit(count, values, figures);
    else rb_funcallv(u->probe, m.record, count, values);
}

typedef struct {
    VALUE unit, error;
    bool told; /* on_finish gets its figures, if they are known */
} open_ending_t;

/*
 * Its object of figures gets the last ones. Where nobody has asked for it before, it is made for on_finish,
 * if they are known.
 */
static void open_complete_figures(VALUE unit, const figures_t *final, bool wanted)
{
    if (NIL_P(open_of(unit)->figures)) {
        if (!wanted || !final->known) return;
        const recorder_t *r = RTYPEDDATA_GET_DATA(open_of(unit)->recorder);
        OPEN_SET(unit, figures, unit_figures_new(r->figures_class));
    }
    unit_figures_complete(open_of(unit)->figures, unit, final);
}

static VALUE open_complete(VALUE given)
{
    open_ending_t *end = (open_ending_t *)given;
    VALUE unit = end->unit, watcher = open_of(unit)->watcher, held = open_of(unit)->held;
    if (RTEST(watcher)) rb_funcall(watcher, m.closing, 1, unit);
    if (RTEST(held)) rb_funcall(unit, m.charge, 2, rb.pool_held, rb_funcall(held, m.end, 0));
    VALUE env = open_of(unit)->env;
    request_complete(unit);
    figures_t final;
    final.known = false;
    final.waits = final.calls = Qnil;
    bool asked = end->told || RTEST(open_of(unit)->figures);
    open_record(unit, end->error, env, asked ? &final : NULL);
    if (asked) open_complete_figures(unit, &final, end->told);
    if (!final.known) end->told = false;
    return Qnil;
}

/*
 * The outer unit is the current one again. An outermost unit stays in the storage, as it does in that of
 * fibers and threads that it has started, and does no harm there: it is closed, and refers to little.
 */
static void open_uncover(VALUE unit)
{
    VALUE outer = open_of(unit)->outer;
    if (!RTEST(outer)) return;
    if (open_stored() == unit) rb_funcall(rb.fiber, m.aset, 2, rb.current, outer);
    OPEN_SET(unit, outer, Qnil);
}

static VALUE open_ended(VALUE unit)
{
    open_uncover(unit);
    VALUE watcher = open_of(unit)->watcher;
    if (RTEST(watcher)) rb_funcall(watcher, m.closed, 1, unit);
    return Qnil;
}

typedef struct {
    VALUE callback, figures;
} open_callback_t;

static VALUE open_call_back(VALUE given)
{
    const open_callback_t *told = (open_callback_t *)given;
    if (RTEST(rb_obj_is_proc(told->callback)))
        return rb_proc_call_with_block(told->callback, 1, &told->figures, Qnil);
    return rb_funcall(told->callback, m.call, 1, told->figures);
}

static VALUE open_callback_failed(VALUE recorder, VALUE error)
{
    return rb_funcall(recorder, m.on_finish_failed, 1, error);
}

/* As Guard does it, which would cost each unit a method more. */
static void open_tell(VALUE recorder, VALUE callback, VALUE figures)
{
    open_callback_t told = {callback, figures};
    rb_rescue2(open_call_back, (VALUE)&told, open_callback_failed, recorder, rb_eStandardError,
               rb_eScriptError, (VALUE)0);
}

VALUE open_end(VALUE unit, VALUE error)
{
    if (RTEST(open_of(unit)->closed)) return Qnil;
    OPEN_SET(unit, closed, Qtrue);
    recorder_t *recorder = RTYPEDDATA_GET_DATA(open_of(unit)->recorder);
    VALUE on_finish = recorder->on_finish;
    open_ending_t end = {unit, error, RTEST(on_finish) && recorder_draw(recorder)};
    if (RTEST(open_of(unit)->outer) || RTEST(open_of(unit)->watcher))
        rb_ensure(open_complete, (VALUE)&end, open_ended, unit);
    else open_complete((VALUE)&end);
    VALUE figures = open_of(unit)->figures;
    if (NIL_P(figures)) return Qnil;
    OPEN_SET(unit, figures, Qnil); /* the unit stays in the storage of fibers */
    if (end.told) open_tell(open_of(unit)->recorder, on_finish, figures);
    return Qnil;
}

/*
 * close(error = false): records the unit; does nothing when called again. The probe leaves out a unit that it
 * could not measure (unit_leave).
 */
static VALUE open_close(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    return open_end(self, argc ? argv[0] : Qfalse);
}

static VALUE open_drop(VALUE unit)
{
    const open_t *u = open_of(unit);
    rb_funcall(u->probe, m.cancel, 1, u->handle);
    if (NIL_P(u->figures)) return Qnil;
    open_complete_figures(unit, &(figures_t){.waits = Qnil, .calls = Qnil}, false);
    OPEN_SET(unit, figures, Qnil);
    return Qnil;
}

/* cancel: ends the unit without recording it. */
static VALUE open_cancel(VALUE self)
{
    if (RTEST(open_of(self)->closed)) return Qnil;
    OPEN_SET(self, closed, Qtrue);
    return rb_ensure(open_drop, self, open_ended, self);
}

/* --- methods --- */

/* As a literal of a Ruby file has it: the same object, so a Hash that has it as a key compares no bytes. */
VALUE open_text(const char *text)
{
    VALUE string = rb_enc_interned_str_cstr(text, rb_utf8_encoding());
    rb_gc_register_mark_object(string);
    return string;
}

static void open_intern(void)
{
#define INTERN(name) m.name = rb_intern(#name)
    m.aref = rb_intern("[]");
    m.aset = rb_intern("[]=");
    m.here = rb_intern("here?");
    m.own = rb_intern("own?");
    m.enabled = rb_intern("enabled?");
    INTERN(current);
    INTERN(enter);
    INTERN(opened);
    INTERN(closing);
    INTERN(closed);
    INTERN(record);
    INTERN(end);
    INTERN(charge);
    INTERN(cancel);
    INTERN(call);
    INTERN(on_finish_failed);
}

/* What Recorder::OpenUnit is; it and its subclasses make public what others may ask. */
void open_unit_init(VALUE probe)
{
    open_intern();
    rb.probe = probe;
    rb.fiber = rb_const_get(rb_cObject, rb_intern("Fiber"));
    rb.current = ID2SYM(rb_intern("holdup_unit"));
    rb.pool_held = ID2SYM(rb_intern("pool_held"));
    VALUE recorder = rb_define_class_under(probe, "RecorderFields", rb_cObject);
    rb_define_alloc_func(recorder, recorder_type_allocate);
    rb_define_method(recorder, "initialize", recorder_initialize, 1);
    rb_define_method(recorder, "probe", recorder_probe, 0);
    rb_define_method(recorder, "watcher", recorder_watcher, 0);
    rb_define_method(recorder, "watcher=", recorder_set_watcher, 1);
    rb_define_method(recorder, "on_finish", recorder_on_finish, 0);
    rb_define_method(recorder, "call_on_finish", recorder_call_on_finish, 2);
    VALUE unit = rb_define_class_under(probe, "UnitFields", rb_cObject);
    rb_define_alloc_func(unit, open_allocate);
#define DEFINE(field)                                                                                      \
    rb_define_private_method(unit, #field, open_get_##field, 0);                                           \
    rb_define_private_method(unit, #field "=", open_set_##field, 1);
    OPEN_FIELDS(DEFINE)
    shown_units_prepare(probe);
    unit_figures_init(probe);
    rb_define_method(unit, "initialize", open_initialize, -1);
    rb_define_method(unit, "here?", open_here, 0);
    rb_define_method(unit, "open", open_open, -1);
    rb_define_method(unit, "close", open_close, -1);
    rb_define_method(unit, "cancel", open_cancel, 0);
}
