#include "unit/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "hook/hold_places.h"
#include "init.h"

#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

uint64_t repeats_least;

/* --- fingerprints --- */

static inline bool sql_in_name(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 0x7f;
}

static inline uint64_t sql_mix(uint64_t hash, unsigned char c)
{
    return (hash ^ c) * FNV_PRIME;
}

/* The end of a quoted text that begins at `at`; a doubled quote is a part of it. */
static const char *sql_after_text(const char *at, const char *end)
{
    for (at++; at < end; at++)
        if (*at == '\\' && at + 1 < end) at++;
        else if (*at == '\'') {
            if (at + 1 >= end || at[1] != '\'') return at + 1;
            at++;
        }
    return end;
}

static const char *sql_after_comment(const char *at, const char *end)
{
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return end;
}

/* The end of a value that begins at `at`: a number, a text or a placeholder ($1, ?); `at` where there is
 * none. */
static const char *sql_after_value(const char *at, const char *end, unsigned char before)
{
    if (*at == '\'') return sql_after_text(at, end);
    if (*at == '?') return at + 1;
    bool number = *at >= '0' && *at <= '9';
    bool numbered = *at == '$' && at + 1 < end && at[1] >= '0' && at[1] <= '9';
    if (!numbered && (!number || sql_in_name(before))) return at;
    for (at++; at < end && (sql_in_name((unsigned char)*at) || *at == '.'); at++)
        ;
    return at;
}

/*
 * A hash of a statement without its values: lists of values are as long as one, comments and white space are
 * left out. Two statements with one hash count as the same, which takes some 2^32 of them.
 */
static uint64_t sql_fingerprint(const char *at, const char *end)
{
    uint64_t hash = FNV_OFFSET;
    unsigned char before = 0;
    bool value = false, comma = false;
    while (at < end) {
        unsigned char c = (unsigned char)*at;
        if (c <= ' ') {
            before = c;
            at++;
            continue;
        }
        if (c == '/' && at + 1 < end && at[1] == '*') {
            at = sql_after_comment(at, end);
            continue;
        }
        const char *after = sql_after_value(at, end, before);
        if (after != at) {
            if (!comma) hash = sql_mix(hash, '?');
            value = true;
            comma = false;
            before = '?';
            at = after;
            continue;
        }
        if (comma) hash = sql_mix(hash, ',');
        comma = value && c == ',';
        if (before && before <= ' ') hash = sql_mix(hash, ' ');
        if (!comma) hash = sql_mix(hash, c);
        value = false;
        before = c;
        at++;
    }
    return hash;
}

/* --- tallies --- */

static repeat_tally_t *repeats_tally(unit_t *u, uint64_t fingerprint)
{
    if (!u->repeats) {
        u->repeats = malloc(sizeof(*u->repeats));
        if (!u->repeats) return NULL;
        u->repeats->used = 0;
    }
    repeats_t *repeats = u->repeats;
    for (uint32_t i = 0; i < repeats->used; i++)
        if (repeats->all[i].fingerprint == fingerprint) return &repeats->all[i];
    if (repeats->used == REPEATS) return NULL;
    repeat_tally_t *tally = &repeats->all[repeats->used++];
    memset(tally, 0, sizeof(*tally));
    tally->fingerprint = fingerprint;
    return tally;
}

void repeats_add(unit_t *u, VALUE sql, const totals_t *span)
{
    if (!RB_TYPE_P(sql, T_STRING)) return;
    const char *text = RSTRING_PTR(sql);
    repeat_tally_t *tally = repeats_tally(u, sql_fingerprint(text, text + RSTRING_LEN(sql)));
    if (!tally) return;
    for (size_t i = 0; i < TOTALS_CALL_WORDS; i++)
        ((uint64_t *)&tally->sums)[i] += ((const uint64_t *)span)[i];
    if (++tally->count == repeats_least) tally->place = places_here();
}

/* --- Ruby --- */

/* repeated_queries = least: from how many equal queries of a unit on they are recorded; 0: never. */
static VALUE repeats_set_least(VALUE self, VALUE least)
{
    repeats_least = NUM2ULL(least);
    return least;
}

/* query_fingerprint(sql): for tests. */
static VALUE repeats_fingerprint(VALUE self, VALUE sql)
{
    const char *text = StringValuePtr(sql);
    return ULL2NUM(sql_fingerprint(text, text + RSTRING_LEN(sql)));
}

void repeats_init(VALUE probe)
{
    rb_define_singleton_method(probe, "repeated_queries=", repeats_set_least, 1);
    rb_define_singleton_method(probe, "query_fingerprint", repeats_fingerprint, 1);
}
