/*
 * Holdup::Probe::ConnectionHolds: of one pool, who holds its connections and whom waits for one are for.
 * Instrumentation makes one for a pool at its first wait. The caller holds the GVL.
 */
#include <ruby.h>

#include "clock.h"
#include "hook/hook.h"
#include "init.h"
#include "unit/connection_holds.h"
#include "unit/unit.h"

static void connections_release(void *data)
{
    connections_free(data);
    ruby_xfree(data);
}

static size_t connections_size(const void *data)
{
    const connection_holds_t *holds = data;
    size_t ended = holds->ended ? CONNECTION_ENDED : 0;
    return sizeof(*holds) + (holds->room + ended) * sizeof(connection_hold_t);
}

static const rb_data_type_t connections_type = {
    .wrap_struct_name = "Holdup::Probe::ConnectionHolds",
    .function = {.dfree = connections_release, .dsize = connections_size},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED};

static VALUE connections_allocate(VALUE class)
{
    connection_holds_t *holds;
    VALUE object = TypedData_Make_Struct(class, connection_holds_t, &connections_type, holds);
    holds->generation = pairs_generation;
    return object;
}

static connection_holds_t *connections_of(VALUE self)
{
    return rb_check_typeddata(self, &connections_type);
}

/* The open unit of that handle, or, without one, this thread outside of its units. */
static pair_party_t *connection_party(VALUE handle)
{
    if (!NIL_P(handle)) {
        const unit_t *u = unit_of(handle);
        return u ? u->party : NULL;
    }
    const tclock_t *c = tc_enabled() ? hook_current() : NULL;
    return c ? c->own_party : NULL;
}

static uint64_t connection_time(int argc, const VALUE *argv, int at)
{
    return argc > at ? NUM2ULL(argv[at]) : clk_read_ns(CLOCK_MONOTONIC);
}

static VALUE connection_place(int64_t place)
{
    return place < 0 ? Qnil : LL2NUM(place);
}

/*
 * take(handle, now_ns = the clock's): the unit of that handle takes a connection; nil: this thread outside of
 * units does.
 * @return [Integer, nil] for give_back
 */
static VALUE connections_take(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 1, 2);
    pair_party_t *party = connection_party(argv[0]);
    return connection_place(connection_take(connections_of(self), party, connection_time(argc, argv, 1)));
}

/*
 * take_unseen: a connection that was taken before anybody looked.
 * @return [Integer, nil] for give_back
 */
static VALUE connections_take_unseen(VALUE self)
{
    return connection_place(connection_take(connections_of(self), NULL, 0));
}

/* give_back(place, now_ns = the clock's) */
static VALUE connections_give_back(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 1, 2);
    if (!FIXNUM_P(argv[0])) return Qnil;
    connection_give_back(connections_of(self), FIX2LONG(argv[0]), connection_time(argc, argv, 1));
    return Qnil;
}

/* For those who look at open units. */
static void connection_awaits(bool awaits)
{
    tclock_t *c = tc_enabled() ? hook_current() : NULL;
    if (c) BLAME_SET(c->awaits_connection, awaits);
}

/* wait_begins: each one ends with wait_ends, on the same thread. */
static VALUE connections_wait_begins(VALUE self)
{
    connection_awaits(true);
    connection_wait_begins(connections_of(self));
    return Qnil;
}

/* wait_ends(handle, from_ns, to_ns): the open unit of that handle has waited in that span. */
static VALUE connections_wait_ends(VALUE self, VALUE handle, VALUE from, VALUE to)
{
    const unit_t *u = unit_of(handle);
    connection_awaits(false);
    connection_wait_ends(connections_of(self), u ? u->party : NULL, NUM2ULL(from), NUM2ULL(to));
    return Qnil;
}

void connections_init(VALUE probe)
{
    VALUE class = rb_define_class_under(probe, "ConnectionHolds", rb_cObject);
    rb_define_alloc_func(class, connections_allocate);
    rb_define_method(class, "take", connections_take, -1);
    rb_define_method(class, "take_unseen", connections_take_unseen, 0);
    rb_define_method(class, "give_back", connections_give_back, -1);
    rb_define_method(class, "wait_begins", connections_wait_begins, 0);
    rb_define_method(class, "wait_ends", connections_wait_ends, 3);
}
