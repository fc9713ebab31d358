#include "allocations.h"

#include <ruby.h>

static struct {
    VALUE key;             /* 0: this Ruby has no such count */
    uint32_t epoch;        /* of the last reading */
    const tclock_t *reader;
    uint64_t objects, ran; /* all objects, and how long all threads had run ... */
    uint64_t reader_ran;   /* ... and the reader */
} alloc;

static VALUE alloc_ask(VALUE key)
{
    rb_gc_stat(key);
    return Qnil;
}

void alloc_prepare(void)
{
    VALUE key = ID2SYM(rb_intern("total_allocated_objects"));
    int failed = 0;
    rb_protect(alloc_ask, key, &failed);
    if (failed) rb_set_errinfo(Qnil);
    alloc.key = failed ? 0 : key;
}

void alloc_read(tclock_t *c, uint64_t hold_from, uint64_t t)
{
    if (!alloc.key || blame_many) return;
    uint64_t objects = rb_gc_stat(alloc.key);
    uint64_t open = tc_since(c->at, t), ran = c->blame->ran + open, reader_ran = c->totals.running + open;
    if (alloc.epoch == tc.epoch) {
        uint64_t span = ran - alloc.ran;
        uint64_t own = alloc.reader == c ? reader_ran - alloc.reader_ran : tc_since(hold_from, t);
        if (own > span) own = span;
        c->totals.objects += objects - alloc.objects;
        c->totals.objects_own += own;
        c->totals.objects_others += span - own;
    }
    alloc.epoch = tc.epoch;
    alloc.reader = c;
    alloc.objects = objects;
    alloc.ran = ran;
    alloc.reader_ran = reader_ran;
}
