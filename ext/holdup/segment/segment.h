/*
 * The segment: one memory-mapped file for each process, on tmpfs, that the collector reads while the process
 * writes. Recording a unit is a memory write under the GVL; a killed process loses nothing that it had
 * recorded.
 *
 * All or nothing: the new values of every word that a unit changes are first written to a redo log, then the
 * sequence word turns odd, the words are set, and it turns even. A reader that finds it odd on a dead process
 * applies the log again. docs/internals/segment.md has the layout; lib/holdup/segment/layout.rb the same for
 * the reader.
 *
 * Space is taken before a page is touched (private_file.h): a full tmpfs means fewer series, never
 * SIGBUS.
 */
#ifndef HOLDUP_SEGMENT_H
#define HOLDUP_SEGMENT_H

#include <stdbool.h>
#include <string.h>

#include "hook/blame.h"
#include "segment/segment_layout.h"

#define SEG_BEYOND "(series beyond the limit)"
#define SEG_LOCK_PLACES 32 /* series of places where units wait for locks, or end such waits */

typedef struct {
    const char *text;
    size_t bytes;
} seg_text_t;

/* What makes a series: units that agree in all of it are recorded together. */
typedef struct {
    enum seg_kind kind;
    seg_text_t name, queue, pool, priority;
} seg_key_t;

/* The slowest units of one series in the minute in which the last one of it ended. */
typedef struct {
    uint64_t minute; /* since 1970 */
    uint32_t used;
    uint32_t least; /* the place of the shortest */
    uint64_t walls[SEG_SLOWEST_EACH];
} seg_minute_t;

struct seg {
    char *base;             /* NULL: no segment */
    size_t mapped;
    int file;
    uint64_t device, inode; /* of `file`: the application may close our descriptor, and use its number */
    bool anonymous;         /* no file: memory that only descriptors refer to */
    uint64_t allocated;     /* series slots that have space */
    uint64_t units_limit;   /* series for units; calls, accounts and the reserved ones come on top */
    uint64_t unit_series;
    uint64_t call_series;   /* series of calls: at most as many as series of units */
    uint64_t method_series; /* at most SEG_METHODS */
    uint64_t lock_series;   /* at most SEG_LOCK_PLACES */
    uint64_t repeat_series; /* at most SEG_REPEATS */
    uint64_t transaction_series; /* at most SEG_TRANSACTIONS */
    uint16_t *index;        /* hash of its key -> slot + 1 */
    uint32_t index_mask;
    uint64_t nested, overflow; /* slot + 1 of the reserved series */
    uint16_t *pair_index;   /* hash of a pair -> row + 1 */
    uint32_t pair_mask, pair_rows; /* of that index; rows that there is room for */
    uint64_t pairs, pairs_beyond; /* rows; times that a pair had none */
    seg_minute_t *slowest;   /* by slot */
    seg_slowest_list_t *slowest_list;
    uint64_t grow_failed;
    bool lock;
    seg_redo_t *log, *logged; /* the redo log, and where its next word goes */
};

SHARED struct seg seg;

#define SEG_HEADER ((seg_header_t *)seg.base)

static inline void seg_lock(void)
{
    blame_acquire(&seg.lock);
}

static inline void seg_unlock(void)
{
    blame_release(&seg.lock);
}

static inline seg_series_t *seg_slot(uint64_t slot)
{
    return (seg_series_t *)(seg.base + SEG_HEADER->series_offset) + slot;
}

/* --- the redo log: new values of words, all of them or none --- */

static inline void seg_set(uint64_t *word, uint64_t value)
{
    seg_redo_t *entry = seg.logged++;
    entry->offset = (uint64_t)((char *)word - seg.base);
    entry->value = value;
}

static inline void seg_add(uint64_t *word, uint64_t more)
{
    if (more) seg_set(word, *word + more);
}

/* Applies the log. */
void seg_commit(void);

/* --- the series table --- */

static inline uint32_t seg_copy(char *room, seg_text_t text)
{
    memcpy(room, text.text, text.bytes);
    return (uint32_t)text.bytes;
}

static inline seg_text_t seg_text(const char *text)
{
    seg_text_t t = {text, strlen(text)};
    return t;
}

/* The key of a series that is not for units: it has only a name. */
seg_key_t seg_name_key(enum seg_kind kind, const char *name);

/*
 * Slot + 1 of a new series, or 0 when the table is full. Its words are set before the count makes it visible.
 */
uint64_t seg_append(const seg_key_t *key);

/* The same of a series whose writer remembers its slot: the index has it not, so its name may change. */
uint64_t seg_append_unlisted(const seg_key_t *key);

/* Slot + 1 of a series, which is appended when it is new; 0 when the table is full. */
uint64_t seg_series(const seg_key_t *key);

/* The series of a unit; beyond the limit all share one, which says so. */
uint64_t seg_unit_series(const seg_key_t *key);

/* The same for a series of calls. Beyond the limit, calls of one kind share a series; 0 when all is full. */
uint64_t seg_call_series(const seg_key_t *key);

/* The same for what units caused at a place in the code. Beyond the limit all of a kind share one series. */
uint64_t seg_method_series(const seg_key_t *key);

/*
 * The same for their locks there. They are few and have room of their own: methods that hold the GVL are many
 * in an application with much load, and take all of theirs.
 */
uint64_t seg_lock_series(const seg_key_t *key);

/* The same for a query that units repeat at a place in the code. */
uint64_t seg_repeat_series(const seg_key_t *key);

/* The same for transactions, and for calls in them. */
uint64_t seg_transaction_series(const seg_key_t *key);

#endif
