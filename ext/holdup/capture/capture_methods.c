/*
 * Holdup::Probe's methods for captures: beginning one, naming its threads, ending it. The caller holds the
 * GVL.
 */
#include "capture/capture_methods.h"

#include <errno.h>
#include <ruby/thread.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture_ask.h"
#include "capture/capture_catch.h"
#include "capture/capture_events.h"
#include "capture/capture_file.h"
#include "capture/capture_threads.h"
#include "capture/capture_watch.h"
#include "hook/hook.h"
#include "hook/process_totals.h"
#include "hook/registry.h"
#include "init.h"
#include "segment/segment.h"
#include "text.h"

#define CAPM_LEAST 1024
#define CAPM_MOST (UINT64_C(1) << 22)

/*
 * Writes the units that are open already, the outermost first; there may be thousands. Units of other
 * Ractors, which run meanwhile, appear with their next event.
 */
static void capm_record_open(tclock_t *c)
{
    unit_t *u = c->innermost;
    if (!u || c->blame != reg.main) return;
    for (u->newer = NULL; u->outer; u = u->outer) u->outer->newer = u;
    for (; u; u = u->newer)
        cap_record_unit(c, u, CAP_UNIT_OPEN, c->follows ? CAP_FIBERS : 0, u->started, c->totals.caused);
}

/* What the probe has summed up by now. A reader of the capture can check its own sums against it. */
static void capm_sum_up(uint64_t *sums)
{
    totals_t sum = process_totals();
    const uint64_t all[CAP_SUMS] = {sum.running, sum.stalled, sum.idle[TC_IO], sum.idle[TC_LOCK],
                                    sum.idle[TC_SLEEP], sum.caused, sum.gc, process_handoff()};
    memcpy(sums, all, sizeof(all));
}

static void capm_begin(void)
{
    tclock_t *current = hook_current();
    uint64_t t = process_settled();
    cap.header->begin_ticks = t;
    cap.header->begin_real_ns = clk_realtime_ns(t);
    cap.header->rate = clk.rate;
    if (seg.base) cap.header->worker_index = SEG_HEADER->worker_index;
    capm_sum_up(cap.header->begin_sums);
    for (tclock_t *c = reg.clocks; c; c = c->next)
        c->due = 0, c->unit = unit_number(c->follows ? c->current : c->innermost);
    __atomic_store_n(&cap.on, true, __ATOMIC_SEQ_CST);
    if (current) cap_record_mark(current, CAP_BEGIN, t);
    for (tclock_t *c = reg.clocks; c; c = c->next) capm_record_open(c);
    capt_list_all();
}

static uint64_t capm_capacity(VALUE events)
{
    uint64_t wanted = NUM2ULL(events), capacity = CAPM_LEAST;
    if (wanted < 1 || wanted > CAPM_MOST)
        rb_raise(rb_eArgError, "a capture keeps 1..%llu events, got %llu", (unsigned long long)CAPM_MOST,
                 (unsigned long long)wanted);
    while (capacity < wanted) capacity *= 2;
    return capacity;
}

/* Runs `work` without the GVL; with it when an interrupt is pending, so that nothing raises here. */
static void capm_without_gvl(void *(*work)(void *), void *given, const bool *done)
{
    cap.busy = true;
    rb_nogvl(work, given, NULL, NULL, RB_NOGVL_INTR_FAIL);
    if (!*done) work(given);
    cap.busy = false;
}

/*
 * open_capture(path, events, stalled_over_ns, wall_over_ns, stacks_over_ns = 0): from now on every event goes
 * to a ring in a new file with room for at least `events`. The file says which unit was the first that
 * stalled longer than stalled_over_ns or took longer than wall_over_ns (0: no limit). With stacks, also those
 * of holders while others wait longer than stacks_over_ns (0: no stacks).
 * @return [Boolean] false when nothing is measured, or a capture is on
 * @raise [SystemCallError] when the disk is full
 */
static VALUE capm_open(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 4, 5);
    uint64_t stalled_over_ns = NUM2ULL(argv[2]), wall_over_ns = NUM2ULL(argv[3]),
        stacks_over_ns = argc > 4 ? NUM2ULL(argv[4]) : 0;
    capf_request_t request = {.capacity = capm_capacity(argv[1]),
                              .names = seg.base ? SEG_HEADER->series_capacity : 1,
                              .stacks = stacks_over_ns > 0};
    const char *file = StringValueCStr(argv[0]);
    if (!tc_enabled() || cap.header || cap.busy) return Qfalse;
    if (snprintf(request.path, sizeof(request.path), "%s", file) >= (int)sizeof(request.path))
        rb_syserr_fail(ENAMETOOLONG, file);
    capm_without_gvl(capf_make, &request, &request.done);
    if (request.failed) rb_syserr_fail(request.failed, request.path);
    cap.limit = (cap_limit_t){stalled_over_ns, wall_over_ns};
    capm_begin();
    if (request.stacks) watch_start(stacks_over_ns);
    return Qtrue;
}

/* name_captured(thread, name): the name that the thread has in the capture. */
static VALUE capm_name_thread(VALUE self, VALUE thread, VALUE name)
{
    tclock_t *c = reg.has_key ? reg_clock(thread) : NULL;
    Check_Type(name, T_STRING);
    if (!cap_there() || !c) return Qnil;
    cap_thread_t *entry = capt_list(c);
    if (!entry) return Qnil;
    seg_text_t text = text_sanitise(name, entry->name, CAP_THREAD_NAME_BYTES);
    __atomic_store_n(&entry->name_bytes, (uint32_t)text.bytes, __ATOMIC_RELEASE);
    return Qtrue;
}

/*
 * close_capture: ends the capture; its file stays.
 * @return [Integer, nil] number of events; nil when no capture is on
 */
static VALUE capm_close(VALUE self)
{
    if (!cap_there()) return Qnil;
    bool done = false;
    uint64_t t = process_settled();
    __atomic_store_n(&cap.on, false, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ask.over_ns, 0, __ATOMIC_RELEASE);
    capt_list_all();
    capm_sum_up(cap.header->end_sums);
    cap.header->rate = clk.rate;
    cap.header->end_ticks = t;
    uint64_t events = cap.header->head;
    capm_without_gvl(capf_let_go, &done, &done);
    return ULL2NUM(events);
}

static VALUE capm_capturing_p(VALUE self)
{
    return CAP_ON() ? Qtrue : Qfalse;
}

/* Enters the name of a series into the table of names, under the number of the series. */
static void capm_intern(uint64_t series)
{
    cap_name_t *name = (cap_name_t *)(cap.base + cap.header->names_offset) + series;
    const seg_series_t *s = seg_slot(series);
    if (name->name_bytes) return;
    memcpy(name->name, s->name, s->name_bytes);
    memcpy(name->queue, s->queue, s->queue_bytes);
    name->queue_bytes = s->queue_bytes;
    __atomic_store_n(&name->name_bytes, s->name_bytes, __ATOMIC_RELEASE);
}

/* Writes the trace that the unit belongs to, in two halves. */
static void capm_record_trace(const tclock_t *c, uint32_t unit, const unsigned char *trace)
{
    uint64_t halves[2] = {0, 0};
    for (int i = 0; i < SEG_TRACE_BYTES; i++) halves[i / 8] = halves[i / 8] << 8 | trace[i];
    if (!(halves[0] | halves[1])) return;
    for (int i = 0; i < 2; i++)
        cap_put((cap_event_t){.thread = c->number, .time = clk_now(), .detail = halves[i], .unit = unit,
                              .kind = CAP_UNIT_TRACE, .flags = (uint8_t)((i ? 0 : CAP_HIGH) | c->phase)});
}

void capm_record_pool_wait(const unit_t *u, uint64_t ns)
{
    cap_put((cap_event_t){.thread = u->clock->number, .time = clk_now(), .detail = ns, .unit = unit_number(u),
                          .waiters = (uint16_t)BLAME_GET(u->clock->blame->waiters), .kind = CAP_POOL_WAIT,
                          .flags = u->clock->phase});
}

void capm_record_name(VALUE handle, const measurement_t *m, uint64_t slot, bool job, bool error)
{
    tclock_t *c = hook_current();
    if (!c || !slot) return;
    uint8_t flags = (uint8_t)((error ? CAP_FAILED : 0) | (job ? CAP_JOB : 0) | c->phase);
    cap_enter();
    if (CAP_ON() && slot <= cap.header->name_capacity) {
        capm_intern(slot - 1);
        uint32_t unit = unit_number_of((uint64_t)FIX2LONG(handle));
        capm_record_trace(c, unit, m->trace);
        capc_check(m, slot - 1, unit, cap.header->head);
        cap_put((cap_event_t){.thread = c->number, .time = clk_now(), .detail = slot - 1, .unit = unit,
                              .kind = CAP_UNIT_NAMED, .flags = flags});
    }
    cap_leave();
}

void capture_init(VALUE probe)
{
    rb_define_const(probe, "CAPTURE_SIZES", rb_range_new(INT2FIX(CAPM_LEAST), ULL2NUM(CAPM_MOST), 0));
    rb_define_singleton_method(probe, "open_capture", capm_open, -1);
    rb_define_singleton_method(probe, "name_captured", capm_name_thread, 2);
    rb_define_singleton_method(probe, "close_capture", capm_close, 0);
    rb_define_singleton_method(probe, "capturing?", capm_capturing_p, 0);
}
