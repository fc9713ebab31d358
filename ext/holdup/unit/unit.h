/*
 * Units: a unit is the difference of its thread's totals between two edges, so nesting costs nothing in the
 * hook. Where a thread follows its fibers (fibers.h), a unit is the sum of its fibers' turns instead.
 *
 * A unit is named by a handle (slot and generation), not by an object: entering allocates nothing, and a
 * handle that is ended twice, or whose thread has died, is simply unknown. Callers hold the GVL; the pool's
 * lock is for Ractors.
 */
#ifndef HOLDUP_UNIT_H
#define HOLDUP_UNIT_H

#include "hook/thread_clock.h"
#include "segment/segment_open_units.h"
#include "unit/measurement.h"
#include "unit/unit_pools.h"

#define UNIT_CHUNK 64
#define UNIT_CHUNKS 1024
#define UNIT_SLOT_BITS 20
#define UNIT_SLOT_MASK ((UINT64_C(1) << UNIT_SLOT_BITS) - 1)

enum unit_charge { UNIT_POOL_WAIT, UNIT_POOL_HELD, UNIT_CHARGES }; /* Ruby code measures these */

/* Totals with the CPU that belongs to them. */
typedef struct {
    totals_t totals;
    uint64_t cpu_ns;
} span_t;

/* At places in the code (hold_places.h): it kept the GVL from others, waited for locks, ended such waits. */
typedef struct {
    struct hold_tally *holds, *lock_waits, *lock_ends;
} unit_places_t;

typedef struct unit {
    tclock_t *clock;       /* NULL: free, or its thread died */
    struct unit *outer;    /* the next older open unit of the thread */
    uint32_t slot;
    uint32_t generation;
    uint32_t epoch;
    uint8_t pool;          /* of its thread */
    VALUE object;          /* while it is shown: its OpenUnit; else nobody marks it */
    uint8_t nameless;      /* a request whose action is not known; asked for at so many more calls */
    uint32_t shown;        /* its slot in the table of open units, + 1 (segment_open_units.h); 0: none */
    uint64_t started;
    uint64_t cpu_start;
    uint64_t in_flight_before; /* units in flight when it began */
    uint64_t rest;         /* how long no unit had been in flight then */
    uint64_t longest;      /* while an inner unit is open; the innermost's is in its clock */
    uint64_t charges[UNIT_CHARGES];
    pair_party_t *party;   /* whom it waited for, and who for it; NULL when out of memory */
    struct call_tally *calls; /* its calls by kind (calls.h) */
    struct transactions *transactions; /* those of a database that are open (transactions.h) */
    struct repeats *repeats; /* its queries, while repeated ones are looked for (repeats.h) */
    unit_places_t places;
    totals_t base;
    struct unit *free;

    /* On a thread that follows its fibers. */
    struct unit *newer;    /* the next newer open unit of the thread */
    struct unit *parent;   /* the unit that the fiber was in when this began, while that is open */
    uint32_t inside;       /* open units whose parent this is */
    uint32_t twice_units;
    span_t sum;            /* what its fibers did in their turns */
    span_t twice;          /* the part of it that ended units inside have recorded too */
} unit_t;

struct units {
    unit_t *chunks[UNIT_CHUNKS];
    uint32_t count;
    unit_t *free;
    bool lock;
    uint64_t empty_since;  /* when the last unit in flight ended; 0: none has */
    uint64_t discarded, abandoned;
};

SHARED struct units units;

static inline void unit_lock(void)
{
    blame_acquire(&units.lock);
}

static inline void unit_unlock(void)
{
    blame_release(&units.lock);
}

static inline uint64_t unit_handle(const unit_t *u)
{
    return ((uint64_t)u->generation << UNIT_SLOT_BITS) | (u->slot + 1);
}

/* Where the table of open units has it. */
static inline table_place_t unit_place(const unit_t *u)
{
    table_place_t none = {0, 0};
    return u ? (table_place_t){u->shown, unit_handle(u)} : none;
}

/* Its number in captures: as much of the handle as they have room for. */
static inline uint32_t unit_number_of(uint64_t handle)
{
    return (uint32_t)(handle >> UNIT_SLOT_BITS) << 17 | (uint32_t)(handle & UNIT_SLOT_MASK);
}

static inline uint32_t unit_number(const unit_t *u)
{
    return u ? unit_number_of(unit_handle(u)) : 0;
}

/* The open unit of that handle; NULL when there is none. */
static inline unit_t *unit_find(uint64_t handle)
{
    uint32_t slot = (uint32_t)(handle & UNIT_SLOT_MASK);
    if (slot == 0 || slot > units.count) return NULL;
    unit_t *u = &units.chunks[(slot - 1) / UNIT_CHUNK][(slot - 1) % UNIT_CHUNK];
    return u->clock && u->generation == (uint32_t)(handle >> UNIT_SLOT_BITS) ? u : NULL;
}

static inline unit_t *unit_of(VALUE handle)
{
    return FIXNUM_P(handle) ? unit_find((uint64_t)FIX2LONG(handle)) : NULL;
}

/* CPU that unit_convert gets: unknown where the thread has no CPU clock of its own. */
static inline uint64_t unit_cpu(const tclock_t *c, uint64_t cpu)
{
    return tc_has_cpu(c) ? cpu : UNIT_CPU_UNKNOWN;
}

/* Starts a unit on the current thread, whose clock is `c`. Returns its handle, or 0 when out of memory. */
uint64_t unit_enter(tclock_t *c, uint8_t pool);

/*
 * Ends a unit. False when its numbers are unknown: it spanned disable, enable or fork, or another thread ends
 * it. `nested` gets the number of units to take off the totals, and `excess` their sums (see
 * unit_close_period).
 */
bool unit_leave(unit_t *u, tclock_t *current, measurement_t *m, measurement_t *excess, uint32_t *nested);

/* The unit ends, and the thread goes on with the work around it. What it waited belongs there, too. */
void unit_leave_party(tclock_t *c, const unit_t *u, uint64_t t);

void unit_free_places(unit_places_t *places);

/* Most units have none. */
static inline void unit_drop_places(unit_places_t *places)
{
    if (places->holds || places->lock_waits || places->lock_ends) unit_free_places(places);
}

/* Its thread ended with units open: their numbers are unknown. */
void unit_abandon_all(tclock_t *c);

/* --- for units of fibers --- */

/* A new unit that begins at `t` on the thread of `c`, in that pool; NULL when out of memory. */
unit_t *unit_take(tclock_t *c, uint64_t t, uint8_t pool);

/* The unit ended at `t`; `known`: its numbers are. */
void unit_give_back(unit_t *u, uint64_t t, bool known);

/* What is known of a unit besides its times. */
void unit_describe(const unit_t *u, const totals_t *span, uint64_t longest, measurement_t *m);

#endif
