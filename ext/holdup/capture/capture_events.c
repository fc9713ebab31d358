#include "capture/capture_events.h"

#include <ruby/debug.h>

#include "capture/capture_ask.h"
#include "hook/thread_clock.h"

/* A wait ends at `t`. The thread still has the stack it waited with. */
static void cap_end_wait(tclock_t *c, uint64_t t)
{
    uint64_t over_ns = ask_over_ns();
    if (!over_ns || c->waited_stack == c->at || ask_rests(t) || clk_ns(tc_since(c->at, t)) < over_ns) return;
    c->due = t;
    rb_postponed_job_trigger(ask.job);
}

/* The thread gives the GVL up before its stack was taken. */
static void cap_drop_due(tclock_t *c)
{
    if (c->due) ask_missed();
    c->due = 0;
}

void cap_record_event(tclock_t *c, enum cap_kind kind, uint64_t t, uint64_t end)
{
    const blame_t *b = c->blame;
    uint64_t waiters = BLAME_GET(b->waiters);
    uint8_t flags = c->phase;
    if (kind == CAP_SUSPENDED) flags |= c->blocking ? CAP_BLOCKING : 0;
    else if (c->phase == TC_IDLE) flags |= (uint8_t)(tc_classify(c) << CAP_KIND_SHIFT);
    if (kind == CAP_READY) {
        if (end) flags |= CAP_CLOSED;
        if (c->phase == TC_IDLE && t == c->at) flags |= CAP_YIELDED;
    }
    if (kind == CAP_RESUMED) {
        if (b->holder) flags |= end ? CAP_CLOSED : CAP_CLOSED | CAP_UNENDED;
        if (c->phase == TC_WAITING) waiters--, cap_end_wait(c, t);
    }
    else cap_drop_due(c);
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = b->number, .unit = c->unit,
                          .waiters = (uint16_t)waiters, .kind = (uint8_t)kind, .flags = flags});
}

void cap_record_mark(const tclock_t *c, enum cap_kind kind, uint64_t t)
{
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = c->blame->number, .unit = c->unit,
                          .waiters = (uint16_t)BLAME_GET(c->blame->waiters), .kind = (uint8_t)kind,
                          .flags = c->phase});
}

void cap_record_unit(tclock_t *c, const unit_t *u, enum cap_kind kind, uint8_t flags, uint64_t t,
                     uint64_t caused)
{
    cap_put((cap_event_t){.thread = c->number, .time = t, .detail = caused - c->totals.caused,
                          .unit = unit_number(u), .waiters = (uint16_t)BLAME_GET(c->blame->waiters),
                          .kind = (uint8_t)kind, .flags = (uint8_t)(flags | c->phase)});
    c->unit = unit_number(c->follows ? c->current : c->innermost);
}
