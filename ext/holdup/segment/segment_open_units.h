/*
 * The table of open units in the segment: what runs now, and what ran when the process was killed.
 *
 * A unit claims a slot when it begins, on its own thread, which holds a GVL. It gives the slot back in the
 * commit that counts it, so a killed process has each unit once: counted or open. What is not counted gives
 * its slot back by itself.
 *
 * The table is fixed, but its file has a hole where no slot was used yet. Its lock comes after those of the
 * segment and of units, and nothing is taken inside of it.
 */
#ifndef HOLDUP_SEGMENT_OPEN_UNITS_H
#define HOLDUP_SEGMENT_OPEN_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "segment/segment.h"

/* A slot of the table, by the handle of its unit: another unit's slot is never changed. */
typedef struct {
    uint32_t slot; /* + 1; 0: none */
    uint64_t handle;
} table_place_t;

typedef struct {
    uint64_t handle;
    enum seg_kind kind;
    seg_text_t name, queue, pool, job;
    uint64_t started_ns, thread, objects;
    table_place_t outer;
    const struct tclock *clock; /* of its thread */
} table_unit_t;

/* Whether there is a table: else nothing needs to be asked for it. */
bool table_open(void);

/* The slot + 1 that the unit gets; 0 and one more unit beyond the table when all are taken. */
uint32_t table_claim(const table_unit_t *unit);

/* The slot is given back by the commit that the caller prepares; table_give_back follows it. */
void table_end(table_place_t place);

/* After the commit: the slot is free for others. */
void table_give_back(table_place_t place);

/* The unit ended and is not counted. */
void table_drop(table_place_t place);

/*
 * The unit ends, or may end on another thread than its own: from here on nobody looks at what its thread
 * does. Its clock may be freed once the slot is given back.
 */
void table_leave_alone(table_place_t place);

/* The unit has got a better name; its trace has become known, or the id of its request. */
void table_set_name(table_place_t place, seg_text_t name);
void table_set_trace(table_place_t place, const unsigned char *trace);
void table_set_request(table_place_t place, seg_text_t id);

/* Where in the code the unit was sampled. */
void table_set_place(table_place_t place, seg_text_t text);

/* --- what threads do: seen by one thread at a time, perhaps without a GVL, which has clocks kept --- */

/* False: there is no table, or it is being moved. */
bool table_look(void);
void table_looked(void);

/* Slots that have space. */
uint32_t table_size(void);

/* The clock and handle of the unit in a slot, and the slot's sequence; NULL: none is to be looked at. */
const struct tclock *table_clock(uint32_t index, uint64_t *handle, uint64_t *sequence);

/* The name of the unit in a slot: bytes in `room`, of SEG_NAME_BYTES; 0 when it is just changing. */
uint64_t table_read_name(uint32_t index, char *room);

/* `seen.of` is the sequence that table_clock gave. The call is written where `call` has bytes. */
void table_see(uint32_t index, const seg_open_seen_t *seen, seg_text_t call);
void table_see_holder(const seg_open_holder_t *holder, seg_text_t name);

/* --- the file --- */

/* Bytes of the table that a new file needs. */
size_t table_first_bytes(void);

/* A segment begins with that table, which is all zeros, or ends (NULL). */
void table_attach(seg_open_table_t *table);

/* Bytes of the table that have space; nobody changes them until table_unfreeze. */
size_t table_freeze(void);
void table_unfreeze(void);

/* A forked child calls it before it forgets its parent's segment: other threads may have had the locks. */
void table_after_fork(void);

#endif
