#include "unit/queries.h"

#include <ruby.h>

#include "init.h"
#include "unit/call_edges.h"
#include "unit/repeats.h"

uint64_t query_collections;

/* Pools of connections whose kind is remembered: by their address, and only until garbage is collected. */
#define QUERY_POOLS 64

typedef struct {
    VALUE queries, pool, kind;
    uint64_t collections;
} pool_kind_t;

static struct {
    pool_kind_t pools[QUERY_POOLS];
    VALUE events; /* class */
    VALUE connection, cached, exception, sql; /* keys of a query's payload */
    ID kind, kind_of, call;
} queries;

static void query_repeated(const tclock_t *c, unit_t *u, VALUE sql, uint64_t t)
{
    totals_t span = totals_since(&c->totals, &c->call_base);
    span.running += tc_since(c->at, t);
    repeats_add(u, sql, &span);
}

static void query_end(tclock_t *c, unit_t *u, VALUE kind, VALUE sql, bool error)
{
    uint32_t number;
    if (!calls_number(kind, &number)) return;
    uint64_t t = clk_now();
    calls_end(c, u, number, error, t);
    if (repeats_least && c->blame == reg.main) query_repeated(c, u, sql, t);
}

/*
 * query_events(kind_of): ends calls that are queries. `kind_of`: gives the kind of a connection; it does not
 * raise.
 */
static VALUE probe_query_events(VALUE self, VALUE kind_of)
{
    VALUE events = rb_obj_alloc(queries.events);
    rb_ivar_set(events, queries.kind_of, kind_of);
    return events;
}

static VALUE query_ask_kind(VALUE self, VALUE connection)
{
    return rb_funcall(rb_ivar_get(self, queries.kind_of), queries.call, 1, connection);
}

static pool_kind_t *query_entry(VALUE pool)
{
    return &queries.pools[(pool / sizeof(VALUE)) % QUERY_POOLS];
}

/*
 * The kind of a pool's connections, or nil. A pool is only compared: it may be gone, but another object gets
 * its address only after a collection. Needs no lock: only the main Ractor can have `self`, which is not
 * shareable.
 */
static VALUE query_known_kind(VALUE self, VALUE pool)
{
    uint64_t collections = __atomic_load_n(&query_collections, __ATOMIC_RELAXED);
    const pool_kind_t *entry = query_entry(pool);
    bool known = entry->pool == pool && entry->queries == self && entry->collections == collections;
    return known ? entry->kind : Qnil;
}

static VALUE query_kind_of_pool(VALUE self, VALUE pool, VALUE connection)
{
    uint64_t collections = __atomic_load_n(&query_collections, __ATOMIC_RELAXED);
    VALUE kind = query_known_kind(self, pool);
    if (!NIL_P(kind)) return kind;
    kind = query_ask_kind(self, connection);
    if (FIXNUM_P(kind)) *query_entry(pool) = (pool_kind_t){self, pool, kind, collections};
    return kind;
}

/* begin_query(pool): a call that is a query begins. Its kind is known, unless it is one of the first. */
static VALUE query_log_begin(VALUE self, VALUE pool)
{
    return calls_enter(query_known_kind(self, pool)) ? Qtrue : Qfalse;
}

/*
 * end_query(pool, connection, sql, answered): ends a call that is a query, which the unit may repeat. `pool`:
 * the connection's.
 */
static VALUE query_log_end(VALUE self, VALUE pool, VALUE connection, VALUE sql, VALUE answered)
{
    VALUE kind = query_kind_of_pool(self, pool, connection); /* first: it may run other threads */
    unit_t *u = NULL;
    tclock_t *c = calls_leave(&u);
    if (c) query_end(c, u, kind, sql, !RTEST(answered));
    return Qnil;
}

/* --- where Active Record's notifications say when they begin and end --- */

static VALUE query_start(VALUE self, VALUE name, VALUE id, VALUE payload)
{
    calls_enter(Qnil);
    return Qnil;
}

/* A connection remembers its kind: a table of ours would keep connections alive. */
static VALUE query_kind(VALUE self, VALUE connection)
{
    VALUE kind = rb_ivar_get(connection, queries.kind);
    if (!NIL_P(kind)) return kind;
    kind = query_ask_kind(self, connection);
    if (FIXNUM_P(kind) && !OBJ_FROZEN(connection)) rb_ivar_set(connection, queries.kind, kind);
    return kind;
}

static VALUE query_finish(VALUE self, VALUE name, VALUE id, VALUE payload)
{
    unit_t *u = NULL;
    tclock_t *c = calls_leave(&u);
    if (!c || !RB_TYPE_P(payload, T_HASH) || RTEST(rb_hash_lookup(payload, queries.cached))) return Qnil;
    VALUE connection = rb_hash_lookup(payload, queries.connection);
    VALUE kind = NIL_P(connection) ? Qnil : query_kind(self, connection);
    bool error = rb_hash_lookup2(payload, queries.exception, Qundef) != Qundef;
    query_end(c, u, kind, rb_hash_lookup(payload, queries.sql), error);
    return Qnil;
}

static VALUE query_key(const char *name)
{
    return ID2SYM(rb_intern(name)); /* never collected */
}

void queries_init(VALUE probe)
{
    VALUE events = rb_define_class_under(probe, "QueryEvents", rb_cObject);
    rb_undef_method(rb_singleton_class(events), "new");
    rb_define_method(events, "begin_query", query_log_begin, 1);
    rb_define_method(events, "end_query", query_log_end, 4);
    rb_define_method(events, "start", query_start, 3);
    rb_define_method(events, "finish", query_finish, 3);
    rb_gc_register_mark_object(events);
    queries.events = events;
    queries.connection = query_key("connection");
    queries.cached = query_key("cached");
    queries.exception = query_key("exception");
    queries.sql = query_key("sql");
    queries.kind = rb_intern("@holdup_call_kind");
    queries.kind_of = rb_intern("@kind_of");
    queries.call = rb_intern("call");
    rb_define_singleton_method(probe, "query_events", probe_query_events, 1);
}
