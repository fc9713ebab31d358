/*
 * Holdup::FixedWork: the same small computation each time. The CPU time that it takes tells how fast the
 * machine computes now: neighbours on the same CPU, its clock and its caches change that from minute to
 * minute, and with it the CPU time of every request.
 *
 * It mixes numbers in a buffer of the size of a second-level cache, because programs are slowed down by both
 * the CPU's clock and its caches.
 */
#include <ruby.h>
#include <ruby/thread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "init.h"

#define WORK_WORDS 32768 /* 256 KiB; a power of two */
#define WORK_STEPS 65536
#define WORK_TIMES 5

struct fixed_work {
    uint64_t *words;
    uint64_t ns; /* CPU time of the fastest time */
};

static void work_once(uint64_t *words)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (int step = 0; step < WORK_STEPS; step++) {
        state ^= state << 13; /* xorshift64: Marsaglia 2003, "Xorshift RNGs" */
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t *word = words + (state & (WORK_WORDS - 1));
        state += *word;
        *word = state;
    }
}

/* Does not hold the GVL: the collector may be a thread of an application. */
static void *work_measured(void *data)
{
    struct fixed_work *work = data;
    work_once(work->words); /* fills the caches */
    work->ns = UINT64_MAX;
    for (int time = 0; time < WORK_TIMES; time++) {
        uint64_t before = clk_read_ns(CLOCK_THREAD_CPUTIME_ID);
        work_once(work->words);
        uint64_t took = clk_read_ns(CLOCK_THREAD_CPUTIME_ID) - before;
        if (took < work->ns) work->ns = took;
    }
    return NULL;
}

/* ns: CPU time of the work, the least of five, in all some milliseconds; nil without memory */
static VALUE work_ns(VALUE self)
{
    struct fixed_work work = {.words = calloc(WORK_WORDS, sizeof(uint64_t))};
    if (!work.words) return Qnil;
    rb_thread_call_without_gvl(work_measured, &work, NULL, NULL);
    free(work.words);
    return ULL2NUM(work.ns);
}

void fixed_work_init(VALUE holdup)
{
    VALUE module = rb_define_module_under(holdup, "FixedWork");
    rb_define_module_function(module, "ns", work_ns, 0);
}
