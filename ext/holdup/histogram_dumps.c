/*
 * Holdup::HistogramDumps: adds up histograms as stores keep them (lib/holdup/model/histogram/codec.rb), any
 * number of them in one string, and adds counts to counts. Reading a month is mostly this. Damaged dumps, and
 * sums beyond 64 bits, are left to Ruby.
 */
#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "init.h"

#define DUMPS_DENSE 1
#define DUMPS_SPARSE 0x11

typedef struct {
    const uint8_t *at, *end;
    uint64_t dumps, count, sum, min, max, zero;
    uint64_t slots[HIST_BUCKETS];
    uint64_t first, last; /* of the slots with a count; first > last: there is none */
} dumps_t;

static bool dumps_long_number(dumps_t *d, uint64_t *value)
{
    *value = 0;
    while (d->at < d->end) {
        uint8_t byte = *d->at++;
        if (*value >> 57) return false;
        *value = *value << 7 | (byte & 0x7f);
        if (!(byte & 0x80)) return true;
    }
    return false;
}

/* A BER-compressed integer (pack "w"): mostly one byte. */
static inline bool dumps_number(dumps_t *d, uint64_t *value)
{
    if (d->at == d->end || *d->at & 0x80) return dumps_long_number(d, value);
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
    return format == DUMPS_DENSE ? dumps_dense(d) : format == DUMPS_SPARSE && dumps_sparse(d);
}

static VALUE dumps_counts(const dumps_t *d)
{
    if (d->first > d->last) return rb_ary_new();
    VALUE counts[HIST_BUCKETS];
    long size = 0;
    for (uint64_t slot = d->first; slot <= d->last; slot++) counts[size++] = ULL2NUM(d->slots[slot]);
    return rb_ary_new_from_values(size, counts);
}

/*
 * sum(bytes)
 * @return [Array, nil] how many histograms there were; and of their sum: count, sum, min, max, zero, offset,
 *   counts. nil: Ruby has to add them up
 */
static VALUE dumps_sum(VALUE self, VALUE bytes)
{
    StringValue(bytes);
    dumps_t d = {.at = (const uint8_t *)RSTRING_PTR(bytes), .min = UINT64_MAX, .first = HIST_BUCKETS};
    d.end = d.at + RSTRING_LEN(bytes);
    while (d.at < d.end)
        if (!dumps_one(&d)) return Qnil;
    RB_GC_GUARD(bytes);
    bool any = d.first <= d.last;
    VALUE min = d.count ? ULL2NUM(d.min) : Qnil, max = d.count ? ULL2NUM(d.max) : Qnil;
    return rb_ary_new_from_args(8, ULL2NUM(d.dumps), ULL2NUM(d.count), ULL2NUM(d.sum), min, max,
                                ULL2NUM(d.zero), ULL2NUM(any ? d.first : 0), dumps_counts(&d));
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
    rb_define_singleton_method(dumps, "add", dumps_add_counts, 3);
}
