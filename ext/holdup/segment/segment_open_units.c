#include "segment/segment_open_units.h"

#include <sched.h>
#include <string.h>

#include "private_file.h"
#include "segment/segment_name.h"

/* A slot's unit; 0: the slot is free. */
static struct {
    seg_open_table_t *table; /* NULL: no segment */
    bool lock;               /* for Ractors, as those of units and segment */
    uint32_t used;           /* slots that have space */
    uint32_t free_count;
    uint16_t free[SEG_OPEN_UNITS];
    uint64_t handles[SEG_OPEN_UNITS];
    const struct tclock *clocks[SEG_OPEN_UNITS]; /* NULL: nobody looks at it */
    bool looked_at;          /* somebody looks at the table; taken before the other lock */
} open;

static void table_lock(void)
{
    blame_acquire(&open.lock);
}

static void table_unlock(void)
{
    blame_release(&open.lock);
}

bool table_open(void)
{
    return open.table != NULL;
}

/* Without a GVL, so this one is always taken. */
static bool table_try_look(void)
{
    return !__atomic_test_and_set(&open.looked_at, __ATOMIC_ACQUIRE);
}

void table_looked(void)
{
    __atomic_clear(&open.looked_at, __ATOMIC_RELEASE);
}

static void table_lock_all(void)
{
    unsigned spins = 0;
    while (!table_try_look()) blame_spin(&spins);
    table_lock();
}

static void table_unlock_all(void)
{
    table_unlock();
    table_looked();
}

/* --- words: a reader may look at any time --- */

static inline void table_set(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* `room` is whole words, and so is what is written: the rest of the last word is zeros. */
static uint64_t table_write(char *room, seg_text_t text)
{
    uint64_t *words = (uint64_t *)room;
    for (size_t from = 0; from < text.bytes; from += sizeof(uint64_t)) {
        size_t left = text.bytes - from;
        uint64_t word = 0;
        memcpy(&word, text.text + from, left < sizeof(word) ? left : sizeof(word));
        table_set(words++, word);
    }
    return text.bytes;
}

/* The area that no reader takes now. What was published before stays before what is written there. */
static inline uint64_t table_next(const uint64_t *sequence)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return (*sequence + 1) & 1;
}

static inline void table_publish(uint64_t *sequence)
{
    __atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELEASE);
}

static void table_write_name(seg_open_unit_t *slot, seg_text_t name)
{
    seg_open_name_t *next = &slot->names[table_next(&slot->name_seq)];
    table_set(&next->bytes, table_write(next->text, name));
    table_publish(&slot->name_seq);
}

static void table_write_trace(seg_open_unit_t *slot, const unsigned char *trace)
{
    table_write((char *)slot->trace, (seg_text_t){(const char *)trace, SEG_TRACE_BYTES});
}

/* --- slots --- */

static bool table_has(table_place_t place)
{
    return place.slot && open.table && open.handles[place.slot - 1] == place.handle;
}

static seg_open_unit_t *table_slot(table_place_t place)
{
    return &open.table->units[place.slot - 1];
}

static void table_add_free(uint32_t from, uint32_t to)
{
    while (to > from) open.free[open.free_count++] = (uint16_t)--to;
}

/* Space for more slots, before any of their pages is touched. */
static bool table_grow(void)
{
    if (open.used >= SEG_OPEN_UNITS || !seg_has_file()) return false;
    size_t from = (size_t)((char *)&open.table->units[open.used] - seg.base);
    size_t bytes = SEG_OPEN_CHUNK * sizeof(seg_open_unit_t);
    if (file_fill(seg.file, (off_t)from, (off_t)bytes)) return false;
    table_add_free(open.used, open.used + SEG_OPEN_CHUNK);
    open.used += SEG_OPEN_CHUNK;
    __atomic_store_n(&open.table->used, open.used, __ATOMIC_RELEASE);
    return true;
}

static uint64_t table_outer(table_place_t place)
{
    return table_has(place) ? table_slot(place)->seq << 16 | place.slot : 0;
}

static void table_fill(seg_open_unit_t *slot, const table_unit_t *unit)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    table_set(&slot->kind, unit->kind);
    table_set(&slot->queue_bytes, table_write(slot->queue, unit->queue));
    table_set(&slot->pool_bytes, table_write(slot->pool, unit->pool));
    table_set(&slot->job_bytes, table_write(slot->job, unit->job));
    table_set(&slot->request_bytes, 0);
    table_set(&slot->has_trace, 0);
    table_set(&slot->started_ns, unit->started_ns);
    table_set(&slot->thread, unit->thread);
    table_set(&slot->outer, table_outer(unit->outer));
    table_set(&slot->objects, unit->objects);
    table_write_name(slot, unit->name);
}

uint32_t table_claim(const table_unit_t *unit)
{
    uint32_t claimed = 0;
    table_lock();
    if (open.table && (open.free_count || table_grow())) {
        claimed = open.free[--open.free_count] + 1u;
        BLAME_SET(open.handles[claimed - 1], unit->handle);
        BLAME_SET(open.clocks[claimed - 1], unit->clock);
        seg_open_unit_t *slot = &open.table->units[claimed - 1];
        table_fill(slot, unit);
        table_publish(&slot->seq);
    }
    else if (open.table) table_set(&open.table->beyond, open.table->beyond + 1);
    table_unlock();
    return claimed;
}

void table_end(table_place_t place)
{
    table_lock();
    if (table_has(place)) seg_set(&table_slot(place)->seq, table_slot(place)->seq + 1);
    table_unlock();
}

void table_give_back(table_place_t place)
{
    table_lock();
    if (table_has(place)) {
        BLAME_SET(open.handles[place.slot - 1], 0);
        BLAME_SET(open.clocks[place.slot - 1], NULL);
        open.free[open.free_count++] = (uint16_t)(place.slot - 1);
    }
    table_unlock();
}

void table_drop(table_place_t place)
{
    table_lock();
    if (table_has(place)) table_publish(&table_slot(place)->seq);
    table_unlock();
    table_give_back(place);
}

void table_leave_alone(table_place_t place)
{
    if (table_has(place)) BLAME_SET(open.clocks[place.slot - 1], NULL);
}

void table_set_name(table_place_t place, seg_text_t name)
{
    table_lock();
    if (table_has(place)) table_write_name(table_slot(place), name);
    table_unlock();
}

/* These are set once: a reader takes them only after their length, or that there is one, is set. */
void table_set_trace(table_place_t place, const unsigned char *trace)
{
    table_lock();
    if (table_has(place) && !table_slot(place)->has_trace) {
        table_write_trace(table_slot(place), trace);
        __atomic_store_n(&table_slot(place)->has_trace, 1, __ATOMIC_RELEASE);
    }
    table_unlock();
}

void table_set_request(table_place_t place, seg_text_t id)
{
    table_lock();
    if (table_has(place) && !table_slot(place)->request_bytes) {
        table_write(table_slot(place)->request, id);
        __atomic_store_n(&table_slot(place)->request_bytes, id.bytes, __ATOMIC_RELEASE);
    }
    table_unlock();
}

void table_set_place(table_place_t place, seg_text_t text)
{
    table_lock();
    if (table_has(place)) {
        seg_open_unit_t *slot = table_slot(place);
        seg_open_place_t *next = &slot->places[table_next(&slot->place_seq)];
        table_set(&next->of, slot->seq);
        table_set(&next->bytes, table_write(next->text, text));
        table_publish(&slot->place_seq);
    }
    table_unlock();
}

/* --- what threads do --- */

bool table_look(void)
{
    if (!table_try_look()) return false;
    if (BLAME_GET(open.table)) return true;
    table_looked();
    return false;
}

uint32_t table_size(void)
{
    return (uint32_t)__atomic_load_n(&open.table->used, __ATOMIC_ACQUIRE);
}

const struct tclock *table_clock(uint32_t index, uint64_t *handle, uint64_t *sequence)
{
    *sequence = __atomic_load_n(&open.table->units[index].seq, __ATOMIC_ACQUIRE);
    *handle = BLAME_GET(open.handles[index]);
    return *sequence & 1 ? BLAME_GET(open.clocks[index]) : NULL;
}

uint64_t table_read_name(uint32_t index, char *room)
{
    seg_open_unit_t *slot = &open.table->units[index];
    uint64_t sequence = __atomic_load_n(&slot->name_seq, __ATOMIC_ACQUIRE);
    seg_open_name_t *name = &slot->names[sequence & 1];
    uint64_t bytes = BLAME_GET(name->bytes);
    for (size_t at = 0; at < SEG_NAME_BYTES; at += sizeof(uint64_t)) {
        uint64_t word = __atomic_load_n((uint64_t *)(name->text + at), __ATOMIC_RELAXED);
        memcpy(room + at, &word, sizeof(word));
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return BLAME_GET(slot->name_seq) == sequence && bytes <= SEG_NAME_BYTES ? bytes : 0;
}

void table_see(uint32_t index, const seg_open_seen_t *seen, seg_text_t call)
{
    seg_open_unit_t *slot = &open.table->units[index];
    seg_open_seen_t *next = &slot->seen[table_next(&slot->seen_seq)];
    table_set(&next->of, seen->of);
    table_set(&next->state, seen->state);
    table_set(&next->holder, seen->holder);
    table_set(&next->since_ns, seen->since_ns);
    table_set(&next->seen_ns, seen->seen_ns);
    table_set(&next->bytes, table_write(next->call, call));
    table_publish(&slot->seen_seq);
}

void table_see_holder(const seg_open_holder_t *holder, seg_text_t name)
{
    seg_open_holder_t *next = &open.table->holders[table_next(&open.table->holder_seq)];
    table_set(&next->thread, holder->thread);
    table_set(&next->since_ns, holder->since_ns);
    table_set(&next->seen_ns, holder->seen_ns);
    table_set(&next->bytes, table_write(next->name, name));
    table_publish(&open.table->holder_seq);
}

/* --- the file --- */

size_t table_first_bytes(void)
{
    return offsetof(seg_open_table_t, units) + SEG_OPEN_CHUNK * sizeof(seg_open_unit_t);
}

void table_attach(seg_open_table_t *table)
{
    table_lock_all();
    BLAME_SET(open.table, table);
    open.used = table ? SEG_OPEN_CHUNK : 0;
    open.free_count = 0;
    memset(open.handles, 0, sizeof(open.handles));
    memset(open.clocks, 0, sizeof(open.clocks));
    table_add_free(0, open.used);
    if (table) table_set(&table->used, open.used);
    table_unlock_all();
}

size_t table_freeze(void)
{
    table_lock_all();
    return offsetof(seg_open_table_t, units) + open.used * sizeof(seg_open_unit_t);
}

void table_unfreeze(void)
{
    table_unlock_all();
}

void table_after_fork(void)
{
    open.lock = open.looked_at = false;
}
