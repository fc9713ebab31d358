#include "unit/shown_units.h"

#include <stdio.h>

#include "hook/registry.h"
#include "text.h"
#include "unit/open_unit.h"
#include "unit/request_edges.h"
#include "unit/request_texts.h"
#include "unit/unit_methods.h"

/* At so many calls a request is asked for its action. A middleware may make the first. */
#define SHOWN_CALLS 2

/* --- the objects of units: kept while their units are in the table --- */

static void shown_mark(void *unused)
{
    for (uint32_t i = 0; i < units.count; i++) {
        const unit_t *u = &units.chunks[i / UNIT_CHUNK][i % UNIT_CHUNK];
        if (u->clock && u->shown && u->object) rb_gc_mark(u->object);
    }
}

/* Without a write barrier: each collection marks them. */
static const rb_data_type_t shown_type = {.wrap_struct_name = "Holdup::Probe::ShownUnits",
                                          .function = {.dmark = shown_mark}};

void shown_units_prepare(VALUE probe)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &shown_type, &units));
    request_texts_prepare(probe);
}

/* --- what is known at the begin --- */

/* Runners have texts or numbers. */
seg_text_t shown_job(VALUE id, char *room)
{
    if (!FIXNUM_P(id)) return text_shown(id, room, SEG_ID_BYTES);
    return (seg_text_t){room, (size_t)snprintf(room, SEG_ID_BYTES, "%ld", FIX2LONG(id))};
}

static seg_text_t shown_name(const open_t *u, VALUE path, char *room)
{
    seg_text_t name = text_shown(u->name, room, SEG_NAME_BYTES);
    if (!name.bytes && RB_TYPE_P(u->env, T_HASH)) name = request_path_name(u->env, path, room);
    return name.bytes ? name : seg_text("(unnamed)");
}

void shown_begin(VALUE unit, VALUE pool, VALUE path)
{
    const open_t *u = open_of(unit);
    char name[SEG_NAME_BYTES], queue[SEG_QUEUE_BYTES], pool_room[SEG_POOL_BYTES], job[SEG_ID_BYTES];
    bool request = RB_TYPE_P(u->env, T_HASH);
    table_unit_t shown = {
        .kind = u->kind == INT2FIX(SEG_JOB) ? SEG_JOB : SEG_REQUEST,
        .name = shown_name(u, path, name),
        .queue = text_shown(u->queue, queue, sizeof(queue)),
        .pool = text_shown(NIL_P(u->pool) ? pool : u->pool, pool_room, sizeof(pool_room)),
        .job = shown_job(u->id, job)};
    if (RTEST(u->outer)) shown.outer = probe_shown(open_of(u->outer)->handle);
    unit_t *begun = probe_show_unit(u->handle, &shown);
    if (!begun) return;
    begun->object = unit;
    begun->nameless = request && NIL_P(u->name) ? SHOWN_CALLS : 0;
}

/* --- what becomes known later --- */

static void shown_set_name(unit_t *u, VALUE name)
{
    char room[SEG_NAME_BYTES];
    seg_text_t text = text_shown(name, room, sizeof(room));
    if (!text.bytes) return;
    u->nameless = 0;
    table_set_name(unit_place(u), text);
}

void shown_rename(VALUE unit)
{
    unit_t *u = unit_of(open_of(unit)->handle);
    if (u && u->shown) shown_set_name(u, open_of(unit)->name);
}

void shown_set_trace(VALUE unit)
{
    unsigned char trace[SEG_TRACE_BYTES];
    unit_t *u = unit_of(open_of(unit)->handle);
    if (!u || !u->shown || !RB_TYPE_P(open_of(unit)->trace, T_STRING)) return;
    text_trace(open_of(unit)->trace, trace);
    table_set_trace(unit_place(u), trace);
}

/* By the tick, because short requests need not pay for it; and Rails gives one its id after it has begun. */
static void shown_set_ids(const unit_t *u)
{
    VALUE env = open_of(u->object)->env;
    unsigned char trace[SEG_TRACE_BYTES];
    seg_text_t id = request_id(env);
    if (id.bytes) table_set_request(unit_place(u), id);
    if (request_trace(env, trace)) table_set_trace(unit_place(u), trace);
}

void shown_find_action(unit_t *u)
{
    u->nameless--;
    if (!u->shown) return;
    VALUE name = request_action_name(u->object);
    if (!NIL_P(name)) shown_set_name(u, name);
}

/* Only in the main Ractor: objects of another one are not ours to ask. */
void shown_find_names(void)
{
    for (uint32_t i = 0; i < units.count; i++) {
        unit_t *u = &units.chunks[i / UNIT_CHUNK][i % UNIT_CHUNK];
        if (!u->clock || u->clock->blame != reg.main || !u->shown) continue;
        VALUE unit = u->object;
        uint32_t generation = u->generation;
        if (!RB_TYPE_P(open_of(unit)->env, T_HASH)) continue;
        shown_set_ids(u);
        if (!NIL_P(open_of(unit)->name)) continue;
        VALUE name = request_routed_name(unit); /* it may run other threads, which end units */
        if (u->clock && u->generation == generation && u->shown && !NIL_P(name)) shown_set_name(u, name);
        RB_GC_GUARD(unit);
    }
}
