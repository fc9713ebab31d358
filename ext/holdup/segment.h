/*
 * The segment: one memory-mapped file for each process, on tmpfs, that the collector reads while the process writes.
 * Recording a unit is a memory write under the GVL; a killed process loses nothing that it had recorded.
 *
 * All or nothing: the new values of every word that a unit changes are first written to a redo log, then the sequence
 * word turns odd, the words are set, and it turns even. A reader that finds it odd on a dead process applies the log
 * again. docs/segment.md has the layout; lib/holdup/segment/layout.rb the same for the reader.
 *
 * Space is taken with posix_fallocate before a page is touched: a full tmpfs means fewer series, never SIGBUS.
 */
#ifndef HOLDUP_SEGMENT_H
#define HOLDUP_SEGMENT_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "segment_layout.h"
#include "unit.h"

typedef struct {
    const char *text;
    size_t bytes;
} seg_text_t;

/* What makes a series: units that agree in all of it are recorded together. */
typedef struct {
    enum seg_kind kind;
    seg_text_t name, queue, pool, priority;
} seg_key_t;

static struct {
    char *base;             /* NULL: no segment */
    size_t mapped;
    int file;
    bool anonymous;         /* no file: memory that only descriptors name */
    uint64_t allocated;     /* series slots that have space */
    uint64_t units_limit;   /* series for units; accounts and the reserved ones come on top */
    uint64_t unit_series;
    uint16_t *index;        /* hash of its key -> slot + 1 */
    uint32_t index_mask;
    uint64_t nested, overflow; /* slot + 1 of the reserved series */
    uint64_t grow_failed;
    bool lock;
    seg_redo_t *log;
    uint64_t logged;
} seg = {.file = -1};

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

/* --- the redo log --- */

static inline void seg_set(uint64_t *word, uint64_t value)
{
    seg_redo_t *entry = &seg.log[seg.logged++];
    entry->offset = (uint64_t)((char *)word - seg.base);
    entry->value = value;
}

static inline void seg_add(uint64_t *word, uint64_t more)
{
    if (more) seg_set(word, *word + more);
}

static void seg_commit(void)
{
    seg_header_t *header = SEG_HEADER;
    __atomic_store_n(&header->log_length, seg.logged, __ATOMIC_RELEASE);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint64_t i = 0; i < seg.logged; i++)
        __atomic_store_n((uint64_t *)(seg.base + seg.log[i].offset), seg.log[i].value, __ATOMIC_RELAXED);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    seg.logged = 0;
}

static void seg_observe(histogram_t *h, uint64_t value)
{
    seg_set(&h->count, h->count + 1);
    seg_add(&h->sum, value);
    if (h->count == 0 || value < h->min) seg_set(&h->min, value);
    if (value > h->max) seg_set(&h->max, value);
    if (value <= HIST_ZERO_MAX) {
        seg_set(&h->zero, h->zero + 1);
        return;
    }
    uint64_t slot = hist_slot(value);
    seg_set(&h->buckets[slot], h->buckets[slot] + 1);
    if (slot < h->lo) seg_set(&h->lo, slot);
    if (slot > h->hi) seg_set(&h->hi, slot);
}

/* --- the series table --- */

static inline uint64_t seg_mix(uint64_t hash, seg_text_t text)
{
    for (size_t i = 0; i < text.bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.text + i, text.bytes - i < 8 ? text.bytes - i : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing, a word at a time */
        hash ^= hash >> 29;
    }
    return hash;
}

static uint32_t seg_hash(const seg_key_t *key)
{
    uint64_t hash = seg_mix(seg_mix((uint64_t)key->kind + 1, key->name) + key->queue.bytes, key->queue);
    hash = seg_mix(seg_mix(hash, key->pool) + key->priority.bytes, key->priority);
    return (uint32_t)(hash ^ (hash >> 32));
}

static inline bool seg_equal(const char *text, size_t bytes, seg_text_t other)
{
    return bytes == other.bytes && !memcmp(text, other.text, bytes);
}

static bool seg_same(const seg_series_t *s, const seg_key_t *key)
{
    return s->kind == (uint32_t)key->kind && seg_equal(s->name, s->name_bytes, key->name) &&
           seg_equal(s->queue, s->queue_bytes, key->queue) && seg_equal(s->pool, s->pool_bytes, key->pool) &&
           seg_equal(s->priority, s->priority_bytes, key->priority);
}

/* The place of a series in the index: its own, or the free one where it belongs. */
static uint16_t *seg_place(const seg_key_t *key)
{
    for (uint32_t i = seg_hash(key);; i++) {
        uint16_t *place = &seg.index[i & seg.index_mask];
        if (!*place || seg_same(seg_slot(*place - 1u), key)) return place;
    }
}

/* Space for `bytes` from `from`; 0 or an errno. Without posix_fallocate (macOS) the disk is trusted to have it. */
static int seg_allocate(int file, off_t from, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
    return posix_fallocate(file, from, bytes);
#else
    return ftruncate(file, from + bytes) ? errno : 0;
#endif
}

/* Space for one more slot, taken in chunks before any page is touched. */
static bool seg_room(void)
{
    seg_header_t *header = SEG_HEADER;
    if (header->series_count < seg.allocated) return true;
    if (seg.allocated >= header->series_capacity) return false;
    uint64_t slots = header->series_capacity - seg.allocated;
    if (slots > SEG_GROW_SLOTS) slots = SEG_GROW_SLOTS;
    off_t from = (off_t)(header->series_offset + seg.allocated * sizeof(seg_series_t));
    if (seg_allocate(seg.file, from, (off_t)(slots * sizeof(seg_series_t)))) {
        seg.grow_failed++;
        return false;
    }
    seg.allocated += slots;
    return true;
}

static uint32_t seg_copy(char *room, seg_text_t text)
{
    memcpy(room, text.text, text.bytes);
    return (uint32_t)text.bytes;
}

/* Slot + 1 of a new series, or 0 when there is no room. Its words are set before the count makes it visible. */
static uint64_t seg_append(const seg_key_t *key)
{
    seg_header_t *header = SEG_HEADER;
    if (!seg_room()) return 0;
    seg_series_t *s = seg_slot(header->series_count);
    s->kind = (uint32_t)key->kind;
    s->name_bytes = seg_copy(s->name, key->name);
    s->queue_bytes = seg_copy(s->queue, key->queue);
    s->pool_bytes = (uint16_t)seg_copy(s->pool, key->pool);
    s->priority_bytes = (uint16_t)seg_copy(s->priority, key->priority);
    for (int i = 0; i < SEG_HISTOGRAMS; i++) s->histograms[i].lo = HIST_BUCKETS;
    *seg_place(key) = (uint16_t)(header->series_count + 1);
    __atomic_store_n(&header->series_count, header->series_count + 1, __ATOMIC_RELEASE);
    return header->series_count;
}

static uint64_t seg_series(const seg_key_t *key)
{
    uint16_t found = *seg_place(key);
    return found ? found : seg_append(key);
}

static seg_text_t seg_text(const char *text)
{
    seg_text_t t = {text, strlen(text)};
    return t;
}

/* Of what is no unit: a name is all it has. */
static seg_key_t seg_book(enum seg_kind kind, const char *name)
{
    seg_text_t none = seg_text("");
    seg_key_t key = {kind, seg_text(name), none, none, none};
    return key;
}

/* The series of a unit; beyond the limit all share one, which says so. */
static uint64_t seg_unit_series(const seg_key_t *key)
{
    uint16_t found = *seg_place(key);
    uint64_t slot = found;
    if (!slot && seg.unit_series < seg.units_limit) {
        slot = seg_append(key);
        if (slot) seg.unit_series++;
    }
    if (slot) return slot;
    seg_set(&SEG_HEADER->counters[SEG_P_OVERFLOWED], SEG_HEADER->counters[SEG_P_OVERFLOWED] + 1);
    return seg.overflow;
}

#endif
