/*
 * Holdup::SlotDumps: what was added to a slot of a segment since its checkpoint, and its next checkpoint.
 * A collector's tick does this for thousands of slots, and with arrays of Ruby it was half of its time.
 * lib/holdup/collector/segment_checkpoint.rb and slot_delta.rb are the oracle. Whatever is implausible,
 * damaged or very large is left to them. Also, which of thousands of units in a ring a sample takes, and when
 * they came; the oracles are lib/holdup/collector/unit_sampler.rb and arrival_counter.rb.
 */
#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "init.h"
#include "reader/ber.h"
#include "segment/segment_layout.h"

#define SLOT_SUMS SEG_SUMS
#define SLOT_HEADS (2 + SLOT_SUMS) /* count, errors, sums */
#define SLOT_NUMBERS (SLOT_HEADS + FACTS * SEG_HISTOGRAMS)
#define PAIR_BYTES (2 + BER_MOST_BYTES) /* a slot and a count */

/* Facts of each histogram, in the order of a checkpoint. */
enum slot_fact { FACT_COUNT, FACT_SUM, FACT_MIN, FACT_MAX, FACT_ZERO, FACT_OFFSET, FACT_SIZE, FACTS };

/* The numbers of a checkpoint; then all counts. */
typedef struct {
    uint64_t numbers[SLOT_NUMBERS];
    uint64_t counts[SEG_HISTOGRAMS * HIST_BUCKETS];
    uint64_t size;
} slot_dump_t;

/* What was added to a histogram. `end`: of the pairs of its buckets. */
typedef struct {
    uint64_t count, zero, min, max, pairs, first, last;
    uint8_t *end;
} slot_growth_t;

static uint64_t *slot_facts(slot_dump_t *dump, int histogram)
{
    return dump->numbers + SLOT_HEADS + FACTS * histogram;
}

static bool slot_read_histogram(slot_dump_t *dump, int index, const histogram_t *now, uint64_t most)
{
    if (now->lo > HIST_BUCKETS || now->hi >= HIST_BUCKETS) return false;
    if (now->sum > most || now->max > most || now->min > now->max) return false;
    uint64_t size = now->lo > now->hi ? 0 : now->hi - now->lo + 1, total = now->zero;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t count = now->buckets[now->lo + i];
        if (__builtin_add_overflow(total, count, &total)) return false;
        dump->counts[dump->size++] = count;
    }
    uint64_t *facts = slot_facts(dump, index);
    facts[FACT_COUNT] = now->count;
    facts[FACT_SUM] = now->sum;
    facts[FACT_MIN] = now->min;
    facts[FACT_MAX] = now->max;
    facts[FACT_ZERO] = now->zero;
    facts[FACT_OFFSET] = size ? now->lo : 0;
    facts[FACT_SIZE] = size;
    return total == now->count;
}

static bool slot_read(slot_dump_t *dump, const seg_series_t *slot, uint64_t most)
{
    dump->size = 0;
    dump->numbers[0] = slot->count;
    dump->numbers[1] = slot->errors;
    for (int i = 0; i < SLOT_SUMS; i++) dump->numbers[2 + i] = slot->counters[i];
    for (int i = 0; i < SLOT_HEADS; i++)
        if (dump->numbers[i] > most) return false;
    for (int i = 0; i < SEG_HISTOGRAMS; i++)
        if (!slot_read_histogram(dump, i, &slot->histograms[i], most)) return false;
    return true;
}

static VALUE slot_pack(const slot_dump_t *dump)
{
    uint8_t bytes[(SLOT_NUMBERS + SEG_HISTOGRAMS * HIST_BUCKETS) * BER_MOST_BYTES], *at = bytes;
    for (int i = 0; i < SLOT_NUMBERS; i++) at = ber_put(at, dump->numbers[i]);
    for (uint64_t i = 0; i < dump->size; i++) at = ber_put(at, dump->counts[i]);
    return rb_str_freeze(rb_str_new((const char *)bytes, at - bytes));
}

static bool slot_unpack(slot_dump_t *dump, VALUE string)
{
    const uint8_t *at = (const uint8_t *)RSTRING_PTR(string), *end = at + RSTRING_LEN(string);
    for (int i = 0; i < SLOT_NUMBERS; i++)
        if (!ber_take(&at, end, &dump->numbers[i])) return false;
    uint64_t sizes = 0;
    for (int i = 0; i < SEG_HISTOGRAMS; i++) {
        uint64_t *facts = slot_facts(dump, i);
        if (facts[FACT_OFFSET] > HIST_BUCKETS || facts[FACT_SIZE] > HIST_BUCKETS - facts[FACT_OFFSET])
            return false;
        sizes += facts[FACT_SIZE];
    }
    for (dump->size = 0; dump->size < sizes; dump->size++)
        if (!ber_take(&at, end, &dump->counts[dump->size])) return false;
    return at == end;
}

/*
 * Appends the buckets that grew, as pairs: slots since the last one, and by how much.
 * @return false when one did not grow but shrink, or values are missing
 */
static bool slot_grown(slot_growth_t *growth, const uint64_t *now, const uint64_t *counts,
                       const uint64_t *before, const uint64_t *old)
{
    uint64_t total = growth->zero;
    for (uint64_t i = 0; i < now[FACT_SIZE]; i++) {
        uint64_t slot = now[FACT_OFFSET] + i;
        bool known = slot >= before[FACT_OFFSET] && slot - before[FACT_OFFSET] < before[FACT_SIZE];
        uint64_t there = known ? old[slot - before[FACT_OFFSET]] : 0;
        if (counts[i] < there) return false;
        if (counts[i] == there) continue;
        growth->end = ber_put(growth->end, growth->pairs ? slot - growth->last : slot);
        growth->end = ber_put(growth->end, counts[i] - there);
        if (!growth->pairs++) growth->first = slot;
        growth->last = slot;
        total += counts[i] - there;
    }
    return total == growth->count;
}

/* Extremes of what was added: bounds of its buckets, where those of the slot may be older. */
static void slot_extremes(slot_growth_t *growth, const uint64_t *now, const uint64_t *before)
{
    growth->min = now[FACT_MIN];
    growth->max = now[FACT_MAX];
    if (!before[FACT_COUNT]) return;
    uint64_t least = growth->pairs ? hist_below(growth->first) + 1 : 0;
    uint64_t most = growth->pairs ? hist_below(growth->last + 1) : HIST_ZERO_MAX;
    if (now[FACT_MIN] == before[FACT_MIN] && !growth->zero && growth->min < least) growth->min = least;
    if (now[FACT_MAX] == before[FACT_MAX] && growth->max > most) growth->max = most;
}

/* What was added to a histogram, in the sparse form of a store; "" for nothing, nil when it can't be so. */
static VALUE slot_histogram(const uint64_t *now, const uint64_t *counts, const uint64_t *before,
                            const uint64_t *old)
{
    for (int i = FACT_COUNT; i <= FACT_ZERO; i++)
        if (i != FACT_MIN && i != FACT_MAX && now[i] < before[i]) return Qnil;
    slot_growth_t growth = {.count = now[FACT_COUNT] - before[FACT_COUNT],
                            .zero = now[FACT_ZERO] - before[FACT_ZERO]};
    uint64_t sum = now[FACT_SUM] - before[FACT_SUM];
    uint8_t pairs[HIST_BUCKETS * PAIR_BYTES], head[1 + FACTS * BER_MOST_BYTES] = {HIST_SPARSE};
    uint8_t *at = head + 1;
    growth.end = pairs;
    if (growth.count) {
        if (!slot_grown(&growth, now, counts, before, old)) return Qnil;
        slot_extremes(&growth, now, before);
    } else if (growth.zero)
        return Qnil;
    else if (!sum)
        return rb_str_new(NULL, 0);
    const uint64_t facts[] = {growth.count, sum, growth.min, growth.max, growth.zero, growth.pairs};
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) at = ber_put(at, facts[i]);
    VALUE dump = rb_str_buf_new((at - head) + (growth.end - pairs));
    rb_str_cat(dump, (const char *)head, at - head);
    return rb_str_cat(dump, (const char *)pairs, growth.end - pairs);
}

static VALUE slot_histograms(slot_dump_t *now, slot_dump_t *before)
{
    const uint64_t *counts = now->counts, *old = before->counts;
    VALUE dumps = rb_ary_new_capa(SEG_HISTOGRAMS);
    for (int i = 0; i < SEG_HISTOGRAMS; i++) {
        const uint64_t *facts = slot_facts(now, i), *known = slot_facts(before, i);
        VALUE dump = slot_histogram(facts, counts, known, old);
        if (NIL_P(dump)) return Qnil;
        rb_ary_push(dumps, dump);
        counts += facts[FACT_SIZE];
        old += known[FACT_SIZE];
    }
    return dumps;
}

/*
 * delta(bytes, checkpoint, most): bytes of a slot, the packed numbers of its checkpoint, and the limit of a
 * plausible number
 * @return [Array, nil] the next checkpoint, its count and errors; by how much they and the sums grew; a dump
 *   for each histogram, see slot_histogram. nil: Ruby has to look at it
 */
static VALUE slot_delta(VALUE self, VALUE bytes, VALUE checkpoint, VALUE most)
{
    StringValue(bytes);
    StringValue(checkpoint);
    slot_dump_t now, before;
    const seg_series_t *slot = (const seg_series_t *)RSTRING_PTR(bytes);
    if (RSTRING_LEN(bytes) < (long)sizeof(*slot) || (uintptr_t)slot % sizeof(uint64_t)) return Qnil;
    if (!slot_read(&now, slot, NUM2ULL(most)) || !slot_unpack(&before, checkpoint)) return Qnil;
    VALUE grown = rb_ary_new_capa(SLOT_HEADS);
    for (int i = 0; i < SLOT_HEADS; i++) {
        if (now.numbers[i] < before.numbers[i]) return Qnil;
        rb_ary_push(grown, ULL2NUM(now.numbers[i] - before.numbers[i]));
    }
    VALUE dumps = slot_histograms(&now, &before);
    RB_GC_GUARD(bytes);
    RB_GC_GUARD(checkpoint);
    if (NIL_P(dumps)) return Qnil;
    return rb_ary_new_from_args(5, slot_pack(&now), ULL2NUM(now.numbers[0]), ULL2NUM(now.numbers[1]), grown,
                                dumps);
}

/* SampleBlock::DrawPriority */
static uint64_t slot_priority(uint64_t start_ns)
{
    const uint64_t low = (1 << 30) - 1;
    uint64_t time = start_ns / 1000;
    uint64_t mixed = (time & low) * 0x2c1b3c6d + (time >> 30) * 0x297a2d39;
    mixed = ((mixed & low) ^ mixed >> 29) * 0x5bd1e995;
    mixed = (mixed >> 31 ^ (mixed & low)) * 0x1b873593;
    return (mixed ^ mixed >> 28) >> 12 & UINT32_MAX;
}

/* The units of a slice of a ring: entries one behind the other. */
static const seg_ring_t *slot_units(VALUE *bytes, long *size)
{
    StringValue(*bytes);
    const seg_ring_t *units = (const seg_ring_t *)RSTRING_PTR(*bytes);
    *size = (uintptr_t)units % sizeof(uint64_t) ? 0 : RSTRING_LEN(*bytes) / (long)sizeof(*units);
    return units;
}

/*
 * draw(bytes, from_ns, to_ns, limit)
 * @return [Array(Integer, Array<Integer>)] how many units started in that time, and numbers of those whose
 *   priority is not above the limit
 */
static VALUE slot_draw(VALUE self, VALUE bytes, VALUE from_ns, VALUE to_ns, VALUE limit)
{
    long size, seen = 0;
    const seg_ring_t *units = slot_units(&bytes, &size);
    uint64_t from = NUM2ULL(from_ns), to = NUM2ULL(to_ns), most = NUM2ULL(limit);
    VALUE drawn = rb_ary_new();
    for (long i = 0; i < size; i++) {
        uint64_t start = units[i].started_ns;
        if (start < from || start >= to) continue;
        seen++;
        if (slot_priority(start) <= most) rb_ary_push(drawn, LONG2FIX(i));
    }
    RB_GC_GUARD(bytes);
    return rb_assoc_new(LONG2FIX(seen), drawn);
}

#define ARRIVAL_CELL_NS UINT64_C(100000000)
#define ARRIVAL_POOLS 255 /* a pool's number in a byte; the last one stands for none */

/*
 * arrivals(bytes, pools, from_ns, to_ns): `pools` has the number of the pool of each slot, in a byte
 * @return [String] packed, of each unit that came in that time: the tenth of a second since 1970 in which it
 *   came * 512 + its pool * 2 + whether its queue time is known
 */
static VALUE slot_arrivals(VALUE self, VALUE bytes, VALUE pools, VALUE from_ns, VALUE to_ns)
{
    long size, count = 0;
    StringValue(pools);
    const seg_ring_t *units = slot_units(&bytes, &size);
    const uint8_t *numbers = (const uint8_t *)RSTRING_PTR(pools);
    uint64_t from = NUM2ULL(from_ns), to = NUM2ULL(to_ns), slots = (uint64_t)RSTRING_LEN(pools);
    VALUE came = rb_str_new(NULL, size * (long)sizeof(uint64_t));
    for (long i = 0; i < size; i++) {
        uint64_t series = units[i].series, queued = units[i].queued, known = queued != SEG_UNKNOWN;
        if (series >= slots || numbers[series] == ARRIVAL_POOLS) continue;
        if (known && queued > units[i].started_ns) continue;
        uint64_t at = units[i].started_ns - (known ? queued : 0);
        if (at < from || at >= to) continue;
        uint64_t place = at / ARRIVAL_CELL_NS * 512 + numbers[series] * 2u + known;
        memcpy(RSTRING_PTR(came) + count++ * (long)sizeof(place), &place, sizeof(place));
    }
    rb_str_set_len(came, count * (long)sizeof(uint64_t));
    RB_GC_GUARD(bytes);
    RB_GC_GUARD(pools);
    return came;
}

void slot_dumps_init(VALUE holdup)
{
    VALUE dumps = rb_define_module_under(holdup, "SlotDumps");
    rb_define_singleton_method(dumps, "draw", slot_draw, 4);
    rb_define_singleton_method(dumps, "arrivals", slot_arrivals, 4);
    rb_define_singleton_method(dumps, "delta", slot_delta, 3);
}
