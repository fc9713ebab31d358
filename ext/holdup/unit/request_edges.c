#include "unit/request_edges.h"

#include <string.h>

#include "init.h"
#include "segment/segment_layout.h"
#include "unit/object_struct.h"
#include "unit/open_unit.h"
#include "unit/queries.h"

#define REQUEST_FIRST_ERROR 500
#define REQUEST_WORST_GOOD 399
#define REQUEST_FIRST_GOOD 200

static VALUE request_unit;         /* class; found when the first begins */
static VALUE web;                  /* a pool of threads */
static VALUE place;                /* :rack */

/* Keys of a Rack environment, and of a response's headers. */
static struct {
    VALUE path, queue_start, finished, after_reply, hijacked, partial_hijack, unmeasured, asked, controller,
        trace;
} keys;

/* What RequestUnits gives when it is made. */
typedef struct {
    VALUE recorder, probe, names, ignored_starts, queue_header, example_paths;
} request_units_t;

OBJECT_STRUCT(request_units_type, request_units_t, "Holdup::Probe::RequestStarts")

/* What UnitName gives: {class name => {action => name}}; nil where the application's own names come first. */
typedef struct {
    VALUE actions;
} request_names_t;

OBJECT_STRUCT(request_names_type, request_names_t, "Holdup::Probe::RequestNames")

/* Names of actions by the addresses of class and action, which are theirs only until garbage is collected. */
#define REQUEST_ACTIONS 64

typedef struct {
    VALUE names, controller, action, name;
    uint64_t collections;
} request_action_t;

static request_action_t request_actions[REQUEST_ACTIONS];

/* Whether a request of this process has been given the name of the endpoint that it asked for. */
static bool request_asked;

static struct {
    ID current, cancel, known, ignored, queued_ns, path, call, action_name, aborted, finished, wrapped,
        status_of, trace_parent, guard, failed, sent_otherwise, probe, routed;
} m;

static request_units_t *request_units_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

/* initialize(recorder:, names:, queue_header:, ignored_starts:, example_paths:) */
static VALUE request_units_initialize(int argc, VALUE *argv, VALUE self)
{
    static const char *const names[] = {"recorder", "names", "queue_header", "ignored_starts",
                                        "example_paths"};
    enum { GIVEN = sizeof(names) / sizeof(*names) };
    VALUE options, given[GIVEN];
    ID keywords[GIVEN];
    for (int i = 0; i < GIVEN; i++) keywords[i] = rb_intern(names[i]);
    rb_scan_args(argc, argv, "0:", &options);
    rb_get_kwargs(options, keywords, GIVEN, 0, given);
    *request_units_of(self) = (request_units_t){
        .recorder = given[0], .probe = rb_funcall(given[0], m.probe, 0), .names = given[1],
        .queue_header = given[2], .ignored_starts = given[3], .example_paths = given[4]};
    return Qnil;
}

static VALUE request_names_initialize(VALUE self, VALUE actions)
{
    ((request_names_t *)RTYPEDDATA_GET_DATA(self))->actions = actions;
    return Qnil;
}

static VALUE request_key(VALUE env, VALUE key)
{
    return RB_TYPE_P(env, T_HASH) ? rb_hash_lookup(env, key) : Qnil;
}

static bool request_has(VALUE hash, VALUE key)
{
    return rb_hash_lookup2(hash, key, Qundef) != Qundef;
}

/* Perhaps: ignored? is asked then. */
static bool request_begins_as_ignored(VALUE starts, VALUE path)
{
    if (!RB_TYPE_P(starts, T_ARRAY) || !RB_TYPE_P(path, T_STRING)) return true;
    for (long i = 0; i < RARRAY_LEN(starts); i++) {
        VALUE start = RARRAY_AREF(starts, i);
        if (!RB_TYPE_P(start, T_STRING)) return true;
        long bytes = RSTRING_LEN(start);
        if (RSTRING_LEN(path) >= bytes && !memcmp(RSTRING_PTR(path), RSTRING_PTR(start), (size_t)bytes))
            return true;
    }
    return false;
}

static bool request_ignored(VALUE self, VALUE path)
{
    return RTEST(path) && request_begins_as_ignored(request_units_of(self)->ignored_starts, path) &&
           RTEST(rb_funcall(self, m.ignored, 1, path));
}

static VALUE request_class(void)
{
    if (!request_unit) {
        request_unit = rb_path2class("Holdup::Instrumentation::RequestUnit");
        rb_gc_register_mark_object(request_unit);
    }
    return request_unit;
}

static VALUE request_new(const request_units_t *all, VALUE env)
{
    VALUE unit = open_allocate(request_class());
    OPEN_SET(unit, recorder, all->recorder);
    OPEN_SET(unit, probe, all->probe);
    OPEN_SET(unit, kind, INT2FIX(SEG_REQUEST));
    OPEN_SET(unit, names, all->names);
    OPEN_SET(unit, env, env);
    OPEN_SET(unit, fiber, rb_fiber_current());
    return unit;
}

/* The server calls the unit at the response's end, if it has a list for that. */
static void request_await_end(VALUE unit, VALUE env)
{
    VALUE list = request_key(env, keys.finished);
    if (!RTEST(list)) list = request_key(env, keys.after_reply);
    if (!RB_TYPE_P(list, T_ARRAY) || OBJ_FROZEN(list)) return;
    rb_ary_push(list, unit);
    OPEN_SET(unit, listed, Qtrue);
}

typedef struct {
    VALUE self, env;
} request_beginning_t;

static VALUE request_begin(VALUE given)
{
    VALUE self = ((const request_beginning_t *)given)->self, env = ((const request_beginning_t *)given)->env;
    const request_units_t *all = request_units_of(self);
    if (!open_enabled(all->probe)) return Qnil;
    VALUE outer = open_stored();
    if (rb_typeddata_is_kind_of(outer, &open_type) && !RTEST(open_of(outer)->closed)) {
        if (RTEST(rb_funcall(self, m.known, 2, outer, env))) return Qnil;
        outer = rb_funcall(request_class(), m.current, 0);
    }
    else outer = Qnil;
    VALUE path = request_key(env, keys.path);
    if (request_ignored(self, path)) return Qnil;
    VALUE unit = request_new(all, env);
    open_begin(unit, outer, web, path);
    if (RTEST(request_key(env, all->queue_header)) || RTEST(request_key(env, keys.queue_start)))
        OPEN_SET(unit, queued_ns, rb_funcall(self, m.queued_ns, 1, env));
    if (RTEST(all->example_paths)) OPEN_SET(unit, path, rb_funcall(self, m.path, 1, env));
    request_await_end(unit, env);
    return unit;
}

/* The guard's part of `error`, which the application does not see. */
static VALUE request_failed(VALUE recorder, VALUE error)
{
    return rb_funcall(rb_funcall(recorder, m.guard, 0), m.failed, 2, place, error);
}

static VALUE request_begin_failed(VALUE self, VALUE error)
{
    return request_failed(request_units_of(self)->recorder, error);
}

/* start(env): the RequestUnit; nil: this request is not measured, or measured already. Guarded. */
static VALUE request_start(VALUE self, VALUE env)
{
    request_beginning_t beginning = {self, env};
    return rb_rescue2(request_begin, (VALUE)&beginning, request_begin_failed, self, rb_eStandardError,
                      rb_eScriptError, (VALUE)0);
}

/* The server sends nothing more. */
static bool request_is_over(VALUE unit, VALUE status, VALUE headers)
{
    if (FIXNUM_P(status) && FIX2LONG(status) < 0) return true;
    if (RTEST(request_key(open_of(unit)->env, keys.hijacked))) return true;
    return RB_TYPE_P(headers, T_HASH) && request_has(headers, keys.partial_hijack);
}

/*
 * answered(response): raises nothing, whatever the application has answered. Returns the response for the
 * server.
 */
static VALUE request_answered(VALUE self, VALUE response)
{
    if (!RB_TYPE_P(response, T_ARRAY)) {
        rb_funcall(self, m.aborted, 1, Qfalse);
        return response;
    }
    VALUE status = rb_ary_entry(response, 0);
    if (!FIXNUM_P(status)) status = rb_funcall(self, m.status_of, 1, status);
    OPEN_SET(self, status, status);
    if (request_is_over(self, status, rb_ary_entry(response, 1))) rb_funcall(self, m.finished, 0);
    else if (!RTEST(open_of(self)->listed)) return rb_funcall(self, m.wrapped, 1, response);
    return response;
}

static VALUE request_end(VALUE self)
{
    const open_t *u = open_of(self);
    if (RB_TYPE_P(u->env, T_HASH) && request_has(u->env, keys.unmeasured))
        return rb_funcall(self, m.cancel, 0);
    bool error = FIXNUM_P(u->status) && FIX2LONG(u->status) >= REQUEST_FIRST_ERROR;
    return open_end(self, error || RTEST(u->failure) ? Qtrue : Qfalse);
}

static VALUE request_end_failed(VALUE self, VALUE error)
{
    return request_failed(open_of(self)->recorder, error);
}

/* finished: records it, unless the application asked not to. Guarded. */
static VALUE request_finished(VALUE self)
{
    return rb_rescue2(request_end, self, request_end_failed, self, rb_eStandardError, rb_eScriptError,
                      (VALUE)0);
}

/*
 * call(env, status, headers, error): the server's callback; without arguments as after_reply. What was sent
 * may differ from what the application has answered.
 */
static VALUE request_call(int argc, VALUE *argv, VALUE self)
{
    VALUE sent = argc > 1 ? argv[1] : Qnil, error = argc > 3 ? argv[3] : Qnil;
    if ((!NIL_P(sent) && sent != open_of(self)->status) || RTEST(error))
        rb_funcall(self, m.sent_otherwise, 2, sent, error);
    return request_finished(self);
}

/* note_asked: from now on the environments of requests are searched for ASKED. */
static VALUE request_note_asked(VALUE self)
{
    request_asked = true;
    return Qnil;
}

static VALUE request_known_action(VALUE actions, VALUE controller, VALUE action)
{
    VALUE known = rb_hash_lookup(actions, rb_mod_name(controller));
    return RB_TYPE_P(known, T_HASH) ? rb_hash_lookup(known, action) : Qnil;
}

/*
 * Routes give each request the same frozen text as its action. Class, text and name are only compared: they
 * may be gone, but other objects get their addresses only after a collection. Needs no lock: only the main
 * Ractor can have `names`, which is not shareable.
 */
static VALUE request_name_of_action(VALUE names, VALUE actions, VALUE controller, VALUE action)
{
    uint64_t collections = __atomic_load_n(&query_collections, __ATOMIC_RELAXED);
    request_action_t *entry = &request_actions[(controller ^ action) / sizeof(VALUE) % REQUEST_ACTIONS];
    bool same = entry->controller == controller && entry->action == action && entry->names == names;
    if (same && entry->collections == collections) return entry->name;
    VALUE name = request_known_action(actions, controller, action);
    if (!NIL_P(name) && RB_TYPE_P(action, T_STRING) && OBJ_FROZEN(action))
        *entry = (request_action_t){names, controller, action, name, collections};
    return name;
}

/* The known name of a controller's action: UnitName remembers it. nil: ask UnitName. */
static VALUE request_action(VALUE given)
{
    const VALUE *names_and_env = (const VALUE *)given;
    VALUE names = names_and_env[0], env = names_and_env[1], controller = request_key(env, keys.controller);
    VALUE actions = ((const request_names_t *)rb_check_typeddata(names, &request_names_type))->actions;
    if (!RTEST(controller) || !RB_TYPE_P(actions, T_HASH)) return Qnil;
    if (request_asked && RTEST(request_key(env, keys.asked))) return Qnil;
    VALUE action = rb_funcall(controller, m.action_name, 0);
    if (!RTEST(action)) return Qnil;
    return request_name_of_action(names, actions, rb_obj_class(controller), action);
}

static VALUE request_no_action(VALUE given, VALUE error)
{
    rb_set_errinfo(Qnil);
    return Qnil;
}

static VALUE request_name(const open_t *u)
{
    VALUE given[] = {u->names, u->env};
    VALUE name =
        rb_rescue2(request_action, (VALUE)given, request_no_action, Qnil, rb_eStandardError, (VALUE)0);
    return NIL_P(name) ? rb_funcall(u->names, m.call, 2, u->env, u->status) : name;
}

VALUE request_action_name(VALUE unit)
{
    if (rb_obj_class(unit) != request_unit) return Qnil;
    VALUE given[] = {open_of(unit)->names, open_of(unit)->env};
    return rb_rescue2(request_action, (VALUE)given, request_no_action, Qnil, rb_eStandardError, (VALUE)0);
}

VALUE request_routed_name(VALUE unit)
{
    if (rb_obj_class(unit) != request_unit) return Qnil;
    const open_t *u = open_of(unit);
    return RTEST(u->names) && RTEST(u->env) ? rb_funcall(u->names, m.routed, 1, u->env) : Qnil;
}

/* The application's name and its tracer's trace override the request's. */
void request_complete(VALUE unit)
{
    if (rb_obj_class(unit) != request_unit) return;
    const open_t *u = open_of(unit);
    if (!RTEST(u->name)) OPEN_SET(unit, name, request_name(u));
    if (!RTEST(u->trace) && RTEST(request_key(u->env, keys.trace)))
        OPEN_SET(unit, trace, rb_funcall(unit, m.trace_parent, 0));
    bool good = FIXNUM_P(u->status) && FIX2LONG(u->status) >= REQUEST_FIRST_GOOD &&
                FIX2LONG(u->status) <= REQUEST_WORST_GOOD;
    if (!good) OPEN_SET(unit, path, Qnil);
    OPEN_SET(unit, env, Qnil);
    OPEN_SET(unit, fiber, Qnil);
}

/* --- methods --- */

static void request_intern(void)
{
#define INTERN(name) m.name = rb_intern(#name)
    m.known = rb_intern("known?");
    m.ignored = rb_intern("ignored?");
    INTERN(current);
    INTERN(cancel);
    INTERN(queued_ns);
    INTERN(path);
    INTERN(call);
    INTERN(action_name);
    INTERN(aborted);
    INTERN(finished);
    INTERN(wrapped);
    INTERN(status_of);
    INTERN(trace_parent);
    INTERN(guard);
    INTERN(failed);
    INTERN(sent_otherwise);
    INTERN(probe);
    INTERN(routed);
}

static void request_define_keys(void)
{
    keys.path = open_text("PATH_INFO");
    keys.queue_start = open_text("HTTP_X_QUEUE_START");
    keys.finished = open_text("rack.response_finished");
    keys.after_reply = open_text("rack.after_reply");
    keys.hijacked = open_text("rack.hijack_io");
    keys.partial_hijack = open_text("rack.hijack");
    keys.unmeasured = open_text("holdup.unmeasured"); /* set by the dashboard */
    keys.asked = open_text("holdup.asked_endpoint"); /* UnitName::ASKED */
    keys.controller = open_text("action_controller.instance");
    keys.trace = open_text("HTTP_TRACEPARENT");
}

void request_edges_init(VALUE probe)
{
    request_intern();
    request_define_keys();
    web = open_text("web");
    place = ID2SYM(rb_intern("rack"));
    VALUE names = rb_define_class_under(probe, "RequestNames", rb_cObject);
    rb_define_alloc_func(names, request_names_type_allocate);
    rb_define_method(names, "initialize", request_names_initialize, 1);
    rb_define_private_method(names, "note_asked", request_note_asked, 0);
    VALUE starts = rb_define_class_under(probe, "RequestStarts", rb_cObject);
    rb_define_alloc_func(starts, request_units_type_allocate);
    rb_define_method(starts, "initialize", request_units_initialize, -1);
    rb_define_method(starts, "start", request_start, 1);
    VALUE ends = rb_define_module_under(probe, "RequestEnds");
    rb_define_method(ends, "answered", request_answered, 1);
    rb_define_method(ends, "finished", request_finished, 0);
    rb_define_method(ends, "call", request_call, -1);
}
