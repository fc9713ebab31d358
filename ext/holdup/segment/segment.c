#include "segment/segment.h"

#include <string.h>

#include "private_file.h"
#include "segment/segment_name.h"

struct seg seg = {.file = -1};

void seg_commit(void)
{
    seg_header_t *header = SEG_HEADER;
    char *base = seg.base;
    const seg_redo_t *entry = seg.log, *end = seg.logged;
    __atomic_store_n(&header->log_length, (uint64_t)(end - entry), __ATOMIC_RELEASE);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (; entry != end; entry++)
        __atomic_store_n((uint64_t *)(base + entry->offset), entry->value, __ATOMIC_RELAXED);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    seg.logged = seg.log;
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

/* Space for one more slot, taken in chunks before any page is touched. */
static bool seg_room(void)
{
    seg_header_t *header = SEG_HEADER;
    if (header->series_count < seg.allocated) return true;
    if (seg.allocated >= header->series_capacity) return false;
    uint64_t slots = header->series_capacity - seg.allocated;
    if (slots > SEG_GROW_SLOTS) slots = SEG_GROW_SLOTS;
    off_t from = (off_t)(header->series_offset + seg.allocated * sizeof(seg_series_t));
    if (!seg_has_file() || file_allocate(seg.file, from, (off_t)(slots * sizeof(seg_series_t)))) {
        seg.grow_failed++;
        return false;
    }
    seg.allocated += slots;
    return true;
}

uint64_t seg_append_unlisted(const seg_key_t *key)
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
    __atomic_store_n(&header->series_count, header->series_count + 1, __ATOMIC_RELEASE);
    return header->series_count;
}

uint64_t seg_append(const seg_key_t *key)
{
    uint16_t *place = seg_place(key);
    uint64_t slot = seg_append_unlisted(key);
    if (slot) *place = (uint16_t)slot;
    return slot;
}

uint64_t seg_series(const seg_key_t *key)
{
    uint16_t found = *seg_place(key);
    return found ? found : seg_append(key);
}

seg_key_t seg_name_key(enum seg_kind kind, const char *name)
{
    seg_text_t none = seg_text("");
    seg_key_t key = {kind, seg_text(name), none, none, none};
    return key;
}

uint64_t seg_unit_series(const seg_key_t *key)
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

uint64_t seg_call_series(const seg_key_t *key)
{
    uint64_t slot = *seg_place(key);
    if (slot) return slot;
    seg_key_t beyond = *key;
    beyond.name = seg_text(SEG_BEYOND);
    if (seg.call_series >= seg.units_limit) return seg_series(&beyond);
    slot = seg_append(key);
    if (slot) seg.call_series++;
    return slot;
}

/* A series of a kind of which there are at most `limit`; beyond that all share one. */
static uint64_t seg_limited_series(const seg_key_t *key, uint64_t *count, uint64_t limit)
{
    uint64_t slot = *seg_place(key);
    if (slot) return slot;
    const seg_key_t beyond = seg_name_key(key->kind, SEG_BEYOND);
    if (*count >= limit) return seg_series(&beyond);
    slot = seg_append(key);
    if (slot) ++*count;
    return slot;
}

uint64_t seg_method_series(const seg_key_t *key)
{
    return seg_limited_series(key, &seg.method_series, SEG_METHODS);
}

uint64_t seg_lock_series(const seg_key_t *key)
{
    return seg_limited_series(key, &seg.lock_series, SEG_LOCK_PLACES);
}

uint64_t seg_repeat_series(const seg_key_t *key)
{
    return seg_limited_series(key, &seg.repeat_series, SEG_REPEATS);
}

uint64_t seg_transaction_series(const seg_key_t *key)
{
    return seg_limited_series(key, &seg.transaction_series, SEG_TRANSACTIONS);
}
