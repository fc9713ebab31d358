/*
 * Holdup::MassDraws: the arithmetic behind confidence intervals of comparisons, done hundreds of times for
 * each. It adds up rows of numbers, each as often as it was drawn, mixes such sums, and finds quantiles of
 * the mix. lib/holdup/analysis/comparison/weighted_rows.rb is the oracle.
 *
 * All numbers are doubles in Strings. A row is the number of its first column, how many columns it has, and
 * their values; rows follow each other without a gap.
 */
#include <ruby.h>
#include <stdbool.h>
#include <string.h>

#include "init.h"

#define MASS_HEAD 2

typedef struct {
    const double *at;
    long size;
} doubles_t;

static doubles_t doubles_of(VALUE string)
{
    StringValue(string);
    return (doubles_t){.at = (const double *)RSTRING_PTR(string),
                       .size = RSTRING_LEN(string) / (long)sizeof(double)};
}

static VALUE doubles_new(long size)
{
    VALUE string = rb_str_new(NULL, size * (long)sizeof(double));
    memset(RSTRING_PTR(string), 0, (size_t)size * sizeof(double));
    return string;
}

static bool mass_column_p(double number, long columns)
{
    return number >= 0 && number <= columns; /* not NaN either */
}

/* Takes one row off; false when there is none, or a damaged one. */
static bool mass_row(doubles_t *rows, long columns, long *first, doubles_t *row)
{
    if (rows->size < MASS_HEAD || !mass_column_p(rows->at[0], columns) ||
        !mass_column_p(rows->at[1], columns))
        return false;
    *first = (long)rows->at[0];
    *row = (doubles_t){.at = rows->at + MASS_HEAD, .size = (long)rows->at[1]};
    if (row->size > columns - *first || row->size > rows->size - MASS_HEAD) return false;
    rows->at += MASS_HEAD + row->size;
    rows->size -= MASS_HEAD + row->size;
    return true;
}

/* total(rows, times, columns): the sum of all rows, each as often as `times` says */
static VALUE mass_total(VALUE self, VALUE rows, VALUE times, VALUE columns)
{
    Check_Type(times, T_ARRAY);
    long width = NUM2LONG(columns);
    if (width < 0) rb_raise(rb_eArgError, "%ld columns are not possible", width);
    VALUE total = doubles_new(width);
    doubles_t left = doubles_of(rows), row;
    for (long i = 0, first; i < RARRAY_LEN(times); i++) {
        if (!mass_row(&left, width, &first, &row)) rb_raise(rb_eArgError, "row %ld is damaged", i);
        double weight = NUM2DBL(rb_ary_entry(times, i));
        double *sum = (double *)RSTRING_PTR(total) + first;
        if (weight != 0)
            for (long j = 0; j < row.size; j++) sum[j] += weight * row.at[j];
    }
    RB_GC_GUARD(rows);
    return total;
}

static double mass_of(doubles_t masses)
{
    double mass = 0;
    for (long i = 0; i < masses.size; i++) mass += masses.at[i];
    return mass;
}

/*
 * mix(totals, weights): the share of each total in the mix is its weight, whatever its mass; without mass it
 * has none
 */
static VALUE mass_mix(VALUE self, VALUE totals, VALUE weights)
{
    Check_Type(totals, T_ARRAY);
    Check_Type(weights, T_ARRAY);
    long width = RARRAY_LEN(totals) ? doubles_of(rb_ary_entry(totals, 0)).size : 0;
    VALUE mix = doubles_new(width);
    for (long i = 0; i < RARRAY_LEN(totals); i++) {
        VALUE total = rb_ary_entry(totals, i);
        double weight = NUM2DBL(rb_ary_entry(weights, i)), *sum = (double *)RSTRING_PTR(mix);
        doubles_t part = doubles_of(total);
        if (part.size != width)
            rb_raise(rb_eArgError, "total %ld has %ld columns, not %ld", i, part.size, width);
        double mass = mass_of(part);
        if (mass > 0)
            for (long j = 0; j < width; j++) sum[j] += part.at[j] * (weight / mass);
        RB_GC_GUARD(total);
    }
    return mix;
}

/*
 * find(masses, share)
 * @return [Array(Integer, Float), nil] the column in which that share of the mass is reached, and at which
 *   share of the column's own mass; nil: the mass is zero
 */
static VALUE mass_find(VALUE self, VALUE string, VALUE share)
{
    doubles_t masses = doubles_of(string);
    double left = NUM2DBL(share) * mass_of(masses), within = 1;
    long last = -1;
    for (long i = 0; i < masses.size; left -= masses.at[i++]) {
        if (masses.at[i] <= 0) continue;
        last = i;
        if (left > masses.at[i]) continue;
        within = left / masses.at[i];
        break;
    }
    RB_GC_GUARD(string);
    return last < 0 ? Qnil : rb_assoc_new(LONG2NUM(last), DBL2NUM(within));
}

void mass_draws_init(VALUE holdup)
{
    VALUE draws = rb_define_module_under(holdup, "MassDraws");
    rb_define_singleton_method(draws, "total", mass_total, 3);
    rb_define_singleton_method(draws, "mix", mass_mix, 2);
    rb_define_singleton_method(draws, "find", mass_find, 2);
}
