/*
 * Holdup::SlotDumps: what was added to a slot of a segment since its checkpoint, and its next checkpoint.
 * A collector's tick does this for thousands of slots, and with arrays of Ruby it was half of its time.
 * lib/holdup/collector/slot_checkpoint.rb and slot_delta.rb are the oracle. Whatever is implausible, damaged
 * or very large is left to them.
 */
#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "init.h"
#include "segment_layout.h"

#define SLOT_SUMS SEG_SUMS
#define SLOT_HEADS (3 + SLOT_SUMS) /* form, count, errors, sums */
#define SLOT_NUMBERS (SLOT_HEADS + FACTS * SEG_HISTOGRAMS)
#define BER_BYTES 10
#define UTF8_BYTES 6
#define UTF8_LARGEST 0x7fffffff

/* Of each histogram, in the order of a checkpoint. */
enum slot_fact { FACT_COUNT, FACT_SUM, FACT_MIN, FACT_MAX, FACT_ZERO, FACT_OFFSET, FACT_SIZE, FACTS };

/* The numbers of a checkpoint: the first is 0, its form; then all counts. */
typedef struct {
    uint64_t numbers[SLOT_NUMBERS];
    uint32_t counts[SEG_HISTOGRAMS * HIST_BUCKETS];
    uint64_t size;
} slot_dump_t;

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
        if (count > UTF8_LARGEST || __builtin_add_overflow(total, count, &total)) return false;
        dump->counts[dump->size++] = (uint32_t)count;
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
    dump->numbers[0] = 0;
    dump->numbers[1] = slot->count;
    dump->numbers[2] = slot->errors;
    for (int i = 0; i < SLOT_SUMS; i++) dump->numbers[3 + i] = slot->counters[i];
    for (int i = 1; i < SLOT_HEADS; i++)
        if (dump->numbers[i] > most) return false;
    for (int i = 0; i < SEG_HISTOGRAMS; i++)
        if (!slot_read_histogram(dump, i, &slot->histograms[i], most)) return false;
    return true;
}

/* pack "w" */
static uint8_t *slot_put_ber(uint8_t *at, uint64_t number)
{
    int shift = 0;
    while (shift < 63 && number >> shift >> 7) shift += 7;
    for (; shift > 0; shift -= 7) *at++ = 0x80 | ((number >> shift) & 0x7f);
    *at++ = number & 0x7f;
    return at;
}

/* Bytes that follow the first one in the form of UTF-8. */
static int slot_utf8_more(uint32_t number)
{
    return number < 0x80 ? 0 : number < 0x800 ? 1 : number < 0x10000 ? 2 : number < 0x200000 ? 3
        : number < 0x4000000 ? 4 : 5;
}

/* pack "U" */
static uint8_t *slot_put_utf8(uint8_t *at, uint32_t number)
{
    int more = slot_utf8_more(number);
    if (!more) {
        *at++ = (uint8_t)number;
        return at;
    }
    *at++ = (uint8_t)(0xff00 >> (more + 1)) | (uint8_t)(number >> (6 * more));
    while (more--) *at++ = 0x80 | ((number >> (6 * more)) & 0x3f);
    return at;
}

static VALUE slot_pack(const slot_dump_t *dump)
{
    uint8_t bytes[SLOT_NUMBERS * BER_BYTES + SEG_HISTOGRAMS * HIST_BUCKETS * UTF8_BYTES], *at = bytes;
    for (int i = 0; i < SLOT_NUMBERS; i++) at = slot_put_ber(at, dump->numbers[i]);
    for (uint64_t i = 0; i < dump->size; i++) at = slot_put_utf8(at, dump->counts[i]);
    return rb_str_freeze(rb_str_new((const char *)bytes, at - bytes));
}

static bool slot_take_ber(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    while (*at < end) {
        uint8_t byte = *(*at)++;
        if (*number >> 57) return false;
        *number = *number << 7 | (byte & 0x7f);
        if (!(byte & 0x80)) return true;
    }
    return false;
}

static bool slot_take_utf8(const uint8_t **at, const uint8_t *end, uint32_t *number)
{
    if (*at == end) return false;
    uint8_t first = *(*at)++;
    *number = first;
    if (first < 0x80) return true;
    if (first < 0xc0 || first > 0xfd) return false;
    int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : first < 0xfc ? 4 : 5;
    if (end - *at < more) return false;
    *number = first & (0x3f >> more);
    for (int i = 0; i < more; i++) {
        uint8_t byte = *(*at)++;
        if ((byte & 0xc0) != 0x80) return false;
        *number = *number << 6 | (byte & 0x3f);
    }
    return slot_utf8_more(*number) == more;
}

static bool slot_unpack(slot_dump_t *dump, VALUE string)
{
    const uint8_t *at = (const uint8_t *)RSTRING_PTR(string), *end = at + RSTRING_LEN(string);
    for (int i = 0; i < SLOT_NUMBERS; i++)
        if (!slot_take_ber(&at, end, &dump->numbers[i])) return false;
    if (dump->numbers[0]) return false;
    uint32_t sizes = 0;
    for (int i = 0; i < SEG_HISTOGRAMS; i++) {
        uint64_t *facts = slot_facts(dump, i);
        if (facts[FACT_OFFSET] > HIST_BUCKETS || facts[FACT_SIZE] > HIST_BUCKETS - facts[FACT_OFFSET])
            return false;
        sizes += facts[FACT_SIZE];
    }
    for (dump->size = 0; dump->size < sizes; dump->size++)
        if (!slot_take_utf8(&at, end, &dump->counts[dump->size])) return false;
    return at == end;
}

/* Buckets that grew, and by how much; false when one did not grow but shrink, or values are missing. */
static bool slot_grown(const uint64_t *now, const uint32_t *counts, const uint64_t *before,
                       const uint32_t *old, VALUE slots, VALUE added)
{
    uint64_t total = now[FACT_ZERO] - before[FACT_ZERO];
    for (uint64_t i = 0; i < now[FACT_SIZE]; i++) {
        uint64_t slot = now[FACT_OFFSET] + i;
        bool known = slot >= before[FACT_OFFSET] && slot - before[FACT_OFFSET] < before[FACT_SIZE];
        uint32_t there = known ? old[slot - before[FACT_OFFSET]] : 0;
        if (counts[i] < there) return false;
        if (counts[i] == there) continue;
        rb_ary_push(slots, ULONG2NUM((unsigned long)slot));
        rb_ary_push(added, ULONG2NUM(counts[i] - there));
        total += counts[i] - there;
    }
    return total == now[FACT_COUNT] - before[FACT_COUNT];
}

/* A row: count, sum, zero, min, max, slots, counts, and whether min and max are only known by the buckets. */
static VALUE slot_histogram(const uint64_t *now, const uint32_t *counts, const uint64_t *before,
                            const uint32_t *old)
{
    for (int i = FACT_COUNT; i <= FACT_ZERO; i++)
        if (i != FACT_MIN && i != FACT_MAX && now[i] < before[i]) return Qnil;
    uint64_t count = now[FACT_COUNT] - before[FACT_COUNT], zero = now[FACT_ZERO] - before[FACT_ZERO];
    VALUE sum = ULL2NUM(now[FACT_SUM] - before[FACT_SUM]), slots = rb_ary_new(), added = rb_ary_new();
    if (!count)
        return zero ? Qnil : rb_ary_new_from_args(9, INT2FIX(0), sum, INT2FIX(0), Qnil, Qnil, slots, added,
                                                  Qfalse, Qfalse);
    if (!slot_grown(now, counts, before, old, slots, added)) return Qnil;
    bool first = !before[FACT_COUNT];
    bool low = !first && now[FACT_MIN] == before[FACT_MIN] && !zero && RARRAY_LEN(slots);
    bool high = !first && now[FACT_MAX] == before[FACT_MAX];
    return rb_ary_new_from_args(9, ULL2NUM(count), sum, ULL2NUM(zero), ULL2NUM(now[FACT_MIN]),
                                ULL2NUM(now[FACT_MAX]), slots, added, low ? Qtrue : Qfalse,
                                high ? Qtrue : Qfalse);
}

static VALUE slot_rows(slot_dump_t *now, slot_dump_t *before)
{
    const uint32_t *counts = now->counts, *old = before->counts;
    VALUE rows = rb_ary_new_capa(SEG_HISTOGRAMS);
    for (int i = 0; i < SEG_HISTOGRAMS; i++) {
        const uint64_t *facts = slot_facts(now, i), *known = slot_facts(before, i);
        VALUE row = slot_histogram(facts, counts, known, old);
        if (NIL_P(row)) return Qnil;
        rb_ary_push(rows, row);
        counts += facts[FACT_SIZE];
        old += known[FACT_SIZE];
    }
    return rows;
}

/*
 * delta(bytes, checkpoint, most): bytes of a slot, the packed numbers of its checkpoint, and the limit of a
 * plausible number
 * @return [Array, nil] the next checkpoint, its count and errors; by how much they and the sums grew; a row
 *   for each histogram. nil: Ruby has to look at it
 */
static VALUE slot_delta(VALUE self, VALUE bytes, VALUE checkpoint, VALUE most)
{
    StringValue(bytes);
    StringValue(checkpoint);
    slot_dump_t now, before;
    const seg_series_t *slot = (const seg_series_t *)RSTRING_PTR(bytes);
    if (RSTRING_LEN(bytes) < (long)sizeof(*slot) || (uintptr_t)slot % sizeof(uint64_t)) return Qnil;
    if (!slot_read(&now, slot, NUM2ULL(most)) || !slot_unpack(&before, checkpoint)) return Qnil;
    VALUE grown = rb_ary_new_capa(SLOT_HEADS - 1);
    for (int i = 1; i < SLOT_HEADS; i++) {
        if (now.numbers[i] < before.numbers[i]) return Qnil;
        rb_ary_push(grown, ULL2NUM(now.numbers[i] - before.numbers[i]));
    }
    VALUE rows = slot_rows(&now, &before);
    RB_GC_GUARD(bytes);
    RB_GC_GUARD(checkpoint);
    if (NIL_P(rows)) return Qnil;
    return rb_ary_new_from_args(5, slot_pack(&now), ULL2NUM(now.numbers[1]), ULL2NUM(now.numbers[2]), grown,
                                rows);
}

void slot_dumps_init(VALUE holdup)
{
    VALUE dumps = rb_define_module_under(holdup, "SlotDumps");
    rb_define_singleton_method(dumps, "delta", slot_delta, 3);
}
