/*
 * The handlers of GVL events, driven by scripts of events that no Ruby has to send: drawn by chance, in each
 * order that some Ruby has, and some that none should have. What the clocks, the ledger and the pairs say is
 * compared with a model that keeps every hold and every wait as a span of time.
 *
 *   scripted_events SCRIPTS   prints a line for each number that is wrong, and how often each event came
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The thread that an event runs on: itself or its waker. */
static pthread_t current_native;
#define pthread_self() current_native

#include "hook/thread_events.h"

#define THREADS 5
#define PARTIES 3 /* of a thread, which it changes at edges of units */
#define STEPS 700
#define PASSED_MOST 200 /* holds while a thread waits: below BLAME_HOLDS, so that none is unknown */

/* --- what the rest of the extension has --- */

struct hold hold;
struct lock_sampling lock_sampling;
static bool has_gvl;

int ruby_thread_has_gvl_p(void)
{
    return has_gvl;
}

void blame_lock_shared(blame_t *b)
{
    blame_lock_own(b);
}

void hold_wake(void)
{
}

void lock_wait_ends(tclock_t *victim, uint64_t t)
{
    (void)victim, (void)t;
}

void lock_ask_here(void)
{
}

void cap_record_event(tclock_t *c, enum cap_kind kind, uint64_t t, uint64_t end)
{
    (void)c, (void)kind, (void)t, (void)end;
}

/* --- the model --- */

/* `lost` threads hold the GVL no more, though no event said so. */
typedef enum { IDLE, WAITING, RUNNING, LOST } state_t;

typedef struct {
    uint64_t from, to;
    int thread, party;
} range_t;

typedef struct {
    tclock_t clock;
    pair_party_t *parties[PARTIES];
    int party;
    state_t state;
    uint64_t since;
    bool blocking;
    uint64_t events; /* which the ledger had seen at its SUSPENDED, or at its READY alone */
    bool alone;      /* its READY was the next event, and nobody waits or has waited in its hold */
    uint64_t passed; /* holds since it began to wait */
    uint64_t running, idle[3], acquisitions, preemptions;
} thread_t;

static thread_t threads[THREADS];
static blame_t ledger;
static range_t holds[4 * STEPS], waits[STEPS];
static int holds_used, waits_used, holder; /* -1: nobody */
static bool hold_ended, hold_closed, hold_calm; /* the last hold: in it nobody has waited so far */
static uint64_t now, events, waiting;

enum { SUSPENDED, SUSPENDED_TWICE, LOST_HOLD, YIELDED, READY, READY_LATE, READY_AGAIN, RESUMED, RESUMED_HOT,
       RESUMED_ALONE, RESUMED_WITHOUT_READY, EDGE, KINDS };
static const char *const names[KINDS] = {
    "suspended", "suspended_twice", "lost_hold", "yielded", "ready", "ready_late", "ready_again", "resumed",
    "resumed_hot", "resumed_alone", "resumed_without_ready", "edge"};
static uint64_t came[KINDS];

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

/* xorshift64: Marsaglia 2003, "Xorshift RNGs" */
static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static pthread_t native_of(int thread)
{
    return (pthread_t)(thread + 1);
}

/* The hold that is open, or that has ended and nobody has followed yet. */
static range_t *last_hold(void)
{
    return &holds[holds_used - 1];
}

static void begin_hold(int thread, uint64_t from)
{
    thread_t *t = &threads[thread];
    t->state = RUNNING;
    t->since = from;
    t->acquisitions++;
    holds[holds_used++] = (range_t){from, 0, thread, t->party};
    holder = thread;
    hold_ended = hold_closed = false;
    hold_calm = waiting == 0;
    for (int i = 0; i < THREADS; i++) threads[i].passed++;
}

static void end_hold(uint64_t to)
{
    last_hold()->to = to;
    hold_ended = true;
}

static void wait_from(int thread, uint64_t from)
{
    threads[thread].state = WAITING;
    threads[thread].since = from;
    threads[thread].passed = 0;
    waiting++;
    hold_calm = false;
}

static uint64_t overlap(const range_t *hold, const range_t *wait)
{
    uint64_t from = hold->from > wait->from ? hold->from : wait->from;
    uint64_t to = hold->to < wait->to ? hold->to : wait->to;
    return to > from ? to - from : 0;
}

/* --- events: to the handlers, and to the model --- */

/* A holder suspends itself. */
static void suspend(int thread)
{
    thread_t *t = &threads[thread];
    t->blocking = draw(2);
    has_gvl = !t->blocking;
    current_native = native_of(thread);
    tc_suspended(&t->clock, now);
    if (t->state == IDLE) {
        came[SUSPENDED_TWICE]++;
        t->running += now - t->since;
        if (!hold_closed) last_hold()->to = now;
    }
    else {
        came[SUSPENDED]++;
        t->running += now - t->since;
        end_hold(now);
    }
    t->state = IDLE;
    t->since = now;
    t->events = events;
}

/* `at`: the handler's clock, which another CPU may have read before the holder ended its hold. */
static void make_ready(int thread, uint64_t at)
{
    thread_t *t = &threads[thread];
    int waker = draw(3) && !t->blocking ? (int)draw(THREADS) : thread;
    bool own = waker == thread, next = t->events == events && t->state == IDLE;
    current_native = native_of(waker);
    if (!tc_ready_alone(&t->clock, at)) tc_ready(&t->clock, at);
    if (t->state == WAITING) {
        came[READY_AGAIN]++;
        return;
    }
    bool yields = next && !t->blocking && waiting && own;
    t->alone = ledger.only && next && t->blocking && holder == thread && hold_calm && !waiting;
    if (yields) {
        came[YIELDED]++;
        t->preemptions++;
        at = t->since;
    }
    else {
        came[READY]++;
        tc_idle_kind kind = t->blocking ? TC_IO : own ? TC_SLEEP : TC_LOCK;
        if (t->state == IDLE) t->idle[kind] += at - t->since;
    }
    if (hold_ended && at < last_hold()->to) came[READY_LATE]++;
    if (hold_ended) hold_closed = true;
    wait_from(thread, at);
    events++;
    t->events = events;
}

/* The thread gets the GVL; whoever has it without having said that it ended, has lost it. */
static void resume(int thread)
{
    thread_t *t = &threads[thread];
    bool alone = t->state == WAITING && t->alone && t->events == events;
    current_native = native_of(thread);
    if (!tc_resumed_alone(&t->clock)) tc_resumed(&t->clock, now);
    uint64_t from = alone ? t->since : now;
    if (holder >= 0 && !hold_ended) {
        came[LOST_HOLD]++;
        threads[holder].state = LOST;
        end_hold(now);
    }
    if (t->state == WAITING) {
        came[alone ? RESUMED_ALONE : holder == thread && waiting > 1 ? RESUMED_HOT : RESUMED]++;
        waits[waits_used++] = (range_t){t->since, from, thread, t->party};
        waiting--;
    }
    else if (t->state == IDLE) {
        came[RESUMED_WITHOUT_READY]++;
        t->idle[t->blocking ? TC_IO : TC_SLEEP] += now - t->since;
    }
    events++;
    begin_hold(thread, from);
}

/* A unit of the holder begins or ends. */
static void change_party(int thread)
{
    thread_t *t = &threads[thread];
    came[EDGE]++;
    t->party = (int)draw(PARTIES);
    tc_change_party(&t->clock, now, t->parties[t->party]);
    end_hold(now);
    holds[holds_used++] = (range_t){now, 0, thread, t->party};
    hold_ended = false;
}

/* --- scripts --- */

static void begin(bool only)
{
    memset(threads, 0, sizeof(threads));
    memset(&ledger, 0, sizeof(ledger));
    ledger.only = only;
    holds_used = waits_used = 0;
    holder = -1;
    hold_ended = hold_closed = hold_calm = false;
    events = waiting = 0;
    now = 1000;
    for (int i = 0; i < THREADS; i++) {
        thread_t *t = &threads[i];
        t->clock.blame = &ledger;
        t->clock.native = native_of(i);
        t->clock.epoch = tc.epoch;
        t->clock.phase = TC_IDLE;
        t->clock.at = t->since = now;
        t->clock.cpu_ns = TC_CPU_UNREAD;
        t->clock.blocking = t->blocking = true;
        t->events = UINT64_MAX;
        for (int j = 0; j < PARTIES; j++) {
            uint64_t id = (uint64_t)(i * PARTIES + j + 1);
            t->parties[j] = pair_begin(&ledger, id);
        }
        t->clock.party = t->parties[0];
    }
}

static int one_in(state_t wanted)
{
    int first = (int)draw(THREADS);
    for (int i = 0; i < THREADS; i++)
        if (threads[(first + i) % THREADS].state == wanted) return (first + i) % THREADS;
    return -1;
}

/* The one that has waited over so many holds that the ring would lose some. */
static int overdue(void)
{
    for (int i = 0; i < THREADS; i++)
        if (threads[i].state == WAITING && threads[i].passed > PASSED_MOST) return i;
    return one_in(WAITING);
}

/*
 * READY reads the clock under the scheduler's lock, as all before it did but the SUSPENDED whose hold it
 * closes.
 */
static bool may_be_late(int thread)
{
    return hold_ended && !hold_closed && threads[thread].since < now - 1 && last_hold()->from < now - 1;
}

/* What may come next; `odd`: also what no Ruby should send. */
static void step(bool odd)
{
    now += draw(4) ? draw(100) : 0;
    bool held = holder >= 0 && !hold_ended;
    int idle = one_in(draw(4) ? IDLE : LOST), waiter = overdue();
    switch (draw(odd ? 8 : 6)) {
      case 0:
      case 1:
        if (held) suspend(holder);
        break;
      case 2:
        if (held) change_party(holder);
        break;
      case 3: /* at the end of its hold a thread gets it back before others, who have waited longer */
        if (!held || draw(2)) break;
        suspend(holder);
        make_ready(holder, now += draw(3));
        if (draw(2)) resume(holder);
        break;
      case 4:
        if (idle < 0) break;
        make_ready(idle, now - (draw(2) && may_be_late(idle)));
        break;
      case 5:
        if (!held && waiter >= 0) resume(waiter);
        break;
      case 6:
        if (waiter >= 0 && !draw(8)) resume(waiter); /* perhaps while another holds it */
        else if (waiter >= 0) make_ready(waiter, now);
        break;
      case 7:
        if (!held && idle >= 0 && !draw(4)) resume(idle);
        else if (hold_ended && threads[holder].state == IDLE) suspend(holder);
        break;
    }
}

/* All get the GVL once more and give it up, so that nothing is open. */
static void finish(void)
{
    if (holder >= 0 && !hold_ended) suspend(holder);
    for (int i; (i = one_in(WAITING)) >= 0;) {
        resume(i);
        now += draw(50);
        suspend(i);
    }
    now += 1;
    make_ready(holder >= 0 ? holder : 0, now); /* the last hold is closed by the next event */
    resume(holder >= 0 ? holder : 0);
    suspend(holder);
    blame_lock(&ledger);
    tc_close_hold(&ledger, now);
    blame_unlock(&ledger);
}

static void free_parties(void)
{
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < PARTIES; j++) pair_clear(threads[i].parties[j]);
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < PARTIES; j++) pair_end(&ledger, threads[i].parties[j]);
    pairs_reset(&ledger);
}

/* --- what they say, against the model --- */

static uint64_t wrong;

static void expect(const char *what, int a, int b, uint64_t expected, uint64_t actual)
{
    if (expected == actual) return;
    if (wrong++ < 20)
        printf("wrong %s of %d and %d: %" PRIu64 ", not %" PRIu64 "\n", what, a, b, actual, expected);
}

static uint64_t charged(const pair_waits_t *waits, const pair_party_t *holder_party)
{
    uint64_t time = 0;
    for (uint32_t i = 0; i < waits->parts_used; i++)
        if (waits->parts[i].holder == holder_party) time += waits->parts[i].time;
    return time;
}

static void compare_pairs(uint64_t pairs[THREADS][PARTIES][THREADS][PARTIES],
                          uint64_t rests[THREADS][PARTIES])
{
    for (int v = 0; v < THREADS; v++)
        for (int p = 0; p < PARTIES; p++) {
            const pair_waits_t *gvl = &threads[v].parties[p]->gvl;
            expect("rest", v, p, rests[v][p], gvl->nobody);
            expect("unknown", v, p, 0, gvl->unknown + gvl->others);
            for (int h = 0; h < THREADS; h++)
                for (int q = 0; q < PARTIES; q++)
                    expect("pair", v * PARTIES + p, h * PARTIES + q, pairs[v][p][h][q],
                           charged(gvl, threads[h].parties[q]));
        }
}

static void compare(void)
{
    static uint64_t pairs[THREADS][PARTIES][THREADS][PARTIES], rests[THREADS][PARTIES];
    uint64_t caused[THREADS] = {0}, stalled[THREADS] = {0}, handoff = 0;
    memset(pairs, 0, sizeof(pairs));
    memset(rests, 0, sizeof(rests));
    for (int i = 0; i < waits_used; i++) {
        const range_t *wait = &waits[i];
        uint64_t rest = wait->to - wait->from;
        stalled[wait->thread] += rest;
        for (int j = 0; j < holds_used; j++) {
            uint64_t time = overlap(&holds[j], wait);
            caused[holds[j].thread] += time;
            pairs[wait->thread][wait->party][holds[j].thread][holds[j].party] += time;
            rest -= time;
        }
        rests[wait->thread][wait->party] += rest;
        handoff += rest;
    }
    expect("hand-off", 0, 0, handoff, ledger.handoff);
    for (int i = 0; i < THREADS; i++) {
        const thread_t *t = &threads[i];
        const totals_t *totals = &t->clock.totals;
        expect("running", i, 0, t->running, totals->running);
        expect("stalled", i, 0, stalled[i], totals->stalled);
        expect("caused", i, 0, caused[i], totals->caused);
        expect("acquisitions", i, 0, t->acquisitions, totals->acquisitions);
        expect("preemptions", i, 0, t->preemptions, totals->preemptions);
        for (int kind = 0; kind < 3; kind++) expect("idle", i, kind, t->idle[kind], totals->idle[kind]);
    }
    compare_pairs(pairs, rests);
}

#define LONG_WAIT 1000 /* holds: more than a ledger keeps */

/* A wait of which the first holds are not kept any more, and one that begins in the oldest that is. */
static void compare_long_waits(void)
{
    begin(true);
    uint64_t from = now;
    for (int i = 0; i < LONG_WAIT; i++) {
        pair_put(&ledger, threads[1 + i % 4].parties[0], now, now + 10);
        now += 11; /* a tick of hand-off after each hold */
    }
    uint64_t kept = ledger.latest, dropped = LONG_WAIT - kept;
    expect("at least kept", 0, 0, 1, kept >= BLAME_HOLDS);
    pair_charge(&ledger, threads[0].parties[0], from, now);
    expect("charged", 0, 0, 10 * kept, ledger.charged);
    expect("rests", 0, 0, kept, ledger.rests);
    expect("unknown", 0, 0, 11 * dropped, ledger.unknown);
    pair_charge(&ledger, threads[0].parties[1], ledger.holds[1].from + 3, now);
    expect("charged", 0, 1, 20 * kept - 3, ledger.charged);
    expect("unknown", 0, 1, 11 * dropped, ledger.unknown);
    free_parties();
}

int main(int count, char **words)
{
    (void)count;
    clk_start();
    tc.enabled = true;
    for (long script = 0; script < atol(words[1]); script++) {
        begin(script % 2);
        for (int i = 0; i < STEPS; i++) step(script % 4 > 1);
        finish();
        compare();
        free_parties();
    }
    compare_long_waits();
    for (int kind = 0; kind < KINDS; kind++) printf("%s %" PRIu64 "\n", names[kind], came[kind]);
    printf("wrong %" PRIu64 "\n", wrong);
    return wrong != 0;
}
