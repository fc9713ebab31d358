#include "hook/open_states.h"

#include "hook/accounts.h"
#include "hook/registry.h"
#include "segment/segment_open_units.h"
#include "unit/calls.h"
#include "unit/unit.h"

#define STATES_TRIES 8
#define STATES_DEEPEST 64 /* units of one fiber, one inside the other */

/* Since when the thread is in its phase. Its own thread writes both, so they are read until they agree. */
static uint8_t states_phase(const tclock_t *c, uint64_t *at)
{
    for (int i = 0; i < STATES_TRIES; i++) {
        uint8_t phase = BLAME_GET(c->phase);
        *at = BLAME_GET(c->at);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (BLAME_GET(c->phase) == phase && BLAME_GET(c->at) == *at) return phase;
    }
    return TC_UNKNOWN;
}

static bool states_known(const tclock_t *c)
{
    return BLAME_GET(c->epoch) == BLAME_GET(tc.epoch) && tc_lives(c);
}

static bool states_holds(const tclock_t *c)
{
    return BLAME_GET(c->blame->holder) == c && !BLAME_GET(c->hold_end);
}

/* On a thread that follows its fibers: whether the running fiber is in that unit. Units are never freed. */
static bool states_has_turn(const tclock_t *c, uint64_t handle)
{
    const unit_t *u = BLAME_GET(c->current);
    for (int i = 0; u && i < STATES_DEEPEST; i++, u = BLAME_GET(u->parent))
        if (unit_handle(u) == handle) return true;
    return false;
}

static enum seg_open_state states_of(const tclock_t *c, uint8_t phase)
{
    if (phase == TC_RUNNING) return SEG_OPEN_RUNNING;
    if (phase == TC_WAITING) return SEG_OPEN_GVL;
    if (BLAME_GET(c->awaits_connection)) return SEG_OPEN_CONNECTION;
    return BLAME_GET(c->call_depth) ? SEG_OPEN_CALL : SEG_OPEN_IDLE;
}

static seg_text_t states_call(const tclock_t *c)
{
    uint32_t kind = BLAME_GET(c->call_depth) ? BLAME_GET(c->call_kind) : 0;
    return kind ? calls_name(kind - 1) : seg_text("");
}

static uint64_t states_since(uint64_t at, uint64_t t)
{
    return clk_realtime_ns(at < t ? at : t);
}

/* What the fibers of a unit without a turn wait for is not known. */
static void states_see(uint32_t index, uint64_t t, uint64_t seen_ns)
{
    uint64_t handle, sequence, at;
    const tclock_t *c = table_clock(index, &handle, &sequence);
    if (!c || !states_known(c)) return;
    seg_open_seen_t seen = {.of = sequence, .state = SEG_OPEN_IDLE, .seen_ns = seen_ns};
    seg_text_t call = seg_text("");
    if (!BLAME_GET(c->follows) || states_has_turn(c, handle)) {
        uint8_t phase = states_phase(c, &at);
        if (phase == TC_UNKNOWN) return;
        seen.state = states_of(c, phase);
        seen.holder = states_holds(c);
        seen.since_ns = states_since(at, t);
        call = states_call(c);
    }
    table_see(index, &seen, call);
}

/* A label may be given to another account meanwhile. */
static uint64_t states_read_label(const tclock_t *c, char *room)
{
    const account_t *a = &accounts.all[BLAME_GET(c->account)];
    uint32_t generation = BLAME_GET(a->generation);
    uint64_t bytes = 0;
    while (bytes < ACCOUNT_LABEL_BYTES - 1 && BLAME_GET(a->label[bytes])) {
        room[bytes] = BLAME_GET(a->label[bytes]);
        bytes++;
    }
    return BLAME_GET(a->generation) == generation ? bytes : 0;
}

/* The name of the innermost unit of the thread, else of its account. */
static seg_text_t states_name(const tclock_t *c, char *room)
{
    const unit_t *u = BLAME_GET(c->follows) ? BLAME_GET(c->current) : BLAME_GET(c->innermost);
    uint64_t handle, sequence;
    for (uint32_t i = 0; u && i < table_size(); i++)
        if (table_clock(i, &handle, &sequence) == c && handle == unit_handle(u))
            return (seg_text_t){room, table_read_name(i, room)};
    return (seg_text_t){room, u ? 0 : states_read_label(c, room)};
}

static void states_see_holder(uint64_t t, uint64_t seen_ns)
{
    char room[SEG_NAME_BYTES];
    seg_open_holder_t holder = {.seen_ns = seen_ns};
    seg_text_t name = seg_text("");
    const tclock_t *c = BLAME_GET(reg.main->holder);
    if (c && states_known(c) && states_holds(c)) {
        holder.thread = BLAME_GET(c->native_id);
        holder.since_ns = states_since(BLAME_GET(c->hold_from), t);
        name = states_name(c, room);
    }
    table_see_holder(&holder, name);
}

void states_look(uint64_t t)
{
    if (!table_look()) return;
    uint64_t seen_ns = clk_realtime_ns(t);
    for (uint32_t i = 0; i < table_size(); i++) states_see(i, t, seen_ns);
    states_see_holder(t, seen_ns);
    table_looked();
}
