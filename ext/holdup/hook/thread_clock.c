#include "hook/thread_clock.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

struct tc tc;

/*
 * What the thread's open hold has caused up to `t`. A unit's edge reads it outside the scheduler lock: a
 * seqlock.
 */
static uint64_t tc_open_caused(const tclock_t *c, uint64_t t)
{
    const blame_t *b = c->blame;
    unsigned spins = 0;
    for (;;) {
        uint64_t seq = __atomic_load_n(&b->seq, __ATOMIC_ACQUIRE);
        uint64_t waiters = BLAME_GET(b->waiters), moment = BLAME_GET(b->moment),
            opened = BLAME_GET(b->opened);
        bool mine = BLAME_GET(b->holder) == c;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(seq & 1) && seq == BLAME_GET(b->seq)) return mine ? waiters * t - moment - opened : 0;
        blame_spin(&spins);
    }
}

/*
 * How long the thread has waited by `t`, if it waits: the holder's `caused` has that already. The caller
 * holds the GVL that it waits for, so the wait can't end meanwhile; it can begin, which is why this is a
 * seqlock. Of another GVL it is unknown, and 0.
 */
static uint64_t tc_open_stalled(const tclock_t *c, uint64_t t)
{
    const blame_t *b = c->blame;
    unsigned spins = 0;
    if (b->shared || c->epoch != tc.epoch) return 0;
    for (;;) {
        uint64_t seq = __atomic_load_n(&b->seq, __ATOMIC_ACQUIRE);
        uint8_t phase = BLAME_GET(c->phase);
        uint64_t at = BLAME_GET(c->at);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(seq & 1) && seq == BLAME_GET(b->seq)) return phase == TC_WAITING && t > at ? t - at : 0;
        blame_spin(&spins);
    }
}

void tc_settle_unseen(tclock_t *c, uint64_t t)
{
    if (c->phase == TC_UNKNOWN) c->at = c->hold_from = c->party_from = t;
    if (c->phase == TC_IDLE) TC_COUNT(suspended_twice); /* neither READY nor RESUMED came: it never stopped */
    c->phase = TC_RUNNING;
}

void tc_totals(const tclock_t *c, uint64_t t, totals_t *now)
{
    *now = c->totals;
    now->caused += tc_open_caused(c, t);
    now->stalled += tc_open_stalled(c, t);
}

void tc_edge(tclock_t *c, uint64_t t, totals_t *now)
{
    *now = c->totals;
    now->caused += tc_open_caused(c, t); /* it runs, so it has no open wait */
    if ((int64_t)(now->caused - c->edge_caused) < 0) now->caused = c->edge_caused;
    c->edge_caused = now->caused;
}

static uint64_t tc_ask_native_id(void)
{
#ifdef SYS_gettid
    return (uint64_t)syscall(SYS_gettid);
#elif defined(__APPLE__)
    uint64_t id = 0;
    return pthread_threadid_np(NULL, &id) ? 0 : id;
#else
    return 0;
#endif
}

uint64_t tc_native_id(tclock_t *c)
{
    if (c->blame->shared) return 0;
    if (!c->native_id) c->native_id = tc_ask_native_id();
    return c->native_id;
}
