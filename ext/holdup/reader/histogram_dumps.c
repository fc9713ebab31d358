/*
 * Holdup::HistogramDumps: writes histograms as stores keep them (lib/holdup/model/histogram/codec.rb), adds
 * them up, any number of them in one string, and adds counts to counts. Reading a month is mostly this, and
 * a collector's commit too. Damaged dumps, and numbers beyond 64 bits, are left to Ruby.
 */
#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "init.h"
#include "reader/ber.h"
#include "segment/histogram.h"

/* The form, at most seven numbers, and two for each bucket. */
#define DUMPS_MOST_BYTES (1 + (7 + 2 * HIST_BUCKETS) * BER_MOST_BYTES)

typedef struct {
    const uint8_t *at, *end;
    uint64_t dumps, count, sum, min, max, zero;
    uint64_t slots[HIST_BUCKETS];
    uint64_t first, last; /* of the slots with a count; first > last: there is none */
} dumps_t;

/* Most numbers have one byte, which takes the short way. */
static inline bool dumps_number(dumps_t *d, uint64_t *value)
{
    if (d->at == d->end || *d->at & 0x80) return ber_take(&d->at, d->end, value);
    *value = *d->at++;
    return true;
}

static bool dumps_add(uint64_t *total, uint64_t value)
{
    return !__builtin_add_overflow(*total, value, total);
}

static bool dumps_add_slot(dumps_t *d, uint64_t slot)
{
    uint64_t count;
    if (slot >= HIST_BUCKETS || !dumps_number(d, &count)) return false;
    if (!count) return true;
    if (slot < d->first) d->first = slot;
    if (slot > d->last) d->last = slot;
    return dumps_add(&d->slots[slot], count);
}

static bool dumps_dense(dumps_t *d)
{
    uint64_t offset, size;
    if (!dumps_number(d, &offset) || !dumps_number(d, &size)) return false;
    if (offset > HIST_BUCKETS || size > HIST_BUCKETS - offset) return false;
    for (uint64_t i = 0; i < size; i++)
        if (!dumps_add_slot(d, offset + i)) return false;
    return true;
}

static bool dumps_sparse(dumps_t *d)
{
    uint64_t pairs, gap, slot = 0;
    if (!dumps_number(d, &pairs)) return false;
    for (uint64_t i = 0; i < pairs; i++) {
        if (!dumps_number(d, &gap) || gap >= HIST_BUCKETS || (i && !gap)) return false;
        slot += gap;
        if (!dumps_add_slot(d, slot)) return false;
    }
    return true;
}

static bool dumps_one(dumps_t *d)
{
    uint8_t format = *d->at++;
    uint64_t count, sum, min, max, zero;
    if (!dumps_number(d, &count) || !dumps_number(d, &sum) || !dumps_number(d, &min)) return false;
    if (!dumps_number(d, &max) || !dumps_number(d, &zero)) return false;
    if (count && min < d->min) d->min = min;
    if (count && max > d->max) d->max = max;
    if (!dumps_add(&d->count, count) || !dumps_add(&d->sum, sum) || !dumps_add(&d->zero, zero)) return false;
    d->dumps++;
    return format == HIST_DENSE ? dumps_dense(d) : format == HIST_SPARSE && dumps_sparse(d);
}

static VALUE dumps_counts(const dumps_t *d)
{
    if (d->first > d->last) return rb_ary_new();
    VALUE counts[HIST_BUCKETS];
    long size = 0;
    for (uint64_t slot = d->first; slot <= d->last; slot++) counts[size++] = ULL2NUM(d->slots[slot]);
    return rb_ary_new_from_values(size, counts);
}

/* @return false when Ruby has to add them up */
static bool dumps_read(dumps_t *d, VALUE bytes)
{
    d->at = (const uint8_t *)RSTRING_PTR(bytes);
    d->end = d->at + RSTRING_LEN(bytes);
    while (d->at < d->end)
        if (!dumps_one(d)) return false;
    RB_GC_GUARD(bytes);
    return true;
}

/*
 * sum(bytes)
 * @return [Array, nil] how many histograms there were; and of their sum: count, sum, min, max, zero, offset,
 *   counts. nil: Ruby has to add them up
 */
static VALUE dumps_sum(VALUE self, VALUE bytes)
{
    StringValue(bytes);
    dumps_t d = {.min = UINT64_MAX, .first = HIST_BUCKETS};
    if (!dumps_read(&d, bytes)) return Qnil;
    bool any = d.first <= d.last;
    VALUE min = d.count ? ULL2NUM(d.min) : Qnil, max = d.count ? ULL2NUM(d.max) : Qnil;
    return rb_ary_new_from_args(8, ULL2NUM(d.dumps), ULL2NUM(d.count), ULL2NUM(d.sum), min, max,
                                ULL2NUM(d.zero), ULL2NUM(any ? d.first : 0), dumps_counts(&d));
}

static uint8_t *dumps_put_pairs(uint8_t *at, const dumps_t *d, uint64_t pairs)
{
    uint64_t gap = d->first;
    at = ber_put(at, pairs);
    for (uint64_t i = 0; pairs; i++, gap++) {
        uint64_t count = d->slots[d->first + i];
        if (!count) continue;
        at = ber_put(ber_put(at, gap), count);
        gap = 0;
        pairs--;
    }
    return at;
}

/* Histogram::Codec.dump */
static VALUE dumps_write(const dumps_t *d)
{
    uint64_t size = d->first > d->last ? 0 : d->last - d->first + 1, pairs = 0;
    for (uint64_t i = 0; i < size; i++) pairs += d->slots[d->first + i] > 0;
    bool sparse = !size || size - pairs > size / 2;
    const uint64_t head[] = {d->count, d->sum, d->count ? d->min : 0, d->count ? d->max : 0, d->zero};
    uint8_t bytes[DUMPS_MOST_BYTES], *at = bytes;
    *at++ = sparse ? HIST_SPARSE : HIST_DENSE;
    for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++) at = ber_put(at, head[i]);
    if (sparse)
        at = dumps_put_pairs(at, d, pairs);
    else {
        at = ber_put(ber_put(at, d->first), size);
        for (uint64_t i = 0; i < size; i++) at = ber_put(at, d->slots[d->first + i]);
    }
    return rb_str_new((const char *)bytes, at - bytes);
}

/* A number below 2^62 that is not negative. */
static bool dumps_fixed(VALUE value, uint64_t *number)
{
    if (!FIXNUM_P(value) || FIX2LONG(value) < 0) return false;
    *number = (uint64_t)FIX2LONG(value);
    return true;
}

/* The values of a histogram, without zeros at both ends of its counts. */
static bool dumps_take(dumps_t *d, VALUE *values, VALUE counts)
{
    uint64_t *facts[] = {&d->count, &d->sum, &d->min, &d->max, &d->zero, &d->first};
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        if (!dumps_fixed(NIL_P(values[i]) ? INT2FIX(0) : values[i], facts[i])) return false;
    Check_Type(counts, T_ARRAY);
    uint64_t size = (uint64_t)RARRAY_LEN(counts);
    if (d->first > HIST_BUCKETS || size > HIST_BUCKETS - d->first) return false;
    for (uint64_t i = 0; i < size; i++)
        if (!dumps_fixed(RARRAY_AREF(counts, (long)i), &d->slots[d->first + i])) return false;
    if (!size) d->first = HIST_BUCKETS;
    d->last = d->first + size - 1;
    return !size || (d->slots[d->first] && d->slots[d->last]);
}

/*
 * dump(count, sum, min, max, zero, offset, counts)
 * @return [String, nil] nil: Ruby has to write it
 */
static VALUE dumps_dump(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 7, 7);
    dumps_t d = {0};
    return dumps_take(&d, argv, argv[6]) ? dumps_write(&d) : Qnil;
}

/*
 * merge(stored, added): dumps of one histogram each
 * @return [String, nil] dump of their sum; nil: Ruby has to look at it
 */
static VALUE dumps_merge(VALUE self, VALUE stored, VALUE added)
{
    StringValue(stored);
    StringValue(added);
    dumps_t d = {.min = UINT64_MAX, .first = HIST_BUCKETS};
    if (!dumps_read(&d, stored) || d.dumps != 1 || !dumps_read(&d, added) || d.dumps != 2) return Qnil;
    return dumps_write(&d);
}

/* The first slot, after a check that all counts fit into the slots from there on. */
static long dumps_first_slot(VALUE slots, VALUE first, VALUE counts)
{
    Check_Type(slots, T_ARRAY);
    Check_Type(counts, T_ARRAY);
    rb_check_frozen(slots);
    long from = NUM2LONG(first), size = RARRAY_LEN(counts);
    if (from < 0 || size > RARRAY_LEN(slots) || from > RARRAY_LEN(slots) - size)
        rb_raise(rb_eArgError, "%ld counts from slot %ld are too many", size, from);
    return from;
}

/*
 * add(slots, first, counts): adds counts to slots, from the first on; Integers beyond a Fixnum by Ruby's own
 * +.
 */
static VALUE dumps_add_counts(VALUE self, VALUE slots, VALUE first, VALUE counts)
{
    long from = dumps_first_slot(slots, first, counts);
    for (long i = 0; i < RARRAY_LEN(counts); i++) {
        VALUE there = RARRAY_AREF(slots, from + i), more = RARRAY_AREF(counts, i);
        bool small = FIXNUM_P(there) && FIXNUM_P(more);
        if (small && more == INT2FIX(0)) continue;
        VALUE sum = small ? LONG2NUM(FIX2LONG(there) + FIX2LONG(more)) : rb_funcall(there, '+', 1, more);
        rb_ary_store(slots, from + i, sum);
    }
    return Qnil;
}

void histogram_dumps_init(VALUE holdup)
{
    VALUE dumps = rb_define_module_under(holdup, "HistogramDumps");
    rb_define_singleton_method(dumps, "sum", dumps_sum, 1);
    rb_define_singleton_method(dumps, "dump", dumps_dump, -1);
    rb_define_singleton_method(dumps, "merge", dumps_merge, 2);
    rb_define_singleton_method(dumps, "add", dumps_add_counts, 3);
}
