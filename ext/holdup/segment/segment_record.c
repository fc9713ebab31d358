#include "segment/segment_record.h"

#include <string.h>

#include "clock.h"

static void seg_observe(histogram_t *h, uint64_t value)
{
    hist_observe(h, value, seg_set);
}

static void seg_sums(seg_series_t *s, const measurement_t *m)
{
    for (int i = 0; i < SEG_SUMS; i++) seg_add(&s->counters[i], MEASURED_SUMS(m)[i]);
}

/* An entry has no place for what it lacked: where the CPU is unknown, it lacked none. */
static uint64_t seg_cpu(const measurement_t *m)
{
    return m->cpu_ns || m->starved_ns ? m->cpu_ns : m->running_ns;
}

void seg_entry(seg_ring_t *entry, uint64_t slot, const measurement_t *m)
{
    *entry = (seg_ring_t){
        m->started_ns, slot - 1, m->wall_ns, m->running_ns, seg_cpu(m), m->idle_ns, m->stalled_ns,
        m->acquisitions, m->longest_hold_ns, m->gc_ns, m->queued_ns, (uint32_t)m->in_flight_milli,
        (uint32_t)m->before, {0}};
    memcpy(entry->trace, m->trace, SEG_TRACE_BYTES);
}

/* An entry needs no log: readers ignore it until the head has moved. */
static void seg_push(uint64_t slot, const measurement_t *m)
{
    seg_header_t *header = SEG_HEADER;
    seg_ring_t *ring = (seg_ring_t *)(seg.base + header->ring_offset);
    seg_entry(&ring[header->ring_head % header->ring_capacity], slot, m);
    seg_set(&header->ring_head, header->ring_head + 1);
}

/* The first path stays, so it needs no log: readers ignore it until its length is set. */
static void seg_keep_path(seg_series_t *s, seg_text_t path)
{
    if (!path.bytes || s->path_bytes || s->kind != SEG_REQUEST) return;
    seg_copy(s->path, path);
    seg_set(&s->path_bytes, path.bytes);
}

uint64_t seg_record(const seg_key_t *key, seg_text_t path, const measurement_t *m, bool error)
{
    uint64_t slot = seg_unit_series(key);
    if (!slot) {
        seg.logged = seg.log;
        return 0;
    }
    seg_series_t *s = seg_slot(slot - 1);
    seg_set(&s->count, s->count + 1);
    seg_add(&s->errors, error);
    seg_keep_path(s, path);
    seg_sums(s, m);
    for (int i = 0; i < SEG_HISTOGRAMS; i++)
        if (MEASURED_VALUES(m)[i] != SEG_UNKNOWN) seg_observe(&s->histograms[i], MEASURED_VALUES(m)[i]);
    seg_push(slot, m);
    seg_set(&SEG_HEADER->counters[SEG_P_UNITS], SEG_HEADER->counters[SEG_P_UNITS] + 1);
    return slot;
}

/* Records what has no histograms of its own. */
static void seg_record_sums(seg_series_t *s, const measurement_t *m, uint64_t count)
{
    seg_set(&s->count, s->count + count);
    seg_sums(s, m);
    for (int i = 0; i < SEG_TIMES; i++) seg_add(&s->histograms[i].sum, MEASURED_VALUES(m)[i]);
}

void seg_record_nested(const measurement_t *m, uint32_t count)
{
    seg_series_t *s = seg_slot(seg.nested - 1);
    seg_record_sums(s, m, count);
    seg_set(&SEG_HEADER->counters[SEG_P_NESTED], SEG_HEADER->counters[SEG_P_NESTED] + count);
}

/* --- calls --- */

/* Buckets of a histogram in one commit: two histograms and the other words fit into the log. */
#define SEG_CALL_BUCKETS 100

_Static_assert(2 * (SEG_CALL_BUCKETS + 8) + 16 <= SEG_LOG_ENTRIES, "a commit of calls fits into the log");

/* Adds the buckets from `from` up to `to`, and `zero` values below all buckets. */
static void seg_add_buckets(histogram_t *h, const histogram_t *more, uint64_t from, uint64_t to,
                            uint64_t zero)
{
    uint64_t count = zero, lo = h->lo, hi = h->hi;
    if (from < more->lo) from = more->lo;
    if (to > more->hi + 1) to = more->hi + 1;
    for (uint64_t i = from; i < to; i++) {
        if (!more->buckets[i]) continue;
        seg_set(&h->buckets[i], h->buckets[i] + more->buckets[i]);
        count += more->buckets[i];
        if (i < lo) lo = i;
        if (i > hi) hi = i;
    }
    seg_add(&h->count, count);
    seg_add(&h->zero, zero);
    if (lo != h->lo) seg_set(&h->lo, lo);
    if (hi != h->hi) seg_set(&h->hi, hi);
}

static void seg_add_rest(histogram_t *h, const histogram_t *more, bool first)
{
    seg_add(&h->sum, more->sum);
    if (first || more->min < h->min) seg_set(&h->min, more->min);
    if (more->max > h->max) seg_set(&h->max, more->max);
}

/*
 * The count of the series comes with the last buckets: a reader that has seen a part of them finds the count
 * changed, and reads again.
 */
uint64_t seg_record_calls(seg_text_t unit, seg_text_t kind, const call_tally_t *tally,
                          const measurement_t *m)
{
    static const uint32_t kinds[] = {SEG_CALL, SEG_TRANSACTION, SEG_TRANSACTION_CALL};
    const seg_key_t key = {kinds[tally->what], unit, kind, seg_text(""), seg_text("")};
    uint64_t slot = tally->what == CALLS_CALL ? seg_call_series(&key) : seg_transaction_series(&key);
    if (!slot) return 0;
    seg_series_t *s = seg_slot(slot - 1);
    const histogram_t *wall = &tally->wall, *idle = &tally->idle;
    bool first = s->count == 0;
    uint64_t from = wall->lo < idle->lo ? wall->lo : idle->lo;
    uint64_t to = (wall->hi > idle->hi ? wall->hi : idle->hi) + 1;
    if (from > to) from = to;
    for (; to - from > SEG_CALL_BUCKETS; from += SEG_CALL_BUCKETS) {
        seg_add_buckets(&s->histograms[SEG_WALL], wall, from, from + SEG_CALL_BUCKETS, 0);
        seg_add_buckets(&s->histograms[SEG_IDLE], idle, from, from + SEG_CALL_BUCKETS, 0);
        seg_commit();
    }
    seg_add_buckets(&s->histograms[SEG_WALL], wall, from, to, wall->zero);
    seg_add_buckets(&s->histograms[SEG_IDLE], idle, from, to, idle->zero);
    seg_add_rest(&s->histograms[SEG_WALL], wall, first);
    seg_add_rest(&s->histograms[SEG_IDLE], idle, first);
    seg_add(&s->histograms[SEG_RUNNING].sum, m->running_ns);
    seg_add(&s->histograms[SEG_STALLED].sum, m->stalled_ns);
    seg_sums(s, m);
    seg_set(&s->count, s->count + tally->count);
    seg_add(&s->errors, tally->errors);
    seg_commit();
    return slot;
}

void seg_record_repeats(seg_text_t unit, seg_text_t place, uint64_t count, const measurement_t *m)
{
    const seg_key_t key = {SEG_REPEAT, unit, place, seg_text(""), seg_text("")};
    uint64_t slot = seg_repeat_series(&key);
    if (!slot) return;
    seg_series_t *s = seg_slot(slot - 1);
    seg_record_sums(s, m, count);
    seg_commit();
}

void seg_record_holds(seg_text_t name, const hold_tally_t *tally)
{
    const seg_key_t key = {SEG_METHOD, name, places_text(tally->place), seg_text(""), seg_text("")};
    uint64_t slot = seg_method_series(&key);
    if (!slot) return;
    seg_series_t *s = seg_slot(slot - 1);
    seg_set(&s->count, s->count + tally->samples);
    seg_add(&s->counters[SEG_CAUSED], clk_sum_ns(tally->ticks));
    seg_commit();
}

/* Waits have a count; who ends them has none, so that the samples of a place are counted once. */
static void seg_record_locks(seg_text_t name, const hold_tally_t *tally, enum seg_counter sum, uint64_t count)
{
    const seg_key_t key = {SEG_LOCK_PLACE, name, places_text(tally->place), seg_text(""), seg_text("")};
    uint64_t slot = seg_lock_series(&key);
    if (!slot) return;
    seg_series_t *s = seg_slot(slot - 1);
    if (count) seg_set(&s->count, s->count + count);
    seg_add(&s->counters[sum], clk_sum_ns(tally->ticks));
    seg_commit();
}

void seg_record_lock_waits(seg_text_t name, const hold_tally_t *tally)
{
    seg_record_locks(name, tally, SEG_LOCK, tally->samples);
}

void seg_record_lock_ends(seg_text_t name, const hold_tally_t *tally)
{
    seg_record_locks(name, tally, SEG_CAUSED, 0);
}

/*
 * Absolute numbers are converted from ticks at each tick, with a rate that becomes more exact: they can be
 * some ns lower than the last time. A reader takes a number that decreases for damage, so the old one stays
 * until it is exceeded.
 */
static void seg_raise(uint64_t *field, uint64_t value)
{
    if (value > *field) seg_set(field, value);
}

uint64_t seg_add_account(const char *name, uint32_t generation)
{
    seg_key_t key = seg_name_key(SEG_ACCOUNT, name);
    uint64_t slot = seg_append_unlisted(&key);
    if (!slot) return 0;
    seg_set(&seg_slot(slot - 1)->generation, generation);
    seg_commit();
    return slot;
}

void seg_record_account(uint64_t slot, const measurement_t *m)
{
    seg_series_t *s = seg_slot(slot - 1);
    for (int i = 0; i < SEG_SUMS; i++) seg_raise(&s->counters[i], MEASURED_SUMS(m)[i]);
    for (int i = 0; i < SEG_TIMES; i++) seg_raise(&s->histograms[i].sum, MEASURED_VALUES(m)[i]);
    seg_commit();
}

/* The log has words, so the name is set word by word. */
static void seg_set_name(seg_series_t *s, const char *name)
{
    uint64_t words[SEG_NAME_BYTES / sizeof(uint64_t)] = {0}, head;
    uint32_t kind_and_bytes[] = {s->kind, (uint32_t)strlen(name)};
    memcpy(words, name, kind_and_bytes[1]);
    memcpy(&head, kind_and_bytes, sizeof(head));
    seg_set((uint64_t *)s, head);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        seg_set((uint64_t *)s->name + i, words[i]);
}

_Static_assert(offsetof(seg_series_t, kind) == 0 && offsetof(seg_series_t, name_bytes) == 4,
               "kind and length of the name are one word");
_Static_assert(offsetof(seg_series_t, name) % sizeof(uint64_t) == 0, "a name begins at a word");

void seg_rename_account(uint64_t slot, const char *name, uint32_t generation)
{
    seg_series_t *s = seg_slot(slot - 1);
    seg_set_name(s, name);
    seg_set(&s->generation, generation);
    for (int i = 0; i < SEG_SUMS; i++) seg_set(&s->former.counters[i], s->counters[i]);
    for (int i = 0; i < SEG_TIMES; i++) seg_set(&s->former.times[i], s->histograms[i].sum);
    seg_commit();
}
